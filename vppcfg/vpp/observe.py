"""The whole state of a VPP, read in two rounds of questions: what there is, then what each of that carries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from vppcfg.kinds import address, dhcp_client, ra, vrf
from vppcfg.kinds.bond import reading as bond
from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.kinds.kind import Kind
from vppcfg.kinds.kind_list import KINDS, OBJECT_KINDS, TABLES, VIRTUAL_INTERFACES
from vppcfg.kinds.lcp import reading as lcp
from vppcfg.model.bond import Bond
from vppcfg.model.live import LiveAddress
from vppcfg.model.placement import Placements
from vppcfg.model.state import Facts, State
from vppcfg.model.vpp_object import Objects, Referent, by_name
from vppcfg.model.vrf import FibTable
from vppcfg.plan.request import Known
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages import interface, live
from vppcfg.vpp.reading import Replies
from vppcfg.vpp.row import Row
from vppcfg.vpp.sanity import check_rows, check_state
from vppcfg.vpp.shell import Commands, Shown

_PARTS = {part: message for kind in KINDS for part, message in kind.capabilities.items()}
"""Optional parts of VPP, and the message whose presence shows each; those that were no plugin once are always there."""


_OnInterfaces = Mapping[Kind, Mapping[str, Mapping[int, Any]]]
"""What kinds have read of interfaces, by attribute and index."""


class _Details(NamedTuple):
    """What the second round has, by the index of interfaces."""

    addresses: Mapping[int, tuple[str, ...]]
    live: Mapping[int, tuple[LiveAddress, ...]]
    bonds: Mapping[str, Bond]
    features: Mapping[str, Mapping[int, Any]]
    """By their attribute: what the second round asks of interfaces."""
    placements: Mapping[int, tuple[Placements, Placements]]
    stale_ra_mtus: Mapping[int, int]


def observe(connection: Connection, version: str) -> State:
    """Return the state of the VPP behind `connection`.

    Raise DataplaneError when it stops answering, or contradicts itself.
    """
    replies, shown = _first_round(connection)
    rows = interface.read(connection, replies)
    check_rows(rows)
    names = {row.sw_if_index: row.name for row in rows}
    pairs = lcp.read_pairs(connection, replies)
    hosts = lcp.find_hosts(pairs, rows)
    kept = interface.without(rows, frozenset(hosts.values()))
    details = _second_round(connection, replies, kept, names)
    known = Known(names, details.features["tables"], shown)
    on_interfaces = {kind: kind.read_on_interfaces(connection, replies, known) for kind in KINDS}
    around = _surroundings(connection, replies, known, on_interfaces, details)
    vrfs = vrf.read(connection, replies, known.tables.values())
    by_index = {row.sw_if_index: row for row in kept}
    state = State(
        interfaces=interface.build(kept, around),
        lcps=lcp.build(pairs, names, hosts),
        virtual={
            **details.bonds,
            **{
                name: virtual
                for section in VIRTUAL_INTERFACES
                for name, virtual in section.read(connection, replies, by_index).items()
            },
        },
        vrfs=vrfs,
        objects=_objects(connection, replies, names, vrfs.values(), {row.sw_if_index: row.name for row in kept}),
        **{
            attribute: value
            for kind in KINDS
            for attribute, value in kind.read_settings(connection, replies, vrfs, version).items()
        },
        facts=_facts(connection, replies, version, known, on_interfaces),
    )
    state = state.with_tables({kind.table: kind.read(connection, replies, known) for kind in TABLES})
    for object_kind in OBJECT_KINDS:
        state = object_kind.finish(state)
    check_state(state)
    return state


def _first_round(connection: Connection) -> tuple[Replies, Shown]:
    """Ask what there is."""
    lines = [line for kind in KINDS for line in kind.commands(connection)]
    commands = Commands(connection, lines)
    asked = [*interface.requests(connection), *(request for kind in KINDS for request in kind.requests(connection))]
    replies = connection.ask([*asked, *commands.requests])
    return replies, commands.read(connection, replies)


def _second_round(connection: Connection, replies: Replies, kept: Sequence[Row], names: Mapping[int, str]) -> _Details:
    """Ask what each of the interfaces `kept` carries, and what belongs to what `replies` had before."""
    indexes = [row.sw_if_index for row in kept]
    bonds = bond.read(connection, replies)
    members = bond.MemberQuestions(connection, bonds)
    features_asked = {
        attribute: questions
        for kind in KINDS
        for attribute, questions in kind.interface_questions(connection, replies, indexes).items()
    }
    ra_mtus = ra.read_mtus(connection, replies)
    commands = Commands(connection, [*bond.commands(bonds), *live.commands(connection, ra_mtus)])
    asked = address.requests(connection, indexes)
    workers = interface.read_workers(connection, replies)
    asked += [
        *dhcp_client.KIND.requests(connection),
        *live.requests(connection),
        *interface.tx_requests(connection, workers),
    ]
    asked += [request for questions in features_asked.values() for request in questions.requests]
    replied = connection.ask([*asked, *members.requests, *commands.requests])
    shown = commands.read(connection, replied)
    rounds = (replies, replied)
    addresses = live.without_leases(connection, rounds, address.read(connection, replied))
    return _Details(
        addresses=addresses,
        live=live.read(connection, rounds, shown, addresses, lambda: interface.macs_of(kept)),
        bonds=bond.build(bonds, members.read(connection, replied), shown, names),
        features={attribute: each.read(connection, replied) for attribute, each in features_asked.items()},
        placements=interface.read_placements(connection, replies, replied, workers),
        stale_ra_mtus=interface.stale_ra_mtus(kept, ra_mtus),
    )


def _objects(
    connection: Connection,
    replies: Replies,
    names: Mapping[int, str],
    vrfs: Iterable[FibTable],
    kept: Mapping[int, str],
) -> Objects:
    """Return routes and the like; a kind of which VPP has none asks nothing more.

    What refers to a host side of an LCP pair, which is not `kept`, is linux-cp's own.
    """
    there = frozenset(kept.values())
    tables = [FibTable(table_id=0), FibTable(table_id=0, is_ipv6=True), *vrfs]
    found = {
        kind.object_class: by_name(
            each
            for each in kind.read(connection, replies, names if kind.sees_hosts else kept, tables)
            if all(one.name in there for one in each.references() if one.referent is Referent.INTERFACE)
        )
        for kind in OBJECT_KINDS
    }
    return {item: objects for item, objects in found.items() if objects}


def _surroundings(
    connection: Connection,
    replies: Replies,
    known: Known,
    on_interfaces: _OnInterfaces,
    details: _Details,
) -> interface.Surroundings:
    """Return what is on interfaces, from both rounds."""
    return interface.Surroundings(
        names=known.names,
        addresses=details.addresses,
        features=_features(connection, replies, known, on_interfaces, details),
        rx_modes=interface.read_rx_modes(connection, replies),
        placements=details.placements,
    )


def _features(
    connection: Connection, replies: Replies, known: Known, on_interfaces: _OnInterfaces, details: _Details
) -> dict[int, dict[str, Any]]:
    """Return the features of each interface that are on, by its index and their attributes."""
    found: dict[int, dict[str, Any]] = {}
    for index, each in details.live.items():
        found.setdefault(index, {})["live"] = each
    for index, mtu in details.stale_ra_mtus.items():
        found.setdefault(index, {})["ra_mtu"] = mtu
    replied = dict(details.features)
    for kind in FEATURE_KINDS:
        replied[kind.attribute] = replied.get(kind.attribute) or kind.read(connection, replies, known)
    for by_attribute in (replied, *on_interfaces.values()):
        for attribute, values in by_attribute.items():
            for index, value in values.items():
                found.setdefault(index, {})[attribute] = value
    return found


def _facts(connection: Connection, replies: Replies, version: str, known: Known, on_interfaces: _OnInterfaces) -> Facts:
    plugins = {name for name, message in _PARTS.items() if connection.offers(message)}
    plugins |= {part for kind in KINDS for part in kind.parts_present(connection, known.shown)}
    return Facts(
        version=version,
        plugins=frozenset(plugins),
        may_hide=any(kind.is_in_use(connection, replies) for kind in OBJECT_KINDS),
        workers=interface.read_workers(connection, replies),
        **{
            attribute: value
            for kind in KINDS
            for attribute, value in kind.read_facts(connection, replies, known, on_interfaces[kind]).items()
        },
    )
