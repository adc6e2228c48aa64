"""Where a way back leads: to the former state, but for what no plan may touch or can make."""

from dataclasses import replace

import pytest

from vppcfg.errors import PlanProofError
from vppcfg.kinds.host_interface import DeleteHostInterface
from vppcfg.kinds.interface import SetRxMode, SetTag
from vppcfg.kinds.memif import DeleteMemifSocket
from vppcfg.kinds.vrf_operations import DeleteVrf, ReleaseTypedVrf
from vppcfg.model.acl import Acl, AclAction, AclRule
from vppcfg.model.bond import Bond, Membership
from vppcfg.model.bridge import Bridge, BridgeSettings
from vppcfg.model.features import NO_ADVERTISEMENTS, RaPrefix
from vppcfg.model.host_interface import HostInterface
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, RxMode
from vppcfg.model.lcp import LcpPair
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.ownership import CREATED_MARK
from vppcfg.model.state import Facts, State
from vppcfg.model.vhost_user import VhostUser, VhostUserRole
from vppcfg.model.vrf import FibTable, table_key
from vppcfg.operations.stages import turn_starts
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.proof import WrongEndError
from vppcfg.plan.rollback import Reachable, closest_to, created_ports, prove_way_back, rollback_plan, way_back

PORT = Interface(name="port", kind=InterfaceKind.PHYSICAL, packet_mtu=1500)
LOOPBACK = Interface(name="loop0", kind=InterfaceKind.LOOPBACK, packet_mtu=9000)
VHOST = "VirtualEthernet0/0/7"
POLLED = Interface(
    name=VHOST, kind=InterfaceKind.PHYSICAL, device_class="vhost-user", packet_mtu=9000, rx_mode=RxMode.POLLING
)
"""A vhost-user port that VPP polls, without the mark of a port that was made."""
SERVER, CLIENT = (VhostUser(socket="/run/vm.sock", role=role) for role in (VhostUserRole.SERVER, VhostUserRole.CLIENT))


def sub(parent: str, mtu: int = 1500) -> Interface:
    return Interface(
        name=f"{parent}.100",
        kind=InterfaceKind.SUB_INTERFACE,
        parent=parent,
        sub_id=100,
        encapsulation=Encapsulation(outer=100),
        packet_mtu=mtu,
    )


def state_of(*interfaces: Interface) -> State:
    return State(interfaces={interface.name: interface for interface in interfaces})


def back(former: State, now: State, *unmanaged: str) -> Reachable:
    return closest_to(former, now, lambda name: name in unmanaged)


def test_a_port_that_is_gone_is_missing_with_what_is_upon_it() -> None:
    """A loopback is not: it can be made."""
    reachable = back(state_of(PORT, sub("port"), LOOPBACK), State())
    assert reachable.missing == ("port",)
    assert list(reachable.state.interfaces) == ["loop0"]


def test_a_port_that_has_come_stays_with_what_is_upon_it() -> None:
    other = Interface(name="other", kind=InterfaceKind.PHYSICAL, packet_mtu=9000)
    reachable = back(state_of(PORT), state_of(PORT, other, sub("other"), sub("port"), LOOPBACK))
    assert set(reachable.state.interfaces) == {"port", "other", "other.100"}


def test_what_is_unmanaged_stays_as_it_is_now() -> None:
    now = state_of(PORT, sub("port", mtu=1400))
    reachable = back(state_of(PORT, sub("port", mtu=1300), LOOPBACK), now, "port.100", "loop0")
    assert reachable.state.interfaces == now.interfaces, "also what is gone and was unmanaged"


@pytest.mark.parametrize("knows", ["former", "now"])
def test_devices_go_with_what_they_belong_to_when_only_one_of_both_states_knows_linux(knows: str) -> None:
    """A rollback may reach back to before vppcfg could read Linux, or run where it cannot."""
    pair = LcpPair(host_name="loop0")
    knowing = replace(
        state_of(PORT, LOOPBACK),
        lcps={"loop0": pair},
        linux={"loop0": LinuxDevice(mtu=9000, is_up=True)},
        facts=Facts(has_linux=True),
    )
    former, now = (knowing, state_of(PORT)) if knows == "former" else (state_of(PORT), knowing)
    reachable = back(former, now)
    assert make_plan(now, reachable.state).reached.lcps == reachable.state.lcps
    assert reachable.state.linux == {}


