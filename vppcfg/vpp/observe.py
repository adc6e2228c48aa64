"""The whole state of a VPP, read in two rounds of questions: what there is, then what each of that carries."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from vppcfg.engine.kind import Kind
from vppcfg.engine.object_kind import AnyObjectKind
from vppcfg.kinds import address, ra, vrf
from vppcfg.kinds.bond import reading as bond
from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.kinds.kind_list import KINDS, OBJECT_KINDS, TABLES, VIRTUAL_INTERFACES
from vppcfg.kinds.lcp import reading as lcp
from vppcfg.model.bond import Bond
from vppcfg.model.live import LiveAddress
from vppcfg.model.placement import Placements
from vppcfg.model.state import Facts, State
from vppcfg.model.vpp_object import Objects, Referent, VppObject, by_name
from vppcfg.model.vrf import FibTable
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Known
from vppcfg.vpp.answers import Answers
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages import interface, live
from vppcfg.vpp.sanity import check_rows, check_state
from vppcfg.wire.reading import Replies
from vppcfg.wire.row import Row, read_interfaces, request_interfaces
from vppcfg.wire.shell import Commands, Shown

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


def observe(connection: Connection, version: str, answers: Answers | None = None) -> State:
    """Return the state of the VPP behind `connection`; what `answers` has already is not asked again.

    Raise DataplaneError when VPP stops answering, or contradicts itself.
    """
    answers = Answers() if answers is None else answers
    listed = connection.ask(request_interfaces(connection))
    rows = read_interfaces(connection, listed)
    check_rows(rows)
    names = {row.sw_if_index: row.name for row in rows}
    connection.survey.meet(names)
    answers.meet(names)
    replies, shown = _first_round(connection, answers)
    replies = {**replies, **listed}
    pairs = lcp.read_pairs(connection, replies)
    hosts = lcp.find_hosts(pairs, rows)
    kept = interface.without(rows, frozenset(hosts.values()))
    replies |= _closer_look(connection, answers, replies, [row.sw_if_index for row in kept])
    details = _second_round(connection, replies, kept, names, answers)
    known = Known(names, details.features["tables"], shown)
    on_interfaces = {kind: kind.read_on_interfaces(connection, replies, known) for kind in KINDS}
    around = _surroundings(connection, replies, known, on_interfaces, details)
    vrfs = vrf.read(connection, replies, known.tables.values())
    by_index = {row.sw_if_index: row for row in kept}
    state = State(
        interfaces=interface.build(kept, around),
        lcps=lcp.build(pairs, rows, hosts),
        virtual={
            **details.bonds,
            **{
                name: virtual
                for section in VIRTUAL_INTERFACES
                for name, virtual in section.read(connection, replies, by_index).items()
            },
        },
        vrfs=vrfs,
        objects=_objects(connection, answers, replies, names, vrfs.values(), kept),
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


_SECOND = "second round"
"""The key of answers about leases, virtual routers and queues, which are asked once more."""


def details_read() -> Iterator[Hashable]:
    """Yield the keys of answers about what is read closely."""
    for kind in KINDS:
        if kind.is_read_closely:
            yield from (kind, (kind, "about"))


def changed_by(operations: Collection[Operation]) -> Iterator[Hashable]:
    """Yield the keys of answers about what operations change, and about what is read together with that."""
    yield _SECOND
    yield from details_read()
    classes = {type(each) for each in operations}
    yield from read_with([kind for kind in KINDS if not classes.isdisjoint(kind.operations)])


def read_with(keys: Collection[Hashable]) -> Iterator[Hashable]:
    """Yield the keys of answers about all kinds that are read together with those among `keys`."""
    families = {kind.family for kind in KINDS if kind in keys}
    for kind in KINDS:
        if kind.family in families:
            yield from (kind, (kind, "objects"))


def _first_round(connection: Connection, answers: Answers) -> tuple[Replies, Shown]:
    """Ask what there is."""
    asked: dict[Hashable, Callable[[], Sequence[bytes]]] = {"ports": partial(interface.port_requests, connection)}
    asked |= {kind: partial(kind.requests, connection) for kind in KINDS}
    shown = answers.show(connection, {kind: partial(kind.commands, connection) for kind in KINDS})
    return answers.ask(connection, asked), shown


def _closer_look(connection: Connection, answers: Answers, replies: Replies, indexes: Sequence[int]) -> Replies:
    """Ask what is read of all interfaces where they are few, and of those that are read closely where not."""
    examined = connection.survey.examined(indexes)
    about = None if examined is indexes else examined
    asked: dict[Hashable, Callable[[], Sequence[bytes]]] = {
        (kind, "about"): partial(kind.requests_about, connection, replies, about)
        for kind in KINDS
        if kind.is_read_closely
    }
    return answers.ask(connection, asked)


def _second_round(
    connection: Connection, replies: Replies, kept: Sequence[Row], names: Mapping[int, str], answers: Answers
) -> _Details:
    """Ask what each of the interfaces `kept` carries, and what belongs to what `replies` had before."""
    indexes = [row.sw_if_index for row in kept]
    bonds = bond.read(connection, replies)
    members = bond.MemberQuestions(connection, bonds)
    ra_mtus = ra.read_mtus(connection, replies)
    workers = interface.read_workers(connection, replies)
    commands = Commands(connection, [*bond.commands(bonds), *live.commands(connection, ra_mtus)])
    asked = [*live.requests(connection), *interface.tx_requests(connection, workers)]
    replied = connection.ask([*members.requests, *commands.requests])
    shown = commands.read(connection, replied)
    replied = {**replied, **answers.ask(connection, {_SECOND: lambda: asked})}
    rounds = (replies, replied)
    addresses = live.without_leases(connection, rounds, _addresses(connection, answers, indexes))
    return _Details(
        addresses=addresses,
        live=live.read(connection, rounds, shown, addresses, lambda: interface.macs_of(kept)),
        bonds=bond.build(bonds, members.read(connection, replied), shown, names),
        features=_asked_of_interfaces(connection, replies, answers, indexes),
        placements=interface.read_placements(connection, replies, replied, workers),
        stale_ra_mtus=interface.stale_ra_mtus(kept, ra_mtus),
    )


def _asked_of_interfaces(
    connection: Connection, replies: Replies, answers: Answers, indexes: Sequence[int]
) -> dict[str, dict[int, Any]]:
    """Return what kinds ask of interfaces one by one, by attribute and index."""
    found: dict[str, dict[int, Any]] = {"tables": {}}
    for kind in (each for each in KINDS if each.asks_interfaces):
        for index, values in answers.of_interfaces(
            kind, indexes, partial(_asked_by, kind, connection, replies)
        ).items():
            for attribute, value in values.items():
                found.setdefault(attribute, {})[index] = value
    return found


def _asked_by(
    kind: Kind, connection: Connection, replies: Replies, indexes: Sequence[int]
) -> dict[int, dict[str, Any]]:
    questions = kind.interface_questions(connection, replies, indexes)
    requests = [request for each in questions.values() for request in each.requests]
    replied = connection.ask(requests) if requests else {}
    found: dict[int, dict[str, Any]] = {}
    for attribute, each in questions.items():
        for index, value in each.read(connection, replied).items():
            found.setdefault(index, {})[attribute] = value
    return found


def _addresses(connection: Connection, answers: Answers, indexes: Sequence[int]) -> dict[int, tuple[str, ...]]:
    def find(new: Sequence[int]) -> dict[int, tuple[str, ...]]:
        return address.read(connection, connection.ask(address.requests(connection, new)))

    return answers.of_interfaces("addresses", indexes, find)


def _objects(
    connection: Connection,
    answers: Answers,
    replies: Replies,
    names: Mapping[int, str],
    vrfs: Iterable[FibTable],
    rows: Sequence[Row],
) -> Objects:
    """Return routes and the like; a kind of which VPP has none asks nothing more.

    What refers to a host side of an LCP pair, which is not among `rows`, is linux-cp's own.
    """
    kept = {row.sw_if_index: row.name for row in rows}
    there = frozenset(kept.values())
    tables = [FibTable(table_id=0), FibTable(table_id=0, is_ipv6=True), *vrfs]
    read = {
        kind: answers.find(
            (kind, "objects"),
            partial(_objects_of, kind, connection, replies, names if kind.sees_hosts else kept, tables),
        )
        for kind in OBJECT_KINDS
    }
    for what in (what for _, left_out in read.values() for what in left_out):
        connection.survey.leave_out(what)
    found = {
        kind.object_class: by_name(
            each
            for each in read[kind][0]
            if all(one.name in there for one in each.references() if one.referent is Referent.INTERFACE)
        )
        for kind in OBJECT_KINDS
    }
    return {item: objects for item, objects in found.items() if objects}


def _objects_of(
    kind: AnyObjectKind,
    connection: Connection,
    replies: Replies,
    names: Mapping[int, str],
    tables: Sequence[FibTable],
) -> tuple[tuple[VppObject, ...], tuple[str, ...]]:
    """Return what there is, and what was left out, which a second reading without a question leaves out as well."""
    before = frozenset(connection.survey.left_out)
    found = tuple(kind.read(connection, replies, names, tables))
    return found, tuple(each for each in connection.survey.left_out if each not in before)


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
