"""Secrets in the files of FRR and BIRD: no command shows one, and only what a rollback needs has them."""

import difflib
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.cli.conftest import GI1, GI3, Serve, consenting, two_ports
from tests.unit.routing_daemons.test_secrets import FRR
from vppcfg.app import post_change, routing_accepted, routing_plan, routing_rollback
from vppcfg.cli.main import main
from vppcfg.common.bounded_command import CommandResult
from vppcfg.common.report_archive import report_in
from vppcfg.errors import ExitCode
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.routing_daemons import bird, frr
from vppcfg.routing_daemons.bird import Bird
from vppcfg.routing_daemons.daemon import RoutingDaemon
from vppcfg.routing_daemons.frr import Frr
from vppcfg.simulator.vpp import SimulatedVpp

BIRD_TEXT = """\
router id 10.0.0.1;
define BGP_PW = "geheim";
define OTHER =
  "geheim";
function word() { return "geheim"; }
include "more.conf";
protocol bgp a { local as 1; neighbor 192.0.2.1 as 2; password BGP_PW; }  # password "geheim"
protocol bgp b { password /* was "geheim" */
  "geheim"; keys { key { id 1; secret "geheim"; }; }; }
protocol rip { interface "e0" { passwords { password "geheim" { id 1; algorithm hmac sha256; }; key OTHER; }; }; }
protocol bgp c { password (word()); }
"""
FRR_TEXT = "".join(f"{line}\n" if line.startswith("!") else f"router x\n {line}\n" for line in FRR)


class Machine:
    """FRR and BIRD, by the commands that ask them."""

    def __init__(self, startup: Path) -> None:
        self.frr = FRR_TEXT
        self.startup = startup
        self.refusing: tuple[str, ...] = ()
        """The commands that fail and quote a line of each daemon."""

    def run(self, command: Sequence[str], *_: object, **__: object) -> CommandResult:
        line = " ".join(command)
        if any(each in line for each in self.refusing):
            quoted = 'line 2: % Unknown command[1]:  neighbor 192.0.2.1 password geheim\nbird: 1:2 password "geheim"'
            quoted = quoted if "bird" in line else "\n".join(quoted.splitlines()[::-1])
            return CommandResult(output=quoted.encode(), seconds=0.0, trouble="it ended with exit code 1")
        answers = {"show status": "Last reconfiguration on 2099-01-01 00:00:00", "configure": "Reconfigured"}
        answers |= {
            "confirm": "Reconfiguration confirmed",
            "show daemons": " ".join(name for name, _ in frr._NEEDS),
            "json": "{}",
        }
        answers |= {"show running-config": self.frr}
        if "--test" in line:
            old, new = self.frr.splitlines(), Path(command[-1]).read_text().splitlines()
            compared = [each for each in difflib.ndiff(old, new) if each[0] in "-+"]
            gone, come = ("\n".join(each[2:] for each in compared if each[0] == sign) for sign in "-+")
            return CommandResult(output=f"Lines To Delete\n{gone}\nLines To Add\n{come}\n".encode(), seconds=0.0)
        if "--reload" in line:
            self.frr = Path(command[-1]).read_text()
        return CommandResult(output=next((a for w, a in answers.items() if w in line), "").encode(), seconds=0.0)


