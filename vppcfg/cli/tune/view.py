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
from vppcfg.tune.verdict import Judgement, VerdictWord

_COLOURS = {
    FindingSeverity.LOSS: Colour.BAD,
    FindingSeverity.LIMIT: Colour.CHANGED,
    FindingSeverity.RISK: Colour.CHANGED,
    FindingSeverity.NOTICE: Colour.STRONG,
    FindingSeverity.GOOD: Colour.GOOD,
}
_COLOUR_OF_OPEN = {
    VerdictWord.HEALTHY: Colour.GOOD,
    VerdictWord.IDLE: Colour.GOOD,
    VerdictWord.UNDECIDED: Colour.STRONG,
}
"""Verdicts without a finding, which are shown first."""
_LABEL = 11
_VERDICT_LABEL = 9
_WIDEST = 110
_COLUMNS = ("", "LOSES", "FINDING", "SUBJECT")


def width_of_terminal() -> int:
    """Return how wide lines may be; 80 where there is no terminal."""
    return min(shutil.get_terminal_size((80, 24)).columns, _WIDEST)


def view(diagnosis: Diagnosis, paint: Paint, width: int) -> str:
    """Return everything that was found."""
    verdict = diagnosis.verdict
    is_open = verdict.word in _COLOUR_OF_OPEN
    lines = [*_verdict(verdict, paint, width), ""] if is_open else []
    lines += _table(diagnosis.findings, paint) if diagnosis.findings or not is_open else []
    for number, finding in enumerate(diagnosis.findings, start=1):
        lines += ["", *_finding(number, finding, paint, width)]
    if verdict.missing and not is_open:
        lines += ["", *_listed(verdict, width)]
    if diagnosis.remarks:
        lines += ["", "Missing:"]
        for remark in diagnosis.remarks:
            lines += textwrap.wrap(printable(remark), width, initial_indent="  - ", subsequent_indent="    ")
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _verdict(verdict: Judgement, paint: Paint, width: int) -> Iterator[str]:
    """Yield the verdict on the whole, what it rests on, and what would make it surer."""
    word = verdict.word.value.capitalize()
    head, *rest = textwrap.wrap(f"{word}: {printable(verdict.text)}", width, subsequent_indent="  ")
    yield head.replace(word, paint(word, _COLOUR_OF_OPEN[verdict.word]), 1)
    yield from rest
    yield from _listed(verdict, width)


def _listed(verdict: Judgement, width: int) -> Iterator[str]:
    """Yield what was seen and what was not, and the commands that would show it."""
    rows = (("seen", ", ".join(verdict.seen)), ("not seen", "; ".join(verdict.missing)),
            ("next", _commands(verdict.next)))  # fmt: skip
    for label, text in rows:
        if text:
            yield from _wrapped(f"  {label:{_VERDICT_LABEL}}", printable(text), width)


def _commands(commands: tuple[str, ...]) -> str:
    """Return commands as they are typed in a shell, one after the other."""
    return "; ".join(f"vppctl {line}" if line.startswith(("show", "clear")) else line for line in commands)


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
    return _wrapped(f"   {label:{_LABEL}}", printable(text), width)


def _wrapped(indent: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=" " * len(indent),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _block(label: str, lines: list[str]) -> Iterator[str]:
    """Yield lines as they are, to be copied."""
    for place, line in enumerate(lines):
        yield f"   {label if place == 0 else '':{_LABEL}}{printable(line)}"
