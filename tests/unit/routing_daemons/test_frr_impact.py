"""What a reload of FRR does to sessions, by the lines that frr-reload.py prints."""

import pytest

from vppcfg.routing_daemons.daemon import SessionImpact
from vppcfg.routing_daemons.frr import impacts_of, once_opened

NONE, POLICY, UNKNOWN, SESSIONS = SessionImpact


@pytest.mark.parametrize(
    ("lines", "worst", "said"),
    [
        ("- no router bgp 65001", SESSIONS, "all BGP sessions of `router bgp 65001` end"),
        ("- router bgp 65001\n-  no neighbor 192.0.2.2 remote-as 65002", SESSIONS, "session with 192.0.2.2 ends"),
        ("+ router bgp 65001\n+  neighbor 192.0.2.2 remote-as 65003", SESSIONS, "session with 192.0.2.2 begins"),
        ("+ router bgp 65001\n+  neighbor 192.0.2.2 password x", SESSIONS, "restarts (`password`)"),
        ("+ router bgp 65001\n+  neighbor 192.0.2.2 timers 3 9", SESSIONS, "restarts (`timers`)"),
        ("+ router bgp 65001\n+  neighbor 192.0.2.2 description x", NONE, ""),
        (
            "+ router bgp 65001\n+  address-family ipv4 unicast\n+   neighbor 192.0.2.2 route-map IN in",
            POLICY,
            "the BGP session with 192.0.2.2 stays",
        ),
        ("+ router bgp 65001\n+  neighbor 192.0.2.2 maximum-prefix 9", SESSIONS, "192.0.2.2 ends if"),
        ("- router bgp 65001\n-  no neighbor 192.0.2.2 maximum-prefix 9", POLICY, "192.0.2.2 stays"),
        ("+ router bgp 65001\n+  bgp router-id 10.0.0.9", SESSIONS, "all BGP sessions restart"),
        ("+ router bgp 65001\n+  address-family ipv4 unicast\n+   network 10.0.0.0/8", POLICY, "BGP routes are chosen"),
        ("+ router ospf\n+  network 192.0.2.0/24 area 0", SESSIONS, "adjacencies and routes of ospf may change"),
        ("- no router ospf", SESSIONS, "all adjacencies of ospf end"),
        ("+ interface e0\n+  ip ospf cost 20", SESSIONS, "adjacencies on e0 may restart"),
        ("+ interface e0\n+  shutdown", SESSIONS, "e0 is set down in Linux"),
        ("+ ip route 10.0.0.0/8 192.0.2.2", POLICY, "the static route to 10.0.0.0/8 changes"),
        ("+ no ip route 10.0.0.0/8 192.0.2.2", POLICY, "the static route to 10.0.0.0/8 changes"),
        ("+ ip prefix-list A seq 5 permit any", POLICY, "policy changes"),
        ("+ route-map A permit 10\n+  set metric 5", POLICY, "policy changes"),
        ("+ log syslog", NONE, ""),
        ("+ ip forwarding", POLICY, "forwarding by Linux changes"),
        ("+ router bgp 1\n+  no bgp ebgp-requires-policy", POLICY, "BGP routes are chosen"),
        ("+ fabric thing", UNKNOWN, "is not known"),
    ],
)
def test_each_kind_of_line_has_its_effect(lines: str, worst: SessionImpact, said: str) -> None:
    found = impacts_of([(line[0], line[2:]) for line in lines.splitlines()])
    assert max((impact.level for impact in found), default=NONE) is worst
    assert said in "; ".join(impact.text for impact in found)


def test_the_worst_comes_first_and_nothing_twice() -> None:
    lines = [("+", "ip route 10.0.0.0/8 192.0.2.2"), ("-", "no router bgp 65001"), ("-", "no router bgp 65001")]
    assert [impact.level for impact in impacts_of(lines)] == [SESSIONS, POLICY]


def test_no_password_is_in_an_effect() -> None:
    lines = [("+", "interface e0"), ("+", " ip ospf message-digest-key 1 md5 geheim")]
    assert "geheim" not in "".join(impact.text for impact in impacts_of(lines))


@pytest.mark.parametrize(
    ("lines", "end"),
    [
        (["-neighbor {} remote-as 65002", "-neighbor {} route-map IN in", "-neighbor {} timers 3 9"], "ends"),
        (["+neighbor {} remote-as 65002", "+neighbor {} route-map IN in"], "begins, or restarts if it exists"),
        (["-neighbor {} remote-as 65002", "+neighbor {} remote-as 65003", "+neighbor {} weight 5"], "restarts"),
        (["+neighbor {} timers 3 9", "+neighbor {} weight 5"], "restarts (`timers`)"),
    ],
)
def test_one_sentence_is_about_a_session(lines: list[str], end: str) -> None:
    changes = [(line[0], f" {line[1:].format('192.0.2.2')}") for line in lines]
    found = impacts_of([("+", "router bgp 65001"), *changes])
    assert [each.text for each in found] == [f"the BGP session with 192.0.2.2 {end}"]


def test_a_difference_opens_its_context_once() -> None:
    lines = ["router bgp 1", " neighbor 192.0.2.2 remote-as 2", "exit", "router bgp 1", " neighbor 192.0.2.2 weight 5"]
    lines += ["interface eth0", " shutdown", "router bgp 1", " bgp router-id 192.0.2.1"]
    found = [line for _, line in once_opened(("+", line) for line in lines)]
    assert found == [lines[0], lines[1], *lines[4:]]
