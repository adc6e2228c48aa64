"""Which commands are there already, by what VPP 26.10 was seen to show and to answer."""

import pytest

from vppcfg.vpp.repeated import Repetition

FEATURES = """\
Feature paths configured on loop10...
ip4-output:
  policer-output
ip4-unicast:
  policer-input
  ip4-full-reassembly-feature
  ip4-sv-reassembly-feature
  ip4-qos-record
  lb-nat4-in2out
l2-input:
          POLICER (l2-policer-input)
"""
SHOWN = {
    "show interface loop10 features": FEATURES,
    "show interface loop11 features": "Feature paths configured on loop11...\nip4-unicast:\n  none configured\n",
    "show abf policy": (
        "abf:[0]: policy:1 acl:0\n     path-list:[27] locks:1\n      path:[31] pl-index:27 ip4\n"
        "        192.168.2.99 loop10\n      [@0]: arp-ipv4: via 192.168.2.99 loop10\n"
        "abf:[1]: policy:2 acl:0\n     path-list:[28] locks:1\n      path:[32] pl-index:28 ip4\n"
        "        192.168.2.98 loop10\n"
    ),
    "show classify tables": "  TableIdx  Sessions\n         0         1\n  nbuckets 16, skip 1 match 1\n",
    "show acl-plugin acl": "acl-index 0 count 1 tag {foreign}\nacl-index 1 count 1 tag {cli}\n",
    "show ipsec spd": "spd 1\n ip4-inbound-bypass:\n   [0] priority 100 action bypass\nspd 2\n ip4-outbound:\n",
    "show nat44 static mappings": "NAT44 static mappings:\n identity mapping 192.168.2.12 vrf 0\n",
    "show nat44 interface address": "NAT44 pool address interfaces:\n loop10\n loop12 twice-nat",
    "show nat44 interfaces": "NAT44 interfaces:\n loop10 in\n loop12 output-feature in out",
    "show teib": "[0] loop10:192.168.2.5 via [0]:192.0.2.5/32",
    "show interface address loop10": "loop10 (up):\n  L3 192.168.2.1/24\n",
}


def repetition() -> Repetition:
    return Repetition(lambda line: (0, SHOWN[line]) if line in SHOWN else (-1, f"unknown input `{line}'"))


@pytest.mark.parametrize(
    ("line", "is_there"),
    [
        ("policer input name pol1 loop10", True),
        ("policer output name pol1 loop10", True),
        ("policer input name pol1 loop11", False),
        ("policer input unapply name pol1 loop10", False),
        ("set interface reassembly loop10 ip4", True),
        ("set interface reassembly loop10 ip4 on", True),
        ("set interface reassembly loop10 on", False),
        ("set interface reassembly loop10 ip6", False),
        ("lb set interface nat4 in loop10", True),
        ("lb set interface nat6 in loop10", False),
        ("lb set interface nat4 in loop10 del", False),
        ("set interface feature loop10 lb-nat4-in2out arc ip4-unicast", True),
        ("set interface feature loop10 lb-nat4-in2out arc ip4-output", False),
        ("set interface feature loop10 lb-nat4-in2out arc ip4-unicast disable", False),
        ("qos record ip loop10", True),
        ("qos record vlan loop10", False),
        ("qos store ip loop10 value 3", False),
        ("abf policy add id 1 acl 0 via 192.168.2.99 loop10", True),
        ("abf policy add id 1 acl 0 via 192.168.2.98 loop10", False),
        ("abf policy add id 3 acl 0 via ip4-lookup-in-table 7", False),
        ("classify table mask l3 ip4 src buckets 16", True),
        ("set acl-plugin acl permit src 10.0.0.0/8 tag foreign", True),
        ("set acl-plugin acl permit src 10.0.0.0/8 tag other", False),
        ("set acl-plugin acl permit src 10.0.0.0/8, deny", True),
        ("set acl-plugin acl index 0 permit tag foreign", False),
        ("ipsec policy add spd 1 priority 100 inbound action bypass protocol 50", True),
        ("ipsec policy add spd 2 priority 100 inbound action bypass protocol 50", False),
        ("nat44 add identity mapping 192.168.2.12", True),
        ("nat44 add identity mapping 192.168.2.1", False),
        ("ip route add 10.0.0.0/8 via 192.168.2.99 loop10", False),
    ],
)
def test_what_would_have_its_effect_twice_is_looked_up_before(line: str, is_there: bool) -> None:
    assert repetition().is_there(line) is is_there


def test_commands_that_each_make_something_are_counted() -> None:
    found = repetition()
    lines = ["classify table mask l3 ip4 src buckets 16", "classify table mask l3 ip4 dst buckets 16"]
    assert [found.is_there(line) for line in lines] == [True, False]


def test_what_crashes_vpp_is_not_run() -> None:
    assert repetition().missing("abf attach ip4 policy 1 priority 10 loop10") == ""
    assert "no such ABF policy" in repetition().missing("abf attach ip4 policy 3 priority 10 loop10")


@pytest.mark.parametrize(
    ("line", "answer", "is_done"),
    [
        ("nat44 plugin enable sessions 1000", "nat44 plugin: already enabled", True),
        ("nat64 plugin enable", "nat64 plugin: plugin enable failed", True),
        ("nat44 add address 198.51.100.1", "nat44 add address: NAT address already in use.", True),
        ("nat44 add static mapping tcp local 1.1.1.1 1 external 2.2.2.2 2", "x: Mapping already exist.", True),
        ("nat44 add static mapping tcp local 1.1.1.1 1 external 2.2.2.2 2", "x: Plugin disabled.", False),
        ("nat44 add interface address loop10", "x: add loop10 address failed", True),
        ("nat44 add interface address loop11", "x: add loop11 address failed", False),
        ("nat44 add interface address loop10 twice-nat", "x: add loop10 address failed", False),
        ("set interface nat44 in loop12 output-feature", "set interface nat44: add loop12 failed", True),
        ("set interface nat44 in loop10 output-feature", "set interface nat44: add loop10 failed", False),
        ("ipsec sa add 10 spi 1 esp", "ipsec sa: failed: -116", True),
        ("ipsec sa add 10 spi 1 esp", "ipsec sa: failed: -11", False),
        ("bfd udp session add interface loop10", "x: `y' API call failed, rv=-101:Duplicate BFD object", True),
        ("det44 add in 10.0.0.0/18 out 198.51.100.64/30", "det44 add: snat_det_add_map return -81", True),
        ("create bridge-domain 9", "create bridge-domain: bd_add_del returned -119", True),
        ("create teib loop10 peer 192.168.2.5 nh 192.0.2.5", "create teib: TEIB error", True),
        ("create teib loop10 peer 192.168.2.6 nh 192.0.2.5", "create teib: TEIB error", False),
        ("ip route add 10.7.0.0/16 table 7 via 192.168.2.98 loop10", "ip route: Nonexistent table id 7", False),
        ("x", "the interface does not exist", False),
        ("x", "No such interface exists", False),
        ("set interface ip address loop10 192.168.2.1/24", "failed to add 192.168.2.1/24 which conflicts", True),
        ("set interface ip address loop10 192.168.2.2/24", "failed to add 192.168.2.2/24 which conflicts", False),
    ],
)
def test_what_an_error_means(line: str, answer: str, is_done: bool) -> None:
    assert repetition().is_done(line, answer) is is_done
