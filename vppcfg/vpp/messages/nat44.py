"""What follows the addresses of interfaces: pools of NAT44 that an interface gives its address to.

VPP takes the first address of the interface into the pool, passes over others while that is there, and takes it out
with it (nat44_ed_add_del_interface_address_cb in plugins/nat/nat44-ed/nat44_ed.c, from 23.06 to 26.10). So the pool
follows a new address that comes after the old one has gone, and is empty where it came before. NAT44-EI, NAT64 and cnat
take every address, and need no such care.
"""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies

_DUMP, _DETAILS = "nat44_interface_addr_dump", "nat44_interface_addr_details"


def requests(connection: Connection) -> list[bytes]:
    """Return the request for the interfaces that pools follow, where VPP takes it."""
    return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []


def read_followed(connection: Connection, replies: Replies, names: Mapping[int, str]) -> frozenset[str]:
    """Return the names of the interfaces whose addresses are followed, of those that there are."""
    if not connection.offers(_DUMP):
        return frozenset()
    return frozenset(names[index] for (index,) in connection.rows(replies, _DETAILS, "sw_if_index") if index in names)
