"""`vppcfg rest`: runs a script of commands that no configuration can express; a second run changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from enum import Enum

from vppcfg.app.target import Target
from vppcfg.common.redaction import without_secrets
from vppcfg.record import record
from vppcfg.vpp.repeated import Repetition


class LineEnd(Enum):
    """The outcome of a command; each value is a word for operators."""

    DONE = "done"
    THERE = "there already"
    FAILED = "failed"


@record
class RestLine:
    """A command that was run, or was not because its effect is there."""

    number: int
    """Of the line in its file."""
    text: str
    """Without keys and other secrets."""
    end: LineEnd
    answer: str = ""
    """VPP's answer when it failed."""


def run_rest(
    commands: Iterable[tuple[int, str]], target: Target, *, meaning: Callable[[str], str] = str
) -> Iterator[RestLine]:
    """Run commands, each with the number of its line, one by one, and yield the outcome of each.

    One that VPP refuses ends nothing. `meaning` returns a command with its words in full, by which its effect is
    looked up. Raise DataplaneError when VPP does not answer.
    """
    vpp, _ = target.connect_apart()
    with closing(vpp):
        repetition = Repetition(vpp.run_at_prompt)
        for number, line in commands:
            text = without_secrets(line)
            full = meaning(line)
            if repetition.is_there(full):
                yield RestLine(number=number, text=text, end=LineEnd.THERE)
                continue
            missing = repetition.missing(full)
            code, answer = (-1, missing) if missing else vpp.run_at_prompt(line)
            if not code:
                yield RestLine(number=number, text=text, end=LineEnd.DONE)
            elif repetition.is_done(full, answer):
                yield RestLine(number=number, text=text, end=LineEnd.THERE)
            else:
                reason = without_secrets(" ".join(answer.split())) or f"VPP answers {code}"
                yield RestLine(number=number, text=text, end=LineEnd.FAILED, answer=reason)
