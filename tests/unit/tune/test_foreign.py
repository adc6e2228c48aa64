"""Captures that strangers have published: what the tuner makes of them, beside what an expert does.

`tests/tune_foreign/README.md` says where they are from and how they count. `python -m tests.unit.tune.test_foreign
worked` prints each case.
"""

import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from vppcfg.errors import VppcfgError
from vppcfg.record import record
from vppcfg.tune.assemble import load_of_captures
from vppcfg.tune.capture import read_captures
from vppcfg.tune.diagnosis import NAMES, Diagnosis, diagnose
from vppcfg.tune.finding import FindingSeverity
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.verdict import VerdictWord

FOLDER = Path(__file__).resolve().parents[2] / "tune_foreign"
LEAST_SCORE = {
    "worked": 49.0,
    "untried": 46.0,
    "unopened": 28.0,
    "fresh": 13.0,
    "further": 11.0,
    "newest": 8.0,
    **dict.fromkeys(("last", "final", "sealed", "unseen"), 5.0),
    **dict.fromkeys(("later", "closing", "unmet", "unread", "unheard", "untold"), 4.0),
    **dict.fromkeys(("unsaid", "unsung", "unasked"), 3.0),
}
"""What the parts reach that are no longer held out: it may grow and never fall."""
UNREADABLE = "unreadable"
"""What comes out where no line could be read, which ends with an error."""
_SEVERE = {FindingSeverity.LOSS, FindingSeverity.LIMIT, FindingSeverity.RISK}
_WELL = {VerdictWord.HEALTHY.value, VerdictWord.IDLE.value}


@record
class Outcome:
    """How one capture was judged."""

    score: float
    why: str
    names: frozenset[str]
    """Verdict and rules."""

    @property
    def is_false(self) -> bool:
        """Return whether the answer is one that is not true."""
        return self.score < 0


@cache
def cases_of(part: str) -> dict[str, dict[str, Any]]:
    cases: dict[str, dict[str, Any]] = json.loads((FOLDER / part / "cases.json").read_text())
    return cases


def diagnosis_of(part: str, name: str) -> Diagnosis | None:
    """Return what the tuner concludes, None where it could read nothing."""
    texts = [FOLDER / part / f"{name}.txt", FOLDER / part / f"{name}.second.txt"]
    try:
        captures = [capture for path in texts if path.exists() for capture in read_captures(path)]
        return diagnose(Situation(load=load_of_captures(captures)))
    except VppcfgError:
        return None


def text_of(diagnosis: Diagnosis) -> str:
    """Return all sentences of a diagnosis."""
    verdict = diagnosis.verdict
    parts = [verdict.text, *verdict.seen, *verdict.missing]
    for finding in diagnosis.findings:
        parts += [finding.verdict, finding.undecided, *(evidence.text for evidence in finding.evidence)]
    return "\n".join(parts)


def outcome_of(part: str, name: str) -> Outcome:
    """Return the score of a capture: right 1, open 0 or 0.5 with the command that would tell, false -2."""
    case, diagnosis = cases_of(part)[name], diagnosis_of(part, name)
    if diagnosis is None:
        is_right = UNREADABLE in case["right"]
        return Outcome(score=float(is_right), why="right" if is_right else UNREADABLE, names=frozenset({UNREADABLE}))
    word = diagnosis.verdict.word.value
    names = frozenset({word, *(finding.rule for finding in diagnosis.findings)})
    why = _false(case, diagnosis, names)
    if why:
        return Outcome(score=-2.0, why=why, names=names)
    text = text_of(diagnosis)
    lacking = [words for words in case.get("must_say", []) if words not in text]
    if names & set(case["right"]) and not lacking:
        return Outcome(score=1.0, why="right", names=names)
    is_named = bool(set(case.get("needs", [])) & set(diagnosis.verdict.next))
    return Outcome(score=0.5 if is_named else 0.0, why=f"open{', lacks ' if lacking else ''}{', '.join(lacking)}",
                   names=names)  # fmt: skip


def _false(case: dict[str, Any], diagnosis: Diagnosis, names: frozenset[str]) -> str:
    """Return what of the answer is not true, '' when all of it may be."""
    allowed = {*case["right"], *case.get("acceptable", [])}
    severe = {finding.rule for finding in diagnosis.findings if finding.severity in _SEVERE}
    wrong = sorted((severe - allowed) | ((names & _WELL) - allowed) | (names & set(case.get("forbidden", []))))
    said = [words for words in case.get("must_not_say", []) if words in text_of(diagnosis)]
    return ", ".join([*(f"false: {name}" for name in wrong), *(f"says {words!r}" for words in said)])


def score_of(part: str) -> tuple[float, int]:
    """Return the score of all captures of a part, and how many answers are false."""
    outcomes = [outcome_of(part, name) for name in cases_of(part)]
    return sum(outcome.score for outcome in outcomes), sum(outcome.is_false for outcome in outcomes)


@pytest.mark.parametrize("part", ["held_out", "unopened_held_out", *LEAST_SCORE])
def test_every_case_says_where_it_is_from_and_what_is_expected(part: str) -> None:
    words = {*NAMES, *(word.value for word in VerdictWord), UNREADABLE}
    texts = {path.name.removesuffix(".txt").removesuffix(".second") for path in (FOLDER / part).glob("*.txt")}
    assert texts == set(cases_of(part))
    for name, case in cases_of(part).items():
        assert case["source"] and case["of"] and case["cause"] and case["right"], name
        allowed = {*case["right"], *case.get("acceptable", [])}
        assert allowed | set(case.get("forbidden", [])) <= words, name
        assert not allowed & set(case.get("forbidden", [])), name


def test_every_loss_limit_and_risk_shows_its_figures_and_where_they_are_from() -> None:
    for name in cases_of("worked"):
        diagnosis = diagnosis_of("worked", name)
        for finding in diagnosis.findings if diagnosis else ():
            if finding.severity in _SEVERE:
                assert any(re.search(r"\d", evidence.text) for evidence in finding.evidence), (name, finding.rule)
                assert all(evidence.source for evidence in finding.evidence), (name, finding.rule)


@pytest.mark.parametrize("part", LEAST_SCORE)
def test_a_part_has_no_false_answer_and_its_score_does_not_fall(part: str) -> None:
    outcomes = {name: outcome_of(part, name) for name in cases_of(part)}
    assert {name: it.why for name, it in outcomes.items() if it.is_false} == {}
    assert sum(it.score for it in outcomes.values()) >= LEAST_SCORE[part]


if __name__ == "__main__":
    part_asked = sys.argv[1]
    for case_name in cases_of(part_asked):
        found = outcome_of(part_asked, case_name)
        sys.stdout.write(f"{found.score:4g}  {case_name:28} {found.why:40} {', '.join(sorted(found.names))}\n")
    total, false = score_of(part_asked)
    sys.stdout.write(f"{total:g} of {len(cases_of(part_asked))}, {false} false\n")
