"""Each promise about security names tests, and every test that a document names exists."""

import ast
import re
from functools import cache
from pathlib import Path

from tests.documents.conftest import ROOT

NAMED = re.compile(r"`(tests/[\w./]*)(?:::(\w+))?`")
PROMISES = ROOT / "tests" / "documents" / "promises.md"
DOCUMENTS = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md", PROMISES])


@cache
def names_in(path: Path) -> frozenset[str]:
    """Return the names of the tests in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def promises() -> list[tuple[str, str]]:
    """Return the rows of the table of promises: the promise, and the tests that hold it."""
    lines = PROMISES.read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    return [(row[0], row[1]) for row in rows[1:]]


def test_there_are_promises() -> None:
    assert len(promises()) > 25


def test_a_promise_has_a_test() -> None:
    for promise, held_by in promises():
        named = NAMED.findall(held_by)
        assert named, f"no test is named for: {promise}"
        for path, name in named:
            assert path.endswith(".py"), f"{path} is no file of tests"
            assert any(test.startswith("test_") for test in names_in(ROOT / path))
            assert not name or name.startswith("test_")


def test_a_test_that_is_named_is_there() -> None:
    for document in DOCUMENTS:
        for path, name in NAMED.findall(document.read_text(encoding="utf-8")):
            assert (ROOT / path).exists(), f"{document.name}: there is no {path}"
            assert not name or name in names_in(ROOT / path), f"{document.name}: there is no {name} in {path}"
