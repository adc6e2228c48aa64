# Copyright the vppcfg project
# SPDX-License-Identifier: Apache-2.0

"""The playbook on five real VPPs in a row, with cables between them and a customer's host at each end.

    c1 === r1 --- r2 --- r3 --- r4 --- r5 === c2

Each host has two cables: one into a bridge domain that goes through VXLAN tunnels from router to router, one to a
routed port. VPP_PREFIX names the installation of VPP.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from lost_address import run
from routers import Fleet
from scenarios import Skipped, close_window, expect, states

HERE = Path(__file__).parent
SIZE = 5
OLD, NEW = (2000, 10), (1700, 20)
"""MTU and VNI before and after; the VNI grows by one from link to link, since a router may use each once."""
BATCHES = ["-e", '{"vppcfg_serial": [1, 2, 2]}']
STARTUP = """\
unix {{ nodaemon nosyslog log {folder}/vpp.log cli-listen {folder}/cli.sock runtime-dir {folder} poll-sleep-usec 500 }}
api-segment {{ prefix {name} }}
socksvr {{ socket-name {folder}/api.sock }}
statseg {{ socket-name {folder}/stats.sock size 32M }}
memory {{ main-heap-size 256M main-heap-page-size 4k }}
buffers {{ buffers-per-numa 4096 page-size 4k }}
plugins {{ {plugins} }}
"""


def five_vpps(fleet: Fleet) -> None:
    """A VXLAN and an MTU change across five real VPPs, one of which refuses at first; traffic flows before and after."""
    prefix = Path(os.environ.get("VPP_PREFIX") or "/nonexistent")
    if not os.access(prefix / "bin" / "vpp", os.X_OK):
        raise Skipped("there is no real VPP: VPP_PREFIX names no installation that has bin/vpp")
    if os.geteuid() != 0:
        raise Skipped("only root starts a VPP and makes network namespaces")
    with row_of(fleet, prefix) as row:
        old, new = files(OLD), files(NEW)
        row.settle(old)
        row.flows(*OLD)
        one_refuses(row, old, new)
        expect(play(row, new)[0] != 0, "once more, the play fails at once")
        found = states(row)
        expect((found["r1"], found["r2"]) == ("unchanged", "refused"), f"r2 remembers what went back: {row.report()}")
        allowed = {"r2": {"vppcfg_again": True}, "r3": {"vppcfg_override_protected": True}}
        expect(play(row, new, allowed)[0] == 0, "the play succeeds when both are allowed")
        found = states(row)
        expect(found.pop("r1") == "unchanged" and set(found.values()) == {"confirmed"}, f"the table: {found}")
        for name, text in new.items():
            expect(row.is_at(name, text), f"{name} is new")
        row.flows(*NEW)
        code, said = play(row, new)
        expect(code == 0 and said[said.rindex("PLAY RECAP") :].count("changed=0") == SIZE, "once more changes nothing")


def one_refuses(row: Row, old: dict[str, str], new: dict[str, str]) -> None:
    """A port of r3 is protected: it refuses, its neighbour goes back, and nobody after it begins."""
    expect(play(row, new)[0] != 0, "a play that one router refuses fails")
    found = states(row)
    wanted = {"r1": "confirmed", "r2": "waiting", "r4": "not begun", "r5": "not begun"}
    expect(found.pop("r3") == "refused" and found == wanted, f"the table: {row.report()}")
    expect("protected" in row.report()["r3"]["why"], f"and says why: {row.report()['r3']}")
    close_window(row, "r2")
    expect(row.is_at("r1", new["r1"]), "the canary is new")
    for name in ("r2", "r3", "r4", "r5"):
        expect(row.is_at(name, old[name]), f"{name} is old")


def play(
    row: Row, texts: dict[str, str], special: Mapping[str, dict[str, object]] = MappingProxyType({})
) -> tuple[int, str]:
    """Run the playbook."""
    return row.play("change", row.inventory(texts, special, vppcfg_confirm=20), *BATCHES)


def files(what: tuple[int, int]) -> dict[str, str]:
    """Return the configuration of each router."""
    return {f"r{number}": configuration(number, *what) for number in range(1, SIZE + 1)}


def configuration(number: int, mtu: int, vni: int) -> str:
    """Return a configuration: a port for each neighbour and a tunnel to it, and a customer's two ports at the ends."""
    ports, tunnels, members = [], [], []
    for neighbour, device, own, other, link in (
        (number - 1, "left", 2, 1, number - 1),
        (number + 1, "right", 1, 2, number),
    ):
        if 1 <= neighbour <= SIZE:
            ends = f"local: 10.1.{link}.{own}, remote: 10.1.{link}.{other}"
            ports.append(f"host-{device}: {{ mtu: {mtu}, addresses: [ 10.1.{link}.{own}/24 ] }}")
            tunnels.append(f"vxlan_tunnel{link}: {{ {ends}, vni: {vni + link} }}")
            members.append(f"vxlan_tunnel{link}")
    if number in (1, SIZE):
        ports += ["host-bridged: { mtu: 1500 }", f"host-routed: {{ mtu: {mtu}, addresses: [ 10.2.{number}.1/24 ] }}"]
        members.append("host-bridged")
    devices = [port.partition(":")[0] for port in ports]
    ports += [f"{name}: {{ mtu: 1500 }}" for name in members if name.startswith("vxlan")]
    return ("protected: [ host-left ]\n" if number == 3 else "") + "".join(
        f"{section}:\n" + "".join(f"  {line}\n" for line in lines)
        for section, lines in (
            ("interfaces", ports),
            ("host_interfaces", [f"{name}: {{}}" for name in devices]),
            ("vxlan_tunnels", tunnels),
            ("bridgedomains", [f"bd10: {{ mtu: 1500, interfaces: [ {', '.join(members)} ] }}"]),
        )
    )


