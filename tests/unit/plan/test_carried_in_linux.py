"""What a plan does to what Linux has on the device of an LCP pair or a TAP: carried over, lost, or the file's own."""

import socket
from dataclasses import replace
from typing import Any

import pytest

from vppcfg.model.attachment import Attachment
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.iproute2 import name_of
from vppcfg.model.lcp import LcpPair, LcpSettings
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.linux_setting import LinuxHop, LinuxKind, LinuxSetting, encoded
from vppcfg.model.neighbor import Neighbor
from vppcfg.model.state import Facts, State
from vppcfg.model.tap import Tap
from vppcfg.operations.attachment import RestoreAttachment, RestoreInLinux
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import reverse_plan
from vppcfg.plan.unmanaged import (
    Survival,
    in_question,
    missing,
    touched,
    touched_in_linux,
    unmanaged_changes,
    with_unmanaged,
)
from vppcfg.render.plan_text import cli_line

MAC = "02:00:00:00:00:77"
UNICAST, MAIN, STATIC = 1, 254, 4


def found(holder: str, setting: LinuxSetting) -> Attachment:
    return Attachment(holder=holder, kind=f"{setting.kind.value} of Linux", name=name_of(setting), linux=setting)


def address(text: str, holder: str = "loop0", position: int = 0) -> Attachment:
    host, _, length = text.partition("/")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    raw = socket.inet_pton(family, host)
    values = {1: raw} if ":" in host else {1: raw, 2: raw}
    return found(
        holder,
        LinuxSetting(
            kind=LinuxKind.ADDRESS,
            device=f"@{holder}",
            family=int(family),
            fields=(int(length), 0, 0),
            attributes=encoded(values),
            position=position,
        ),
    )


def route(prefix: str, via: str, holder: str = "loop0", **attributes: Any) -> Attachment:
    host, _, length = prefix.partition("/")
    values = {1: socket.inet_aton(host), **({5: socket.inet_aton(via)} if via else {})}
    setting = LinuxSetting(
        kind=LinuxKind.ROUTE,
        device=f"@{holder}",
        family=2,
        fields=(int(length), 0, 0, MAIN, STATIC, 0, UNICAST, 0),
        attributes=encoded(values),
    )
    return found(holder, replace(setting, **attributes))


def neighbor(host: str) -> Attachment:
    attributes = encoded({1: socket.inet_aton(host), 2: bytes.fromhex(MAC.replace(":", ""))})
    setting = LinuxSetting(
        kind=LinuxKind.NEIGHBOR, device="@loop0", family=2, fields=(0x80, 0, 1), attributes=attributes
    )
    return found("loop0", setting)


def by_way_of(*devices: str, netns: str | None = None) -> Attachment:
    """Return a route with a next hop over each device."""
    hops = tuple(
        LinuxHop(device=device, attributes=encoded({5: socket.inet_aton(f"198.51.100.{place}")}))
        for place, device in enumerate(devices)
    )
    return route("10.9.0.0/16", "", device="", hops=hops, netns=netns)


ADDRESS, ROUTE, NEIGHBOR = address("192.0.2.9/24"), route("10.1.0.0/16", "192.0.2.1"), neighbor("192.0.2.77")
PORT = Interface(name="gi0", kind=InterfaceKind.PHYSICAL, link_mtu=1500, packet_mtu=1500, is_up=True)
LOOP = Interface(name="loop0", kind=InterfaceKind.LOOPBACK, packet_mtu=1500, is_up=True, mac="de:ad:00:00:00:00")
UP = LinuxDevice(mtu=1500, is_up=True)
STATE = State(
    interfaces={"gi0": PORT, "loop0": LOOP},
    lcps={"loop0": LcpPair(host_name="lo0"), "gi0": LcpPair(host_name="e0")},
    linux={"loop0": UP, "gi0": UP},
    facts=Facts(version="26.10", plugins=frozenset({"linux_cp"}), has_linux=True),
)


