"""Packets of an MPLS L3VPN on a real VPP leave by the VRF of their label; labels of other programs stay theirs."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.real_vpp import RealVpp, running
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PORTS = ("eth0", "eth1", "eth2")
FILE = """
interfaces:
  eth0: {{ mpls: true, addresses: [ 192.0.2.1/24 ] }}
  eth1: {{ vrf: red, addresses: [ 10.0.1.1/24, "2001:db8:1::1/64" ], neighbors: {{ 10.0.1.2: "02:00:00:00:00:12",
    "2001:db8:1::2": "02:00:00:00:00:12" }} }}
  eth2: {{ vrf: blue, addresses: [ 10.0.1.1/24 ], neighbors: {{ 10.0.1.2: "02:00:00:00:00:12" }} }}
vrfs: {{ red: {{ id: 10{} }}, blue: {{ id: 20{} }} }}
"""
SEND = """
import ipaddress, select, socket, sys
label, family, *ends = sys.argv[1:]
def opened(device):
    each = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    each.bind((device, 0))
    return each
def checked(header):
    words = sum(int.from_bytes(header[at:at + 2]) for at in range(0, len(header), 2))
    while words >> 16:
        words = (words & 0xffff) + (words >> 16)
    return header[:10] + (words ^ 0xffff).to_bytes(2) + header[12:]
own = b"payload of a customer" * 3
if family == "4":
    head = bytes.fromhex("45000000 00000000 40fd0000 0a090909 0a000102")
    head = checked(head[:2] + (len(head) + len(own)).to_bytes(2) + head[4:])
else:
    head = bytes.fromhex("60000000 0000fd40") + ipaddress.ip_address("2001:db8:9::9").packed
    head = head[:4] + len(own).to_bytes(2) + head[6:] + ipaddress.ip_address("2001:db8:1::2").packed
takers = {opened(end): end for end in ends}
frame = bytes.fromhex("020000000001 020000000099 8847") + (int(label) << 12 | 0x140).to_bytes(4) + head + own
opened("veth0-peer").send(frame)
wanted = bytes.fromhex("020000000012") , bytes.fromhex("0800" if family == "4" else "86dd")
found = []
while ready := select.select(list(takers), [], [], 0.5)[0]:
    for each in ready:
        data = each.recv(2000)
        if own in data and (data[:6], data[12:14]) == wanted:
            found.append(takers[each])
