"""Labels of VRFs on a VPP with labels of others: whose they are, and what is asked of a large MPLS table."""

from collections.abc import Mapping
from typing import Any

import pytest

from tests.kinds.there_and_back import configuration_of
from tests.unit.vpp.test_large_router import connected
from vppcfg.config.resolve import Resolution, resolve
from vppcfg.model.state import State
from vppcfg.model.vpn_label import VpnLabel
from vppcfg.simulator.fib_entries import FibPath
from vppcfg.simulator.kinds.mpls import Label, change_route
from vppcfg.simulator.kinds.route import API
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.guard import about_replaced
from vppcfg.transaction.planning import plan_on
from vppcfg.vpp.live import LiveDataplane

MANY = "labels of VRFs that neither the journal nor the file names"


def file_of(red: Mapping[str, int] | None, blue: Mapping[str, int] | None = None) -> dict[str, Any]:
    keys = ({} if labels is None else {"label": labels} for labels in (red, blue))
    vrfs = {name: {"id": number, **key} for (name, number), key in zip((("red", 10), ("blue", 20)), keys, strict=True)}
    return {"interfaces": {"eth0": {"mpls": True}}, "vrfs": vrfs}


def resolved(data: Mapping[str, Any], observed: State, applied: State | None = None) -> Resolution:
    return resolve(configuration_of(dict(data)), observed, applied=lambda: applied)


def apply(plane: LiveDataplane, data: Mapping[str, Any]) -> State:
    """Carry out a file, which leaves nothing to do, and return what VPP has then."""
    found = resolved(data, plane.observe())
    assert plane.perform(plan_on(plane, found.observed, found.desired).operations).refusals == ()
    found = resolved(data, plane.observe())
    assert plan_on(plane, found.observed, found.desired).steps == ()
    return found.observed


def router(data: Mapping[str, Any]) -> SimulatedVpp:
    vpp = SimulatedVpp(ports=[PhysicalPort(name="eth0")])
    with connected(vpp) as plane:
        apply(plane, data)
    return vpp


def set_route(vpp: SimulatedVpp, label: int, *paths: FibPath) -> None:
    """Set a route of the API, as another program would."""
    key = Label(0, label, is_end=True)
    change_route(vpp.tables, key, API, list(paths), 0, is_add=True, is_multipath=False)


def hops(vpp: SimulatedVpp, first: int, count: int) -> None:
    for label in range(first, first + count):
        set_route(vpp, label, FibPath(sw_if_index=1, next_hop=bytes((192, 0, 2, 9)), labels=(label,)))


def labels_on(plane: LiveDataplane) -> set[tuple[int, int]]:
    return {(each.number, each.table_id) for each in plane.observe().of(VpnLabel).values()}


def test_only_routes_of_the_api_with_nothing_but_a_table_are_labels() -> None:
    vpp = router(file_of({"ipv4": 1000}))
    assert vpp.run_line("mpls local-label add eos 1001 via ip4-lookup-in-table 10") == (0, "")
    assert vpp.run_line("mpls local-label add non-eos 1002 via ip4-lookup-in-table 10") == (0, "")
    set_route(vpp, 1003, FibPath(table_id=10), FibPath(table_id=20))
    set_route(vpp, 1004, FibPath(table_id=10, weight=2))
    set_route(vpp, 1005, FibPath(table_id=0))
    set_route(vpp, 1006, FibPath(table_id=10, is_ipv6=True))
    set_route(vpp, 15, FibPath(table_id=10))
    hops(vpp, 1100, 2)
    with connected(vpp) as plane:
        assert labels_on(plane) == {(1000, 10)}


@pytest.mark.parametrize("is_known", [True, False])
def test_where_vpp_has_many_routes_known_labels_are_asked_for(is_known: bool) -> None:
    data = file_of({"ipv4": 1000, "ipv6": 1001}, {"ipv4": 1002})
    vpp = router(data)
    with connected(vpp) as plane:
        former = plane.observe()
    hop = FibPath(sw_if_index=1, next_hop=bytes(15) + b"\1", is_ipv6=True)
    vpp.tables.fib6.tables[0].routes |= {((0x2001 << 112) + n, 128): {API: (hop,)} for n in range(1_100)}
    with connected(vpp, *([former] if is_known else [])) as plane:
        assert labels_on(plane) == ({(1000, 10), (1001, 10), (1002, 20)} if is_known else set())
        assert MANY in plane.left_out
        found = resolved(data, plane.observe())
        assert plan_on(plane, found.observed, found.desired).steps == ()
        apply(plane, file_of({"ipv4": 1003}, {"ipv4": 1004}))


def test_a_route_of_another_program_is_not_replaced() -> None:
    vpp = router(file_of({"ipv4": 1000}))
    hops(vpp, 1001, 1)
    with connected(vpp) as plane:
        found = resolved(file_of({"ipv4": 1001}), plane.observe())
        plan = plan_on(plane, found.observed, found.desired)
        assert [each.text for each in about_replaced(plan)] == [
            "VPP has MPLS label 1001 of another program, which would lose it"
        ]


def test_a_label_is_not_taken_from_a_vrf_whose_labels_are_not_of_the_file() -> None:
    vpp = router(file_of({"ipv4": 1000}, {"ipv4": 1001}))
    with connected(vpp) as plane:
        observed = plane.observe()
    rules = [each.rule for each in resolved(file_of({"ipv4": 1001}), observed).problems]
    assert "vpn-label-taken" in rules
    assert "vpn-label-taken" not in [each.rule for each in resolved(file_of({"ipv4": 1001}, {}), observed).problems]


def test_labels_go_with_their_vrf_where_the_file_in_force_set_them() -> None:
    data = file_of({"ipv4": 1000}, {"ipv4": 1001})
    vpp = router(data)
    with connected(vpp) as plane:
        observed = plane.observe()
        applied = resolved(data, observed).desired
        without = {**data, "vrfs": {"red": {"id": 10}}}
        found = resolved(without, observed, applied)
        assert found.desired.owned == {("vpn_labels", "20")}
        plan = plan_on(plane, found.observed, found.desired)
        assert plane.perform(plan.operations).refusals == ()
        assert labels_on(plane) == {(1000, 10)}
        assert "ipv4-VRF:20" not in plane.observe().vrfs


def test_a_label_follows_the_number_of_its_vrf() -> None:
    data = file_of({"ipv4": 1000, "ipv6": 1001})
    vpp = router(data)
    with connected(vpp) as plane:
        observed = plane.observe()
        applied = resolved(data, observed).desired
        found = resolved({**data, "vrfs": {"red": {"id": 11, "label": {"ipv4": 1000}}}}, observed, applied)
        assert plane.perform(plan_on(plane, found.observed, found.desired).operations).refusals == ()
        assert labels_on(plane) == {(1000, 11)}
        assert "ipv4-VRF:10" not in plane.observe().vrfs
