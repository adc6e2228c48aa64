"""Writes the status of a watched VPP as metrics in the text format of Prometheus.

The format is that of https://prometheus.io/docs/instrumenting/exposition_formats/ for the textfile collector of
node_exporter, which takes no timestamps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from vppcfg.config.section_list import SECTIONS
from vppcfg.operations.change import Action
from vppcfg.render.exposition import Labels, metric
from vppcfg.render.file_difference import EntryDifference
from vppcfg.verify.mismatch import MismatchKind, Subject
from vppcfg.verify.report import VerifyReport

ERROR_SOURCES = ("vpp", "file", "reconcile", "verify")
OTHER = "none"
"""The section of what the file has no entry for, such as a namespace of Linux that is missing."""
_OF_THE_FILE_ALONE = frozenset({"prefixlists", "unmanaged", "protected", "dataplane"})
_SECTION_KEYS = tuple(section.key for section in SECTIONS if section.key not in _OF_THE_FILE_ALONE)


@dataclass(slots=True, kw_only=True)
class VerifyMetrics:
    """What is known of how VPP stands to Linux; it changes with each look."""

    version: str = ""
    """Of vppcfg."""
    is_connected: bool = False
    report: VerifyReport | None = None
    """What the last look found; None while unknown."""
    read_at_s: float | None = None
    """When that was, in Unix seconds."""
    read_took_s: float | None = None
    errors: int = 0
    """Looks that failed."""

    def text(self) -> str:
        """Return the whole text; what is not known is left out."""
        return "".join(f"{line}\n" for line in _verify_lines(self))


@dataclass(slots=True, kw_only=True)
class WatchMetrics:
    """What is known of a watched VPP; it changes as it is watched."""

    version: str = ""
    """Of vppcfg."""
    vpp_version: str = ""
    is_connected: bool = False
    is_file_valid: bool = True
    differences: tuple[EntryDifference, ...] | None = None
    """None while unknown."""
    problems: tuple[str, ...] = ()
    """The rule of each problem that stands between the file and this VPP."""
    read_at_s: float | None = None
    """When VPP was read last, in Unix seconds."""
    read_took_s: float | None = None
    boot_at_s: float | None = None
    """When VPP started, in Unix seconds."""
    restarts: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    """By source, one of ERROR_SOURCES."""
    reconciliations: int = 0
    verified: VerifyReport | None = None
    """What the last verification found; None where none is asked for, or none came to its end."""

    def text(self) -> str:
        """Return the whole text."""
        return metrics_text(self)

    @property
    def is_in_sync(self) -> bool:
        """Return whether VPP is known to be as in the file."""
        return self.is_connected and self.differences == () and not self.problems


def metrics_text(status: WatchMetrics) -> str:
    """Return the whole text; what is not known is left out."""
    return "".join(f"{line}\n" for line in _lines(status))


def _lines(status: WatchMetrics) -> Iterator[str]:
    yield from _metric("in_sync", "gauge", "Whether VPP matches the configuration file.", [((), status.is_in_sync)])
    yield from _metric("vpp_up", "gauge", "Whether VPP answers on its API socket.", [((), status.is_connected)])
    yield from _metric(
        "config_valid", "gauge", "Whether the configuration file is valid as it is now.", [((), status.is_file_valid)]
    )
    if status.differences is not None:
        text = "Entries of the file that differ, by section and by what would become of them."
        yield from _metric("differences", "gauge", text, _by_section(status.differences))
        text = "Problems of the file with this VPP, by rule."
        yield from _metric("problems", "gauge", text, _by_rule(status.problems))
    optional = (
        ("last_read_timestamp_seconds", "When VPP was last read.", status.read_at_s),
        ("read_duration_seconds", "How long reading VPP took.", status.read_took_s),
        ("vpp_boot_timestamp_seconds", "When VPP started.", status.boot_at_s),
    )
    for name, text, value in optional:
        if value is not None:
            yield from _metric(name, "gauge", text, [((), value)])
    errors: list[tuple[Labels, float]] = [((("source", source),), status.errors[source]) for source in ERROR_SOURCES]
    yield from _metric("errors_total", "counter", "What went wrong since this watch began, by source.", errors)
    text = "Restarts of VPP since this watch began."
    yield from _metric("vpp_restarts_total", "counter", text, [((), status.restarts)])
    text = "How often this watch brought VPP back to the file."
    yield from _metric("reconciliations_total", "counter", text, [((), status.reconciliations)])
    if status.verified is not None:
        yield from verification_lines(status.verified)
    versions = (("version", status.version), ("vpp_version", status.vpp_version))
    yield from _metric("info", "gauge", "Versions of vppcfg and of VPP.", [(versions, 1)])


def _verify_lines(status: VerifyMetrics) -> Iterator[str]:
    """Yield lines whose names no watch has: both may write into one folder, where a series must stand once."""
    text = "Whether VPP answers on its API socket."
    yield from _metric("verify_vpp_up", "gauge", text, [((), status.is_connected)])
    if status.report is not None:
        yield from verification_lines(status.report)
    optional = (
        ("verify_last_timestamp_seconds", "When Linux and VPP were last compared.", status.read_at_s),
        ("verify_duration_seconds", "How long comparing them took.", status.read_took_s),
    )
    for name, text, value in optional:
        if value is not None:
            yield from _metric(name, "gauge", text, [((), value)])
    yield from _metric("verify_errors_total", "counter", "Comparisons that failed.", [((), status.errors)])
    yield from _metric("verify_info", "gauge", "Version of vppcfg.", [((("version", status.version),), 1)])


def verification_lines(report: VerifyReport) -> Iterator[str]:
    """Yield the metrics of a verification."""
    text = "Whether VPP forwards as Linux does."
    yield from _metric("verify_is_same", "gauge", text, [((), not report.count)])
    mismatches: list[tuple[Labels, float]] = [
        ((("subject", subject.value), ("discord", kind.value)), report.counts.get((subject, kind), 0))
        for subject in Subject
        for kind in MismatchKind
    ]
    text = "What VPP lacks, has in excess or has otherwise than Linux, by kind."
    yield from _metric("verify_mismatches", "gauge", text, mismatches)
    compared: list[tuple[Labels, float]] = [
        ((("subject", subject.value),), number) for subject, number in report.compared.items()
    ]
    yield from _metric("verify_compared", "gauge", "Number of compared items, by kind.", sorted(compared))
    there: list[tuple[Labels, float]] = [
        ((("subject", subject.value),), number) for subject, number in report.in_linux.items()
    ]
    yield from _metric("verify_in_linux", "gauge", "Number of items that Linux has, by kind.", sorted(there))
    limits: list[tuple[Labels, float]] = [((("reason", reason),), count) for reason, count in report.limits.items()]
    text = "What linux-cp and linux-nl do not copy, or not as Linux has it."
    yield from _metric("verify_not_copied", "gauge", text, sorted(limits))


def _metric(name: str, kind: str, text: str, samples: Iterable[tuple[Labels, float]]) -> Iterator[str]:
    return metric(f"vppcfg_{name}", kind, text, samples)


def _by_section(differences: Iterable[EntryDifference]) -> Iterator[tuple[Labels, float]]:
    """Yield a sample for every section and action: a series that ends with 0 is easier to watch than one that ends."""
    count = Counter((_section_of(difference), difference.action) for difference in differences)
    for section in (*_SECTION_KEYS, OTHER):
        for action in Action:
            yield (("section", section), ("action", action.value)), count[section, action]


def _section_of(difference: EntryDifference) -> str:
    key = str(difference.path[0])
    return key if key in _SECTION_KEYS else OTHER


def _by_rule(rules: Iterable[str]) -> Iterator[tuple[Labels, float]]:
    count: Mapping[str, int] = Counter(rules)
    for rule in sorted(count):
        yield (("rule", rule),), count[rule]
