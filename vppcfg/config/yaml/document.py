"""A configuration file: its bytes, what they say as plain data, and the line and column of every key and item."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, cast

from vppcfg.common.bounds import CONFIG_BYTES
from vppcfg.errors import ConfigError
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.record import record

STDIN = "-"
_STDIN_DEVICE = "/dev/stdin"
LIMIT_BYTES = CONFIG_BYTES

_SNIFF_BYTES = 8192
_KEY = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^"'#\s](?:[^#:]|:(?=\S)|(?<=\S)#)*)\s*:[ \t]+(?=[^#\s])""")
"""A key, plain or in quotes, up to a value in the same line."""
_LONGEST_KEY = 400
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""How UTF-16 and UTF-32 text begins: full of NUL bytes and yet no binary file."""


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
    source: bytes = field(default=b"", repr=False)
    """Its bytes."""

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
        lines = _lines_of(self.source)
        text = lines[line - 1] if line <= len(lines) else ""
        match = _KEY.match(text[column - 1 : column - 1 + _LONGEST_KEY])
        return (line, column) if match is None else (line, column + match.end())


@lru_cache(maxsize=1)
def _lines_of(source: bytes) -> list[str]:
    """Return the lines of a text in UTF-8, without the mark at its beginning."""
    return source.removeprefix(b"\xef\xbb\xbf").decode(errors="replace").split("\n")


def can_be_read_again(name: str) -> bool:
    """Return whether what is read from `name` now can be read another time: not so from standard input or a pipe."""
    if name in (STDIN, _STDIN_DEVICE):
        return False
    try:
        return not stat.S_ISFIFO(os.stat(name).st_mode)
    except (OSError, ValueError):
        return True


def read_source(name: str) -> bytes:
    """Return the bytes of file `name`, `-` for standard input, at most 16 MB. Raise ConfigError.

    A pipe is read until whoever writes to it closes it, and is empty afterwards: see `can_be_read_again`.
    """
    data = _read_stdin() if name in (STDIN, _STDIN_DEVICE) else _read_file(name)
    if len(data) > LIMIT_BYTES:
        raise _too_large(name)
    if b"\0" in data[:_SNIFF_BYTES] and not data.startswith(_WIDE_MARKS):
        raise ConfigError(f"{name} is a binary file, not a configuration", "give the name of a YAML file")
    return data


def _read_stdin() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise ConfigError("standard input is closed", "name a file, or pipe one in")
    try:
        return sys.stdin.buffer.read(LIMIT_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"cannot read standard input: {error.strerror}", "pipe a file in") from error


def _read_file(name: str) -> bytes:
    try:
        status = os.stat(name)
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISFIFO(status.st_mode):
            raise _not_a_file(name, status.st_mode)
        if status.st_size > LIMIT_BYTES:
            raise _too_large(name)
        with Path(name).open("rb") as stream:
            return stream.read(LIMIT_BYTES + 1)
    except FileNotFoundError as error:
        what = name or "a file without a name"
        raise ConfigError(f"{what} does not exist", "name the configuration file with -c FILE") from error
    except PermissionError as error:
        raise ConfigError(f"no permission to read {name}", "run as a user who may read it, or use sudo") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(f"cannot read {name!r}: {reason}", "name the configuration file with -c FILE") from error


def _not_a_file(name: str, mode: int) -> ConfigError:
    if stat.S_ISDIR(mode):
        return ConfigError(f"{name} is a directory", "name the file in it")
    return ConfigError(f"{name} is neither a file nor a pipe", "pipe its content in and name it `-`")


def _too_large(name: str) -> ConfigError:
    limit_mb = LIMIT_BYTES // (1024 * 1024)
    return ConfigError(f"{name} is larger than {limit_mb} MB", "a configuration file has a few MB at most")
