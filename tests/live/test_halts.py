"""Who only looks stops the workers of a real VPP as seldom with many routes and interfaces as with few."""

import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.halts import halts_of
from tests.real_vpp import RealVpp, release, running
from vppcfg.app.target import Target
from vppcfg.app.verifying import verify
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.model.question import EchoQuestion, NeighborQuestion
from vppcfg.verify.sample import VerifySample
from vppcfg.vpp.live import connect

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")
WORKER = "cpu { main-core 0 corelist-workers 1 }\nstatseg { per-node-counters on update-interval 0.5 size 128M }\n"
WORKER += "plugins { plugin linux_nl_plugin.so { enable } }"
MANY = 300
ROUTES = 20_000
SETTLE_S = 1.0
MOST = 100
"""Halts of a command that changes nothing."""
DEAR = {"ip_route_v2_dump", "ip_neighbor_dump", "show memory", "show pci", "show errors", "show nat44 sessions"}
Look = Callable[[RealVpp, Path], object]


def tune(vpp: RealVpp, folder: Path) -> object:
    words = ["--readings", "2", "--interval", "0.1", "-a", str(vpp.socket_path)]
    return main(["-q", "tune", "capture", str(folder / "capture"), *words])


def metrics(vpp: RealVpp, folder: Path) -> object:
    return main(["-q", "metrics", "--once", "-a", str(vpp.socket_path)])


def nat(vpp: RealVpp, folder: Path) -> object:
    return main(["-q", "nat", "sessions", "-a", str(vpp.socket_path)])


def verify_a_part(vpp: RealVpp, folder: Path) -> object:
    plane, linux = Target(api_socket=str(vpp.socket_path)).connect_apart()
    assert linux is not None
    with plane:
        report = verify(plane, linux, sample=VerifySample(interval_s=1))
    assert report.count == 0, report.groups  # what differs would be read again
    return report


def grow(vpp: RealVpp) -> None:
    """Add routes, and interfaces with neighbours."""
    vpp.cli(f"ip route add 20.0.0.0/24 count {ROUTES} via 192.0.2.9 {PORTS[0]}")
    for number in range(MANY):
        vpp.cli(f"create loopback interface instance {number}")
        vpp.cli(f"set interface ip address loop{number} 198.18.{number >> 8}.{number & 255}/32")
    vpp.cli(f"ip neighbor {PORTS[0]} 192.0.2.10 02:00:00:00:00:0a count 200")


@pytest.mark.parametrize("look", [tune, metrics, nat, verify_a_part], ids=lambda look: look.__name__)
def test_a_look_stops_workers_as_often_with_many_things_as_with_few(look: Look, tmp_path: Path) -> None:
    found: list[Counter[str]] = []
    with running(PORTS, extra=WORKER) as vpp:
        for line in (f"set interface state {PORTS[0]} up", f"lcp create {PORTS[0]} host-if e0"):
            assert vpp.cli(line) == (0, "")
        vpp.ip("link", "set", "e0", "up")
        vpp.ip("address", "add", "192.0.2.1/24", "dev", "e0")
        vpp.ip("neighbor", "add", "192.0.2.9", "lladdr", "02:00:00:00:00:09", "nud", "permanent", "dev", "e0")
        time.sleep(SETTLE_S)
        for size in ("few", "many"):
            folder = tmp_path / size
            folder.mkdir()
            found.append(halts_of(vpp, lambda: look(vpp, folder)))  # noqa: B023
            if size == "few":
                grow(vpp)
    few, many = found
    assert not DEAR & many.keys()
    assert 0 < many.total() <= MOST
    assert many.total() <= few.total() + 4, many - few  # with many neighbours, that of Linux is looked up


