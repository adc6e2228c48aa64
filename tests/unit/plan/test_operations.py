"""What operations demand: each refusal is one that VPP gives, or a reference that would dangle."""

from dataclasses import replace
from typing import Any

import pytest

from vppcfg.errors import ContradictionError, ExitCode, PlanProofError
from vppcfg.kinds.address import AddAddress, RemoveAddress
from vppcfg.kinds.bond.operations import AddBondMember
from vppcfg.kinds.gre import CreateGre
from vppcfg.kinds.interface import SetAdminState, SetLinkMtu, SetPacketMtu
from vppcfg.kinds.l2_operations import LeaveL2, SetCrossConnect
from vppcfg.kinds.lcp.operations import CreateLcpPair, DeleteLcpPair
from vppcfg.kinds.link_local import SetLinkLocal
from vppcfg.kinds.linux_device import CreateLinuxBridge
from vppcfg.kinds.sub_interface import CreateSubInterface, DeleteSubInterface
from vppcfg.kinds.vrf_operations import CreateVrf
from vppcfg.model.bond import Bond, Membership
from vppcfg.model.features import Mirror
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.kinds import as_created
from vppcfg.model.lcp import LcpPair
from vppcfg.model.state import Facts, State
from vppcfg.model.tunnel import Gre
from vppcfg.model.vrf import FibTable, table_key
from vppcfg.operations.operation import Operation
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.working_state import WorkingState
from vppcfg.plan.bootstrap_state import ports_alone, restorable
from vppcfg.plan.plan import make_plan
from vppcfg.plan.proof import prove

EXACT = Encapsulation(outer=100, is_exact=True)
PORT = Interface(name="gi0", kind=InterfaceKind.PHYSICAL, device_class="dpdk", link_mtu=1500, packet_mtu=1500)
SUB = Interface(name="gi0.100", kind=InterfaceKind.SUB_INTERFACE, parent="gi0", sub_id=100, encapsulation=EXACT)


def state(*interfaces: Interface, **lcps: LcpPair) -> State:
    return State(
        interfaces={interface.name: interface for interface in interfaces},
        lcps={name.replace("_", "."): pair for name, pair in lcps.items()},
    )


def pair(name: str, host_name: str = "e0") -> CreateLcpPair:
    return CreateLcpPair(interface=name, host_name=host_name, netns="", is_default_netns=True)


REFUSED: list[tuple[str, State, Operation]] = [
    ("does not exist", state(), SetAdminState(interface="gi0", is_up=True)),
    ("cannot come up while gi0 is down", state(PORT, SUB), SetAdminState(interface="gi0.100", is_up=True)),
    (
        "exists",
        state(PORT, SUB),
        CreateSubInterface(interface="gi0.100", parent="gi0", sub_id=100, encapsulation=EXACT),
    ),
    (
        "matches the same",
        state(PORT, SUB),
        CreateSubInterface(interface="gi0.1", parent="gi0", sub_id=1, encapsulation=EXACT),
    ),
    ("gi9 does not exist", state(), CreateSubInterface(interface="gi9.1", parent="gi9", sub_id=1, encapsulation=EXACT)),
    ("has an LCP", state(PORT, SUB, gi0_100=LcpPair(host_name="e0")), DeleteSubInterface(interface="gi0.100")),
    (
        "has addresses",
        state(PORT, replace(SUB, addresses=frozenset({"10.0.0.1/24"}))),
        DeleteSubInterface(interface="gi0.100"),
    ),
    ("another interface sends", state(replace(PORT, l2xc="gi0.100"), SUB), DeleteSubInterface(interface="gi0.100")),
    ("is up", state(PORT, replace(SUB, is_up=True)), DeleteSubInterface(interface="gi0.100")),
    ("no link MTU", state(PORT, SUB), SetLinkMtu(interface="gi0.100", mtu=1500)),
    ("no link MTU", state(replace(PORT, device_class="RDMA interface")), SetLinkMtu(interface="gi0", mtu=9000)),
    ("is up, and its driver", state(replace(PORT, is_up=True)), SetLinkMtu(interface="gi0", mtu=9000)),
    (
        "not exact-match",
        state(PORT, replace(SUB, encapsulation=Encapsulation(outer=1))),
        AddAddress(interface="gi0.100", address="10.0.0.1/24"),
    ),
    ("L2 mode", state(replace(PORT, bridge=1)), AddAddress(interface="gi0", address="10.0.0.1/24")),
    (
        "conflicts with an address of gi0",
        state(replace(PORT, addresses=frozenset({"10.0.0.1/24"})), SUB),
        AddAddress(interface="gi0.100", address="10.0.0.9/30"),
    ),
    ("does not have", state(PORT), RemoveAddress(interface="gi0", address="10.0.0.1/24")),
    ("has an LCP pair", state(PORT, gi0=LcpPair(host_name="e0")), pair("gi0")),
    ("held by gi0", state(PORT, replace(PORT, name="gi1"), gi0=LcpPair(host_name="e0")), pair("gi1")),
    ("gi0 has no LCP", state(PORT, SUB), pair("gi0.100")),
    ("gi0 has no LCP", state(PORT, SUB, gi0=LcpPair(host_name="e1", has_host=False)), pair("gi0.100")),
    (
        "takes no LCP",
        state(PORT, replace(SUB, encapsulation=Encapsulation(outer=1)), gi0=LcpPair(host_name="e1")),
        pair("gi0.100"),
    ),
    (
        "no sub-interface with the outer tag",
        state(
            PORT,
            replace(SUB, encapsulation=Encapsulation(outer=1, inner=2, is_exact=True)),
            gi0=LcpPair(host_name="e1"),
        ),
        pair("gi0.100"),
    ),
    ("has no LCP pair", state(PORT), DeleteLcpPair(interface="gi0")),
    (
        "depends on that of gi0",
        state(PORT, SUB, gi0=LcpPair(host_name="e0"), gi0_100=LcpPair(host_name="e0.100")),
        DeleteLcpPair(interface="gi0"),
    ),
    ("gi9 does not exist", state(PORT), SetCrossConnect(interface="gi0", target="gi9")),
    ("not in L2 mode", state(PORT), LeaveL2(interface="gi0")),
    ("no IPv6 address", state(PORT), SetLinkLocal(interface="gi0", address="fe80::1")),
    ("no IPv6 address", state(PORT), SetLinkLocal(interface="gi0", address="", is_chosen=False)),
    ("no IPv6 address", state(replace(PORT, link_local="fe80::2")), SetLinkLocal(interface="gi0", address="fe80::1")),
]


