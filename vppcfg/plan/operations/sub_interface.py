"""Creation and deletion of sub-interfaces."""

from __future__ import annotations

from vppcfg.model.interface import Encapsulation, OtherMatch
from vppcfg.record import record


@record
class CreateSubInterface:
    """create_subif: make `PARENT.ID`, born down, with its parent's packet MTU."""

    interface: str
    parent: str
    sub_id: int
    encapsulation: Encapsulation | OtherMatch


@record
class DeleteSubInterface:
    """delete_subif: remove a sub-interface."""

    interface: str
