"""Addresses of an interface, its own and borrowed ones (vnet/ip/ip_interface.c)."""

from __future__ import annotations

from vppcfg.model.interface import Encapsulation, Interface
from vppcfg.model.state import State
from vppcfg.plan.operation import InterfaceOperation, Predicate
from vppcfg.plan.request import Indexes, Request, Value, Vocabulary
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record
from vppcfg.vpp.address_codec import family_and_bytes

_NO_SUCH_ADDRESS = -60
"""VNET_API_ERROR_ADDRESS_NOT_FOUND_FOR_INTERFACE (vnet/error.h)."""


@record
class AddAddress(InterfaceOperation):
    """sw_interface_add_del_address: put an address on an interface."""

    address: str

    def _refusal(self, working: WorkingState) -> str | None:
        interface = working.interfaces[self.interface]
        if interface.unnumbered is not None:
            return f"{interface.name} borrows addresses: one of its own would land on {interface.unnumbered}"
        owner = working.address_index(interface, self.address).conflict(interface.name, self.address)
        return f"{self.address} conflicts with an address of {owner}" if owner else _cannot_route(interface)

    def apply_to(self, working: WorkingState) -> None:
        """Add the address to the interface and to the FIB."""
        interface = working.interfaces[self.interface]
        working.address_index(interface, self.address).add(interface.name, self.address)
        working.change(interface.name, addresses=interface.addresses | {self.address})

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return _address(indexes.interface(self.interface), self.address, is_add=1)

    def cli(self) -> str:
        """Return the command."""
        return f"set interface ip address {self.interface} {self.address}"


@record
class RemoveAddress(InterfaceOperation):
    """sw_interface_add_del_address: take an address off an interface.

    With the last IPv6 address goes what there is of router advertisements, and a link-local address that was chosen.
    With a device of Linux, linux-nl may have removed an IPv6 address before.
    """

    done_already = frozenset({_NO_SUCH_ADDRESS})
    address: str

    def _refusal(self, working: WorkingState) -> str | None:
        if self.address not in working.interfaces[self.interface].addresses:
            return f"{self.interface} does not have {self.address}"
        return None

    def apply_to(self, working: WorkingState) -> None:
        """Take the address off the interface and out of the FIB."""
        interface = working.interfaces[self.interface]
        working.address_index(interface, self.address).remove(self.address)
        working.change(interface.name, addresses=interface.addresses - {self.address})
        if ":" in self.address and not working.interfaces[interface.name].has_ipv6:
            working.change(interface.name, ra=None, link_local=None, ra_mtu=0)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return _address(indexes.interface(self.interface), self.address, is_add=0)

    def cli(self) -> str:
        """Return the command."""
        return f"set interface ip address del {self.interface} {self.address}"


@record
class SetUnnumbered(InterfaceOperation):
    """sw_interface_set_unnumbered: borrow the addresses of `donor`."""

    donor: str

    def _refusal(self, working: WorkingState) -> str | None:
        interface = working.interfaces[self.interface]
        if self.donor not in working.interfaces:
            return f"{self.donor} does not exist"
        if interface.addresses:
            return f"{interface.name} has addresses, which would vanish and still block"
        if interface.unnumbered is not None:
            return f"{interface.name} borrows from {interface.unnumbered}"
        if interface.tables != working.interfaces[self.donor].tables:
            return f"{interface.name} and {self.donor} are in different FIB tables"
        return _cannot_route(interface)

    def apply_to(self, working: WorkingState) -> None:
        """Let the interface borrow."""
        working.borrow(self.interface, self.donor)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return _unnumbered(indexes.interface(self.donor), self.interface, indexes, is_add=1)

    def cli(self) -> str:
        """Return the command."""
        return f"set interface unnumbered {self.interface} use {self.donor}"

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return what it does to its object."""
        return Predicate(f"borrows from {self.donor}", f"borrow from {self.donor}")


@record
class UnsetUnnumbered(InterfaceOperation):
    """sw_interface_set_unnumbered: stop borrowing the addresses of `donor`."""

    donor: str

    def _refusal(self, working: WorkingState) -> str | None:
        if working.interfaces[self.interface].unnumbered != self.donor:
            return f"{self.interface} does not borrow from {self.donor}"
        return None

    def apply_to(self, working: WorkingState) -> None:
        """Let the interface borrow from nobody."""
        working.borrow(self.interface, None)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Name no donor: VPP does not look at it, and it may be gone (vnet/interface_api.c)."""
        return _unnumbered(0, self.interface, indexes, is_add=0)

    def cli(self) -> str:
        """Return the command."""
        return f"set interface unnumbered del {self.interface}"

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return what it does to its object."""
        after = desired.interfaces.get(self.interface)
        if after is not None and after.unnumbered == self.donor:
            anew = f"must borrow again from {self.donor}, which changes"
            return Predicate(anew, anew)
        return Predicate(f"stops borrowing from {self.donor}", f"stop borrowing from {self.donor}")


def _cannot_route(interface: Interface) -> str | None:
    """Return why an interface cannot have addresses."""
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


def _unnumbered(donor: Value, interface: str, indexes: Indexes, is_add: int) -> Request:
    """Name the donor in sw_if_index, as VPP has it (vnet/interface.api)."""
    values: dict[str, Value] = {
        "sw_if_index": donor,
        "unnumbered_sw_if_index": indexes.interface(interface),
        "is_add": is_add,
    }
    return Request("sw_interface_set_unnumbered", values)
