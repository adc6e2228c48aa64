"""What of NAT44 follows the addresses of interfaces, and how many sessions it has.

Pools, mappings and exemptions can be by interface.

VPP takes the first address of the interface into the pool, passes over others while that is there, and takes it out
with it (nat44_ed_add_del_interface_address_cb in plugins/nat/nat44-ed/nat44_ed.c, from 23.06 to 26.10). So the pool
follows a new address that comes after the old one has gone, and is empty where it came before. NAT44-EI, NAT64 and cnat
take every address, and need no such care.
"""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies

_USERS = "nat44_user_dump"
_DUMPS = (
    ("nat44_interface_addr_dump", "nat44_interface_addr_details", "sw_if_index"),
    ("nat44_static_mapping_dump", "nat44_static_mapping_details", "external_sw_if_index"),
    ("nat44_identity_mapping_dump", "nat44_identity_mapping_details", "sw_if_index"),
)
"""Pools, mappings and exemptions by interface: each follows an address as pools do."""


def read_followed(connection: Connection, replies: Replies, names: Mapping[int, str]) -> frozenset[str]:
    """Return the names of the interfaces whose addresses are followed, of those that there are."""
    indexes = (
        index
        for dump, details, path in _DUMPS
        if connection.offers(dump)
        for (index,) in connection.rows(replies, details, path)
    )
    return frozenset(names[index] for index in indexes if index in names)


def count_sessions(connection: Connection) -> int:
    """Return how many sessions there are now, by what VPP has of each host inside."""
    if not connection.offers(_USERS):
        return 0
    replies = connection.ask([connection.request(_USERS)[1]])
    rows = connection.rows(replies, "nat44_user_details", "nsessions", "nstaticsessions")
    return sum(dynamic + static for dynamic, static in rows)