GRE = Gre(local="192.0.2.1", remote="192.0.2.2")
TUNNELLED = State(
    interfaces={"gre0": as_created("gre0", InterfaceKind.GRE)},
    virtual={"gre0": GRE},
    vrfs={table_key(5, is_ipv6=False): FibTable(table_id=5, is_ipv6=False, name="blue")},
)
REFUSED += [
    ("gre0 is the same tunnel", TUNNELLED, CreateGre(interface="gre1", instance=1, tunnel=GRE)),
    ("exists, and its name cannot be changed", TUNNELLED, CreateVrf(table_id=5, is_ipv6=False, name="red")),
]
BONDED = replace(state(as_created("BondEthernet0", InterfaceKind.BOND)), virtual={"BondEthernet0": Bond()})


def beside_a_bond(port: Interface, **lcps: LcpPair) -> State:
    return replace(BONDED, interfaces={**BONDED.interfaces, port.name: port}, lcps=lcps)


REFUSED += [
    ("still has addresses, an L2 path or an LCP", before, AddBondMember(interface="gi0", bond="BondEthernet0"))
    for before in (
        beside_a_bond(replace(PORT, bridge=1)),
        beside_a_bond(replace(PORT, addresses=frozenset({"10.0.0.1/24"}))),
        beside_a_bond(replace(PORT, unnumbered="BondEthernet0")),
        beside_a_bond(PORT, gi0=LcpPair(host_name="e0")),
    )
]


@pytest.mark.parametrize(
    ("words", "before", "operation"), REFUSED, ids=[f"{type(o).__name__}: {w}" for w, _, o in REFUSED]
)
def test_an_operation_that_vpp_would_refuse_is_refused(words: str, before: State, operation: Operation) -> None:
    reason = operation.precondition_error(WorkingState(before))
    assert reason is not None
    assert words in reason


def test_a_namespace_that_nobody_can_see_may_be_there() -> None:
    bridge = CreateLinuxBridge(netns="blue", bridge="br0")
    assert bridge.precondition_error(WorkingState(state())) is None
    assert (
        bridge.precondition_error(WorkingState(State(facts=Facts(has_linux=True))))
        == "the namespace blue does not exist"
    )


def test_a_plan_that_ends_elsewhere_is_no_plan() -> None:
    with pytest.raises(PlanProofError, match="does not lead to the desired state of gi0"):
        prove(state(PORT), state(replace(PORT, is_up=True)), ())


