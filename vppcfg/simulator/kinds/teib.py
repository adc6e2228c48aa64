"""Simulates the neighbours behind multipoint tunnels (vnet/teib): they outlive the tunnel, and are those of the next.

VPP counts the neighbours of a family in all FIB tables together: it locks the table of the first, and unlocks that of
the last one to go. Where that is the default table, VPP 26.10 deletes it, which is not simulated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

from vppcfg.model.state import State
from vppcfg.model.tunnel_neighbor import TunnelNeighbor
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import fib
from vppcfg.simulator.retval import DiedError, RefusedError, Retval, refused_as, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.tunnels import Address, address_of, address_values
from vppcfg.simulator.wire import Outgoing, Values

_SOURCE = "adjacency"
"""FIB_SOURCE_ADJ."""


@dataclass(slots=True, kw_only=True)
class TeibMain:
    """The next hop and its table of each entry, by interface and peer, in the order in which they came."""

    entries: dict[tuple[int, Address], tuple[Address, int]] = field(default_factory=dict)
    counts: Counter[bool] = field(default_factory=Counter)
    """Of neighbours by whether they are IPv6, without link-local ones (td_n_entries)."""


def add(tables: Tables, sw_if_index: int, peer: Address, hop: Address, table_id: int) -> None:
    """Add an entry; raise RefusedError where there is one, or no such table."""
    if not fib.has_table(tables, hop.version == 6, table_id):
        raise RefusedError(Retval.NO_SUCH_FIB)
    entries = tables.part(TeibMain).entries
    if (sw_if_index, peer) in entries:
        raise RefusedError(Retval.ENTRY_ALREADY_EXISTS)
    entries[sw_if_index, peer] = hop, table_id
    _enter(tables, peer, fib.table_of(tables, peer.version == 6, sw_if_index))


def delete(tables: Tables, sw_if_index: int, peer: Address) -> None:
    """Delete an entry; raise RefusedError where there is none."""
    if tables.part(TeibMain).entries.pop((sw_if_index, peer), None) is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    _take_out(tables, peer, fib.table_of(tables, peer.version == 6, sw_if_index))


def _enter(tables: Tables, peer: Address, table_id: int) -> None:
    counts, is_ipv6 = tables.part(TeibMain).counts, peer.version == 6
    if not peer.is_link_local or not is_ipv6:
        counts[is_ipv6] += 1
        if counts[is_ipv6] == 1:
            fib.lock_for_lookup(tables, is_ipv6, table_id, _SOURCE)


def _take_out(tables: Tables, peer: Address, table_id: int) -> None:
    counts, is_ipv6 = tables.part(TeibMain).counts, peer.version == 6
    if not peer.is_link_local or not is_ipv6:
        counts[is_ipv6] -= 1
        if not counts[is_ipv6]:
            fib.unlock_for_lookup(tables, is_ipv6, table_id, _SOURCE)


def _table_changed(tables: Tables, sw_if_index: int, is_ipv6: bool, old: int, new: int) -> None:
    """Enter the neighbours of an interface into its new table."""
    for index, peer in tables.part(TeibMain).entries:
        if index == sw_if_index and (peer.version == 6) == is_ipv6:
            _take_out(tables, peer, old)
            _enter(tables, peer, new)


def _tunnel_gone(tables: Tables, sw_if_index: int) -> None:
    """Raise DiedError where neighbours of a tunnel that is being deleted are in a table other than the default one.

    VPP enters them into the default one while the interface goes (teib_walk_table_bind).
    """
    for index, peer in tables.part(TeibMain).entries:
        if index == sw_if_index and fib.table_of(tables, peer.version == 6, index):
            raise DiedError


def _answer(call: Call, values: Values) -> None:
    sw_if_index, peer = values["entry.sw_if_index"], address_of(values, "entry.peer")
    interfaces.require(call.tables, sw_if_index)
    if values["is_add"]:
        add(call.tables, sw_if_index, peer, address_of(values, "entry.nh"), values["entry.nh_table_id"])
    else:
        delete(call.tables, sw_if_index, peer)


def _dump(call: Call, _values: Values) -> Iterator[Outgoing]:
    for (sw_if_index, peer), (hop, table_id) in call.tables.part(TeibMain).entries.items():
        ends = {**address_values("entry.peer", peer), **address_values("entry.nh", hop)}
        yield call.details({"entry.sw_if_index": sw_if_index, "entry.nh_table_id": table_id, **ends})


def _create(tables: Tables, line: Input) -> None:
    """`create teib <interface> peer <addr> nh <addr> [nh-table-id <ID>]`."""
    needs = {"interface": "interface", "peer": "peer", "nh": "next-hop"}
    found = _options(tables, line, ("nh-table-id",), needs)
    with refused_as("TEIB error"):
        add(tables, found["interface"], found["peer"], found["nh"], found.get("nh-table-id", 0))


def _delete(tables: Tables, line: Input) -> None:
    """`delete teib <interface> peer <addr>`."""
    found = _options(tables, line, (), {"interface": "interface", "peer": "peer"})
    with refused_as("TEIB error"):
        delete(tables, found["interface"], found["peer"])


def _options(tables: Tables, rest: Input, numbers: Iterable[str], needs: Mapping[str, str]) -> dict[str, Any]:
    """Take an interface, numbers, and the addresses that VPP `needs`; raise RefusedError for one that is missing."""
    line, found = rest.line(), dict[str, Any]()
    numbers, addresses = {word: word for word in numbers}, {word: word for word in needs if word != "interface"}
    while not line.is_at_end:
        if (row := line.interface(tables)) is not None:
            found["interface"] = row.index
        elif not (line.take_field(numbers, line.number, found) or line.take_field(addresses, line.address, found)):
            raise line.unknown_word()
    for word, missing in needs.items():
        required(found.get(word), f"{missing} required'")
    return found


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for each in state.of(TunnelNeighbor).values():
        peer, hop = ip_address(each.peer), ip_address(each.next_hop)
        add(tables, rows[each.interface].index, peer, hop, each.next_hop_table)


KIND = Kind(
    changes={"teib_entry_add_del": _answer},
    queries={"teib_dump": _dump},
    commands={"create teib": _create, "delete teib": _delete},
    load=_load,
    table_changed=_table_changed,
    deleted=_tunnel_gone,
)
