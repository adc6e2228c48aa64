"""Collects what support needs to know of a router, without its secrets; nothing is sent anywhere.

A part that cannot be had does not stop the others: why it is missing stands in its place.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import field
from itertools import islice
from pathlib import Path

from vppcfg import __version__
from vppcfg.app.capturing import ReadingPlan, take_captures
from vppcfg.app.loading import read
from vppcfg.app.planning import propose
from vppcfg.app.target import Target
from vppcfg.common.printable import json_text, printable_lines
from vppcfg.common.redaction import Removal, redacted, redacted_document
from vppcfg.common.report_archive import CONTENTS, FORMAT_VERSION, KIND, STARTUP_CONF, STATE
from vppcfg.entries.yaml.files import SourceFiles, read_source
from vppcfg.errors import VppcfgError
from vppcfg.host.inventory import read_host
from vppcfg.model.host import host_document
from vppcfg.model.state import State
from vppcfg.plan.state_document import document_of
from vppcfg.record import record
from vppcfg.render.diff_view import diff_lines
from vppcfg.transaction.entry import Record
from vppcfg.tune.capture import write_captures

_CHANGES = 20
_LOG_LINES = 3000
_LOG_S = 20.0
_LOG_UNITS = ("vpp", "vppcfg", "vppcfg-watch", "vppcfg-metrics")
_log = logging.getLogger(__name__)


@record
class ReportRequest:
    """What goes into a report."""

    files: SourceFiles
    reading: ReadingPlan
    root: str = "/"
    has_capture: bool = True
    has_log: bool = True


@record
class SupportReport:
    """A report that was collected."""

    members: dict[str, bytes] = field(default_factory=dict)
    """By name, in the order of the list of contents."""
    meanings: dict[str, str] = field(default_factory=dict)
    """What each member is, or each folder of them."""
    removals: tuple[Removal, ...] = ()
    missing: dict[str, str] = field(default_factory=dict)
    """What could not be had, and why."""


def collect(target: Target, request: ReportRequest, made_at: str, progress: Callable[[int], None]) -> SupportReport:
    """Return the report on a router. `progress` is called with how many ticks of the capture are over."""
    collector = _Collector(target, request, progress)
    collector.collect()
    return collector.finished(made_at)


class _Collector:
    def __init__(self, target: Target, request: ReportRequest, progress: Callable[[int], None]) -> None:
        self._target, self._request, self._progress = target, request, progress
        self._members: dict[str, bytes] = {}
        self._meanings: dict[str, str] = {}
        self._removals: list[Removal] = []
        self._missing: dict[str, str] = {}
        self._state: State | None = None

    def collect(self) -> None:
        """Take part by part."""
        parts: tuple[tuple[str, Callable[[], None]], ...] = (
            ("the configuration", self._take_configuration),
            ("startup.conf", self._take_startup_conf),
            ("VPP's state", self._take_state),
            ("the plan", self._take_plan),
            ("the journal", self._take_journal),
            ("the machine", self._take_host),
            *([("a capture", self._take_capture)] if self._request.has_capture else []),
            *([("the log", self._take_log)] if self._request.has_log else []),
        )
        for name, take in parts:
            try:
                take()
            except VppcfgError as error:
                self._missing[name] = error.message
            except OSError as error:
                self._missing[name] = f"{error.filename or name}: {error.strerror or error}"

    def finished(self, made_at: str) -> SupportReport:
        """Return the report, with the list of what is in it at its head."""
        contents = {
            "kind": KIND,
            "format_version": FORMAT_VERSION,
            "made_at": made_at,
            "vppcfg": __version__,
            "vpp": self._state.facts.version if self._state is not None else "",
            "contents": self._meanings,
            "missing": self._missing,
            "secrets_removed": [{"place": each.place, "name": each.name} for each in self._removals],
        }
        head = {CONTENTS: (json_text(contents, indent=2) + "\n").encode()}
        return SupportReport(
            members=head | self._members,
            meanings={CONTENTS: "what is in here, what is missing, and which secrets were taken out"} | self._meanings,
            removals=tuple(self._removals),
            missing=self._missing,
        )

    def _add(self, name: str, text: str, meaning: str = "") -> None:
        """Keep a text without its secrets, and with what does not show written out."""
        plain, removals = redacted(printable_lines(text), name)
        self._members[name] = plain.encode()
        self._removals += removals
        if meaning:
            self._meanings[name] = meaning

    def _add_document(self, name: str, document: object, meaning: str = "") -> None:
        """Keep a document without its secrets; it stays one, as its values are looked at one by one."""
        plain, removals = redacted_document(document, name)
        self._members[name] = (json_text(plain, indent=2) + "\n").encode()
        self._removals += removals
        if meaning:
            self._meanings[name] = meaning

    def _take_configuration(self) -> None:
        for number, file_name in enumerate(self._request.files.each(), start=1):
            text = read_source(file_name).decode(errors="surrogateescape")
            base = f"{number}-{os.path.basename(file_name)}" if number > 1 else os.path.basename(file_name)
            self._add(f"config/{base}", text, f"the configuration file {file_name}")
        loaded = read(self._request.files)
        found = [
            f"{problem.line}: {problem.severity.value}: {problem.text} [{problem.rule}]" for problem in loaded.problems
        ]
        self._add("check.txt", "".join(f"{line}\n" for line in found) or "no problem\n", "what `vppcfg check` finds")

    def _take_startup_conf(self) -> None:
        text = read_source(os.path.join(self._request.root, STARTUP_CONF)).decode(errors="surrogateescape")
        self._add(STARTUP_CONF, text, "how VPP is started")

    def _take_state(self) -> None:
        with self._target.connect() as dataplane:
            self._state = dataplane.observe()
        self._add_document(STATE, document_of(self._state), "what VPP has, as `vppcfg dump` reads it")

    def _take_plan(self) -> None:
        loaded = read(self._request.files)
        if self._state is None or loaded.configuration is None:
            raise VppcfgError("there is none without a valid file and a VPP that answers")
        proposal = propose(loaded.configuration, loaded, self._state, adopt=False)
        if not proposal.resolution.is_possible:
            lines = [problem.text for problem in proposal.problems]
        else:
            lines = [line.text for line in diff_lines(proposal.plan())] or ["nothing to do"]
        self._add("plan.diff", "".join(f"{line}\n" for line in lines), "what `vppcfg plan` would change")

    def _take_journal(self) -> None:
        changes = list(islice(self._target.journal().newest_first(), _CHANGES))
        document = {"format_version": 1, "changes": [_change(each) for each in changes]}
        self._add_document("journal.json", document, f"the last {len(changes)} changes, without states")

    def _take_host(self) -> None:
        self._add_document(
            "host.json", host_document(read_host(self._request.root)), "the machine, as `vppcfg host` reads it"
        )

    def _take_capture(self) -> None:
        captures = take_captures(self._request.reading, self._progress)
        with tempfile.TemporaryDirectory(prefix="vppcfg-report-") as name:
            folder = Path(name) / "capture"
            write_captures(captures, folder)
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    text = path.read_text(encoding="utf-8", errors="surrogateescape")
                    member = f"capture/{path.relative_to(folder)}"
                    if path.suffix == ".json":
                        self._add_document(member, json.loads(text))
                    else:
                        self._add(member, text)
        self._meanings["capture/"] = f"{len(captures)} readings of VPP's load, for `vppcfg tune --from`"

    def _take_log(self) -> None:
        words = [word for unit in _LOG_UNITS for word in ("--unit", unit)]
        command = ["journalctl", *words, "--lines", str(_LOG_LINES), "--no-pager", "--quiet", "--output", "short-iso"]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_LOG_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise VppcfgError(f"journalctl cannot be read ({error})") from error
        text = done.stdout.decode(errors="replace")
        if done.returncode or not text.strip():
            raise VppcfgError(f"journalctl cannot be read ({done.stderr.decode(errors='replace').strip() or 'empty'})")
        self._add("log.txt", text, f"the last lines of the log of {', '.join(_LOG_UNITS)}")


def _change(each: Record) -> dict[str, object]:
    entry = each.entry
    return {
        "number": entry.number,
        "made_at": entry.made_at,
        "origin": entry.origin.value,
        "status": each.status.value,
        "text": each.text,
        "impact": entry.impact,
        "steps": entry.steps,
        "summary": entry.summary,
        "file": entry.source_name,
        "digest": entry.source_digest,
        "vpp": entry.version,
        "vppcfg": entry.made_with,
        "comment": entry.comment,
    }


def summary_lines(report: SupportReport, file_name: str) -> Sequence[str]:
    """Return the lines that list the content of a report, before it is sent anywhere."""
    lines = [f"{file_name} has:"]
    sizes = {name: len(content) for name, content in report.members.items()}
    for name, meaning in report.meanings.items():
        size = sum(bytes_ for member, bytes_ in sizes.items() if member == name or member.startswith(name))
        lines.append(f"  {name:<24}{size / 1024:8.1f} kB  {meaning}")
    lines += [f"  missing: {name}: {why}" for name, why in report.missing.items()]
    if report.removals:
        count = len(report.removals)
        lines.append("1 secret was taken out:" if count == 1 else f"{count} secrets were taken out:")
        lines += [f"  {each.place}: {each.name}" for each in report.removals]
    else:
        lines.append("No secrets were found in it.")
    lines.append("Names, addresses and descriptions are in it.")
    lines.append("Read it before you send it: vppcfg sends it nowhere.")
    return lines
