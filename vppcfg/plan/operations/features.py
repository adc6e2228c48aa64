"""What VPP runs on the packets of an interface, one thing each (vnet/feature/feature.c)."""

from __future__ import annotations

from vppcfg.plan.draft import Draft
from vppcfg.plan.operations.operation import InterfaceOperation
from vppcfg.record import record


@record
class SetGso(InterfaceOperation):
    """feature_gso_enable_disable: cut large packets that leave an interface, or no longer (vnet/gso/gso.c).

    VPP counts how often it was told to, so it is told once.
    """

    is_on: bool

    def _refusal(self, draft: Draft) -> str | None:
        if draft.interfaces[self.interface].has_gso != self.is_on:
            return None
        return f"GSO on {self.interface} is {'on' if self.is_on else 'off'} already, and VPP counts how often it is set"

    def carry_out(self, draft: Draft) -> None:
        """Turn it on or off."""
        draft.change(self.interface, has_gso=self.is_on)
