"""Shows a diagnosis on a terminal: a table of what was found, then each finding with its reasons."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator

from vppcfg.cli.output import Colour, Paint
from vppcfg.common.printable import printable
from vppcfg.common.rates import pps
from vppcfg.tune.diagnosis import Diagnosis
from vppcfg.tune.finding import Finding, FindingSeverity
from vppcfg.tune.settings import as_yaml, startup_difference

_COLOURS = {
    FindingSeverity.LOSS: Colour.BAD,
    FindingSeverity.LIMIT: Colour.CHANGED,
    FindingSeverity.RISK: Colour.CHANGED,
    FindingSeverity.NOTICE: Colour.STRONG,
    FindingSeverity.GOOD: Colour.GOOD,
}
_LABEL = 11
_WIDEST = 110
_COLUMNS = ("", "LOSES", "FINDING", "SUBJECT")


def width_of_terminal() -> int:
    """Return how wide lines may be; 80 where there is no terminal."""
    return min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)


def view(diagnosis: Diagnosis, paint: Paint, width: int) -> str:
    """Return everything that was found."""
    lines = list(_table(diagnosis.findings, paint))
    for number, finding in enumerate(diagnosis.findings, start=1):
        lines += ["", *_finding(number, finding, paint, width)]
    if diagnosis.remarks:
        lines += ["", "Missing:"]
        for remark in diagnosis.remarks:
            lines += textwrap.wrap(printable(remark), width, initial_indent="  - ", subsequent_indent="    ")
    return "\n".join(lines) + "\n"


def _table(findings: tuple[Finding, ...], paint: Paint) -> Iterator[str]:
    """Yield a row per finding, columns as wide as they need."""
    rows = [
        (finding.severity.value, pps(finding.lost_pps) if finding.lost_pps else "-", finding.rule,
         printable(finding.subject))
        for finding in findings
    ]  # fmt: skip
    widths = [max(len(row[column]) for row in (_COLUMNS, *rows)) for column in range(len(_COLUMNS))]
    if not rows:
        yield "There is no finding."
        return
    yield _row(_COLUMNS, widths)
    for finding, row in zip(findings, rows, strict=True):
        head = paint(row[0].ljust(widths[0]), _COLOURS[finding.severity])
        yield f"{head}  {_row(row[1:], widths[1:])}"


def _row(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def _finding(number: int, finding: Finding, paint: Paint, width: int) -> Iterator[str]:
    head = textwrap.wrap(f"{number}. {printable(finding.verdict)}", width, subsequent_indent="   ")
    yield from (paint(line, Colour.STRONG) for line in head)
    for part in finding.evidence:
        yield from _labelled("evidence", f"{part.text} ({part.source})", width)
    proposal, expectation = finding.proposal, finding.expectation
    if proposal:
        yield from _labelled("change", proposal.text, width)
        yield from _block("patch", as_yaml(proposal.settings))
        yield from _block("startup", startup_difference(proposal.settings))
        yield from _block("try it", list(proposal.live))
    if expectation:
        yield from _labelled("expect", f"{expectation.text} ({expectation.basis.value})", width)
    if finding.disproof:
        yield from _labelled("disproof", finding.disproof, width)
    if finding.undecided:
        yield from _labelled("undecided", finding.undecided, width)


def _labelled(label: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(
        printable(text),
        width,
        initial_indent=f"   {label:{_LABEL}}",
        subsequent_indent=" " * (3 + _LABEL),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _block(label: str, lines: list[str]) -> Iterator[str]:
    """Yield lines as they are, to be copied."""
    for place, line in enumerate(lines):
        yield f"   {label if place == 0 else '':{_LABEL}}{printable(line)}"
