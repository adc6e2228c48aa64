"""A file full of mistakes: all are told at once, each where it stands, and nothing that would depend on another."""

from __future__ import annotations

import pytest

from vppcfg.config.load import parse_text

MISTAKES = """\
interfaces:
  eth0:
    descripton: uplink
    mtu: 99999
    state: UP
    lcp: E0
    addresses: [ 192.0.2.1/24, 192.0.2.300/24, 10.0.0.0/24 ]
    l2xc: eth9
    sub-interfaces:
      100: { encapsulation: { dot1q: 5000 }, addresses: [ 198.51.100.1/24, 198.51.100.0/24 ] }
      200: { mtu: 64, unnumbered: nowhere }
      300: { encapsulation: { inner-dot1q: 5 } }
      400: {}
      many: { state: up }
  eth1:
    mac: 01:00:5e:00:00:01
    mtu: small
    addresses: [ 192.0.2.1/24 ]
    acls: { input: [ Nobody ], output: missing }
    unnumbered: eth7
  eth2:
    mpls: maybe
    l2xc: eth1
    addresses: [ 203.0.113.1/24 ]
  loop5: {}
  BondEthernet0: { mtu: 9000, lcp: e0 }
  gre1: {}
loopbacks:
  loop0:
    mtu: 100
    addresses: [ 203.0.113.9/24 ]
    lcp: e0
  lopp1: {}
bondethernets:
  BondEthernet0:
    mode: fast
    load-balance: l9
    interfaces: [ eth2, eth77, 5 ]
bridgedomains:
  bd0: {}
  bd7:
    mtu: 5
    bvi: eth2
    interfaces: [ eth2, eth88, eth2 ]
    settings: { learn: 5, mac-age-minutes: 999 }
vxlan_tunnels:
  vxlan_tunnel0: { local: 192.0.2.1, remote: 239.0.0.1, vni: 0 }
  vxlan_tunnel1: { local: 192.0.2.1, vni: 7 }
gre_tunnels:
  gre1: { local: 192.0.2.1, remote: 192.0.2.1, mode: tap, session: 5, key: 0 }
taps:
  tap0: { host: { name: Tap, mtu: 5, bridge-create: true }, rx-ring-size: 100 }
acls:
  inside:
    terms:
      - { action: allow, protocol: icmp, source-port: 80 }
      - { action: permit, source: nolist, destination: 2001:db8::/32, family: ipv4 }
sflow: { sampling-rate: often }
unmanaged: [ eth0 ]
protected: [ eth55 ]
bridges: {}
"""
FOUND = """\
3:5 schema-unknown-key
4:10 schema-value
5:12 schema-value
6:10 schema-value
7:5 l2-address
7:32 schema-value
7:48 address-invalid-host
8:11 l2xc-target-missing
8:11 l2xc-with-subs
10:38 schema-value
10:46 address-exact-match
10:76 address-invalid-host
11:19 schema-value
11:35 unnumbered-target-missing
12:14 encap-inner-alone
13:7 sub-empty
14:7 sub-id
16:10 mac-multicast
17:10 schema-type
18:18 address-overlap
19:22 schema-value
19:32 acl-undefined
20:17 l2-unnumbered
20:17 unnumbered-target-missing
20:17 unnumbered-with-addresses
22:11 schema-type
23:11 l2xc-address
23:11 l2xc-one-way
23:11 l2xc-source-in-bridge
24:5 bd-member-address
24:5 bond-member-address
24:5 l2-address
25:3 loopback-placement
30:10 schema-value
31:18 address-overlap
32:10 lcp-duplicate
33:3 loopback-id
36:11 schema-value
37:19 schema-value
38:19 bond-member-l2
38:19 bond-member-mtu
38:25 bond-member-missing
38:32 schema-value
40:3 bd-zero
42:10 schema-value
43:10 bvi-missing
44:19 bd-member-shared
44:25 bd-member-missing
44:32 bd-member-shared
45:24 schema-type
45:44 schema-value
47:3 vxlan-no-interface
47:46 schema-value
47:62 schema-value
48:3 schema-missing-key
48:3 vxlan-no-interface
50:37 gre-self
50:54 schema-value
50:76 schema-value
52:3 tap-no-interface
52:25 schema-value
52:35 schema-value
52:53 tap-create-without
52:75 tap-ring
56:19 schema-value
56:55 acl-ports-protocol
57:35 acl-source-empty
57:56 acl-destination-empty
58:25 schema-type
59:14 unmanaged-configured
60:14 protected-missing
61:1 schema-unknown-key
"""
"""Line, column and rule of each."""
MENDED = (
    ("descripton", "description"),
    ("99999", "1500"),
    ("UP", "up"),
    ("E0", "e9"),
    ("192.0.2.300/24", "192.0.3.1/24"),
    ("dot1q: 5000", "dot1q: 500"),
    ("mtu: 64", "mtu: 1400"),
    ("mtu: small", "mtu: 1500"),
    ("Nobody", "inside"),
    ("maybe", "false"),
    ("mtu: 100", "mtu: 1500"),
    ("fast", "lacp"),
    ("l9", "l2"),
    (", 5 ]", " ]"),
    ("mtu: 5\n", "mtu: 1500\n"),
    ("learn: 5, mac-age-minutes: 999", "learn: true"),
    ("239.0.0.1", "192.0.2.9"),
    ("vni: 0", "vni: 5"),
    ("{ local: 192.0.2.1, vni: 7 }", "{ local: 192.0.2.1, remote: 192.0.2.7, vni: 7 }"),
    ("mode: tap", "mode: l3"),
    ("key: 0", "key: 1"),
    ("name: Tap, mtu: 5,", "name: vm0, mtu: 1500,"),
    ("allow", "permit"),
    ("often", "100"),
    ("bridges: {}\n", ""),
)
"""What is of a wrong shape, and what its writer meant."""


