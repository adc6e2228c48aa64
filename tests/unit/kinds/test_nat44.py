"""NAT44: which steps a plan takes in which order, what is left alone, and what a change costs."""

from dataclasses import replace
from typing import Any

import pytest
import yaml

from vppcfg.common.numbers import MIB
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import Resolution, resolve
from vppcfg.entries.nat44 import as_end
from vppcfg.kinds.nat44.kind import Nat44Kind
from vppcfg.model.nat44 import Nat44, NatAddress, NatExemption, NatMapping, NatPool, memory_bytes
from vppcfg.model.problem import Severity
from vppcfg.model.state import State
from vppcfg.model.table_sizes import TableSizes
from vppcfg.model.vpp_object import by_name
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import reverse_plan
from vppcfg.render.impact_text import impact_lines
from vppcfg.render.nat44_text import left_alone, nat44_lines
from vppcfg.render.plan_text import cli_line
from vppcfg.transaction.guard import harm

INTERFACES: dict[str, Any] = {
    "wan0": {"addresses": ["203.0.113.2/24"], "nat44": "outside"},
    "lan0": {"addresses": ["192.168.1.1/24"], "nat44": "inside"},
}
WEB = {"protocol": "tcp", "local": "192.168.1.20:80", "external": "203.0.113.8:80"}


def resolved(data: dict[str, Any], observed: State | None = None) -> Resolution:
    loaded = parse_text(yaml.safe_dump(data), "test")
    assert loaded.configuration is not None, loaded.problems
    return resolve(loaded.configuration, observed or assumed_state(loaded.configuration))


def with_nat(nat44: Any, interfaces: dict[str, Any] | None = None, **others: Any) -> dict[str, Any]:
    return {"interfaces": interfaces or INTERFACES, "nat44": nat44, **others}


def state_of(data: dict[str, Any]) -> State:
    resolution = resolved(data)
    return make_plan(resolution.observed, resolution.desired).reached


def change(before: dict[str, Any], after: dict[str, Any]) -> Plan:
    state = state_of(before)
    return make_plan(state, resolved(after, state).desired)


def lines(plan: Plan) -> list[str]:
    return [cli_line(operation) or type(operation).__name__ for operation in plan.operations]


def test_from_nothing_the_plugin_comes_first_and_mappings_last() -> None:
    plan = make_plan(*_ends(with_nat({"pools": ["203.0.113.8"], "static": {"web": WEB}, "timeouts": {"udp": 30}})))
    nat = [line for line in lines(plan) if "nat" in line]
    assert nat == [
        "nat44 plugin enable sessions 64512",
        "set nat timeout udp 30 tcp-established 7440 tcp-transitory 240 icmp 60",
        "nat44 add address 203.0.113.8",
        "set interface nat44 in lan0",
        "set interface nat44 out wan0",
        "nat44 add static mapping tcp local 192.168.1.20 80 external 203.0.113.8 80 vrf 0",
    ]


def _ends(data: dict[str, Any]) -> tuple[State, State]:
    resolution = resolved(data)
    return resolution.observed, resolution.desired


def test_another_number_of_sessions_sets_everything_again() -> None:
    nat44 = {"pools": ["203.0.113.8"], "static": {"web": WEB}}
    plan = change(with_nat(nat44), with_nat({**nat44, "sessions": 1000}))
    assert lines(plan)[:2] == ["nat44 plugin disable", "nat44 plugin enable sessions 1000"]
    assert len(lines(plan)) == 6
    assert list(nat44_lines(plan)) == ["NAT44 is disabled and enabled again: all NAT44 sessions are lost"]
    for count, lost in ((1234, "all 1,234 NAT44 sessions are lost"), (0, "there is no session to lose")):
        counted = replace(plan.observed, facts=replace(plan.observed.facts, nat44_sessions=count))
        assert list(nat44_lines(replace(plan, observed=counted))) == [f"NAT44 is disabled and enabled again: {lost}"]


@pytest.mark.parametrize(
    ("protocol", "fate"), [("tcp", "open connections stay as they are, but for one"), (None, "its sessions end")]
)
def test_what_becomes_of_open_connections_of_a_mapping(protocol: str | None, fate: str) -> None:
    """VPP ends one session of a port, and all of an address (tests/live/test_nat44_packets.py)."""
    port = {"protocol": protocol} if protocol else {}
    web, other = ({**port, "local": f"192.168.1.{n}{':80' if port else ''}"} for n in (20, 21))
    outer = {"external": f"203.0.113.8{':80' if port else ''}"}
    end = f"{f'{protocol} ' if port else ''}{outer['external']} (web)"
    for after in ({}, {"web": other | outer}):
        plan = change(with_nat({"static": {"web": web | outer}}), with_nat({"static": after}))
        (line,) = nat44_lines(plan)
        assert line.startswith(end) and line.endswith(f"; {fate}")


