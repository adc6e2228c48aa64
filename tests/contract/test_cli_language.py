"""Contract: CLI lines of everything that VPP makes itself, answered with VPP's words."""

import pytest

from tests.contract.subject import Subject

LINES = {
    "loopbacks": (
        ("create loopback interface mac 02:00:00:00:00:77 instance 8", 0, "loop8\n"),
        ("create loopback interface instance 8", -1, "vnet_create_loopback_interface failed\n"),
        ("create loopback interface", 0, "loop0\n"),
        ("delete loopback interface intfc loop8", 0, ""),
        ("delete loopback interface intfc eth2", -1, "vnet_delete_loopback_interface failed\n"),
        ("delete loopback interface", -1, "interface not specified\n"),
    ),
    "bonds": (
        ("create bond mode lacp load-balance l34 hw-addr 02:00:00:00:00:55 id 9", 0, "BondEthernet9\n"),
        ("create bond mode lacp id 9", 0, ""),
        ("create bond mode broadcast load-balance l34", -1, "unknown input `'\n"),
        ("create bond", -1, "Missing required arguments.\n"),
        ("create bond mode xor numa-only id 12", -1, "Only lacp mode supports numa-only so far!\n"),
        ("bond add BondEthernet9 eth2 passive long-timeout", 0, ""),
        ("bond add BondEthernet9 eth2", -1, "interface was already added as member\n"),
        ("bond add eth2 BondEthernet9", -1, "bond interface not found\n"),
        ("set interface bond eth2 weight 7", -1, "Weight valid for active-backup only\n"),
        ("bond del eth2", 0, ""),
        ("bond add BondEthernet9 eth2", 0, ""),
        ("set interface ip address BondEthernet9 010.00.0.1/24", 0, ""),
        (
            "set interface ip address BondEthernet9 10.0.0.256/24",
            -1,
            "expected IP4/IP6 address/length `10.0.0.256/24'\n",
        ),
        ("bond del BondEthernet9 eth2", 0, ""),
        ("bond del eth2", -1, "interface was not a member\n"),
        ("delete bond eth2", -1, "not a bond interface\n"),
        ("delete bond BondEthernet9", 0, ""),
    ),
    "relays": (
        ("set dhcp proxy server 192.0.2.1 src-address 2001:db8::2", -1, "parse error`src-address 2001:db8::2'\n"),
        ("set dhcpv6 proxy server 192.0.2.1", -1, "parse error`server 192.0.2.1'\n"),
        ("set dhcp proxy", -1, "parse error`'\n"),
    ),
    "states": (
        ("set interface state eth2 punt", 0, ""),
        ("set interface state eth2 enable", 0, ""),
        ("set interface state eth2 other", -1, "unknown flags `other'\n"),
        ("ip route", 0, ""),
    ),
    "bridges": (
        ("create bridge-domain 50 learn 0 mac-age 3 bd-tag {vppcfg my bd}", 0, "bridge-domain 50\n"),
        ("create bridge-domain 50", -1, "bd_add_del returned -119\n"),
        ("create bridge-domain 0", -1, "bridge domain 0 can not be modified\n"),
        ("create bridge-domain 51 mac-age 256", -1, "mac age must be less than 256\n"),
        ("set interface l2 bridge eth2 50 5", 0, ""),
        ("show mode eth2", 0, "l2 bridge eth2 bd_id 50 shg 5\n"),
        ("create bridge-domain 50 del", -1, "bridge domain in use - remove members\n"),
        ("set bridge-domain learn 50", 0, ""),
        ("set bridge-domain arp term 50 disable", 0, ""),
        ("set bridge-domain flood 99", -1, "No such bridge domain 99\n"),
        ("set bridge-domain mac-age 50 256", -1, "mac aging time cannot be bigger than 255\n"),
        ("set interface l3 eth2", 0, ""),
        ("create bridge-domain 50 del", 0, ""),
        ("create bridge-domain 50 del", -1, "bridge domain ID does not exist\n"),
    ),
    "tunnels": (
        ("create vxlan tunnel src 192.0.2.1 dst 192.0.2.5 instance 70 vni 9 decap-next l2", 0, "vxlan_tunnel70\n"),
        ("create vxlan tunnel src 192.0.2.1 dst 192.0.2.5 instance 71 vni 9", -1, "tunnel already exists...\n"),
        ("create vxlan tunnel src 192.0.2.1 dst 192.0.2.5 instance 70 vni 8", -1, "Instance is in use\n"),
        ("create vxlan tunnel src 192.0.2.1 dst 192.0.2.1 vni 5", -1, "src and dst addresses are identical\n"),
        ("create vxlan tunnel src 192.0.2.1 dst 192.0.2.3", -1, "vni not specified\n"),
        ("create vxlan tunnel foo", -1, "parse error: 'foo'\n"),
        ("create vxlan tunnel src 192.0.2.1 dst 192.0.2.5 instance 70 vni 9 del", 0, ""),
        (
            "create vxlan tunnel src 192.0.2.1 dst 192.0.2.6 instance 72 vni 9 decap-next node ip4-input",
            0,
            "vxlan_tunnel72\n",
        ),
        ("create vxlan tunnel src 192.0.2.1 dst 192.0.2.6 vni 9 decap-next node ip4-input del", 0, ""),
    ),
    "taps": (
        ("create tap id 30 host-if-name q30 rx-ring-size 256 tx-ring-size 256", 0, "tap30\n"),
        ("create tap id 30 host-if-name q31", -1, "interface already exists\n"),
        ("create tap id 31 host-if-name lo", -1, "ioctl(TUNSETIFF): Invalid argument\n"),
        ("create tap id 34 host-if-name q34 rx-ring-size 100", -1, "ring size must be power of 2\n"),
        ("delete tap eth2", -1, "not a tap interface\n"),
        ("delete tap tap30", 0, ""),
    ),
    "the rest": (
        ("mpls table add 0", 0, ""),
        ("set interface mpls eth2 enable", 0, ""),
        ("show mpls interface eth2", 0, "eth2\n  MPLS enabled\n"),
        ("set interface mpls eth2", -1, "expected 'enable' or 'disable'\n"),
        ("set interface unnumbered eth2 use nope", -1, "parse error 'eth2 use nope'\n"),
        ("set interface unnumbered eth2 use GigabitEthernet1/0/0", 0, ""),
        ("set interface unnumbered del eth2", 0, ""),
        ("set acl-plugin acl permit src 10.0.0.0/8 dst 0.0.0.0/0 tag {vppcfg c}", 0, "ACL index:0\n"),
        ("set acl-plugin acl index 77 permit src 10.0.0.0/8 dst 0.0.0.0/0 tag t", 0, ""),
        ("set acl-plugin interface eth2 input acl 0", 0, ""),
        ("delete acl-plugin acl index 0", -1, "failed\n"),
        ("create sub eth2 100 dot1q 100 exact-match", 0, "eth2.100\n"),
    ),
    "sampling": (
        ("sflow enable-disable eth2", 0, ""),
        ("sflow enable eth2", -1, "sflow_enable_disable returned -81\n"),
        ("sflow enable-disable nope", -1, "Please specify an interface...\n"),
        ("sflow header-bytes 100", 0, ""),
    ),
}
"""Line, code and words; VPP puts the command before the words of a refusal."""


@pytest.mark.parametrize("kind", LINES)
def test_lines_are_answered_in_vpps_words(vpp: Subject, kind: str) -> None:
    if kind == "sampling":
        assert vpp.api.sflow_enable_disable is not None, "a release without that message skips this"
    answers = [(line, *vpp.cli(line)) for line, _, _ in LINES[kind]]
    shown = [(line, retval, text.rpartition(": ")[2] if retval else text) for line, retval, text in answers]
    expected = [(line, retval, text.rpartition(": ")[2] if retval else text) for line, retval, text in LINES[kind]]
    assert shown == expected
