"""Random changes of a real VPP, each killed up to three times in a row: what one command makes of that.

A program, too: `python -m tests.live.killed_runs --runs 250 --first 1` tells of each run, and ends with 1 when one has
not ended whole.
"""

import argparse
import json
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.kill_points import NOWHERE, KillPoint, drawn_point, run_until
from tests.chaos.router import end_of, forked, leftovers, run
from tests.chaos.test_kills import patch_timers
from tests.live.random_files import PORTS, random_file
from tests.live.test_random_transitions import unpack_utf8
from tests.live.whole_state import Whole, unlike, whole_state
from tests.real_vpp import RealVpp, running
from vppcfg.errors import ExitCode
from vppcfg.model.state import State
from vppcfg.vpp.live import connect

RUNS_PER_PAIR = 12
_ALONE = "cpu {\n}"
"""No worker: on a busy machine VPP waits long for one at each message."""
_LET_GO = "exec /none"
"""What fails with another error than EAGAIN: then VPP 26.10 closes the sockets of clients that were killed. It looks at
errno although read has returned 0 (vl_socket_read_ready in vlibmemory/socket_api.c)."""
_SETTLED = {"applied", "waiting to be confirmed", "confirmed", "failed, undone", "rolled back"}
_ACCEPTED = {"applied", "confirmed"}
_YES = ("--yes", "--allow-mass-deletion")
_FINE = {ExitCode.DONE, ExitCode.REFUSED, ExitCode.NOT_NOW, -signal.SIGKILL}
_WRONG = ("a bug in vppcfg", "Traceback")
_BACK = re.compile(r"The state before change (\d+) is back")
_IS_NAMED = "not in every detail"
_COPIES = re.compile(r"/messages/mirrors|span")
"""What a way back leaves out, and names: copies to ports that crash VPP."""


class NotWholeError(Exception):
    """What was found is neither the old state nor the new one, or a command has failed."""


@dataclass(frozen=True)
class Pair:
    """Two files, and what it takes to go from one to the other."""

    texts: dict[str, str]
    messages: int
    duration_ms: int


@dataclass
class Router:
    """A real VPP with a journal of its own."""

    vpp: RealVpp
    folder: Path
    dice: random.Random
    states: dict[str, Whole] = field(default_factory=dict)
    """By name; those whose names differ in blanks at the end are of one file."""
    before: dict[int, str] = field(default_factory=dict)
    """Which state was there before each change of the journal."""
    after: dict[int, str] = field(default_factory=dict)
    """Which state a settled change led to."""
    story: list[str] = field(default_factory=list)
    said: str = ""
    kills: int = 0
    restarts: int = 0
    _edits: int = 0

    @property
    def count(self) -> Path:
        """Return the file with the number of messages of the last change."""
        return self.folder / "count"

    def file(self, name: str, text: str) -> str:
        """Return a file that has not been there before, comments taken as they are."""
        self._edits += 1
        path = self.folder / f"{name}.yaml"
        path.write_text(f"# edit {self._edits}\n{text}")
        return str(path)

    def command(self, *words: str, point: KillPoint = NOWHERE) -> int:
        """Run a command, to its end or to a point; return its exit code. Raise NotWholeError."""
        said, socket = self.folder / "said", str(self.vpp.socket_path)
        said.unlink(missing_ok=True)
        with forked(lambda: run_until(point, lambda: run([*words, "-a", socket]), self.count), said) as pid:
            try:
                code = end_of(pid)
            except TimeoutError as error:
                raise NotWholeError(f"{' '.join(words)}: {error}: {said.read_text()[-1500:]}") from error
        self.said = said.read_text()
        self.story.append(f"{' '.join(words)}: {point.kind} {point.number}, ended with {code}")
        with (self.folder / "log").open("a") as log:
            log.write(f"=== {self.story[-1]}\n{self.said}\n")
        if code == -signal.SIGKILL:
            self.kills += 1
            self.vpp.cli(_LET_GO)
        if code not in _FINE or any(text in self.said for text in _WRONG):
            raise NotWholeError(f"exit code {code}: {self.said[-1500:]}")
        return code

    def history(self) -> list[dict[str, Any]]:
        """Return the changes of the journal, the first one first."""
        shown = self.folder / "history.json"
        shown.unlink(missing_ok=True)
        with forked(lambda: run(["history", "--format", "json", "-a", str(self.vpp.socket_path)]), shown) as pid:
            assert end_of(pid) == ExitCode.DONE, shown.read_text()
        changes: list[dict[str, Any]] = json.loads(shown.read_text().partition("\n}")[0] + "\n}")["changes"]
        return sorted(changes, key=lambda change: int(change["number"]))

    def note(self, name: str) -> None:
        """Take the state of VPP for that of a file; what was taken for it before is one of the file as well."""
        if name in self.states:
            self.states[name + " " * len(self.states)] = self.states[name]
        self.states[name] = whole_state(self.vpp)

    def name_of_state(self) -> str:
        """Return which state VPP has. Raise NotWholeError when it is none.

        The second file is reached on several ways, and leaves open what VPP draws by lot, or what was there before.
        """
        state = whole_state(self.vpp)
        found = {
            name: unlike(state, known, is_open=self.restarts > 0 or name == "B") for name, known in self.states.items()
        }
        whole = found
        if _IS_NAMED in self.said:
            found = {name: [line for line in lines if not _COPIES.search(line)] for name, lines in found.items()}
        nearest = min(found, key=lambda name: len(found[name]))
        if found[nearest]:
            raise NotWholeError("\n  ".join([f"not whole, nearest is {nearest}:", *found[nearest]]))
        if whole[nearest]:  # the next change begins without the copies, and leads back there
            self.note(nearest.strip())
        return nearest.strip()

    def restart(self) -> None:
        """Start VPP anew."""
        self.vpp.restart(PORTS)
        prepare(self.vpp)
        self.restarts += 1