def renamed(state: State = STATE, name: str = "other", netns: str = "") -> State:
    return replace(state, lcps={**state.lcps, "loop0": LcpPair(host_name=name, netns=netns)})


def facts(state: State, *, is_sync: bool = False, plugins: tuple[str, ...] = ()) -> State:
    changed = replace(state.facts, plugins=state.facts.plugins | {*plugins}, lcp=LcpSettings(is_sync=is_sync))
    return replace(state, facts=changed)


def of_loop(state: State, **changes: Any) -> State:
    return replace(state, interfaces={**state.interfaces, "loop0": replace(state.interfaces["loop0"], **changes)})


def planned(observed: State, desired: State, *attachments: Attachment) -> Plan:
    plan = make_plan(observed, desired)
    assert touched(plan) | touched_in_linux(plan) == {"loop0"}
    return with_unmanaged(plan, attachments)


def outcome(plan: Plan) -> list[str]:
    return [str(change) for change in unmanaged_changes(plan)]


def restored(plan: Plan) -> list[Attachment]:
    return [each.attachment for each in plan.operations if isinstance(each, RestoreInLinux)]


def test_a_pair_that_is_renamed_takes_it_to_the_new_device_addresses_first() -> None:
    later = address("192.0.2.5/24", position=1)
    plan = planned(STATE, renamed(), ROUTE, NEIGHBOR, later, ADDRESS)
    assert [cli_line(each) for each in plan.operations if isinstance(each, RestoreAttachment)] == [
        "comment { ip addr add 192.0.2.9/24 dev other }",
        "comment { ip addr add 192.0.2.5/24 dev other }",
        f"comment {{ ip neigh replace 192.0.2.77 lladdr {MAC} dev other nud permanent }}",
        "comment { ip route append 10.1.0.0/16 proto 4 via 192.0.2.1 dev other }",
    ]
    assert outcome(plan) == [
        "loop0: 2 addresses of Linux, neighbour of Linux 192.0.2.77, route of Linux 10.1.0.0/16 via 192.0.2.1: "
        "carried over"
    ]


def test_what_vpp_has_on_an_interface_whose_pair_alone_is_made_anew_stays() -> None:
    of_vpp = Attachment(holder="loop0", kind="NAT44 inside")
    plan = planned(STATE, renamed(netns="blue"), of_vpp, ADDRESS)
    assert plan.reached.unmanaged == (of_vpp, ADDRESS)
    assert outcome(plan) == ["loop0: address of Linux 192.0.2.9/24: carried over"]


def test_without_its_pair_an_interface_loses_it_and_a_rollback_brings_it_back() -> None:
    desired = replace(STATE, lcps={"gi0": STATE.lcps["gi0"]}, linux={"gi0": UP})
    plan = planned(STATE, desired, ADDRESS, ROUTE)
    assert outcome(plan) == ["loop0: address of Linux 192.0.2.9/24, route of Linux 10.1.0.0/16 via 192.0.2.1: lost"]
    assert restored(plan) == []
    assert restored(reverse_plan(plan)) == [ADDRESS, ROUTE]


def test_a_sysctl_that_somebody_has_changed_since_stays_as_it_is() -> None:
    old, new = (
        found("loop0", LinuxSetting(kind=LinuxKind.SYSCTL, device="@loop0", family=2, sysctl=f"rp_filter={n}"))
        for n in (2, 1)
    )
    for now in (STATE, renamed(netns="blue")):
        plan = make_plan(replace(now, unmanaged=(new,)), replace(STATE, unmanaged=(old, new)))
        assert old not in restored(plan)
    assert missing(replace(STATE, unmanaged=(old,)), [new]) == ()