def test_all_mistakes_of_a_file_are_told_at_once_where_they_stand() -> None:
    problems = parse_text(MISTAKES, "mistakes.yaml").problems
    assert "".join(f"{problem.line}:{problem.column} {problem.rule}\n" for problem in problems) == FOUND


def test_what_is_told_once_the_shape_is_right_depends_on_what_was_wrong() -> None:
    text = MISTAKES
    for wrong, right in MENDED:
        assert wrong in text
        text = text.replace(wrong, right)
    first = {(problem.rule, problem.path) for problem in parse_text(MISTAKES, "mistakes.yaml").problems}
    second = {(problem.rule, problem.path) for problem in parse_text(text, "mistakes.yaml").problems}
    assert second - first == {
        ("l2-lcp", ("interfaces", "eth0", "lcp")),
        ("gre-session", ("gre_tunnels", "gre1", "session")),
    }
    assert {rule.partition("-")[0] for rule, _ in first - second} == {"schema"}


def test_a_misspelt_key_hides_what_hangs_on_the_key_that_was_meant() -> None:
    text = "interfaces: {a: {l2xc: b, mtu: 9000}, b: {l2xc: a, mut: 9000}}"
    assert [problem.rule for problem in parse_text(text, "file").problems] == ["schema-unknown-key"]


def test_the_items_of_a_list_with_a_wrong_one_keep_their_places() -> None:
    text = "interfaces: {a: {addresses: [ nonsense, 192.0.2.1/24, 192.0.2.1/24 ]}}"
    problems = parse_text(text, "file").problems
    assert [(problem.path[-1], problem.rule) for problem in problems] == [(0, "schema-value"), (2, "address-duplicate")]


def test_an_empty_rest_of_a_list_is_not_taken_for_an_empty_list() -> None:
    text = "interfaces: {a: {unnumbered: loop0}}\nloopbacks: {loop0: {addresses: [ nonsense ]}}"
    assert [problem.rule for problem in parse_text(text, "file").problems] == ["schema-value"]


@pytest.mark.parametrize(
    ("key", "rule", "path"),
    [
        ("policy-routes: [ { acl: a } ]", "schema-missing-key", ("policy-routes", 0, "via")),
        ("policy-routes: [ { acl: 5, via: 192.0.2.9 } ]", "schema-value", ("policy-routes", 0, "acl")),
        ("l3xc: { ipv4: {} }", "schema-missing-key", ("l3xc", "ipv4", "interface")),
        ("l3xc: { ipv4: 5 }", "schema-type", ("l3xc", "ipv4")),
        ("punt-redirect: { ipv4: {} }", "schema-missing-key", ("punt-redirect", "ipv4", "interface")),
        ("vrrp: { 5: {} }", "schema-missing-key", ("vrrp", 5, "addresses")),
    ],
)
@pytest.mark.parametrize(
    ("before", "entry"),
    [
        ("interfaces: { eth0: { %s } }", ("interfaces", "eth0")),
        ("interfaces: { eth0: { sub-interfaces: { 5: { %s } } } }", ("interfaces", "eth0", "sub-interfaces", 5)),
        ("loopbacks: { loop0: { %s } }", ("loopbacks", "loop0")),
    ],
)
def test_a_key_that_lacks_a_part_hides_itself_alone(
    before: str, entry: tuple[str | int, ...], key: str, rule: str, path: tuple[str | int, ...]
) -> None:
    problems = parse_text(before % f"{key}, addresses: [ 192.0.2.1/24, 192.0.2.1/24 ]", "file").problems
    assert {(problem.rule, problem.path) for problem in problems} == {
        (rule, (*entry, *path)),
        ("address-duplicate", (*entry, "addresses", 1)),
    }


