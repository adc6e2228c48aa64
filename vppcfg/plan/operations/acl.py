"""Access lists, and which of them interfaces apply."""

from __future__ import annotations

from vppcfg.model.acl import AclBinding, AclRule
from vppcfg.record import record


@record
class CreateAcl:
    """acl_add_replace: make an access list; VPP picks its index."""

    acl: str
    rules: tuple[AclRule, ...]
    tag: str


@record
class ReplaceAcl:
    """acl_add_replace: give an access list other rules, at once and on all interfaces that apply it."""

    acl: str
    rules: tuple[AclRule, ...]
    tag: str
    index: int | None = None
    """VPP's own number for the list, which its CLI wants."""


@record
class DeleteAcl:
    """acl_del: remove an access list that no interface applies."""

    acl: str
    index: int | None = None
    """VPP's own number for the list, which its CLI wants."""


@record
class BindAcls:
    """acl_interface_set_acl_list: set all access lists that an interface applies, in order and at once."""

    interface: str
    binding: AclBinding
