"""Spans of time as a file has them: seconds or minutes."""

from __future__ import annotations

import re
from typing import Any

_SPAN = re.compile(r"([0-9]{1,6})\s*(s|m)?")
_SECONDS = {"s": 1, "m": 60}


def seconds_of(value: Any, least_s: int, most_s: int) -> int | None:
    """Return the seconds of `30`, `30s` or `2m`; None when it is no span of time within the bounds."""
    found = None if isinstance(value, bool) else _SPAN.fullmatch(str(value).strip())
    seconds = int(found[1]) * _SECONDS[found[2] or "s"] if found else least_s - 1
    return seconds if least_s <= seconds <= most_s else None
