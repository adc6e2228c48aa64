"""A host that would never ask again learns where the router's addresses have moved: when it changes, and back."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, running, since
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PORTS = ("eth0", "eth1")
ADDRESSES = ("192.0.2.1", "2001:db8::1", "fe80::1")
OWN = "addresses: [ 192.0.2.1/24, '2001:db8::1/64' ], link-local: 'fe80::1', ra: {}"
ONE, OTHER, BVI = "02:00:00:00:00:01", "02:00:00:00:00:02", "02:00:00:00:00:b1"
PORT = f"interfaces: {{ eth0: {{ mtu: 1500, {OWN} }}, eth1: {{ mtu: 1500 }} }}\n"
BRIDGE = (
    "interfaces: { eth0: { mtu: 1500 }, eth1: { mtu: 1500, state: down } }\n"
    f"loopbacks: {{ loop7: {{ mac: '{BVI}', {OWN} }} }}\n"
    "bridgedomains: { bd10: { mtu: 1500, bvi: loop7, interfaces: [ eth0, eth1 ] } }\n"
)
CHANGED = {
    "bridge with a loopback": (BRIDGE, BVI),
    "bridge with a BVI of VPP's": (BRIDGE.replace("loop7", "bvi7"), BVI),
    "another port": (f"interfaces: {{ eth0: {{ mtu: 1500 }}, eth1: {{ mtu: 1500, {OWN} }} }}\n", OTHER),
    "another MAC address": (PORT.replace("eth0: {", f"eth0: {{ mac: '{BVI}',"), BVI),
    "a bond of another port": (
        f"interfaces: {{ eth0: {{ mtu: 1500 }}, eth1: {{ mtu: 1500 }}, BondEthernet0: {{ mtu: 1500, {OWN} }} }}\n"
        "bondethernets: { BondEthernet0: { mode: xor, load-balance: l34, interfaces: [ eth1 ] } }\n",
        OTHER,
    ),
}
HOST = """
ip link add br0 type bridge; ip link set br0 up
for end in veth0-peer veth1-peer; do ip link set $end master br0 up; done
ip addr add 192.0.2.2/24 dev br0; ip addr add 2001:db8::2/64 dev br0 nodad
"""


class Host:
    """A host on a switch that both ports are plugged into."""

    def __init__(self, vpp: RealVpp) -> None:
        self._vpp = vpp
        vpp.add_netns("host")
        for number in range(len(PORTS)):
            vpp.ip("link", "set", f"veth{number}-peer", "netns", "host")
        vpp.ip("netns", "exec", "host", "sh", "-c", HOST)

    def believe(self, mac: str) -> None:
        """Take a MAC address for the router's."""
        for address in ADDRESSES:
            self._ip("neigh", "replace", address, "lladdr", mac, "nud", "stale", "dev", "br0")

    def beliefs(self) -> set[str]:
        """Return the MAC addresses that the host takes for the router's."""
        words = [line.split() for line in self._ip("neigh", "show", "dev", "br0").splitlines()]
        return {each[each.index("lladdr") + 1] for each in words if each[0] in ADDRESSES and "lladdr" in each}

    def _ip(self, *words: str) -> str:
        return self._vpp.ip("-n", "host", *words)


@pytest.fixture(name="vpp", scope="module")
def vpp_with_host() -> Iterator[tuple[RealVpp, Host]]:
    with running(PORTS) as process:
        yield process, Host(process)


@pytest.mark.parametrize(
    "change",
    # Before, VPP drops all that a BVI sends where a loopback was deleted, as in the change before it (`bvi-nodes`).
    [pytest.param(each, marks=[since("26.10")] if "VPP's" in each else []) for each in CHANGED],
)
def test_a_host_learns_of_a_change_of_its_rollback_and_of_one_that_fails(
    vpp: tuple[RealVpp, Host], tmp_path: Path, change: str
) -> None:
    process, host = vpp
    text, mac = CHANGED[change]
    file = tmp_path / "router.yaml"
    words = ("-q", "-a", str(process.socket_path))

    def apply(text: str) -> int:
        file.write_text(text)
        return main(["apply", "-y", "--again", "--allow-mass-deletion", "-c", str(file), *words])

    assert apply(PORT) == ExitCode.DONE
    host.believe(ONE)
    assert apply(text) == ExitCode.DONE
    assert host.beliefs() == {mac}
    assert main(["rollback", "-y", *words]) == ExitCode.DONE
    assert host.beliefs() == {ONE}
    assert apply(f"{text}hooks: {{ after-apply: [ /bin/false ] }}\n") == ExitCode.ROLLED_BACK
    assert host.beliefs() == {ONE}
