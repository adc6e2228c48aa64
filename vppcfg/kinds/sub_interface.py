"""Creation and deletion of sub-interfaces (vnet/ethernet/interface.c)."""

from __future__ import annotations

from enum import IntEnum

from vppcfg.kinds.lcp.operations import CreateLcpPair
from vppcfg.model.interface import Encapsulation, OtherMatch
from vppcfg.model.kinds import sub_interface_as_created
from vppcfg.model.linux import LONGEST_NAME
from vppcfg.plan.operation import CreateInterface, DeleteInterface
from vppcfg.plan.request import Indexes, Request, Vocabulary
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record


class SubFlag(IntEnum):
    """sub_if_flags (vnet/interface_types.api)."""

    NO_TAGS = 1
    ONE_TAG = 2
    TWO_TAGS = 4
    DOT1AD = 8
    EXACT_MATCH = 16
    DEFAULT = 32
    OUTER_ANY = 64
    INNER_ANY = 128


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

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        values = {
            "sw_if_index": indexes.interface(self.parent),
            "sub_id": self.sub_id,
            "sub_if_flags": _sub_flags(self.encapsulation),
            "outer_vlan_id": self.encapsulation.outer,
            "inner_vlan_id": self.encapsulation.inner or 0,
        }
        return Request("create_subif", values)

    def cli(self) -> str:
        """Return the command."""
        return f"create sub-interfaces {self.parent} {self.sub_id} {encapsulation_words(self.encapsulation)}"


@record
class DeleteSubInterface(DeleteInterface):
    """delete_subif: remove a sub-interface."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return Request("delete_subif", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        """Return the command."""
        return f"delete sub-interface {self.interface}"


def _mirror(created: CreateSubInterface, draft: WorkingState) -> None:
    """Make the pair that VPP makes by itself, unless it cannot (linux-cp/lcp_interface_sync.c)."""
    parent = draft.lcps[created.parent]
    host_name = f"{parent.host_name}.{created.sub_id}"
    pair = CreateLcpPair(interface=created.interface, host_name=host_name, netns=parent.netns, is_default_netns=False)
    if len(host_name) <= LONGEST_NAME and pair.precondition_error(draft) is None:
        pair.apply_to(draft)


def encapsulation_words(encapsulation: Encapsulation | OtherMatch) -> str:
    """Return a match as `create sub-interfaces` takes it."""
    if isinstance(encapsulation, OtherMatch):
        return _other_match(encapsulation)
    words = ["dot1ad" if encapsulation.is_dot1ad else "dot1q", str(encapsulation.outer)]
    if encapsulation.inner is not None:
        words += ["inner-dot1q", str(encapsulation.inner)]
    if encapsulation.is_exact:
        words.append("exact-match")
    return " ".join(words)


def _other_match(match: OtherMatch) -> str:
    if match.flags & SubFlag.DEFAULT:
        return "default"
    if match.flags & SubFlag.NO_TAGS:
        return "untagged"
    words = [
        "dot1ad" if match.flags & SubFlag.DOT1AD else "dot1q",
        "any" if match.flags & SubFlag.OUTER_ANY else str(match.outer),
    ]
    if match.flags & SubFlag.TWO_TAGS:
        words += ["inner-dot1q", "any" if match.flags & SubFlag.INNER_ANY else str(match.inner)]
    if match.flags & SubFlag.EXACT_MATCH:
        words.append("exact-match")
    return " ".join(words)


def _sub_flags(encapsulation: Encapsulation | OtherMatch) -> int:
    if isinstance(encapsulation, OtherMatch):
        return encapsulation.flags
    flags = int(SubFlag.ONE_TAG if encapsulation.inner is None else SubFlag.TWO_TAGS)
    flags |= SubFlag.DOT1AD if encapsulation.is_dot1ad else 0
    flags |= SubFlag.EXACT_MATCH if encapsulation.is_exact else 0
    return flags
