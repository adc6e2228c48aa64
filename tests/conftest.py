"""What all tests share: the summary says once why tests were skipped, and how many."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def folders_of_this_test(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep journals and locks in folders of the test's own."""
    folder = tmp_path_factory.mktemp("vppcfg")
    monkeypatch.setenv("VPPCFG_STATE_DIR", str(folder / "state"))
    monkeypatch.setenv("VPPCFG_RUN_DIR", str(folder / "run"))
    return folder


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print one line per reason; pytest's own summary has one per test."""
    reasons = Counter(reason_of(report) for report in terminalreporter.stats.get("skipped", []))
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"skipped {count}: {reason}")


def reason_of(report: pytest.TestReport) -> str:
    """Return why a test was skipped, without the place."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")
