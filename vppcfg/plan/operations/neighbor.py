"""Static neighbours of an interface (vnet/ip-neighbor/ip_neighbor.c), which are taken out before it goes."""

from __future__ import annotations

from vppcfg.model.neighbor import Neighbor, in_order
from vppcfg.plan.operation import InterfaceOperation
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record


@record
class SetNeighbor(InterfaceOperation):
    """ip_neighbor_add_del: enter a neighbour with its MAC address, or another MAC address for one that is there."""

    address: str
    mac: str
    has_route: bool = True

    def _refusal(self, draft: WorkingState) -> str | None:
        known = _known(self.interface, self.address, draft)
        if known is None or known.has_route == self.has_route:
            return None
        return f"{self.address} on {self.interface} would stay {'with' if known.has_route else 'without'} a route"

    def apply_to(self, draft: WorkingState) -> None:
        """Enter it."""
        others = _others(self.interface, self.address, draft)
        entered = Neighbor(address=self.address, mac=self.mac, has_route=self.has_route)
        draft.change(self.interface, neighbors=in_order([*others, entered]))


@record
class RemoveNeighbor(InterfaceOperation):
    """ip_neighbor_add_del: take a neighbour out; VPP does not look at the MAC address."""

    address: str
    mac: str

    def _refusal(self, draft: WorkingState) -> str | None:
        known = _known(self.interface, self.address, draft)
        return f"{self.interface} has no static neighbour {self.address}" if known is None else None

    def apply_to(self, draft: WorkingState) -> None:
        """Take it out."""
        draft.change(self.interface, neighbors=_others(self.interface, self.address, draft))


def _known(interface: str, address: str, draft: WorkingState) -> Neighbor | None:
    return next((each for each in draft.interfaces[interface].neighbors if each.address == address), None)


def _others(interface: str, address: str, draft: WorkingState) -> tuple[Neighbor, ...]:
    return tuple(each for each in draft.interfaces[interface].neighbors if each.address != address)
