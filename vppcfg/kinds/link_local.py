"""IPv6 link-local addresses, the key `link-local`: VPP is asked about each interface with IPv6 (vnet/ip)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from vppcfg.common.addresses import address_key, canonical_host, is_link_local, is_link_local_of_mac, link_local_of
from vppcfg.engine.feature_kind import FeatureKind
from vppcfg.engine.kind import Questions
from vppcfg.entries.index import Index
from vppcfg.entries.yaml.text import Value
from vppcfg.kinds.ra import lacks_ipv6, read_mtus
from vppcfg.model.problem import Problem
from vppcfg.operations.feature import SetFeature
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import address_values, text_of_address
from vppcfg.wire.reading import Replies, VppReader

_SET = "sw_interface_ip6_set_link_local_address"
_GET = "sw_interface_ip6_get_link_local_address"
_IPV6 = 1
_MIDDLE = slice(11, 13)
_MIDDLE_OF_MAC = b"\xff\xfe"


@record
class SetLinkLocal(SetFeature):
    """sw_interface_ip6_set_link_local_address: take another link-local address in place of the one that there is."""

    attribute = "link_local"
    is_value = True
    takes_mac = True
    address: str
    """'' for the one that VPP would make of a MAC address, which is not known here."""
    is_chosen: bool = True
    """False where it is that one."""

    @property
    def inverse(self) -> SetLinkLocal:
        """Return the operation that takes the one that VPP would make."""
        return SetLinkLocal(interface=self.interface, address="", is_chosen=False)

    def applied(self, value: Any) -> str | None:
        """Return the address that was chosen."""
        return self.address if self.is_chosen else None

    def _refusal(self, working: WorkingState) -> str | None:
        interface = working.interfaces[self.interface]
        if interface.has_ipv6 or (interface.link_local is not None and not self.is_chosen):
            return None
        return f"{self.interface} has no IPv6 address, so that IPv6 would stay on there"

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Take the address of the MAC address that VPP reports, where the plan was made without knowing that."""
        address = self.address or link_local_of(indexes.mac(self.interface))
        values = {"sw_if_index": indexes.interface(self.interface), "ip": address_values("", address)[".un"]}
        return Request(_SET, values)

    def cli(self) -> str | None:
        """Return the command, with which the prompt takes the address in place of the present one (ip6_forward.c)."""
        return f"set interface ip address {self.interface} {self.address}/128" if self.address else None


def link_local_fit(index: Index) -> Iterator[Problem]:
    """Find link-local addresses that are none, and those where nothing would turn IPv6 on and off again."""
    for interface in index.interfaces:
        address = interface.link_local
        if address is None:
            continue
        path = (*interface.path, "link-local")
        if not is_link_local(address) or address_key(f"{address}/64").value & (1 << 64) - 1 == 0:
            text = f"{address} is no link-local address of a host; take one such as fe80::1"
            yield Problem(rule="link-local-range", path=path, text=text)
        elif is_link_local_of_mac(address):
            text = f"{address} has the form of those that VPP makes of MAC addresses; take another, such as fe80::1"
            yield Problem(rule="link-local-of-mac", path=path, text=text)
        elif lacks_ipv6(interface, index):
            text = f"{interface.name} has no other IPv6 address; add one to `addresses`"
            yield Problem(rule="link-local-address", path=path, text=text)


class LinkLocalKind(FeatureKind[str | None]):
    """The key `link-local` of interfaces, and the addresses in VPP."""

    key = "link-local"
    foreign_keys = ("ipv6-link-local", "ip6-link-local", "link-local-address")
    attribute = "link_local"
    is_of_bond = True
    is_routing = True
    is_read_closely = True
    operations = (SetLinkLocal,)
    rules = (link_local_fit,)

    def is_interrupted(self, transition: Transition, name: str) -> bool:
        """Return whether the interface is without IPv6 addresses for a while (vnet/ip/ip6_link.c)."""
        return transition.loses_ipv6(name)

    def is_forgotten(self, transition: Transition, name: str) -> bool:
        """Return whether IPv6 is turned off and on again."""
        return transition.renews_ipv6(name)

    def completed(self, operation: SetFeature, transition: Transition) -> SetFeature:
        """Return an operation with the address of the MAC address, where it goes back to that: VPP must be given it."""
        if not isinstance(operation, SetLinkLocal) or operation.is_chosen:
            return operation
        interface = transition.observed.interfaces[operation.interface]
        port = transition.observed.interfaces[interface.parent] if interface.parent is not None else interface
        address = link_local_of(port.mac) if port.mac else ""
        return SetLinkLocal(interface=operation.interface, address=address, is_chosen=False)

    def parse(self, raw: str) -> str:
        """Return the address of an entry; one that is none is kept for the schema's check."""
        return canonical_host(raw) or raw

    def as_yaml(self, value: str | None) -> Value:
        return value or ""

    def unsupported_reason(self, value: str | None) -> str | None:
        return None if value is None or is_link_local(value) else f"its link-local address is {value}, which is none"

    def setters(self, name: str, value: str | None) -> Iterable[SetLinkLocal]:
        """Return the operation that takes the address."""
        return [SetLinkLocal(interface=name, address=value)] if value is not None else []

    def second_round(self, connection: VppReader, replies: Replies, indexes: Sequence[int]) -> Questions[str | None]:
        """Return a question for each interface with IPv6."""
        with_ipv6 = read_mtus(connection, replies)
        return LinkLocalQuestions(connection, [index for index in indexes if index in with_ipv6])


class LinkLocalQuestions:
    """The requests for the link-local addresses of interfaces, and what each asked for; the replies do not name it."""

    def __init__(self, connection: VppReader, indexes: Iterable[int]) -> None:
        """Prepare one for each of `indexes`, where VPP takes them."""
        self._asked: dict[int, int] = {}
        self.requests: list[bytes] = []
        if not connection.offers(_GET):
            return
        for index in indexes:
            context, request = connection.request(_GET, {"sw_if_index": index})
            self._asked[context] = index
            self.requests.append(request)

    def read(self, connection: VppReader, replies: Replies) -> dict[int, str | None]:
        """Return the configured addresses by interface index.

        One that has the form of those that VPP makes was made by it, maybe of a MAC address that is another one now.
        """
        if not self._asked:
            return {}
        found: dict[int, str | None] = {}
        for context, retval, raw in connection.rows(replies, f"{_GET}_reply", "context", "retval", "ip"):
            if not retval and context in self._asked and raw[_MIDDLE] != _MIDDLE_OF_MAC:
                found[self._asked[context]] = text_of_address(_IPV6, raw)
        return found


KIND = LinkLocalKind()
