"""Rules about WireGuard."""

import pytest

from tests.wireguard_keys import PEERS, PUBLIC
from vppcfg.config.load import parse_text
from vppcfg.kinds.wireguard.kind import _PORTS_OF_VPP
from vppcfg.model.wireguard import NO_KEY, PUBLIC_OF_NO_KEY

Found = list[tuple[str, tuple[str | int, ...]]]
NETS = ("allowed-ips: [10.0.0.0/24]", "allowed-ips: [10.0.1.0/24]", "allowed-ips: [10.0.2.0/24]")


def peer(number: int, words: str = "", key: str = "") -> str:
    return f"public-key: {key or PEERS[number]}, {words or NETS[number]}"


def wg(number: int, *peers: str, words: str = "", key: str = "", port: int = 0) -> str:
    """Return the entry of one WireGuard with peers p0, p1 and so on."""
    entries = ", ".join(f"p{position}: {{{each}}}" for position, each in enumerate(peers))
    ends = words or "local: 192.0.2.1"
    keys = f"public-key: {key or PUBLIC[number]}, private-key-file: /etc/vpp/keys/wg{number}"
    return f"wg{number}: {{{ends}, port: {port or 51820 + number}, {keys}, peers: {{{entries}}}}}"


def found_in(*entries: str, interfaces: str = "", more: str = "") -> Found:
    names = [entry.partition(":")[0] for entry in entries]
    plain = "".join(f"{name}: {{}}, " for name in names if f"{name}: " not in interfaces)
    text = f"interfaces: {{{plain}{interfaces}}}\nwireguards: {{{', '.join(entries)}}}\n{more}"
    found = parse_text(text, "test").to_act_on
    return [(each.rule, each.path) for each in found if not each.rule.endswith("-local-missing")]


def test_two_interfaces_with_peers_of_their_own_are_right() -> None:
    assert found_in(wg(0, peer(0), peer(1)), wg(1, peer(2, NETS[0]))) == []


def test_an_interface_needs_its_mtu() -> None:
    text = f"wireguards: {{{wg(0, peer(0))}}}"
    assert [problem.rule for problem in parse_text(text, "test").to_act_on] == ["wireguard-no-interface"]


@pytest.mark.parametrize("port", [4789, 4790, 53, *_PORTS_OF_VPP])
def test_ports_of_vpp_are_refused(port: int) -> None:
    assert found_in(wg(0, port=port)) == [("wireguard-port", ("wireguards", "wg0", "port"))]


def test_a_port_is_had_once() -> None:
    assert found_in(wg(0), wg(1, port=51820)) == [("wireguard-port", ("wireguards", "wg1", "port"))]


def test_a_port_of_a_vxlan_tunnel_is_refused() -> None:
    more = "vxlan_tunnels: {vxlan_tunnel0: {local: 192.0.2.1, remote: 192.0.2.2, vni: 1, source-port: 51820}}"
    assert found_in(wg(0), interfaces="vxlan_tunnel0: {}", more=more) == [
        ("wireguard-port", ("wireguards", "wg0", "port"))
    ]


@pytest.mark.parametrize("key", [NO_KEY, PUBLIC_OF_NO_KEY])
def test_keys_of_zeros_are_refused(key: str) -> None:
    assert found_in(wg(0, key=key)) == [("wireguard-key", ("wireguards", "wg0", "public-key"))]
    assert found_in(wg(0, peer(0, key=key))) == [("wireguard-key", ("wireguards", "wg0", "peers", "p0", "public-key"))]


def test_a_key_is_had_by_one_peer_of_all_interfaces() -> None:
    path = ("wireguards", "wg1", "peers", "p0", "public-key")
    assert found_in(wg(0, peer(0)), wg(1, peer(0))) == [("wireguard-peer-key", path)]
    assert found_in(wg(0), wg(1, peer(0, key=PUBLIC[0]))) == [("wireguard-peer-key", path)]
    assert found_in(wg(0), wg(1, peer(0, key=PUBLIC[1]))) == [("wireguard-peer-key", path)]


@pytest.mark.parametrize(
    ("words", "is_right"),
    [
        ("endpoint: 198.51.100.1, port: 1", True),
        ("endpoint: 198.51.100.1", False),
        ("port: 1", False),
        ("endpoint: '2001:db8::9', port: 1", False),
        ("endpoint: 192.0.2.1, port: 1", False),
        ("endpoint: 192.0.2.77, port: 1", False),
        ("keepalive: 25", True),
    ],
)
def test_an_endpoint_can_be_reached(words: str, is_right: bool) -> None:
    rules = [
        rule
        for rule, _ in found_in(wg(0, peer(0, f"{NETS[0]}, {words}")), interfaces="e0: {addresses: [192.0.2.77/24]}")
    ]
    assert rules == ([] if is_right else ["wireguard-endpoint"])


def test_the_vrf_outside_must_have_the_family() -> None:
    vrfs = "vrfs: {red: {id: 5, ipv4: false}}"
    words = "local: 192.0.2.1, encap-vrf: red"
    assert found_in(wg(0, words=words), more=vrfs) == [("vrf-family", ("wireguards", "wg0", "encap-vrf"))]
    assert found_in(wg(0, words=words)) == [("vrf-undefined", ("wireguards", "wg0", "encap-vrf"))]


def test_a_prefix_belongs_to_one_peer_of_an_interface() -> None:
    path = ("wireguards", "wg0", "peers", "p1", "allowed-ips", 1)
    second = peer(1, "allowed-ips: [10.9.0.0/16, 10.0.0.7/24]")
    assert found_in(wg(0, peer(0), second)) == [("wireguard-allowed-ips", path)]
    assert found_in(wg(0, peer(0)), wg(1, peer(1, NETS[0]))) == []


def test_vpp_counts_prefixes_in_a_byte() -> None:
    prefixes = ", ".join(f"10.{number}.0.0/16" for number in range(256))
    assert found_in(wg(0, peer(0, f"allowed-ips: [{prefixes}]"))) == [
        ("wireguard-allowed-ips", ("wireguards", "wg0", "peers", "p0", "allowed-ips"))
    ]


@pytest.mark.parametrize("words", ["preshared-key-file: /a", f"preshared-key-sha256: {'0' * 63}a"])
def test_a_preshared_key_has_a_file_and_a_digest(words: str) -> None:
    assert [rule for rule, _ in found_in(wg(0, peer(0, f"{NETS[0]}, {words}")))] == ["wireguard-preshared-key"]


@pytest.mark.parametrize("name", ['"a b"', "7", '"-a"', f'"{"a" * 64}"'])
def test_a_peer_has_a_name_of_one_word(name: str) -> None:
    text = f"interfaces: {{wg0: {{}}}}\nwireguards: {{{wg(0, peer(0)).replace('p0:', f'{name}:')}}}"
    assert [problem.rule for problem in parse_text(text, "test").to_act_on] == ["wireguard-peer-name"]
