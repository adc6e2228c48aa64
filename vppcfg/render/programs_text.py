"""The text and the JSON about the programs of this machine that a change runs."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from typing import Any

from vppcfg.model.programs import Program


def program_lines(programs: Iterable[Program]) -> Iterator[str]:
    """Yield a line for each program: when it runs, and its words as a shell has them."""
    for program in programs:
        yield f"runs at {program.event}: {shlex.join(program.command)}"


def program_document(programs: Iterable[Program]) -> list[Any]:
    """Return what other programs read about them."""
    return [{"event": program.event, "command": list(program.command)} for program in programs]
