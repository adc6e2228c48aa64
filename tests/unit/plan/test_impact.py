"""What operations do to traffic."""

from __future__ import annotations

from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.plan.impact import Impact, impact_by_interface
from vppcfg.plan.operations import (
    AddAddress,
    DeleteLcpPair,
    DeleteSubInterface,
    LeaveL2,
    Operation,
    RemoveAddress,
    SetAdminState,
    SetLinkMtu,
    SetPacketMtu,
    SetTagRewrite,
)
from vppcfg.plan.stages import Stage, Step


def port(name: str, *, is_up: bool) -> Interface:
    return Interface(name=name, kind=InterfaceKind.PHYSICAL, link_mtu=1500, packet_mtu=1500, is_up=is_up)


SUB = Interface(
    name="up.1",
    kind=InterfaceKind.SUB_INTERFACE,
    parent="up",
    sub_id=1,
    encapsulation=Encapsulation(outer=1, is_exact=True),
    is_up=True,
)
STATE = State(interfaces={"up": port("up", is_up=True), "down": port("down", is_up=False), "up.1": SUB})


def impact(operation: Operation) -> Impact:
    return operation.impact_on(STATE)


def test_what_is_added_harms_nobody() -> None:
    assert impact(AddAddress(interface="up", address="192.0.2.1/24")) is Impact.NONE
    assert impact(SetPacketMtu(interface="up", mtu=1400)) is Impact.NONE
    assert impact(SetAdminState(interface="down", is_up=True)) is Impact.NONE


def test_what_interrupts_traffic_is_a_flap_where_there_was_traffic() -> None:
    for name, expected in (("up", Impact.FLAP), ("down", Impact.NONE), ("not there yet", Impact.NONE)):
        assert impact(SetLinkMtu(interface=name, mtu=9000)) is expected
        assert impact(SetAdminState(interface=name, is_up=False)) is expected
        assert impact(LeaveL2(interface=name)) is expected
        assert impact(RemoveAddress(interface=name, address="192.0.2.1/24")) is expected


def test_writing_the_same_tag_rewrite_again_harms_nobody() -> None:
    assert impact(SetTagRewrite(interface="up", tag_rewrite=None)) is Impact.NONE


def test_what_removes_objects_is_the_worst() -> None:
    assert impact(DeleteSubInterface(interface="up.1")) is Impact.RECREATE
    assert impact(DeleteLcpPair(interface="down")) is Impact.RECREATE


def test_sub_interfaces_feel_the_link_of_their_port() -> None:
    steps = [Step(stage=Stage.LINK_MTU, operation=SetLinkMtu(interface="up", mtu=9000))]
    assert impact_by_interface(steps, STATE) == {"up": Impact.FLAP, "up.1": Impact.FLAP}
