"""Compares what the program makes of files that others wrote with what an expert expects of them; see README.md.

python -m tests.foreign.score [FOLDER], such as unasked
"""

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.adopt.script_adoption import ReplaySetup, Script, adopt_scripts
from vppcfg.common.release import Release, release_of
from vppcfg.errors import VppcfgError
from vppcfg.model.problem import Problem, Severity
from vppcfg.record import record
from vppcfg.startup.lint.lint import judge

HERE = Path(__file__).parent
_MARK = "#= "


@record
class Score:
    """How much of what an expert expects of one file came true."""

    name: str
    met: int
    expected: int
    misses: tuple[str, ...]
    """What was expected and did not come."""
    false: tuple[str, ...]
    """What came and is not so."""


def scores_of(kind: str, folder: Path = HERE) -> list[Score]:
    one = _of_conf if kind == "startup" else _of_script
    return [one(path) for path in sorted((folder / kind).iterdir()) if path.suffix in {".conf", ".vpp"}]


def _parts(path: Path) -> tuple[str, list[list[str]]]:
    """Return the text of a file without its expectations, and these in words."""
    lines = path.read_text(encoding="utf-8").split("\n")
    marked = [line.removeprefix(_MARK).split() for line in lines if line.startswith(_MARK)]
    return "\n".join(line for line in lines if not line.startswith(_MARK)), marked


def _release(expected: Iterable[list[str]]) -> Release:
    return release_of(next(words[1] for words in expected if words[0] == "release"))


def _of_conf(path: Path) -> Score:
    text, expected = _parts(path)
    release = _release(expected)
    judgement = judge(text, (release,))
    left = list(judgement.problems)
    misses: list[str] = []
    met = 0
    for words in expected:
        if words[0] == "find":
            found = _take(left, words)
            met += found
            misses += [] if found else [" ".join(words)]
        elif words[0] == "stops":
            stops = "yes" if release in judgement.stopped else "no"
            met += stops == words[1]
            misses += [] if stops == words[1] else [f"stops {words[1]}"]
    for words in expected:
        if words[0] == "may":
            _take(left, words)
    false = [f"{each.line} {each.severity.value} {each.text}" for each in left if each.severity is not Severity.NOTICE]
    total = sum(words[0] in {"find", "stops"} for words in expected)
    return Score(name=path.stem, met=met, expected=total, misses=tuple(misses), false=tuple(false))


def _take(problems: list[Problem], words: list[str]) -> bool:
    """Take the problem that an expectation describes out of a list, and return whether there is one.

    A louder problem than the expected one counts too, when it stands at the line.
    """
    _, line, severity, *text = words
    for each in problems:
        is_there = line == "*" or each.line == int(line)
        loud_enough = each.severity.value == severity or (severity == "notice" and each.severity is Severity.WARNING)
        if is_there and loud_enough and re.search(" ".join(text), each.text, re.IGNORECASE):
            problems.remove(each)
            return True
    return False


def _of_script(path: Path) -> Score:
    text, expected = _parts(path)
    wanted = dict(_wanted(expected))
    script = Script(name=path.name, text=text)
    try:
        lines = adopt_scripts([script], ReplaySetup(release=_release(expected)), lambda *_: None).report.lines
    except VppcfgError as error:
        return Score(name=path.stem, met=0, expected=len(wanted), misses=(str(error),), false=(str(error),))
    came = {line.number: line for line in lines}
    misses, false = [], []
    for number, outcomes in wanted.items():
        outcome = outcome_of(came[number]) if number in came else "none"
        if outcome not in outcomes:
            text = f"{number} {'|'.join(outcomes)}, not {outcome}: {came[number].text} ({came[number].why})"
            misses.append(text)
            false += [text] if outcome in {"file", "dataplane", "refused"} or "refused" in outcomes else []
    met = len(wanted) - len(misses)
    return Score(name=path.stem, met=met, expected=len(wanted), misses=tuple(misses), false=tuple(false))


def _wanted(expected: Iterable[list[str]]) -> Iterator[tuple[int, list[str]]]:
    for words in expected:
        if words[0][0].isdecimal():
            first, _, last = words[0].partition("-")
            for number in range(int(first), int(last or first) + 1):
                yield number, words[1].split("|")


def outcome_of(line: SourceLine) -> str:
    """Return what became of a line, in the words of the expectations."""
    if line.outcome is LineOutcome.FAULT:
        return "refused" if line.why.startswith("VPP refuses") else "fault"
    names = {LineOutcome.UNMANAGED: "rest", LineOutcome.NO_EFFECT: "none", LineOutcome.NEVER_RAN: "never"}
    return names.get(line.outcome, str(line.outcome.value))


def report(folder: Path) -> Iterator[str]:
    """Yield the scores of a folder in lines."""
    for kind in (kind for kind in ("startup", "scripts") if (folder / kind).is_dir()):
        scores = scores_of(kind, folder)
        for score in scores:
            if score.misses or score.false:
                yield f"{kind}/{score.name}: {score.met} of {score.expected}"
            yield from (f"  missed {miss}" for miss in score.misses)
            yield from (f"  false  {false}" for false in score.false)
        whole = sum(not score.misses and not score.false for score in scores)
        met, expected = sum(score.met for score in scores), sum(score.expected for score in scores)
        false_count = sum(len(score.false) for score in scores)
        yield f"{kind}: {met} of {expected} expectations, {whole} of {len(scores)} files whole, {false_count} false"


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in report(HERE / sys.argv[1] if sys.argv[1:] else HERE))
