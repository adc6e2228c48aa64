"""Who only looks stops the workers of a real VPP as seldom with many routes and interfaces as with few."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.live.halts import halts_of
from tests.real_vpp import RealVpp, running
from vppcfg.app.target import Target
from vppcfg.app.verifying import verify
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.verify.sample import VerifySample

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")
WORKER = "cpu { main-core 0 corelist-workers 1 }\nstatseg { per-node-counters on update-interval 0.5 size 128M }\n"
WORKER += "plugins { plugin linux_nl_plugin.so { enable } }"
MANY = 300
ROUTES = 20_000
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
        return verify(plane, linux, sample=VerifySample(interval_s=1)).count or ExitCode.DONE


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
        for line in (
            f"set interface state {PORTS[0]} up",
            f"lcp create {PORTS[0]} host-if e0",
            f"set interface ip address {PORTS[0]} 192.0.2.1/24",
            f"ip neighbor {PORTS[0]} 192.0.2.9 02:00:00:00:00:09",
        ):
            assert vpp.cli(line) == (0, "")
        for size in ("few", "many"):
            folder = tmp_path / size
            folder.mkdir()
            found.append(halts_of(vpp, lambda: look(vpp, folder)))  # noqa: B023
            if size == "few":
                grow(vpp)
    few, many = found
    assert not DEAR & many.keys()
    assert 0 < many.total() <= MOST
    assert many.total() <= few.total() + 2, many - few
