"""Reviews the stanza `cpu`, whose reader takes any word with a number for a kind of threads, and else stops reading.

VPP reports nothing of what it did not read then (cpu_config in vlib/threads.c).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile

from vppcfg.common.release import Release
from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.conf.grammar import GRAMMAR
from vppcfg.startup.conf.key import ArgumentForm
from vppcfg.startup.conf.problem_text import correction_text, problem, unknown_text
from vppcfg.startup.conf.tree import ConfEntry
from vppcfg.startup.conf.values import REVERSED_RANGE, why_unreadable

WORKERS = ("corelist-workers", "coremask-workers", "workers")
"""The keys that give VPP workers."""
_NUMBER_FIRST = re.compile(r"\+?[0-9]")
_BACKWARDS = re.compile(r"(?:[0-9]+(?:-[0-9]+)?,)*[0-9]+-[0-9]+")
_READ_UP_TO_JUNK = (ArgumentForm.NUMBER, ArgumentForm.SIZE)


def entries_read(entries: Sequence[ConfEntry], release: Release) -> tuple[ConfEntry, ...]:
    """Return the entries of `cpu` that VPP reads."""
    return tuple(takewhile(lambda entry: _is_read(entry, release), entries))


def cpu_problems(entries: Sequence[ConfEntry], release: Release, allowed: Collection[str]) -> Iterator[Problem]:
    """Yield what stops VPP, and where it stops reading."""
    for index, entry in enumerate(entries):
        if entry.name in allowed:
            return
        following = entries[index + 1] if index + 1 < len(entries) else None
        if _is_read(entry, release):
            if entry.key is not None and entry.key.is_ignored_by(release):
                text = f"VPP {entry.key.ignored_since} and newer read `{entry.name}` and do nothing with it; remove it"
                yield problem("conf-ignored", entry, f"{text} (in cpu)", Severity.WARNING)
            continue
        if _is_taken_for_threads(entry, following):
            yield _refusal(entry, release)
        else:
            yield _end_of_reading(entry, release)
        return


def _is_read(entry: ConfEntry, release: Release) -> bool:
    key = entry.key
    return (
        key is not None
        and key.is_known_to(release)
        and len(entry.arguments) == len(key.arguments)
        and why_unreadable(key, entry.arguments) is None
    )


def _is_taken_for_threads(entry: ConfEntry, following: ConfEntry | None) -> bool:
    """Return whether VPP reads the word and what follows as a kind of threads and their number, and stops."""
    if entry.key is None or not entry.arguments:
        return following is not None and _NUMBER_FIRST.match(following.name) is not None
    form, text = entry.key.arguments[-1], entry.arguments[-1]
    if form is ArgumentForm.CPUS:
        return _BACKWARDS.match(text) is not None and why_unreadable(entry.key, entry.arguments) == REVERSED_RANGE
    return form not in _READ_UP_TO_JUNK and _NUMBER_FIRST.match(text) is not None


def _refusal(entry: ConfEntry, release: Release) -> Problem:
    if entry.key is None:
        names = [key.name for key in GRAMMAR["cpu"] if key.is_known_to(release)]
        return problem("conf-unknown", entry, unknown_text(entry.name, names, " (in cpu)"))
    return problem("conf-value", entry, f"VPP stops at {_shown_entry(entry)} (in cpu){_reason(entry)}")


def _end_of_reading(entry: ConfEntry, release: Release) -> Problem:
    reason = _reason(entry)
    if entry.key is None:
        names = [key.name for key in GRAMMAR["cpu"] if key.is_known_to(release)]
        reason = f"; {correction_text(entry.name, names)}"
    elif not entry.key.is_known_to(release):
        reason = f"; it came with VPP {entry.key.since}"
    text = (
        f"VPP stops reading `cpu` at {_shown_entry(entry)} without a word: neither it nor what follows counts{reason}"
    )
    return problem("conf-passed-over", entry, text)


def _shown_entry(entry: ConfEntry) -> str:
    return f"`{' '.join((entry.name, *entry.arguments))}`"


def _reason(entry: ConfEntry) -> str:
    if entry.key is None:
        return ""
    if len(entry.arguments) < len(entry.key.arguments):
        return ": its value is missing"
    return f": {why_unreadable(entry.key, entry.arguments)}"
