"""Suggests the known name that is most like an unknown one, for messages such as "did you mean ...?"."""

from __future__ import annotations

import re
from collections.abc import Collection

_NUMBERS = re.compile(r"[0-9.]")
_MANY = 500
"""Names; among more, only the name in other capitals is looked for: comparing letters of all would take seconds."""


def resembling(name: str, known: Collection[str]) -> str | None:
    """Return the known name that is most like another one; None when none is, or numbers alone differ."""
    if len(known) > _MANY:
        return next((each for each in (name.lower(), name.upper(), name.capitalize()) if each in known), None)
    letters = _NUMBERS.sub("", name)
    by_letters = {each.lower(): each for each in sorted(known, reverse=True) if _NUMBERS.sub("", each) != letters}
    lowered = name.lower()
    same = next((each for each in by_letters if each == lowered or sorted(each) == sorted(lowered)), None)
    if same is not None:
        return by_letters[same]
    from difflib import get_close_matches

    close = get_close_matches(lowered, by_letters, n=1)
    return by_letters[close[0]] if close else None


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return the end of a message about an unknown name: a question, '' when no known one is like it."""
    found = resembling(name, known)
    return "" if found is None else f"; did you mean `{found}`?"
