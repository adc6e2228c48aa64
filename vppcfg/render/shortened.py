"""Shortens lists of lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def shortened(lines: Sequence[str], most: int, rest: str) -> Iterator[str]:
    """Yield the first `most` lines and, where there are more, `rest` with their number in place of `{}`."""
    yield from lines[:most]
    if len(lines) > most:
        yield rest.format(f"{len(lines) - most:,}")
