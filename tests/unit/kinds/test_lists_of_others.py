"""Access lists that another program has attached to interfaces of the file: kept, refused, named, brought back."""

from collections.abc import Iterator

import pytest

from tests.laws.test_simulator_laws import apply_to
from tests.simulated_vpp import connected
from tests.unit.config.test_owned import resolved
from vppcfg.config.valid_dump import write
from vppcfg.kinds.acl_operations import BindAcls
from vppcfg.model.acl import AclBinding
from vppcfg.model.lists_of_others import placed
from vppcfg.model.ownership import NameGlobs
from vppcfg.plan.plan import Plan
from vppcfg.plan.rollback import closest_to, prove_way_back
from vppcfg.plan.unmanaged import unmanaged_changes
from vppcfg.simulator.kinds.acl import AclMain
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.planning import plan_on
from vppcfg.transaction.transact import still_different
from vppcfg.vpp.live import LiveDataplane

TERMS = "{ terms: [ { action: permit, source: 192.0.2.0/24 } ] }"
FILE = f"""
interfaces: {{ eth0: {{ acls: {{ input: [ web, mail ] }}, sub-interfaces: {{ 100: {{ mtu: 1500 }} }} }} }}
acls: {{ web: {TERMS}, mail: {TERMS} }}
"""
COVERED = f'{FILE}unmanaged: [ "acl:flowspec-*", "macip:flowspec-*" ]\n'
AGENT = """
set acl-plugin acl deny src 198.51.100.0/24 tag flowspec-v4
set acl-plugin acl permit tag flowspec-end
set acl-plugin macip acl permit ip 192.0.2.0/24 tag flowspec-hosts
"""
Router = tuple[SimulatedVpp, LiveDataplane]


@pytest.fixture
def router() -> Iterator[Router]:
    """A VPP whose agent has lists 0 and 1, and MACIP list 0; lists 2 and 3 are mail and web of the file."""
    simulated = SimulatedVpp(ports=[PhysicalPort(name="eth0")])
    run(simulated, *AGENT.strip().splitlines())
    with connected(simulated) as plane:
        apply_to(planned(FILE, plane), plane)
        yield simulated, plane


def run(vpp: SimulatedVpp, *lines: str) -> None:
    for line in lines:
        assert vpp.run_line(line)[0] == 0, line


def attach(vpp: SimulatedVpp, *numbers: int, name: str = "eth0", side: str = "input") -> None:
    """Have an interface apply exactly some lists, in order."""
    run(vpp, *(f"set acl-plugin interface {name} {side} acl {number}" for number in numbers))


def detach(vpp: SimulatedVpp, *numbers: int, name: str = "eth0") -> None:
    run(vpp, *(f"set acl-plugin interface {name} input acl {number} del" for number in numbers))


def planned(text: str, plane: LiveDataplane) -> Plan:
    observed = plane.observe()
    return plan_on(plane, observed, resolved(text, observed).desired)


def lost(plan: Plan) -> list[str]:
    return [str(each) for each in unmanaged_changes(plan)]


def applied(plane: LiveDataplane, name: str = "eth0") -> tuple[str, ...]:
    return plane.observe().interfaces[name].acls.input


def way_back(change: Plan, plane: LiveDataplane, *unmanaged: str, is_half_way: bool = False) -> Plan:
    """Return the plan back to where a change began, from what VPP has now."""
    now, left = plane.observe(), None if is_half_way else change.desired
    target = closest_to(change.observed, now, NameGlobs(unmanaged).matches, (), change.desired, left)
    return prove_way_back(target, lambda state: plan_on(plane, now, state)).plan


@pytest.mark.parametrize(
    ("there", "wanted", "expected"),
    [
        ("f", "a", "f a"),
        ("f a", "b", "f b"),
        ("a f", "b", "b f"),
        ("a f", "a b", "a b f"),
        ("f a g b h", "a b", "f a g b h"),
        ("f a g b h", "b a", "f b a g h"),
        ("f a g b h", "", "f g h"),
        ("a g b", "b c", "g b c"),
        ("a", "b", "b"),
    ],
)
def test_a_list_of_others_keeps_its_place_among_those_of_the_file(there: str, wanted: str, expected: str) -> None:
    assert placed(wanted.split(), there.split(), {"f", "g", "h"}) == tuple(expected.split())


def test_what_unmanaged_covers_stays_before_and_behind_the_lists_of_the_file(router: Router) -> None:
    vpp, plane = router
    detach(vpp, 2, 3)
    attach(vpp, 0, 3, 2, 1)
    attach(vpp, 0, side="output")
    run(vpp, "set acl-plugin macip interface eth0 add acl 0")
    assert planned(COVERED, plane).steps == ()
    plan = planned(COVERED.replace("[ web, mail ]", "[ mail ]"), plane)
    assert lost(plan) == []
    apply_to(plan, plane)
    eth0 = plane.observe().interfaces["eth0"]
    assert eth0.acls == AclBinding(input=("acl:flowspec-v4", "mail", "acl:flowspec-end"), output=("acl:flowspec-v4",))
    assert eth0.macip == "macip:flowspec-hosts"
    apply_to(way_back(plan, plane), plane)
    assert applied(plane) == ("acl:flowspec-v4", "web", "mail", "acl:flowspec-end")


