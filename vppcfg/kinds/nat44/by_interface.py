"""The removal of NAT44 mappings and exemptions that follow the address of an interface.

VPP notes such an entry by its interface, and lists another one that is in effect at its address: both go together.
"""

from __future__ import annotations

from abc import abstractmethod

from vppcfg.kinds.nat44.pools import own_addresses
from vppcfg.model.nat44 import NatExemption, NatMapping
from vppcfg.model.vpp_object import VppObject
from vppcfg.operations.object_operation import RemoveObject
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record


@record
class RemoveByInterface(RemoveObject):
    """Remove a mapping or an exemption; one by interface takes along what stands at the address of that by itself."""

    item: NatMapping | NatExemption

    @abstractmethod
    def at_address(self, address: str) -> VppObject:
        """Return what VPP has in effect once the interface has an address."""

    def _refusal(self, working: WorkingState) -> str | None:
        if self.item.is_idle and not self._in_effect(working):
            return f"VPP has not taken the address of {self.item.interface}, and would answer that there is none"
        return RemoveObject._refusal(self, working)

    def apply_to(self, working: WorkingState) -> None:
        """Take it out, and what stands at the addresses of its interface."""
        for each in self._in_effect(working):
            working.remove_object(each)
        RemoveObject.apply_to(self, working)

    def _in_effect(self, working: WorkingState) -> list[VppObject]:
        there = working.objects.get(type(self.item), {})
        addresses = own_addresses(working.interfaces, self.item.interface) if self.item.interface else []
        names = (self.at_address(address).name for address in addresses)
        return [there[name] for name in names if name in there]
