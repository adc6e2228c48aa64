"""Routes that a routing daemon has put into Linux and VPP lacks, after a change, within a deadline."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterable
from heapq import nsmallest
from zlib import crc32

from vppcfg.app.target import Target
from vppcfg.app.verifying import MOST_LOOKED_UP, Pace
from vppcfg.common.clock import Clock, SystemClock
from vppcfg.errors import DataplaneError
from vppcfg.model.forwarding import RoutePlace, TableId, VppForwarding, prefix_key
from vppcfg.record import record
from vppcfg.routing_daemons.daemon import DaemonRoute, RoutingDaemon
from vppcfg.verify.routes import FALLBACKS
from vppcfg.vpp.live import LiveDataplane

log = logging.getLogger("root.main")

_PAUSE_S = 1.0
_CLOCK = SystemClock()
_SHARE = 0.05
_MOST_S = 0.5
"""So long VPP may answer in all at one look; what it was not asked for then is taken for there."""
_NAMED = 5


@record
class MissingRoutes:
    """What VPP lacks of a daemon's routes."""

    prefixes: tuple[str, ...] = ()
    unknown: str = ""
    """Why that is not known; '' when it is."""

    @property
    def text(self) -> str:
        """Return how many and which, in words."""
        more = f" and {len(self.prefixes) - _NAMED} more" if len(self.prefixes) > _NAMED else ""
        count = f"{len(self.prefixes)} route{'' if len(self.prefixes) == 1 else 's'}"
        return f"VPP lacks {count} that the daemon has: {', '.join(self.prefixes[:_NAMED])}{more}"


def await_routes(
    daemon: RoutingDaemon,
    target: Target,
    within_s: float,
    before: MissingRoutes,
    should_stop: Callable[[], bool] = lambda: False,
    clock: Clock = _CLOCK,
) -> MissingRoutes:
    """Return what VPP lacks when it lacks nothing more than `before`, or after `within_s`."""
    until_s = clock.now() + within_s
    while True:
        found = missing_routes(daemon, target, clock)
        left = tuple(prefix for prefix in found.prefixes if prefix not in before.prefixes)
        if found.unknown or not left or should_stop() or clock.now() + _PAUSE_S > until_s:
            return MissingRoutes(prefixes=left, unknown=found.unknown)
        clock.sleep(_PAUSE_S)


def missing_routes(daemon: RoutingDaemon, target: Target, clock: Clock = _CLOCK) -> MissingRoutes:
    """Return which routes of a daemon VPP lacks, of those that leave by LCP pairs.

    VPP stops its workers for each look-up: of more than 5,000 routes as many are looked up, the same ones each time.
    """
    routes = daemon.routes()
    if isinstance(routes, str):
        return MissingRoutes(unknown=routes)
    try:
        vpp, _ = target.connect_apart()
        with vpp:
            facts = vpp.read_forwarding(is_all=False)
            if not facts.has_linux_nl:
                return MissingRoutes(unknown="VPP runs without linux-nl, and gets no routes from Linux")
            return MissingRoutes(prefixes=_not_there(_some(_wanted(routes, facts)), vpp, facts, clock))
    except DataplaneError as error:
        return MissingRoutes(unknown=error.message)


def _wanted(routes: Iterable[DaemonRoute], facts: VppForwarding) -> dict[RoutePlace, str]:
    devices = {pair.host_name for pair in facts.pairs if pair.netns == facts.default_netns}
    wanted: dict[RoutePlace, str] = {}
    for route in routes:
        if route.devices & devices:
            key = _key_of(route.prefix)
            wanted[TableId(key[0] == 1, route.table_id), key] = route.prefix
    return wanted


def _some(wanted: dict[RoutePlace, str]) -> dict[RoutePlace, str]:
    if len(wanted) <= MOST_LOOKED_UP:
        return wanted
    chosen = nsmallest(MOST_LOOKED_UP, wanted, key=lambda place: crc32(place[1], place[0].number))
    return {place: wanted[place] for place in chosen}


def _not_there(
    wanted: dict[RoutePlace, str], vpp: LiveDataplane, facts: VppForwarding, clock: Clock
) -> tuple[str, ...]:
    answers = vpp.find_routes(wanted, facts, Pace(clock, share=_SHARE, most_s=_MOST_S).rest)
    return tuple(sorted(wanted[place] for place, way in answers if way is None or way.source in FALLBACKS))


def _key_of(prefix: str) -> bytes:
    address, _, length = prefix.partition("/")
    is_ipv6 = ":" in address
    return prefix_key(is_ipv6, socket.inet_pton(socket.AF_INET6 if is_ipv6 else socket.AF_INET, address), int(length))