def test_a_sysctl_follows_to_the_next_device_and_nobody_misses_it_without_one() -> None:
    setting = found("loop0", LinuxSetting(kind=LinuxKind.SYSCTL, device="@loop0", family=10, sysctl="accept_ra=2"))
    plan = planned(STATE, renamed(netns="blue"), setting)
    assert [cli_line(each) for each in plan.operations if isinstance(each, RestoreAttachment)] == [
        "comment { ip netns exec blue sysctl -w net/ipv6/conf/other/accept_ra=2 }"
    ]
    assert outcome(plan) == ["loop0: sysctl of Linux net/ipv6/conf/*/accept_ra=2: carried over"]
    plan = planned(STATE, replace(STATE, lcps={"gi0": STATE.lcps["gi0"]}, linux={"gi0": UP}), setting)
    assert outcome(plan) == []
    assert restored(reverse_plan(plan)) == [setting]


def test_an_interface_that_goes_takes_the_addresses_of_the_file_along_unsaid() -> None:
    observed = of_loop(
        STATE, addresses=frozenset({"192.0.2.9/24"}), neighbors=(Neighbor(address="192.0.2.77", mac=MAC),)
    )
    gone = State(interfaces={"gi0": PORT}, lcps={"gi0": STATE.lcps["gi0"]}, linux={"gi0": UP}, facts=STATE.facts)
    plan = planned(observed, gone, ADDRESS, NEIGHBOR, address("198.51.100.9/24"))
    assert outcome(plan) == ["loop0: address of Linux 198.51.100.9/24: lost"]


def test_a_tap_that_is_made_anew_keeps_what_its_host_has() -> None:
    tap = Interface(name="tap0", kind=InterfaceKind.TAP, link_mtu=9000, packet_mtu=1500, is_up=True)
    observed = State(
        interfaces={"tap0": tap},
        virtual={"tap0": Tap(host_name="vm0")},
        linux={"tap0": replace(UP, mtu=1500)},
        facts=STATE.facts,
    )
    desired = replace(observed, virtual={"tap0": Tap(host_name="vm1")})
    plan = make_plan(observed, desired)
    assert touched(plan) == {"tap0"}
    mine = address("192.0.2.9/24", "tap0")
    assert restored(with_unmanaged(plan, [mine])) == [mine]


@pytest.mark.parametrize(
    ("each", "netns", "is_carried"),
    [
        (by_way_of("@loop0", "eth9", netns=""), "", True),
        (by_way_of("@loop0", "eth9", netns=""), "blue", False),
        (by_way_of("@loop0", "@gi0"), "", True),
        (by_way_of("@loop0", "@gi0"), "blue", False),
        (by_way_of("@loop0", "@gone"), "", False),
        (route("10.6.0.0/16", "192.0.2.1", is_exact=False), "", False),
    ],
)
def test_a_route_stays_with_the_other_devices_that_it_names(each: Attachment, netns: str, is_carried: bool) -> None:
    plan = planned(STATE, renamed(netns=netns), each)
    assert restored(plan) == ([each] if is_carried else [])
    assert outcome(plan)[0].endswith("carried over") is is_carried


def test_where_linux_nl_listens_addresses_follow_the_file_and_neighbours_are_linux() -> None:
    """It would copy addresses into VPP, which is then not as the file says; routes it keeps to itself."""
    listened = facts(STATE, plugins=("linux_nl",))
    plan = planned(listened, renamed(listened), ADDRESS, NEIGHBOR, route("10.2.0.0/16", "192.0.2.1"))
    assert restored(plan) == [NEIGHBOR]
    other = of_loop(renamed(listened), neighbors=(Neighbor(address="192.0.2.77", mac="02:00:00:00:00:78"),))
    assert restored(planned(listened, other, NEIGHBOR)) == []
    mine = of_loop(renamed(listened), addresses=frozenset({"192.0.2.9/24"}))
    assert restored(planned(listened, mine, ADDRESS, NEIGHBOR, ROUTE)) == [ADDRESS, NEIGHBOR, ROUTE]
    left_alone = of_loop(renamed(listened), unmanaged_addresses=("192.0.2.0/24",))
    assert restored(planned(listened, left_alone, ADDRESS)) == [ADDRESS]
    elsewhere = renamed(listened, netns="blue")
    assert restored(planned(listened, elsewhere, ADDRESS, NEIGHBOR, ROUTE)) == [ADDRESS, NEIGHBOR, ROUTE]


