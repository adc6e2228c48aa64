"""Which address of an interface is VPP's first one, where that is another one than was asked for.

VPP appends what is added (ip_interface_address_add), so an address that is added again is the last one. NAT44 and
whoever borrows take the first one, and it is what VPP sends from where nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.common.names import natural_key
from vppcfg.kinds.address import AddAddress, RemoveAddress
from vppcfg.model.interface import Interface
from vppcfg.model.live_state import configured_on
from vppcfg.model.state import State
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
            f"{self.interface}: {self.first} is VPP's first {'IPv6' if ':' in self.first else 'IPv4'} address, "
            f"not {self.wanted}: VPP keeps the order in which they came"
        )


def displaced(observed: State, desired: State) -> Iterator[Displaced]:
    """Yield the addresses that are first in `desired`, and not in `observed`, in natural order of the interfaces."""
    orders = {name: each.in_order for name, each in observed.interfaces.items() if len(each.addresses) > 1}
    yield from _displaced(orders, desired)


def displaced_by(plan: Plan) -> Iterator[Displaced]:
    """Yield the addresses that are first in the desired state, and will not be after a plan."""
    orders = {
        name: each.in_order
        for name, each in plan.observed.interfaces.items()
        if name in plan.desired.interfaces and len(plan.desired.interfaces[name].addresses) > 1
    }
    for operation in plan.operations if orders else ():
        if isinstance(operation, AddAddress | RemoveAddress) and operation.interface in orders:
            name, address = operation.interface, operation.address
            rest = (each for each in orders[name] if each != address)
            orders[name] = (*rest, address) if isinstance(operation, AddAddress) else tuple(rest)
    yield from _displaced(orders, plan.desired)


def _displaced(orders: Mapping[str, tuple[str, ...]], desired: State) -> Iterator[Displaced]:
    for name in sorted(orders.keys() & desired.interfaces.keys(), key=natural_key):
        interface = desired.interfaces[name]
        for is_ipv6 in (False, True):
            first, wanted = (_first(order, interface, is_ipv6) for order in (orders[name], interface.in_order))
            if first and wanted and first != wanted:
                yield Displaced(interface=name, first=first, wanted=wanted)


def _first(order: tuple[str, ...], interface: Interface, is_ipv6: bool) -> str:
    """Return the first address of a family that the interface is to have; '' where there is none."""
    own = configured_on(interface)
    return next((address for address in order if (":" in address) is is_ipv6 and address in own), "")
