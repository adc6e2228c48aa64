"""Static neighbours of an interface (vnet/ip-neighbor/ip_neighbor.c), which are taken out before it goes."""

from __future__ import annotations

from vppcfg.model.neighbor import Neighbor, in_order
from vppcfg.model.state import State
from vppcfg.plan.operation import InterfaceOperation, Predicate
from vppcfg.plan.request import Indexes, Request, Value, Vocabulary
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record
from vppcfg.vpp.address_codec import address_values, mac_bytes

STATIC, WITHOUT_ROUTE = 1, 2
"""IP_API_NEIGHBOR_FLAG_STATIC, IP_API_NEIGHBOR_FLAG_NO_FIB_ENTRY (vnet/ip-neighbor/ip_neighbor.api)."""


@record
class SetNeighbor(InterfaceOperation):
    """ip_neighbor_add_del: enter a neighbour with its MAC address, or another MAC address for one that is there."""

    address: str
    mac: str
    has_route: bool = True

    def _refusal(self, working: WorkingState) -> str | None:
        known = _known(self.interface, self.address, working)
        if known is None or known.has_route == self.has_route:
            return None
        return f"{self.address} on {self.interface} would stay {'with' if known.has_route else 'without'} a route"

    def apply_to(self, working: WorkingState) -> None:
        """Enter it."""
        others = _others(self.interface, self.address, working)
        entered = Neighbor(address=self.address, mac=self.mac, has_route=self.has_route)
        working.change(self.interface, neighbors=in_order([*others, entered]))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        flags = STATIC if self.has_route else STATIC | WITHOUT_ROUTE
        return Request("ip_neighbor_add_del", {**_neighbor(self, indexes), "is_add": 1, "neighbor.flags": flags})

    def cli(self) -> str:
        """Return the command."""
        line = f"set ip neighbor {self.interface} {self.address} {self.mac} static"
        return line if self.has_route else f"{line} no-fib-entry"

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return what it does to its object."""
        return Predicate(
            f"gets MAC address {self.mac} for its neighbour {self.address}", "get MAC addresses for neighbours"
        )


@record
class RemoveNeighbor(InterfaceOperation):
    """ip_neighbor_add_del: take a neighbour out; VPP does not look at the MAC address."""

    address: str
    mac: str

    def _refusal(self, working: WorkingState) -> str | None:
        known = _known(self.interface, self.address, working)
        return f"{self.interface} has no static neighbour {self.address}" if known is None else None

    def apply_to(self, working: WorkingState) -> None:
        """Take it out."""
        working.change(self.interface, neighbors=_others(self.interface, self.address, working))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return Request("ip_neighbor_add_del", {**_neighbor(self, indexes), "is_add": 0})

    def cli(self) -> str:
        """Return the command."""
        return f"set ip neighbor del {self.interface} {self.address} {self.mac}"

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return what it does to its object."""
        return Predicate(f"loses its neighbour {self.address}", "lose neighbours")


def _known(interface: str, address: str, working: WorkingState) -> Neighbor | None:
    return next((each for each in working.interfaces[interface].neighbors if each.address == address), None)


def _others(interface: str, address: str, working: WorkingState) -> tuple[Neighbor, ...]:
    return tuple(each for each in working.interfaces[interface].neighbors if each.address != address)


def _neighbor(operation: SetNeighbor | RemoveNeighbor, indexes: Indexes) -> dict[str, Value]:
    return {
        "neighbor.sw_if_index": indexes.interface(operation.interface),
        "neighbor.mac_address": mac_bytes(operation.mac),
        **address_values("neighbor.ip_address", operation.address),
    }