def test_a_route_does_not_outlive_the_address_that_its_gateway_is_reached_through() -> None:
    """With lcp-sync the address is VPP's, and is renumbered along with the new pair."""
    observed = of_loop(facts(STATE, is_sync=True), addresses=frozenset({"192.0.2.9/24"}))
    stays = renamed(observed)
    moves = of_loop(stays, addresses=frozenset({"198.51.100.9/24"}))
    assert restored(planned(observed, stays, ROUTE)) == [ROUTE]
    assert outcome(planned(observed, moves, ROUTE)) == ["loop0: route of Linux 10.1.0.0/16 via 192.0.2.1: lost"]
    onlink = route("10.2.0.0/16", "192.0.2.1", fields=(16, 0, 0, MAIN, STATIC, 0, UNICAST, 4))
    assert restored(planned(observed, moves, onlink)) == [onlink]


@pytest.mark.parametrize(
    ("desired", "is_dead"),
    [
        (renamed(), True),
        (renamed(name="lo0", netns="blue"), True),
        (replace(STATE, lcps={"gi0": STATE.lcps["gi0"]}), True),
        (of_loop(STATE, mac="02:00:00:00:00:99"), False),
        (replace(renamed(), lcps={"gi0": LcpPair(host_name="lo0"), "loop0": LcpPair(host_name="e0")}), False),
    ],
    ids=["another name", "another namespace", "no pair", "made anew", "the name of another"],
)
def test_a_rule_that_names_a_device_is_dead_when_none_is_called_so(desired: State, *, is_dead: bool) -> None:
    text = "100: from all iif lo0 lookup 77"
    rule = found("loop0", LinuxSetting(kind=LinuxKind.RULE, device="@loop0", rule=text, is_exact=False))
    plan = with_unmanaged(make_plan(STATE, desired), [rule])
    reason = "left behind without effect, because no device is called lo0 then"
    assert outcome(plan) == ([f"loop0: rule of Linux {text}: {reason}"] if is_dead else [])
    assert restored(plan) == restored(reverse_plan(plan)) == []


SIX = replace(
    route("10.7.0.0/16", ""), linux=LinuxSetting(kind=LinuxKind.ROUTE, device="@loop0", family=10, fields=(0,) * 8)
)


@pytest.mark.parametrize("is_sync", [True, False])
def test_what_linux_loses_with_a_device_that_goes_down_is_named_and_comes_back(*, is_sync: bool) -> None:
    shared = by_way_of("@loop0", "@gi0")
    observed = facts(STATE, is_sync=is_sync)
    down = of_loop(observed, is_up=False)
    down = replace(down, linux={} if is_sync else {**STATE.linux, "loop0": replace(UP, is_up=False)})
    plan = planned(observed, down, ADDRESS, NEIGHBOR, ROUTE, SIX, shared)
    assert [change.survival for change in unmanaged_changes(plan)] == [Survival.LOST]
    assert {*unmanaged_changes(plan)[0].attachments} == {NEIGHBOR, ROUTE, SIX}
    assert {*restored(reverse_plan(plan))} == {NEIGHBOR, ROUTE, SIX}


@pytest.mark.parametrize("is_sync", [True, False])
@pytest.mark.parametrize("others", ["of another pair", "of Linux alone"])
def test_a_route_by_two_devices_is_lost_with_the_last_of_them(others: str, *, is_sync: bool) -> None:
    shared = by_way_of("@loop0", "@gi0" if others == "of another pair" else "eth9")
    observed = facts(STATE, is_sync=is_sync)
    port = replace(observed.interfaces["gi0"], is_up=False)
    observed = replace(observed, interfaces={**observed.interfaces, "gi0": port})
    observed = replace(observed, linux={**STATE.linux, "gi0": replace(UP, is_up=False)})
    down = of_loop(observed, is_up=False)
    down = replace(down, linux={} if is_sync else {**observed.linux, "loop0": replace(UP, is_up=False)})
    lost = [shared] if others == "of another pair" else []
    changes = unmanaged_changes(planned(observed, down, shared))
    assert [each for change in changes for each in change.attachments] == lost