def test_an_address_of_twice_nat_ends_no_session() -> None:
    """VPP looks for sessions with it outside (nat44_ed_del_address)."""
    plan = change(with_nat({"pools": [{"range": "10.0.0.1", "twice-nat": True}]}), with_nat({}))
    assert list(nat44_lines(plan)) == ["10.0.0.1 leaves the pool of twice-NAT; open connections keep it"]


_FOLLOWED = "NAT44 loses 203.0.113.2 of wan0, and its sessions, of 17 in all"
_NO_LEASE = "; until the DHCP client has a lease, 1 pool and 1 mapping of NAT44 have no address"


@pytest.mark.parametrize(
    ("wan", "line"),
    [
        ({"addresses": ["203.0.113.3/24"]}, _FOLLOWED),
        ({"dhcp-client": True}, _FOLLOWED + _NO_LEASE),
        (
            {"addresses": ["203.0.113.2/24"], "vrf": "red"},
            "NAT44 sessions of wan0 end, of 17 in all, because the VRF is another one",
        ),
        ({"addresses": ["203.0.113.2/24"], "mtu": 1500}, ""),
    ],
)
def test_a_renumbered_interface_says_what_nat44_loses(wan: dict[str, Any], line: str) -> None:
    nat44 = {"pools": [{"interface": "wan0"}], "static": {"web": {**WEB, "external": "wan0:80"}}}
    before = state_of(with_nat(nat44, vrfs={"red": {"id": 10}}))
    before = replace(before, facts=replace(before.facts, sizes=TableSizes(nat44_sessions=17)))
    after = with_nat(nat44, {**INTERFACES, "wan0": {**wan, "nat44": "outside"}}, vrfs={"red": {"id": 10}})
    plan = make_plan(before, resolved(after, before).desired)
    assert list(nat44_lines(plan)) == ([line] if line else [])
    assert all("disabled" not in each for each in impact_lines(plan))


def test_an_exemption_of_another_table_goes_before_nat44_is_disabled() -> None:
    """VPP answers with an error otherwise, although it is done (nat44_ed_del_static_mappings)."""
    vrfs = {"red": {"id": 10}}
    nat44 = {"pools": ["203.0.113.8"], "exempt": {"one": {"local": "192.168.1.9", "vrf": "red"}}}
    plan = change(with_nat(nat44, vrfs=vrfs), with_nat({**nat44, "sessions": 1000}, vrfs=vrfs))
    assert lines(plan)[:2] == ["nat44 add identity mapping 192.168.1.9 vrf 10 del", "nat44 plugin disable"]


def test_a_new_name_of_a_mapping_changes_nothing() -> None:
    assert change(with_nat({"static": {"web": WEB}}), with_nat({"static": {"www": WEB}})).steps == ()


def test_a_renumbered_interface_keeps_its_pool() -> None:
    """The old address goes before the new one comes: VPP takes no other one while it has one."""
    renumbered = {**INTERFACES, "wan0": {"addresses": ["203.0.113.3/24"], "nat44": "outside"}}
    before = state_of(with_nat({"pools": [{"interface": "wan0"}]}))
    before = replace(before, facts=replace(before.facts, address_followers=frozenset({"wan0"})))
    plan = make_plan(before, resolved(with_nat({"pools": [{"interface": "wan0"}]}, renumbered), before).desired)
    assert lines(plan) == [
        "set interface ip address del wan0 203.0.113.2/24",
        "set interface ip address wan0 203.0.113.3/24",
    ]


def test_an_interface_with_two_addresses_gives_its_address_again() -> None:
    two = {**INTERFACES, "wan0": {"addresses": ["203.0.113.2/24", "203.0.113.3/24"], "nat44": "outside"}}
    one = {**INTERFACES, "wan0": {"addresses": ["203.0.113.3/24"], "nat44": "outside"}}
    nat44 = {"pools": [{"interface": "wan0"}]}
    assert lines(change(with_nat(nat44, two), with_nat(nat44, one))) == [
        "nat44 add interface address wan0 del",
        "set interface ip address del wan0 203.0.113.2/24",
        "nat44 add interface address wan0",
    ]


