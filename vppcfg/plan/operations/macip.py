"""MACIP access lists, and the one that an interface applies (plugins/acl/acl.c)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vppcfg.model.acl import MacipAcl, MacipRule
from vppcfg.plan.draft import Draft
from vppcfg.plan.feature import SetFeature
from vppcfg.plan.operation import Operation
from vppcfg.record import record


@record
class MacipOperation(Operation):
    """An operation on a MACIP access list."""

    macip: str

    @property
    def subject(self) -> str:
        """Return the name of the list."""
        return self.macip


@record
class CreateMacip(MacipOperation):
    """macip_acl_add_replace: make a MACIP access list; VPP picks its index."""

    rules: tuple[MacipRule, ...]
    tag: str

    def _refusal(self, draft: Draft) -> str | None:
        return f"the MACIP access list {self.macip} exists" if self.macip in draft.macips else None

    def carry_out(self, draft: Draft) -> None:
        """Enter the list."""
        draft.macips[self.macip] = MacipAcl(rules=self.rules, tag=self.tag)


@record
class ReplaceMacip(MacipOperation):
    """macip_acl_add_replace: give a MACIP access list other rules, at once and on all interfaces that apply it."""

    rules: tuple[MacipRule, ...]
    tag: str

    def _refusal(self, draft: Draft) -> str | None:
        return None if self.macip in draft.macips else f"there is no MACIP access list {self.macip}"

    def carry_out(self, draft: Draft) -> None:
        """Give the list its new rules and tag."""
        draft.macips[self.macip] = replace(draft.macips[self.macip], rules=self.rules, tag=self.tag)


@record
class DeleteMacip(MacipOperation):
    """macip_acl_del: remove a MACIP access list that no interface applies.

    VPP would remove one in use as well, and without a word let everything pass where it was applied.
    """

    index: int | None = None
    """VPP's own number for the list, which its CLI wants."""

    def _refusal(self, draft: Draft) -> str | None:
        users = sorted(draft.bound_macips.to(self.macip))
        if users:
            return f"the MACIP access list {self.macip} is in use on {users[0]}"
        return None if self.macip in draft.macips else f"there is no MACIP access list {self.macip}"

    def carry_out(self, draft: Draft) -> None:
        """Take the list out."""
        del draft.macips[self.macip]


@record
class SetMacip(SetFeature):
    """macip_acl_interface_add_del: apply a MACIP access list to what comes in, in place of another one, or none."""

    attribute = "macip"
    macip: str | None
    """None applies none."""
    index: int | None = None
    """VPP's own number for the list, which its CLI wants; None for one that the same plan makes."""

    @property
    def undone(self) -> SetMacip:
        """Return the operation that applies none."""
        return SetMacip(interface=self.interface, macip=None)

    @property
    def looks_at_frames(self) -> bool:
        """Return True: in L2 mode, VPP asks the list by a bit that it forgets on the way (vnet/l2/l2_input.c)."""
        return True

    def applied(self, value: Any) -> str | None:
        """Return the list that is applied then."""
        return self.macip

    def _refusal(self, draft: Draft) -> str | None:
        if self.macip is None:
            is_bound = draft.interfaces[self.interface].macip is not None
            return None if is_bound else f"{self.interface} applies no MACIP access list"
        return None if self.macip in draft.macips else f"there is no MACIP access list {self.macip}"

    def carry_out(self, draft: Draft) -> None:
        """Set what the interface applies, and note who applies what."""
        before = draft.interfaces[self.interface].macip
        draft.bound_macips.drop(self.interface, [] if before is None else [before])
        draft.bound_macips.add(self.interface, [] if self.macip is None else [self.macip])
        SetFeature.carry_out(self, draft)
