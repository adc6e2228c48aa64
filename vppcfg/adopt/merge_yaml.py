"""Merges a file of the public vppcfg with what `adopt` has made of the same router's startup.conf and scripts.

The public vppcfg is used so: startup.conf runs the commands that it once wrote from its file. An entry of the file
counts whole; where startup.conf or a script makes the same object in another way, the report has a fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vppcfg.adopt.adoption import Adoption
from vppcfg.adopt.migrated import adopt_migrated, faults_of, line_at
from vppcfg.adopt.report import LineOutcome
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.dump import state_as_file
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.entries.yaml.document import Document
from vppcfg.entries.yaml.overlay import merged_text
from vppcfg.entries.yaml.reader import read_document
from vppcfg.model.problem import KeyPath
from vppcfg.model.state import State

_SUBS = "sub-interfaces"
Data = Mapping[Any, Any]


def merged_with_yaml(others: Adoption, name: str, source: bytes) -> Adoption:
    """Return the adoption `others` merged with a file of the public vppcfg. Raise what `adopt_migrated` raises."""
    migrated, document = adopt_migrated(name, source), read_document(source)
    former, file = _data(others.text), _data(migrated.text)
    text = merged_text(Document(data=_joined(former, file)))
    lines = [*others.report.lines, *migrated.report.lines]
    whole = parse_text(text, name).configuration
    if whole is None:
        reported = {line.path for line in lines}
        lines += [line for line in faults_of(name, text, document) if line.path not in reported]
        state = State()
    else:
        ground = assumed_state(whole)
        known = dict(_entries(former))
        in_both = [path for path, _ in _entries(file) if path in known]
        was, will = (_meant(each.text, ground) for each in (others, migrated))
        lines += [
            line_at(name, path, document, LineOutcome.FAULT, why, "adopt-disagree")
            for path, why in _disagreements(in_both, was, will)
        ]
        state = resolve(whole, ground).desired
    report = replace(
        others.report,
        sources=(*others.report.sources, name),
        lines=lines,
        notices=(*others.report.notices, *migrated.report.notices),
    )
    return replace(others, text=text, report=report, state=state)


def _joined(others: Data, file: Data) -> dict[Any, Any]:
    """Return the sections of both; of two entries of the same name, that of the file counts."""
    result = dict(others)
    for section, value in file.items():
        there = others.get(section)
        if isinstance(value, Mapping) and isinstance(there, Mapping):
            result[section] = {**there, **{key: _with_subs_of(there.get(key), each) for key, each in value.items()}}
        elif isinstance(value, list) and isinstance(there, list):
            result[section] = [*there, *(each for each in value if each not in there)]
        elif value is not None:
            result[section] = value
    return result


def _with_subs_of(there: Any, entry: Any) -> Any:
    """Return an entry of the file with the sub-interfaces that only the other sources have."""
    subs = there.get(_SUBS) if isinstance(there, Mapping) else None
    if not subs or not isinstance(entry, Mapping | None):
        return entry
    own = dict(entry or {})
    return {**own, _SUBS: {**subs, **(own.get(_SUBS) or {})}}


def _disagreements(
    in_both: Iterable[KeyPath], others: Mapping[KeyPath, Data], file: Mapping[KeyPath, Data]
) -> Iterator[tuple[KeyPath, str]]:
    """Yield each key of the entries that both have and that means something else in each, and what."""
    if not others or not file:
        return
    for path in in_both:
        was, will = others.get(path, {}), file.get(path, {})
        for key in dict.fromkeys((*was, *will)):
            if was.get(key) != will.get(key):
                values = _shown_value(was.get(key)), _shown_value(will.get(key))
                yield (*path, key), f"the others make it {values[0]}, and this file {values[1]}, which counts"


def _meant(text: str, ground: State) -> Mapping[KeyPath, Data]:
    """Return the entries of a configuration as `dump` would write what it makes of a VPP; none when it is not valid."""
    configuration = parse_text(text, "a source").configuration
    if configuration is None:
        return {}
    return dict(_entries(_data(state_as_file(resolve(configuration, ground).desired).text)))


def _entries(data: Data) -> Iterator[tuple[KeyPath, Data]]:
    """Yield the entries of all sections, and the sub-interfaces in them, each with its own keys."""
    for section, value in data.items():
        if isinstance(value, Mapping) and section != "dataplane":
            for name, entry in value.items():
                keys = entry if isinstance(entry, Mapping) else {}
                yield (section, name), {key: each for key, each in keys.items() if key != _SUBS}
                for sub, inner in (keys.get(_SUBS) or {}).items():
                    yield (section, name, _SUBS, sub), inner or {}


def _data(text: str) -> Data:
    return read_document(text.encode()).data or {}


def _shown_value(value: Any) -> str:
    if value is None:
        return "nothing"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
