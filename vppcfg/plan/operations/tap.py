"""TAPs and the Linux devices at their other end (plugins/tap)."""

from __future__ import annotations

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.kinds import as_created
from vppcfg.model.tap import Tap
from vppcfg.plan.draft import Draft
from vppcfg.plan.operation import CreateInterface, DeleteInterface
from vppcfg.record import record


@record
class CreateTap(CreateInterface):
    """tap_create: make `tapN` and its Linux device, born down."""

    instance: int
    tap: Tap

    def _refusal(self, draft: Draft) -> str | None:
        bridge = (self.tap.host_netns, self.tap.host_bridge)
        if draft.has_linux and self.tap.host_bridge and bridge not in draft.linux_bridges:
            return f"there is no Linux bridge {self.tap.host_bridge}, and VPP would say nothing of it"
        holder = draft.linux_names.get((self.tap.host_netns, self.tap.host_name))
        return f"the Linux name {self.tap.host_name} is held by {holder}" if holder else None

    def carry_out(self, draft: Draft) -> None:
        """Enter the TAP, and its Linux device where Linux is known."""
        draft.add_interface(as_created(self.interface, InterfaceKind.TAP))
        draft.made[self.interface] = self.tap
        draft.linux_names[self.tap.host_netns, self.tap.host_name] = self.interface
        if draft.has_linux:
            draft.linux[self.interface] = self.tap.device_as_created()


@record
class DeleteTap(DeleteInterface):
    """tap_delete_v2: remove a TAP and its Linux device."""

    making = Tap

    def carry_out(self, draft: Draft) -> None:
        """Take the TAP and its Linux device out."""
        tap = draft.making(self.interface, Tap)
        DeleteInterface.carry_out(self, draft)
        draft.linux.pop(self.interface, None)
        if tap is not None:
            del draft.linux_names[tap.host_netns, tap.host_name]