def test_the_device_of_a_pair_that_stays_is_as_it_is_now_where_the_former_state_did_not_know_linux() -> None:
    now = replace(
        state_of(PORT),
        lcps={"port": LcpPair(host_name="e0")},
        linux={"port": LinuxDevice(mtu=9000, is_up=True)},
        facts=Facts(has_linux=True),
    )
    former = replace(now, linux={}, facts=Facts())
    assert back(former, now).state.linux == {"port": LinuxDevice(mtu=9000, is_up=True)}


def test_what_is_unmanaged_or_somebody_elses_of_bridges_and_lists_stays_as_it_is_now() -> None:
    def state(learn: bool, action: AclAction) -> State:
        tags = {"bd1": "", "bd2": "", "bd3": "theirs"}
        bridges = {
            name: Bridge(bd_id=number, tag=tag, settings=BridgeSettings(learn=learn))
            for number, (name, tag) in enumerate(tags.items(), start=1)
        }
        rule = AclRule(action=action, source="0.0.0.0/0", destination="0.0.0.0/0")
        acls = {name: Acl(tag=tag, rules=(rule,)) for name, tag in (("a", "vppcfg a"), ("b", "b"), ("acl:@7", ""))}
        return State(bridges=bridges, acls=acls)

    former, now = state(learn=True, action=AclAction.PERMIT), state(learn=False, action=AclAction.DENY)
    reached = back(former, now, "bd2", "acl:").state
    assert {name: bridge.settings.learn for name, bridge in reached.bridges.items()} == {
        "bd1": True,
        "bd2": False,
        "bd3": False,
    }
    assert {name: acl.rules[0].action for name, acl in reached.acls.items()} == {
        "a": AclAction.PERMIT,
        "b": AclAction.DENY,
        "acl:@7": AclAction.DENY,
    }


def test_an_interface_that_the_change_has_taken_over_is_rolled_back_with_its_tag_and_its_children() -> None:
    """That is what `apply --adopt` does. One that is still of others stays as it is now, and so does what is below."""
    child = Interface(name="port.100", kind=InterfaceKind.SUB_INTERFACE, parent="port", sub_id=100, tag="theirs")
    former = state_of(replace(PORT, tag="theirs", addresses=frozenset({"192.0.2.1/24"})), child)
    now = state_of(replace(PORT, tag="", addresses=frozenset({"198.51.100.1/24"})))
    target = back(former, now).state
    assert target.interfaces["port"] == former.interfaces["port"]
    assert "port.100" not in target.interfaces, "others have made it, and it is gone"
    theirs = state_of(replace(now.interfaces["port"], tag="theirs"))
    assert back(former, theirs).state.interfaces == theirs.interfaces
    half_way = closest_to(former, theirs, lambda name: False, (), now)
    assert half_way.state.interfaces["port"] == former.interfaces["port"], "the change has not got as far as the tag"


def test_a_table_of_nobodys_comes_back_only_for_what_comes_back() -> None:
    key = table_key(5, is_ipv6=False)
    table = FibTable(table_id=5, is_ipv6=False, name=key)
    former = replace(state_of(replace(PORT, tables=(5, 0))), vrfs={key: table})
    now = state_of(PORT)
    assert table.is_unnamed and replace(table, name="ipv4-VRF:-1").is_unnamed
    assert set(back(former, now).state.vrfs) == {key}
    assert back(former, now, "port").state.vrfs == {}, "what was in it stays where it is now"


def test_a_table_of_ours_comes_back_though_nothing_is_in_it() -> None:
    blue = {table_key(5, is_ipv6=False): FibTable(table_id=5, is_ipv6=False, name="blue")}
    former, now = replace(state_of(PORT), vrfs=blue), state_of(PORT)
    assert back(former, now).state.vrfs == blue
    assert back(former, now, "vrf:blue").state.vrfs == {}
    assert back(now, former).state.vrfs == {}
    assert back(now, former, "vrf:blue").state.vrfs == blue


