"""Routes that a daemon has put into Linux and VPP lacks, as far as a VPP at work may be asked."""

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any

import pytest

from vppcfg.app.daemon_routes import MissingRoutes, await_routes, missing_routes
from vppcfg.common.clock import SimulatedClock
from vppcfg.errors import DataplaneError
from vppcfg.model.forwarding import RouteEntry, RoutePlace, VppForwarding, VppPair, prefix_text
from vppcfg.routing_daemons.daemon import DaemonRoute

PAIR = VppPair(interface="eth0", host_name="e0", netns="", device_index=5, side=None)
FACTS = VppForwarding(pairs=(PAIR,), has_linux_cp=True, has_linux_nl=True)
ROUTES = [
    *(DaemonRoute(prefix=prefix, table_id=0, devices=frozenset({"e0"})) for prefix in ("10.1.0.0/16", "2001:db8::/32")),
    DaemonRoute(prefix="10.2.0.0/16", table_id=0, devices=frozenset({"docker0"})),
]
DAEMON: Any = SimpleNamespace(routes=lambda: ROUTES)


class Vpp(AbstractContextManager["Vpp"]):
    """One that has some prefixes, one more at each look."""

    def __init__(self, *there: str, facts: VppForwarding | DataplaneError = FACTS) -> None:
        self._there, self._facts = there, facts
        self.looks = 0

    def __exit__(self, *error: object) -> None:
        """Close nothing."""

    def read_forwarding(self, *, is_all: bool) -> VppForwarding:
        assert not is_all, "that takes VPP long"
        self.looks += 1
        if isinstance(self._facts, DataplaneError):
            raise self._facts
        return self._facts

    def find_routes(
        self, places: Collection[RoutePlace], around: VppForwarding, rest: Callable[[float], bool]
    ) -> Iterator[tuple[RoutePlace, RouteEntry | None]]:
        there = self._there[: self.looks]
        copied = RouteEntry(hops=(), source="lcp-rt")
        return ((place, copied if prefix_text(place[1]) in there else None) for place in places)


def target_of(vpp: Vpp) -> Any:
    return SimpleNamespace(connect_apart=lambda: (vpp, None))


def test_only_routes_by_pairs_are_looked_for_until_they_are_there() -> None:
    vpp, clock = Vpp("10.1.0.0/16", "2001:db8::/32"), SimulatedClock()
    before = MissingRoutes(prefixes=("10.1.0.0/16",))
    assert missing_routes(DAEMON, target_of(Vpp()), clock).prefixes == ("10.1.0.0/16", "2001:db8::/32")
    assert await_routes(DAEMON, target_of(vpp), 5.0, before, clock=clock) == MissingRoutes()
    assert (vpp.looks, clock.now()) == (2, 1.0)
    assert await_routes(DAEMON, target_of(Vpp()), 5.0, before, clock=clock).prefixes == ("2001:db8::/32",)
    assert clock.now() == 6.0


@pytest.mark.parametrize(
    ("facts", "unknown"),
    [
        (VppForwarding(pairs=(PAIR,), has_linux_cp=True), "VPP runs without linux-nl, and gets no routes from Linux"),
        (DataplaneError("VPP is gone"), "VPP is gone"),
    ],
)
def test_what_cannot_be_known_is_not_waited_for(facts: VppForwarding | DataplaneError, unknown: str) -> None:
    vpp, clock = Vpp(facts=facts), SimulatedClock()
    assert await_routes(DAEMON, target_of(vpp), 5.0, MissingRoutes(), clock=clock).unknown == unknown
    assert (vpp.looks, clock.now()) == (1, 0.0)
