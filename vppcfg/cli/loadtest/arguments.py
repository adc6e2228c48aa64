"""Kinds of arguments that load tests take."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vppcfg.loadtest.load import LineRate

_LONGEST_S = 24 * 3600
LAST_PORT = 65535


def whole_seconds(text: str) -> int:
    """Return a number of seconds from 0 to a day. Raise ArgumentTypeError."""
    if not (text.isascii() and text.isdecimal()) or int(text) > _LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to {_LONGEST_S}")
    return int(text)


def percentage(text: str) -> float:
    """Return a percentage from 0 to 100, without its sign. Raise ArgumentTypeError."""
    try:
        value = float(text.removesuffix("%"))
    except ValueError:
        value = math.nan
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"{text!r} is no percentage from 0 to 100")
    return value


def seconds(text: str) -> float:
    """Return a number of seconds from 0 to a day. Raise ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= _LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 0 to {_LONGEST_S}")
    return value


def load_or_percent(text: str, line_rate: LineRate) -> float:
    """Return packets per second of a load; a bare number is percent of line rate. Raise UsageError."""
    from vppcfg.loadtest.load import parse_load

    return parse_load(text if text[-1:].isalpha() or text.endswith("%") else f"{text}%", line_rate)


def port_number(text: str) -> int:
    """Return a port from 1 to 65535. Raise ArgumentTypeError."""
    if not (text.isascii() and text.isdecimal()) or not 1 <= int(text) <= LAST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is no port from 1 to {LAST_PORT}")
    return int(text)


def ports(text: str) -> tuple[int, ...]:
    """Return the ports of a list such as `40000,40001`. Raise ArgumentTypeError."""
    return tuple(port_number(word.strip()) for word in text.split(",") if word.strip())