class Row(Fleet):
    """Five VPPs, each in a network namespace of its own, and the hosts c1 and c2."""

    def __init__(self, folder: Path, prefix: Path, vppcfg: str, ansible: str) -> None:
        """Use a folder, and the installation of VPP."""
        super().__init__(folder, SIZE, vppcfg, ansible)
        self._prefix = prefix

    def start(self, name: str, *options: str) -> None:
        """Start the VPP of a router, which then has no port yet."""
        folder = self.folder / name
        found = [*(self._prefix / "lib").glob("*/vpp_plugins"), *(self._prefix / "lib").glob("vpp_plugins")]
        plugins = f"path {found[0]}" if found else ""
        text = STARTUP.format(folder=folder, name=f"{netns(name)}", plugins=plugins)
        (folder / "startup.conf").write_text(text)
        words = ["ip", "netns", "exec", netns(name), str(self._prefix / "bin" / "vpp"), "-c", str(folder / "startup.conf")]
        self.launch(name, words)

    def add_routes(self) -> None:
        """Give every VPP the routes to both hosts, which a routing daemon would bring."""
        for number in range(1, SIZE + 1):
            if number > 1:
                self.vppctl(f"r{number}", f"ip route add 10.2.1.0/24 via 10.1.{number - 1}.1 host-left")
            if number < SIZE:
                self.vppctl(f"r{number}", f"ip route add 10.2.{SIZE}.0/24 via 10.1.{number}.2 host-right")

    def vppctl(self, name: str, line: str) -> str:
        """Run a line of VPP's CLI on a router and return what VPP says."""
        socket = str(self.folder / name / "cli.sock")
        words = [str(self._prefix / "bin" / "vppctl"), "-s", socket, *line.split()]
        return subprocess.run(words, capture_output=True, text=True, check=True, timeout=30).stdout

    def settle(self, files: dict[str, str]) -> None:
        """Start all, and bring each to its first configuration."""
        super().settle(files)
        self.add_routes()

    def flows(self, mtu: int, vni: int) -> None:
        """Raise AssertionError unless packets flow from both ends, in the tunnels and beside them, up to the MTU."""
        for host, bridged, routed in (("c1", "10.3.0.2", f"10.2.{SIZE}.2"), ("c2", "10.3.0.1", "10.2.1.2")):
            expect(pings(host, bridged, 1500), f"{host} reaches {bridged} through the tunnels")
            expect(pings(host, routed, mtu), f"packets of {mtu} bytes go from {host} to {routed}")
            expect(not pings(host, routed, mtu + 1), f"packets of {mtu + 1} bytes do not go from {host} to {routed}")
        for link in range(1, SIZE):
            for name in (f"r{link}", f"r{link + 1}"):
                shown = self.vppctl(name, "show vxlan tunnel")
                expect(f"vni {vni + link} " in shown, f"{name} has a tunnel with VNI {vni + link}: {shown}")


def netns(name: str) -> str:
    """Return the network namespace of a router or a host; other runs of these tests have others."""
    return f"vppcfg-{name}-{os.getpid()}"


def pings(host: str, address: str, size_bytes: int) -> bool:
    """Return whether a host gets an answer to packets of a size that nobody may cut into pieces."""
    words = ["ip", "netns", "exec", netns(host), sys.executable, str(HERE / "echo.py"), address, str(size_bytes)]
    return subprocess.run(words, check=False).returncode == 0


@contextlib.contextmanager
def row_of(fleet: Fleet, prefix: Path) -> Iterator[Row]:
    """Yield the routers, with all cables; remove everything at the end."""
    row = Row(fleet.folder / "row", prefix, str(Path(fleet.vppcfg).parent), fleet.ansible)
    everybody = [*row.names, "c1", "c2"]
    try:
        for name in everybody:
            run("ip", "netns", "add", netns(name))
            run("ip", "-n", netns(name), "link", "set", "lo", "up")
        for number in range(1, SIZE):
            cable(f"r{number}", "right", f"r{number + 1}", "left")
        for number, host in ((1, "c1"), (SIZE, "c2")):
            for device, address in (("bridged", f"10.3.0.{host[1]}"), ("routed", f"10.2.{number}.2")):
                cable(f"r{number}", device, host, device)
                run("ip", "-n", netns(host), "address", "add", f"{address}/24", "dev", device)
            run("ip", "-n", netns(host), "link", "set", "bridged", "mtu", "1500")
            run("ip", "-n", netns(host), "route", "add", "10.2.0.0/16", "via", f"10.2.{number}.1")
        yield row
    finally:
        (fleet.folder / "last.log").write_text(row.last_words())
        row.stop_all()
        for name in everybody:
            subprocess.run(["ip", "netns", "delete", netns(name)], check=False)
            for left in Path("/dev/shm").glob(f"{netns(name)}-*"):
                left.unlink(missing_ok=True)
        shutil.rmtree(row.folder)


def cable(first: str, device: str, second: str, other: str) -> None:
    """Connect a device of one namespace with one of another."""
    run("ip", "-n", netns(first), "link", "add", device, "mtu", "9000", "type", "veth", "peer", "name", other,
        "mtu", "9000", "netns", netns(second))  # fmt: skip
    for name, end in ((first, device), (second, other)):
        run("ip", "-n", netns(name), "link", "set", end, "up")
