"""How long VPP forwards nothing while it carries out one operation, by the size of its tables.

VPP stops all workers while it handles a message that is not marked thread safe (`vl_api_set_msg_thread_safe`,
vlibapi/api_shared.c); that takes some 50 microseconds, but for the operations that come here. Without workers its main
thread forwards, and stands still as well. Of the messages of a plan, only those of routes are thread safe, in all
releases from 23.06 to 26.10 (vnet/ip/ip_api.c).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache, cached_property

from vppcfg.model.interface import Interface
from vppcfg.model.state import State
from vppcfg.model.table_sizes import TableSizes
from vppcfg.record import record

LONG_MS = 1.0
"""What is shorter is not spoken of: a port loses packets after some 100 microseconds, and VPP itself takes those."""
_ROUTE_US = 0.8
"""Per route that leads through what goes or comes: all are told before (adj_nbr.c, fib_path_list.c in vnet/)."""
_ADDRESS_US = (0.3, 0.6)
"""Per interface with addresses in a table, of IPv4 and of IPv6, where an address of another comes, goes, or is used
again: VPP looks for overlaps (ip4_add_del_interface_address_internal in vnet/ip/ip4_forward.c), and finds out anew who
accepts multicast (vnet/mfib/mfib_entry.c)."""
_DELETION_US = 0.4
"""Per interface with addresses in the default tables, where another one is deleted (vnet/mfib)."""
_TERM_US, _REPLACED_TERM_US = 0.2, 1.0
"""Per term of an access list, on each interface that applies it or no longer does, and where it is replaced there
(plugins/acl/hash_lookup.c)."""
_FIRST_ACL_MS = 100.0
"""The first interface that applies access lists: VPP makes the tables of their connections for each worker
(acl_fa_verify_init_sessions in plugins/acl/acl.c)."""
_SESSION_US = 3.5
"""Per session of NAT44 that ends (nat44_ed_del_address in plugins/nat/nat44-ed/nat44_ed.c)."""
_CLEARED_SESSION_US = 1.5
"""The same, where all of them end."""
_LOOK_US = 0.02
"""Per session of NAT44 that is only looked at (nat_ed_static_mapping_del_sessions there)."""
_POSSIBLE_SESSION_US = 0.4
"""Per session that NAT44 is to have room for (nat44_ed_db_init there)."""
_HOST_US = 20.0
"""Per host inside of a DET44 map, which gets room for 1,000 sessions (det44_add_map in plugins/nat/det44/det44.c)."""
_TAP_MADE_MS, _TAP_CLOSED_MS = 2.5, 15.0
"""A device of Linux, of a TAP or an LCP pair: what Linux takes to make and to close it (plugins/tap/tap.c)."""
_ROUTES_OF_VPP = (7, 4)
"""Routes that each VRF has of VPP itself, and at most those of an address (vnet/fib, vnet/ip)."""


@record
class Pause:
    """How long VPP stands still for one operation: a time, and more for each of what a table has."""

    doing: str = ""
    """What takes the time, as in `while …`, with `{}` for its subjects; '' where it is too short to speak of."""
    ms: float = 0.0
    us_each: float = 0.0
    of: str = "routes"
    """Of which table: an attribute of TableSizes."""
    is_bound: bool = False
    """Whether it is that long at most: as many of the table are concerned as only VPP knows."""

    def milliseconds(self, sizes: TableSizes | None) -> float | None:
        """Return the whole time, None where it grows with a table of unknown size."""
        if not self.us_each:
            return self.ms
        return None if sizes is None else self.ms + self.us_each * getattr(sizes, self.of) / 1000


NO_PAUSE = Pause()


class PauseContext:
    """What an operation is carried out among: the states before and after the plan, and what follows from them."""

    def __init__(self, observed: State, desired: State) -> None:
        self.observed = observed
        self.desired = desired
        self._has_acls = any(each.acls for each in observed.interfaces.values())

    def is_first_with_acls(self) -> bool:
        """Return whether no interface has applied access lists so far; whoever asks does so then."""
        had_acls, self._has_acls = self._has_acls, True
        return not had_acls

    @cached_property
    def sizes(self) -> TableSizes | None:
        """Return the sizes of VPP's tables without the routes that VPP makes of addresses and static neighbours.

        None of these leads through an interface that others go by.
        """
        sizes, interfaces = self.observed.facts.sizes, self.observed.interfaces.values()
        if sizes is None:
            return None
        per_table, per_address = _ROUTES_OF_VPP
        own = per_table * (1 + len(self.observed.vrfs))
        own += sum(per_address * len(each.addresses) + len(each.neighbors) for each in interfaces)
        return replace(sizes, routes=max(0, sizes.routes - own))

    @cached_property
    def addressed(self) -> frozenset[str]:
        """Return the interfaces that have addresses, or one below has: routes may name them."""
        found = set()
        for each in self.observed.interfaces.values():
            if each.addresses or each.live or each.unnumbered or each.dhcp_client is not None:
                found |= {name for name in (each.name, each.parent) if name is not None}
        return frozenset(found)

    @cached_property
    def routed(self) -> frozenset[str]:
        """Return those that are up: routes may lead through them."""
        return frozenset(name for name in self.addressed if self.observed.interfaces[name].is_up)

    @cached_property
    def in_tables(self) -> Counter[tuple[bool, int]]:
        """Return how many interfaces have addresses in each table, by family and id, before or after the plan."""
        before, after = (_in_tables(state) for state in (self.observed, self.desired))
        return before | after

    @cached_property
    def state_ms(self) -> dict[str, float]:
        """Return how long it takes that the addresses of an interface are used, or no longer, by its name.

        With a port go and come its sub-interfaces.
        """
        found: dict[str, float] = {}
        for each in self.observed.interfaces.values():
            if each.addresses and each.is_up:
                own = sum(self.address_ms(each, is_ipv6=family) for family in _families(each))
                for name in (each.name, each.parent):
                    if name is not None:
                        found[name] = found.get(name, 0.0) + own
        return found

    def address_ms(self, interface: Interface, *, is_ipv6: bool) -> float:
        """Return how long it takes that an address of an interface is used, or no longer."""
        return self.in_tables[is_ipv6, interface.tables[is_ipv6]] * _ADDRESS_US[is_ipv6] / 1000

    @cached_property
    def bindings(self) -> Counter[str]:
        """Return on how many interfaces each access list is applied, twice where in both directions."""
        found = (each.acls for each in self.observed.interfaces.values())
        return Counter(name for each in found for name in (*each.input, *each.output))


def _in_tables(state: State) -> Counter[tuple[bool, int]]:
    return Counter((is_ipv6, each.tables[is_ipv6]) for each in state.interfaces.values() for is_ipv6 in _families(each))


def _families(interface: Interface) -> set[bool]:
    return {":" in address for address in interface.addresses}


def of_routes(doing: str, name: str, context: PauseContext) -> Pause:
    """Return how long it takes while routes through an interface find another way: they may be all there are."""
    if name not in context.routed:
        return NO_PAUSE
    return Pause(doing=doing, us_each=_ROUTE_US, of="routes", is_bound=True)


def of_awaited(doing: str, name: str, context: PauseContext) -> Pause:
    """Return how long it takes while routes to a neighbour begin to lead there: they may wait for it, all there are."""
    if name not in context.addressed:
        return NO_PAUSE
    return Pause(doing=doing, us_each=_ROUTE_US, of="routes", is_bound=True)


def of_state(name: str, context: PauseContext, *, is_up: bool) -> Pause:
    """Return how long it takes to bring an interface up or down, with its addresses and those below it."""
    ms = context.state_ms.get(name, 0.0)
    if is_up:
        return Pause(doing="it brings {} up", ms=ms) if ms > LONG_MS else NO_PAUSE
    return replace(of_routes("it takes {} down", name, context), doing="it takes {} down", ms=ms)


def of_address(name: str, context: PauseContext, *, is_ipv6: bool) -> Pause:
    """Return how long it takes when an interface gets or loses an address, by how many have some in its table."""
    state = context.desired if name in context.desired.interfaces else context.observed
    ms = context.address_ms(state.interfaces[name], is_ipv6=is_ipv6)
    return Pause(doing="it changes addresses of {}", ms=ms) if ms > LONG_MS else NO_PAUSE


def of_deletion(context: PauseContext, ms: float = 0.0) -> Pause:
    """Return how long it takes to delete an interface; `ms` is for what it has in Linux."""
    others = context.in_tables[False, 0] + context.in_tables[True, 0]
    return Pause(doing="it deletes {}", ms=ms + others * _DELETION_US / 1000)


def of_applied_terms(number: int, context: PauseContext) -> Pause:
    """Return how long it takes that an interface applies so many terms of access lists, or no longer does."""
    first = _FIRST_ACL_MS if context.is_first_with_acls() else 0.0
    return Pause(doing="it applies other access lists to {}", ms=first + number * _TERM_US / 1000)


def of_replaced_terms(number: int, places: int) -> Pause:
    """Return how long it takes to replace so many terms of an access list that so many interfaces apply."""
    return Pause(doing="it replaces the rules of {}", ms=number * places * _REPLACED_TERM_US / 1000)


def of_lost_sessions(doing: str) -> Pause:
    """Return how long it takes when sessions of NAT44 end: they may be all there are."""
    return Pause(doing=doing, us_each=_SESSION_US, of="nat44_sessions", is_bound=True)


def of_all_sessions(doing: str) -> Pause:
    """Return how long it takes when all sessions of NAT44 end."""
    return Pause(doing=doing, us_each=_CLEARED_SESSION_US, of="nat44_sessions")


def of_sessions_looked_at(doing: str) -> Pause:
    """Return how long it takes to look for the sessions of NAT44 that belong to something."""
    return Pause(doing=doing, us_each=_LOOK_US, of="nat44_sessions")


def of_possible_sessions(number: int) -> Pause:
    """Return how long it takes to enable NAT44 with room for so many sessions."""
    return Pause(doing="it enables NAT44", ms=number * _POSSIBLE_SESSION_US / 1000)


def of_hosts(number: int) -> Pause:
    """Return how long it takes to map so many hosts by DET44."""
    return Pause(doing="it maps {} by DET44", ms=number * _HOST_US / 1000)


@cache
def of_new_device(doing: str) -> Pause:
    """Return how long Linux takes to make a device."""
    return Pause(doing=doing, ms=_TAP_MADE_MS)


@cache
def of_closed_device(doing: str) -> Pause:
    """Return how long Linux takes to close a device."""
    return Pause(doing=doing, ms=_TAP_CLOSED_MS)


def of_deleted_tap(context: PauseContext) -> Pause:
    """Return how long it takes to delete a TAP."""
    return of_deletion(context, _TAP_CLOSED_MS)
