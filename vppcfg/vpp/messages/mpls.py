"""MPLS: the default table, and the interfaces that take labelled packets."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from vppcfg.plan import operations as op
from vppcfg.plan.request import ALL_INDEXES, Indexes, Messages, Request, Vocabulary
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies
from vppcfg.vpp.shell import Shown

_TABLES = "mpls_table_dump"
_INTERFACES = "mpls_interface_dump"
"""From 23.10."""
_SHOW = "show mpls interface"
_ENABLED = "  MPLS enabled"


def _create_mpls_table(operation: op.CreateMplsTable, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("mpls_table_add_del", {"mt_is_add": 1, "mt_table.mt_table_id": 0})


def _set_mpls(operation: op.SetMpls, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {"sw_if_index": indexes.interface(operation.interface), "enable": int(operation.is_on)}
    return Request("sw_interface_set_mpls_enable", values)


MESSAGES: Messages = {
    op.CreateMplsTable: _create_mpls_table,
    op.SetMpls: _set_mpls,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the requests for the tables and, where VPP takes it, for the interfaces."""
    asked = [connection.request(_TABLES)[1]] if connection.offers(_TABLES) else []
    if connection.offers(_INTERFACES):
        asked.append(connection.request(_INTERFACES, {"sw_if_index": ALL_INDEXES})[1])
    return asked


def commands(connection: Connection) -> list[str]:
    """Return the command that shows the interfaces where no message does."""
    return [_SHOW] if connection.offers(_TABLES) and not connection.offers(_INTERFACES) else []


def has_table(connection: Connection, replies: Replies) -> bool:
    """Return whether the default table exists."""
    if not connection.offers(_TABLES):
        return False
    return (0,) in connection.rows(replies, "mpls_table_details", "mt_table.mt_table_id")


def read_interfaces(connection: Connection, replies: Replies, shown: Shown, names: Mapping[int, str]) -> frozenset[str]:
    """Return the names of the interfaces with MPLS."""
    if connection.offers(_INTERFACES):
        rows = connection.rows(replies, "mpls_interface_details", "sw_if_index")
        return frozenset(names[index] for (index,) in rows if index in names)
    lines = shown[_SHOW][1].splitlines() if _SHOW in shown else []
    return frozenset(name for name, line in pairwise(lines) if line == _ENABLED)