def prepare(vpp: RealVpp) -> None:
    """Make what no rollback takes away: a namespace, and the table of MPLS."""
    vpp.add_netns("dataplane")
    vpp.cli("mpls table add 0")


def begin(router: Router, empty: State) -> Pair:
    """Apply two random files and return to the first one, without a kill."""
    router.note("X")
    texts: dict[str, str] = {}
    for name in "AB":
        texts[name] = _applied(router, name, empty)
        router.note(name)
    began, last = time.monotonic(), router.history()[-1]["number"]
    router.before = {last - 1: "X", last: "A"}
    router.after = {last - 1: "A", last: "B"}
    if router.command("rollback", *_YES) != ExitCode.DONE:
        raise NotWholeError(router.said[-1500:])
    pair = Pair(texts, int(router.count.read_text()), int(1000 * (time.monotonic() - began)))
    if found := unlike(whole_state(router.vpp), router.states["A"]):
        _tell("\n  ".join(["what no kill has left:", *found]))
        router.note("A")
    router.after[last + 1] = "A"
    return pair


def _applied(router: Router, name: str, empty: State) -> str:
    """Return a random file that could be applied after what was there."""
    for _ in range(20):
        text = random_file(router.dice, empty, router.folder)
        if router.command("apply", "-c", router.file(name, text), *_YES) == ExitCode.DONE:
            return text
    raise AssertionError("no file is taken")


def be_killed(router: Router, pair: Pair) -> str:
    """Kill some commands in a row, from the first file on, and return what one command makes of it.

    Raise NotWholeError.
    """
    router.story.clear()
    settled, is_booted, changes = "A", True, router.history()
    for _ in range(router.dice.randint(1, 3)):
        words = _drawn_command(router, pair, changes, is_booted=is_booted)
        if "--boot" in words and is_booted:
            router.restart()
            is_booted = False
        code = router.command(*words, point=drawn_point(router.dice, pair.messages, pair.duration_ms))
        known, changes = {change["number"] for change in changes}, router.history()
        accepted = _accepted(changes, router)
        for change in changes:
            if change["number"] not in known:
                router.before[change["number"]] = accepted if change["origin"] == "boot" else settled
        newest = changes[-1]
        is_whole = newest["number"] not in known and newest["status"] in _SETTLED
        is_booted |= "--boot" in words and (code == ExitCode.DONE or is_whole)
        if is_booted and newest["status"] in _SETTLED:
            settled = router.after[newest["number"]] = router.name_of_state()
        router.story.append(f"  change {newest['number']} ({newest['origin']}) is {newest['status']}, from {settled}")
    return _settle(router, changes, is_booted=is_booted)


def _drawn_command(router: Router, pair: Pair, changes: list[dict[str, Any]], *, is_booted: bool) -> list[str]:
    boot = ["apply", "--boot", "-c", str(router.folder / "A.yaml")]
    if not is_booted:
        return boot
    if (waiting := _waiting(changes)) is not None:
        timer = ["rollback", "--unless-confirmed", str(waiting)]
        return router.dice.choice([["confirm"], timer, ["rollback", "--yes"]])
    kind = router.dice.choice(["apply"] * 3 + ["confirm"] * 2 + ["rollback"] * 2 + ["boot"])
    if kind == "boot":
        return boot
    if kind == "rollback":
        return ["rollback", *_YES]
    more = ["--confirm=600"] if kind == "confirm" else []
    return ["apply", "-c", router.file("B", pair.texts["B"]), *_YES, *more]


