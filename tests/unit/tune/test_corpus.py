"""Pastes of known troubles and of none, in all shapes that people paste: how many are judged rightly, and none wrongly.

`tests/tune_corpus/cases.json` has for each of them which rules and verdicts are right, which acceptable and which
forbidden. The test prints the score; `python -m tests.unit.tune.test_corpus` prints each case.
"""

import io
import json
import sys
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from vppcfg.record import record
from vppcfg.tune.assemble import load_of_captures
from vppcfg.tune.capture import read_captures, split_paste
from vppcfg.tune.diagnosis import NAMES, Diagnosis, diagnose
from vppcfg.tune.finding import FindingSeverity
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.verdict import VerdictWord

FOLDER = Path(__file__).resolve().parents[2] / "tune_corpus"
HEALTHY = FOLDER.parent / "tune_healthy.tar.gz"
CASES: dict[str, dict[str, Any]] = json.loads((FOLDER / "cases.json").read_text())
LEAST_SCORE = 77.0
"""What the last release reached: it may grow and never fall."""
_SURE = {VerdictWord.LOSS, VerdictWord.LIMIT, VerdictWord.RISK, VerdictWord.HEALTHY, VerdictWord.IDLE}


@record
class Outcome:
    """How one paste was judged."""

    said: frozenset[str]
    score: float
    why: str


@cache
def diagnosis_of(name: str) -> Diagnosis:
    case = CASES[name]
    text = (FOLDER / f"{name}.txt").read_text()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "paste"
        path.write_bytes(archive_of(text) if case.get("shape") == "archive" else text.encode())
        load = load_of_captures(read_captures(path))
    offered = {"": case["offered"]} if "offered" in case else {}
    return diagnose(Situation(load=load, offered=offered, frame=case.get("frame")))


def archive_of(text: str) -> bytes:
    """Return a compressed tar with each output of a session in a file whose name says nothing."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for number, part in enumerate(split_paste(text).texts.values()):
            member = tarfile.TarInfo(f"support/box/{number:02}.out")
            member.size = len(part.encode())
            archive.addfile(member, io.BytesIO(part.encode()))
    return packed.getvalue()


def outcome_of(name: str) -> Outcome:
    """Return the score of a case: right 1, undecided 0 or 0.5 with the command that would tell, wrong -2."""
    case, diagnosis = CASES[name], diagnosis_of(name)
    word = diagnosis.verdict.word
    said = frozenset({word.value, *(finding.rule for finding in diagnosis.findings)})
    forbidden = said & set(case["forbidden"])
    if forbidden:
        return Outcome(said=said, score=-2.0, why=f"forbidden: {', '.join(sorted(forbidden))}")
    if said & set(case["right"]):
        return Outcome(said=said, score=1.0, why="right")
    if word in _SURE and not said & set(case["acceptable"]):
        return Outcome(said=said, score=-2.0, why=f"wrong: sure of {word.value}")
    needs = set(case.get("needs", []))
    return Outcome(said=said, score=0.5 if needs & set(diagnosis.verdict.next) else 0.0, why="undecided")


def test_the_corpus_has_pastes_enough_and_knows_the_rules() -> None:
    words = {*NAMES, *(word.value for word in VerdictWord)}
    assert len(CASES) >= 40
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(CASES)
    for name, case in CASES.items():
        assert case["right"], name
        assert {*case["right"], *case["acceptable"], *case["forbidden"]} <= words, name
        assert not {*case["right"], *case["acceptable"]} & set(case["forbidden"]), name


def test_no_paste_is_judged_wrongly() -> None:
    outcomes = {name: outcome_of(name) for name in sorted(CASES)}
    assert {name: (it.why, sorted(it.said)) for name, it in outcomes.items() if it.score < 0} == {}


@pytest.mark.parametrize("name", sorted(name for name, case in CASES.items() if case["right"] == ["undecided"]))
def test_a_paste_that_cannot_decide_names_the_command_that_would(name: str) -> None:
    verdict = diagnosis_of(name).verdict
    assert verdict.missing and verdict.next
    assert set(CASES[name].get("needs", [])) <= set(verdict.next)


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with captures of a VPP 26.10 that switches, routes or idles at 50 loads, and loses nothing."""
    folder = tmp_path_factory.mktemp("healthy")
    with tarfile.open(HEALTHY) as archive:
        archive.extractall(folder, members=[each for each in archive if each.isreg()])
    return folder


def test_healthy_loads_are_not_called_ill(healthy: Path) -> None:
    captures = sorted(path for path in healthy.iterdir() if path.is_dir())
    found = {path.name: diagnose(Situation(load=load_of_captures(read_captures(path)))) for path in captures}
    severe = {FindingSeverity.LOSS, FindingSeverity.LIMIT, FindingSeverity.RISK}
    ill = {name: said for name, said in found.items() if any(part.severity in severe for part in said.findings)}
    words = [said.verdict.word for said in found.values()]
    assert len(found) == 50
    assert ill == {}
    assert {name for name, said in found.items() if said.verdict.word is VerdictWord.IDLE} == {
        "routed_idle",
        "switched_idle",
    }
    assert words.count(VerdictWord.HEALTHY) >= 42, "the headers of six contradict themselves, and leave it open"


def test_the_score_does_not_fall(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = [outcome_of(name) for name in CASES]
    score = sum(outcome.score for outcome in outcomes)
    right = sum(outcome.why == "right" for outcome in outcomes)
    wrong = sum(outcome.score < 0 for outcome in outcomes)
    with capsys.disabled():
        sys.stdout.write(f"\nThe tuner scores {score:g} of {len(outcomes)}: {right} right, {wrong} wrong\n")
    assert score >= LEAST_SCORE


if __name__ == "__main__":
    for case_name in sorted(CASES):
        found = outcome_of(case_name)
        row = f"{found.score:4g}  {case_name:36} {found.why:12} {', '.join(sorted(found.said))}"
        sys.stdout.write(row + "\n")
