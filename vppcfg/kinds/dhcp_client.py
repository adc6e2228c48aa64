"""DHCPv4 clients, the key `dhcp-client` of interfaces: set, and read back with their addresses (plugins/dhcp).

A client sends the MAC address of its interface as its id, as text, on every release. VPP's CLI has it so from 25.02 on
(plugins/dhcp/client.c), so that a server takes what was typed and what was sent for one client; before, all clients
that were typed sent `vpp 1.1`. The id is not read back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address
from typing import Any, ClassVar

from vppcfg.engine.feature_kind import FeatureKind
from vppcfg.entries.index import Index
from vppcfg.entries.names import is_dhcp_hostname
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.features import DhcpClient
from vppcfg.model.problem import Problem, Severity
from vppcfg.operations.feature import SetFeature
from vppcfg.operations.request import NO_MAC, Indexes, Known, Request, Vocabulary
from vppcfg.operations.request import Value as MessageValue
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader, text_of

_SET = "dhcp_client_config"
_DUMP, _DETAILS = "dhcp_client_dump", "dhcp_client_details"
_CLIENT = ("client.sw_if_index", "client.hostname", "client.set_broadcast_flag", "client.dscp")
_LEASE = ("client.sw_if_index", "lease.host_address.un", "lease.mask_width")


@record
class SetDhcpClient(SetFeature):
    """dhcp_client_config: ask for an IPv4 address, or no longer, which gives back the one that was leased.

    VPP changes no client that there is, so it is taken out in between. It outlives its interface (dhcp/client.c).
    """

    why_unrehearsed = "no DHCP server answers in a rehearsal"
    attribute = "dhcp_client"
    takes_mac = True
    client: DhcpClient | None

    @property
    def inverse(self) -> SetDhcpClient:
        """Return the operation that asks no longer."""
        return SetDhcpClient(interface=self.interface, client=None)

    def replaces(self, former: SetFeature) -> bool:
        return former == self

    def applied(self, value: Any) -> DhcpClient | None:
        """Return the client that there is then."""
        return self.client

    def _refusal(self, working: WorkingState) -> str | None:
        is_there = working.interfaces[self.interface].dhcp_client is not None
        if is_there == (self.client is not None):
            return f"{self.interface} has {'a' if is_there else 'no'} DHCP client"
        return None

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        client = self.client or DhcpClient()
        values: dict[str, MessageValue] = {
            "is_add": int(self.client is not None),
            "client.sw_if_index": indexes.interface(self.interface),
            "client.hostname": client.hostname,
            "client.set_broadcast_flag": int(client.is_broadcast),
            "client.dscp": client.dscp,
        }
        if self.client is not None and (mac := indexes.mac(self.interface)) != NO_MAC:
            values["client.id"] = mac.encode()
        return Request(_SET, values)

    def cli(self) -> str | None:
        """Return the command, which always asks for broadcast answers; up to 24.10 its id is no MAC address."""
        client = self.client
        if client is None:
            return f"set dhcp client del intfc {self.interface}"
        if not client.is_broadcast or client.dscp:
            return None
        hostname = f" hostname {client.hostname}" if client.hostname else ""
        return f"set dhcp client intfc {self.interface}{hostname}"


def dhcp_addresses(index: Index) -> Iterator[Problem]:
    """Find IPv4 addresses beside a DHCP client, which adds the one that it leases."""
    for interface in [each for each in index.interfaces if each.dhcp_client is not None]:
        own = next((each for each in interface.addresses if ":" not in each), None)
        if own is not None:
            text = f"{interface.name} keeps {own} beside the address that it leases; remove one, unless both are meant"
            path = (*interface.path, "dhcp-client")
            yield Problem(rule="dhcp-addresses", path=path, text=text, severity=Severity.NOTICE)


class DhcpClientKind(FeatureKind[DhcpClient | None]):
    """The key `dhcp-client` of interfaces, and the clients in VPP."""

    nodes = "ip[46]-dhcp-client|dhcp-client"
    key = "dhcp-client"
    foreign_keys = ("dhcp", "dhcp4")
    attribute = "dhcp_client"
    plugin = "dhcp"
    reason = "an interface gets its address by DHCP"
    is_of_bond = True
    is_routing = True
    operations = (SetDhcpClient,)
    rules = (dhcp_addresses,)
    api_module = "dhcp"
    capabilities: ClassVar = {"dhcp": _SET}

    def is_interrupted(self, transition: Transition, name: str) -> bool:
        """Return whether the interface changes its IPv4 table: VPP moves none that has an address, as a client has."""
        return transition.moved.get(name, (False, False))[0]

    def parse(self, raw: bool | Mapping[str, Any]) -> DhcpClient | None:
        """Return the client of an entry, None for none."""
        if isinstance(raw, bool):
            return DhcpClient() if raw else None
        return DhcpClient(hostname=raw.get("hostname") or "", is_broadcast=raw.get("broadcast") is not False)

    def as_yaml(self, value: DhcpClient | None) -> Value:
        if value is None:
            return False
        hostname = [KeyValue("hostname", value.hostname)] if value.hostname else []
        return (*hostname, *([] if value.is_broadcast else [KeyValue("broadcast", False)])) or True

    def unsupported_reason(self, value: DhcpClient | None) -> str | None:
        if value is not None and value.dscp:
            return f"its DHCP client gives what it sends the DSCP {value.dscp}"
        if value is not None and value.hostname and not is_dhcp_hostname(value.hostname):
            return "its DHCP client sends a hostname that a configuration cannot express"
        return None

    def setters(self, name: str, value: DhcpClient | None) -> Iterable[SetDhcpClient]:
        """Return the operation that asks for an address."""
        return [] if value is None else [SetDhcpClient(interface=name, client=value)]

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, DhcpClient | None]:
        if not connection.offers(_DUMP):
            return {}
        return {
            index: DhcpClient(hostname=text_of(hostname), is_broadcast=bool(is_broadcast), dscp=dscp)
            for index, hostname, is_broadcast, dscp in connection.rows(replies, _DETAILS, *_CLIENT)
        }

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all clients, where VPP takes it."""
        return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []


def leases(connection: VppReader, rounds: Sequence[Replies]) -> dict[int, set[str]]:
    """Return the addresses that clients had in any round of questions, by the indexes of their interfaces.

    One that is leased while VPP is asked is in the later round.
    """
    found: dict[int, set[str]] = {}
    if connection.offers(_DUMP):
        for replies in rounds:
            for index, address, length in connection.rows(replies, _DETAILS, *_LEASE):
                if any(address[:4]):
                    found.setdefault(index, set()).add(f"{IPv4Address(address[:4])}/{length}")
    return found


KIND = DhcpClientKind()
