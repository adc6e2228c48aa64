"""The report of an adoption: for each line, whether the file has it, a script keeps it, it has no effect, or fails."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from vppcfg.adopt.others import OthersOfKind
from vppcfg.common.redaction import without_secrets
from vppcfg.model.problem import KeyPath
from vppcfg.record import record

FORMAT_VERSION = 1
"""Of the JSON document; grows when a reader of the former one would misread it."""


_DELETES = re.compile(r"(?:^|\s)(?:del|delete|disable)(?!\S)")
_ENABLES = re.compile(r"\senable(?!\S)")
"""A line may enable one thing and disable another, as the clamping of IPv4 and of IPv6."""
_TAKING_AWAY = frozenset({"clear interface tag", "set interface l3"})
"""Commands that take something away without such a word."""
_REFUSALS = frozenset({"adopt-ambiguous", "adopt-exec", "adopt-not-exact", "adopt-refused"})
"""Rules of faults that end a script."""


class LineOutcome(Enum):
    """The outcome of a line; each has one."""

    FILE = "file"
    DATAPLANE = "dataplane"
    UNMANAGED = "unmanaged"
    NO_EFFECT = "no_effect"
    FAULT = "fault"
    NEVER_RAN = "never_ran"


@dataclass(slots=True, kw_only=True)
class SourceLine:
    """One command of a script, or one key of a startup.conf."""

    source: str
    """The file that it stands in."""
    number: int
    """Of the line, from 1."""
    text: str
    """As VPP sees it: macros are in their places."""
    run: int = 1
    """Which run of the file it is of: scripts run others several times, with other macros."""
    command: str = ""
    """The whole words of the command, when it is one of VPP's."""
    arguments: str = ""
    """What follows them."""
    outcome: LineOutcome = LineOutcome.FILE
    path: KeyPath = ()
    """Where the file has it."""
    rule: str = ""
    why: str = ""
    is_left: bool = False
    """Whether the script of commands that the file cannot express has it: each unmanaged line, and some faults."""
    subjects: tuple[str, ...] = ()
    """The objects that it is about, as a State names them."""

    @property
    def whole(self) -> str:
        """Return the command in whole words: VPP takes words that are cut short, too, and some of them in braces."""
        return f"{self.command} {self.arguments}"

    @property
    def is_carried_out(self) -> bool:
        """Return whether VPP reaches the line and accepts it."""
        is_refused = self.outcome is LineOutcome.FAULT and self.rule in _REFUSALS
        return self.outcome is not LineOutcome.NEVER_RAN and not is_refused

    @property
    def takes_away(self) -> bool:
        """Return whether the line removes or disables something, which the file expresses by an absent key."""
        deletes = _DELETES.search(self.whole) is not None and _ENABLES.search(self.whole) is None
        return deletes or self.command in _TAKING_AWAY

    @property
    def is_shown(self) -> bool:
        """Return whether the text of the report has the line: not comments, nor commands that only read."""
        return self.outcome is not LineOutcome.NO_EFFECT or bool(self.subjects)

    def set_outcome(self, outcome: LineOutcome, why: str, rule: str = "") -> None:
        """Set the outcome, with the reason."""
        self.outcome, self.why, self.rule = outcome, why, rule
        self.is_left = outcome is LineOutcome.UNMANAGED


@record
class AssumedPort:
    """A port that only a script names."""

    name: str
    source: str
    line: int
    """The first one that names it."""


@record
class AdoptionReport:
    """The report on an adoption."""

    sources: tuple[str, ...]
    release: str
    lines: Sequence[SourceLine]
    ports: tuple[AssumedPort, ...] = ()
    notices: tuple[str, ...] = ()
    others: tuple[OthersOfKind, ...] = ()
    """What other programs have configured on a running VPP, by kind."""

    @property
    def is_whole(self) -> bool:
        """Return whether the file has everything, and nothing is a fault or had to be assumed."""
        odd = (LineOutcome.UNMANAGED, LineOutcome.FAULT, LineOutcome.NEVER_RAN)
        return not self.ports and not self.others and all(line.outcome not in odd for line in self.lines)

    def counts(self) -> dict[LineOutcome, int]:
        """Return how many lines have each outcome."""
        found = Counter(line.outcome for line in self.lines)
        return {outcome: found[outcome] for outcome in LineOutcome}


