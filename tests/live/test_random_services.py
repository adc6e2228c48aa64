"""From one random router with services to another and back, with what others have typed: VPP is as it was, all of it.

What is asked and compared is the text that VPP's prompt prints. Whatever is not as before must be in the plan.
"""

import json
import os
import random
import re
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.chaos.router import end_of, forked
from tests.chaos.test_kills import patch_timers
from tests.live.accident import have_accident, lose, nth, refuse
from tests.live.random_services import PORTS, configuration, successor, text_of, typed_by_others
from tests.live.shown_state import Shown, differences, shown_state
from tests.real_vpp import RealVpp, running
from vppcfg.cli.main import main
from vppcfg.dataplane import Performance
from vppcfg.errors import ExitCode
from vppcfg.vpp.live import LiveDataplane

PAIRS = int(os.environ.get("SERVICES_PAIRS", "60"))
FIRST = int(os.environ.get("SERVICES_FIRST", "1"))
NUMBERS = range(FIRST, FIRST + PAIRS)
_CALLS_PER_STEP = 60
"""Of functions, in a change with its verification, about."""
_INTERRUPTS = (signal.SIGINT, signal.SIGTERM)
_TERMS = ("--lose-unmanaged", "--allow-mass-deletion")


class Subject:
    def __init__(self, vpp: RealVpp, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.vpp = vpp
        self._folder = folder
        self._capsys = capsys

    def run(self, *words: str) -> ExitCode:
        """Run a command of vppcfg, and return its exit code."""
        return ExitCode(main([*words, "-a", str(self.vpp.socket_path), "--state-dir", str(self._folder / "state")]))

    def file(self, name: str, data: dict[str, Any]) -> str:
        """Write a configuration, and return the options that name it."""
        (self._folder / name).write_text(text_of(data))
        return str(self._folder / name)

    def prepare(self, number: int, typed: Sequence[str]) -> None:
        """Apply the first configuration of a pair, and type what others have."""
        data = configuration(2 * number)
        assert self.run("apply", "-qy", *_TERMS, "-c", self.file("before.yaml", data)) == ExitCode.DONE
        for line in typed:
            retval, text = self.vpp.cli(line)
            assert retval == 0, (line, text)

    def plan(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the plan to a configuration."""
        file = self.file("after.yaml", data)
        self._capsys.readouterr()
        code = self.run("plan", "-q", "--format", "json", *_TERMS, "-c", file)
        assert code == ExitCode.DONE, self._capsys.readouterr().err
        document: dict[str, Any] = json.loads(self._capsys.readouterr().out)
        return document

    @property
    def after(self) -> str:
        """Return the file of the second configuration."""
        return str(self._folder / "after.yaml")

    def apply(self, *options: str) -> ExitCode:
        """Apply the second configuration."""
        return self.run("apply", "-qy", "--again", *_TERMS, "-c", self.after, *options)

    def rollback(self) -> ExitCode:
        """Roll the last change back."""
        return self.run("rollback", "-qy", *_TERMS)

    def last_change(self) -> int:
        self._capsys.readouterr()
        assert self.run("history", "--format", "json") == ExitCode.DONE
        number: int = json.loads(self._capsys.readouterr().out)["changes"][-1]["number"]
        return number

    def apply_with_signal(self, number: int, calls: int) -> int:
        """Apply the second configuration in a process that gets a signal so many calls after the first step has begun.

        Return how it has ended, the number of the signal below 0; it may have been at its end already.
        """
        log = self._folder / "applied.log"
        with forked(lambda: _applied_with_signal(number, calls, self.apply), log) as process:
            code = end_of(process)
        assert code in (ExitCode.DONE, -number, ExitCode.STRANDED, 128 + number), log.read_text()
        return code


@pytest.fixture
def subject(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Subject]:
    with running(PORTS) as vpp:
        yield Subject(vpp, tmp_path, capsys)


def unnumbered(shown: Shown) -> Shown:
    """Return a state without the numbers of access lists, which depend on the order of their creation."""
    return {
        key: tuple(sorted(re.sub(r"\bacl(-index |:)\d+", "acl", line) for line in lines))
        for key, lines in shown.items()
    }


def excepted(plan: dict[str, Any]) -> set[str]:
    """Return the holders of which the plan says that a rollback does not bring back all."""
    return {each["holder"] for each in plan["unmanaged"] if not each["rollback"]}


def unstated(before: Shown, after: Shown, holders: Collection[str]) -> str:
    """Return what differs and is about nothing that the plan has excepted, as text."""
    names = [holder.replace("ipv4-VRF:", "table ").replace("ipv6-VRF:", "table ") for holder in holders]
    found = [each for each in differences(before, after) if not any(name in f"{each[0]} {each[2]}" for name in names)]
    return "".join(f"\n{sign} {where}: {line}" for where, sign, line in found)


def fails(subject: Subject, steps: int, dice: random.Random) -> ExitCode:
    """Have a change refused, or the connection lost, at a random step."""
    with pytest.MonkeyPatch.context() as patch:
        have_accident(patch, nth(dice.randrange(steps)), dice.choice((refuse, lose)))
        code = subject.apply()
    assert code in (ExitCode.ROLLED_BACK, ExitCode.STRANDED)
    return code


def is_interrupted(subject: Subject, steps: int, dice: random.Random) -> ExitCode:
    """Interrupt a change at a random moment; roll back what was done by then."""
    code = subject.apply_with_signal(dice.choice(_INTERRUPTS), dice.randrange(_CALLS_PER_STEP * steps))
    return subject.rollback() if code == ExitCode.DONE else ExitCode(code)


def is_killed_and_undone(subject: Subject, steps: int, dice: random.Random) -> ExitCode:
    """Kill a change at a random moment, and roll back."""
    subject.apply_with_signal(signal.SIGKILL, dice.randrange(_CALLS_PER_STEP * steps))
    return subject.rollback()


def is_killed_and_finished(subject: Subject, steps: int, dice: random.Random) -> ExitCode:
    """Kill a change at a random moment, apply the same file, and roll back both."""
    subject.apply_with_signal(signal.SIGKILL, dice.randrange(_CALLS_PER_STEP * steps))
    return is_rolled_back(subject, steps, dice)


def expires(subject: Subject, steps: int, dice: random.Random) -> ExitCode:
    """Let the time of a change run out. The timer ends with 0 when it has decided; what was not back, its log names."""
    with pytest.MonkeyPatch.context() as patch:
        patch_timers(patch)
        assert subject.apply("--confirm=10") == ExitCode.DONE
        assert subject.run("rollback", "-q", "--unless-confirmed", str(subject.last_change())) == ExitCode.DONE
    return ExitCode.STRANDED


def is_rolled_back(subject: Subject, steps: int, dice: random.Random) -> ExitCode:
    """Make a change to its end, and roll back."""
    assert subject.apply() == ExitCode.DONE
    assert subject.run("plan", "-q", "--detailed-exitcode", "--again", "-c", subject.after) == ExitCode.DONE
    return subject.rollback()


WAYS: tuple[Callable[[Subject, int, random.Random], ExitCode], ...] = (
    *(is_rolled_back, fails, is_killed_and_undone, expires, is_killed_and_finished, is_interrupted),
)


@pytest.mark.parametrize("number", NUMBERS)
def test_whatever_becomes_of_a_change_all_is_back_but_what_the_plan_excepts(number: int, subject: Subject) -> None:
    """A pair begins with one way after the other by its number; where something is excepted, it ends with that."""
    subject.prepare(number, typed_by_others(configuration(2 * number), number))
    before = shown_state(subject.vpp)
    plan = subject.plan(configuration(2 * number + 1))
    steps, left = len(plan["operations"]), excepted(plan)
    first, dice = number % len(WAYS), random.Random(number)
    for way in (*WAYS[first:], *WAYS[:first]) if steps else ():
        code = way(subject, steps, dice)
        found = unstated(before, shown_state(subject.vpp), left if code == ExitCode.STRANDED else ())
        assert (way.__name__, found) == (way.__name__, "")
        if left:
            assert code == ExitCode.STRANDED or way is not is_rolled_back
            break
        assert code != ExitCode.STRANDED or way is expires


@pytest.mark.parametrize("number", NUMBERS[::3])
def test_a_change_leaves_what_a_new_vpp_would_have(number: int, subject: Subject, tmp_path: Path) -> None:
    first = configuration(2 * number)
    second = successor(first, 2 * number + 1)
    typed = typed_by_others(first, number, second)
    subject.prepare(number, typed)
    plan = subject.plan(second)
    assert subject.apply() == ExitCode.DONE
    with running(PORTS) as vpp:
        assert (
            main(
                ["apply", "-qy", "-a", str(vpp.socket_path), "--state-dir", str(tmp_path / "new"), "-c", subject.after]
            )
            == ExitCode.DONE
        )
        for line in typed:
            assert vpp.cli(line)[0] == 0
        new = shown_state(vpp)
    holders = {each["holder"] for each in plan["unmanaged"] if each["outcome"] != "carried"}
    assert unstated(unnumbered(new), unnumbered(shown_state(subject.vpp)), holders) == ""


def _applied_with_signal(number: int, calls: int, apply: Callable[[], ExitCode]) -> ExitCode:
    """Apply, and get a signal so many calls of functions after the first step has begun."""
    left = calls
    perform = LiveDataplane.perform

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            sys.setprofile(None)
            os.kill(os.getpid(), number)

    def counted(*arguments: Any) -> Performance:
        if left == calls:
            sys.setprofile(count)
        return perform(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LiveDataplane, "perform", counted)
        try:
            return apply()
        finally:
            sys.setprofile(None)
