"""Routing daemons in the transaction of a simulated VPP: in which order, what a failure does, and what is kept."""

import json
import os
import stat
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import GI1, GI3, Serve, consenting, two_ports
from tests.unit.cli.test_failing_timer import die
from tests.unit.cli.test_half_way import cut_off
from vppcfg.app.daemon_routes import MissingRoutes
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.model.routing import RoutingFile
from vppcfg.plan.plan import Plan
from vppcfg.routing_daemons.daemon import (
    Adjacency,
    DaemonRoute,
    RoutingDifference,
    RoutingImpact,
    RunningText,
    SessionImpact,
)
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.folders import folder_name
from vppcfg.transaction.transact import Remainder, still_different

SECRET = "geheim"


class Daemon:
    """A BIRD that runs what it is given, unless a test says otherwise, and does not report what that is."""

    def __init__(self, vpp: SimulatedVpp, startup: Path) -> None:
        self._vpp = vpp
        self._startup = startup
        self.text = "as it was\n"
        self.events: list[str] = []
        self.wrong: list[str] = []
        self.unfit = ""
        self.read_s = time.time()
        """When it has read its configuration last."""
        self.silence = ""
        """Why it is not known what it runs."""
        self.reports = False
        """Whether it reports what it runs, as FRR does."""
        self.refuses: dict[str, str] = {}
        """Why a text is not loaded, by the text."""
        self.level = SessionImpact.SESSIONS

    def check(self, text: str) -> list[str]:
        return self.wrong

    def why_unfit(self, text: str) -> str:
        return self.unfit

    def running(self) -> RunningText:
        if self.silence:
            return RunningText(trouble=self.silence)
        if self.reports:
            return RunningText(text=self.text)
        text = self._startup.read_text(errors="surrogateescape")
        is_read = self._startup.stat().st_mtime <= self.read_s
        return RunningText(text=text, trouble="" if is_read else "the file was written since")

    def difference(self, text: str, loaded: str = "") -> RoutingDifference | str:
        if self.silence:
            return self.silence
        former = self.text if self.reports else loaded or self.running().text
        if text == former:
            return RoutingDifference()
        lines = (f"- {former.strip()}", f"+ {text.strip()}")
        impact = RoutingImpact(level=self.level, text="the session with 192.0.2.2 ends")
        return RoutingDifference(lines=lines, impacts=(impact,))

    def load(self, text: str, confirm_s: float | None) -> str:
        waits = f" for {confirm_s:g} s" if confirm_s is not None else ""
        self.events.append(f"load {text.strip()}{waits} with MTU {self.mtu}")
        if text in self.refuses:
            return self.refuses[text]
        self.text, self.read_s = text, time.time()
        return ""

    @property
    def mtu(self) -> int:
        return self._vpp.tables.sw[1].mtus[0]

    def adjacencies(self) -> list[Adjacency]:
        return []

    def delay_s(self, text: str) -> float:
        return 0.0

    def confirm(self) -> str:
        self.events.append("confirm")
        return ""

    def routes(self) -> list[DaemonRoute] | str:
        return []


