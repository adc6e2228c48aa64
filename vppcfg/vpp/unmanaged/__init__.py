"""What others have on interfaces and in FIB tables of a VPP, read for those that a plan touches.

A module for each family of objects has its readers. What none accounts for is named by the features that it turned on.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from vppcfg.model.attachment import Attachment, in_order
from vppcfg.model.state import State
from vppcfg.model.vrf import FibTable
from vppcfg.vpp.answers import Answers
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages import interface
from vppcfg.vpp.unmanaged import (
    classified,
    cross_connects,
    features,
    filters,
    ipsec,
    load_balancing,
    mpls_routes,
    multicast_routes,
    nat,
    objects,
    qos,
    rate_limits,
    routes,
    services,
    standalone,
)
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope

READERS: Sequence[Reader] = (
    *ipsec.READERS,
    *routes.READERS,
    *multicast_routes.READERS,
    *mpls_routes.READERS,
    *cross_connects.READERS,
    *nat.READERS,
    *load_balancing.READERS,
    *services.READERS,
    *qos.READERS,
    *rate_limits.READERS,
    *filters.READERS,
    *classified.READERS,
)


def read_unmanaged(
    connection: Connection, holders: Collection[str], state: State, answers: Answers | None = None
) -> tuple[Attachment, ...]:
    """Return what others have on interfaces, FIB tables and bridge domains, by the names that `state` knows them by.

    Parts of VPP that are not loaded are not asked, nor what `answers` have from when the state was read. Raise
    DataplaneError.
    """
    if not holders:
        return ()
    scope = _wanted(connection, holders, state)
    found = list(objects.read(connection, scope))
    if not scope.holders <= state.bridges.keys():
        found += _read(connection, READERS, scope, answers or Answers())
        found += features.read(connection, scope, found)
    return in_order(each for each in found if each.needs(holders))


def read_standalone(connection: Connection, state: State) -> tuple[Attachment, ...]:
    """Return what others have that is on no interface, without a holder, in the order in which it is made.

    Raise DataplaneError.
    """
    scope = _wanted(connection, state.interfaces.keys(), state)
    readers = (*standalone.READERS, *load_balancing.STANDALONE)
    return (*standalone.unnamed_tables(scope), *_read(connection, readers, scope, Answers()))


def _wanted(connection: Connection, holders: Collection[str], state: State) -> ReadScope:
    names = {index: name for name, index in interface.read_names(connection).items()}
    tables = [FibTable(table_id=0), FibTable(table_id=0, is_ipv6=True), *state.vrfs.values()]
    return ReadScope(names=names, holders=frozenset(holders), tables=tuple(tables), state=state)


def _read(connection: Connection, known: Sequence[Reader], scope: ReadScope, answers: Answers) -> list[Attachment]:
    """Ask for everything in one round; parts of VPP that are not loaded are not asked."""
    readers = [each for each in known if all(map(connection.offers, each.messages))]
    requests = [request for each in readers for request in each.requests(connection, scope)]
    replies = answers.ask_others(connection, requests)
    return [found for each in readers for found in each.read(connection, replies, scope)]
