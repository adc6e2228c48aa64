"""How a problem with a word of startup.conf is put."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from functools import lru_cache

from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.conf.tree import ConfEntry


def unknown_text(word: str, known: Collection[str], where: str) -> str:
    """Return what is said of a word that upstream VPP does not know, with the one that it is most like."""
    return f"`{word}` is unknown to upstream VPP, which stops{where}; {mend_text(word, known)}"


def mend_text(word: str, known: Collection[str]) -> str:
    """Return what an unknown word may be."""
    close = _likest(word, tuple(known))
    return f"did you mean `{close[0]}`?" if close else "a typing error, or a patch or plugin of your vendor"


@lru_cache(maxsize=4096)
def _likest(word: str, known: tuple[str, ...]) -> list[str]:
    """Return the word that another one is like, if there is one; the releases of VPP know much the same words."""
    return difflib.get_close_matches(word, known, n=1)


def problem(rule: str, entry: ConfEntry, text: str, severity: Severity = Severity.ERROR) -> Problem:
    """Return a problem at the place of an entry."""
    return Problem(rule=rule, path=(), text=text, line=entry.line, column=entry.column, severity=severity)
