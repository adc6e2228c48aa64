"""A configuration file as plain data, with the line and column of every key and item beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Protocol

from vppcfg.model.problem import KeyPath, Problem
from vppcfg.record import record


class Mark(Protocol):
    """A place in a text, as PyYAML gives it: both count from 0."""

    @property
    def line(self) -> int: ...

    @property
    def column(self) -> int: ...


Marks = Mapping[int, Mapping[Any, Mark]]
"""id() of a map or list in the data -> key or index -> where it begins."""


@record
class Document:
    """What a file says. The data is made of dict, list and scalars; the keys of a dict are text or integers."""

    data: Any = None
    problems: tuple[Problem, ...] = ()
    is_readable: bool = True
    """False when the data is not what the file says, because it could not be read to its end."""
    marks: Marks = field(default_factory=dict)

    def locate(self, path: KeyPath) -> tuple[int, int]:
        """Return line and column, from 1, of the key or item at `path`, or of the nearest place above that exists."""
        data, mark = self.data, None
        for key in path:
            marks = self.marks.get(id(data), {}) if isinstance(data, (dict, list)) else {}
            if key not in marks:
                break
            data, mark = data[key], marks[key]
        return (1, 1) if mark is None else (mark.line + 1, mark.column + 1)
