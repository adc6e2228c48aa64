"""What an interface had must not land on the next one with its index: delete and create in one plan on a real VPP.

VPP gives the index of an interface that goes to the next that comes, and several of its parts note what they know by
index. Each case turns one file into another; interfaces of the second must have indexes that those of the first had,
and be, by a second opinion and by the features that run on them, what they are on a VPP that never had the first.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.live.second_opinion import differences, read_state
from tests.real_vpp import RealVpp, as_far_as_known, release, running
from tests.wireguard_keys import PEERS, PUBLIC
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.vpp.live import connect
from vppcfg.vpp.messages import interface

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")
_ACLS = """
acls:
  inside: { terms: [ { action: permit, family: ipv4, protocol: tcp }, { action: deny } ] }
ipfix: { collector: 192.0.2.200, source: 192.0.2.1, records: [ l3 ] }
macip_acls:
  hosts: { terms: [ { action: permit, mac: "02:00:00:00:50:05" } ] }
"""
_FROM = (
    Path(__file__).with_name("index_reuse.yaml").read_text().replace("PUBLIC", PUBLIC[0]).replace("PEER", PEERS[0])
    + _ACLS
)
_SUB_INTERFACES = """
interfaces:
  GigabitEthernet3/0/0: { mtu: 2000 }
  GigabitEthernet1/0/0:
    mtu: 2000
    sub-interfaces:
      201: { addresses: [ 10.2.1.1/24 ] }
      202: { addresses: [ 2001:db8:2::1/64 ] }
      231: { addresses: [ 2001:db8:3::1/64 ] }
      232: { addresses: [ 2001:db8:4::1/64 ] }
      203: { unnumbered: GigabitEthernet1/0/0.201 }
""" + "".join(f"      {number}: {{ state: up }}\n" for number in range(240, 280))
_LOOPBACKS = """
interfaces:
  GigabitEthernet1/0/0: { mtu: 2000 }
  GigabitEthernet3/0/0: { mtu: 2000 }
loopbacks:
""" + "".join(f'  loop{number}: {{ mtu: 1500, mac: "02:00:00:00:11:{number:02x}" }}\n' for number in range(10, 50))
_TUNNELS = (
    """
interfaces:
  GigabitEthernet1/0/0: { mtu: 2000 }
  GigabitEthernet3/0/0: { mtu: 2000 }
  BondEthernet1: { mtu: 1500 }
"""
    + "".join(f"  vxlan_tunnel{number}: {{ mtu: 1500 }}\n  gre{number}: {{ mtu: 1500 }}\n" for number in range(10, 28))
    + "".join(f"  ipip{number}: {{ mtu: 1500 }}\n" for number in range(10, 14))
    + """bondethernets:
  BondEthernet1: { mac: "02:00:00:00:40:01", interfaces: [] }
vxlan_tunnels:
"""
    + "".join(
        f"  vxlan_tunnel{number}: {{ local: 192.0.2.1, remote: 192.0.2.{number}, vni: {number} }}\n"
        for number in range(10, 28)
    )
    + "gre_tunnels:\n"
    + "".join(
        f"  gre{number}: {{ local: 192.0.2.1, remote: 192.0.2.{number}, mode: teb }}\n" for number in range(10, 28)
    )
    + "ipip_tunnels:\n"
    + "".join(f"  ipip{number}: {{ local: 192.0.2.1, remote: 192.0.2.{number} }}\n" for number in range(10, 14))
)
_PORTS = (
    """
interfaces:
  GigabitEthernet1/0/0: { mtu: 2000 }
  GigabitEthernet3/0/0: { mtu: 2000 }
  host-v2: { mtu: 2000, mac: "02:00:00:00:30:12", sub-interfaces: { 100: { state: up }, 200: { state: up } } }
  host-v3: { mtu: 2000, mac: "02:00:00:00:30:13" }
"""
    + "".join(f'  memif2/{number}: {{ mtu: 2000, mac: "02:00:00:00:31:{number:02x}" }}\n' for number in range(10, 40))
    + "".join(
        f'  VirtualEthernet0/0/{number}: {{ mtu: 2000, mac: "02:00:00:00:32:{number:02x}" }}\n'
        for number in range(60, 66)
    )
    + """host_interfaces: { host-v2: {}, host-v3: {} }
vhost_users:
"""
    + "".join(
        f"  VirtualEthernet0/0/{number}: {{ role: client, socket: /tmp/vppcfg-reuse-vm{number}.sock }}\n"
        for number in range(60, 66)
    )
    + "memifs:\n"
    + "".join(f"  memif2/{number}: {{ role: slave, socket: /tmp/vppcfg-reuse-b.sock }}\n" for number in range(10, 40))
)
_FEWER = """
interfaces:
  GigabitEthernet1/0/0: { mtu: 2000 }
  GigabitEthernet3/0/0: { mtu: 2000 }
