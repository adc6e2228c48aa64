"""What plans do to traffic, told by the services that interfaces lose."""

from dataclasses import replace

from vppcfg.model.acl import Acl, AclAction, AclBinding, AclRule
from vppcfg.model.bond import Bond, Membership
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.lcp import LcpPair
from vppcfg.model.state import State
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan, make_plan


def port(name: str, **attributes: object) -> Interface:
    blank = Interface(name=name, kind=InterfaceKind.PHYSICAL, link_mtu=9000, packet_mtu=9000, is_up=True)
    return replace(blank, **attributes)  # type: ignore[arg-type]


SUB = Interface(
    name="up.1",
    kind=InterfaceKind.SUB_INTERFACE,
    parent="up",
    sub_id=1,
    encapsulation=Encapsulation(outer=1, is_exact=True),
    packet_mtu=1500,
    is_up=True,
)
UP = port("up", addresses=frozenset({"192.0.2.1/24"}))
STATE = State(interfaces={"up": UP, "down": port("down", is_up=False), "up.1": SUB})


def plan_with(state: State = STATE, /, **interfaces: Interface) -> Plan:
    return make_plan(state, replace(state, interfaces={**state.interfaces, **interfaces}))


def test_what_is_added_harms_nobody() -> None:
    more = replace(UP, addresses=UP.addresses | {"198.51.100.1/24"})
    assert plan_with(up=more).impacts == {}
    assert plan_with(down=port("down")).impacts == {}


def test_what_is_taken_from_an_interface_without_link_was_not_there() -> None:
    interfaces = {**STATE.interfaces, "down": port("down", is_up=False, has_mpls=True)}
    state = replace(STATE, interfaces=interfaces, has_mpls_table=True)
    assert plan_with(state, down=port("down", is_up=False)).impacts == {}


def test_an_address_that_is_replaced_is_removed() -> None:
    assert plan_with(up=replace(UP, addresses=frozenset({"192.0.2.2/24"}))).impacts == {"up": Impact.REMOVE}


def test_a_link_that_comes_back_is_a_flap_and_one_that_does_not_is_removed() -> None:
    assert plan_with(up=replace(UP, link_mtu=9100, packet_mtu=9100)).impacts == dict.fromkeys(
        ("up", "up.1"), Impact.FLAP
    )
    shut = plan_with(up=replace(UP, is_up=False), **{"up.1": replace(SUB, is_up=False)})
    assert shut.impacts == dict.fromkeys(("up", "up.1"), Impact.REMOVE)


def test_a_smaller_mtu_degrades() -> None:
    assert plan_with(**{"up.1": replace(SUB, packet_mtu=1400)}).impacts == {"up.1": Impact.DEGRADE}


def test_other_encapsulation_recreates_and_deletion_removes() -> None:
    other = replace(SUB, encapsulation=Encapsulation(outer=2, is_exact=True))
    assert plan_with(**{"up.1": other}).impacts == {"up.1": Impact.RECREATE}
    without = replace(STATE, interfaces={"up": UP, "down": STATE.interfaces["down"]})
    assert make_plan(STATE, without).impacts == {"up.1": Impact.REMOVE}


def test_an_lcp_pair_counts_on_an_interface_that_is_down_too() -> None:
    state = replace(STATE, lcps={"down": LcpPair(host_name="e0")})
    assert make_plan(state, STATE).impacts == {"down": Impact.REMOVE}


PERMIT = AclRule(action=AclAction.PERMIT, source="0.0.0.0/0", destination="0.0.0.0/0")
DENY = replace(PERMIT, action=AclAction.DENY)


def filtered(*lists: str, **rules: AclRule) -> State:
    interfaces = {**STATE.interfaces, "up": replace(UP, acls=AclBinding(input=lists))}
    return replace(STATE, interfaces=interfaces, acls={name: Acl(rules=(rule,)) for name, rule in rules.items()})


def test_other_rules_are_policy_and_the_same_rules_in_another_list_are_nothing() -> None:
    before = filtered("customers", customers=PERMIT)
    assert make_plan(before, filtered("customers", customers=DENY)).impacts == {"up": Impact.POLICY}
    assert make_plan(before, STATE).impacts == {"up": Impact.POLICY}
    assert make_plan(before, filtered("all", all=PERMIT)).impacts == {}


def bonded(*members: str) -> State:
    """Return three ports, of which some are members of a bond with a sub-interface."""
    bond = Interface(name="BondEthernet0", kind=InterfaceKind.BOND, is_up=True, packet_mtu=9000)
    sub = replace(SUB, name="BondEthernet0.1", parent="BondEthernet0")
    return State(
        interfaces={each.name: each for each in (port("a"), port("b"), port("c"), bond, sub)},
        virtual={"BondEthernet0": Bond(members={member: Membership() for member in members})},
    )


def test_a_bond_degrades_with_a_member_and_goes_down_with_the_last_one() -> None:
    bond = ("BondEthernet0", "BondEthernet0.1")
    assert make_plan(bonded("a", "b"), bonded("a")).impacts == {
        **dict.fromkeys(bond, Impact.DEGRADE),
        "b": Impact.REMOVE,
    }
    assert make_plan(bonded("a"), bonded()).impacts == dict.fromkeys(("a", *bond), Impact.REMOVE)
