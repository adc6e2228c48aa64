"""Lays configuration files over each other: a later one replaces what an earlier one has, key by key.

Maps are merged; a scalar or a list replaces what is there; a key with nothing behind it takes the key away. Of the
result every place is known, with the file that last set it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import yaml

from vppcfg.common.bounds import CONFIG_BYTES
from vppcfg.common.printable import is_harmless, printable, written_out
from vppcfg.entries.yaml.document import Document, FileMark
from vppcfg.entries.yaml.reader import read_document
from vppcfg.model.problem import KeyPath, Problem

EXTENSION = "x-"
"""The prefix of top-level keys that are ignored, such as those that hold anchors."""
_TEXT = "tag:yaml.org,2002:str"
_NOTE_COLUMN = 60
"""Where notes stand at the most, unless a line is longer."""


def without_extensions(document: Document) -> Document:
    """Return a document without the top-level keys that begin with `x-`."""
    data = document.data
    if not isinstance(data, dict) or not any(isinstance(key, str) and key.startswith(EXTENSION) for key in data):
        return document
    kept = {key: value for key, value in data.items() if not (isinstance(key, str) and key.startswith(EXTENSION))}
    return replace(document, data=kept, marks={**document.marks, id(kept): document.marks[id(data)]})


def overlaid(documents: Sequence[tuple[str, Document]]) -> Document:
    """Return what files set together, each named, the later ones over the earlier ones.

    What is wrong with any of them is among the problems, with its file. The result has no bytes of its own.
    """
    overlay = _Overlay(documents)
    data = overlay.merged()
    return Document(
        data=data,
        problems=tuple(overlay.problems),
        is_readable=all(document.is_readable for _, document in documents),
        marks=overlay.marks,
        files={name: document.source for name, document in documents},
    )


def merged_text(document: Document) -> str:
    """Return what a document has as YAML: every value in a line of its own, without comments and anchors."""
    data = copied(document.data or {})
    text: str = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=CONFIG_BYTES
    )
    return written_out(text)


class _Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
    """Writes a text with anything in it that does not show in double quotes, where an escape can stand for that."""

    def text(self, text: str) -> yaml.ScalarNode:
        """Return how a text stands in the document."""
        node: yaml.ScalarNode = self.represent_scalar(_TEXT, text, style=None if is_harmless(text) else '"')
        return node


_Dumper.add_representer(str, _Dumper.text)


def keys_with_origin(document: Document, name: str) -> Iterator[tuple[KeyPath, Any, str, int]]:
    """Yield every value of a document with its path, the file that last set it, and the line there.

    `name` is that of a document that comes from one file.
    """
    for path, value in _values((), document.data):
        yield path, value, document.file_of(path) or name, document.locate(path)[0]


def annotated_text(document: Document, name: str) -> str:
    """Return what a document has as YAML, with the file and the line of every value in a comment."""
    lines = merged_text(document).splitlines()
    written = read_document("\n".join(lines).encode(errors="surrogatepass"))
    notes = {
        written.locate(path)[0] - 1: f"# {printable(file)}:{line}"
        for path, value, file, line in keys_with_origin(document, name)
        if not (isinstance(value, str) and "\n" in value)  # it goes on in the next line
    }
    column = min(max(map(len, lines), default=0), _NOTE_COLUMN)
    noted = (f"{line:<{column}}  {notes[number]}" if number in notes else line for number, line in enumerate(lines))
    return "".join(f"{line}\n" for line in noted)


def _values(path: KeyPath, data: Any) -> Iterator[tuple[KeyPath, Any]]:
    """Yield what stands at the ends of a tree, maps and lists without anything in them too."""
    if data and isinstance(data, (dict, list)):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from _values((*path, key), value)
    elif path:
        yield path, data


def copied(data: Any) -> Any:
    """Return data in which nothing stands twice, for which YAML would write anchors."""
    if isinstance(data, dict):
        return {key: copied(value) for key, value in data.items()}
    return [copied(item) for item in data] if isinstance(data, list) else data


class _Overlay:
    def __init__(self, documents: Sequence[tuple[str, Document]]) -> None:
        self._documents = documents
        self.problems = [replace(problem, file=name) for name, document in documents for problem in document.problems]
        self.marks = {place: marks for _, document in documents for place, marks in document.marks.items()}

    def merged(self) -> dict[Any, Any]:
        """Return what the files set together."""
        result: dict[Any, Any] = {}
        self.marks[id(result)] = {}
        for name, document in self._documents:
            data = {} if document.data is None else document.data
            if isinstance(data, dict):
                result = self._laid((), result, data, "", name)
            elif document.is_readable:
                text = f"this is {_kind(data)}, and a configuration is a map; only maps can be merged"
                self.problems.append(Problem(rule="merge-kind", path=(), text=text, line=1, column=1, file=name))
        return result

    def _laid(
        self, path: KeyPath, lower: dict[Any, Any], upper: dict[Any, Any], lower_file: str, upper_file: str
    ) -> dict[Any, Any]:
        """Return a new map with what both have, and note its places."""
        result = dict(lower)
        marks = self._places(lower, lower_file)
        for key, mark in self._places(upper, upper_file).items():
            there, value = result.get(key), upper[key]
            if isinstance(there, dict) and isinstance(value, dict):
                result[key] = self._laid((*path, key), there, value, marks[key].file, upper_file)
            elif value is None and key in result:
                del result[key], marks[key]
                continue
            elif there is not None and isinstance(there, dict) is not isinstance(value, dict):
                self._report((*path, key), there, value, marks[key].file, mark)
                continue
            else:
                result[key] = value
            marks[key] = mark
        self.marks[id(result)] = marks
        return result

    def _places(self, data: dict[Any, Any], file: str) -> dict[Any, FileMark]:
        """Return the places of the keys of a map, each with its file; those that were merged before have theirs."""
        marks = self.marks.get(id(data), {})
        placed = ((key, marks[key]) for key in data)
        return {
            key: mark if isinstance(mark, FileMark) else FileMark(line=mark.line, column=mark.column, file=file)
            for key, mark in placed
        }

    def _report(self, path: KeyPath, there: Any, value: Any, file: str, mark: FileMark) -> None:
        text = (
            f"{path[-1]} is {_kind(value)} here and {_kind(there)} in {file}; write the same kind in both, or take it "
            f"away there"
        )
        line, column = mark.line + 1, mark.column + 1
        self.problems.append(Problem(rule="merge-kind", path=path, text=text, line=line, column=column, file=mark.file))


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "a map"
    return "a list" if isinstance(value, list) else "a single value"
