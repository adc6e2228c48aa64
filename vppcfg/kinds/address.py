"""Addresses of interfaces, the key `addresses` (vnet/ip/ip_interface.c).

VPP has no message that reports all addresses at once; the requests for all interfaces are therefore sent before the
first reply is awaited.

Unwanted addresses go, everywhere, before any new one comes, because VPP refuses overlaps. Where it would not, an
address stays until the interface has those that come in its place. An interface that moves to another FIB table loses
its addresses of that family before and gets them again after.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from vppcfg.common.addresses import address_key, canonical_address, canonical_prefix, order_of
from vppcfg.engine.kind import Kind
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.entry_key import EntryKey
from vppcfg.entries.interface_key import PlainKey
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds.address_rules import (
    address_duplicate,
    address_exact_match,
    address_host,
    address_length,
    address_managed,
    address_overlap,
)
from vppcfg.model.interface import Encapsulation, Interface
from vppcfg.model.live_state import configured_on
from vppcfg.model.problem import KeyPath
from vppcfg.model.state import State
from vppcfg.operations.operation import AddressOperation, Predicate
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import family_and_bytes, text_of_address
from vppcfg.wire.reading import Replies, VppReader, malformed

_NO_SUCH_ADDRESS = -60
"""VNET_API_ERROR_ADDRESS_NOT_FOUND_FOR_INTERFACE (vnet/error.h)."""
_FAMILIES = (0, 1)
"""ADDRESS_IP4, ADDRESS_IP6 (vnet/ip/ip_types.api); the same numbers are is_ipv6 where a message asks for that."""


@record
class AddAddress(AddressOperation):
    """sw_interface_add_del_address: put an address on an interface."""

    is_add = True

    def _refusal(self, working: WorkingState) -> str | None:
        interface = working.interfaces[self.interface]
        if interface.unnumbered is not None:
            return f"{interface.name} borrows addresses: one of its own would land on {interface.unnumbered}"
        owner = working.address_index(interface, self.address).conflict(interface.name, self.address)
        return f"{self.address} conflicts with an address of {owner}" if owner else routing_obstacle(interface)

    def apply_to(self, working: WorkingState) -> None:
        interface = working.interfaces[self.interface]
        working.address_index(interface, self.address).add(interface.name, self.address)
        working.change(interface.name, addresses=interface.addresses | {self.address})

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _address(indexes.interface(self.interface), self.address, is_add=1)

    def cli(self) -> str:
        return f"set interface ip address {self.interface} {self.address}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("gets an address", "get addresses")


@record
class RemoveAddress(AddressOperation):
    """sw_interface_add_del_address: take an address off an interface.

    With the last IPv6 address goes what there is of router advertisements, and a link-local address that was chosen.
    With a device of Linux, linux-nl may have removed an IPv6 address before.
    """

    is_add = False
    done_already = frozenset({_NO_SUCH_ADDRESS})

    def _refusal(self, working: WorkingState) -> str | None:
        if self.address not in working.interfaces[self.interface].addresses:
            return f"{self.interface} does not have {self.address}"
        return None

    def apply_to(self, working: WorkingState) -> None:
        interface = working.interfaces[self.interface]
        working.address_index(interface, self.address).remove(self.address)
        working.change(interface.name, addresses=interface.addresses - {self.address})
        working.lose_with_address(interface.name, self.address)
        if ":" in self.address and not working.interfaces[interface.name].has_ipv6:
            working.change(interface.name, ra=None, link_local=None, ra_mtu=0)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _address(indexes.interface(self.interface), self.address, is_add=0)

    def cli(self) -> str:
        return f"set interface ip address del {self.interface} {self.address}"


def routing_obstacle(interface: Interface) -> str | None:
    """Return why an interface cannot have addresses, None when it can."""
    if interface.parent is not None:
        encapsulation = interface.encapsulation
        if not isinstance(encapsulation, Encapsulation) or not encapsulation.is_exact:
            return f"{interface.name} is not exact-match, so it takes no addresses"
    is_switched = interface.is_l2 and not interface.is_bvi
    return f"{interface.name} is in L2 mode, where an address has no effect" if is_switched else None


def _address(index: Value, address: str, is_add: int) -> Request:
    text, _, length = address.partition("/")
    family, raw = family_and_bytes(text)
    values: dict[str, Value] = {
        "sw_if_index": index,
        "is_add": is_add,
        "prefix.address.af": family,
        "prefix.address.un": raw,
        "prefix.len": int(length),
    }
    return Request("sw_interface_add_del_address", values)


_NO_ADDRESSES = KeyValue("addresses", [], is_default=True)


class AddressKind(Kind, EntryKey):
    """Addresses."""

    key = attribute = "addresses"
    operations = (AddAddress, RemoveAddress)
    capabilities: ClassVar = {"arping": "arping"}
    rules = (
        address_host,
        address_length,
        address_duplicate,
        address_managed,
        address_overlap,
        address_exact_match,
    )
    on_interfaces = ("addresses",)
    is_on_most = True

    def parse(self, raw: Iterable[str], path: KeyPath) -> tuple[str, ...]:
        return tuple(address for text in raw if (address := canonical_address(text)))

    def from_state(self, interface: Interface, state: State, path: KeyPath) -> tuple[str, ...]:
        """Return the addresses that were configured."""
        found = configured_on(interface) if interface.live else interface.addresses
        return tuple(address for address in interface.in_order if address in found)

    def yaml_keys(self, config: InterfaceConfig) -> Iterable[KeyValue]:
        return (KeyValue(self.key, list(config.addresses)) if config.addresses else _NO_ADDRESSES,)

    def to_desired(self, config: InterfaceConfig, base: Interface, desired: DesiredStateBuilder) -> Mapping[str, Any]:
        """Return the addresses that VPP is to have."""
        return {"addresses": frozenset(config.addresses), "address_order": order_of(config.addresses)}

    def without_entry(self, base: Interface) -> Mapping[str, Any]:
        return {"addresses": frozenset()}

    def interface_steps(self, transition: Transition, name: str) -> Iterator[Step]:
        """Yield the steps that remove the addresses that an interface loses and add those that it gains."""
        before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
        observed = before.addresses if before else frozenset()
        desired = after.addresses if after else frozenset()
        is_deleted, replaced = name in transition.to_delete, transition.replaced_addresses(name)
        removed, added = (observed, desired) if is_deleted else (observed - desired, desired - observed)
        removed, added = removed | replaced, added | replaced
        for address in sorted(removed, key=address_key) if removed else ():
            may_wait = not is_deleted and before and after and transition.may_outlast(address, before, after)
            stage = Stage.REMOVE_REPLACED_ADDRESS if may_wait else Stage.REMOVE_ADDRESS
            yield Step(stage=stage, operation=RemoveAddress(interface=name, address=address))
        for address in after.in_order if after and added else ():
            if address in added:
                yield Step(stage=Stage.ADD_ADDRESS, operation=AddAddress(interface=name, address=address))


KIND = AddressKind()


def _unmanaged_addresses(raw: Sequence[str]) -> tuple[str, ...]:
    """Return the prefixes of a list, a host as one that has it alone."""
    return tuple(prefix for text in raw if (prefix := canonical_prefix(text)))


UNMANAGED_ADDRESSES = PlainKey(
    key="unmanaged-addresses",
    attribute="unmanaged_addresses",
    parse=_unmanaged_addresses,
    as_yaml=list,
    is_of_bond=True,
    is_routing=True,
)


def requests(connection: VppReader, indexes: Sequence[int]) -> list[bytes]:
    """Return the requests for the addresses of the interfaces `indexes` (ip_address_dump)."""
    return [
        connection.request("ip_address_dump", {"sw_if_index": index, "is_ipv6": family})[1]
        for index in indexes
        for family in _FAMILIES
    ]


def read(connection: VppReader, replies: Replies) -> dict[int, tuple[str, ...]]:
    """Return the addresses by interface index, canonical, in VPP's order, IPv4 first, without link-local ones.

    Raise DataplaneError when one has more bits than there are.
    """
    found: dict[int, list[str]] = {}
    paths = ("sw_if_index", "prefix.address.af", "prefix.address.un", "prefix.len")
    for index, family, raw, length in connection.rows(replies, "ip_address_details", *paths):
        if length > (128 if family else 32):
            raise malformed("ip_address_details")
        if family and raw[0] == 0xFE and raw[1] & 0xC0 == 0x80:
            continue
        found.setdefault(index, []).append(f"{text_of_address(family, raw)}/{length}")
    return {index: tuple(addresses) for index, addresses in found.items()}