def borrowing(address: str) -> dict[str, Any]:
    """Return a file whose outside interface borrows an address and gives it to everything of NAT44."""
    nat44 = {"pools": [{"interface": "wan0"}], "static": {"web": {**WEB, "external": "wan0:80"}}}
    nat44["exempt"] = {"vpn": {"protocol": "udp", "local": "wan0:500"}}
    lender = {"loop0": {"addresses": [f"{address}/32"]}}
    return with_nat(nat44, {**INTERFACES, "wan0": {"unnumbered": "loop0", "nat44": "outside"}}, loopbacks=lender)


def test_an_interface_that_borrows_gives_its_address_again_when_that_changes() -> None:
    """VPP tells NAT44 of the address of the lender alone."""
    assert lines(change(borrowing("203.0.113.2"), borrowing("203.0.113.3"))) == [
        "nat44 add identity mapping external wan0 udp 500 vrf 0 del",
        "nat44 add static mapping tcp local 192.168.1.20 80 external wan0 80 vrf 0 del",
        "nat44 add interface address wan0 del",
        "set interface unnumbered del wan0",
        "set interface ip address loop0 203.0.113.3/32",
        "set interface ip address del loop0 203.0.113.2/32",
        "set interface unnumbered wan0 use loop0",
        "nat44 add interface address wan0",
        "nat44 add identity mapping external wan0 udp 500 vrf 0",
        "nat44 add static mapping tcp local 192.168.1.20 80 external wan0 80 vrf 0",
    ]


@pytest.mark.parametrize(
    ("nat44", "complaint"),
    [
        ({"pools": [{"interface": "loop0"}, {"interface": "wan0"}]}, "wan0 and loop0 have the same address"),
        ({"pools": ["203.0.113.2", {"interface": "wan0"}]}, "203.0.113.2 of wan0 is in the pool by this entry too"),
        ({"static": {"web": {**WEB, "external": "loop0:80"}, "www": {**WEB, "external": "wan0:80"}}}, "by web already"),
        ({"exempt": {"one": {"local": "loop0"}, "two": {"local": "wan0"}}}, "is exempt by one already"),
    ],
)
def test_what_is_borrowed_is_taken_once(nat44: dict[str, Any], complaint: str) -> None:
    data = {**borrowing("203.0.113.2"), "nat44": nat44}
    loaded = parse_text(yaml.safe_dump(data, sort_keys=False), "test")
    assert complaint in "; ".join(problem.text for problem in loaded.problems)
    assert loaded.configuration is None


OVERLAPPING = "203.0.113.8-203.0.113.15", "203.0.113.15"


@pytest.mark.parametrize(
    ("is_twice", "rules"),
    [((False, False), ["nat44-pool-duplicate"]), ((True, True), ["nat44-pool-duplicate"]), ((False, True), [])],
)
def test_a_pool_and_that_of_twice_nat_each_have_an_address_once(is_twice: tuple[bool, bool], rules: list[str]) -> None:
    ranges = [{"range": text, "twice-nat": twice} for text, twice in zip(OVERLAPPING, is_twice, strict=True)]
    text = yaml.safe_dump(with_nat({"pools": ["203.0.113.99", *ranges], "exempt": {}}))
    assert [problem.rule for problem in parse_text(text, "test").problems] == rules


def test_a_pool_that_somebody_has_emptied_is_filled_again() -> None:
    """VPP removes what follows an interface with its address only, so that this is added by itself before."""
    nat44 = {"pools": [{"interface": "wan0"}]}
    state = state_of(with_nat(nat44))
    pools = {name: replace(pool, is_empty=True) for name, pool in state.of(NatPool).items()}
    state = replace(state, objects={**state.objects, NatPool: pools})
    plan = make_plan(state, resolved(with_nat(nat44), state).desired)
    assert lines(plan) == [
        "nat44 add address 203.0.113.2",
        "nat44 add interface address wan0 del",
        "nat44 add interface address wan0",
    ]


def test_without_the_section_nat44_is_left_alone_and_named() -> None:
    nat44 = {"pools": ["203.0.113.8"], "static": {"web": WEB}}
    state = state_of(with_nat(nat44))
    bare = {name: {"addresses": entry["addresses"]} for name, entry in INTERFACES.items()}
    plan = make_plan(state, resolved({"interfaces": bare}, state).desired)
    assert plan.steps == ()
    assert reverse_plan(plan).steps == ()
    assert left_alone(plan) == (
        "VPP has NAT44 on 2 interfaces with 1 mapping; the file has no section `nat44`, and leaves it alone"
    )
    assert left_alone(make_plan(state, resolved(with_nat(nat44), state).desired)) == ""


