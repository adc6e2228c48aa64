"""The report on an upgrade, as text for people and as JSON for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from vppcfg.errors import ExitCode
from vppcfg.record import record
from vppcfg.upgrade.finding import ReleaseChange, UpgradeFinding, Weight

if TYPE_CHECKING:
    from vppcfg.upgrade.rehearsal import BootRehearsal

FORMAT_VERSION = 1
"""Of the JSON document; grows when a reader of the former one would misread it."""
_INDENT = 9
WIDTH = 80


@record
class UpgradeReport:
    """All that is known about an upgrade."""

    change: ReleaseChange
    names: tuple[str, ...]
    """What was looked at: the files."""
    objects: int
    findings: tuple[UpgradeFinding, ...]
    not_looked_at: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    """Notes about how the releases were understood."""
    rehearsal: BootRehearsal | None = None

    @property
    def code(self) -> ExitCode:
        """Return the exit code that the findings lead to; a rehearsal that failed has one of its own."""
        weights = {finding.weight for finding in self.findings}
        if Weight.STOPS in weights:
            return ExitCode.INVALID
        if self.rehearsal is not None and self.rehearsal.failure:
            return ExitCode.DIFFERENT
        return ExitCode.CHANGES_PENDING if Weight.CHANGES in weights else ExitCode.DONE

    def count(self, weight: Weight) -> int:
        """Return how many findings weigh so much."""
        return sum(finding.weight is weight for finding in self.findings)


def lines_of(report: UpgradeReport) -> Iterator[tuple[Weight | None, str]]:
    """Yield the lines of a report for people, the first of a finding with its weight."""
    change = report.change
    for remark in report.remarks:
        yield from ((None, line) for line in _wrapped(remark, WIDTH))
    about = ", ".join((*report.names, _count(report.objects, "object")))
    yield from ((None, line) for line in _wrapped(f"From {change.old} to {change.new}, {about}", WIDTH))
    for finding in report.findings:
        yield from _lines_of_finding(finding)
    if report.rehearsal is not None:
        yield from ((None, line) for line in _wrapped(report.rehearsal.sentence, WIDTH))
    counts = ", ".join(_counted(report.count(weight), weight) for weight in Weight)
    yield from ((None, line) for line in _wrapped(f"{counts}; not looked at: {', '.join(report.not_looked_at)}", WIDTH))


def _lines_of_finding(finding: UpgradeFinding) -> Iterator[tuple[Weight | None, str]]:
    first, *rest = _wrapped(f"{finding.text} [{finding.rule}]", WIDTH - _INDENT)
    yield finding.weight, first
    since = f"since {finding.since}" if finding.since is not None else ""
    commits = f" ({', '.join(finding.commits)})" if finding.commits else ""
    more = "; ".join(part for part in (f"{since}{commits}", finding.mend) if part)
    for line in (*rest, *_wrapped(more, WIDTH - _INDENT)):
        yield None, f"{'':{_INDENT}}{line}"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def document_of(report: UpgradeReport) -> dict[str, Any]:
    """Return a report as data for JSON."""
    rehearsal = report.rehearsal
    return {
        "format_version": FORMAT_VERSION,
        "from": str(report.change.old),
        "to": str(report.change.new),
        "remarks": list(report.remarks),
        "files": list(report.names),
        "objects": report.objects,
        "findings": [
            {
                "rule": finding.rule,
                "severity": finding.weight.value,
                "since": None if finding.since is None else str(finding.since),
                "commits": list(finding.commits),
                "objects": list(finding.objects),
                "text": finding.text,
                "mend": finding.mend,
            }
            for finding in report.findings
        ],
        "rehearsal": None
        if rehearsal is None
        else {
            "release": rehearsal.release,
            "prefix": rehearsal.prefix or None,
            "steps": rehearsal.steps,
            "failed_at": rehearsal.failed_at,
            "failure": rehearsal.failure,
            "state_digest": rehearsal.state_digest,
        },
        "not_looked_at": list(report.not_looked_at),
    }


def _counted(number: int, weight: Weight) -> str:
    return f"{number} {weight.value}{'s' if weight is Weight.NOTICE and number != 1 else ''}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
