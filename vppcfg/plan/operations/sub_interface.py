"""Creation and deletion of sub-interfaces (vnet/ethernet/interface.c)."""

from __future__ import annotations

from vppcfg.model.interface import Encapsulation, OtherMatch
from vppcfg.model.kinds import sub_interface_as_created
from vppcfg.model.linux import LONGEST_NAME
from vppcfg.plan.operation import CreateInterface, DeleteInterface
from vppcfg.plan.operations.lcp import CreateLcpPair
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record


@record
class CreateSubInterface(CreateInterface):
    """create_subif: make `PARENT.ID`, born down, with its parent's packet MTU."""

    parent: str
    sub_id: int
    encapsulation: Encapsulation | OtherMatch

    def _refusal(self, draft: WorkingState) -> str | None:
        if self.parent not in draft.interfaces:
            return f"{self.parent} does not exist"
        if self.parent in draft.bond_of:
            return f"{self.parent} is a member of {draft.bond_of[self.parent]}"
        other = draft.matches.get((self.parent, self.encapsulation.tags))
        return f"{other} matches the same tags" if other else None

    def apply_to(self, draft: WorkingState) -> None:
        """Enter the sub-interface, with the LCP pair that some VPPs make with it."""
        draft.add_interface(sub_interface_as_created(self.interface, self.parent, self.sub_id, self.encapsulation))
        if draft.is_auto_subint and self.parent in draft.lcps:
            _mirror(self, draft)


@record
class DeleteSubInterface(DeleteInterface):
    """delete_subif: remove a sub-interface."""


def _mirror(created: CreateSubInterface, draft: WorkingState) -> None:
    """Make the pair that VPP makes by itself, unless it cannot (linux-cp/lcp_interface_sync.c)."""
    parent = draft.lcps[created.parent]
    host_name = f"{parent.host_name}.{created.sub_id}"
    pair = CreateLcpPair(interface=created.interface, host_name=host_name, netns=parent.netns, is_default_netns=False)
    if len(host_name) <= LONGEST_NAME and pair.precondition_error(draft) is None:
        pair.apply_to(draft)
