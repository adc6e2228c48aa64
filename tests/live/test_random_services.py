"""From one random router with services to another and back, with what others have typed: VPP is as it was, all of it.

What is asked and compared is the text that VPP's prompt prints. Whatever is not as before must be in the plan.
"""

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.live.random_services import PORTS, configuration, successor, text_of, typed_by_others
from tests.live.shown_state import Shown, differences, shown_state
from tests.real_vpp import RealVpp, running
from vppcfg.cli.main import main
from vppcfg.dataplane import Performance, Refusal
from vppcfg.errors import ExitCode
from vppcfg.plan.operations import Operation
from vppcfg.vpp.live import LiveDataplane

PAIRS = int(os.environ.get("SERVICES_PAIRS", "60"))
FIRST = int(os.environ.get("SERVICES_FIRST", "1"))
NUMBERS = range(FIRST, FIRST + PAIRS)
_TERMS = ("--lose-unmanaged", "--allow-mass-deletion")


class Subject:
    """A VPP with a router of a file on it, and with what others have typed."""

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

    def apply(self) -> ExitCode:
        """Apply the second configuration."""
        return self.run("apply", "-qy", *_TERMS, "-c", self.after)


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


@pytest.mark.parametrize("number", NUMBERS)
def test_a_rollback_brings_back_what_the_plan_does_not_except(number: int, subject: Subject) -> None:
    subject.prepare(number, typed_by_others(configuration(2 * number), number))
    before = shown_state(subject.vpp)
    plan = subject.plan(configuration(2 * number + 1))
    assert subject.apply() == ExitCode.DONE
    assert subject.run("plan", "-q", "--detailed-exitcode", "-c", subject.after) == ExitCode.DONE
    left = excepted(plan)
    code = subject.run("rollback", "-qy", *_TERMS)
    assert unstated(before, shown_state(subject.vpp), left) == ""
    assert code == (ExitCode.STRANDED if left else ExitCode.DONE)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_change_that_fails_leaves_what_was_there(
    number: int, subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject.prepare(number, typed_by_others(configuration(2 * number), number))
    before = shown_state(subject.vpp)
    plan = subject.plan(configuration(2 * number + 1))
    steps = len(plan["operations"])
    if not steps:
        pytest.skip("both are the same")
    fail_at(number * 7 % steps, monkeypatch)
    code = subject.apply()
    assert code in (ExitCode.ROLLED_BACK, ExitCode.STRANDED)
    assert unstated(before, shown_state(subject.vpp), excepted(plan)) == ""


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


def fail_at(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the operation at a place refused, once."""
    left: list[int] = [place]
    perform: Callable[..., Performance] = LiveDataplane.perform

    def failing(
        plane: LiveDataplane,
        operations: Sequence[Operation],
        on_progress: Callable[[int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
        waits: Collection[int] = (),
    ) -> Performance:
        if not left or left[0] >= len(operations):
            left[:] = [each - len(operations) for each in left]
            return perform(plane, operations, on_progress, should_stop, waits)
        count = left.pop()
        done = perform(plane, operations[:count], on_progress, should_stop, {each for each in waits if each < count})
        refusal = Refusal(index=count, operation=operations[count], retval=-1, text="refused by the test")
        return Performance(done=done.done, refusals=(*done.refusals, refusal))

    monkeypatch.setattr(LiveDataplane, "perform", failing)
