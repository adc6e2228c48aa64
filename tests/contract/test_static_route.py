"""Contract: routes of the source of files, above and below those of others."""

from dataclasses import replace

from tests.contract.subject import PORTS, Subject
from tests.contract.test_route import change, path
from vppcfg.kinds.route import RemoveRoute, SetRoute
from vppcfg.model.route import NextHop, Route, RouteEnd, in_order
from vppcfg.model.state import State
from vppcfg.model.vpp_object import HiddenObject
from vppcfg.vpp.live import LiveDataplane, connect
from vppcfg.vpp.unixsocket import open_socket

HERE = Route(prefix="10.0.0.0/8", hops=(NextHop(gateway="192.0.2.2"),))
CONNECTED = Route(prefix="192.0.2.0/24", end=RouteEnd.BLACKHOLE)
BEFORE = State(objects={Route: {HERE.name: HERE}})
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
        assert plane.perform([SetRoute(item=HERE), SetRoute(item=CONNECTED)]).refusals == ()
        assert plane.observe().of(Route) == {each.name: each for each in (HERE, CONNECTED)}
    with plane_of(vpp) as plane:
        assert plane.observe().of(Route) == {}
        change(vpp, HERE.prefix, path("192.0.2.9"), src=better, add=False)
        assert plane.observe().of(Route) == {HERE.name: HERE}
        assert plane.perform([RemoveRoute(item=HERE), RemoveRoute(item=CONNECTED)]).refusals == ()
        assert plane.observe().of(Route) == {}


def test_what_lies_below_a_better_source_is_read_as_it_was_set(vpp: Subject) -> None:
    first, second = vpp.index(PORTS[0]), vpp.index(PORTS[1])
    vpp.api.sw_interface_set_flags(sw_if_index=first, flags=1)
    vpp.api.ip_table_add_del(is_add=True, table={"table_id": 10, "is_ip6": False, "name": "red"})
    better = vpp.api.fib_source_add(src={"priority": BETTER, "name": "better"}).id
    hops = [
        (NextHop(gateway="192.0.2.2"),),
        (NextHop(gateway="192.0.2.2", weight=3), NextHop(gateway="192.0.2.3", interface=PORTS[0], preference=1)),
        (NextHop(interface=PORTS[0]), NextHop(interface=PORTS[1])),
        (NextHop(gateway="192.0.2.5", interface=PORTS[1]),),
        (NextHop(gateway="2001:db8::1", interface=PORTS[0]),),
        (NextHop(table_id=10),),
        (NextHop(gateway="192.0.2.5", table_id=10),),
    ]
    routes = [Route(prefix=f"10.{at}.0.0/16", hops=in_order(iter(each))) for at, each in enumerate(hops)]
    if vpp.since("24.10"):
        routes += [Route(prefix=f"10.1{at}.0.0/16", end=end) for at, end in enumerate(RouteEnd)]
    if vpp.since("26.02"):
        routes += [Route(prefix=f"10.2{at}.0.0/16", table_id=10, end=end) for at, end in enumerate(RouteEnd)]
    routes += [Route(prefix="10.30.0.0/16", table_id=10, hops=(NextHop(gateway="192.0.2.7"),))]
    routes += [Route(prefix="2001:db8:1::/48", hops=(NextHop(gateway="2001:db8::1", interface=PORTS[0], weight=2),))]
    absent = Route(prefix="10.99.0.0/16", hops=(NextHop(gateway="192.0.2.2"),))
    for route in (*routes, absent):
        paths = (path("192.0.2.9"),) if not route.is_ipv6 else (path("2001:db8::9"),)
        assert change(vpp, route.prefix, *paths, table=route.table_id, src=better) == 0
    with plane_of(vpp) as plane:
        assert plane.hidden(routes) == [HiddenObject(item=each, by="better", found=None) for each in routes]
        assert plane.perform([SetRoute(item=route) for route in routes]).refusals == ()
    with plane_of(vpp) as plane:
        assert plane.observe().of(Route) == {}
        expected = [HiddenObject(item=each, by="better", found=each) for each in routes]
        assert plane.hidden([*routes, absent]) == [*expected, HiddenObject(item=absent, by="better", found=None)]
        others = [replace(each, hops=(NextHop(gateway="192.0.2.99"),)) for each in routes[:2]]
        assert [each.found for each in plane.hidden(others)] == routes[:2]
        assert plane.perform([RemoveRoute(item=route) for route in routes]).refusals == ()
        assert {each.found for each in plane.hidden(routes)} == {None}
    assert second


def test_a_worse_source_hides_nothing(vpp: Subject) -> None:
    assert change(vpp, HERE.prefix, path("192.0.2.9")) == 0
    with plane_of(vpp) as plane:
        assert plane.hidden([HERE]) == []
        assert plane.perform([SetRoute(item=HERE)]).refusals == ()
        assert plane.observe().hidden_by == {}


def test_what_was_set_before_is_seen_below_a_better_source(vpp: Subject) -> None:
    better = vpp.api.fib_source_add(src={"priority": BETTER, "name": "better"}).id
    with plane_of(vpp) as plane:
        assert plane.perform([SetRoute(item=HERE)]).refusals == ()
    assert change(vpp, HERE.prefix, path("192.0.2.9"), src=better) == 0
    sock = open_socket(vpp.client.transport.server_address, 10.0)
    with LiveDataplane.over(sock, json_dir=vpp.client.apidir, formerly=lambda: [BEFORE]) as plane:
        state = plane.observe()
        assert (state.of(Route), state.hidden_by) == ({HERE.name: HERE}, {HERE.name: "better"})


def test_the_source_is_made_once(vpp: Subject) -> None:
    for _ in range(2):
        with plane_of(vpp) as plane:
            plane.perform([SetRoute(item=HERE), RemoveRoute(item=HERE)])
    names = [row.src.name for row in vpp.api.fib_source_dump()]
    assert names.count("vppcfg") == 1