def test_without_unmanaged_the_plan_names_what_it_loses_and_a_rollback_brings_it_back(router: Router) -> None:
    vpp, plane = router
    attach(vpp, 0)
    run(vpp, "set acl-plugin macip interface eth0 add acl 0")
    plan = planned(FILE, plane)
    assert lost(plan) == ["eth0: access list flowspec-v4 of input, MACIP access list flowspec-hosts: lost"]
    apply_to(plan, plane)
    assert applied(plane) == ("web", "mail")
    apply_to(way_back(plan, plane), plane)
    assert applied(plane) == ("web", "mail", "acl:flowspec-v4")
    assert plane.observe().interfaces["eth0"].macip == "macip:flowspec-hosts"


def test_an_interface_that_goes_loses_what_unmanaged_covers_and_one_that_is_recreated_does_not(router: Router) -> None:
    vpp, plane = router
    attach(vpp, 0, name="eth0.100")
    plan = planned(COVERED.replace("{ 100: ", "{ 200: "), plane)
    assert lost(plan) == ["eth0.100: access list flowspec-v4 of input: lost"]
    plan = planned(COVERED.replace("mtu: 1500 }", "encapsulation: { dot1ad: 100, exact-match: true } }"), plane)
    assert lost(plan) == []
    apply_to(plan, plane)
    assert applied(plane, "eth0.100") == ("acl:flowspec-v4",)


@pytest.mark.parametrize("tag", ["{vppcfg old}", "web"])
def test_a_list_renamed_in_the_file_or_declared_by_it_under_the_name_of_its_tag_is_the_files(
    router: Router, tag: str
) -> None:
    vpp, plane = router
    run(vpp, f"set acl-plugin acl deny tag {tag}")
    attach(vpp, 4)
    plan = planned(COVERED, plane)
    assert lost(plan) == []
    apply_to(plan, plane)
    assert applied(plane) == ("web", "mail")


def test_a_list_without_a_tag_is_not_taken_off_unasked(router: Router) -> None:
    vpp, plane = router
    run(vpp, "set acl-plugin acl deny tag nobody")
    vpp.tables.part(AclMain).lists[4].tag = b""
    attach(vpp, 4)
    assert lost(planned(FILE, plane)) == ["eth0: access list @4 of input: lost"]
    assert planned(f'{FILE}unmanaged: [ "acl:" ]\n', plane).steps == ()


def test_what_the_agent_attaches_and_detaches_since_a_change_stays_so_when_it_is_rolled_back(router: Router) -> None:
    vpp, plane = router
    attach(vpp, 0)
    plan = planned(COVERED.replace("[ web, mail ]", "[ mail ]"), plane)
    apply_to(plan, plane)
    detach(vpp, 0)
    attach(vpp, 1)
    assert not still_different(plan, plane), "no reason to undo the change"
    apply_to(way_back(plan, plane), plane)
    assert applied(plane) == ("web", "mail", "acl:flowspec-end")


def test_what_a_change_took_off_on_its_way_is_brought_back_from_half_way(router: Router) -> None:
    vpp, plane = router
    attach(vpp, 0, name="eth0.100")
    plan = planned(COVERED.replace("mtu: 1500 }", "encapsulation: { dot1ad: 100, exact-match: true } }"), plane)
    for operation in plan.operations:
        if isinstance(operation, BindAcls) and operation.binding:
            break
        plane.perform([operation])
    assert applied(plane, "eth0.100") == ()
    apply_to(way_back(plan, plane, is_half_way=True), plane)
    assert applied(plane, "eth0.100") == ("acl:flowspec-v4",)


def test_a_rollback_brings_a_list_of_the_file_back_though_a_pattern_fits_it(router: Router) -> None:
    plane = router[1]
    plan = planned(COVERED.replace("action: permit", "action: deny").replace("acl:flowspec-*", "acl:*"), plane)
    apply_to(plan, plane)
    apply_to(way_back(plan, plane, "acl:*"), plane)
    assert plane.observe().acls["web"] == plan.observed.acls["web"]


def test_a_dump_has_the_interface_without_the_lists_of_others(router: Router) -> None:
    vpp, plane = router
    attach(vpp, 0)
    run(vpp, "set acl-plugin macip interface eth0 add acl 0")
    text = write(plane.observe())
    assert '# its tag is not one of ours: "flowspec-v4"' in text
    assert "input: [ web, mail ]" in text
    assert planned(text, plane).steps == ()
