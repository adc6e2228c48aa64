"""A command in a file, which is run without a shell: a text that is split as a shell does it, or a list of words."""

from __future__ import annotations

import shlex
from typing import Any


def words_of(value: Any) -> tuple[str, ...]:
    """Return the words of a command, none where there is none. Raise ValueError when it cannot be run."""
    if value is None:
        return ()
    try:
        words = tuple(shlex.split(value) if isinstance(value, str) else value)
    except ValueError:
        raise ValueError("a quotation mark is not closed; close it, or write the command as a list of words") from None
    if not words or not words[0]:
        raise ValueError("the command is empty; name a program, or remove the key")
    if any("\0" in word for word in words):
        raise ValueError("a command cannot hold the character NUL; remove it")
    return words
