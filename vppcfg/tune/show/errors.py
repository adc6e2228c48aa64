"""`show errors` in, its counters out, one row per thread summed (VPP: vlib/error.c)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from vppcfg.tune.reading import ErrorCounter
from vppcfg.tune.show.lines import Unread, clean_lines

_ROW = re.compile(r"^(\d+) (\S+) (.+)$")
_SEVERITIES = ("error", "warn", "warning", "info")


def parse_errors(text: str) -> tuple[tuple[ErrorCounter, ...], Unread]:
    """Return the counters by node and reason, and what could not be read.

    The severity is dropped: VPP prints `error` for plain counters of older nodes too.
    """
    counters: list[ErrorCounter] = []
    unread: list[str] = []
    for line in clean_lines(text):
        if line.startswith("Total:"):
            break  # what follows in `show errors verbose` is the same again
        if line.startswith(("Count Node", "Thread ")):
            continue
        counter = _counter(line)
        if counter is None:
            unread.append(line)
        else:
            counters.append(counter)
    return summed(counters), tuple(unread)


def summed(counters: Iterable[ErrorCounter]) -> tuple[ErrorCounter, ...]:
    """Return one counter per node and reason."""
    totals: dict[tuple[str, str], int] = {}
    for counter in counters:
        key = counter.node, counter.reason
        totals[key] = totals.get(key, 0) + counter.count
    return tuple(ErrorCounter(node=node, reason=reason, count=count) for (node, reason), count in totals.items())


def _counter(line: str) -> ErrorCounter | None:
    match = _ROW.match(line)
    if match is None:
        return None
    words = match[3].split()
    if len(words) > 2 and words[-1].isdecimal() and words[-2] in _SEVERITIES:
        words.pop()  # the index in `verbose`
    if len(words) > 1 and words[-1] in _SEVERITIES:
        words.pop()
    return ErrorCounter(node=match[2], reason=" ".join(words), count=int(match[1]))
