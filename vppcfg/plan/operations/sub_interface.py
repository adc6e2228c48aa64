"""Creation and deletion of sub-interfaces."""

from __future__ import annotations

from dataclasses import dataclass

from vppcfg.model.interface import Encapsulation, OtherMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateSubInterface:
    """create_subif: make `PARENT.ID`, born down, with its parent's packet MTU."""

    interface: str
    parent: str
    sub_id: int
    encapsulation: Encapsulation | OtherMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteSubInterface:
    """delete_subif: remove a sub-interface."""

    interface: str
