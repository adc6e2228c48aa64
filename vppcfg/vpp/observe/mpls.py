"""MPLS: whether its default table exists, and the interfaces that take labelled packets."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from vppcfg.vpp.connection import Connection, Replies
from vppcfg.vpp.observe.shell import Shown

_ALL = 0xFFFFFFFF
_TABLES = "mpls_table_dump"
_INTERFACES = "mpls_interface_dump"
"""From 23.10."""
_SHOW = "show mpls interface"
_ENABLED = "  MPLS enabled"


def requests(connection: Connection) -> list[bytes]:
    """Return the requests for the tables and, where VPP takes it, for the interfaces."""
    asked = [connection.request(_TABLES)[1]] if connection.offers(_TABLES) else []
    if connection.offers(_INTERFACES):
        asked.append(connection.request(_INTERFACES, {"sw_if_index": _ALL})[1])
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
