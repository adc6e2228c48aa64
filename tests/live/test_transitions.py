"""From every configuration to every other on a real VPP: the state reached is the one that an empty VPP reaches."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.live.second_opinion import differences, read_state
from tests.real_vpp import RealVpp, can_do, running, skip_reason
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

REASON = skip_reason()

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0", "TenGigabitEthernet5/0/0")
ALL = sorted(Path(__file__).with_name("configurations").glob("*.yaml"))
CONFIGURATIONS = [file for file in ALL if REASON is not None or can_do(file)]
"""Those that ask nothing of this VPP that came with a later release."""
_UNSAYABLE = ("acls:", "ipip_tunnels:", "wireguards:")
"""Which lists an interface applies cannot be set at once, an IPIP tunnel is deleted by its index alone, and so is a
peer of a WireGuard, whose keys stand in no text."""
SAYABLE = [file for file in CONFIGURATIONS if not any(word in file.read_text() for word in _UNSAYABLE)]
"""Those whose plans VPP's command line can say."""

_LINUX_STEP = re.compile(r"comment \{ (vppcfg: )?ip (?P<words>.+) \}")


@pytest.fixture(scope="module")
def from_empty() -> dict[Path, dict[str, Any]]:
    """Return the state that an empty VPP reaches, for each configuration."""
    return {file: _reached_from_empty(file) for file in CONFIGURATIONS}


@pytest.fixture(scope="module")
def vpp() -> Iterator[RealVpp]:
    """Return a VPP that keeps what one transition leaves for the next."""
    with running(PORTS, makes_vlan_devices=True) as process:
        process.add_netns("dataplane")
        yield process


def _reached_from_empty(file: Path) -> dict[str, Any]:
    with running(PORTS, makes_vlan_devices=True) as process:
        process.add_netns("dataplane")
        apply(process, file)
        return state(process)


def state(process: RealVpp) -> dict[str, Any]:
    return read_state(process.socket_path, process.api_dir)


def run(process: RealVpp, *words: str) -> int:
    return main([*words, "-q", "-a", str(process.socket_path)])


def apply(process: RealVpp, file: Path) -> None:
    assert run(process, "apply", "--yes", "--allow-mass-deletion", "--again", "-c", str(file)) == ExitCode.DONE


def type_in(process: RealVpp, file: Path, folder: Path) -> None:
    """Run the plan's text line by line: at VPP's prompt, or in a shell where a comment says what to do in Linux."""
    text = folder / "plan.txt"
    assert run(process, "plan", "--allow-mass-deletion", "-c", str(file), "-o", str(text)) == ExitCode.DONE
    for line in text.read_text().splitlines():
        if in_linux := _LINUX_STEP.fullmatch(line):
            process.ip(*in_linux["words"].split())
        elif not line.startswith("comment"):
            retval, said = process.cli(line)
            assert (line, retval, said if retval else "") == (line, 0, "")


def circuit(count: int) -> list[int]:
    """Return a round trip that takes each step from one number below `count` to another one exactly once."""
    left = {here: [there for there in range(count) if there != here] for here in range(count)}
    trail, trip = [0], []
    while trail:
        if left[trail[-1]]:
            trail.append(left[trail[-1]].pop())
        else:
            trip.append(trail.pop())
    return trip[::-1]


def test_what_came_with_a_later_release_is_refused_before_the_first_change(vpp: RealVpp) -> None:
    apply(vpp, CONFIGURATIONS[0])
    before = state(vpp)
    for file in ALL:
        if file not in CONFIGURATIONS:
            code = run(vpp, "apply", "--yes", "--allow-mass-deletion", "-c", str(file))
            assert code in {ExitCode.REFUSED, ExitCode.DATAPLANE}, file.stem
    assert state(vpp) == before


@pytest.mark.parametrize("way", ["api", "cli"])
def test_every_transition_ends_where_an_empty_vpp_would(
    way: str, vpp: RealVpp, from_empty: dict[Path, dict[str, Any]], tmp_path: Path
) -> None:
    files = CONFIGURATIONS if way == "api" else SAYABLE
    trip = [files[number] for number in circuit(len(files))]
    apply(vpp, trip[0])
    for before, after in pairwise(trip):
        if way == "api":
            apply(vpp, after)
        else:
            type_in(vpp, after, tmp_path)
        assert differences(state(vpp), from_empty[after]) == [], f"from {before.stem} to {after.stem}"
        assert run(vpp, "plan", "-c", str(after), "--detailed-exitcode") == ExitCode.DONE


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
