"""Which address of an interface is VPP's first one, where that is another one than was asked for.

VPP appends what is added (ip_interface_address_add), so an address that is added again is the last one. NAT44 and
whoever borrows take the first one, and it is what VPP sends from where nothing else decides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from vppcfg.common.names import natural_key
from vppcfg.model.interface import Interface
from vppcfg.model.live_state import configured_on
from vppcfg.model.state import State
from vppcfg.operations.operation import AddressOperation
from vppcfg.plan.plan import Plan
from vppcfg.record import record


@record
class Displaced:
    """An address that is first in one state, and behind another one in VPP."""

    interface: str
    first: str
    """The one that VPP has first."""
    wanted: str

    def __str__(self) -> str:
        return (
            f"{self.interface}: {self.first} is VPP's first {_family(self.first)} address, "
            f"not {self.wanted}: VPP keeps the order in which they came"
        )


@record
class Promoted:
    """An address that becomes VPP's first one, while the one before it stays on the interface."""

    interface: str
    first: str
    before: str

    def __str__(self) -> str:
        return (
            f"{self.interface}: {self.first} becomes VPP's first {_family(self.first)} address, "
            f"in place of {self.before}, which stays"
        )


def displaced(observed: State, desired: State) -> Iterator[Displaced]:
    """Yield the addresses that are first in `desired`, and not in `observed`, in natural order of the interfaces."""
    yield from _displaced(_orders(observed, desired, frozenset()), desired)


def displaced_by(plan: Plan) -> Iterator[Displaced]:
    """Yield the addresses that are first in the desired state, and will not be after a plan."""
    yield from _displaced(_orders_after(plan), plan.desired)


def promoted_by(plan: Plan) -> Iterator[Promoted]:
    """Yield the addresses that a plan makes the first ones although those before stay.

    An interface that is recreated, or changes its table, gets its addresses in the order of the file.
    """
    for wanted, is_ipv6, first in _firsts(_orders_after(plan), plan.desired):
        there = plan.observed.interfaces[wanted.name]
        before = _first(there.in_order, there, is_ipv6)
        if before != first and before in wanted.addresses:
            yield Promoted(interface=wanted.name, first=first, before=before)


def _orders_after(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return the addresses as VPP has them after a plan, of each interface on which the order can be another one."""
    operations = plan.of(AddressOperation)
    orders = _orders(plan.observed, plan.desired, {each.interface for each in operations})
    for operation in operations if orders else ():
        if operation.interface in orders:
            name, address = operation.interface, operation.address
            rest = (each for each in orders[name] if each != address)
            orders[name] = (*rest, address) if operation.is_add else tuple(rest)
    return orders


def _family(address: str) -> str:
    return "IPv6" if ":" in address else "IPv4"


def _orders(observed: State, desired: State, touched: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the order of the addresses of each interface that can be another one than was asked for."""
    return {
        name: there.in_order
        for name, there in observed.interfaces.items()
        if (wanted := desired.interfaces.get(name)) is not None
        and len(wanted.addresses) > 1
        and (there.address_order or wanted.address_order or name in touched)
    }


def _displaced(orders: Mapping[str, tuple[str, ...]], desired: State) -> Iterator[Displaced]:
    for interface, is_ipv6, first in _firsts(orders, desired):
        wanted = _first(interface.in_order, interface, is_ipv6)
        if first and wanted and first != wanted:
            yield Displaced(interface=interface.name, first=first, wanted=wanted)


def _firsts(orders: Mapping[str, tuple[str, ...]], desired: State) -> Iterator[tuple[Interface, bool, str]]:
    """Yield each desired interface and family, IPv6 or not, with the first address in an order, in natural order."""
    for name in sorted(orders, key=natural_key):
        interface = desired.interfaces[name]
        for is_ipv6 in (False, True):
            yield interface, is_ipv6, _first(orders[name], interface, is_ipv6)


def _first(order: tuple[str, ...], interface: Interface, is_ipv6: bool) -> str:
    """Return the first address of a family that an interface is configured to have; '' where there is none."""
    own = configured_on(interface)
    return next((address for address in order if (":" in address) is is_ipv6 and address in own), "")
