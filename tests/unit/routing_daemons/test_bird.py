"""What BIRD runs, and whether that is known, by what birdc prints."""

import os
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from vppcfg.common.bounded_command import CommandResult
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.routing_daemons import bird
from vppcfg.routing_daemons.bird import Bird
from vppcfg.routing_daemons.daemon import DaemonRoute

READ_AT = "2026-11-26 14:25:18.083"
STATUS = f"BIRD 2.0.12\nRouter ID is 10.0.0.9\nLast reconfiguration on {READ_AT}\nDaemon is up and running\n"
ROUTES = """\
BIRD 2.0.12 ready.
Table master4:
10.99.0.0/16         unicast [uplink 15:08:37.672] * (100) [AS65002i]
\tvia 192.0.2.2 on e0
10.98.0.0/16         unicast [uplink 15:08:37.672] * (100) [AS65002i]
\tvia 192.0.2.2 on e0
\tvia 198.51.100.2 on e1
10.97.0.0/16         blackhole [static1 15:08:37.672] * (200)
"""
PROTOCOLS = "BIRD 2.0.12 ready.\nName       Proto      Table      State  Since         Info\n"
KERNEL = "kernel1    Kernel     master4    up     15:08:31.000  \n"


class Birdc:
    """Answers by the first word of what it is asked that it knows."""

    def __init__(self) -> None:
        self.answers = {"show status": STATUS}
        self.asked: list[str] = []

    def __call__(self, command: list[str], within_s: float, **_: object) -> CommandResult:
        line = " ".join(command[3:]) if command[0] == "birdc" else " ".join(command)
        self.asked.append(line)
        text = next((text for words, text in self.answers.items() if line.startswith(words)), "")
        return CommandResult(output=text.encode(), seconds=0.0, trouble="" if text else "it ended with exit code 1")


@pytest.fixture
def birdc(monkeypatch: pytest.MonkeyPatch) -> Birdc:
    birdc = Birdc()
    monkeypatch.setattr(bird, "run_bounded", birdc)
    return birdc


@pytest.fixture
def startup(tmp_path: Path) -> Path:
    path = tmp_path / "bird.conf"
    path.write_text("router id 10.0.0.9;\n")
    return path


def daemon(startup: Path) -> Bird:
    return Bird(RoutingFile(kind=DaemonKind.BIRD, path="/etc/vpp/bird.conf", startup=str(startup), socket="/run/x.ctl"))


@pytest.mark.parametrize(("after_s", "is_known"), [(-60.0, True), (-0.01, True), (0.01, False), (60.0, False)])
def test_what_was_written_since_bird_read_it_is_not_what_it_runs(
    birdc: Birdc, startup: Path, after_s: float, is_known: bool
) -> None:
    written_s = datetime.fromisoformat(READ_AT).timestamp() + after_s
    os.utime(startup, (written_s, written_s))
    running = daemon(startup).running()
    assert running.text == startup.read_text()
    assert (running.trouble == "") is is_known
    assert is_known or "was written since" in running.trouble


@pytest.mark.parametrize("ahead_h", [-5, 0, 2])
def test_times_are_those_of_birds_zone(birdc: Birdc, startup: Path, ahead_h: int) -> None:
    def shown(ago_s: float) -> str:
        return str(datetime.now() + timedelta(hours=ahead_h) - timedelta(seconds=ago_s))

    birdc.answers["show status"] = f"Current server time is {shown(0)}\nLast reconfiguration on {shown(600)}\n"
    for ago_s, is_known in ((1200, True), (60, False)):
        os.utime(startup, (time.time() - ago_s,) * 2)
        assert (daemon(startup).running().trouble == "") is is_known


def test_a_status_without_the_date_leaves_it_unknown(birdc: Birdc, startup: Path) -> None:
    birdc.answers["show status"] = "Last reconfiguration on 14:25\n"
    assert "does not report when it read its configuration" in daemon(startup).running().trouble


def test_a_bird_that_does_not_answer_is_no_bird_that_runs_nothing(birdc: Birdc, startup: Path) -> None:
    birdc.answers.clear()
    running = daemon(startup).running()
    assert (running.text, "does not answer at /run/x.ctl" in running.trouble) == ("", True)


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        ("Reading configuration from /x\nReconfigured\n", ""),
        ("Reading configuration from /x\nReconfiguration in progress\n", ""),
        ("/x:1:1 syntax error, unexpected CF_SYM_UNDEFINED\n", "syntax error"),
        ("Reconfiguration already in progress, queueing new config\n", ""),
    ],
)
def test_bird_has_loaded_what_it_says_it_has(birdc: Birdc, startup: Path, answer: str, trouble: str) -> None:
    birdc.answers["configure"] = answer
    found = daemon(startup).load("router id 10.0.0.1;\n", 60.0)
    assert (trouble in found) if trouble else found == ""
    assert birdc.asked[-1] == f'configure "{startup}.vppcfg-{os.getpid()}" timeout 120'
    daemon(startup).load("router id 10.0.0.1;\n", None)
    assert birdc.asked[-1] == f'configure "{startup}.vppcfg-{os.getpid()}"'
    assert [path.name for path in startup.parent.iterdir()] == ["bird.conf"]


def test_routes_have_the_devices_that_they_leave_by(birdc: Birdc, startup: Path) -> None:
    birdc.answers |= {"show protocols": PROTOCOLS + KERNEL, "show route export kernel1": ROUTES}
    assert daemon(startup).routes() == [
        DaemonRoute(prefix="10.99.0.0/16", table_id=0, devices=frozenset({"e0"})),
        DaemonRoute(prefix="10.98.0.0/16", table_id=0, devices=frozenset({"e0", "e1"})),
        DaemonRoute(prefix="10.97.0.0/16", table_id=0),
    ]


def test_routes_of_another_kernel_protocol_are_in_its_table(birdc: Birdc, startup: Path) -> None:
    blocks = (
        "template kernel customers { ipv4 { export all; }; kernel table 20; }\n"
        "protocol kernel { ipv4 { export all; }; }\n"
        "protocol kernel red from customers { ipv4 { table red; }; }\n"
        "protocol kernel { kernel table 30; ipv4 { table blue; }; }\n"
    )
    startup.write_text(blocks)
    os.utime(startup, (0, 0))
    others = (
        "red        Kernel     red        up     15:08:31.000\nkernel2    Kernel     blue       up     15:08:31.000\n"
    )
    birdc.answers |= {"show protocols": PROTOCOLS + KERNEL + others}
    birdc.answers |= {f"show route export {name}": ROUTES for name in ("kernel1", "red", "kernel2")}
    found = daemon(startup).routes()
    assert isinstance(found, list)
    assert [each.table_id for each in found[::3]] == [0, 20, 30]
    startup.write_text(blocks.replace("red from", "green from"))
    os.utime(startup, (0, 0))
    assert daemon(startup).routes() == f"{startup} does not have the kernel protocol red that BIRD runs"
    startup.write_text(blocks.replace("30", "BLUE"))
    os.utime(startup, (0, 0))
    assert daemon(startup).routes() == "the table of Linux that kernel2 of BIRD writes to is no plain number"


def test_no_password_is_in_a_difference(birdc: Birdc, startup: Path) -> None:
    os.utime(startup, (0, 0))
    text = 'router id 10.0.0.9;\nprotocol bgp a { password "geheim"; neighbor 192.0.2.2 as 1; }\n'
    difference = daemon(startup).difference(text)
    assert not isinstance(difference, str)
    assert "geheim" not in "".join(difference.lines)
    assert "password ***" in "".join(difference.lines)
