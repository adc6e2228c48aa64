"""Adopts a configuration file of the public vppcfg: translates it, and reports each part that differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from vppcfg.adopt.adoption import Adoption
from vppcfg.adopt.report import AdoptionReport, LineOutcome, SourceLine
from vppcfg.adopt.unsupported_commands import RestFile
from vppcfg.config.load import parse_text
from vppcfg.config.migration import MigrationKind, MigrationNote, migrate
from vppcfg.entries.yaml.document import Document
from vppcfg.entries.yaml.overlay import merged_text
from vppcfg.entries.yaml.reader import read_document
from vppcfg.errors import ConfigError
from vppcfg.model.problem import KeyPath, Severity
from vppcfg.model.state import State


def adopt_migrated(name: str, source: bytes) -> Adoption:
    """Return what happens to a file of the public vppcfg. Raise ConfigError when it cannot be read.

    What a person has to mend, because VPP would refuse it, stays in the new file and is a fault of the report.
    """
    document = read_document(source)
    for problem in document.problems:
        if problem.severity is Severity.ERROR:
            hint = f"`vppcfg check -c {name}` lists all problems"
            raise ConfigError(f"{name}:{problem.line}:{problem.column}: {problem.text} [{problem.rule}]", hint)
    if not isinstance(document.data, dict):
        raise ConfigError(f"{name} is no configuration", "a file of the public vppcfg is a map with `interfaces`")
    migration = migrate(document.data)
    new = replace(document, data=migration.document)
    text = merged_text(new) if migration.document else ""
    lines = [*_dropped(name, migration.notes, document), *faults_of(name, text, document)]
    lines.sort(key=lambda line: line.number)
    notices = tuple(_notices(migration.notes, document))
    report = AdoptionReport(sources=(name,), release="", lines=lines, notices=notices)
    return Adoption(text=text, rest=RestFile(), report=report, state=State())


def _dropped(name: str, notes: Sequence[MigrationNote], document: Document) -> Iterator[SourceLine]:
    for note in notes:
        if note.kind is MigrationKind.DROPPED:
            is_empty = note.path[-1] == "description"
            outcome = LineOutcome.NO_EFFECT if is_empty else LineOutcome.UNMANAGED
            yield line_at(name, note.path, document, outcome, note.text)


def _notices(notes: Sequence[MigrationNote], document: Document) -> Iterator[str]:
    for note in notes:
        if note.kind is not MigrationKind.DROPPED:
            place = f"{_dotted(note.path)} (line {document.locate(note.path)[0]})"
            yield f"{place}: {note.text}"


def faults_of(name: str, text: str, document: Document) -> Iterator[SourceLine]:
    """Yield what is still wrong with the new file, at its place in the old one as far as it has one."""
    for problem in parse_text(text, name).problems:
        if problem.severity is Severity.ERROR:
            yield line_at(name, problem.path, document, LineOutcome.FAULT, problem.text, problem.rule)


def line_at(name: str, path: KeyPath, document: Document, outcome: LineOutcome, why: str, rule: str = "") -> SourceLine:
    """Return the outcome of a part of a file that is adopted, at its place there."""
    number = document.locate(path)[0]
    return SourceLine(
        source=name, number=number, text=_dotted(path), outcome=outcome, path=path, why=why, rule=rule, subjects=(name,)
    )


def _dotted(path: KeyPath) -> str:
    return ".".join(str(key) for key in path)
