"""`vppcfg nat` on simulated VPPs: what it says, to people and to programs, and what it refuses."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.app.test_nat import FILE, router
from tests.unit.cli.conftest import Serve
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.simulator.vpp import SimulatedVpp


def served(serve: Serve) -> list[str]:
    """Return the options that name a VPP with NAT44 and DET44."""
    return ["-a", str(serve(SimulatedVpp(state=router())))]


def test_who_has_a_port_is_said_by_a_router_and_by_its_file(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (file := tmp_path / "router.yaml").write_text(FILE)
    said = []
    for words in (served(serve), ["-c", str(file)]):
        for end in ("198.51.100.3:4711", "203.0.113.2:80"):
            assert main(["-q", "nat", "who", end, *words]) == ExitCode.DONE
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert "198.51.100.3:4711 is 100.64.0.48\n" in said[0]
    assert "203.0.113.2:80 is 192.168.1.20:8080, tcp\n" in said[0]


def test_a_port_that_nobody_has_is_no_error(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-q", "nat", "who", "203.0.113.9:9", "--json", *served(serve)]) == ExitCode.DONE
    answer = json.loads(capsys.readouterr().out)
    assert (answer["holders"], answer["note"][:36]) == ([], "the address is in the pool of NAT44;")


@pytest.mark.parametrize("end", ["203.0.113.9", "203.0.113.9:0", "203.0.113.9:65536", "2001:db8::1:5", "a:5", ":5"])
def test_what_is_no_address_with_a_port_is_refused(end: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nat", "who", end]) == ExitCode.INVALID
    assert "is no IPv4 address with a port" in capsys.readouterr().err


def test_tables_without_a_session_are_shown(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    words = served(serve)
    assert main(["-q", "nat", "sessions", *words]) == ExitCode.DONE
    assert capsys.readouterr().out.splitlines() == [
        "NAT44: 0 sessions of 0 hosts; each thread has room for 64512",
        "  thread    sessions        room",
        "  vpp_main         0  100 % free",
        "",
        "DET44: 0 sessions; each host has room for 1000",
        "  map                                hosts  ports a host  sessions",
        "  100.64.0.0/24 to 198.51.100.0/28     256          4032         0",
        "  100.65.0.0/27 to 198.51.100.16/32     32          2016         0",
    ]
    assert main(["-q", "nat", "sessions", "--json", "--top", "3", *words]) == ExitCode.DONE
    assert json.loads(capsys.readouterr().out)["nat44"]["busiest_thread"] == 0


def test_a_router_without_nat_has_nothing_to_show(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    state = replace(router(), objects={}, interfaces={})
    assert main(["-q", "nat", "sessions", "-a", str(serve(SimulatedVpp(state=state)))]) == ExitCode.DONE
    assert capsys.readouterr().out == "NAT44 is off, and DET44 has no map\n"
