"""`show threads` in, the place of every thread out: the table up to 26.06 and the newer one (VPP: threads_cli.c)."""

from __future__ import annotations

from vppcfg.tune.reading import ThreadPlace
from vppcfg.tune.show.lines import Unread, clean_lines

_POLICIES = {"other", "batch", "idle", "fifo", "rr", "deadline"}


def parse_threads(text: str) -> tuple[tuple[ThreadPlace, ...], Unread]:
    """Return the threads, and what could not be read."""
    places: list[ThreadPlace] = []
    unread: list[str] = []
    for line in clean_lines(text):
        tokens = line.split()
        if tokens[0] == "ID":
            continue
        place = _place(tokens)
        if place is None:
            unread.append(line)
        else:
            places.append(place)
    return tuple(places), tuple(unread)


def _place(tokens: list[str]) -> ThreadPlace | None:
    """Return the thread of a row: both tables have the policy and, in brackets, its priority."""
    policy = next((place for place, token in enumerate(tokens) if token in _POLICIES), None)
    if policy is None or not tokens[0].isdecimal() or len(tokens) < policy + 3:
        return None
    before, after = tokens[2:policy], tokens[policy + 2 :]
    if len(before) == 2 and all(token.isdecimal() for token in before):  # LWP, CPU
        return ThreadPlace(index=int(tokens[0]), name=tokens[1], cpu=int(before[1]))
    numbers = [int(token) for token in after if token.isdecimal()]  # lcore, core, socket
    socket = numbers[2] if len(numbers) > 2 else None
    return ThreadPlace(index=int(tokens[0]), name=tokens[1], cpu=numbers[0] if numbers else None, socket=socket)