def test_a_port_that_the_change_made_goes_although_it_bears_no_mark_yet() -> None:
    """VPP cannot mark a host-interface while it makes it, so that a change can be cut off in between."""
    name, made = "host-e1", HostInterface(device="e1")
    unmarked = Interface(name=name, kind=InterfaceKind.PHYSICAL, link_mtu=9000, packet_mtu=9000)
    now = replace(state_of(PORT, unmarked), virtual={name: made})
    after = replace(state_of(PORT, replace(unmarked, kind=made.kind, tag=CREATED_MARK)), virtual={name: made})
    created = created_ports(state_of(PORT), after)
    target = closest_to(state_of(PORT), now, lambda name: False, created)
    assert make_plan(now, target.state).operations == (DeleteHostInterface(interface=name, port=made),)
    assert closest_to(state_of(PORT), now, lambda name: False).state.interfaces.keys() == {"port", name}
    not_made = replace(now, virtual={})
    assert closest_to(state_of(PORT), not_made, lambda name: False, created).state.interfaces.keys() == {"port", name}


def test_a_port_without_its_mark_that_vpp_polls_has_a_way_back_to() -> None:
    """VPP polls a vhost-user port as long as nobody is at the other end, also one that a change was cut off behind."""
    before = replace(POLLED, kind=CLIENT.kind, tag=CREATED_MARK, rx_mode=None)
    now = replace(state_of(PORT, POLLED), virtual={VHOST: SERVER})
    former = replace(state_of(PORT, before), virtual={VHOST: CLIENT})
    plan = make_plan(now, closest_to(former, now, lambda name: False).state)
    assert SetRxMode(interface=VHOST, mode=RxMode.POLLING) in rollback_plan(plan, lambda name: False).operations


def test_a_port_that_vpp_polls_gets_its_mark_back_without_another_mode() -> None:
    """A start was cut off between making a vhost-user port and marking it; VPP refuses the mode of connected ones."""
    marked = replace(POLLED, kind=SERVER.kind, tag=CREATED_MARK, rx_mode=None)
    now = replace(state_of(PORT, POLLED), virtual={VHOST: SERVER})
    former = replace(state_of(PORT, marked), virtual={VHOST: SERVER})
    plan = make_plan(now, closest_to(former, now, lambda name: False).state)
    assert plan.operations == (SetTag(interface=VHOST, tag=CREATED_MARK),)


def test_a_socket_that_came_without_its_memif_goes_and_one_that_was_there_before_stays() -> None:
    """A change can be cut off between the two operations that make a socket and the first memif at it."""
    before, new = (1, "/run/old"), (2, "/run/new")
    former = replace(state_of(PORT), facts=Facts(memif_sockets=(before,)))
    now = replace(state_of(PORT), facts=Facts(memif_sockets=(before, new)))
    target = closest_to(former, now, lambda name: False).state
    assert make_plan(now, target).operations == (DeleteMemifSocket(socket_id=2),)
    assert make_plan(now, closest_to(former, now, lambda name: name == "memif2/0").state).operations == ()


def test_what_borrows_addresses_in_a_bridge_can_be_mended_with_a_way_back() -> None:
    """Somebody set it by hand: it has no effect there, and VPP would not be told it again."""
    member = replace(PORT, bridge=10, is_up=True)
    bridges = {"bd10": Bridge(bd_id=10, settings=BridgeSettings())}
    wanted = replace(state_of(member, LOOPBACK), bridges=bridges)
    borrowing = replace(wanted, interfaces={**wanted.interfaces, "port": replace(member, unnumbered="loop0")})
    plan = make_plan(borrowing, wanted)
    assert [type(each).__name__ for each in plan.operations] == ["UnsetUnnumbered"]
    assert rollback_plan(plan, lambda name: False).operations == ()


@pytest.mark.parametrize("is_sent", [False, True])
def test_what_no_plan_can_restore_stays_where_nothing_has_changed_it(is_sent: bool) -> None:
    """No plan sets a prefix that runs out, nor turns IPv6 on by itself."""
    prefix = RaPrefix(prefix="2001:db8::/64", is_lasting=False)
    advertising = replace(LOOPBACK, ra=replace(NO_ADVERTISEMENTS, is_sent=is_sent, prefixes=(prefix,)))
    former = state_of(PORT, advertising)
    plan = make_plan(former, state_of(replace(PORT, is_up=True), advertising))
    assert {each.subject for each in rollback_plan(plan, lambda name: False).operations} == {"port"}
    silent = make_plan(former, state_of(PORT, LOOPBACK))
    assert type(silent.operations[0]).__name__ == "RemoveRaPrefix"