class Router:
    def __init__(self, vpp: SimulatedVpp, socket: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.vpp, self.folder, self.socket, self._capsys = vpp, folder, socket, capsys
        self.wanted, self.startup = folder / "wanted.conf", folder / "daemon" / "bird.conf"
        self.startup.parent.mkdir()
        self.startup.write_text("as it was\n")
        self.daemon = Daemon(vpp, self.startup)

    def start_with(self, text: bytes) -> None:
        """Write the startup file, as long ago."""
        self.startup.write_bytes(text)
        os.utime(self.startup, (0, 0))

    def file(self, text: str, mtu: int = 1500, **further: str) -> str:
        self.wanted.write_text(f"{text}\n")
        path = self.folder / "router.yaml"
        bird = {"file": str(self.wanted), "startup": str(self.startup)}
        content = {"interfaces": {GI1: {"mtu": mtu, **further}, GI3: {"mtu": 1500}}, "routing": {"bird": bird}}
        path.write_text(json.dumps(content))
        return str(path)

    def run(self, *words: str) -> tuple[int, str]:
        self._capsys.readouterr()
        code = main([*consenting(words), "-a", self.socket])
        captured = self._capsys.readouterr()
        return code, captured.out + captured.err

    def events(self) -> list[str]:
        found, self.daemon.events = self.daemon.events, []
        return found

    def last(self) -> tuple[str, str]:
        change = json.loads(self.run("history", "--format", "json")[1].partition("\n[")[0])["changes"][-1]
        return change["status"], change["text"]


@pytest.fixture
def router(serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Router:
    vpp = SimulatedVpp(ports=two_ports())
    router = Router(vpp, serve(vpp), tmp_path, capsys)
    one: Callable[[RoutingFile], Daemon] = lambda file: router.daemon  # noqa: E731
    for module in ("routing_plan", "routing_rollback", "routing_accepted", "post_change"):
        monkeypatch.setattr(f"vppcfg.app.{module}.daemon_of", one)
    return router


def test_one_plan_shows_both_and_one_change_loads_both_vpp_first(router: Router) -> None:
    path = router.file("new", mtu=1400)
    code, said = router.run("plan", "-c", path, "--format", "diff")
    assert code == ExitCode.DONE
    assert "mtu: 9000 -> 1400" in said
    assert f"BIRD ({router.wanted}):\n  - as it was\n  + new\n  impact: the session with 192.0.2.2 ends\n" in said
    assert "impact of the routing daemons: flap" in said
    document = json.loads(router.run("plan", "-c", path, "--format", "json")[1].partition("\n[")[0])
    assert document["impact"] == "flap"
    assert document["routing"][0]["difference"] == ["- as it was", "+ new"]
    assert router.events() == []

    assert router.run("apply", "-c", path)[0] == ExitCode.DONE
    assert router.events() == ["load new with MTU 1400", "confirm"]
    assert router.startup.read_text() == "new\n"
    assert router.run("plan", "-c", path, "--detailed-exitcode")[0] == ExitCode.DONE


def test_a_difference_of_a_daemon_alone_is_one_for_diff_as_well(router: Router) -> None:
    router.run("apply", "-c", router.file("new"))
    assert router.run("diff", "-c", router.file("new"), "--detailed-exitcode")[0] == ExitCode.DONE
    code, said = router.run("diff", "-c", router.file("newer"), "--detailed-exitcode")
    assert (code, "+ newer" in said, "No difference" in said) == (ExitCode.CHANGES_PENDING, True, False)
    router.daemon.unfit = "bgpd does not run"
    code, said = router.run("diff", "-c", router.file("newer"))
    assert (code, "bgpd does not run" in said) == (ExitCode.DATAPLANE, True)


def test_a_daemon_alone_is_a_change_of_its_own_with_its_impact_in_the_history(router: Router) -> None:
    router.run("apply", "-c", router.file("new"))
    router.events()
    path = router.file("newer")
    assert router.run("plan", "-c", path, "--detailed-exitcode")[0] == ExitCode.CHANGES_PENDING
    assert main(["apply", "-c", path, "-a", router.socket]) == ExitCode.REFUSED, "nobody can be asked"
    assert router.events() == []
    assert router.run("apply", "-c", path)[0] == ExitCode.DONE
    assert router.events() == ["load newer with MTU 1500", "confirm"]
    changes = json.loads(router.run("history", "--format", "json")[1].partition("\n[")[0])["changes"]
    assert [change["impact"] for change in changes] == ["flap", "flap"]


def test_a_plan_that_is_kept_shows_what_daemons_load_and_is_refused_as_apply_refuses_it(router: Router) -> None:
    kept, page = str(router.folder / "kept"), router.folder / "plan.html"
    assert router.run("plan", "-c", router.file("new"), "--save", kept)[0] == ExitCode.DONE
    code, said = router.run("plan", "--show", kept, "--format", "diff", "--html", str(page), "--detailed-exitcode")
    assert code == ExitCode.CHANGES_PENDING
    assert "+ new" in said
    assert "the session with 192.0.2.2 ends" in page.read_text()
    for command in (("plan", "--show"), ("apply",)):
        assert router.run(*command, kept, "--max-impact", "policy")[0] == ExitCode.REFUSED
    router.daemon.unfit = "BIRD does not answer"
    for command in (("plan", "--show"), ("apply",)):
        assert router.run(*command, kept)[0] == ExitCode.DATAPLANE


def test_more_impact_than_allowed_is_refused(router: Router) -> None:
    path = router.file("new")
    code, said = router.run("apply", "-c", path, "--max-impact", "policy")
    assert code == ExitCode.REFUSED
    assert "what the routing daemons reload has impact flap, more than --max-impact allows" in said
    router.daemon.level = SessionImpact.POLICY
    assert router.run("apply", "-c", path, "--max-impact", "policy")[0] == ExitCode.DONE


def test_routes_that_vpp_lacks_since_the_change_are_named_though_it_lacked_them_before_the_daemon_loaded(
    router: Router, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(*_: object) -> MissingRoutes:
        return MissingRoutes(prefixes=(f"route of MTU {router.daemon.mtu}",))

    monkeypatch.setattr("vppcfg.app.post_change.missing_routes", lacking)
    monkeypatch.setattr("vppcfg.app.daemon_routes.missing_routes", lacking)
    monkeypatch.setattr("vppcfg.app.daemon_routes._PAUSE_S", 61.0)
    code, said = router.run("apply", "-c", router.file("new", mtu=1400))
    assert code == ExitCode.DONE
    assert "VPP lacks 1 route that the daemon has: route of MTU 1400 (BIRD)" in said
    code, said = router.run("apply", "-c", router.file("newer", mtu=1400))
    assert code == ExitCode.DONE
    assert "VPP lacks" not in said


def test_a_daemon_that_loads_nothing_is_asked_where_a_change_takes_a_device_from_it(
    router: Router, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[MissingRoutes] = []

    def lacking(*_: object) -> MissingRoutes:
        asked.append(MissingRoutes(prefixes=("10.0.0.0/8",) if asked else ()))
        return asked[-1]

    assert router.run("apply", "-c", router.file("new", lcp="first"))[0] == ExitCode.DONE
    monkeypatch.setattr("vppcfg.app.post_change.missing_routes", lacking)
    monkeypatch.setattr("vppcfg.app.daemon_routes.missing_routes", lacking)
    monkeypatch.setattr("vppcfg.app.daemon_routes._PAUSE_S", 61.0)
    router.events()
    code, said = router.run("apply", "-c", router.file("new", lcp="second"))
    assert (code, router.events()) == (ExitCode.DONE, [])
    assert "VPP lacks 1 route that the daemon has: 10.0.0.0/8 (BIRD)" in said
    asked.clear()
    assert router.run("apply", "-c", router.file("new", lcp="second", description="uplink"))[0] == ExitCode.DONE
    assert asked == [], "no device goes"
    asked.append(MissingRoutes())
    code, said = router.run("rollback", "1")
    assert code == ExitCode.DONE
    assert "10.0.0.0/8 (BIRD); whether it had them before the rollback was not asked" in said


def test_a_daemon_that_refuses_fails_the_change_and_both_are_back(router: Router) -> None:
    router.run("apply", "-c", router.file("new"))
    router.events()
    router.daemon.refuses["newer\n"] = "BIRD did not take its configuration: syntax error"
    code, said = router.run("apply", "-c", router.file("newer", mtu=1400))
    assert code == ExitCode.ROLLED_BACK
    assert "BIRD did not take its configuration: syntax error" in said
    assert router.events() == ["load newer with MTU 1400", "load new with MTU 1500"]
    assert router.last()[0] == "failed, undone"
    assert "syntax error" in router.last()[1]
    assert router.startup.read_text() == "new\n"


def test_a_daemon_that_cannot_be_brought_back_is_said(router: Router) -> None:
    router.run("apply", "-c", router.file("new"))
    router.daemon.refuses |= {"newer\n": "it hangs", "new\n": "it still hangs"}
    code, said = router.run("apply", "-c", router.file("newer", mtu=1400))
    assert code == ExitCode.STRANDED
    assert "BIRD is not back: it still hangs" in said
    assert router.last()[0] == "failed half-way"


def test_a_step_that_vpp_refuses_loads_nothing(serve: Serve, router: Router) -> None:
    router.run("apply", "-c", router.file("new"))
    router.events()
    path = Path(router.file("newer", mtu=1400))
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "hooks": {"after-apply": "/bin/false"}}))
    assert router.run("apply", "-c", str(path))[0] == ExitCode.ROLLED_BACK
    assert router.events() == ["load newer with MTU 1400", "load new with MTU 1500"]


def test_a_rollback_brings_the_daemon_back_and_its_startup_file(router: Router) -> None:
    for text, mtu in (("new", 1400), ("newer", 1300), ("newest", 1300)):
        assert router.run("apply", "-c", router.file(text, mtu=mtu))[0] == ExitCode.DONE
    router.events()
    assert router.run("rollback", "2")[0] == ExitCode.DONE
    assert router.events() == ["load new with MTU 1400", "confirm"]
    assert router.startup.read_text() == "new\n"
    assert router.run("rollback", "1")[0] == ExitCode.DONE
    assert router.daemon.text == router.startup.read_text() == "as it was\n"


@pytest.mark.parametrize("is_waiting", [False, True])
def test_a_rollback_asks_about_sessions_unless_it_withdraws_what_waits(timerless: Router, is_waiting: bool) -> None:
    assert timerless.run("apply", "-c", timerless.file("new"))[0] == ExitCode.DONE
    options = ["--confirm", "60"] if is_waiting else []
    assert timerless.run("apply", "-c", timerless.file("newer"), *options)[0] == ExitCode.DONE
    if not is_waiting:
        code, said = timerless.run("rollback", "--max-impact", "policy")
        assert (code, "the routing daemons reload has impact flap" in said) == (ExitCode.REFUSED, True)
    expected = ExitCode.DONE if is_waiting else ExitCode.REFUSED
    assert main(["rollback", "-a", timerless.socket]) == expected, "nobody can be asked"
    assert timerless.daemon.text == ("new\n" if is_waiting else "newer\n")


def test_a_rollback_brings_back_a_daemon_that_runs_nothing_by_then(router: Router) -> None:
    assert router.run("apply", "-c", router.file("new", mtu=1400))[0] == ExitCode.DONE
    router.events()
    router.start_with(b"")
    assert router.run("rollback")[0] == ExitCode.DONE
    assert router.events() == ["load as it was with MTU 9000", "confirm"]
    assert router.daemon.text == "as it was\n"


def test_what_a_daemon_loses_that_does_not_answer_is_not_known(router: Router) -> None:
    assert router.run("apply", "-c", router.file("new", mtu=1400))[0] == ExitCode.DONE
    router.daemon.silence = "BIRD does not answer"
    code, said = router.run("rollback")
    assert code == ExitCode.DONE
    assert "  ? BIRD does not answer\n  impact: what that does to sessions is not known\n" in said
    assert "impact of the routing daemons: flap\n" in said
    router.daemon.silence = ""
    assert router.run("rollback", "2")[0] == ExitCode.DONE
    assert router.daemon.text == "new\n", "it gets what vppcfg gave it last, and not nothing"


def test_texts_that_are_no_utf_8_come_back_as_they_were(router: Router) -> None:
    former, new = b"description caf\xe9\n", b"description na\xefve\n"
    router.start_with(former)
    router.daemon.text = former.decode(errors="surrogateescape")
    path = router.file("new")
    router.wanted.write_bytes(new)
    assert router.run("apply", "-c", path)[0] == ExitCode.DONE
    assert router.startup.read_bytes() == new
    assert router.run("rollback")[0] == ExitCode.DONE
    assert router.startup.read_bytes() == former
    assert router.daemon.text.encode(errors="surrogateescape") == former


def test_a_rollback_whose_daemon_refuses_is_a_rollback_that_is_not_whole(router: Router) -> None:
    router.run("apply", "-c", router.file("new", mtu=1400))
    router.run("apply", "-c", router.file("newer", mtu=1300))
    router.daemon.refuses["new\n"] = "BIRD does not answer"
    code, said = router.run("rollback")
    assert code == ExitCode.STRANDED
    assert "BIRD does not answer" in said
    status, text = router.last()
    assert (status, "BIRD does not answer" in text) == ("applied", True)


def test_what_was_rolled_back_may_be_applied_once_the_daemons_file_is_corrected(router: Router) -> None:
    router.run("apply", "-c", router.file("new"))
    router.run("apply", "-c", router.file("wrong", mtu=1400))
    assert router.run("rollback")[0] == ExitCode.DONE
    code, said = router.run("apply", "-c", router.file("wrong", mtu=1400))
    assert (code, "this very file was rolled back" in said) == (ExitCode.REFUSED, True)
    assert router.run("apply", "-c", router.file("right", mtu=1400))[0] == ExitCode.DONE
    assert router.daemon.text == "right\n"


def test_until_it_is_confirmed_the_daemon_would_start_with_the_old_text(router: Router) -> None:
    assert router.run("apply", "-c", router.file("new"), "--confirm", "1")[0] == ExitCode.DONE
    assert router.events() == ["load new for 60 s with MTU 1500"]
    assert router.startup.read_text() == "as it was\n"
    assert router.run("confirm", "--extend", "2")[0] == ExitCode.DONE
    assert router.events() == ["confirm"]
    assert router.run("confirm")[0] == ExitCode.DONE
    assert router.startup.read_text() == "new\n"


@pytest.mark.parametrize(
    ("spoil", "code", "said"),
    [
        (lambda router: setattr(router.daemon, "wrong", ["line 3: no"]), ExitCode.INVALID, "does not take"),
        (lambda router: setattr(router.daemon, "unfit", "bgpd does not run"), ExitCode.DATAPLANE, "bgpd does not run"),
        (lambda router: router.wanted.write_text("\n"), ExitCode.INVALID, "is empty"),
        (lambda router: router.wanted.unlink(), ExitCode.INVALID, "cannot be read: No such file"),
    ],
)
def test_what_cannot_be_loaded_is_refused_by_plan_and_apply(
    router: Router, spoil: Callable[[Router], object], code: ExitCode, said: str
) -> None:
    path = router.file("new", mtu=1400)
    spoil(router)
    planned = router.run("plan", "-c", path)
    assert (planned[0], said in planned[1]) == (code, True)
    applied = router.run("apply", "-c", path)
    assert (applied[0], said in applied[1]) == (code, True)
    assert router.events() == []
    assert "1400" not in router.run("dump")[1]


def test_what_the_journal_keeps_only_its_owner_reads(router: Router, folders_of_this_test: Path) -> None:
    router.run("apply", "-c", router.file(f"neighbor 192.0.2.2 password {SECRET}"))
    entry = folders_of_this_test / "state" / folder_name(router.socket) / "000001"
    holding = [path for path in entry.iterdir() if SECRET.encode() in path.read_bytes()]
    assert [path.name for path in holding] == ["routing.json"]
    assert stat.S_IMODE(holding[0].stat().st_mode) == 0o600


def test_a_change_that_waits_is_undone_though_its_texts_cannot_be_read(
    router: Router, folders_of_this_test: Path
) -> None:
    router.run("apply", "-c", router.file("new", mtu=1400))
    path = router.file("newer", mtu=1300)
    router.run("apply", "-c", path, "--confirm=5")
    router.events()
    kept = folders_of_this_test / "state" / folder_name(router.socket) / "000002" / "routing.json"
    kept.write_text("damaged")
    code, said = router.run("rollback")
    assert code == ExitCode.STRANDED
    assert "Routing daemons stay as they are" in said
    assert router.events() == []
    assert "mtu: 1400 -> 1300" in router.run("plan", "-c", path, "--format", "diff")[1]


@pytest.fixture
def timerless(router: Router, monkeypatch: pytest.MonkeyPatch) -> Router:
    """Return the router, whose timers are dead from the beginning: a test calls them."""
    monkeypatch.setattr("vppcfg.transaction.watchdog.uses_systemd", lambda: False)
    monkeypatch.setattr("vppcfg.transaction.watchdog._await_ready", die)
    monkeypatch.setattr("vppcfg.app.deadline.await_deadline", lambda moment, is_over: None)
    return router


@pytest.mark.parametrize("words", [("rollback",), ("rollback", "--unless-confirmed", "2")])
def test_bird_comes_back_from_a_change_that_waits(timerless: Router, words: tuple[str, ...]) -> None:
    assert timerless.run("apply", "-c", timerless.file("new"))[0] == ExitCode.DONE
    assert timerless.run("apply", "-c", timerless.file("newer", mtu=1400), "--confirm", "60")[0] == ExitCode.DONE
    timerless.events()
    code, said = timerless.run(*words)
    assert code == ExitCode.DONE
    assert "  - newer\n  + new\n" in said
    assert timerless.events() == ["load new with MTU 1500", "confirm"]
    assert timerless.startup.read_text() == "new\n"


@pytest.mark.parametrize("words", [("rollback",), ("rollback", "--unless-confirmed", "2")])
def test_a_daemon_comes_back_though_vpp_keeps_something_else(
    timerless: Router, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    assert timerless.run("apply", "-c", timerless.file("new"))[0] == ExitCode.DONE
    path = timerless.file("newer", mtu=1400)
    changes: list[Any] = []

    def different(plan: Plan, *arguments: Any, **named: Any) -> Remainder:
        changes.extend(plan.changes)
        return replace(still_different(plan, *arguments, **named), changes=tuple(changes))

    monkeypatch.setattr("vppcfg.transaction.transact.still_different", different)
    assert timerless.run("apply", "-c", path, "--keep", "--confirm", "60")[0] == ExitCode.DIFFERENT
    assert timerless.daemon.text == "newer\n", "the journal has it as in force"
    code, said = timerless.run(*words)
    assert (code, "is back, but for what differs" in said) == (ExitCode.DIFFERENT, True)
    assert timerless.daemon.text == timerless.startup.read_text() == "new\n"


@pytest.mark.parametrize("command", ["rollback", "apply"])
def test_bird_comes_back_from_a_change_that_was_killed(
    router: Router, folders_of_this_test: Path, command: str
) -> None:
    for text, mtu in (("new", 1400), ("newer", 1300)):
        assert router.run("apply", "-c", router.file(text, mtu=mtu))[0] == ExitCode.DONE
    router.start_with(b"new\n")
    cut_off(folders_of_this_test / "state" / folder_name(router.socket), 2)
    path = router.file("new", mtu=1400)
    assert "- newer\n  + new\n" in router.run("plan", "-c", path, "--format", "diff")[1]
    assert "BIRD does not run what was accepted: - newer" in router.run("watch", "--once", "-c", path)[1]
    router.events()
    assert router.run(command, *(("-c", path) if command == "apply" else ()))[0] == ExitCode.DONE
    assert router.events() == ["load new with MTU 1400", "confirm"]


def test_bird_comes_back_when_vpp_restarts_while_a_change_waits(timerless: Router) -> None:
    path = timerless.file("new", mtu=1400)
    assert timerless.run("apply", "-c", path)[0] == ExitCode.DONE
    assert timerless.run("apply", "-c", timerless.file("newer", mtu=1300), "--confirm", "60")[0] == ExitCode.DONE
    timerless.vpp.restart()
    timerless.events()
    timerless.file("new", mtu=1400)
    assert timerless.run("apply", "--boot", "-c", path)[0] == ExitCode.DONE
    assert timerless.events() == ["load new with MTU 1400"]
    timerless.vpp.restart()
    assert timerless.run("apply", "--boot", "-c", path)[0] == ExitCode.DONE
    assert timerless.events() == [], "it runs what was accepted"


def test_a_timer_goes_on_until_the_daemon_is_back_as_well(timerless: Router, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    pauses: list[float] = []

    def sleep(duration_s: float) -> None:
        pauses.append(duration_s)
        if sum(pauses) > 60:
            timerless.daemon.refuses.clear()

    monkeypatch.setattr("vppcfg.app.deadline.time.sleep", sleep)
    monkeypatch.setattr("vppcfg.app.deadline.tell_terminals", told.append)
    assert timerless.run("apply", "-c", timerless.file("new"))[0] == ExitCode.DONE
    assert timerless.run("apply", "-c", timerless.file("newer", mtu=1400), "--confirm", "60")[0] == ExitCode.DONE
    timerless.events()
    timerless.daemon.refuses["new\n"] = "BIRD does not answer"
    code, said = timerless.run("rollback", "--unless-confirmed", "2")
    assert (code, timerless.daemon.text) == (ExitCode.DONE, "new\n")
    assert timerless.events() == ["load new with MTU 1500"] * 4
    assert "VPP is in the state before change 2, but BIRD could not be brought back" in said
    assert "The state before change 2 is back" not in said
    assert [("rollback fails: BIRD does not answer" in text, "is back" in text) for text in told] == [
        (True, False),
        (False, True),
    ]


def test_a_timer_leaves_daemons_to_a_change_that_was_made_since(
    timerless: Router, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sleep(duration_s: float) -> None:
        timerless.daemon.refuses.clear()
        assert timerless.run("apply", "-c", timerless.file("newest"))[0] == ExitCode.REFUSED
        os.utime(timerless.startup, (0, 0))  # as if BIRD had been configured by hand
        assert timerless.run("apply", "-c", timerless.file("newest"))[0] == ExitCode.DONE

    monkeypatch.setattr("vppcfg.app.deadline.time.sleep", sleep)
    assert timerless.run("apply", "-c", timerless.file("new"))[0] == ExitCode.DONE
    assert timerless.run("apply", "-c", timerless.file("newer", mtu=1400), "--confirm", "60")[0] == ExitCode.DONE
    timerless.daemon.refuses["new\n"] = "BIRD does not answer"
    assert timerless.run("rollback", "--unless-confirmed", "2")[0] == ExitCode.DONE
    assert timerless.daemon.text == timerless.startup.read_text() == "newest\n"


@pytest.mark.parametrize("words", [(), ("--confirm", "60")])
def test_a_startup_file_that_cannot_be_written_is_a_failure_until_it_is_written(
    timerless: Router, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    timerless.daemon.reports = True
    path = timerless.file("new", mtu=1400)
    with monkeypatch.context() as disk:
        disk.setattr("vppcfg.app.routing_accepted.write_like", lambda *_: "No space left on device")
        code, said = timerless.run("apply", "-c", path, *words)
        if words:
            code, said = timerless.run("confirm")
        assert (code, "BIRD would start with another configuration" in said) == (ExitCode.REFUSED, True)
        assert timerless.run("apply", "-c", path)[0] == ExitCode.REFUSED
    assert timerless.daemon.text == "new\n"
    assert timerless.startup.read_text() == "as it was\n"
    assert timerless.run("apply", "-c", path)[0] == ExitCode.DONE
    assert timerless.startup.read_text() == "new\n"
    assert timerless.run("rollback", "1")[0] == ExitCode.DONE
    assert timerless.startup.read_text() == "as it was\n"


@pytest.mark.parametrize(("command", "code"), [("/bin/true", ExitCode.DONE), ("/bin/false", ExitCode.HOOK_FAILED)])
def test_a_rollback_with_nothing_to_do_writes_the_startup_file_and_runs_its_hook(
    router: Router, command: str, code: ExitCode
) -> None:
    router.daemon.reports = True
    for text in ("new", "newer"):
        path = Path(router.file(text))
        path.write_text(json.dumps({**json.loads(path.read_text()), "hooks": {"after-rollback": command}}))
        assert router.run("apply", "-c", str(path))[0] == ExitCode.DONE
    router.daemon.text = "new\n"  # by hand
    found, said = router.run("rollback")
    assert (found, "Nothing to do" in said) == (code, True)
    assert f"Running the hook after-rollback: {command}" in said
    assert router.startup.read_text() == "new\n"
    assert ("the hook after-rollback failed" in router.last()[1]) == (code is ExitCode.HOOK_FAILED)


def test_a_daemon_that_the_file_has_dropped_is_left_alone(router: Router) -> None:
    path = Path(router.file("new", mtu=1400))
    assert router.run("apply", "-c", str(path))[0] == ExitCode.DONE
    content = json.loads(path.read_text())
    del content["routing"]
    path.write_text(json.dumps(content))
    assert router.run("apply", "-c", str(path))[0] == ExitCode.DONE
    router.startup.write_text("by hand\n")
    router.events()
    assert router.run("watch", "--once", "-c", str(path))[0] == ExitCode.DONE
    router.vpp.restart()
    assert router.run("apply", "--boot", "-c", str(path))[0] == ExitCode.DONE
    assert router.events() == []


def test_a_text_of_a_foreign_hand_is_not_loaded(router: Router, folders_of_this_test: Path) -> None:
    router.run("apply", "-c", router.file("new", mtu=1400))
    router.run("apply", "-c", router.file("newer", mtu=1300))
    router.events()
    kept = folders_of_this_test / "state" / folder_name(router.socket) / "000002" / "routing.json"
    kept.write_text(kept.read_text().replace("newer", "evil!"))
    code, said = router.run("rollback")
    assert code == ExitCode.REFUSED
    assert str(kept) in said
    assert router.events() == []
