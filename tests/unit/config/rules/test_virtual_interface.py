"""Rules about tunnels, TAPs, MAC addresses, applied ACLs and protected interfaces."""

import pytest

from vppcfg.config.load import parse_text
from vppcfg.model.problem import Severity


def found_in(text: str) -> list[tuple[str, tuple[str | int, ...]]]:
    found = parse_text(text, "test").to_act_on
    return [(each.rule, each.path) for each in found if not each.rule.endswith("-local-missing")]


def tunnels(*ends: str) -> str:
    names = [f"vxlan_tunnel{number}" for number in range(len(ends))]
    entries = ", ".join(f"{name}: {{{end}}}" for name, end in zip(names, ends, strict=True))
    return f"interfaces: {{{', '.join(f'{name}: ' for name in names)}}}\nvxlan_tunnels: {{{entries}}}"


@pytest.mark.parametrize(
    "tunnel",
    [
        "vxlan_tunnels: {vxlan_tunnel0: {local: LOCAL, remote: REMOTE, vni: 1}}",
        "gre_tunnels: {gre0: {local: LOCAL, remote: REMOTE}}",
        "gre_tunnels: {gre0: {local: LOCAL, remote: REMOTE, mode: teb}}",
        "gre_tunnels: {gre0: {local: LOCAL, remote: REMOTE, mode: erspan, session: 1}}",
    ],
)
@pytest.mark.parametrize(
    ("local", "remote", "addresses", "is_own"),
    [
        ("192.0.2.1", "192.0.2.2", "192.0.2.1/24", False),
        ("192.0.2.1", "192.0.2.2", "192.0.2.1/24, 192.0.2.2/24", True),
        ("192.0.2.1", "192.0.2.2", "192.0.2.2/32", True),
        ("'2001:db8::1'", "'2001:db8::2'", "'2001:db8::1/64'", False),
        ("'2001:db8::1'", "'2001:db8::2'", "'2001:DB8:0::2/64'", True),
    ],
)
def test_a_tunnel_does_not_end_at_this_router(
    tunnel: str, local: str, remote: str, addresses: str, is_own: bool
) -> None:
    section, name = tunnel.replace("{", "").split(": ")[:2]
    rule = "vxlan-remote-own" if name.startswith("vxlan") else "gre-remote-own"
    for interfaces in (
        f"{name}: {{addresses: [{addresses}]}}",
        f"{name}: , a: {{addresses: [{addresses}]}}",
        f"{name}: , a: {{sub-interfaces: {{10: {{addresses: [{addresses}]}}}}}}",
        f"{name}: }}\nloopbacks: {{loop0: {{addresses: [{addresses}]}}",
    ):
        text = f"interfaces: {{{interfaces}}}\n{tunnel.replace('LOCAL', local).replace('REMOTE', remote)}"
        assert found_in(text) == ([(rule, (section, name, "remote"))] if is_own else []), text


def tap(host: str = "", interface: str = "", more: str = "") -> str:
    return f"interfaces: {{tap0: {{{interface}}}}}\ntaps: {{tap0: {{host: {{name: x, {host}}}, {more}}}}}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (tap(), []),
        (tap("mtu: 9000", "mtu: 9000"), []),
        (tap(more="rx-ring-size: 8, tx-ring-size: 32768"), []),
        (tap("bridge: br0, bridge-create: true, namespace: a, namespace-create: true"), []),
        (tap("bridge-create: false"), []),
        (tap("mtu: 9000"), [("tap-mtu", ("interfaces", "tap0", "mtu"))]),
        (tap(more="rx-ring-size: 4"), [("tap-ring", ("taps", "tap0", "rx-ring-size"))]),
        (tap(more="tx-ring-size: 65536"), [("tap-ring", ("taps", "tap0", "tx-ring-size"))]),
        (tap(more="tx-ring-size: 1000"), [("tap-ring", ("taps", "tap0", "tx-ring-size"))]),
        (tap(more="tx-ring-size: 0"), [("tap-ring", ("taps", "tap0", "tx-ring-size"))]),
        (tap("bridge-create: true"), [("tap-create-without", ("taps", "tap0", "host", "bridge-create"))]),
        (tap("namespace-create: true"), [("tap-create-without", ("taps", "tap0", "host", "namespace-create"))]),
        (tap(interface="addresses: [192.0.2.1/24]"), []),
        (tap(interface="lcp: e0"), [("tap-l3", ("interfaces", "tap0", "lcp"))]),
        (tap(interface="sub-interfaces: {1: {state: up}}"), []),
        (tap("mac: '01:00:00:00:00:01'"), [("mac-multicast", ("taps", "tap0", "host", "mac"))]),
    ],
)
def test_taps(text: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    assert found_in(text) == expected


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("taps: {tap0: {host: {name: x}}}", "tap-no-interface"),
        ("vxlan_tunnels: {vxlan_tunnel0: {local: 192.0.2.1, remote: 192.0.2.2, vni: 1}}", "vxlan-no-interface"),
        ("protected: [eth0]", "protected-missing"),
    ],
)
def test_what_is_most_likely_a_slip_is_a_warning(text: str, rule: str) -> None:
    loaded = parse_text(text, "test")
    assert [(problem.rule, problem.severity) for problem in loaded.problems] == [(rule, Severity.WARNING)]
    assert loaded.configuration is not None


def test_what_is_made_can_be_protected() -> None:
    text = (
        "interfaces: {tap0: , a: }\ntaps: {tap0: {host: {name: x}}}\nloopbacks: {loop0: }\nprotected: [tap0, a, loop0]"
    )
    assert found_in(text) == []


def test_linux_names_are_unique_among_lcps_and_taps() -> None:
    text = "interfaces: {a: {lcp: x}, tap0: , tap1: }\ntaps: {tap0: {host: {name: x}}, tap1: {host: {name: x}}}"
    assert found_in(text) == [
        ("lcp-duplicate", ("taps", "tap0", "host", "name")),
        ("lcp-duplicate", ("taps", "tap1", "host", "name")),
    ]


def test_the_mac_of_a_bond_has_one_place() -> None:
    text = "interfaces: {BondEthernet0: {mac: '02:00:5e:00:53:01'}}\nbondethernets: {BondEthernet0: }"
    assert found_in(text) == [("bond-mac-placement", ("interfaces", "BondEthernet0", "mac"))]


def test_the_socket_of_every_memif_is_looked_at() -> None:
    sockets = {"0/0": "", "0/1": "/own", "0/2": "", "1/0": "/" + 108 * "x", "2/0": "/a", "2/1": "/b", "3/0": "/a"}
    entries = "".join(
        f"  memif{name}: {{ role: server{', socket: ' + file if file else ''} }}\n" for name, file in sockets.items()
    )
    names = "".join(f"  memif{name}:\n" for name in sockets)
    found = [(rule, path[1]) for rule, path in found_in(f"interfaces:\n{names}memifs:\n{entries}") if "socket" in rule]
    assert found == [
        ("memif-socket-file", "memif0/1"),
        ("memif-socket-long", "memif1/0"),
        ("memif-socket-differs", "memif2/1"),
        ("memif-socket-twice", "memif3/0"),
    ]
