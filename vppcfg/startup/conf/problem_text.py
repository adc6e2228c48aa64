"""Words a problem with startup.conf: for an unknown word, what it may be a misspelling of."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from functools import lru_cache

from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.conf.tree import ConfEntry

_TOO_SHORT, _SHORT = 2, 4
"""Letters of words that are like too many others."""
_LIKE = 0.75
"""From which likeness on a word is taken for another one, misspelt."""


def unknown_text(word: str, known: Collection[str], where: str) -> str:
    """Return the finding on a word that upstream VPP does not know, with the most similar known one."""
    return f"`{word}` is unknown to upstream VPP, which stops{where}; {correction_text(word, known)}"


def correction_text(word: str, known: Collection[str]) -> str:
    """Return what an unknown word may be."""
    close = most_similar(word, tuple(known))
    return f"did you mean `{close}`?" if close else "a typing error, or a patch or plugin of your vendor"


@lru_cache(maxsize=4096)
def most_similar(word: str, known: tuple[str, ...]) -> str | None:
    """Return the word that another one is a misspelling of, None when there is none.

    Short words differ in the order of their letters alone, for plugins have names that differ in one letter. The
    releases of VPP know much the same words, so that answers are kept.
    """
    swapped = next((each for each in known if len(word) > _TOO_SHORT and sorted(each) == sorted(word)), None)
    if swapped is not None or len(word) < _SHORT:
        return swapped
    return next(iter(difflib.get_close_matches(word, known, n=1, cutoff=_LIKE)), None)


def problem(rule: str, entry: ConfEntry, text: str, severity: Severity = Severity.ERROR) -> Problem:
    """Return a problem at the place of an entry."""
    return Problem(rule=rule, path=(), text=text, line=entry.line, column=entry.column, severity=severity)
