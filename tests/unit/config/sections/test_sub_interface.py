"""A sub-interface that VPP has without an MTU: what is said of it, and when it is told one."""

from dataclasses import replace

import pytest

from vppcfg.config.load import parse_text
from vppcfg.config.resolve import Resolution, resolve
from vppcfg.config.valid_dump import write
from vppcfg.kinds.interface import SetPacketMtu
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.plan.plan import make_plan
from vppcfg.plan.proof import replay

PORT = Interface(
    name="eth0", kind=InterfaceKind.PHYSICAL, device_class="af-packet", link_mtu=1500, packet_mtu=1500, is_up=True
)
SUB = Interface(
    name="eth0.100",
    kind=InterfaceKind.SUB_INTERFACE,
    parent="eth0",
    sub_id=100,
    encapsulation=Encapsulation(outer=100, is_exact=True),
    is_up=True,
)
FILE = "interfaces: {{ eth0: {{ mtu: {mtu}, sub-interfaces: {{ 100: {{ {keys} }} }} }} }}\n"


def vpp(sub_mtu: int = 0, mtu: int = 1500) -> State:
    port, sub = replace(PORT, link_mtu=mtu, packet_mtu=mtu), replace(SUB, packet_mtu=sub_mtu)
    return State(interfaces={each.name: each for each in (port, sub)})


def wanted(text: str, state: State) -> Resolution:
    loaded = parse_text(text, "file")
    assert loaded.configuration is not None, loaded.problems
    return resolve(loaded.configuration, state)


def told(text: str, state: State) -> list[int]:
    """Return the MTUs that the sub-interface is told; nothing is left to do afterwards."""
    plan = make_plan(state, wanted(text, state).desired)
    reached = replay(state, plan.steps)
    again = wanted(text, reached)
    assert [make_plan(reached, again.desired).operations, again.problems] == [(), ()]
    return [
        operation.mtu
        for operation in plan.operations
        if isinstance(operation, SetPacketMtu) and operation.interface == "eth0.100"
    ]


def test_a_sub_interface_that_comes_up_is_told_its_mtu_as_one_is_that_is_made() -> None:
    """An apply that was killed leaves sub-interfaces that were made, and not told theirs: they would route 9000."""
    state, text = vpp(), FILE.format(mtu=1500, keys="state: up")
    left = replace(state, interfaces={**state.interfaces, "eth0.100": replace(SUB, is_up=False)})
    assert wanted(text, left).problems == ()
    assert told(text, left) == [1500]
    assert make_plan(left, wanted(write(left), left).desired).operations == ()


def test_a_sub_interface_without_an_mtu_is_said_to_send_larger_packets_than_the_file_means() -> None:
    text, state = FILE.format(mtu=1500, keys="state: up"), vpp()
    resolution = wanted(text, state)
    (problem,) = resolution.problems
    assert (problem.rule, problem.severity.value) == ("sub-mtu-unset", "warning")
    assert "routes packets of up to 9000 bytes out of it and not 1500; add `mtu: 1500`" in problem.text
    assert make_plan(state, resolution.desired).operations == ()
    assert resolution.is_possible


@pytest.mark.parametrize("mtu", [1500, 9000, 9216])
def test_the_plan_of_a_dump_is_empty_and_says_what_vpp_does(mtu: int) -> None:
    state = vpp(mtu=mtu)
    resolution = wanted(write(state), state)
    assert make_plan(state, resolution.desired).operations == ()
    assert [problem.rule for problem in resolution.problems] == ([] if mtu == 9000 else ["sub-mtu-unset"])
