"""What an interface offers to traffic, read from a state, and what is missing of it in another one."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from vppcfg.kinds.acl_operations import BindAcls
from vppcfg.kinds.address import AddAddress, RemoveAddress
from vppcfg.kinds.linux_device import SetLinuxLink
from vppcfg.kinds.loopback import DeleteLoopback
from vppcfg.kinds.mpls import SetMpls
from vppcfg.kinds.unnumbered import SetUnnumbered, UnsetUnnumbered
from vppcfg.model.acl import Acl, AclAction, AclBinding, AclRule
from vppcfg.model.bond import Bond
from vppcfg.model.bridge import Bridge, BridgeSettings
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.ipfix import FlowRecords
from vppcfg.model.lcp import LcpPair
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.state import Facts, State
from vppcfg.model.tap import Tap
from vppcfg.model.vrf import FibTable, table_key
from vppcfg.operations.working_state import WorkingState
from vppcfg.plan.plan import make_plan
from vppcfg.plan.services import NOTHING, Missing, Service, ServicePart, Services, missing

PORT = Interface(name="gi0", kind=InterfaceKind.PHYSICAL, link_mtu=9000, packet_mtu=1500, is_up=True)
OTHER = replace(PORT, name="gi1", packet_mtu=1400)
SUB = Interface(
    name="gi1.1",
    kind=InterfaceKind.SUB_INTERFACE,
    parent="gi1",
    sub_id=1,
    encapsulation=Encapsulation(outer=1, is_exact=True),
)
UP = ("gi0", "gi1", "gi1.1")


def service(name: str, *interfaces: Interface, up: tuple[str, ...] = UP, **tables: Mapping[str, object]) -> Service:
    """Return what an interface offers in a state with these interfaces, of which some have link."""
    state = State(interfaces={each.name: each for each in interfaces}, **tables)  # type: ignore[arg-type]
    members = {10: tuple(each.name for each in interfaces if each.bridge == 10 and each.name in up)}
    bonds = {member: name for name, bond in state.virtual_as(Bond).items() for member in bond.members}
    return Services(state, up, members, bonds).of(name)


def test_what_is_not_there_offers_nothing() -> None:
    assert service("gi0", OTHER) == NOTHING


def test_frames_go_nowhere_from_a_port_without_link() -> None:
    ends = (replace(PORT, l2xc="gi1"), replace(OTHER, l2xc="gi0"))
    assert service("gi0", *ends).path == ("l2xc", "gi1", None)
    assert service("gi0", *ends, up=("gi1",)).path is None
    assert service("gi0", *ends, up=("gi0",)).path is None, "the other end has no link"


def test_a_bridge_forwards_between_two_members_with_link_unless_it_is_told_not_to() -> None:
    ports = (replace(PORT, bridge=10), replace(OTHER, bridge=10))
    assert service("gi0", *ports).path == ("bridge", 10, False, 0, None)
    assert service("gi0", *ports, up=("gi0",)).path is None
    shut = {"bd10": Bridge(bd_id=10, settings=BridgeSettings(unicast_forward=False))}
    assert service("gi0", *ports, bridges=shut).path is None
    assert service("gi0", *ports, bridges={"bd10": Bridge(bd_id=10)}).path is not None


def test_the_switches_of_a_bridge_are_policy_of_its_members_alone() -> None:
    bridges = {"bd10": Bridge(bd_id=10, settings=BridgeSettings(learn=False))}
    assert service("gi0", replace(PORT, bridge=10), OTHER, bridges=bridges).policy.bridge[0] is False
    assert service("gi1", replace(PORT, bridge=10), OTHER, bridges=bridges).policy.bridge == ()


@pytest.mark.parametrize(
    ("interfaces", "sizes"),
    [
        ((PORT,), (9000, 1500, 1500, 1500, 1500, 0, 0)),
        ((replace(PORT, packet_mtu=0, link_mtu=None),), (0, 0, 0, 0, 0, 0, 0)),
        ((replace(PORT, protocol_mtus=(1300, 1310, 1320)),), (9000, 1500, 1300, 1310, 1320, 0, 0)),
        ((replace(PORT, l2xc="gi1"), OTHER), (9000, 1500, 1500, 1500, 1500, 0, 1400)),
        ((replace(PORT, l2xc="gi1.1"), OTHER, SUB), (9000, 1500, 1500, 1500, 1500, 0, 1400)),
        ((replace(PORT, l2xc="gi1.1"), OTHER, replace(SUB, packet_mtu=1200)), (9000, 1500, 1500, 1500, 1500, 0, 1200)),
        ((replace(PORT, l2xc="gi1.1"), SUB), (9000, 1500, 1500, 1500, 1500, 0, 0)),
    ],
)
def test_sizes_are_those_in_force(interfaces: tuple[Interface, ...], sizes: tuple[int, ...]) -> None:
    assert service("gi0", *interfaces).sizes == sizes


def device_of(*, parent_is_up: bool | None) -> str | None:
    linux = {"gi1.1": LinuxDevice(is_up=True, bridge="br0", mtu=1500)}
    if parent_is_up is not None:
        linux["gi1"] = LinuxDevice(is_up=parent_is_up, mtu=1500)
    return service("gi1.1", OTHER, SUB, linux=linux).device


def test_a_vlan_of_a_device_that_is_down_does_nothing() -> None:
    assert [device_of(parent_is_up=is_up) for is_up in (None, True, False)] == ["br0", "br0", None]
    assert service("gi1", OTHER, linux={"gi1": LinuxDevice(is_up=False, mtu=1500)}).device is None
    assert service("gi1", OTHER, linux={"gi1": LinuxDevice(is_up=True, mtu=1500)}).device == ""


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ("br0", "br0", []),
        ("br0", None, [(ServicePart.DEVICE, "")]),
        ("br0", "br1", [(ServicePart.DEVICE, "")]),
        ("br0", "", [(ServicePart.DEVICE, "")]),
        ("", "br0", []),
        ("", None, [(ServicePart.DEVICE, "")]),
        (None, "br0", []),
        (None, None, []),
    ],
)
def test_a_device_is_missing_when_it_is_down_or_in_another_bridge(
    before: str | None, now: str | None, expected: list[Missing]
) -> None:
    assert list(missing(Service(device=before), Service(device=now))) == expected


LOOPBACK = Interface(name="loop0", kind=InterfaceKind.LOOPBACK, packet_mtu=9000, addresses=frozenset({"192.0.2.1/32"}))


def test_what_an_interface_does_besides_its_macip_acl_is_policy_too() -> None:
    guarded = replace(PORT, macip="hosts")
    recorded = replace(guarded, flow_records=FlowRecords())
    assert service("gi0", recorded).policy != service("gi0", guarded).policy


def test_what_lends_its_addresses_cannot_go_until_nobody_borrows_them() -> None:
    working = WorkingState(State(interfaces={"gi0": PORT, "loop0": replace(LOOPBACK, addresses=frozenset())}))
    delete = DeleteLoopback(interface="loop0")
    assert delete.precondition_error(working) is None
    SetUnnumbered(interface="gi0", donor="loop0").apply_to(working)
    assert delete.precondition_error(working) is not None
    UnsetUnnumbered(interface="gi0", donor="loop0").apply_to(working)
    assert delete.precondition_error(working) is None


def test_only_a_borrower_whose_interface_is_made_anew_borrows_again() -> None:
    def borrower(**changes: object) -> State:
        sub = replace(SUB, parent="gi0", name="gi0.1", unnumbered="loop0", is_up=True, packet_mtu=1500)
        interfaces = {"gi0": PORT, "loop0": LOOPBACK, "gi0.1": replace(sub, **changes)}  # type: ignore[arg-type]
        return State(interfaces=interfaces)

    def borrowing(plan_to: State) -> list[str]:
        names = [type(operation).__name__ for operation in make_plan(borrower(), plan_to).operations]
        return [name for name in names if "Unnumbered" in name]

    assert borrowing(borrower(packet_mtu=1400)) == []
    assert borrowing(borrower(encapsulation=Encapsulation(outer=2, is_exact=True))) == [
        "UnsetUnnumbered",
        "SetUnnumbered",
    ]


def test_a_tap_has_its_device_as_a_pair_has_its_own() -> None:
    tap = Interface(name="tap1", kind=InterfaceKind.TAP, is_up=True)
    made = {"tap1": Tap(host_name="vm1", host_netns="blue")}
    assert service("tap1", tap, virtual=made).pair == ("blue", "vm1")
    assert service("tap1", tap, virtual=made, lcps={"tap1": LcpPair(host_name="e0", netns="red")}).pair == ("red", "e0")
    assert service("tap1", tap, lcps={"tap1": LcpPair(host_name="e0", has_host=False)}).pair is None
    assert service("gi0", PORT).pair is None


@pytest.mark.parametrize("has_pair", [True, False])
def test_mpls_is_turned_off_before_an_interface_is_made_anew_and_on_after_that(*, has_pair: bool) -> None:
    def state(outer: int, host_name: str = "e0") -> State:
        sub = replace(SUB, has_mpls=True, encapsulation=Encapsulation(outer=outer, is_exact=True))
        lcps = {"gi1": LcpPair(host_name="e1"), "gi1.1": LcpPair(host_name=host_name)} if has_pair else {}
        return State(interfaces={"gi1": OTHER, "gi1.1": sub}, lcps=lcps, has_mpls_table=True)

    def switched(now: State) -> list[bool]:
        operations = make_plan(state(1), now).operations
        return [operation.is_on for operation in operations if isinstance(operation, SetMpls)]

    assert switched(state(2)) == [False, True]
    assert switched(state(1)) == []
    assert switched(state(1, "other")) == ([False, True] if has_pair else [])


def in_tables(tables: tuple[int, int], *addresses: str) -> State:
    keys = {(5, False): "five", (6, True): "six", (7, True): "seven"}
    vrfs = {
        table_key(number, is_ipv6=is_ipv6): FibTable(table_id=number, is_ipv6=is_ipv6, name=name)
        for (number, is_ipv6), name in keys.items()
    }
    return State(interfaces={"gi0": replace(PORT, tables=tables, addresses=frozenset(addresses))}, vrfs=vrfs)


def test_only_the_addresses_of_the_family_that_moves_are_removed_and_added_again() -> None:
    both = ("192.0.2.1/24", "2001:db8::1/64")
    operations = make_plan(in_tables((5, 6), *both), in_tables((5, 7), *both)).operations
    touched = {each.address for each in operations if isinstance(each, AddAddress | RemoveAddress)}
    assert touched == {"2001:db8::1/64"}


def test_an_address_may_go_for_one_of_the_other_family() -> None:
    operations = make_plan(in_tables((5, 6), "192.0.2.1/24"), in_tables((5, 6), "2001:db8::1/64")).operations
    assert [type(each).__name__ for each in operations] == ["AddAddress", "RemoveAddress"]


def test_the_lists_of_what_a_cross_connect_leads_to_are_bound_anew_only_when_they_change() -> None:
    rule = AclRule(action=AclAction.PERMIT, source="0.0.0.0/0", destination="0.0.0.0/0")
    acls = {name: Acl(rules=(rule,)) for name in ("a", "b")}

    def state(list_name: str, mtu: int = 1400) -> State:
        target = replace(OTHER, acls=AclBinding(input=(list_name,)), packet_mtu=mtu)
        return State(interfaces={"gi0": replace(PORT, l2xc="gi1"), "gi1": target}, acls=acls)

    def bound(now: State) -> list[AclBinding]:
        operations = make_plan(state("a"), now).operations
        return [each.binding for each in operations if isinstance(each, BindAcls)]

    assert bound(state("b")) == [AclBinding(), AclBinding(input=("b",))]
    assert bound(state("a", mtu=1300)) == []


@pytest.mark.parametrize(("plugins", "is_set_down"), [({"linux_cp"}, False), ({"linux_cp", "linux_nl"}, True)])
def test_a_device_is_set_down_before_it_goes_where_linux_nl_hears_of_it(plugins: set[str], is_set_down: bool) -> None:
    """What is upon the VLAN stays, without a pair: nothing of it is in Linux."""
    device = LinuxDevice(mtu=1500, is_up=True)
    vlan = replace(SUB, packet_mtu=1500, is_up=True)
    inner = replace(vlan, name="gi1.2", sub_id=2, encapsulation=Encapsulation(outer=1, inner=2, is_exact=True))
    inner = replace(inner, has_mpls=True)
    before = State(
        interfaces={each.name: each for each in (OTHER, vlan, inner)},
        lcps={"gi1": LcpPair(host_name="e1"), "gi1.1": LcpPair(host_name="e1.1")},
        linux={"gi1": device, "gi1.1": device},
        has_mpls_table=True,
        facts=Facts(plugins=frozenset(plugins), has_linux=True),
    )
    after = replace(
        before,
        interfaces={each.name: each for each in (OTHER, inner)},
        lcps={"gi1": before.lcps["gi1"]},
        linux={"gi1": device},
    )
    set_down = [each for each in make_plan(before, after).operations if isinstance(each, SetLinuxLink)]
    assert [(each.interface, each.is_up) for each in set_down] == [("gi1.1", False)] * is_set_down