@pytest.mark.parametrize(
    ("other", "is_exact", "is_lost"),
    [
        ({"addresses": frozenset({"198.51.100.1/24"})}, True, False),
        ({"addresses": frozenset({"198.51.100.1/24"}), "is_up": False}, True, True),
        ({}, True, False),
        ({}, False, True),
    ],
    ids=["that stays", "that is down", "that never had an address", "that has lost its address"],
)
@pytest.mark.parametrize("what", ["address", "state"])
def test_a_route_by_two_devices_stays_with_the_other_one(
    what: str, other: dict[str, Any], is_exact: bool, is_lost: bool
) -> None:
    shared = by_way_of("@loop0", "@gi0")
    shared = replace(shared, linux=replace(shared.linux, is_exact=is_exact)) if shared.linux else shared
    observed = of_loop(facts(STATE, is_sync=True), addresses=frozenset({"192.0.2.9/24"}))
    port = replace(observed.interfaces["gi0"], **other)
    observed = replace(observed, interfaces={**observed.interfaces, "gi0": port})
    after = of_loop(observed, addresses=frozenset()) if what == "address" else of_loop(observed, is_up=False)
    changes = unmanaged_changes(planned(observed, replace(after, linux={}), shared))
    assert [each.attachments for each in changes] == ([(shared,)] if is_lost else [])


@pytest.mark.parametrize("other", ["198.51.100.9/24", "192.0.2.77/24"])
def test_routes_and_neighbours_stay_with_an_address_that_linux_alone_has(other: str) -> None:
    """One of the same network goes with the first of it, and all the rest then."""
    observed = of_loop(facts(STATE, is_sync=True), addresses=frozenset({"192.0.2.9/24"}))
    bare = replace(of_loop(observed, addresses=frozenset()), linux={})
    changes = unmanaged_changes(planned(observed, bare, address(other), NEIGHBOR, route("10.1.0.0/16", "198.51.100.1")))
    assert len(changes) == (1 if other.startswith("192.0.2.") else 0)


def test_a_route_by_two_devices_is_lost_with_the_last_address_of_both() -> None:
    shared = by_way_of("@loop0", "@gi0")
    observed = of_loop(facts(STATE, is_sync=True), addresses=frozenset({"192.0.2.9/24"}))
    port = replace(observed.interfaces["gi0"], addresses=frozenset({"198.51.100.1/24"}))
    observed = replace(observed, interfaces={**observed.interfaces, "gi0": port})
    bare = {name: replace(each, addresses=frozenset()) for name, each in observed.interfaces.items()}
    there = [shared, replace(shared, holder="gi0")]
    plan = with_unmanaged(make_plan(observed, replace(observed, interfaces=bare, linux={})), there)
    assert [each.attachments for each in unmanaged_changes(plan)] == [(there[1],), (there[0],)]
    assert {*restored(reverse_plan(plan))} == {*there}


