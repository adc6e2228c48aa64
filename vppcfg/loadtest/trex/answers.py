"""Reads values out of a T-Rex server's answers, and raises an error that names what is missing or out of range.

What a server leaves out, or sends as null, has a default, set by each reader. A server that answers otherwise is
none, or one that is broken, and its answers are not used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from vppcfg.errors import EngineError

_MOST = 10**18
"""More than any counter here comes to, and less than what floats and reports can deal with."""
_LONGEST_TEXT = 1000
_SHOWN = 60


def section(answer: object, *keys: str) -> Mapping[str, Any]:
    """Return the object in an answer that a path of keys leads to, empty when there is none. Raise EngineError."""
    here = _object(answer, "an answer")
    for key in keys:
        here = _object(here.get(key), key)
    return here


def items(answer: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    """Return the objects in a list, none when there is no list. Raise EngineError."""
    found = answer.get(key)
    if found is None:
        return []
    if not isinstance(found, list):
        raise _odd(key, found)
    return [_object(item, key) for item in found]


def count(answer: Mapping[str, Any], key: str) -> int:
    """Return a counter, 0 when there is none. Raise EngineError."""
    return int(measure(answer, key)) if isinstance(answer.get(key), float | str) else _whole(answer, key)


def counter(answer: Mapping[str, Any], key: str) -> int:
    """Return a counter that no server leaves out. Raise EngineError."""
    if answer.get(key) is None:
        raise _odd(key, None)
    return count(answer, key)


def measure(answer: Mapping[str, Any], key: str) -> float:
    """Return a number, 0 when there is none; T-Rex writes some of them as text. Raise EngineError."""
    found = answer.get(key)
    return 0.0 if found is None else number(found, key)


def number(value: object, what: str) -> float:
    """Return a number that may be written as text. Raise EngineError."""
    try:
        found = math.nan if isinstance(value, bool) or not isinstance(value, int | float | str) else float(value)
    except (ValueError, OverflowError):
        found = math.nan
    if not 0 <= found <= _MOST:
        raise _odd(what, value)
    return found


def text(answer: Mapping[str, Any], key: str, default: str = "") -> str:
    """Return a text, `default` when there is none. Raise EngineError."""
    found = answer.get(key)
    if found is None:
        return default
    if not isinstance(found, str | int | float) or len(str(found)) > _LONGEST_TEXT:
        raise _odd(key, found)
    return str(found)


def flag(answer: Mapping[str, Any], key: str) -> bool | None:
    """Return a truth value, None when it is not there. Raise EngineError."""
    found = answer.get(key)
    if found is not None and not isinstance(found, bool):
        raise _odd(key, found)
    return found


def _whole(answer: Mapping[str, Any], key: str) -> int:
    found = answer.get(key)
    if found is None:
        return 0
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= _MOST:
        raise _odd(key, found)
    return found


def _object(value: object, what: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _odd(what, value)
    return value


def _odd(what: str, value: object) -> EngineError:
    try:
        shown = repr(value)
    except ValueError:  # an int of more digits than Python writes
        shown = "a number of thousands of digits"
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
    return EngineError(f"T-Rex answers {shown} where {what} should be", "is this a T-Rex server from 2.88 to 3.08?")
