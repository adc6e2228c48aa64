"""TAPs and the Linux devices at their other end (plugins/tap)."""

from __future__ import annotations

from vppcfg.model.birth import born
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.tap import Tap, born_device
from vppcfg.plan.draft import Draft
from vppcfg.plan.operations.operation import CreateInterface, DeleteInterface, dangling
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
        draft.add_interface(born(self.interface, InterfaceKind.TAP))
        draft.taps[self.interface] = self.tap
        draft.linux_names[self.tap.host_netns, self.tap.host_name] = self.interface
        if draft.has_linux:
            draft.linux[self.interface] = born_device(self.tap)


@record
class DeleteTap(DeleteInterface):
    """tap_delete_v2: remove a TAP and its Linux device."""

    def _refusal(self, draft: Draft) -> str | None:
        if self.interface not in draft.taps:
            return f"{self.interface} is no TAP"
        return dangling(self.interface, draft)

    def carry_out(self, draft: Draft) -> None:
        """Take the TAP and its Linux device out."""
        draft.remove_interface(self.interface)
        tap = draft.taps.pop(self.interface)
        draft.linux.pop(self.interface, None)
        del draft.linux_names[tap.host_netns, tap.host_name]
