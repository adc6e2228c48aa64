"""Problems as text and as data."""

import io
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Terminal
from vppcfg.cli.output import Paint
from vppcfg.cli.problems import counts, document, report
from vppcfg.model.problem import Problem, Severity

LATE = Problem(rule="sub-mtu", path=("interfaces", "eth0", "mtu"), text="too large", line=9, column=5)
EARLY = Problem(
    rule="sub-up-parent-down",
    path=("interfaces", "eth0", "sub-interfaces", 100),
    text="stays down",
    line=3,
    column=7,
    severity=Severity.WARNING,
)
KNOWN = Problem(rule="description-altered", path=(), text="kept in part", severity=Severity.NOTICE)
ELSEWHERE = Problem(rule="phy-missing", path=(), text="VPP has no eth9\n\x1b[2J")


def reported(problems: list[Problem], is_coloured: bool = False) -> str:
    stream = io.StringIO()
    report(problems, "router.yaml", stream, Paint(is_coloured))
    return stream.getvalue()


def test_a_terminal_shows_the_line_that_is_no_yaml_with_a_caret_below_the_place(tmp_path: Path) -> None:
    file, screen = tmp_path / "router.yaml", Terminal()
    file.write_text("interfaces:\n  eth0:9000\n")
    problem = Problem(rule="yaml-syntax", path=(), text="no space", line=2, column=7)
    report([problem], str(file), screen, Paint(False))
    assert screen.getvalue().splitlines()[1:3] == ["      eth0:9000", "          ^"]
    file.unlink()
    report([problem], str(file), screen := Terminal(), Paint(False))
    assert len(screen.getvalue().splitlines()) == 2


def test_problems_are_shown_in_the_order_of_the_file_and_counted() -> None:
    assert reported([LATE, EARLY]) == (
        "router.yaml:3:7: warning: stays down [sub-up-parent-down]\n"
        "    interfaces.eth0.sub-interfaces.100\n"
        "router.yaml:9:5: error: too large [sub-mtu]\n"
        "    interfaces.eth0.mtu\n"
        "router.yaml: 1 error, 1 warning\n"
    )


def test_a_problem_without_a_place_names_the_file_and_cannot_drive_the_terminal() -> None:
    assert reported([ELSEWHERE]) == (
        "router.yaml: error: VPP has no eth9\\n\\x1b[2J [phy-missing]\nrouter.yaml: 1 error\n"
    )


def test_severity_has_a_colour() -> None:
    shown = reported([LATE, EARLY], is_coloured=True)
    assert "\x1b[31merror:\x1b[0m" in shown
    assert "\x1b[33mwarning:\x1b[0m" in shown


def test_no_problems_are_no_words() -> None:
    assert reported([]) == ""


@pytest.mark.parametrize(
    ("problems", "expected"),
    [
        ([], "no problems"),
        ([LATE], "1 error"),
        ([LATE, LATE], "2 errors"),
        ([EARLY, EARLY], "2 warnings"),
        ([KNOWN], "1 notice"),
    ],
)
def test_counts_are_words(problems: list[Problem], expected: str) -> None:
    assert counts(problems) == expected


def test_the_document_says_whether_the_file_is_valid() -> None:
    assert document([EARLY], "router.yaml") == {
        "format_version": 2,
        "file": "router.yaml",
        "is_valid": True,
        "errors": 0,
        "warnings": 1,
        "notices": 0,
        "problems": [
            {
                "rule": "sub-up-parent-down",
                "severity": "warning",
                "line": 3,
                "column": 7,
                "path": ["interfaces", "eth0", "sub-interfaces", 100],
                "text": "stays down",
            }
        ],
    }
    assert document([LATE], "router.yaml")["is_valid"] is False


def test_a_notice_is_counted_as_what_it_is() -> None:
    found = document([EARLY, KNOWN], "router.yaml")
    assert (found["is_valid"], found["errors"], found["warnings"], found["notices"]) == (True, 0, 1, 1)
    assert reported([KNOWN]).startswith("router.yaml: notice: kept in part [description-altered]\n")