class Router:
    def __init__(self, socket: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.socket, self.folder, self._capsys = socket, folder, capsys
        (folder / "daemons").mkdir()
        self.startup = folder / "daemons" / "bird.conf"
        self.machine = Machine(self.startup)
        self.startup.write_text(BIRD_TEXT)
        (folder / "daemons" / "more.conf").write_text('protocol bgp d { password "geheim"; }\n')
        (folder / "daemons" / "frr.conf").write_text(FRR_TEXT)

    def write(self, change: str, mtu: int) -> None:
        for name, text in (("bird", BIRD_TEXT), ("frr", FRR_TEXT)):
            (self.folder / "daemons" / f"{name}.wanted").write_text(text.replace("heim", f"{change}heim"))
        bird = f"  bird: {{ file: {self.folder}/daemons/bird.wanted, startup: {self.startup} }}\n"
        ports = f"interfaces: {{ {GI1}: {{ mtu: {mtu} }}, {GI3}: {{ mtu: 1500 }} }}\n"
        (self.folder / "router.yaml").write_text(
            f"{ports}routing:\n{bird}  frr: {{ file: {self.folder}/daemons/frr.wanted }}\n"
        )

    def run(self, line: str, expected: ExitCode = ExitCode.DONE) -> str:
        self._capsys.readouterr()
        code = main([*consenting(line.split()), "-a", self.socket, "-d"])
        captured = self._capsys.readouterr()
        said = captured.out + captured.err
        assert (line, code) == (line, expected), said
        assert (line, "heim" in said) == (line, False)
        return said


@pytest.fixture
def router(serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Router:
    router = Router(serve(SimulatedVpp(ports=two_ports())), tmp_path, capsys)

    def daemon_of(file: RoutingFile) -> RoutingDaemon:
        return Frr(file, reload_program="/bin/true") if file.kind is DaemonKind.FRR else Bird(file)

    for module in (routing_plan, routing_rollback, routing_accepted, post_change):
        monkeypatch.setattr(module, "daemon_of", daemon_of)
    for daemon in (bird, frr):
        monkeypatch.setattr(daemon, "run_bounded", router.machine.run)
    monkeypatch.setattr("vppcfg.config.sections.routing._FRR_FOLDER", str(router.startup.parent))
    monkeypatch.chdir(tmp_path)
    return router


def test_no_command_shows_a_secret_of_a_daemon_or_keeps_it_but_to_go_back(
    router: Router, folders_of_this_test: Path
) -> None:
    router.write("a", 1400)
    for shape in ("cli", "diff", "json"):
        said = router.run(f"plan -c router.yaml --format {shape} --html plan.html")
        for line in ("  key-string ***", " define BGP_PW ***"):
            assert f"-{line}" in said
            assert f"+{line}" in said
    router.run("plan -c router.yaml --save saved.plan")
    router.run("apply -c router.yaml --format json")
    assert "aheim" in router.startup.read_text()
    router.write("b", 1300)
    router.run("apply -c router.yaml --confirm 1")
    router.run("watch --once -c router.yaml --format json -o watched")
    router.run("confirm")
    router.machine.frr = FRR_TEXT
    assert "password ***" in router.run("watch --once -c router.yaml --format text", ExitCode.DRIFT)
    for line in ("history -v", "history 2", "history 2 --file", "history --format json", "diff 1", "diff 1 2"):
        router.run(line)
    router.run("report -c router.yaml -o report.tar.gz --root . --no-capture --no-log")
    router.run("rollback 1")
    router.write("c", 1200)
    for refusing, code in (("-C", ExitCode.INVALID), ("-p", ExitCode.INVALID), ("show daemons", ExitCode.DATAPLANE)):
        router.machine.refusing = (refusing,)
        assert "***" in router.run("plan -c router.yaml", code)
    for refusing, code in (("--test", ExitCode.DATAPLANE), ("--reload", ExitCode.STRANDED)):
        router.machine.refusing = (refusing,)
        assert "***" in router.run("apply -c router.yaml", code)
    router.run("history -v")
    for name, content in (report_in("report.tar.gz") or {"": b"heim"}).items():
        assert (name, b"heim" in content) == (name, False)
    written = [path for path in router.folder.rglob("*") if path.is_file() and "daemons" not in path.parts]
    written += [path for path in folders_of_this_test.rglob("*") if path.is_file()]
    holding = {path for path in written if b"heim" in path.read_bytes()}
    assert {path.name for path in holding} == {"routing.json"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in holding} == {0o600}