def document_of(report: AdoptionReport) -> dict[str, Any]:
    """Return a report as data for JSON."""
    return {
        "format_version": FORMAT_VERSION,
        "source": list(report.sources),
        "release": report.release,
        "counts": {outcome.value: count for outcome, count in report.counts().items()},
        "items": [_item(line) for line in report.lines],
        "assumed_ports": [{"name": port.name, "source": port.source, "line": port.line} for port in report.ports],
        "notices": list(report.notices),
        "others": [each.document for each in report.others],
    }


def _item(line: SourceLine) -> dict[str, Any]:
    return {
        "source": line.source,
        "line": line.number,
        "text": without_secrets(line.text),
        "outcome": line.outcome.value,
        "path": list(line.path),
        "rule": line.rule,
        "why": without_secrets(line.why),
    }


_TITLES = {
    LineOutcome.UNMANAGED: "unmanaged",
    LineOutcome.NO_EFFECT: "no effect",
    LineOutcome.FAULT: "fault",
    LineOutcome.NEVER_RAN: "never ran",
}
_SHOWN = 40
"""Entries of one outcome that the text shows; the JSON has them all."""


def text_of(report: AdoptionReport) -> list[tuple[LineOutcome | None, str]]:
    """Return a report as lines for people, each with what it is about: what the file sets is only counted."""
    shown: list[tuple[LineOutcome | None, str]] = [(None, line) for line in _summaries(report)]
    for outcome, title in _TITLES.items():
        groups = list(_grouped(line for line in report.lines if line.outcome is outcome and line.is_shown))
        for group in groups[:_SHOWN]:
            shown.append((outcome, f"{title:<10}  {_described(group, len(report.sources) > 1)}"))
        if len(groups) > _SHOWN:
            shown.append((outcome, f"{title:<10}  and {len(groups) - _SHOWN} more; --report json has them all"))
    shown += [(LineOutcome.FAULT, _assumed(report.ports))] if report.ports else []
    shown += [(LineOutcome.UNMANAGED, f"{'unmanaged':<10}  {each.text}") for each in report.others]
    return shown + [(None, f"{'notice':<10}  {notice}") for notice in report.notices]


def _summaries(report: AdoptionReport) -> Iterable[str]:
    for source in report.sources:
        counts = Counter(line.outcome for line in report.lines if line.source == source)
        if counts:
            parts = [f"{counts[outcome]} {words}" for outcome, words in _COUNTED.items() if counts[outcome]]
            total = sum(counts.values())
            yield f"{source}: {total} {'line' if total == 1 else 'lines'}: {', '.join(parts)}"


_COUNTED = {
    LineOutcome.FILE: "in the file",
    LineOutcome.DATAPLANE: "in dataplane",
    LineOutcome.UNMANAGED: "unmanaged",
    LineOutcome.NO_EFFECT: "without effect",
    LineOutcome.FAULT: "a fault",
    LineOutcome.NEVER_RAN: "never ran",
}


def _grouped(lines: Iterable[SourceLine]) -> Iterable[list[SourceLine]]:
    """Yield lines together that stand behind each other and are the same command for the same reason."""
    group: list[SourceLine] = []
    for line in lines:
        if group and not _are_alike(group[-1], line):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _are_alike(one: SourceLine, other: SourceLine) -> bool:
    if one.outcome is LineOutcome.NEVER_RAN:
        return one.source == other.source
    return bool(one.command) and (one.source, one.command, one.why) == (other.source, other.command, other.why)


def _described(group: Sequence[SourceLine], has_many_sources: bool) -> str:
    first, last = group[0], group[-1]
    many = f" and {len(group) - 1} more" if len(group) > 1 else ""
    where = f"line {first.number}" if first.number == last.number else f"lines {first.number} to {last.number}"
    source = f"{first.source} " if has_many_sources else ""
    rule = f" [{first.rule}]" if first.rule else ""
    return without_secrets(f"{first.text}{many} ({source}{where}): {first.why}{rule}")


def _assumed(ports: Sequence[AssumedPort]) -> str:
    names = ", ".join(port.name for port in ports[:_SHOWN]) + (" and more" if len(ports) > _SHOWN else "")
    noun = "port" if len(ports) == 1 else "ports"
    return (
        f"{'assumed':<10}  {noun} {names}: only the script names them; they are taken for DPDK ports with a link MTU "
        f"of 9000 bytes. Name the VPP with -a, or the startup.conf with --from [adopt-port-assumed]"
    )