def test_an_empty_section_disables_nat44() -> None:
    bare = {name: {"addresses": entry["addresses"]} for name, entry in INTERFACES.items()}
    plan = change(with_nat({"pools": ["203.0.113.8"]}), with_nat({}, bare))
    assert lines(plan) == ["nat44 plugin disable"]
    assert list(nat44_lines(plan)) == ["NAT44 is disabled: all NAT44 sessions are lost"]


def test_what_no_file_can_say_is_refused() -> None:
    state = state_of(with_nat({"pools": ["203.0.113.8"]}))
    odd = {name: replace(each, unsupported=("a load-balanced mapping",)) for name, each in state.of(Nat44).items()}
    state = replace(state, objects={**state.objects, Nat44: odd})
    problems = resolved(with_nat({"pools": ["203.0.113.8"]}), state).problems
    assert [problem.rule for problem in problems] == ["nat44-unsupported"]


@pytest.mark.parametrize(("sessions", "taken_mib"), [(64512, 29.27), (200_000, 69.93)])
def test_the_memory_of_sessions_is_what_a_vpp_takes(sessions: int, taken_mib: float) -> None:
    """Hold the formula against `show memory main-heap` of VPP 26.10, one thread, before and after enabling."""
    assert taken_mib <= memory_bytes(sessions, threads=1) / MIB < 1.03 * taken_mib


def test_the_main_heap_counts_the_sessions() -> None:
    text = "interfaces: { eth0: { nat44: output } }\nnat44: { sessions: 4000000 }\n"
    for severity, more in ((Severity.WARNING, ""), (Severity.ERROR, "dataplane: { memory: { main-heap: 1G } }\n")):
        problems = parse_text(text + more, "test").problems
        assert [each.severity for each in problems if each.rule == "nat44-memory"] == [severity]


def test_what_is_protected_may_be_a_mapping_or_the_interface_that_it_follows() -> None:
    shell = {"protocol": "tcp", "local": "192.168.1.22:22", "external": "wan0:2222"}
    pools, before = ["203.0.113.8"], {"web": WEB, "shell": shell}
    kept = change(with_nat({"pools": pools, "static": before}), with_nat({"pools": pools, "static": before}))
    assert harm(kept, ["nat44:web", "wan0"]) == ""
    plan = change(with_nat({"pools": pools, "static": before}), with_nat({"pools": pools, "static": {}}))
    assert harm(plan, ["nat44:web"]).endswith("protects: remove on nat44:web")
    assert harm(plan, ["wan0"]).endswith("protects: remove on wan0")
    assert harm(plan, ["lan0", "nat44:mail"]) == ""


def test_another_number_of_sessions_harms_every_protected_mapping() -> None:
    static = {"pools": ["203.0.113.8"], "static": {"web": WEB}}
    plan = change(with_nat(static), with_nat({**static, "sessions": 1000}))
    assert "on nat44:web" in harm(plan, ["nat44:web"])


def test_a_protected_mapping_is_looked_for_in_the_file() -> None:
    nat44 = {"pools": ["203.0.113.8"], "static": {"web": WEB}}
    data = with_nat(nat44, protected=["nat44:web", "nat44:wep"])
    problems = [each for each in parse_text(yaml.safe_dump(data), "test").problems if each.rule == "protected-missing"]
    assert [each.path for each in problems] == [("protected", 1)]
    assert "no mapping nat44:wep" in problems[0].text and "nat44:web" in problems[0].text


@pytest.mark.parametrize(("unmanaged", "rules"), [("acl:x", ["nat44-no-outside", "nat44-local"]), ("eth*", [])])
def test_what_interfaces_of_others_have_is_not_guessed(unmanaged: str, rules: list[str]) -> None:
    text = yaml.safe_dump({"nat44": {"pools": ["203.0.113.8"], "static": {"web": WEB}}, "unmanaged": [unmanaged]})
    assert [each.rule for each in parse_text(text, "test").problems] == rules


def test_an_interface_of_others_may_give_its_address_while_vpp_has_it() -> None:
    nat44 = {"pools": [{"interface": "memif1/0"}], "static": {"web": {**WEB, "external": "memif1/0:80"}}}
    data = with_nat({**nat44, "exempt": {"ssh": {"protocol": "tcp", "local": "memif1/0:22"}}})
    resolution = resolved(data | {"unmanaged": ["memif1/0"]})
    assert not resolution.problems
    assert {*resolution.desired.of(NatPool), *resolution.desired.of(NatMapping), *resolution.desired.of(NatExemption)}
    ports = {name: each for name, each in resolution.observed.interfaces.items() if name != "memif1/0"}
    without = resolved(data | {"unmanaged": ["memif1/0"]}, replace(resolution.observed, interfaces=ports))
    assert {each.rule for each in without.problems} == {"nat44-interface"}
    assert [each.path[1] for each in without.problems] == ["pools", "static", "exempt"]
    assert without.missing == ("memif1/0",)
    assert not without.desired.of(NatPool) and not without.desired.of(NatMapping)


