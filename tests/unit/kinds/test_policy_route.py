"""Policy routes: which steps a change takes, whose policies are touched, and what of a script becomes of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.kinds.there_and_back import configuration_of
from vppcfg.cli.main import main
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.kinds.policy_route_operations import AddPolicyPaths, AttachPolicy, CreatePolicy, DetachPolicy
from vppcfg.kinds.policy_route_steps import keeps_places
from vppcfg.model.policy_route import OWN_IDS, PolicyRoute, UnattachedPolicy, in_order
from vppcfg.model.route import NextHop
from vppcfg.model.state import State
from vppcfg.operations.working_state import WorkingState
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import reverse_plan
from vppcfg.plan.unmanaged import unmanaged_changes

ACLS = {name: {"terms": [{"action": "permit", "family": "ipv4"}]} for name in ("guests", "voice", "web")}


def planned(observed: State | None, *routes: str, key: bool = True, **more: object) -> Plan:
    """Return the plan to an eth0 with policy routes: `ACL GATEWAY PRIORITY` each."""
    entries = [dict(zip(("acl", "via", "priority"), _words(each), strict=True)) for each in routes]
    eth0 = {"addresses": ["192.0.2.1/24"], **({"policy-routes": entries} if key else {}), **more}
    data = {"interfaces": {"eth0": eth0, "eth1": {"addresses": ["198.51.100.1/24"]}}, "acls": ACLS}
    configuration = configuration_of(data)
    state = assumed_state(configuration) if observed is None else observed
    return make_plan(state, resolve(configuration, state).desired)


def _words(text: str) -> tuple[str, str, int]:
    acl, gateway, priority = text.split()
    return acl, gateway, int(priority)


def names(plan: Plan) -> list[str]:
    return [type(each).__name__ for each in plan.operations if "Policy" in type(each).__name__]


def with_foreign(state: State, *routes: PolicyRoute) -> State:
    eth0 = state.interfaces["eth0"]
    held = in_order((*eth0.policy_routes, *routes))
    return replace(state, interfaces={**state.interfaces, "eth0": replace(eth0, policy_routes=held)})


FOREIGN = PolicyRoute(priority=4, acl="web", hops=(NextHop(gateway="192.0.2.9", table_id=0),), policy_id=7)


def misled(plan: Plan) -> list[str]:
    """Return what VPP would forward by the wrong policy on the way, by an account of its own of the lists it asks."""
    working, asked, wrong = WorkingState(plan.observed), [], []
    for each in plan.operations:
        each.apply_to(working)
        routes = sorted(working.interfaces["eth0"].policy_routes, key=lambda route: route.priority)
        lists = [route.acl for route in routes]
        if isinstance(each, AttachPolicy | DetachPolicy) and len(set(lists)) == len(lists):
            asked = lists
        wrong += [f"{acl} at {place}" for place, acl in enumerate(asked) if lists[place : place + 1] != [acl]]
    return wrong


def test_next_hops_change_in_place() -> None:
    one = planned(None, "guests 192.0.2.2 10", "voice 192.0.2.2 20").reached
    plan = planned(one, "guests 192.0.2.3 10", "voice 192.0.2.2 20")
    assert names(plan) == ["AddPolicyPaths", "RemovePolicyPaths"]
    (add,) = (each for each in plan.operations if isinstance(each, AddPolicyPaths))
    assert (add.hops[0].gateway, add.route.policy_id) == ("192.0.2.3", OWN_IDS[0])


def test_another_list_is_a_new_policy_before_the_old_one_goes() -> None:
    one = planned(None, "guests 192.0.2.2 10").reached
    plan = planned(one, "voice 192.0.2.2 10")
    assert names(plan) == ["CreatePolicy", "AttachPolicy", "DetachPolicy", "RemovePolicy"]
    (create,) = (each for each in plan.operations if isinstance(each, CreatePolicy))
    assert create.item.policy_id == OWN_IDS[1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["guests 192.0.2.2 10"], ["guests 192.0.2.2 30"]),
        (["guests 192.0.2.2 10", "voice 192.0.2.2 20"], ["guests 192.0.2.2 30", "voice 192.0.2.2 20"]),
        (["guests 192.0.2.2 10", "voice 192.0.2.2 20"], ["guests 192.0.2.2 20", "voice 192.0.2.2 10"]),
        (["guests 192.0.2.2 10", "voice 192.0.2.2 20"], ["guests blackhole 10", "voice 192.0.2.2 20"]),
        (["web 192.0.2.2 1", "guests 192.0.2.2 10"], ["guests 192.0.2.2 0", "voice 192.0.2.3 5", "web 192.0.2.4 9"]),
    ],
)
def test_no_list_is_mistaken_for_another_on_the_way(before: list[str], after: list[str]) -> None:
    one = planned(None, *before).reached
    for plan in (planned(one, *after), reverse_plan(planned(one, *after))):
        assert plan.operations
        assert misled(plan) == []


def test_a_policy_with_the_list_of_another_may_come_first_where_nothing_shifts() -> None:
    first, last = (replace(FOREIGN, priority=priority, acl=acl) for priority, acl in ((1, "guests"), (9, "web")))
    assert keeps_places([first, last], [replace(last, priority=12)], [last])
    assert not keeps_places([first, last], [replace(first, priority=5)], [first])
    assert keeps_places([first, last], [replace(first, priority=12)], [first])
    assert keeps_places([first, last], [replace(first, is_ipv6=True)], [])


def test_a_path_that_a_policy_has_is_never_sent() -> None:
    state = planned(None, "guests 192.0.2.2 10").reached
    (route,) = state.interfaces["eth0"].policy_routes
    heavier = replace(route.hops[0], weight=7)
    add = AddPolicyPaths(interface="eth0", route=route, hops=(heavier,))
    assert "has this path already" in str(add.precondition_error(WorkingState(state)))
    unattached = UnattachedPolicy(policy_id=route.policy_id or 0, acl="guests", hops=route.hops)
    assert "there is a policy" in str(CreatePolicy(item=unattached).precondition_error(WorkingState(state)))


def test_a_policy_of_somebody_else_is_left_alone_without_the_key() -> None:
    state = with_foreign(planned(None, "guests 192.0.2.2 10").reached, FOREIGN)
    plan = planned(state, key=False)
    assert names(plan) == ["DetachPolicy", "RemovePolicy"]
    assert plan.reached.interfaces["eth0"].policy_routes == (FOREIGN,)
    assert "web" in plan.reached.acls


def test_with_the_key_a_policy_of_somebody_else_is_detached_and_comes_back() -> None:
    state = with_foreign(planned(None, "guests 192.0.2.2 10").reached, FOREIGN)
    plan = planned(state, "guests 192.0.2.2 10")
    assert names(plan) == ["DetachPolicy"]
    assert "7" in plan.reached.of(UnattachedPolicy)
    back = reverse_plan(plan)
    assert names(back) == ["AttachPolicy"]
    numbers = [each.policy_id for each in back.reached.interfaces["eth0"].policy_routes]
    assert numbers == [7, OWN_IDS[0]]


def test_a_policy_that_somebody_has_moved_is_taken_off_before_it_comes_back() -> None:
    start = planned(None).reached
    plan = make_plan(with_foreign(start, replace(FOREIGN, priority=9)), with_foreign(start, FOREIGN))
    assert names(plan) == ["DetachPolicy", "AttachPolicy"]
    (route,) = plan.reached.interfaces["eth0"].policy_routes
    assert (route, route.policy_id) == (FOREIGN, 7)


def test_a_policy_of_somebody_else_changes_by_one_of_our_own() -> None:
    state = with_foreign(planned(None).reached, FOREIGN)
    plan = planned(state, "web 192.0.2.3 4")
    assert names(plan) == ["CreatePolicy", "AttachPolicy", "DetachPolicy"]
    (route,) = plan.reached.interfaces["eth0"].policy_routes
    assert route.is_own


def test_what_an_interrupted_plan_has_left_goes() -> None:
    clean = planned(None, "guests 192.0.2.2 10").reached
    left = [UnattachedPolicy(policy_id=number, acl="web", hops=FOREIGN.hops) for number in (OWN_IDS[5], 9)]
    plan = planned(
        replace(clean, objects={UnattachedPolicy: {each.name: each for each in left}}), "guests 192.0.2.2 10"
    )
    assert [each.subject for each in plan.operations] == [str(OWN_IDS[5])]
    assert list(plan.reached.of(UnattachedPolicy)) == ["9"]


SCRIPT = """\
set interface state eth0 up
set acl-plugin acl permit src 10.0.0.0/8 tag {tag}
abf policy add id 1 acl 0 via 192.0.2.2 eth0
abf attach ip4 policy 1 priority 10 eth0
"""
UNATTACHED = "abf policy add id 2 acl 0 via 192.0.2.9"


@pytest.mark.parametrize("is_ours", [True, False])
def test_a_script_with_policies_is_adopted(tmp_path: Path, *, is_ours: bool) -> None:
    script = SCRIPT.format(tag="{vppcfg guests}" if is_ours else "guests")
    text, rest = adopted(script, tmp_path)
    assert "{ acl: guests, via: { gateway: 192.0.2.2, interface: eth0 }, priority: 10 }" in text
    assert rest == []
    text, rest = adopted(f"{script}{UNATTACHED}\n", tmp_path)
    assert "policy-routes" not in text
    assert UNATTACHED in rest, "it names the list by its number"


def adopted(script: str, folder: Path) -> tuple[str, list[str]]:
    """Return the file that a script becomes, and the lines of the rest."""
    (folder / "script.vpp").write_text(script)
    (folder / "rest.vpp").unlink(missing_ok=True)
    names = [str(folder / name) for name in ("script.vpp", "file.yaml", "rest.vpp")]
    main(["-q", "adopt", "--force", "--from", names[0], "-o", names[1], "--rest", names[2]])
    rest = folder / "rest.vpp"
    return (folder / "file.yaml").read_text(), rest.read_text().splitlines() if rest.exists() else []


def test_a_policy_of_a_missing_list_is_carried_over_with_its_number() -> None:
    policy = UnattachedPolicy(
        policy_id=0, acl="acl:@1", hops=(NextHop(gateway="192.0.2.1", interface="BondEthernet0"),)
    )
    lacp, xor = (
        configuration_of({"interfaces": {"BondEthernet0": {}}, "bondethernets": {"BondEthernet0": {"mode": mode}}})
        for mode in ("lacp", "xor")
    )
    state = assumed_state(lacp)
    bonded = make_plan(state, resolve(lacp, state).desired).reached
    observed = replace(bonded, objects={UnattachedPolicy: {policy.name: policy}})
    plan = make_plan(observed, resolve(xor, observed).desired)
    assert [each for each in plan.operations if isinstance(each, CreatePolicy)] == [CreatePolicy(item=policy)]


@pytest.mark.parametrize(("table_id", "is_typed"), [(0x7FFFFFFF, True), (0x80000000, False)])
def test_no_line_names_a_table_that_the_prompt_cannot_read(table_id: int, is_typed: bool) -> None:
    policy = UnattachedPolicy(policy_id=1, acl="guests", hops=(NextHop(table_id=table_id),))
    assert (CreatePolicy(item=policy, acl_index=0).cli() is not None) is is_typed


@pytest.mark.parametrize("policy", [{"acl": "voice", "via": "blackhole"}, {"via": "192.0.2.2"}])
def test_a_policy_that_comes_before_another_goes_has_another_number(policy: dict[str, object]) -> None:
    def to(policy: dict[str, object], observed: State | None, **more: object) -> Plan:
        eth0 = {"addresses": ["192.0.2.1/24"], "policy-routes": [{"acl": "guests", "priority": 10, **policy}]}
        configuration = configuration_of({"interfaces": {"eth0": eth0}, "acls": ACLS, **more})
        state = assumed_state(configuration) if observed is None else observed
        return make_plan(state, resolve(configuration, state).desired)

    loop = {"loopbacks": {"loop5": {"addresses": ["198.51.100.1/24"]}}}
    one = to({"via": {"gateway": "198.51.100.2", "interface": "loop5"}}, None, **loop).reached
    plan = to(policy, one)
    (create,) = (each for each in plan.operations if isinstance(each, CreatePolicy))
    assert names(plan).index("CreatePolicy") < names(plan).index("RemovePolicy")
    assert create.item.policy_id == OWN_IDS[1]


def test_a_policy_of_others_into_a_table_that_goes_is_named_and_removed_whoever_has_made_it() -> None:
    eth0 = {"addresses": ["192.0.2.1/24"]}
    file = {"interfaces": {"eth0": eth0}, "vrfs": {"red": {"id": 10}}}
    configuration = configuration_of(file)
    state = assumed_state(configuration)
    start = make_plan(state, resolve(configuration, state).desired)
    into_red = replace(FOREIGN, acl="acl:web", hops=(NextHop(table_id=10),))
    observed = with_foreign(start.reached, into_red)
    configuration = configuration_of({**file, "vrfs": {"red": {"id": 20}}})
    plan = make_plan(observed, resolve(configuration, observed).desired)
    assert names(plan) == ["DetachPolicy", "RemovePolicy", "ReleaseTypedPolicy"]
    assert [str(each) for each in unmanaged_changes(plan)] == ["eth0: ABF policy 7 priority 4 ip4: lost"]


def test_a_policy_into_a_table_changes_as_a_whole() -> None:
    file = {"interfaces": {"eth0": {"addresses": ["192.0.2.1/24"]}}, "acls": ACLS, "vrfs": {"red": {"id": 10}}}

    def to(observed: State | None, via: object) -> Plan:
        entry = [{"acl": "guests", "priority": 10, "via": via}]
        interfaces = {"eth0": {"addresses": ["192.0.2.1/24"], "policy-routes": entry}}
        configuration = configuration_of({**file, "interfaces": interfaces})
        state = assumed_state(configuration) if observed is None else observed
        return make_plan(state, resolve(configuration, state).desired)

    one = to(None, [{"vrf": "red"}, "192.0.2.2"]).reached
    plan = to(one, ["192.0.2.2"])
    assert names(plan) == ["CreatePolicy", "AttachPolicy", "DetachPolicy", "RemovePolicy", "ReleaseTypedPolicy"]


@pytest.mark.parametrize(
    ("terms", "text"),
    [
        ("{ action: permit }", "to 192.0.2.1, and of DHCP to 255.255.255.255"),
        ("{ action: permit, source: 192.0.2.128/25 }", "from 192.0.2.128/25 to 192.0.2.1"),
        ("{ action: permit, source: 192.0.2.0/23 }", "to 192.0.2.1"),
        ("{ action: permit, protocol: tcp }, { action: permit }", "to 192.0.2.1, and of DHCP to 255.255.255.255"),
        ("{ action: deny, source: 192.0.2.0/25 }, { action: permit, destination: 192.0.2.0/24 }", "to 192.0.2.1"),
        ("{ action: deny, source: 192.0.2.0/25 }, { action: permit, source: 192.0.2.64/26 }", ""),
        ("{ action: permit, source: 10.0.0.0/8 }", ""),
        ("{ action: permit, protocol: udp }", ""),
        ("{ action: deny, destination: 192.0.2.1 }, { action: permit }", ""),
    ],
)
def test_a_policy_route_that_takes_what_is_for_the_router_is_warned_of(terms: str, text: str) -> None:
    port = "{ addresses: [ 192.0.2.1/24 ], policy-routes: [ { acl: all, via: { interface: eth1 } } ] }"
    file = f"interfaces: {{ eth0: {port}, eth1: {{ addresses: [ 198.51.100.1/24 ] }} }}\n"
    file += f"acls: {{ all: {{ terms: [ {terms} ] }} }}"
    found = [each.text for each in parse_text(file, "test").problems if each.rule == "policy-route-own"]
    assert [each.partition(": ")[0] for each in found] == ([f"the ACL all permits packets {text}"] if text else [])
