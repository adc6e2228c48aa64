"""Next hops as paths of VPP's messages: of routes, and of whatever else sends packets on (vnet/fib/fib_types.api)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.model.route import NextHop
from vppcfg.operations.request import NO_INDEX, Indexes, Value
from vppcfg.wire.codec import family_and_bytes, text_of_address

NORMAL = 0
"""fib_path_type of a path that sends packets on, unlike one that drops or answers them."""
PATH = ("type", "sw_if_index", "table_id", "weight", "preference", "proto", "nh.address")
"""The values of a path that a next hop stands for."""


def path_of(hop: NextHop, indexes: Indexes, table_id: int, *, is_ipv6: bool) -> dict[str, Value]:
    """Return the values of a path by their names, for packets of a family in a FIB table.

    A next hop without an interface names the table of a look-up: its own one where it looks the destination up again,
    else `table_id`, in which VPP looks its gateway up.
    """
    proto, raw = family_and_bytes(hop.gateway) if hop.gateway else (int(is_ipv6), b"")
    return {
        "type": NORMAL,
        "sw_if_index": indexes.interface(hop.interface) if hop.interface else NO_INDEX,
        "table_id": hop.table_id if hop.table_id is not None else 0 if hop.interface else table_id,
        "weight": hop.weight,
        "preference": hop.preference,
        "proto": proto,
        "nh.address": raw.ljust(16, b"\0"),
    }


def hop_at(path: Mapping[str, Any], table_id: int, names: Mapping[int, str]) -> NextHop:
    """Return the next hop that the values of a path stand for; `names` are the interfaces by index.

    A path without an interface and a gateway looks the destination up in the table that it names. One with a gateway
    looks that up, as a rule in `table_id`, the table of the route; only another table is part of the next hop.
    """
    gateway = text_of_address(path["proto"], path["nh.address"]) if any(path["nh.address"]) else ""
    interface = names.get(path["sw_if_index"], "")
    looks_up = not interface and (not gateway or path["table_id"] != table_id)
    return NextHop(
        gateway=gateway,
        interface=interface,
        table_id=path["table_id"] if looks_up else None,
        weight=path["weight"],
        preference=path["preference"],
    )
