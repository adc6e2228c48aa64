"""The sentences about impact: each names what is really lost, and the step that really takes it."""

from dataclasses import replace

import pytest

from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.model.state import State
from vppcfg.model.wireguard import Wireguard
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.render.diff_view import diff_lines
from vppcfg.render.pause_text import pause_lines

TWO = "interfaces: { eth0: {}, eth1: {} }\n"
LOOP = 'loopbacks: { loop10: { mac: "02:00:00:00:00:0%d", lcp: bvi10, addresses: [ 192.0.2.1/24 ] } }\n'
IN_VRFS = """
interfaces: { eth0: { vrf: red, addresses: [ 192.0.2.1/24 ] }, eth1: { vrf: blue, addresses: [ 192.0.2.1/24 ] } }
vrfs: { red: { id: %d }, blue: { id: %d } }
"""
IN_VRF = "interfaces: { eth0: { %s addresses: [ 192.0.2.1/24, 2001:db8::1/64 ] } }\nvrfs: { red: { id: 1 } }\n"
ROUTED = """
interfaces: {{ eth0: {{ vrf: red, addresses: [ 192.0.2.1/24 ] }} }}
vrfs: {{ red: {{ id: 1, routes: {{ 10.0.0.0/8: {} }} }} }}
"""
ROUTE = "vrfs.red.routes.10.0.0.0/8 remove"
KEYS = ("TrMvSoP4jYQlY6RIzBgbssQqY3vxI2Pi+y71lOWWXX0=", "gN65BkIKy1eCE9pP1wdc8ROUtkHLF2PfAqYdyYBz6EA=")
WIREGUARD = """
interfaces: {{ eth0: {{ addresses: [ 192.0.2.1/24 ] }}, wg0: {{}} }}
wireguards:
  wg0:
    local: 192.0.2.1
    port: 51820
    public-key: xTIBA5rboUvnH4htodjb6e697QjLERt1NAB4mZqp8Dg=
    private-key-file: /etc/vpp/keys/wg0
    peers: {{ bern: {{ public-key: {}, allowed-ips: [ 10.1.0.0/24 ] }} }}
"""


def between(before: str, after: str, *, is_named: bool = True) -> Plan:
    """Return the plan from one configuration to another; without names, VPP was asked what it has."""
    configurations = [parse_text(text, "file").configuration for text in (before, after)]
    assert configurations[0] is not None and configurations[1] is not None
    observed: State = resolve(configurations[0], assumed_state(configurations[0])).desired
    if not is_named:
        virtual = {
            name: replace(made, peers={key: replace(peer, name="") for key, peer in made.peers.items()})
            for name, made in observed.virtual_as(Wireguard).items()
        }
        vrfs = {key: replace(table, name=key) for key, table in observed.vrfs.items()}
        observed = replace(observed, virtual=virtual, vrfs=vrfs)
    return make_plan(observed, resolve(configurations[1], observed).desired)


def sentences(plan: Plan) -> list[str]:
    lines = [line.text.strip() for line in diff_lines(plan) if line.text.startswith("  ") and line.action is None]
    return [line for line in lines if line not in pause_lines(plan)]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            TWO + LOOP % 1,
            TWO + LOOP % 2,
            [
                "loop10 has its Linux device recreated, because the MAC of loop10 changes",
                "loop10 flaps, because it gets another MAC address",
            ],
        ),
        (
            TWO + "bridgedomains: { bd1: { interfaces: [ eth0, eth1 ] } }",
            TWO + "bridgedomains: { bd2: { interfaces: [ eth0, eth1 ] } }",
            ["eth0 and eth1 lose their L2 paths, because they leave bridge domain 1"],
        ),
        (
            IN_VRFS % (1, 2),
            IN_VRFS % (2, 1),
            ["eth0 and eth1 move 192.0.2.1/24 to another FIB table, because the id of the VRF changes"],
        ),
        (
            IN_VRF % "vrf: red,",
            IN_VRF % "",
            ["eth0 moves 2 addresses to another FIB table, because it moves to another VRF"],
        ),
        (
            "interfaces: { eth0: { addresses: [ 192.0.2.1/24 ] }, eth1: {} }",
            "interfaces: { eth1: { addresses: [ 192.0.2.1/24 ] }, eth0: {} }",
            ["eth0 loses 192.0.2.1/24, because eth1 takes over"],
        ),
        (
            "interfaces: { eth0: { addresses: [ 192.0.2.1/24 ] } }",
            "interfaces: { eth0: { dhcp-client: true } }",
            ["eth0 loses 192.0.2.1/24"],
        ),
    ],
)
def test_a_sentence_names_what_is_lost_and_why(before: str, after: str, expected: list[str]) -> None:
    assert sentences(between(before, after)) == expected


def test_an_interface_whose_vrf_gets_another_id_has_a_line_about_it() -> None:
    lines = [line.text for line in diff_lines(between(IN_VRFS % (1, 2), IN_VRFS % (2, 1)))]
    assert lines[1] == "    # its VRF: FIB table 1 -> 2" and lines[3] == "    # its VRF: FIB table 2 -> 1"


@pytest.mark.parametrize(
    ("file", "old", "new", "head", "key"),
    [
        (WIREGUARD, *KEYS, "wireguards.wg0 remove", "peers.bern.public-key"),
        (ROUTED, "192.0.2.9", "blackhole", ROUTE, "via"),
    ],
)
def test_names_vpp_does_not_know_are_those_of_the_file(file: str, old: str, new: str, head: str, key: str) -> None:
    lines = [line.text for line in diff_lines(between(file.format(old), file.format(new), is_named=False))]
    assert (lines[0].split()[1:], lines[1].strip()) == (head.split(), f"{key}: {old} -> {new}")


def test_a_device_of_an_interface_without_link_goes_down_in_linux() -> None:
    configuration = parse_text("interfaces: { eth0: { lcp: e0, state: down } }", "file").configuration
    assert configuration is not None
    there = assumed_state(configuration)
    there = replace(there, facts=replace(there.facts, has_linux=True))
    desired = resolve(configuration, there).desired
    observed = replace(desired, linux={"eth0": replace(desired.linux["eth0"], is_up=True)})
    told = sentences(make_plan(observed, desired))
    assert told == ["eth0 loses its connection in Linux, because its Linux device goes down"]


def test_the_peers_of_a_wireguard_interface_that_is_called_otherwise_keep_their_names() -> None:
    before = WIREGUARD.format(KEYS[0])
    after = before.replace("wg0: {}", "wg1: {}").replace("\n  wg0:", "\n  wg1:")
    text = "\n".join(line.text for line in diff_lines(between(before, after, is_named=False)))
    assert (text.count("bern:"), text.count("peer1:")) == (2, 0), text
