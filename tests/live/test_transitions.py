"""Files on a real VPP: what a release lacks is refused before the first change; a dump is a file of what VPP has."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.second_opinion import read_state
from tests.real_vpp import RealVpp, can_do, running, skip_reason
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

REASON = skip_reason()

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0", "TenGigabitEthernet5/0/0")
ALL = sorted(Path(__file__).with_name("configurations").glob("*.yaml"))
CONFIGURATIONS = [file for file in ALL if REASON is not None or can_do(file)]
"""Those that ask nothing of this VPP that came with a later release."""


@pytest.fixture(scope="module")
def vpp() -> Iterator[RealVpp]:
    """Return a VPP that keeps what one transition leaves for the next."""
    with running(PORTS, makes_vlan_devices=True) as process:
        process.add_netns("dataplane")
        yield process


def state(process: RealVpp) -> dict[str, Any]:
    return read_state(process.socket_path, process.api_dir)


def run(process: RealVpp, *words: str) -> int:
    return main([*words, "-q", "-a", str(process.socket_path)])


def apply(process: RealVpp, file: Path) -> None:
    assert run(process, "apply", "--yes", "--allow-mass-deletion", "--again", "-c", str(file)) == ExitCode.DONE


def test_what_came_with_a_later_release_is_refused_before_the_first_change(vpp: RealVpp) -> None:
    apply(vpp, CONFIGURATIONS[0])
    before = state(vpp)
    for file in ALL:
        if file not in CONFIGURATIONS:
            code = run(vpp, "apply", "--yes", "--allow-mass-deletion", "-c", str(file))
            assert code in {ExitCode.REFUSED, ExitCode.DATAPLANE}, file.stem
    assert state(vpp) == before


def test_a_new_sub_interface_routes_no_larger_packets_than_its_port(vpp: RealVpp, tmp_path: Path) -> None:
    """VPP does not take the MTU of the port for a sub-interface without one of its own: it routes 9000 bytes then."""
    others, file = "".join(f"  {name}: {{}}\n" for name in PORTS[1:]), tmp_path / "port.yaml"
    for below in ("", "    sub-interfaces: { 100: { addresses: [ 192.0.2.1/24 ] } }\n"):
        file.write_text(f"interfaces:\n{others}  {PORTS[0]}:\n    mtu: 1500\n{below}")
        apply(vpp, file)
    adjacencies = vpp.cli("show adj")[1]
    assert f"{PORTS[0]}.100: mtu:1500" in adjacencies


@pytest.mark.parametrize("file", CONFIGURATIONS, ids=[file.stem for file in CONFIGURATIONS])
def test_a_dump_is_valid_and_its_plan_is_empty(file: Path, vpp: RealVpp, tmp_path: Path) -> None:
    apply(vpp, file)
    dump = tmp_path / "dump.yaml"
    assert run(vpp, "dump", "-o", str(dump)) == ExitCode.DONE
    assert main(["check", "-q", "-c", str(dump)]) == ExitCode.DONE
    assert run(vpp, "plan", "-c", str(dump), "--detailed-exitcode") == ExitCode.DONE
    apply(vpp, CONFIGURATIONS[0])
    before = state(vpp)
    apply(vpp, file)
    apply(vpp, dump)
    apply(vpp, CONFIGURATIONS[0])
    assert state(vpp) == before
