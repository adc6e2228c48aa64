"""MPLS."""

from __future__ import annotations

from vppcfg.record import record


@record
class CreateMplsTable:
    """mpls_table_add_del: make the default MPLS table, without which no interface can have MPLS."""


@record
class SetMpls:
    """sw_interface_set_mpls_enable: let an interface take labelled packets, or no longer."""

    interface: str
    is_on: bool
