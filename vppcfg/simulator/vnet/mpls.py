"""MPLS tables and interfaces (vnet/mpls/interface.c, mpls_api.c)."""

from __future__ import annotations

from vppcfg.simulator.mains.mpls import MplsTable, Source
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables

_DEFAULT = 0
_COUNTER = 256
"""VPP counts in a byte how often an interface was enabled."""


def create_table(tables: Tables, table_id: int, source: Source, name: bytes) -> None:
    """Make a table, or keep one that is there alive; its name stays."""
    table = tables.mpls.tables.setdefault(table_id, MplsTable(name=name or f"MPLS-VRF:{table_id}".encode()))
    table.locks[source] = table.locks.get(source, 0) + 1


def delete_table(tables: Tables, table_id: int, source: Source) -> None:
    """Let a table go; it stays as long as anybody else keeps it."""
    table = tables.mpls.tables.get(table_id)
    if table is None or not table.locks.get(source):
        return
    table.locks[source] -= 1
    if not any(table.locks.values()):
        del tables.mpls.tables[table_id]


def set_enabled(tables: Tables, sw_if_index: int, is_on: bool) -> None:
    """Enable MPLS once more or once less; raise RefusedError without the default table.

    Disabling it where it is not enabled enables it: the counter has no sign.
    """
    if _DEFAULT not in tables.mpls.tables:
        raise RefusedError(Retval.NO_SUCH_FIB, "default MPLS table must be created first")
    enabled = tables.mpls.enabled
    enabled[sw_if_index] = (enabled.get(sw_if_index, 0) + (1 if is_on else -1)) % _COUNTER
    if is_on and enabled[sw_if_index] == 1:
        create_table(tables, _DEFAULT, Source.INTERFACE, b"")
        _tell_host(tables, sw_if_index, is_on)
    elif not is_on and enabled[sw_if_index] == 0:
        delete_table(tables, _DEFAULT, Source.INTERFACE)
        _tell_host(tables, sw_if_index, is_on)


def _tell_host(tables: Tables, sw_if_index: int, is_on: bool) -> None:
    """Have the host interface of an LCP pair follow (plugins/linux-cp/lcp_mpls_sync.c)."""
    index = tables.lcp.by_phy.get(sw_if_index)
    if index is not None and tables.release.is_in("23.10-"):
        set_enabled(tables, tables.lcp.pairs[index].host, is_on)


def pair_created(tables: Tables, phy_index: int) -> None:
    """Enable MPLS on the host interface of a new LCP pair when the other side has it."""
    if is_enabled(tables, phy_index):
        _tell_host(tables, phy_index, True)


def is_enabled(tables: Tables, sw_if_index: int) -> bool:
    """Return whether an interface takes labelled packets."""
    return bool(tables.mpls.enabled.get(sw_if_index))