def grow_more(vpp: RealVpp) -> None:
    """Add what only a walk of the whole tells: neighbours, MAC addresses, and a long access list of others."""
    api = vpp.client.api
    vpp.cli(f"ip neighbor {PORTS[0]} 192.0.2.20 02:00:00:00:00:0a count 10000")
    assert vpp.cli("create bridge-domain 99")[0] == 0
    assert vpp.cli("create loopback interface instance 9999")[0] == 0
    assert vpp.cli("set interface l2 bridge loop9999 99")[0] == 0
    (index,) = (each.sw_if_index for each in api.sw_interface_dump() if each.interface_name == "loop9999")
    for number in range(10_000):
        mac = bytes((2, 0, 0, 1, number >> 8, number & 255))
        api.l2fib_add_del(mac=mac, bd_id=99, sw_if_index=index, is_add=True)
    terms = [
        {"is_permit": 1, "src_prefix": f"10.{n >> 8}.{n & 255}.1/32", "dst_prefix": "0.0.0.0/0"} for n in range(5_000)
    ]
    assert api.acl_add_replace(acl_index=0xFFFFFFFF, tag="others", count=len(terms), r=terms).retval == 0


SUBS = 300
"""More sub-interfaces than are asked about one by one."""
TOUCHED = 20
"""Halts beside `MOST` for each object that a plan touches."""
OF_A_VRF = 6
"""Halts for two FIB tables that count their interfaces: when the state is read, and read again."""
CHANGES = {
    "nothing": ("mtu: 9000", "mtu: 9000"),
    "an MTU": ("      7: { addresses:", "      7: { mtu: 1400, addresses:"),
    "a removed sub-interface": ("      7: {", "      # 7: {"),
    "a route": ("198.51.100.0/24: 192.0.2.9", "198.51.100.0/25: 192.0.2.9"),
}
"""What stands in the file, and what in its place."""


def file_of(*, has_vrf: bool = False) -> str:
    """Return a file with many sub-interfaces, one of three of them in a VRF where there is one."""
    subs = "".join(
        f"      {n}: {{ addresses: [ 10.{n >> 8}.{n & 255}.1/30, 2001:db8:{n:x}::1/64 ]"
        f"{', vrf: red' if has_vrf and n % 3 == 0 else ''} }}\n"
        for n in range(1, SUBS + 1)
    )
    return (
        f"interfaces:\n  {PORTS[0]}: {{ mtu: 9000, addresses: [ 192.0.2.1/24 ] }}\n"
        f"  {PORTS[1]}:\n    mtu: 9000\n    sub-interfaces:\n{subs}"
        f"routes: {{ 198.51.100.0/24: 192.0.2.9 }}\n{'vrfs: { red: { id: 10 } }' if has_vrf else ''}\n"
        'unmanaged: [ "loop*", "pg*", "bd99", "acl:others" ]\n'
    )


@pytest.mark.parametrize("has_vrf", [False, True])
def test_a_change_stops_workers_in_proportion_to_itself(tmp_path: Path, *, has_vrf: bool) -> None:
    path, text = tmp_path / "vppcfg.yaml", file_of(has_vrf=has_vrf)
    found: dict[str, Counter[str]] = {}
    with running(PORTS, extra=WORKER) as vpp:
        words = ["-a", str(vpp.socket_path), "--state-dir", str(tmp_path / "state")]
        path.write_text(text)
        assert main(["-q", "apply", "-y", "-c", str(path), *words]) == ExitCode.DONE
        grow(vpp)
        grow_more(vpp)
        for name, (old, new) in CHANGES.items():
            path.write_text(text.replace(old, new, 1))
            plan, apply = (["-q", verb, "-c", str(path), *words] for verb in ("plan", "apply"))
            found[f"plan {name}"] = halts_of(vpp, lambda: main(plan))  # noqa: B023
            found[f"apply {name}"] = halts_of(vpp, lambda: main([*apply, "-y", "--again"]))  # noqa: B023
            if name != "nothing":
                found[f"roll {name} back"] = halts_of(vpp, lambda: main(["-q", "rollback", "-y", *words]))
        found["dump"] = halts_of(vpp, lambda: main(["-q", "dump", "-o", str(tmp_path / "dump"), *words[:2]]))
        path.write_text(text)
        assert main(["-q", "plan", "--detailed-exitcode", "-c", str(path), *words]) == ExitCode.DONE, "all is back"
    counts = {name: halts.total() for name, halts in found.items()}
    most = MOST + TOUCHED + (OF_A_VRF if has_vrf else 0)
    assert {name: count for name, count in counts.items() if not 0 < count <= most + _steps(name)} == {}


