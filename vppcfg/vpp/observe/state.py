"""The whole state of a VPP, read in two rounds: what there is, then what each interface carries."""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.model.state import Facts, State
from vppcfg.vpp.connection import Connection, Replies
from vppcfg.vpp.observe import address, interface, l2, lcp
from vppcfg.vpp.observe.interface import Row

_PLUGINS = {"linux_cp": "lcp_itf_pair_get", "acl": "acl_dump", "sflow": "sflow_enable_disable"}
"""Optional parts of VPP, and the message whose presence shows each."""


def observe(connection: Connection, version: str) -> State:
    """Return the state of the VPP behind `connection`. Raise DataplaneError when it stops answering."""
    replies = connection.ask(_first_round(connection))
    rows = interface.read(connection, replies)
    pairs = lcp.read_pairs(connection, replies)
    hosts = lcp.find_hosts(pairs, rows)
    kept = interface.without(rows, frozenset(hosts.values()))
    around = _second_round(connection, replies, rows, kept)
    return State(
        interfaces=interface.build(kept, around),
        lcps=lcp.build(pairs, around.names, hosts),
        facts=_facts(connection, replies, version),
    )


def _first_round(connection: Connection) -> list[bytes]:
    """Return the requests for what there is."""
    return [
        *interface.requests(connection),
        *l2.requests(connection),
        *address.table_requests(connection),
        *lcp.requests(connection),
    ]


def _second_round(
    connection: Connection, replies: Replies, rows: Sequence[Row], kept: Sequence[Row]
) -> interface.Surroundings:
    """Ask what each of the interfaces `kept` carries, and return it with what `replies` said before."""
    indexes = [row.sw_if_index for row in kept]
    has_tables = address.has_other_tables(connection, replies)
    tables = address.TableQuestions(connection, indexes if has_tables else [])
    details = connection.ask([*address.requests(connection, indexes), *tables.requests])
    return interface.Surroundings(
        names={row.sw_if_index: row.name for row in rows},
        addresses=address.read(connection, details),
        targets=l2.read_targets(connection, replies),
        bridges=l2.read_bridges(connection, replies),
        tables=tables.read(connection, details),
    )


def _facts(connection: Connection, replies: Replies, version: str) -> Facts:
    plugins = frozenset(name for name, message in _PLUGINS.items() if connection.offers(message))
    return Facts(version=version, plugins=plugins, lcp=lcp.read_settings(connection, replies))
