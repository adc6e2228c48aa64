"""Numbers as people read and type them: `1.48 Mpps` out, `1.48M` in."""

from __future__ import annotations

import re

from vppcfg.errors import UsageError

_FIGURE = re.compile(r"^(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d+))?\s*([kKMGT]?)$")
_SCALE = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def pps(rate: float) -> str:
    """Return a rate such as `1.488 Mpps`."""
    return f"{short(rate)}pps"


def short(value: float) -> str:
    """Return a number and the letter of its thousands, such as `76.6 k`; millions have four digits."""
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * limit:
            return f"{_digits(value / limit, 4 if limit > 1e3 else 3)} {letter}"
    return f"{_digits(value, 3)} "


def percent(share: float) -> str:
    """Return a share of 1 as a percentage that never hides a small one."""
    value = 100 * share
    if abs(value) >= 10:
        return f"{value:.1f} %"
    if abs(value) >= 0.1 or value == 0:
        return f"{value:.2f} %"
    return f"{value:.1e} %"


def count(value: float) -> str:
    """Return a whole number with separated thousands."""
    return f"{round(value):,}"


def parse_figure(text: str) -> float:
    """Return a number such as `1.48M`. Raise UsageError when it is none."""
    match = _FIGURE.match(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is no number", "write 1480000, 1.48e6 or 1.48M")
    return float(match[1]) * 10.0 ** int(match[2] or 0) * _SCALE[match[3]]


def _digits(value: float, digits: int) -> str:
    if value == int(value) and abs(value) < 1000:
        return f"{value:.0f}"
    before = len(str(int(abs(value))))
    return f"{value:.{max(digits - before, 0)}f}"