def _steps(name: str) -> int:
    """Return how many halts the steps of a change take, and what they are sent by: an interface goes in ten."""
    return 0 if name.startswith(("plan", "dump")) or name.endswith("nothing") else 15


RATE, PACKETS = 100_000, 1_000_000_000
SERVICES = (
    ("unmanaged:", "acls: { web: { terms: [ { action: permit } ] } }\nunmanaged:"),
    ("unmanaged:", f"nat44: {{ pools: [ {{ interface: {PORTS[0]} }} ] }}\nunmanaged:"),
    ("    sub-interfaces:", "    description: uplink\n    sub-interfaces:"),
)
GENERATOR = (
    f"packet-generator new {{ name s limit {PACKETS} rate {RATE} worker 0 interface pg0 size 128-128 node ip4-input\n"
    " data { UDP: 10.250.0.2 -> 10.251.0.2 UDP: 1111 -> 2222 incrementing 80 } }"
)


def test_packets_pass_a_worker_while_something_else_is_changed(tmp_path: Path) -> None:
    path, text = tmp_path / "vppcfg.yaml", file_of()
    with running(PORTS, extra=WORKER) as vpp:
        words = ["-a", str(vpp.socket_path), "--state-dir", str(tmp_path / "state"), "-c", str(path)]
        for number in (0, 1):
            vpp.cli(f"create packet-generator interface pg{number}")
            vpp.cli(f"set interface state pg{number} up")
            vpp.cli(f"set interface ip address pg{number} 10.25{number}.0.1/24")
        assert vpp.cli("set ip neighbor pg1 10.251.0.2 02:00:00:00:00:51 static")[0] == 0
        path.write_text(text)
        assert main(["-q", "apply", "-y", *words]) == ExitCode.DONE
        assert vpp.cli(GENERATOR)[0] == 0
        assert vpp.cli("packet-generator enable-stream s")[0] == 0
        for old, new in (*CHANGES.values(), *SERVICES):
            path.write_text(text.replace(old, new, 1))
            assert main(["-q", "apply", "-y", "--again", *words]) == ExitCode.DONE
        assert vpp.cli("packet-generator disable-stream s")[0] == 0
        made = int(re.findall(r"^s +\S+ +(\d+)", vpp.cli("show packet-generator")[1], re.MULTILINE)[0])
        assert 0 < made < PACKETS, "the changes were made while packets came"
        for _ in range(50):
            if sent(vpp) == made:
                break
            time.sleep(0.1)
        assert sent(vpp) == made, "all that were made have left"


def test_workers_go_on_while_a_check_asks_for_they_bring_the_answer() -> None:
    with running(PORTS, extra=WORKER) as vpp, connect(str(vpp.socket_path)) as dataplane:
        vpp.ip("address", "add", "192.0.2.2/24", "dev", "veth0-peer")
        vpp.cli(f"set interface state {PORTS[0]} up")
        vpp.cli(f"set interface ip address {PORTS[0]} 192.0.2.1/24")
        assert dataplane.ask(NeighborQuestion(interface=PORTS[0], address="192.0.2.2")).is_answered
        outcome = dataplane.ask(EchoQuestion(address="192.0.2.2"))
        assert outcome.is_answered or (outcome.is_unable and release() < "26.06")


def sent(vpp: RealVpp) -> int:
    """Return how many packets have left by the second generator."""
    match = re.search(r"tx packets +(\d+)", vpp.cli("show interface pg1")[1])
    return int(match[1]) if match else 0