def _settle(router: Router, changes: list[dict[str, Any]], *, is_booted: bool) -> str:
    """Run one command to its end, and check that VPP, what it says and the journal agree; return how it has ended."""
    waiting, accepted = _waiting(changes), _accepted(changes, router)
    words = ["rollback", *_YES]
    if waiting is not None and router.dice.random() < 0.5:
        words = ["rollback", "--unless-confirmed", str(waiting)]
    elif not is_booted and router.dice.random() < 0.5:
        words = ["apply", "--boot", "-c", str(router.folder / "A.yaml")]
    code = router.command(*words)
    name = router.name_of_state()
    expected = accepted if "--boot" in words else _brought_back(router) if code == ExitCode.DONE else name
    if name != expected:
        raise NotWholeError(f"{' '.join(words)} tells of {expected}, VPP has {name}")
    newest = router.history()[-1]
    if newest["status"] not in _SETTLED - {"waiting to be confirmed"}:
        raise NotWholeError(f"the journal ends with {newest}")
    if left := leftovers(router.folder):
        raise NotWholeError(f"left: {left}")
    router.after[newest["number"]] = name
    return f"{' '.join(words[:2]) if '--boot' in words else words[0]} {code} {name}"


def _brought_back(router: Router) -> str:
    """Return the state that a rollback says is back."""
    back = _BACK.search(router.said)
    if back is None:
        raise NotWholeError(f"the rollback does not tell: {router.said[-1500:]}")
    return router.before.get(int(back[1]), "?")


def _waiting(changes: list[dict[str, Any]]) -> int | None:
    return next((each["number"] for each in reversed(changes) if "waiting" in each["status"]), None)


def _accepted(changes: list[dict[str, Any]], router: Router) -> str:
    """Return the state that was accepted last."""
    accepted = (each for each in reversed(changes) if each["status"] in _ACCEPTED and each["origin"] != "timer")
    return router.after.get(next(accepted)["number"], "?")


def _return_to_the_first_file(router: Router, pair: Pair, name: str) -> None:
    if name == "A":
        return
    router.command("apply", "-c", router.file("A", pair.texts["A"]), *_YES, "--again")
    router.note("A")
    newest = router.history()[-1]["number"]
    router.before[newest], router.after[newest] = name, "A"


def runs(first: int, count: int, keep: Path) -> Counter[str]:
    """Do so many runs, several with each pair of files, and return how they have ended, by how many.

    What is WRONG is told, and its files are kept in a folder.
    """
    found: Counter[str] = Counter()
    with pytest.MonkeyPatch.context() as patch:
        patch_timers(patch)
        patch.setattr("vpp_papi.vpp_serializer.String.unpack", unpack_utf8)
        while found.total() < count:
            found += _of_pair(first, min(RUNS_PER_PAIR, count - found.total()), patch, keep)
            _tell(f"{found.total()} runs: {dict(found)}")
            first += 1
    return found


def _of_pair(seed: int, count: int, patch: pytest.MonkeyPatch, keep: Path) -> Counter[str]:
    """Do some runs with the files that a seed gives, until one is wrong."""
    found: Counter[str] = Counter()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vppcfg-kills-")))
        patch.setenv("VPPCFG_STATE_DIR", str(folder / "state"))
        patch.setenv("VPPCFG_RUN_DIR", str(folder / "run"))
        vpp = stack.enter_context(running(PORTS, extra=_ALONE, makes_vlan_devices=True))
        prepare(vpp)
        with connect(str(vpp.socket_path)) as dataplane:
            empty = dataplane.observe()
        router = Router(vpp, folder, random.Random(seed))
        try:
            pair = begin(router, empty)
            while found.total() < count:
                began, kills = time.monotonic(), router.kills
                found[how := be_killed(router, pair)] += 1
                _tell(f"{seed}: {how}, {router.kills - kills} killed, {time.monotonic() - began:.1f} s")
                _return_to_the_first_file(router, pair, how[-1])
        except NotWholeError as error:
            found["WRONG"] += 1
            _tell("\n".join([f"{seed}: WRONG: {error}", *router.story]))
            shutil.copytree(folder, keep / str(seed), dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.sock"))
    return found


def _tell(text: str) -> None:
    print(text, flush=True)  # noqa: T201 (a program of its own)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--first", type=int, default=1, help="the seed of the first pair of files")
    parser.add_argument("--keep", type=Path, default=Path("/tmp/vppcfg-killed-runs"))
    arguments = parser.parse_args()
    sys.exit("WRONG" in runs(arguments.first, arguments.runs, arguments.keep))
