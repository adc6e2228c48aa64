"""`vppcfg watch` on a real VPP: what it tells at once, what is found later, and a restart in between."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, running
from tests.unit.cli.watching import Watching
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")
FILE = f"""\
interfaces:
  {PORTS[0]}: {{ mtu: 1500, addresses: [ 192.0.2.1/24 ], sub-interfaces: {{ 100: {{ state: up }} }} }}
  {PORTS[1]}: {{ mtu: 9000 }}
loopbacks:
  loop0: {{ addresses: [ 203.0.113.1/32 ] }}
"""
SOON_S = 3.0


@pytest.fixture
def vpp() -> Iterator[RealVpp]:
    with running(PORTS) as process:
        yield process


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "router.yaml"
    path.write_text(FILE)
    return path


def typed(vpp: RealVpp, line: str) -> None:
    retval, text = vpp.cli(line)
    assert retval == 0, text


def test_a_real_vpp_is_followed(vpp: RealVpp, path: Path) -> None:
    place = ["-c", str(path), "-a", str(vpp.socket_path)]
    assert main(["watch", "--once", *place]) == ExitCode.DRIFT
    assert main(["apply", "--yes", *place]) == ExitCode.DONE
    assert main(["watch", "--once", *place]) == ExitCode.DONE
    watching = Watching([*place, "--format", "json", "--interval", "3600"])
    try:
        watching.hears("in_sync")
        for count, (drift, back, name) in enumerate(
            (
                (f"set interface state {PORTS[1]} down", f"set interface state {PORTS[1]} up", PORTS[1]),
                ("create loopback interface instance 7", "delete loopback interface intfc loop7", "loop7"),
            ),
            start=1,
        ):
            start = time.monotonic()
            typed(vpp, drift)
            assert watching.hears("difference", count)["name"] == name
            assert time.monotonic() - start < SOON_S
            typed(vpp, back)
            watching.hears("in_sync", count + 1)
        assert watching.end() == ExitCode.DONE
    finally:
        watching.tidy()


def test_what_a_real_vpp_keeps_to_itself_is_found_at_the_next_look(vpp: RealVpp, path: Path) -> None:
    place = ["-c", str(path), "-a", str(vpp.socket_path)]
    assert main(["apply", "--yes", *place]) == ExitCode.DONE
    watching = Watching([*place, "--format", "json", "--interval", "1"])
    try:
        watching.hears("in_sync")
        typed(vpp, f"set interface ip address {PORTS[1]} 198.51.100.1/24")
        difference = watching.hears("difference")
        assert difference["path"] == ["interfaces", PORTS[1]]
        assert difference["lines"] == ["- addresses: 198.51.100.1/24"]
        typed(vpp, f"set interface ip address del {PORTS[1]} 198.51.100.1/24")
        watching.hears("in_sync", 2)
        assert watching.end() == ExitCode.DONE
    finally:
        watching.tidy()


def test_a_real_vpp_that_restarts_is_brought_to_the_file(vpp: RealVpp, path: Path) -> None:
    place = ["-c", str(path), "-a", str(vpp.socket_path)]
    assert main(["apply", "--yes", *place]) == ExitCode.DONE
    watching = Watching([*place, "--format", "json", "--interval", "5", "--reconcile"])
    try:
        watching.hears("in_sync")
        vpp.restart(PORTS)
        watching.hears("lost")
        watching.hears("restarted")
        watching.hears("reconciled")
        watching.hears("in_sync", 2)
        assert main(["plan", *place, "--detailed-exitcode"]) == ExitCode.DONE
        assert watching.end() == ExitCode.DONE
    finally:
        watching.tidy()