@pytest.mark.parametrize(
    ("going", "asked"),
    [
        ({"2001:db8::1/64"}, []),
        ({"192.0.2.2/24"}, ["10.2.0.0/16"]),
        ({"192.0.2.1/24"}, ["10.2.0.0/16"]),
        ({"192.0.2.1/24", "198.51.100.1/24"}, ["10.1.0.0/16", "10.2.0.0/16"]),
    ],
)
def test_a_table_of_routes_beside_an_address_that_goes_is_in_no_state(going: set[str], asked: list[str]) -> None:
    """A route stays with its device, unless its source goes, be it with the address before it, or the last address."""
    addresses = frozenset({"192.0.2.1/24", "192.0.2.2/24", "198.51.100.1/24", "2001:db8::1/64"})
    observed = of_loop(facts(STATE, is_sync=True), addresses=addresses)
    plan = make_plan(observed, of_loop(observed, addresses=addresses - going))
    values = {1: "10.2.0.0", 5: "198.51.100.7", 7: "192.0.2.2"}
    source = encoded({number: socket.inet_aton(text) for number, text in values.items()})
    routes = [route("10.1.0.0/16", "198.51.100.7"), route("10.2.0.0/16", "", attributes=source)]
    assert [each.name.split()[0] for each in in_question(plan, routes)] == asked


@pytest.mark.parametrize("is_sync", [True, False])
def test_an_mtu_too_small_for_ipv6_takes_away_what_is_ipv6(*, is_sync: bool) -> None:
    observed = facts(STATE, is_sync=is_sync)
    small = of_loop(observed, packet_mtu=1279)
    small = replace(small, linux={} if is_sync else {**STATE.linux, "loop0": replace(UP, mtu=1279)})
    plan = planned(observed, small, ADDRESS, NEIGHBOR, ROUTE, SIX)
    assert [each.attachments for each in unmanaged_changes(plan)] == [(SIX,)]
    assert restored(reverse_plan(plan)) == [SIX]
    assert not touched_in_linux(make_plan(observed, of_loop(observed, packet_mtu=1280)))


@pytest.mark.parametrize("is_sync", [True, False])
def test_sysctls_of_ipv6_come_back_with_an_mtu_that_is_large_enough(*, is_sync: bool) -> None:
    sysctls = [
        found("loop0", LinuxSetting(kind=LinuxKind.SYSCTL, device="@loop0", family=family, sysctl="forwarding=1"))
        for family in (socket.AF_INET, socket.AF_INET6)
    ]
    wanted = replace(facts(STATE, is_sync=is_sync), unmanaged=tuple(sysctls))
    small = replace(of_loop(wanted, packet_mtu=1279), unmanaged=(sysctls[0],))
    small = replace(small, linux={**STATE.linux, "loop0": replace(UP, mtu=1279)})
    assert restored(make_plan(small, wanted)) == [sysctls[1]]
    assert restored(make_plan(replace(wanted, unmanaged=()), wanted)) == [], "somebody has changed them"


def test_a_device_goes_down_with_the_one_that_it_is_on() -> None:
    tagged = Interface(
        name="gi0.5", kind=InterfaceKind.SUB_INTERFACE, parent="gi0", encapsulation=Encapsulation(outer=5), is_up=True
    )
    observed = facts(replace(STATE, interfaces={**STATE.interfaces, "gi0.5": tagged}), is_sync=True)
    observed = replace(observed, lcps={**STATE.lcps, "gi0.5": LcpPair(host_name="e0.5")})
    down = {name: replace(observed.interfaces[name], is_up=False) for name in ("gi0", "gi0.5")}
    plan = make_plan(observed, replace(observed, interfaces={**observed.interfaces, **down}, linux={}))
    assert not touched(plan), "VPP need not be asked"
    assert touched_in_linux(plan) == {"gi0", "gi0.5"}
    mine = route("10.1.0.0/16", "192.0.2.1", holder="gi0.5")
    assert [each.attachments for each in unmanaged_changes(with_unmanaged(plan, [mine]))] == [(mine,)]


def test_nothing_is_restored_where_linux_is_out_of_reach() -> None:
    blind = replace(renamed(), linux={}, facts=replace(STATE.facts, has_linux=False))
    back = replace(STATE, linux={}, facts=blind.facts, unmanaged=(ADDRESS,))
    assert restored(make_plan(blind, back)) == []


def test_two_are_equal_whatever_the_device_is_called() -> None:
    assert replace(ADDRESS, in_linux="ip addr add 192.0.2.9/24 dev lo0") == replace(ADDRESS, in_linux="")