def rules_of(text: str) -> list[str]:
    return [problem.rule for problem in parse_text(text, "file").problems]


def test_a_prefix_list_with_a_wrong_member_is_judged_and_so_are_the_terms_that_name_it() -> None:
    text = """
prefixlists:
  any: { members: [ nonsense, 192.0.2.0/24 ] }
  known: { members: [ 192.0.2.0/24, nonsense ], descripton: x }
acls:
  a:
    terms:
      - { action: permit, source: known, destination: nolist }
      - { action: permit, source: known, family: ipv6 }
      - { action: permit, source: known, destination: 2001:db8::/32, family: ipv4 }
"""
    assert sorted(rules_of(text)) == [
        "acl-destination-empty",
        "acl-destination-empty",
        "prefixlist-any",
        "schema-unknown-key",
        "schema-value",
        "schema-value",
    ]
    assert "acl-source-empty" in rules_of(text.replace(", nonsense", "").replace("nonsense, ", ""))


def test_a_prefix_list_without_its_members_hides_what_depends_on_them_alone() -> None:
    for members in ("members: 5", "membrs: [ 192.0.2.0/24 ]"):
        text = f"prefixlists: {{known: {{{members}}}, any: {{{members}}}}}\n"
        text += "acls: {a: {terms: [{action: permit, source: known, family: ipv6}]}}"
        assert "prefixlist-any" in rules_of(text)
        assert "acl-source-empty" not in rules_of(text)


PORTS = "interfaces: {TenGigabitEthernet1/0/0: {device-type: dpdk, mtu: 9000}}\n"


def test_a_wrong_key_of_the_dataplane_hides_only_what_depends_on_it() -> None:
    text = (
        PORTS
        + """
dataplane:
  cpu: { main-core: 2, workers: [ 2, 3 ], isolate: perhaps }
  memory: { main-heap: 1Q }
  buffers: { data-size: many }
  dpdk:
    multi-seg: false
    default: { rx-queues: 4 }
    devices:
      "0000:01:00": {}
      "0000:01:00.0": { rx-queues: x, workers: [ 0, 1 ] }
      "0000:02:00.0": { workers: [ 0, 0 ] }
"""
    )
    found = [(problem.rule, problem.path[1:]) for problem in parse_text(text, "file").problems]
    assert found == [
        ("cpu-main-is-worker", ("cpu", "workers")),
        ("schema-value", ("cpu", "isolate")),
        ("schema-value", ("memory", "main-heap")),
        ("schema-type", ("buffers", "data-size")),
        ("dataplane-pci-address", ("dpdk", "devices", "0000:01:00")),
        ("schema-value", ("dpdk", "devices", "0000:01:00.0", "rx-queues")),
        ("device-interface", ("dpdk", "devices", "0000:02:00.0")),
        ("queue-workers", ("dpdk", "devices", "0000:02:00.0", "workers")),
        ("queue-workers", ("dpdk", "devices", "0000:02:00.0", "workers")),
    ]
    assert "interface-device" in rules_of(PORTS + 'dataplane: {dpdk: {devices: {"0000:02:00.0": {}}}}')
    assert "interface-device" not in rules_of(PORTS + 'dataplane: {dpdk: {devices: {"0000:01:00": {}}}}')


def test_no_interface_is_said_to_lack_a_device_that_cannot_be_read() -> None:
    """The one that is wrong may be the one."""
    for device in ("{ name: 5 }", "{ nam: TenGigabitEthernet1/0/0 }", "5"):
        text = f'{PORTS}dataplane: {{dpdk: {{devices: {{"0000:09:00.0": {device}, "0000:09:00.1": {{}}}}}}}}'
        assert {rule.partition("-")[0] for rule in rules_of(text)} == {"schema"}
    sound = f'{PORTS}dataplane: {{dpdk: {{devices: {{"0000:09:00.0": {{}}}}}}}}'
    assert rules_of(sound) == ["interface-device", "device-interface"]


def test_a_plugin_that_cannot_be_read_may_be_the_one_that_is_missing() -> None:
    text = PORTS.replace("mtu: 9000", "mtu: 9000, lcp: e0")
    assert "plugin-missing" in rules_of(text + "dataplane: {plugins: [ ping ]}")
    assert "plugin-missing" not in rules_of(text + "dataplane: {plugins: [ ping, 5 ]}")
