"""Static neighbours that Linux has on the device of an LCP pair, from where linux-nl brings them into VPP."""

from dataclasses import replace

import pytest

from tests.unit.config.test_owned import resolved
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.valid_dump import write
from vppcfg.kinds.neighbor import RemoveNeighbor, SetNeighbor
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.linux_neighbors import left_in_linux, with_neighbors_of_linux
from vppcfg.model.live_state import as_others_have_it
from vppcfg.model.neighbor import Neighbor
from vppcfg.model.problem import Severity
from vppcfg.model.state import State
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import closest_to
from vppcfg.record import evolve

FILE = "interfaces: { eth0: { lcp: e0, addresses: [ 192.0.2.1/24 ] } }\n"
ONE, TWO = (f"192.0.2.{host} 02:00:00:00:00:0{host}" for host in (7, 8))


def neighbor(text: str) -> Neighbor:
    address, mac = text.split()
    return Neighbor(address=address, mac=mac)


def brought(state: State, *in_linux: str, in_vpp: tuple[str, ...] | None = None) -> State:
    """Return a state whose Linux has neighbours, and VPP the same unless told otherwise."""
    there = tuple(map(neighbor, in_linux if in_vpp is None else in_vpp))
    facts = replace(
        state.facts,
        has_linux=True,
        linux_neighbors=frozenset(("eth0", each.address, each.mac) for each in map(neighbor, in_linux)),
    )
    eth0 = evolve(state.interfaces["eth0"], neighbors=there)
    linux = {"eth0": LinuxDevice(mtu=1500, is_up=True)}
    return with_neighbors_of_linux(
        replace(state, interfaces={**state.interfaces, "eth0": eth0}, facts=facts, linux=linux)
    )


@pytest.fixture
def observed() -> State:
    """A VPP that has what the file asks for, and a neighbour of Linux."""
    configuration = parse_text(FILE, "file").configuration
    assert configuration is not None
    state = assumed_state(configuration)
    return brought(make_plan(state, resolved(FILE, state).desired).reached, ONE)


def planned(text: str, observed: State) -> Plan:
    return make_plan(observed, resolved(text, observed).desired)


def changes(plan: Plan) -> list[str]:
    found = [each for each in plan.operations if isinstance(each, SetNeighbor | RemoveNeighbor)]
    return [f"{'+' if isinstance(each, SetNeighbor) else '-'} {each.address} {each.mac}" for each in found]


def declaring(*neighbors: str) -> str:
    entries = ", ".join(f"{address}: '{mac}'" for address, mac in map(str.split, neighbors))
    return FILE.replace("lcp: e0", f"lcp: e0, neighbors: {{ {entries} }}")


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (FILE, []),
        (declaring(TWO), [f"+ {TWO}"]),
        (declaring(ONE), []),
        (declaring("192.0.2.7 02:00:00:00:00:99"), ["+ 192.0.2.7 02:00:00:00:00:99"]),
        (FILE.replace("lcp: e0", "lcp: e1"), []),
        (FILE.replace("lcp: e0, ", ""), [f"- {ONE}"]),
    ],
    ids=["silent", "another", "declared", "another MAC address", "pair renamed", "no pair any more"],
)
def test_a_neighbour_of_linux_is_its_own_unless_the_file_declares_it(
    observed: State, file: str, expected: list[str]
) -> None:
    assert changes(planned(file, observed)) == expected


def test_one_that_linux_does_not_have_goes_as_before(observed: State) -> None:
    assert changes(planned(FILE, brought(observed, ONE, in_vpp=(ONE, TWO)))) == [f"- {TWO}"]


def test_what_linux_enters_and_removes_during_a_change_is_no_difference_and_stays_so_when_it_is_taken_back(
    observed: State,
) -> None:
    plan = planned(FILE.replace("192.0.2.1/24", "192.0.2.2/24"), observed)
    now = brought(plan.reached, TWO)
    assert list(diff(now, as_others_have_it(plan.desired, now))) == []
    back = make_plan(now, closest_to(observed, now, lambda name: False, (), plan.desired).state)
    assert back.steps
    assert changes(back) == []


def test_one_that_a_change_has_taken_off_on_its_way_comes_back(observed: State) -> None:
    plan = planned(declaring("192.0.2.7 02:00:00:00:00:99"), observed)
    half_way = brought(plan.reached, ONE, in_vpp=())
    back = make_plan(half_way, closest_to(observed, half_way, lambda name: False, (), plan.desired).state)
    assert changes(back) == [f"+ {ONE}"]


def test_it_is_told_and_no_file_gets_it(observed: State) -> None:
    assert "neighbors" not in write(observed)
    assert list(left_in_linux(observed)) == [
        "the static neighbour 192.0.2.7 on eth0 is Linux': left out of the configuration"
    ]
    (notice,) = (each for each in resolved(FILE, observed).problems if each.rule == "left-alone")
    assert notice.severity is Severity.NOTICE
    assert notice.text == ("Linux has 1 static neighbour on devices of LCP pairs; the file leaves it alone in VPP too")
