"""What is adopted means what its source does: running VPPs in any state, and scripts that bring a VPP anywhere."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import getitem
from typing import Any, cast

import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.contract.subject import PORTS
from tests.laws.examples import examples
from tests.laws.networks import configurations, states
from tests.simulated_vpp import connected
from tests.typed_lines import typed_lines
from vppcfg.adopt.adoption import Adoption, adopt_state
from vppcfg.adopt.as_applied import as_applied, with_named_tables
from vppcfg.adopt.report import LineOutcome
from vppcfg.adopt.script_adoption import ReplaySetup, Script, adopt_scripts
from vppcfg.common.release import NEWEST
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.config.valid_dump import write
from vppcfg.entries.configuration import Configuration
from vppcfg.model.interface import Interface
from vppcfg.model.nat44 import OF_THE_INSIDE, NatExemption, NatMapping
from vppcfg.model.problem import Severity
from vppcfg.model.route import Route
from vppcfg.model.state import Facts, State
from vppcfg.model.tunnel import Gre
from vppcfg.model.vpp_object import VppObject, by_name
from vppcfg.plan.plan import make_plan
from vppcfg.plan.rollback import rollback_plan
from vppcfg.render.plan_text import cli_line
from vppcfg.simulator.port import PhysicalPort, generated_mac
from vppcfg.simulator.retval import DiedError
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane

LEFT = (
    "nat64 add prefix 64:ff9b::/96",
    "ip route add 198.51.100.0/24 via 192.0.2.254",
    "set ip neighbor-config ip4 limit 1000",
    "set interface rx-mode {port} interrupt",
)
"""Commands that no configuration can say, with a port in its place."""
IDLE = ("comment {{ {port} }}", "show interface {port}", "# {port}", "show version", "define X {port}")


@examples(9)
@given(state=states())
def test_a_running_vpp_is_adopted_with_an_empty_plan(state: State) -> None:
    adopted = adopt_state(state, "VPP")
    parsed = parse_text(adopted.text, "adopted").configuration
    assert parsed is not None
    resolution = resolve(parsed, state)
    assert make_plan(state, resolution.desired).steps == ()
    assert adopt_state(resolution.desired, "VPP").text == adopted.text


def setup_for(configuration: Configuration) -> tuple[ReplaySetup, list[PhysicalPort]]:
    """Return the ports of a configuration, for an adoption and for a simulated VPP."""
    ports = [
        replace(port, mac=generated_mac(number), link_mtu=9000)
        for number, port in enumerate(assumed_state(configuration).interfaces.values(), 1)
    ]
    setup = ReplaySetup(release=NEWEST, ports=ports, may_assume=False, is_running=True)
    return setup, [port_of(port) for port in ports]


def port_of(port: Interface) -> PhysicalPort:
    return PhysicalPort(name=port.name, device_class=port.device_class, mac=port.mac)


def script_for(configuration: Configuration, ports: Sequence[PhysicalPort]) -> list[str]:
    """Return the commands that bring a VPP with these ports to a configuration, as far as VPP's CLI has any.

    What stands on an interface that only the API can make is left out with it.
    """
    with connected(SimulatedVpp(ports=ports)) as dataplane:
        observed = dataplane.observe()
    plan = make_plan(observed, resolve(configuration, observed).desired)
    lines = [line for operation in plan.operations if (line := cli_line(operation)) is not None]
    vpp = SimulatedVpp(ports=ports)
    return [line for line in lines if not line.startswith("ip link") and vpp.run_line(line)[0] == 0]


def disturbed(lines: Sequence[str], ports: Sequence[PhysicalPort], seed: int) -> list[str]:
    """Return a script with more in it: what no file can say, what has no effect, what is said twice or abbreviated."""
    dice = random.Random(seed)
    port = dice.choice(ports).name if ports else "local0"
    found: list[str] = []
    for line in lines:
        words = line.split()
        if dice.random() < 0.1:
            found.append(dice.choice(LEFT).format(port=port))
        if dice.random() < 0.1:
            found.append(dice.choice(IDLE).format(port=port))
        if dice.random() < 0.2 and line.startswith("set interface mtu packet"):
            found.append(f"set interface mtu packet 1400 {words[-1]}")
        if dice.random() < 0.1:
            found += ["create loopback interface instance 77", "set interface state loop77 up"]
            found += ["delete loopback interface intfc loop77"]
        if line.startswith("set interface state") and dice.random() < 0.3:
            line = f"set int st {' '.join(words[3:])}"
        found.append(line)
        if line.startswith(("set interface mtu", "set interface state")) and dice.random() < 0.1:
            found.append(line)
    return found


def assert_rest_has_what_is_left(adopted: Adoption, commands: Sequence[str]) -> None:
    """Also the sockets of memifs that are left, which the file has too, and the numbers of what the rest creates."""
    left = [item.text.split() for item in adopted.report.lines if item.is_left]
    rest = [line.split() for line in adopted.rest.commands]
    sockets = [words for words in rest if words[:3] == ["create", "memif", "socket"] and words not in left]
    assert all(words in [line.split() for line in commands] for words in sockets)
    others = [words for words in rest if words not in sockets]
    assert len(others) == len(left)
    for said, kept in zip(left, others, strict=True):
        is_numbered = kept[0] == "create" and kept[-2] in {"id", "instance", "renumber"} and kept[-1].isdecimal()
        assert said == kept or (is_numbered and kept[:-2] == said)


@examples(4)
@given(configuration=configurations(), seed=st.integers(0, 2**32))
def test_a_script_and_what_is_adopted_of_it_bring_a_vpp_to_the_same(configuration: Configuration, seed: int) -> None:
    setup, ports = setup_for(configuration)
    lines = disturbed(script_for(configuration, ports), ports, seed)
    adopted = adopt_scripts([Script(name="a.vpp", text="\n".join(lines))], setup, lambda *_: None)
    assert_each_line_has_one_outcome(adopted, lines)
    assert_bring_about_the_same(adopted, lines, ports)


def assert_bring_about_the_same(adopted: Adoption, lines: Sequence[str], ports: Sequence[PhysicalPort]) -> None:
    typed, applied = SimulatedVpp(ports=ports), SimulatedVpp(ports=ports)
    # The settings of linux-cp are startup.conf's; what generated scripts pair names its namespace itself.
    run_as_script(typed, lines)
    run_as_script(applied, adopted.rest.first)
    apply(adopted.text, applied)
    run_as_script(applied, adopted.rest.last)
    with connected(typed) as one, connected(applied) as other:
        assert comparable(described(other)) == comparable(described(one))
        assert routes_of(other) == routes_of(one)


def described(dataplane: LiveDataplane) -> State:
    """Return a state as a file describes it: with names of tables that have a number alone, and marks of ours."""
    return as_applied(with_named_tables(dataplane.observe()))


def routes_of(dataplane: LiveDataplane) -> dict[str, Route]:
    """Return the routes of files and those of the prompt: adopted ones change their owner."""
    state = dataplane.observe()
    return {**by_name(dataplane.routes_of_prompt(state)), **state.of(Route)}


def assert_each_line_has_one_outcome(adopted: Adoption, lines: Sequence[str]) -> None:
    commands = [line for line in lines if not line.startswith("#")]
    assert [item.text.split() for item in adopted.report.lines] == [line.split() for line in commands]
    assert sum(adopted.report.counts().values()) == len(commands)
    assert LineOutcome.NEVER_RAN not in {item.outcome for item in adopted.report.lines}
    assert_rest_has_what_is_left(adopted, commands)


def run_as_script(vpp: SimulatedVpp, lines: Sequence[str]) -> None:
    """Run commands that the simulator has; the others change nothing that a State shows."""
    for line in lines:
        code, text = vpp.run_line(line.split("#")[0].strip() or "show version")
        assert code == 0 or "unknown input" in text, (line, text)


def apply(text: str, vpp: SimulatedVpp) -> None:
    configuration = parse_text(text, "adopted").configuration
    assert configuration is not None
    with connected(vpp) as dataplane:
        observed = dataplane.observe()
        performance = dataplane.perform(make_plan(observed, resolve(configuration, observed).desired).operations)
        assert performance.refusals == ()


def with_table(item: VppObject) -> VppObject:
    is_of_inside = isinstance(item, NatMapping | NatExemption) and item.table_id == OF_THE_INSIDE
    return replace(cast(Any, item), table_id=0) if is_of_inside else item


def comparable(state: State) -> State:
    """Return a state without what vppcfg sets and a script may leave: its marks, and the link MTU.

    Nor with the MAC addresses that GRE tunnels have by the order in which they are made, nor with routes, which change
    their owner. A mapping of NAT44 that was typed without a table is one of the inside's, which is the default one.
    """
    gres = state.virtual_as(Gre)
    return replace(
        state,
        interfaces={
            name: replace(each, tag="", link_mtu=None, mac="" if name in gres else each.mac)
            for name, each in state.interfaces.items()
        },
        objects={
            kind: {name: with_table(each) for name, each in items.items()}
            for kind, items in state.objects.items()
            if kind is not Route
        },
        bridges={name: replace(each, tag="") for name, each in state.bridges.items()},
        facts=Facts(),
    ).with_explicit_mtus()


@examples(4)
@given(seed=st.integers(0, 2**32))
def test_what_is_typed_at_random_is_adopted_and_each_line_of_the_file_counts(seed: int) -> None:
    ports = [PhysicalPort(name=name, device_class="dpdk") for name in PORTS]
    lines = list(taken_at_random(SimulatedVpp(ports=ports), seed))
    with connected(SimulatedVpp(ports=ports)) as dataplane:
        known = [each for each in dataplane.observe().interfaces.values() if each.name in PORTS]
    setup = ReplaySetup(release=NEWEST, ports=known, may_assume=False, is_running=True)
    adopted = adopt_scripts([Script(name="a.vpp", text="\n".join(lines))], setup, lambda *_: None)
    assert_each_line_has_one_outcome(adopted, lines)
    if not any("bring" in notice for notice in adopted.report.notices):
        assert_bring_about_the_same(adopted, lines, ports)
    said = [number for number, line in enumerate(adopted.report.lines) if line.outcome is LineOutcome.FILE]
    for left_out in said[-1:]:
        fewer = [line for number, line in enumerate(lines) if number != left_out]
        other = adopt_scripts([Script(name="a.vpp", text="\n".join(fewer))], setup, lambda *_: None)
        assert other.text != adopted.text or LineOutcome.FAULT in {line.outcome for line in other.report.lines}, lines[
            left_out
        ]


@examples(5)
@given(seed=st.integers(0, 2**32))
def test_what_is_typed_at_random_can_be_dumped_and_planned_beside(seed: int) -> None:
    """The dump is valid and asks for nothing; a file that leaves all that to others can be applied and taken back."""
    ports = [PhysicalPort(name=name, device_class="dpdk") for name in (*PORTS, "own")]
    vpp = SimulatedVpp(ports=ports)
    list(taken_at_random(vpp, seed))
    with connected(vpp) as dataplane:
        state = dataplane.observe()
    adopted = adopt_state(state, "VPP")
    assert adopted.text == write(state)
    others = ", ".join(f'"{name}"' for name in state.interfaces if name != "own")
    bridges = "".join(f", {name}" for name in state.bridges)
    text = f"interfaces: {{ own: {{ mtu: 1500 }} }}\nunmanaged: [ {others}{bridges} ]\n"
    configuration = parse_text(text, "f").configuration
    assert configuration is not None, text
    resolution = resolve(configuration, state)
    plan = make_plan(resolution.observed, resolution.desired)
    back = rollback_plan(plan, lambda name: False)
    assert {each.subject for each in (*plan.operations, *back.operations)} & set(state.interfaces) <= {"own"}


@examples(5)
@given(seed=st.integers(0, 2**32))
def test_what_is_typed_at_random_can_be_changed_and_taken_back(seed: int) -> None:
    """Any key of the dump may go, and any interface be left to others, where that makes a valid file."""
    vpp = SimulatedVpp(ports=[PhysicalPort(name=name, device_class="dpdk") for name in PORTS])
    list(taken_at_random(vpp, seed))
    with connected(vpp) as dataplane:
        state = dataplane.observe()
    dice = random.Random(seed)
    for _ in range(4):
        data = yaml.safe_load(write(state))
        if dice.random() < 0.5:
            name = dice.choice([name for name, each in state.interfaces.items() if each.parent is None])
            data = {key: _without(value, name) for key, value in data.items()}
            data["unmanaged"] = [*data.get("unmanaged", ()), name]
        elif paths := [path for path in _paths(data) if len(path) > 2]:
            path = dice.choice(paths)
            reduce(getitem, path[:-1], data).pop(path[-1])
        configuration = parse_text(yaml.safe_dump(data), "f").configuration
        resolution = resolve(configuration, state) if configuration is not None else None
        if resolution is not None and not any(each.severity is Severity.ERROR for each in resolution.problems):
            rollback_plan(make_plan(resolution.observed, resolution.desired), lambda name: False)


def _without(section: Any, name: str) -> Any:
    return {key: each for key, each in section.items() if key != name} if isinstance(section, dict) else section


def _paths(data: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in data.items():
        yield (*above, key)
        if isinstance(value, dict):
            yield from _paths(value, (*above, key))


def taken_at_random(vpp: SimulatedVpp, seed: int) -> Iterator[str]:
    """Yield lines that a VPP takes one after the other, until one ends it."""
    for line in typed_lines(seed, 60):
        try:
            if vpp.run_line(line)[0] == 0:
                yield line
        except DiedError:
            return
