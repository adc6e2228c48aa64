"""One line about a running test: rewritten on a terminal, a new one each second anywhere else."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

from vppcfg.cli.output import is_terminal, printable, write

_CLEAR = "\r\x1b[K"


class Ticker:
    """A context manager around the test."""

    def __init__(
        self,
        *,
        is_quiet: bool = False,
        stream: TextIO | None = None,
        columns: Callable[[], int] = lambda: shutil.get_terminal_size((80, 24)).columns,
    ) -> None:
        self._is_quiet = is_quiet
        self._stream = stream or sys.stderr
        self._columns = columns
        self._is_open = False

    def show(self, text: str) -> None:
        """Show how far the test is."""
        if self._is_quiet:
            return
        text = printable(text)
        if is_terminal(self._stream):
            write(_CLEAR + text[: self._columns() - 1], self._stream)
            self._is_open = True
        else:
            write(text + "\n", self._stream)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_open:
            write(_CLEAR, self._stream)
