"""The columns of the tables of `vppcfg top`: what each shows of a row, and what it is sorted by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vppcfg.record import record


@record
class Column:
    """A column: its heading, its width, how a row fills it, and what it is sorted by."""

    title: str
    width: int
    text: Callable[[Any], str]
    value: Callable[[Any], Any]
    is_left: bool = False


def short(value: float | None) -> str:
    """Return a rate in up to five characters, such as 1.25G; `-` for one that is not known."""
    if value is None:
        return "-"
    for limit, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 0.9995 * limit:
            scaled = value / limit
            return f"{scaled:.{2 if scaled < 9.995 else 1 if scaled < 99.95 else 0}f}{letter}"
    return f"{value:.0f}" if value >= 9.95 or value == int(value) else f"{value:.1f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f}%"


def _tenths(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def number(value: float | None) -> float:
    """Return what a value is sorted by; one that is not known comes last."""
    return -1.0 if value is None else value


def words(title: str, width: int, read: Callable[[Any], str]) -> Column:
    """Return a column of text."""
    return Column(title=title, width=width, text=read, value=read, is_left=True)


def rate(
    title: str, width: int, read: Callable[[Any], float | None], show: Callable[[float | None], str] = short
) -> Column:
    """Return a column of numbers."""
    return Column(title=title, width=width, text=lambda row: show(read(row)), value=lambda row: number(read(row)))


INTERFACE_COLUMNS = (
    words("Interface", 20, lambda row: row.interface.name),
    rate("In", 6, lambda row: row.rx_bps),
    rate("Out", 6, lambda row: row.tx_bps),
    rate("InPk", 6, lambda row: row.rx_pps),
    rate("OutPk", 6, lambda row: row.tx_pps),
    rate("Drop", 5, lambda row: row.drops_pps),
    rate("Lost", 5, lambda row: row.lost_pps),
    rate("Line", 4, lambda row: row.line_share, _percent),
)
WORKER_COLUMNS = (
    words("Worker", 12, lambda row: row.name),
    rate("Packets", 8, lambda row: row.rx_pps),
    rate("Vectors", 8, lambda row: row.vectors, _tenths),
    rate("Loops", 7, lambda row: row.loops_per_s),
    rate("NAT", 6, lambda row: row.sessions),
    words("Queues", 33, lambda row: ", ".join(row.queues)),
)
NODE_COLUMNS = (
    words("Node", 34, lambda row: row.name),
    rate("Packets", 8, lambda row: row.pps),
    rate("Calls", 8, lambda row: row.calls_per_s),
    rate("Vectors", 8, lambda row: row.vectors, _tenths),
    rate("Ticks/pk", 8, lambda row: row.clocks_per_packet),
    rate("Ticks", 8, lambda row: row.clocks_per_s),
)
REASON_COLUMNS = (
    words("Node", 30, lambda row: row.node),
    words("Reason", 30, lambda row: row.reason),
    rate("Per s", 8, lambda row: row.per_s),
    rate("Total", 8, lambda row: row.total),
)
