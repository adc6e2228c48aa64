"""A configuration file: its bytes, their content as plain data, and the line and column of every key and item."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from typing import Any, Protocol, cast

from vppcfg.model.problem import KeyPath, Problem
from vppcfg.record import record

_KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^"'#\s](?:[^#:]|:(?=\S)|(?<=\S)#)*)\s*:[ \t]+(?=[^#\s])""")
"""A key, plain or in quotes, up to a value in the same line."""
_LONGEST_KEY = 400


class Mark(Protocol):
    """A place in a text, as PyYAML gives it: both count from 0."""

    @property
    def line(self) -> int: ...

    @property
    def column(self) -> int: ...


@record
class FileMark:
    """A place in one of several texts."""

    line: int
    column: int
    file: str


Marks = Mapping[int, Mapping[Any, Mark]]
"""id() of a map or list in the data -> key or index -> where it begins."""


@record
class Document:
    """What a file sets. The data is made of dict, list and scalars; the keys of a dict are text or integers."""

    data: Any = None
    problems: tuple[Problem, ...] = ()
    is_readable: bool = True
    """False when the data is not what the file sets, because it could not be read to its end."""
    marks: Marks = field(default_factory=dict)
    source: bytes = field(default=b"", repr=False)
    """Its bytes."""
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """Of several that were laid over each other: the bytes of each."""

    def file_of(self, path: KeyPath) -> str:
        """Return the file that last set what is at `path`, or at the nearest place above; of one file ''."""
        file, data = "", self.data
        for key in path:
            marks = self.marks.get(id(data), {}) if isinstance(data, (dict, list)) else {}
            if key not in marks:
                break
            file = getattr(marks[key], "file", file)
            data = data[key]
        return file

    def locate(self, path: KeyPath) -> tuple[int, int]:
        """Return line and column, from 1, of the key or item at `path`, or of the nearest place above that exists."""
        data, mark = self.data, None
        for key in path:
            marks = self.marks.get(id(data), {}) if isinstance(data, (dict, list)) else {}
            if key not in marks:
                break
            data, mark = data[key], marks[key]
        return (1, 1) if mark is None else (mark.line + 1, mark.column + 1)

    def locate_value(self, path: KeyPath) -> tuple[int, int]:
        """Return line and column of the value at `path` when that is one word behind its key, else of the key."""
        line, column = self.locate(path)
        node, container = self.data, None
        for key in path:
            if not isinstance(node, (dict, list)) or key not in self.marks.get(id(node), {}):
                return line, column
            container, node = node, cast(Any, node)[key]
        if not isinstance(container, dict) or node is None or isinstance(node, (dict, list)):
            return line, column
        lines = _lines_of(self.files[self.file_of(path)] if self.files else self.source)
        text = lines[line - 1] if line <= len(lines) else ""
        match = _KEY.match(text[column - 1 : column - 1 + _LONGEST_KEY])
        return (line, column) if match is None else (line, column + match.end())


@lru_cache(maxsize=8)
def _lines_of(source: bytes) -> list[str]:
    """Return the lines of a text in UTF-8, without the mark at its beginning."""
    return source.removeprefix(b"\xef\xbb\xbf").decode(errors="replace").split("\n")
