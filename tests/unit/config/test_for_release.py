"""What a file asks of a release that it cannot do."""

import pytest

from tests.wireguard_keys import PEERS, PRESHARED, PUBLIC
from vppcfg.common.release import OLDEST, Release
from vppcfg.config.for_release import too_new_for
from vppcfg.config.load import parse_text
from vppcfg.model.problem import Severity

FILE = """
interfaces:
  eth0: { gso: true, sflow: true, urpf: { ipv4: loose }, mss-clamp: { ipv4: 1360 }, lcp: e0,
          addresses: [ 192.0.2.1/24 ], vrrp: { 3: { addresses: [ 192.0.2.252 ], accept: true },
          1: { addresses: [ 192.0.2.254 ], accept: true, unicast-peers: [ 192.0.2.2 ] },
          2: { addresses: [ 192.0.2.253 ], unicast-peers: [ 192.0.2.2 ] } } }
  eth1: {}
  gre0: {}
  gre1: {}
  ipip0: {}
  wg0: {}
  wg1: {}
sflow: { sampling-rate: 100 }
vrfs: { red: { id: 7, routes: { 10.1.0.0/16: prohibit, 10.2.0.0/16: blackhole }, path-mtu: { "2001:db8:1::9": 1400 } } }
routes: { 10.1.0.0/16: unreachable }
path-mtu: { 192.0.2.9: 1400 }
proxy_arp: { ranges: [ 203.0.113.1 ], vrfs: { red: [ 203.0.113.9 ] } }
gre_tunnels:
  gre0: { local: 192.0.2.1, remote: 192.0.2.2, key: 1 }
  gre1: { local: 192.0.2.1, remote: 192.0.2.2 }
ipip_tunnels:
  ipip0: { local: 192.0.2.1, remote: 192.0.2.2 }
wireguards:
  wg0: { local: 192.0.2.1, port: 51820, public-key: PUBLIC_0, private-key-file: /a, peers: { b: { public-key: PEER_0,
    allowed-ips: [ 10.0.0.0/8 ], preshared-key-file: /b, preshared-key-sha256: DIGEST } } }
  wg1: { local: 192.0.2.1, port: 51821, public-key: PUBLIC_1, private-key-file: /a }
"""
for _word, _value in {
    **{f"PUBLIC_{number}": PUBLIC[number] for number in (0, 1)},
    "PEER_0": PEERS[0],
    "DIGEST": PRESHARED[0].partition(":")[2],
}.items():
    FILE = FILE.replace(_word, _value)
SFLOW, GSO, KEY = ("interfaces", "eth0", "sflow"), ("interfaces", "eth0", "gso"), ("gre_tunnels", "gre0")
URPF, RANGE = ("interfaces", "eth0", "urpf"), ("proxy_arp", "vrfs", "red", 0)
SAMPLING, WG = ("sflow",), ("wireguards", "wg0")
PAIR = ("interfaces", "eth0", "lcp")
MASTERS, MTU = ("interfaces", "eth0", "vrrp", 1), ("path-mtu",)
ANSWERS = ("vrfs", "red", "routes", "10.1.0.0/16")
ENDS = {ANSWERS, ("vrfs", "red", "routes", "10.2.0.0/16"), ("routes", "10.1.0.0/16")}


@pytest.mark.parametrize(
    ("release", "paths"),
    [
        (OLDEST, {SFLOW, SAMPLING, GSO, KEY, URPF, RANGE, WG, MASTERS, MTU, *ENDS}),
        (Release(24, 10), {SFLOW, SAMPLING, GSO, KEY, RANGE, WG, ANSWERS, MTU}),
        (Release(25, 2), {GSO, KEY, RANGE, WG, ANSWERS, MTU}),
        (Release(25, 6), {KEY, RANGE, WG, ANSWERS, MTU}),
        (Release(25, 10), {WG, ANSWERS, MTU}),
        (Release(26, 2), {WG, PAIR}),
        (Release(26, 6), set()),
    ],
)
def test_what_came_later_is_found_and_nothing_else(release: Release, paths: set[tuple[str, ...]]) -> None:
    configuration = parse_text(FILE, "file").configuration
    assert configuration is not None
    found = list(too_new_for(configuration, release))
    assert {problem.path for problem in found} == paths
    risks = {"vrrp-arp-source": MASTERS, "path-mtu-crash": MTU, "lcp-unicast": PAIR}
    assert all(problem.rule == "vpp-too-old" or problem.path == risks[problem.rule] for problem in found)
    assert all(f"this one is {release}" in problem.text or f"VPP {release} " in problem.text for problem in found)


