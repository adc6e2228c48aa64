"""Files that others wrote are judged as an expert expects (README.md); those held out are no part of it."""

from pathlib import Path

import pytest

from tests.foreign.score import HERE, Score, scores_of

LEAST = {"startup": 78, "scripts": 279}
"""Expectations that came true when this was written; a number only grows."""


def met(scores: list[Score]) -> int:
    return sum(score.met for score in scores)


@pytest.mark.parametrize("kind", LEAST)
def test_no_answer_is_false_and_no_fewer_expectations_come_true_than_before(kind: str) -> None:
    scores = scores_of(kind)
    assert [(score.name, score.false) for score in scores if score.false] == []
    assert met(scores) >= LEAST[kind], [(score.name, score.misses) for score in scores if score.misses]


FOLDERS = sorted(path for kind in LEAST for path in HERE.glob(f"**/{kind}"))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_every_file_names_its_source_and_what_is_expected(folder: Path) -> None:
    for path in folder.iterdir():
        marks = [line for line in path.read_text().split("\n") if line.startswith("#= ")]
        assert marks[0].startswith(("#= source https://", "#= source a public ")), path
        assert len(marks) >= 3, path