def test_a_port_has_up_to_five_digits() -> None:
    texts = ("192.0.2.1:80", "192.0.2.1:00080", "192.0.2.1:000080", "192.0.2.1:65536", f"192.0.2.1:{'9' * 5000}")
    assert [end and end.port for end in map(as_end, texts)] == [80, 80, None, None, None]


@pytest.mark.parametrize(("exempt", "is_told"), [(None, True), ({}, False)])
def test_a_router_without_services_on_its_uplink_says_so_by_an_empty_key(exempt: Any, is_told: bool) -> None:
    nat44 = {"pools": ["203.0.113.8"], **({} if exempt is None else {"exempt": exempt})}
    rules = [each.rule for each in parse_text(yaml.safe_dump(with_nat(nat44)), "test").problems]
    assert ("nat44-own-services" in rules) is is_told


UPLINKS = "203.0.113.2", "198.51.100.2"


@pytest.mark.parametrize(
    ("pools", "expected"),
    [
        (["203.0.113.1-203.0.113.9"], ["nat44-pool-own-address"]),
        (["203.0.113.1-203.0.113.9", "198.51.100.2"], ["nat44-pool-uplinks"] * 2),
        ([{"interface": "wan0"}, "198.51.100.1-198.51.100.9"], ["nat44-pool-uplinks"] * 2),
        ([{"range": "203.0.113.2", "vrf": "default"}, {"range": "198.51.100.2", "vrf": "default"}], []),
    ],
)
def test_a_range_with_addresses_of_several_uplinks_gets_one_piece_of_advice(
    pools: list[Any], expected: list[str]
) -> None:
    ports = {f"wan{place}": {"addresses": [f"{host}/24"], "nat44": "output"} for place, host in enumerate(UPLINKS)}
    text = yaml.safe_dump({"interfaces": ports, "nat44": {"pools": pools, "exempt": {}}})
    assert [each.rule for each in parse_text(text, "test").problems] == expected


def test_forwarding_that_goes_cuts_what_has_no_session_and_forwarding_that_comes_lets_it_pass() -> None:
    closed = with_nat({"pools": ["203.0.113.8"]})
    open_too = with_nat({"pools": ["203.0.113.8"], "forwarding": True})
    cut = change(open_too, closed)
    assert cut.impacts == {"nat44:settings": Impact.REMOVE}
    assert list(impact_lines(cut)) == [
        "nat44:settings drops what has neither session nor mapping, because it has forwarding turned off"
    ]
    assert harm(cut, ["wan0"]).endswith("protects: remove on wan0")
    assert change(closed, open_too).impacts == {"nat44:settings": Impact.POLICY}
    disabled = change(open_too, with_nat({}, {"lan0": {}}))
    assert disabled.impacts["nat44:settings"] is Impact.REMOVE


@pytest.mark.parametrize("order", [("203.0.113.2", "203.0.113.3"), ("203.0.113.3", "203.0.113.2")])
def test_of_two_addresses_in_the_pool_the_first_one_is_that_of_the_interface(order: tuple[str, str]) -> None:
    """The other one was added by hand, and goes; the sessions of the first one go on."""
    wan0: dict[str, Any] = {"addresses": [f"{address}/24" for address in order], "nat44": "outside"}
    data = with_nat({"pools": [{"interface": "wan0"}]}, {**INTERFACES, "wan0": wan0})
    state = state_of(data)
    wan = replace(state.interfaces["wan0"], address_order=tuple(wan0["addresses"]))
    objects = {**state.objects, NatAddress: by_name(NatAddress(address=address) for address in order)}
    read = Nat44Kind().finish(replace(state, interfaces={**state.interfaces, "wan0": wan}, objects=objects))
    plan = make_plan(read, resolved(data, read).desired)
    assert lines(plan) == [f"nat44 add address {order[1]} del"]
    without = make_plan(read, resolved(with_nat({"pools": [order[1]]}, {**INTERFACES, "wan0": wan0}), read).desired)
    assert lines(without) == ["nat44 add interface address wan0 del"]
    assert set(without.reached.of(NatAddress)) == {f"nat44:{order[1]}"}