"""
_BY_HAND = (
    "set interface l2 tag-rewrite GigabitEthernet1/0/0.100 push dot1q 5",
    "set interface l2 bridge GigabitEthernet1/0/0.102 10 5",
    "l2fib add 02:00:00:00:60:06 10 GigabitEthernet1/0/0.100 static",
    "set interface l2 tag-rewrite GigabitEthernet1/0/0.105 translate 1-1 dot1q 77",
    "set interface mtu ip4 1200 loop1",
    "set interface mtu ip6 1300 GigabitEthernet1/0/0.101",
)
"""What somebody typed that a file cannot say: it must go with the interface too."""
CASES = {"sub-interfaces": _SUB_INTERFACES, "loopbacks": _LOOPBACKS, "tunnels": _TUNNELS, "ports": _PORTS}


def apply(vpp: RealVpp, text: str, folder: Path) -> None:
    file = folder / "config.yaml"
    file.write_text(text)
    assert (
        main(["apply", "-qy", "--allow-mass-deletion", "--again", "-a", str(vpp.socket_path), "-c", str(file)])
        == ExitCode.DONE
    )
    assert main(["plan", "-q", "-a", str(vpp.socket_path), "-c", str(file), "--detailed-exitcode"]) == ExitCode.DONE


def seen(vpp: RealVpp) -> dict[str, Any]:
    """Return what a second opinion reads, and which features run on each interface, which no dump tells."""
    state = read_state(vpp.socket_path, vpp.api_dir)
    made = [name for name in state["interfaces"] if name not in {"local0", *PORTS}]
    state["features"] = {name: features(vpp, name) for name in made}
    return state


def features(vpp: RealVpp, name: str) -> list[str]:
    found, arc = [], ""
    for line in vpp.cli(f"show interface features {name}")[1].splitlines():
        if line.endswith(":"):
            arc = line
        elif line.startswith("  ") and line.strip() != "none configured":
            found.append(f"{arc} {line.strip()}")
    return found


def indexes(vpp: RealVpp) -> dict[str, int]:
    with connect(str(vpp.socket_path)) as plane:
        return interface.read_names(plane._connection)


@pytest.mark.parametrize("second", CASES.values(), ids=CASES.keys())
def test_nothing_lands_on_the_next_interface_with_an_index(second: str, tmp_path: Path) -> None:
    with running(PORTS, makes_vlan_devices=True) as fresh:
        apply(fresh, _FEWER, tmp_path)
        apply(fresh, second, tmp_path)
        expected = seen(fresh)
    with running(PORTS, makes_vlan_devices=True) as used:
        first = as_far_as_known(_FROM, tmp_path)
        # Before 24.10 the device of an LCP pair is the TAP of its port's number (plugins/linux-cp, 2a5bb3b5ab3).
        apply(used, first if release() >= "24.10" else first.replace("tap1", "tap901"), tmp_path)
        for line in _BY_HAND:
            assert used.cli(line) == (0, "")
        before = indexes(used)
        apply(used, second, tmp_path)
        after = indexes(used)
        reused = {before[name] for name in before.keys() - after.keys()}
        new = {after[name] for name in after.keys() - before.keys()}
        assert len(new) > 10
        assert reused <= new
        assert differences(seen(used), expected) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "interfaces:\n  GigabitEthernet1/0/0:\n    mtu: 2000\n    addresses: [ 192.0.2.1/24 ]\n"
            '    neighbors: { 192.0.2.9: "02:00:00:00:50:05" }\n  GigabitEthernet3/0/0: { mtu: 2000 }\n',
            "VPP would end when the static neighbour 192.0.2.9 is entered",
        ),
        (f"{_FEWER}loopbacks: {{ loop7: {{ mtu: 1500 }} }}\n", "which loop7 or another new interface would inherit"),
    ],
)
def test_a_neighbor_that_a_script_has_left_ends_no_vpp_and_lands_nowhere(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with running(PORTS) as vpp:
        apply(vpp, _FEWER, tmp_path)
        assert vpp.cli("create loopback interface")[0] == 0
        assert vpp.cli("set ip neighbor loop0 192.0.2.9 02:00:00:00:50:09 static") == (0, "")
        index = indexes(vpp)["loop0"]
        assert vpp.cli("delete loopback interface intfc loop0") == (0, "")
        if release() < "26.02":
            file = tmp_path / "config.yaml"
            file.write_text(text)
            assert main(["apply", "-qy", "-a", str(vpp.socket_path), "-c", str(file)]) == ExitCode.REFUSED
            said_of_it = capsys.readouterr().err
            assert said in said_of_it and f"192.0.2.9 at index {index}" in said_of_it
            assert vpp.cli("create loopback interface")[0] == 0
            assert indexes(vpp)["loop0"] == index
            assert vpp.cli("set ip neighbor del loop0 192.0.2.9 02:00:00:00:50:09") == (0, "")
            assert vpp.cli("delete loopback interface intfc loop0") == (0, "")
        apply(vpp, text, tmp_path)
