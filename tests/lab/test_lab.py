"""Real packets through a kernel bridge, a kernel router and a real VPP: loss is found where it begins, again and again.

The links have a speed, so that what the device forwards does not depend on what else the machine does.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import real_vpp
from tests.unit.loadtest.namespaces import skip_reason
from tests.unit.loadtest.test_flows_place import ETHTOOL, INTERRUPTS
from vppcfg.cli.main import main
from vppcfg.common.rates import line_rate_pps
from vppcfg.errors import ExitCode
from vppcfg.linux.inside import command_inside
from vppcfg.loadtest.document import read_result
from vppcfg.loadtest.lab.build import find
from vppcfg.loadtest.lab.layout import Dut, Layout
from vppcfg.loadtest.result import Result

NAME = f"vppcfglab{os.getpid()}"
RAMP_LINK_BPS, FLOWS_LINK_BPS = 10**7, 2 * 10**8
CLOSE = 0.1
TRIES = 4
DUTS = (Dut.BRIDGE, Dut.ROUTER, Dut.VPP)


def unsupported_reason(dut: Dut) -> str | None:
    """Return why there can be no laboratory with this device, None when there can."""
    return skip_reason("trafgen", "iperf3") or (real_vpp.skip_reason() if dut is Dut.VPP else None)


pytestmark = [pytest.mark.lab, pytest.mark.long]


def laboratory(dut: Dut, link_bps: int) -> Iterator[Layout]:
    """Make a laboratory, and remove it at the end."""
    reason = unsupported_reason(dut)
    if reason is not None:
        pytest.skip(reason)
    where = ["--vpp-prefix", str(real_vpp.prefix())] if dut is Dut.VPP else []
    up = ["loadtest", "lab", "up", "--name", NAME, "--dut", dut.value, "--link", f"{link_bps // 10**6}M", *where]
    try:
        assert main(up) == ExitCode.DONE
        yield find(NAME)
    finally:
        assert main(["loadtest", "lab", "down", "--name", NAME]) == ExitCode.DONE


@pytest.fixture(params=DUTS, ids=lambda dut: dut.value)
def narrow(request: pytest.FixtureRequest) -> Iterator[Layout]:
    yield from laboratory(request.param, RAMP_LINK_BPS)


@pytest.fixture(params=DUTS, ids=lambda dut: dut.value)
def broad(request: pytest.FixtureRequest) -> Iterator[Layout]:
    yield from laboratory(request.param, FLOWS_LINK_BPS)


def ramp(file: Path, *course: str) -> tuple[Result, int]:
    """Return a ramp in which the generator sent what it should, and its exit code.

    One in which it did not is no valid trial: the machine was busy with something else.
    """
    ports = f"{NAME}-left/port0,{NAME}-right/port1"
    for _ in range(TRIES):
        code = main(["loadtest", "ramp", "--ports", ports, *course, "-o", str(file)])
        result = read_result(file)
        if not any("the generator did not send" in note for note in result.notes):
            return result, code
    pytest.fail(f"the generator was too slow in {TRIES} ramps: {result.notes}")


def test_a_ramp_finds_where_loss_begins_and_two_more_confirm_it(narrow: Layout, tmp_path: Path) -> None:
    course = ["-p", "bench", "--size", "64", "--vm", "var2", "-u", "--link", "15M"]
    course += ["-wm", "500pps", "-wd", "2", "-rd", "30", "-hd", "3"]
    found = []
    for number in range(3):
        result, code = ramp(tmp_path / f"{number}.json", *course)
        assert code == ExitCode.VERDICT
        assert result.loss_begins_pps is not None
        found.append(result.loss_begins_pps)
    assert found[1:] == [pytest.approx(found[0], rel=CLOSE)] * 2
    assert found[0] == pytest.approx(line_rate_pps(RAMP_LINK_BPS, 64), rel=CLOSE)


def test_a_ramp_below_the_speed_of_the_link_passes(narrow: Layout, tmp_path: Path) -> None:
    course = ["-p", "imix", "--link", "10M", "-rt", "40", "-wd", "1", "-rd", "8", "-hd", "2"]
    result, code = ramp(tmp_path / "ramp.json", *course)
    assert code == ExitCode.DONE
    assert [total.tally.lost for total in result.totals] == [0, 0]
    assert all(total.tally.sent > 1000 for total in result.totals)


def test_flows_reach_what_plain_iperf3_reaches_by_hand(broad: Layout, tmp_path: Path) -> None:
    file = tmp_path / "flows.json"
    assert main(["loadtest", "flows", "--lab", NAME, "--duration", "8", "-o", str(file)]) == ExitCode.DONE
    outcome = read_result(file).flows
    assert outcome is not None
    assert outcome.goodput_bps >= 0.95 * by_hand(broad, 8)
    assert len(outcome.cores) == 8


SSH = f"""#!/bin/sh
while [ "$1" != -- ]; do shift; done
shift 2
case "$*" in
"ethtool -x eth0") echo '{ETHTOOL}' ;;
"cat /proc/interrupts") echo '{INTERRUPTS}' ;;
"cat /proc/irq/24/smp_affinity_list") echo 0 ;;
"cat /proc/irq/25/smp_affinity_list") echo 1 ;;
"cat /proc/stat") exec "$@" ;;
*) echo "no such command: $*" >&2; exit 1 ;;
esac
"""
"""An ssh that reaches this machine, with a card of four queues."""


def test_flows_land_on_the_cores_that_the_card_of_a_router_behind_ssh_chooses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ssh").write_text(SSH)
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    file = tmp_path / "flows.json"
    for layout in laboratory(Dut.ROUTER, FLOWS_LINK_BPS):
        ends = ["--server-netns", layout.left.end.netns, "--client-netns", layout.right.end.netns]
        router = ["--router", "root@router", "--router-device", "eth0", "--link", "200M", "--flows", "2"]
        command = ["loadtest", "flows", "--server", layout.left.address, *ends, *router, "--duration", "3"]
        assert main([*command, "-o", str(file)]) == ExitCode.DONE
    outcome = read_result(file).flows
    assert outcome is not None
    assert outcome.placed_by == "Toeplitz"
    assert {flow.core for flow in outcome.flows} == {0, 1}


def by_hand(layout: Layout, duration_s: int) -> float:
    """Return the goodput of four pairs of iperf3 as a person starts them, in bits per second."""
    ports = range(5301, 5305)
    servers, clients = layout.left.end.netns, layout.right.end.netns
    for port in ports:
        command = command_inside(servers, ["iperf3", "--server", "--daemon", "--one-off", "--port", str(port)])
        subprocess.run(command, check=True)
    running = [
        subprocess.Popen(
            command_inside(
                clients, ["iperf3", "-c", layout.left.address, "-p", str(port), "-t", str(duration_s), "-J"]
            ),
            stdout=subprocess.PIPE,
        )
        for port in ports
    ]
    documents = [json.loads(process.communicate(timeout=duration_s + 30)[0]) for process in running]
    return float(sum(document["end"]["sum_received"]["bits_per_second"] for document in documents))


def test_a_watch_sees_the_queue_that_too_much_load_makes(narrow: Layout, tmp_path: Path) -> None:
    idle = watch(tmp_path / "idle.json", narrow.right.address)
    ports = f"{NAME}-left/port0,{NAME}-right/port1"
    course = [
        *["--link", "15M", "-u", "-wm", "100%", "-wd", "1", "-rd", "6", "-hd", "1", "-o"],
        str(tmp_path / "ramp.json"),
    ]
    command = [sys.executable, "-m", "vppcfg", "-q", "loadtest", "ramp", "--ports", ports, "-p", "bench", *course]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as load:
        time.sleep(4.0)
        busy = watch(tmp_path / "busy.json", narrow.right.address)
        assert load.wait(60) == ExitCode.VERDICT
    (quiet,), (loaded,) = idle.watched, busy.watched
    assert quiet.loss_ratio == 0
    assert quiet.median_us is not None
    assert loaded.loss_ratio > 0 or (loaded.most_us or 0) > 2 * quiet.median_us


def watch(file: Path, target: str) -> Result:
    """Watch the far end for three seconds."""
    command = ["loadtest", "watch", target, "--netns", f"{NAME}-left", "--duration", "3", "-o", str(file)]
    assert main(command) == ExitCode.DONE
    return read_result(file)
