"""Contract: routes of the source of files, above and below those of others."""

from __future__ import annotations

from tests.contract.subject import PORTS, Subject
from tests.contract.test_route import change, path
from vppcfg.model.route import NextHop, Route, RouteEnd
from vppcfg.plan.operations import RemoveRoute, SetRoute
from vppcfg.vpp.live import LiveDataplane, connect

HERE = Route(prefix="10.0.0.0/8", hops=(NextHop(gateway="192.0.2.2"),))
CONNECTED = Route(prefix="192.0.2.0/24", end=RouteEnd.BLACKHOLE)
BETTER = 0x10
"""The priority of linux-cp's routes."""


def plane_of(vpp: Subject) -> LiveDataplane:
    """Return a connection as vppcfg has it."""
    return connect(vpp.client.transport.server_address, json_dir=vpp.client.apidir)


def test_a_route_below_a_better_source_is_there_and_comes_back_to_sight(vpp: Subject) -> None:
    index = vpp.index(PORTS[0])
    vpp.api.sw_interface_set_flags(sw_if_index=index, flags=1)
    vpp.api.sw_interface_add_del_address(sw_if_index=index, is_add=True, prefix="192.0.2.1/24")
    better = vpp.api.fib_source_add(src={"priority": BETTER, "name": "better"}).id
    assert change(vpp, HERE.prefix, path("192.0.2.9"), src=better) == 0
    with plane_of(vpp) as plane:
        assert plane.perform([SetRoute(thing=HERE), SetRoute(thing=CONNECTED)]).refusals == ()
        assert plane.observe().of(Route) == {each.name: each for each in (HERE, CONNECTED)}
    with plane_of(vpp) as plane:
        assert plane.observe().of(Route) == {}
        change(vpp, HERE.prefix, path("192.0.2.9"), src=better, add=False)
        assert plane.observe().of(Route) == {HERE.name: HERE}
        assert plane.perform([RemoveRoute(thing=HERE), RemoveRoute(thing=CONNECTED)]).refusals == ()
        assert plane.observe().of(Route) == {}


def test_the_source_is_made_once(vpp: Subject) -> None:
    for _ in range(2):
        with plane_of(vpp) as plane:
            plane.perform([SetRoute(thing=HERE), RemoveRoute(thing=HERE)])
    names = [row.src.name for row in vpp.api.fib_source_dump()]
    assert names.count("vppcfg") == 1
