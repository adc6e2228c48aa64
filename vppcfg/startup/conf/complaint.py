"""How a problem with a word of startup.conf is put."""

from __future__ import annotations

import difflib
from collections.abc import Collection

from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.conf.tree import ConfEntry


def unknown_text(word: str, known: Collection[str], where: str) -> str:
    """Return what is said of a word that upstream VPP does not know, with the one that it is most like."""
    return f"`{word}` is unknown to upstream VPP, which stops{where}; {mend_text(word, known)}"


def mend_text(word: str, known: Collection[str]) -> str:
    """Return what an unknown word may be."""
    close = difflib.get_close_matches(word, known, n=1)
    return f"did you mean `{close[0]}`?" if close else "a typing error, or a patch or plugin of your vendor"


def problem(rule: str, entry: ConfEntry, text: str, severity: Severity = Severity.ERROR) -> Problem:
    """Return a problem at the place of an entry."""
    return Problem(rule=rule, path=(), text=text, line=entry.line, column=entry.column, severity=severity)
