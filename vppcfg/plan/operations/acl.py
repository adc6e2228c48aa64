"""Access lists, and which of them interfaces apply (plugins/acl/acl.c)."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.acl import Acl, AclBinding, AclRule
from vppcfg.plan.operation import InterfaceOperation, Operation
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record


@record
class AclOperation(Operation):
    """An operation on an access list."""

    acl: str

    @property
    def subject(self) -> str:
        """Return the name of the access list."""
        return self.acl


@record
class CreateAcl(AclOperation):
    """acl_add_replace: make an access list; VPP picks its index."""

    rules: tuple[AclRule, ...]
    tag: str

    def _refusal(self, draft: WorkingState) -> str | None:
        return f"the access list {self.acl} exists" if self.acl in draft.acls else None

    def apply_to(self, draft: WorkingState) -> None:
        """Enter the access list."""
        draft.acls[self.acl] = Acl(rules=self.rules, tag=self.tag)


@record
class ReplaceAcl(AclOperation):
    """acl_add_replace: give an access list other rules, at once and on all interfaces that apply it."""

    rules: tuple[AclRule, ...]
    tag: str
    index: int | None = None
    """VPP's own number for the list, which its CLI wants."""

    def _refusal(self, draft: WorkingState) -> str | None:
        return None if self.acl in draft.acls else f"there is no access list {self.acl}"

    def apply_to(self, draft: WorkingState) -> None:
        """Give the access list its new rules and tag."""
        draft.acls[self.acl] = replace(draft.acls[self.acl], rules=self.rules, tag=self.tag)


@record
class DeleteAcl(AclOperation):
    """acl_del: remove an access list that no interface applies."""

    index: int | None = None
    """VPP's own number for the list, which its CLI wants."""

    def _refusal(self, draft: WorkingState) -> str | None:
        users = sorted(draft.bound.to(self.acl) | draft.steered.to(self.acl))
        if users:
            return f"the access list {self.acl} is in use on {users[0]}"
        return None if self.acl in draft.acls else f"there is no access list {self.acl}"

    def apply_to(self, draft: WorkingState) -> None:
        """Take the access list out."""
        del draft.acls[self.acl]


@record
class BindAcls(InterfaceOperation):
    """acl_interface_set_acl_list: set all access lists that an interface applies, in order and at once."""

    binding: AclBinding

    def _refusal(self, draft: WorkingState) -> str | None:
        for name in (*self.binding.input, *self.binding.output):
            if name not in draft.acls:
                return f"there is no access list {name}"
        return None

    def apply_to(self, draft: WorkingState) -> None:
        """Set what the interface applies."""
        before = draft.interfaces[self.interface].acls
        draft.bound.drop(self.interface, {*before.input, *before.output})
        draft.bound.add(self.interface, {*self.binding.input, *self.binding.output})
        draft.change(self.interface, acls=self.binding)