def test_a_plan_with_a_step_that_would_be_refused_is_no_plan() -> None:
    step = Step(stage=Stage.ADMIN_UP, operation=SetAdminState(interface="gi0.100", is_up=True))
    with pytest.raises(PlanProofError, match="step 1 of the plan"):
        prove(state(PORT, SUB), state(PORT, SUB), (step,))


def test_a_new_link_mtu_overwrites_the_packet_mtus_of_a_port_and_all_that_is_upon_it() -> None:
    other = replace(PORT, name="gi1")
    working = WorkingState(state(PORT, replace(SUB, packet_mtu=1400), other))
    SetLinkMtu(interface="gi0", mtu=1500).apply_to(working)
    assert [working.interfaces[name].packet_mtu for name in ("gi0", "gi0.100")] == [1500, 1400], "VPP does nothing"
    SetLinkMtu(interface="gi0", mtu=9000).apply_to(working)
    sizes = {name: (each.link_mtu, each.packet_mtu) for name, each in working.interfaces.items()}
    assert sizes == {"gi0": (9000, 9000), "gi0.100": (None, 9000), "gi1": (1500, 1500)}


def test_a_plan_that_is_wrong_from_a_sound_state_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vppcfg.plan.plan.steps_of", lambda transition: ())
    with pytest.raises(PlanProofError) as caught:
        make_plan(state(PORT), state(replace(PORT, is_up=True)))
    assert not isinstance(caught.value, ContradictionError)


@pytest.mark.parametrize(
    "observed",
    [
        state(PORT, Interface(name="tap1", kind=InterfaceKind.TAP, tag="vppcfg")),
        state(PORT, gi9=LcpPair(host_name="e0")),
    ],
)
def test_no_plan_begins_at_a_state_that_no_vpp_has(observed: State) -> None:
    with pytest.raises(ContradictionError) as caught:
        make_plan(observed, state(PORT))
    assert caught.value.exit_code is ExitCode.DATAPLANE


def test_the_members_of_a_bond_come_back_with_the_mac_that_it_gives_them() -> None:
    port = replace(PORT, mac="02:00:00:00:00:01")
    bond = Interface(name="BondEthernet0", kind=InterfaceKind.BOND, mac=port.mac)
    bonded = State(interfaces={"gi0": port, bond.name: bond}, virtual={bond.name: Bond(members={"gi0": Membership()})})
    assert restorable(bonded).interfaces["gi0"].mac == ""
    assert restorable(state(port)).interfaces["gi0"].mac == port.mac


def test_no_way_leads_back_to_copies_of_frames_that_end_vpp() -> None:
    copied = replace(PORT, mirrors=tuple(Mirror(target=name) for name in ("DELETED", "gi1", "gre0")))
    others = (replace(PORT, name="gi1"), Interface(name="gre0", kind=InterfaceKind.GRE))
    assert restorable(state(copied, *others)).interfaces["gi0"].mirrors == (Mirror(target="gi1"),)


@pytest.mark.parametrize(
    ("target", "source", "is_kept"),
    [
        ({}, {}, False),
        ({"l2xc": "gi0"}, {}, True),
        ({"bridge": 10}, {}, True),
        ({"bridge": 10, "is_bvi": True}, {}, False),
        ({}, {"l2xc": "gi1"}, True),
    ],
    ids=["routes", "is cross-connected", "is bridged", "is a BVI", "gets what another one sends"],
)
def test_copies_in_l2_mode_come_back_where_the_target_switches(
    target: dict[str, Any], source: dict[str, Any], is_kept: bool
) -> None:
    mirror = Mirror(target="gi1", is_l2=True)
    states = state(replace(PORT, mirrors=(mirror,), **source), replace(PORT, name="gi1", **target))
    assert restorable(states).interfaces["gi0"].mirrors == ((mirror,) if is_kept else ())


def test_ports_alone_have_nothing_on_them() -> None:
    port = replace(PORT, addresses=frozenset({"192.0.2.1/24"}), l2xc="gi1", bridge=3, tables=(5, 6), is_up=True)
    assert ports_alone(state(port, SUB)) == state(replace(PORT, is_up=True))


def test_a_port_gets_its_packet_mtus_whatever_it_had() -> None:
    plan = make_plan(state(replace(PORT, packet_mtu=1400)), state(PORT))
    assert plan.operations == (SetPacketMtu(interface="gi0", mtu=1500),)
    none = replace(PORT, packet_mtu=0)
    plan = make_plan(state(none), state(replace(none, protocol_mtus=(1300, 0, 0))))
    assert plan.operations == (SetPacketMtu(interface="gi0", mtu=0, protocol_mtus=(1300, 0, 0)),)
