"""Marks what is logged in passing: the course of a command that went well, which programs read and people need not."""

from __future__ import annotations

from collections.abc import Mapping

IN_PASSING: Mapping[str, object] = {"is_in_passing": True}
"""The `extra` of such a log record. Logs in files and pipes have it; a terminal shows it with --debug only."""


def is_in_passing(record: object) -> bool:
    """Return whether a log record carries that mark."""
    return bool(getattr(record, "is_in_passing", False))
