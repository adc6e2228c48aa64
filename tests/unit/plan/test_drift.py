"""What of a difference is news."""

from __future__ import annotations

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.lcp import LcpPair
from vppcfg.model.state import State
from vppcfg.plan.diff import Action, diff
from vppcfg.plan.drift import KINDS, differences, kind_of, news


def state(**mtus: int) -> State:
    return State(
        interfaces={
            name: Interface(name=name, kind=InterfaceKind.PHYSICAL, link_mtu=9000, packet_mtu=mtu)
            for name, mtu in mtus.items()
        }
    )


WANTED = state(eth0=1500, eth1=1500)


def test_what_is_equal_is_no_difference() -> None:
    assert differences(diff(WANTED, WANTED)) == {}


def test_a_difference_has_what_vpp_has_and_what_is_wanted() -> None:
    found = differences(diff(state(eth0=9000, eth1=1500), WANTED))
    (difference,) = found.values()
    (attribute,) = difference.attributes
    assert (difference.action, difference.key) == (Action.UPDATE, ("physical", "eth0"))
    assert (attribute.name, attribute.old, attribute.new) == ("packet_mtu", 9000, 1500)


def test_the_same_difference_is_news_once() -> None:
    found = differences(diff(state(eth0=9000, eth1=1500), WANTED))
    assert news({}, found).appeared == tuple(found.values())
    assert not news(found, found)


def test_a_difference_that_changes_is_news_again() -> None:
    before = differences(diff(state(eth0=9000, eth1=1500), WANTED))
    now = differences(diff(state(eth0=2000, eth1=1500), WANTED))
    assert news(before, now).appeared == tuple(now.values())
    assert news(before, now).gone == ()


def test_a_difference_that_is_gone_is_news() -> None:
    before = differences(diff(state(eth0=9000, eth1=9000), WANTED))
    now = differences(diff(state(eth0=1500, eth1=9000), WANTED))
    assert [difference.name for difference in news(before, now).gone] == ["eth0"]
    assert news(before, now).appeared == ()


def test_an_interface_and_its_pair_are_two_differences() -> None:
    with_pair = State(interfaces=state(eth0=9000).interfaces, lcps={"eth0": LcpPair(host_name="e0")})
    changes = tuple(diff(with_pair, state(eth0=1500)))
    assert [kind_of(change) for change in changes] == ["physical", "lcp"]
    assert len(differences(changes)) == 2


def test_every_kind_is_listed() -> None:
    assert "interface" not in KINDS
    assert {"physical", "sub-interface", "bond", "lcp", "bridge", "acl", "linux", "sflow", "mpls"} <= set(KINDS)