def test_members_of_a_bond_that_comes_back_have_its_mac_and_not_the_one_that_they_show_now() -> None:
    """The first member gives the bond its MAC, and looks the same with the bond and without."""
    port = replace(PORT, mac="02:00:00:00:00:01")
    bond = replace(LOOPBACK, name="BondEthernet0", kind=InterfaceKind.BOND, mac=port.mac)
    members = {name: replace(port, name=name) for name in ("port", "other")}
    former = replace(
        state_of(bond, *members.values()), virtual={bond.name: Bond(members=dict.fromkeys(members, Membership()))}
    )
    for shown in (port.mac, "02:00:00:00:00:02"):
        now = state_of(port, replace(port, name="other", mac=shown))
        way_back = make_plan(now, back(former, now).state)
        assert way_back.reached.virtual == former.virtual


SWITCHED_OFF = state_of(PORT, replace(sub("port"), is_up=True), LOOPBACK)
"""With a sub-interface that is up below a port that is down, which no plan sets like that again."""


def test_a_way_back_says_what_it_does_not_restore_in_every_detail() -> None:
    (change,) = way_back(make_plan(SWITCHED_OFF, state_of(PORT, LOOPBACK)), lambda name: False).unlike
    assert (change.name, [each.name for each in change.attributes]) == ("port.100", ["is_up"])
    without_loopback = state_of(PORT, SWITCHED_OFF.interfaces["port.100"])
    assert way_back(make_plan(SWITCHED_OFF, without_loopback), lambda name: False).unlike == (), "it was not touched"


def test_where_the_nearest_state_cannot_be_proved_the_way_leads_to_what_is_the_same_in_effect() -> None:
    now = state_of(PORT, SWITCHED_OFF.interfaces["port.100"])
    target = back(SWITCHED_OFF, now)

    def planned(state: State) -> Plan:
        if state is target.state:
            raise PlanProofError("a bug")
        return make_plan(now, state)

    way = prove_way_back(target, planned)
    assert (way.doubt, [change.name for change in way.unlike]) == ("a bug", ["port.100"])
    assert target.is_reached(way.plan.reached)


def test_where_no_former_state_can_be_proved_the_way_leads_where_its_steps_do() -> None:
    now, elsewhere = state_of(replace(PORT, packet_mtu=9000)), state_of(replace(PORT, packet_mtu=1400))

    def planned(state: State) -> Plan:
        if state != elsewhere:
            raise WrongEndError("a bug", elsewhere)
        return make_plan(now, state)

    way = prove_way_back(back(state_of(PORT), now), planned)
    assert (way.doubt, way.plan.desired) == ("a bug", elsewhere)
    assert [change.name for change in way.unlike] == ["port"]


def test_without_any_way_back_that_can_be_proved_the_first_reason_is_told() -> None:
    target = back(SWITCHED_OFF, state_of(PORT))
    reasons = iter((LookupError("port"), PlanProofError("another")))
    with pytest.raises(PlanProofError, match="port is not there"):
        prove_way_back(target, lambda state: raised(next(reasons)))


def raised(error: Exception) -> Plan:
    raise error


def test_what_the_prompt_holds_of_a_table_is_released_once_vpp_has_deleted_it() -> None:
    """Sent behind a deletion that is refused, it would take the multicast entries of the table that stays."""
    tables = [FibTable(table_id=10, is_ipv6=is_ipv6, name="red") for is_ipv6 in (False, True)]
    plan = make_plan(replace(state_of(PORT), vrfs={each.key: each for each in tables}), state_of(PORT))
    released = [place for place, each in enumerate(plan.operations) if isinstance(each, ReleaseTypedVrf)]
    assert len(released) == 2
    assert released[0] in turn_starts(plan.steps)
    assert not any(isinstance(each, DeleteVrf) for each in plan.operations[released[0] :])
