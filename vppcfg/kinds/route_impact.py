"""The impact of a plan on the traffic to each prefix: where its packets go before and after it.

Next hops with their shares are found by the longest prefix, as VPP does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from vppcfg.common.prefix_table import PrefixTable
from vppcfg.engine.object_kind import TrafficImpact
from vppcfg.model.route import NextHop, Route
from vppcfg.model.state import State
from vppcfg.operations.change import Impact

_DEEPEST = 8
"""So many next hops are looked up by further routes, so that circles end. VPP has no limit, and drops packets on a
circle (fib_entry_recursive_loop_detect)."""


class Exit(NamedTuple):
    """Where packets leave, or end."""

    interface: str = ""
    gateway: str = ""
    """Without an interface its way is unknown here."""
    end: str = ""
    """What happens to packets that go nowhere."""


Shares = Mapping[Exit, Fraction]
"""The share of each exit; none when packets are dropped for want of a route."""


class Forwarded(NamedTuple):
    """Where packets go, and what they need for it."""

    exits: Shares
    needs: frozenset[str] = frozenset()
    """Routes and interfaces by their names."""


class ForwardingTables:
    """The forwarding tables of a state. Routes that a better source hides are left out."""

    def __init__(self, state: State, linked: Collection[str]) -> None:
        """Enter routes, and the networks of the interfaces that are `linked`."""
        self._linked = linked
        self._tables: dict[int, PrefixTable[Route | str]] = defaultdict(PrefixTable)
        self._known: dict[tuple[int, str], Forwarded] = {}
        for route in state.of(Route).values():
            if route.name not in state.hidden_by:
                self._tables[route.table_id][route.prefix] = route
        for name in linked:
            interface = state.interfaces[name]
            for address in {*interface.addresses, *(each.address for each in interface.live)}:
                self._tables[interface.tables[":" in address]][address] = name

    def of(self, prefix: str, table_id: int, depth: int = 0) -> Forwarded:
        """Return where packets to a prefix go, by the longest entry that covers all of it."""
        found = self._known.get((table_id, prefix))
        if found is None:
            covering = self._tables[table_id].longest(prefix)
            found = Forwarded({}) if covering is None else self._way(covering.value, depth)
            self._known[table_id, prefix] = found  # also what was cut off at _DEEPEST
        return found

    def _way(self, entry: Route | str, depth: int) -> Forwarded:
        if isinstance(entry, str):
            return Forwarded({Exit(interface=entry): Fraction(1)}, frozenset({entry}))
        needs = {entry.name, *(hop.interface for hop in entry.hops)}
        if entry.end is not None:
            return Forwarded({Exit(end=entry.end.value): Fraction(1)}, frozenset(needs))
        for _, group in groupby(entry.hops, key=lambda hop: hop.preference):  # `hops` are sorted by it
            ways = [(hop.weight, self._of_hop(hop, entry, depth)) for hop in group]
            needs.update(*(way.needs for _, way in ways))
            if any(way.exits for _, way in ways):
                return Forwarded(_joined([(weight, way.exits) for weight, way in ways if way.exits]), frozenset(needs))
        return Forwarded({}, frozenset(needs))

    def _of_hop(self, hop: NextHop, route: Route, depth: int) -> Forwarded:
        if hop.interface:
            # A host that is its own next hop is a neighbour, as on a connected network.
            gateway = "" if hop.gateway == route.prefix.partition("/")[0] else hop.gateway
            return Forwarded({Exit(hop.interface, gateway): Fraction(1)} if hop.interface in self._linked else {})
        if depth == _DEEPEST:
            return Forwarded({})
        table_id = route.table_id if hop.table_id is None else hop.table_id
        if not hop.gateway:
            return self.of(route.prefix, table_id, depth + 1)
        below = self.of(f"{hop.gateway}/{128 if ':' in hop.gateway else 32}", table_id, depth + 1)
        exits = {
            Exit(each.interface, each.gateway or hop.gateway, each.end): share for each, share in below.exits.items()
        }
        return Forwarded(exits or {Exit(gateway=hop.gateway): Fraction(1)}, below.needs)


def _joined(ways: Sequence[tuple[int, Shares]]) -> Shares:
    whole = sum(weight for weight, _ in ways)
    joined: dict[Exit, Fraction] = defaultdict(Fraction)
    for weight, exits in ways:
        for each, share in exits.items():
            joined[each] += share * weight / whole
    return dict(joined)


LOST, OTHER, SHARES, OPENED = "way", "other-way", "shares", "opened"
"""Keys of `Route.impact_verbs`."""
_LEVELS = {LOST: Impact.REMOVE, OTHER: Impact.FLAP, SHARES: Impact.DEGRADE, OPENED: Impact.POLICY}


def traffic_impacts(
    before: State, after: State, linked: tuple[Collection[str], Collection[str]]
) -> Iterator[TrafficImpact]:
    """Yield each prefix with a lasting impact; `linked` are the interfaces with link before and after the plan."""
    first, last = ForwardingTables(before, linked[0]), ForwardingTables(after, linked[1])
    for name, route in {**before.of(Route), **after.of(Route)}.items():
        if name in before.hidden_by or name in after.hidden_by:
            continue
        old, new = first.of(route.prefix, route.table_id), last.of(route.prefix, route.table_id)
        what = _impact_key(old.exits, new.exits)
        if what is not None:
            yield TrafficImpact(name, _LEVELS[what], what, old.needs | new.needs)


def _impact_key(before: Shares, after: Shares) -> str | None:
    used = {each for each in before if not each.end}
    # An exit whose interface is unknown counts as a way out only when it did so before.
    left = {each for each in after if not each.end and (each.interface or each in used)}
    if not used:
        return OPENED if left and before else None
    if not left:
        return LOST
    if used != left:
        return OTHER
    return SHARES if before != after else None