NATIVE = """
interfaces: { iavf0/0: {}, octeon1/0: {}, ige2/0: {}, atlantic3/0: {} }
dataplane:
  devices:
    "0000:01:00.0": { driver: iavf }
    "0000:01:00.1": { driver: octeon }
    "0000:01:00.2": { driver: ige }
    "0000:01:00.3": { driver: atlantic }
"""


@pytest.mark.parametrize(
    ("release", "missing"),
    [
        (Release(24, 6), ["iavf", "octeon", "ige", "atlantic"]),
        (Release(24, 10), ["ige", "atlantic"]),
        (Release(25, 10), ["ige", "atlantic"]),
        (Release(26, 2), ["atlantic"]),
        (Release(26, 6), []),
    ],
)
def test_a_driver_of_vpps_own_that_came_later_is_found(release: Release, missing: list[str]) -> None:
    loaded = parse_text(NATIVE, "file")
    assert loaded.configuration is not None and loaded.problems == ()
    found = list(too_new_for(loaded.configuration, release))
    assert [problem.text.split()[5] for problem in found] == missing
    assert all(problem.path[:2] == ("dataplane", "devices") and problem.path[-1] == "driver" for problem in found)


BOND = """
interfaces:
  eth0: {}
  eth1: {}
  BondEthernet0: { addresses: [ 10.0.0.1/24 ], sub-interfaces: { 100: { state: down, addresses: [ 10.0.1.1/24 ] } } }
  BondEthernet1: { addresses: [ 10.0.2.1/32 ], sub-interfaces: { 100: { unnumbered: loop0 }, 200: { state: up } } }
  BondEthernet2: { addresses: [ 10.0.3.1/32, 10.0.4.1/31 ], sub-interfaces: { 100: { unnumbered: BondEthernet2 } } }
  BondEthernet3: { addresses: [ "2001:db8::1/128" ] }
  BondEthernet4: { addresses: [ 10.0.5.1/32 ] }
loopbacks: { loop0: { addresses: [ 192.0.2.1/32 ] } }
bondethernets:
  BondEthernet0: { mode: active-backup, interfaces: [ eth0, eth1 ] }
  BondEthernet1: { mode: active-backup }
  BondEthernet2: { mode: active-backup }
  BondEthernet3: { mode: active-backup }
  BondEthernet4: { mode: lacp }
"""


def test_addresses_of_bonds_that_an_older_vpp_ends_announcing_are_named() -> None:
    """Tried on VPP 23.06, which goes on with an address of length 31."""
    configuration = parse_text(BOND, "file").configuration
    assert configuration is not None
    found = list(too_new_for(configuration, Release(24, 6)))
    assert [(each.rule, each.severity, each.path) for each in found] == [
        ("bond-unannounced", Severity.WARNING, ("interfaces", "BondEthernet0", "sub-interfaces", 100)),
        ("bond-unannounced", Severity.WARNING, ("interfaces", "BondEthernet1")),
        ("bond-unannounced", Severity.WARNING, ("interfaces", "BondEthernet1", "sub-interfaces", 100)),
    ]
    assert list(too_new_for(configuration, Release(24, 10))) == []


@pytest.mark.parametrize(("release", "is_told"), [(Release(26, 6), True), (Release(26, 10), False)])
def test_new_bvis_of_a_release_that_mixes_their_nodes_with_those_of_loopbacks_are_named(
    release: Release, is_told: bool
) -> None:
    configuration = parse_text("loopbacks: { loop1: {}, bvi7: {} }", "file").configuration
    assert configuration is not None
    found = [(each.rule, each.path) for each in too_new_for(configuration, release)]
    assert found == ([("bvi-nodes", ("loopbacks", "bvi7"))] if is_told else [])


@pytest.mark.parametrize(
    ("release", "is_told"),
    [(Release(25, 10), False), (Release(26, 2), True), (Release(26, 6), False)],
)
def test_pairs_of_the_release_that_drops_what_linux_sends_by_them_are_named(release: Release, is_told: bool) -> None:
    text = "interfaces: { eth0: { lcp: e0, mtu: 1500, sub-interfaces: { 7: { lcp: e0.7 } } } }"
    configuration = parse_text(text, "file").configuration
    assert configuration is not None
    found = [(each.rule, each.path) for each in too_new_for(configuration, release)]
    assert found == ([("lcp-unicast", ("interfaces", "eth0", "lcp"))] if is_told else [])
