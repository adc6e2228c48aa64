"""Contract: DET44 keeps maps apart from interfaces, and an interface that it drops has the feature once more.

It is never disabled here: VPP ends where an interface was removed before (det44_plugin_disable goes through free
elements of a pool, and prints them by a function that reads).
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.contract.subject import PORTS, Subject
from vppcfg.kinds.det44 import EnableDet44
from vppcfg.model.det44 import Det44Side
from vppcfg.model.state import Facts
from vppcfg.plan.plan import make_plan
from vppcfg.vpp.live import connect

INSIDE, OUTSIDE = "det44-in2out", "det44-out2in"


def enable(vpp: Subject) -> int:
    return int(vpp.api.det44_plugin_enable_disable(inside_vrf=0, outside_vrf=0, enable=True).retval)


def side(vpp: Subject, index: int, *, inside: bool, add: bool = True) -> int:
    return int(vpp.api.det44_interface_add_del_feature(is_add=add, is_inside=inside, sw_if_index=index).retval)


def sides(vpp: Subject) -> dict[int, tuple[bool, bool]]:
    rows = vpp.api.det44_interface_dump()
    return {row.sw_if_index: (bool(row.is_inside), bool(row.is_outside)) for row in rows}


def change(vpp: Subject, inside: str, outside: str, *, add: bool = True) -> int:
    (in_addr, in_plen), (out_addr, out_plen) = (each.split("/") for each in (inside, outside))
    reply = vpp.api.det44_add_del_map(
        is_add=add, in_addr=in_addr, in_plen=int(in_plen), out_addr=out_addr, out_plen=int(out_plen)
    )
    return int(reply.retval)


def maps(vpp: Subject) -> dict[tuple[str, str], tuple[int, int, int]]:
    return {
        (f"{row.in_addr}/{row.in_plen}", f"{row.out_addr}/{row.out_plen}"): (
            row.sharing_ratio,
            row.ports_per_host,
            row.ses_num,
        )
        for row in vpp.api.det44_map_dump()
    }


def timeouts(vpp: Subject) -> tuple[int, ...]:
    reply = vpp.api.det44_get_timeouts()
    return reply.udp, reply.tcp_established, reply.tcp_transitory, reply.icmp


def nodes(vpp: Subject, name: str) -> list[str]:
    lines = vpp.cli(f"show interface features {name}")[1].splitlines()
    return [line.strip() for line in lines if "det44" in line or "ip4-sv-reass" in line]


def drop(vpp: Subject, index: int, node: str) -> int:
    reply = vpp.api.feature_enable_disable(sw_if_index=index, enable=False, arc_name="ip4-unicast", feature_name=node)
    return int(reply.retval)


@pytest.fixture
def sub(vpp: Subject, first: int) -> Iterator[int]:
    """Return a sub-interface, where DET44 is enabled."""
    assert enable(vpp) in (0, 1)
    yield vpp.sub(first, 100)
    for inside, outside in maps(vpp):
        change(vpp, inside, outside, add=False)
    for index, (is_inside, _) in sides(vpp).items():
        side(vpp, index, inside=is_inside, add=False)


def test_enabling_twice_is_answered_with_one(vpp: Subject, sub: int) -> None:
    assert enable(vpp) == 1


def test_a_map_is_added_once_and_by_its_networks(vpp: Subject, sub: int) -> None:
    assert change(vpp, "100.64.0.9/24", "203.0.113.7/30") == 0
    assert maps(vpp) == {("100.64.0.0/24", "203.0.113.4/30"): (64, 1008, 0)}
    assert change(vpp, "100.64.0.0/24", "203.0.113.4/30") == -81
    assert change(vpp, "100.64.0.0/25", "203.0.113.4/30") == 0, "VPP looks for equal maps, not for overlapping ones"
    assert change(vpp, "100.64.0.0/24", "203.0.113.8/30", add=False) == -6
    assert change(vpp, "100.64.0.0/24", "203.0.113.4/30", add=False) == 0
    assert list(maps(vpp)) == [("100.64.0.0/25", "203.0.113.4/30")]


def test_an_interface_is_on_one_side(vpp: Subject, sub: int) -> None:
    assert side(vpp, sub, inside=False) == 0
    assert sides(vpp) == {sub: (False, True)}
    assert side(vpp, sub, inside=False) == side(vpp, sub, inside=True) == -7
    assert side(vpp, sub, inside=False, add=False) == 0
    assert sides(vpp) == {}
    assert side(vpp, sub, inside=False, add=False) == -7
    assert side(vpp, 4321, inside=False) == -2


@pytest.mark.parametrize(("inside", "node"), [(True, INSIDE), (False, OUTSIDE)])
def test_what_is_removed_has_the_feature_twice(vpp: Subject, sub: int, inside: bool, node: str) -> None:
    name = f"{PORTS[0]}.100"
    assert side(vpp, sub, inside=inside) == 0
    assert nodes(vpp, name) == ["ip4-sv-reassembly-feature", node]
    assert side(vpp, sub, inside=inside, add=False) == 0
    assert nodes(vpp, name) == [node, node]
    assert drop(vpp, sub, node) == 0
    assert nodes(vpp, name) == [node]
    assert drop(vpp, sub, node) == drop(vpp, sub, node) == 0
    assert nodes(vpp, name) == []


def test_an_interface_that_goes_stays_in_the_list(vpp: Subject, first: int, sub: int) -> None:
    assert side(vpp, sub, inside=True) == 0
    assert int(vpp.api.delete_subif(sw_if_index=sub).retval) == 0
    assert list(sides(vpp)) == [sub]
    again = vpp.sub(first, 100)
    assert again == sub
    assert side(vpp, again, inside=True) == -7
    assert side(vpp, again, inside=True, add=False) == 0
    assert drop(vpp, again, INSIDE) == 0
    assert nodes(vpp, f"{PORTS[0]}.100") == []


def test_a_timeout_of_zero_is_left_as_it_is(vpp: Subject, sub: int) -> None:
    assert timeouts(vpp) == (300, 7440, 240, 60)
    vpp.api.det44_set_timeouts(udp=10, tcp_established=0, tcp_transitory=30, icmp=0)
    assert timeouts(vpp) == (10, 7440, 30, 60)
    vpp.api.det44_set_timeouts(udp=300, tcp_established=0, tcp_transitory=240, icmp=0)


def test_who_has_a_port_follows_from_the_map(vpp: Subject, sub: int) -> None:
    assert change(vpp, "100.64.0.0/24", "203.0.113.4/30") == 0
    there = vpp.api.det44_forward(in_addr="100.64.0.70")
    assert (str(there.out_addr), there.out_port_lo, there.out_port_hi) == ("203.0.113.5", 1024 + 6 * 1008, 8079)
    assert str(vpp.api.det44_reverse(out_addr="203.0.113.5", out_port=8079).in_addr) == "100.64.0.70"
    assert str(vpp.api.det44_reverse(out_addr="203.0.113.5", out_port=8080).in_addr) == "100.64.0.71"
    assert vpp.api.det44_forward(in_addr="100.64.1.0").retval == -6
    assert vpp.api.det44_reverse(out_addr="203.0.113.8", out_port=8079).retval == -6


def test_ports_that_nobody_has_are_said_to_be_somebodys(vpp: Subject, sub: int) -> None:
    assert change(vpp, "100.64.0.0/24", "203.0.113.4/32") == 0
    assert str(vpp.api.det44_reverse(out_addr="203.0.113.4", out_port=1023).in_addr) == "100.64.0.0"
    assert str(vpp.api.det44_reverse(out_addr="203.0.113.4", out_port=700).in_addr) == "100.63.255.255"
    assert list(maps(vpp).values()) == [(256, 252, 0)]
    assert change(vpp, "100.64.1.0/27", "203.0.113.6/31") == 0
    assert maps(vpp)["100.64.1.0/27", "203.0.113.6/31"] == (16, 4032, 0)


def test_commands_do_what_messages_do(vpp: Subject, sub: int) -> None:
    name = f"{PORTS[0]}.100"
    for line in (
        "det44 add in 100.64.0.0/24 out 203.0.113.4/30",
        f"set interface det44 inside {name}",
        "set det44 timeouts udp 120 tcp established 7500 tcp transitory 250 icmp 90",
    ):
        assert vpp.cli(line)[0] == 0, line
    assert list(maps(vpp)) == [("100.64.0.0/24", "203.0.113.4/30")]
    assert (sides(vpp), timeouts(vpp)) == ({sub: (True, False)}, (120, 7500, 250, 90))
    assert vpp.cli("show det44 interfaces")[1] == f"DET44 interfaces:\n {name} in\n"
    for line in (
        "det44 plugin enable",
        "det44 add in 100.64.0.0/24 out 203.0.113.4/30",
        f"set interface det44 outside {name}",
        "set det44 timeouts upd 9",
        "det44 add",
    ):
        assert vpp.cli(line)[0] != 0, line
    assert vpp.cli(f"set interface det44 inside {name} del")[0] == 0
    for _ in range(2):
        assert vpp.cli(f"set interface feature {name} {INSIDE} arc ip4-unicast disable")[0] == 0
    assert vpp.cli("set det44 timeouts reset")[0] == 0
    assert vpp.cli("det44 add in 100.64.0.0/24 out 203.0.113.4/30 del")[0] == 0
    assert (maps(vpp), sides(vpp), timeouts(vpp), nodes(vpp, name)) == ({}, {}, (300, 7440, 240, 60), [])


def test_that_it_was_enabled_is_told_by_its_process_and_typing_it_again_is_refused(vpp: Subject) -> None:
    assert enable(vpp) in (0, 1)
    assert vpp.api.get_node_index(node_name="det44-expire-walk").retval == 0
    assert vpp.api.get_node_index(node_name="no-such-node").retval == -63
    retval, text = vpp.cli("det44 plugin enable")
    assert retval and "plugin enable failed" in text


def test_a_plan_types_it_only_where_it_was_never_enabled(vpp: Subject) -> None:
    with connect(vpp.client.server_address, json_dir=str(vpp.client.apidir)) as plane:
        assert enable(vpp) in (0, 1)
        observed = plane.observe()
    assert observed.facts.has_had_det44
    before = replace(observed, interfaces={PORTS[0]: observed.interfaces[PORTS[0]]}, facts=Facts())
    inside = replace(before.interfaces[PORTS[0]], det44=Det44Side.INSIDE)
    after = replace(before, interfaces={PORTS[0]: inside})
    lines = [each.cli() for each in make_plan(before, after).operations if isinstance(each, EnableDet44)]
    assert lines == ["det44 plugin enable"]
    before = replace(before, facts=observed.facts)
    lines = [each.cli() for each in make_plan(before, after).operations if isinstance(each, EnableDet44)]
    assert lines == ["comment { det44 plugin enable }"]
