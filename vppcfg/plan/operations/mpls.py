"""MPLS."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateMplsTable:
    """mpls_table_add_del: make the default MPLS table, without which no interface can have MPLS."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMpls:
    """sw_interface_set_mpls_enable: let an interface take labelled packets, or no longer."""

    interface: str
    is_on: bool
