"""What commands that change nothing ask of VPP: as much with many interfaces, routes and sessions as with few.

VPP stops its workers for each message but those that are thread safe, and for each command.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.clock import Clock
from tests.linux_forwarding import PORTS, LinuxAround, filled
from tests.simulated_vpp import connected
from tests.stats_segment import StatsServer, router
from vppcfg.app.capturing import ASKED, Asking, ReadingPlan, take_captures
from vppcfg.app.monitoring.reader import NAMES_S, RouterReader
from vppcfg.app.verifying import verify
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.model.forwarding import Hop
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.simulator.wire import Client
from vppcfg.tune.capture import COMMANDS, Capture
from vppcfg.verify.mismatch import Subject
from vppcfg.verify.sample import VerifySample

FEW, MANY = 10, 200
LOOKUP = "ip_route_lookup_v2"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Return what simulated VPPs are asked, by message; commands by their text."""
    counts: Counter[str] = Counter()
    handle = SimulatedVpp.handle

    def noted(
        vpp: SimulatedVpp,
        message: bytes,
        client: Client,
        clients: Mapping[int, Client],
        pause: Callable[[float], None] | None = None,
    ) -> list[tuple[int, bytes]]:
        name = str(vpp.codec.name_of(message))
        counts[message[14:].decode() if name == "cli_inband" else name] += 1
        return handle(vpp, message, client, clients, pause)

    monkeypatch.setattr(SimulatedVpp, "handle", noted)
    return counts


@contextmanager
def sockets(folder: Path, size: int) -> Iterator[tuple[str, str]]:
    """Run a VPP with a port and loopbacks with routes; return its API socket and its stats socket."""
    vpp = SimulatedVpp(ports=[PhysicalPort(name="eth0")])
    for number in range(size):
        vpp.run_line(f"create loopback interface instance {number}")
        vpp.run_line(f"ip route add 10.{number}.0.0/16 via 192.0.2.1 loop{number}")
    api, stats = folder / f"api{size}.sock", folder / f"stats{size}.sock"
    names = ["local0", "eth0", *(f"loop{number}" for number in range(size))]
    with StatsServer(stats, router(if__names=names)), SimulatorServer(vpp, api):
        yield str(api), str(stats)


def capture(folder: Path, size: int, *, has_heap: bool = False) -> list[Capture]:
    with sockets(folder, size) as (api, stats):
        plan = ReadingPlan(
            api_socket=api,
            json_dir=None,
            stats_socket=stats,
            root=str(folder),
            readings=2,
            interval_s=0.1,
            has_heap=has_heap,
        )
        return take_captures(plan, lambda done: None)


def look(folder: Path, size: int) -> None:
    clock = Clock()
    with sockets(folder, size) as (api, stats):
        reader = RouterReader(api, stats, clock=clock)
        for _ in range(3):
            assert len(reader.look().interfaces) == 1 + size
            clock.sleep(NAMES_S + 1)
        reader.close()


def sessions(folder: Path, size: int) -> None:
    with sockets(folder, size) as (api, _):
        assert main(["-q", "nat", "sessions", "-a", api]) == ExitCode.DONE


@pytest.mark.parametrize("command", [capture, look, sessions], ids=["tune, report", "metrics, top", "nat"])
def test_as_much_is_asked_with_many_interfaces_and_routes_as_with_few(
    command: Callable[[Path, int], object], asked: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.app.capturing._PATIENCE_S", 0.0)
    found = []
    for size in (FEW, MANY):
        command(tmp_path, size)
        asked.pop("ip_address_dump", None)  # for each interface: it is thread safe
        found.append(Counter(asked))
        asked.clear()
    assert found[0] == found[1]
    assert found[0].total() < 45


def verify_twice(size: int) -> LinuxAround:
    """Look twice at a router with so many routes and interfaces, a hundred routes each time."""
    linux, sample = filled(1), VerifySample(interval_s=2)
    for number in range(size):
        linux.vpp.run_line(f"create loopback interface instance {number}")
        linux.add_route(0, f"172.16.{number}.0/24", Hop(PORTS[0], b"\xc0\0\0\x63"))
    for _ in range(2):
        with connected(linux.vpp) as vpp:
            report = verify(vpp, linux, sample=sample, clock=Clock())
        assert (report.count, report.in_linux[Subject.ROUTE]) == (0, sum(map(len, linux.routes.values())))
    return linux


def test_verify_asks_as_much_with_many_routes_and_interfaces_as_with_few(
    asked: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.app.verifying.LEAST_S", 100.0)  # the machine may be busy
    found = []
    for size in (FEW, MANY):
        verify_twice(size)
        found.append(Counter(asked))
        asked.clear()
    few, many = (each.pop(LOOKUP) for each in found)
    assert max(few, many) < 2 * 130, "a hundred routes, and the neighbours"
    pings = [each.pop("control_ping") for each in found]
    assert max(pings) < 2 * 40
    assert found[0].pop("ip_route_v2_dump") == 2, "a table of no more than 200 prefixes is read whole"
    assert found[0] == found[1]
    assert found[0].total() < 2 * 45
    assert not {"ip_route_v2_dump", "ip_neighbor_dump", "ip_table_dump"} & found[1].keys()


def test_each_command_that_a_capture_understands_has_its_price_and_the_dear_ones_are_not_run(
    asked: Counter[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.app.capturing._PATIENCE_S", 0.0)
    assert ASKED.keys() == COMMANDS.keys()
    assert all(price for _, price in ASKED.values())
    never = {COMMANDS[name] for name, (asking, _) in ASKED.items() if asking is Asking.NEVER}
    assert never > {"show pci", "show threads"}
    for has_heap in (False, True):
        asked.clear()
        capture(tmp_path, FEW + has_heap, has_heap=has_heap)
        lines = {name for name in asked if name.startswith("show ") and "_" not in name}
        ports = {"show hardware-interfaces eth0", "show interface eth0"}
        assert lines - ports == {
            *("show version verbose", "show runtime max", "show cpu", "show trace max 1"),
            *([COMMANDS["memory"]] if has_heap else []),
        }
        assert ports <= lines


def test_reading_vpps_load_says_first_how_long_it_takes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with sockets(tmp_path, FEW) as (api, stats):
        words = ["--readings", "3", "--interval", "5", "-a", api, "--stats-socket", f"{stats}.not-there"]
        assert main(["tune", "capture", str(tmp_path / "capture"), *words]) == ExitCode.DATAPLANE
    assert "Reading VPP 3 times takes 10 to 40 s" in caplog.messages
