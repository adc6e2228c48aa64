"""Loads as people write them, in T-Rex's spelling (`1kpps`, `5gbps`, `5gbpsl1`, `30%`), to packets per second."""

from __future__ import annotations

import re

from vppcfg.errors import UsageError
from vppcfg.record import record

_LOAD = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*(?:(%)|([kmg]?)(pps|bpsl1|bps))", re.IGNORECASE)
_SCALE = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9}


@record
class LineRate:
    """What a port carries of one traffic profile."""

    link_bps: float
    mean_frame_bytes: float
    """With check sequence."""
    mean_wire_bits: float
    """With preamble and gap."""

    @property
    def pps(self) -> float:
        """Return packets per second at line rate."""
        return self.link_bps / self.mean_wire_bits

    def percent(self, load_pps: float) -> float:
        """Return a load in percent of line rate."""
        return 100 * load_pps / self.pps

    def of_percent(self, percent: float) -> float:
        """Return packets per second of a percentage."""
        return self.pps * percent / 100


def parse_load(text: str, line_rate: LineRate) -> float:
    """Return packets per second per direction; `bps` counts frames, `bpsl1` all that is on the wire. Raise UsageError.

    A load is more than 0 and no more than line rate.
    """
    match = _LOAD.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is no load", "write 1kpps, 1.48mpps, 5gbps, 5gbpsl1 or 30%")
    number, is_percent, scale, unit = match.groups()
    if is_percent:
        load_pps = line_rate.of_percent(float(number))
    else:
        value = float(number) * _SCALE[scale.lower()]
        bits = {"pps": 1.0, "bps": 8 * line_rate.mean_frame_bytes, "bpsl1": line_rate.mean_wire_bits}
        load_pps = value / bits[unit.lower()]
    return within_line_rate(load_pps, text, line_rate)


def within_line_rate(load_pps: float, text: str, line_rate: LineRate) -> float:
    """Return a load that a port can carry. Raise UsageError for any other."""
    if load_pps <= 0:
        raise UsageError(f"a load of {text} is none", "a load is more than 0")
    if load_pps > line_rate.pps * (1 + 1e-9):
        raise UsageError(
            f"a load of {text} is {line_rate.percent(load_pps):.1f} % of line rate, {line_rate.pps:,.0f} pps",
            "a port carries 100 %; `--link` says how fast the links are",
        )
    return load_pps