print(*found)
"""
"""A frame to eth0 with one label; prints where the packet leaves without it, by devices."""


@pytest.fixture(name="vpp")
def vpp_with_ports() -> Iterator[RealVpp]:
    with running(PORTS) as vpp:
        yield vpp


def way(vpp: RealVpp, label: int, family: int = 4) -> str:
    """Return the port by which a packet with a label leaves, '' for none."""
    command = ["nsenter", "--target", str(vpp.pid), "--net", sys.executable, "-c", SEND, str(label), str(family)]
    done = subprocess.run([*command, "veth1-peer", "veth2-peer"], capture_output=True, text=True, check=True)
    return done.stdout.strip().replace("veth", "eth").removesuffix("-peer")


def run(vpp: RealVpp, command: str, *options: str) -> int:
    return main([command, "-q", "-a", str(vpp.socket_path), *options])


def apply(vpp: RealVpp, folder: Path, red: str = "", blue: str = "") -> int:
    """Apply a file with the labels of two VRFs, and hold VPP to having nothing left to do."""
    keys = (f", label: {{ {labels} }}" if labels else "" for labels in (red, blue))
    (file := folder / "router.yaml").write_text(FILE.format(*keys))
    code = run(vpp, "apply", "-y", "-c", str(file))
    if code == ExitCode.DONE:
        assert run(vpp, "plan", "--detailed-exitcode", "-c", str(file)) == ExitCode.DONE
    return code


def route(vpp: RealVpp, label: int, table_id: int, is_add: bool = True, **more: Any) -> int:
    """Set or remove a route as another program does."""
    none = {"is_uniform": 0, "label": 0, "ttl": 0, "exp": 0}
    path = {"sw_if_index": 0xFFFFFFFF, "table_id": table_id, "weight": 1, "label_stack": [none] * 16, **more}
    values = {"mr_table_id": 0, "mr_label": label, "mr_eos": 1, "mr_n_paths": 1, "mr_paths": [path]}
    return int(vpp.client.api.mpls_route_add_del(mr_is_add=is_add, mr_is_multipath=0, mr_route=values).retval)


def test_packets_leave_by_the_vrf_of_their_label(vpp: RealVpp, tmp_path: Path) -> None:
    assert apply(vpp, tmp_path, "ipv4: 1000, ipv6: 1001", "ipv4: 1002") == ExitCode.DONE
    assert [way(vpp, 1000), way(vpp, 1001, 6), way(vpp, 1002), way(vpp, 1003)] == ["eth1", "eth1", "eth2", ""]
    assert apply(vpp, tmp_path, "ipv4: 1002, ipv6: 1001", "ipv4: 1000") == ExitCode.DONE
    assert [way(vpp, 1000), way(vpp, 1001, 6), way(vpp, 1002)] == ["eth2", "eth1", "eth1"]
    assert apply(vpp, tmp_path, "ipv4: 1001, ipv6: 1002", "ipv4: 1000") == ExitCode.DONE
    assert [way(vpp, 1000), way(vpp, 1001), way(vpp, 1002, 6)] == ["eth2", "eth1", "eth1"], "a label keeps its family"
    assert apply(vpp, tmp_path, "ipv4: 1001", "ipv6: null") == ExitCode.DONE
    assert [way(vpp, 1000), way(vpp, 1001), way(vpp, 1002, 6)] == ["", "eth1", ""]
    assert run(vpp, "rollback", "-y") == ExitCode.DONE
    assert [way(vpp, 1000), way(vpp, 1001), way(vpp, 1002, 6)] == ["eth2", "eth1", "eth1"]


def test_a_vrf_goes_with_its_labels(vpp: RealVpp, tmp_path: Path) -> None:
    assert apply(vpp, tmp_path, "ipv4: 1000, ipv6: 1001") == ExitCode.DONE
    (file := tmp_path / "router.yaml").write_text("interfaces: { eth0: { mpls: true }, eth1: {}, eth2: {} }\n")
    assert run(vpp, "apply", "-y", "-c", str(file)) == ExitCode.DONE
    assert "fib_index:1," not in vpp.cli("show ip fib table 10 0.0.0.0/0")[1]
    assert [each.mr_route.mr_label for each in vpp.client.api.mpls_route_dump(table={"mt_table_id": 0})][6:] == []


def test_labels_of_others_stay_theirs(vpp: RealVpp, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert apply(vpp, tmp_path, "ipv4: 1000") == ExitCode.DONE
    eth1 = vpp.client.api.sw_interface_dump(name_filter_valid=True, name_filter="eth1")[0].sw_if_index
    assert (route(vpp, 1001, 20), route(vpp, 1002, 0, sw_if_index=eth1)) == (0, 0)
    assert vpp.cli("mpls local-label add eos 1003 via ip4-lookup-in-table 10") == (0, "")
    assert apply(vpp, tmp_path, "ipv4: 1000") == ExitCode.DONE
    assert [way(vpp, label) for label in (1000, 1001, 1003)] == ["eth1", "eth2", "eth1"], "the file does not own them"
    assert apply(vpp, tmp_path, "ipv4: 1001") == ExitCode.REFUSED, "VRF blue would lose it"
    assert apply(vpp, tmp_path, "ipv4: 1002") == ExitCode.REFUSED
    assert "VPP has MPLS label 1002 of another program, which would lose it" in capsys.readouterr().err
    assert apply(vpp, tmp_path, "ipv4: 1003") == ExitCode.DONE
    assert apply(vpp, tmp_path, "ipv6: null") == ExitCode.DONE
    assert [way(vpp, label) for label in (1000, 1001, 1003)] == ["", "eth2", "eth1"], "the prompt's is there"
