"""What NAT44 notes by an interface and has in effect at its address: both go together."""

from __future__ import annotations

from abc import abstractmethod

from vppcfg.kinds.nat44.pools import own_addresses
from vppcfg.model.nat44 import NatExemption, NatMapping
from vppcfg.model.vpp_object import VppObject
from vppcfg.plan.object_operation import RemoveObject
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record


@record
class RemoveByInterface(RemoveObject):
    """Remove a mapping or an exemption; one by interface takes along what stands at the address of that by itself."""

    thing: NatMapping | NatExemption

    @abstractmethod
    def at_address(self, address: str) -> VppObject:
        """Return what VPP has in effect once the interface has an address."""

    def _refusal(self, draft: WorkingState) -> str | None:
        if self.thing.is_idle and not self._in_effect(draft):
            return f"VPP has not taken the address of {self.thing.interface}, and would answer that there is none"
        return RemoveObject._refusal(self, draft)

    def apply_to(self, draft: WorkingState) -> None:
        """Take it out, and what stands at the addresses of its interface."""
        for each in self._in_effect(draft):
            draft.remove_object(each)
        RemoveObject.apply_to(self, draft)

    def _in_effect(self, draft: WorkingState) -> list[VppObject]:
        there = draft.objects.get(type(self.thing), {})
        addresses = own_addresses(draft.interfaces, self.thing.interface) if self.thing.interface else []
        names = (self.at_address(address).name for address in addresses)
        return [there[name] for name in names if name in there]
