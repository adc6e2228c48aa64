"""What `vppcfg top` shows, as lines of text that fit a size, for any terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from vppcfg.app.monitoring.following import RouterView
from vppcfg.app.monitoring.rates import InterfaceRates, NodeRates, ReasonRate, WorkerRates
from vppcfg.cli.output import Colour
from vppcfg.common.printable import printable
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


HELP = "q quit  i w n d pages  s sort  r reverse  / filter  Enter look into  space freeze"
_VERDICTS = {"healthy": Colour.GOOD, "idle": Colour.GOOD, "undecided": Colour.STRONG, "loss": Colour.BAD}
_SUMMARY_ROWS = 3
"""Workers and reasons that the page of interfaces shows."""
_LEAST_DESCRIPTION = 13
_HEAD = 5
"""Letters at the beginning of a name that is too long."""


class Page(Enum):
    """What fills the screen."""

    INTERFACES = "interfaces"
    WORKERS = "workers"
    NODES = "nodes"
    DROPS = "drops"


@record
class ScreenLine:
    """A line of the screen."""

    text: str
    colour: Colour | None = None
    is_selected: bool = False


@dataclass(slots=True)
class Choice:
    """What is shown; keys change it."""

    page: Page = Page.INTERFACES
    sort: dict[Page, int] = field(default_factory=dict)
    """The column of each page, from 0; without one, the usual order."""
    is_reversed: bool = False
    filter: str = ""
    selected: int = 0
    """Row of the page, from 0."""
    detail: str = ""
    """Name of what is looked into; '' for the whole page."""
    is_frozen: bool = False
    typing: str | None = None
    """A filter that is being typed."""


COLUMNS = {
    Page.INTERFACES: INTERFACE_COLUMNS,
    Page.WORKERS: WORKER_COLUMNS,
    Page.NODES: NODE_COLUMNS,
    Page.DROPS: REASON_COLUMNS,
}
Row = InterfaceRates | WorkerRates | NodeRates | ReasonRate


def name_of(row: Row) -> str:
    """Return what a row is filtered by and looked into by."""
    if isinstance(row, InterfaceRates):
        return row.interface.name
    return f"{row.node} {row.reason}" if isinstance(row, ReasonRate) else row.name


def rows_of(view: RouterView, choice: Choice) -> list[Row]:
    """Return the rows of the chosen page: filtered, and sorted where a column was chosen."""
    rates = view.rates
    pages: dict[Page, Sequence[Row]] = {
        Page.INTERFACES: rates.interfaces,
        Page.WORKERS: rates.workers,
        Page.NODES: rates.nodes,
        Page.DROPS: rates.reasons,
    }
    requested = choice.filter.casefold()
    rows = [row for row in pages[choice.page] if requested in _searched(row).casefold()]
    if (column := choice.sort.get(choice.page)) is not None:
        chosen = COLUMNS[choice.page][column]
        rows.sort(key=chosen.value, reverse=not chosen.is_left)
    return rows[::-1] if choice.is_reversed else rows


def _searched(row: Row) -> str:
    if isinstance(row, InterfaceRates):
        each = row.interface
        return f"{each.name} {each.description} {each.lcp} {each.vrf}"
    return name_of(row)


def screen(view: RouterView, choice: Choice, width: int, height: int) -> list[ScreenLine]:
    """Return the lines of a screen, at most `height` of them; the last one is the line of keys."""
    lines = [*_header(view, choice)]
    if view.snapshot.counters is None:
        lines += [ScreenLine(text=""), ScreenLine(text="VPP cannot be read; waiting for it", colour=Colour.BAD)]
        lines.append(ScreenLine(text=view.snapshot.problem))
    elif choice.detail:
        lines += _detail(view, choice)
    else:
        lines += _page(view, choice, width, height - len(lines) - 1)
    empty = [ScreenLine(text="")] * (height - 1 - len(lines))
    return [_fitted(line, width) for line in (*lines[: height - 1], *empty, _bottom(choice))]


def whole(view: RouterView, choice: Choice, width: int) -> list[str]:
    """Return everything of a page for who looks once, however long that is."""
    lines = [*_header(view, choice)]
    if view.snapshot.counters is None:
        lines.append(ScreenLine(text=view.snapshot.problem))
    elif choice.detail:
        lines += _detail(view, choice)
    else:
        rows = rows_of(view, choice)
        extra = 8 + len(view.rates.workers) + _SUMMARY_ROWS
        lines += _page(view, choice, width, len(rows) + extra, is_whole=True)
    return [fit(line.text, width).rstrip() for line in lines]


def _header(view: RouterView, choice: Choice) -> Iterator[ScreenLine]:
    snapshot = view.snapshot
    counters = snapshot.counters
    parts = [f"VPP {snapshot.version}".strip()]
    if counters is not None and counters.boot_at_s:
        parts.append(f"up {_duration(snapshot.taken_at_s - counters.boot_at_s)}")
    if view.rates.rx_pps is not None:
        parts.append(f"{short(view.rates.rx_pps)} packets/s")
    if counters is not None and counters.nat44_sessions:
        parts.append(f"{short(sum(counters.nat44_sessions))} NAT sessions")
    parts.append(_clock(snapshot.taken_at_s))
    if choice.is_frozen:
        parts.append("FROZEN")
    yield ScreenLine(text=", ".join(parts), colour=Colour.STRONG)
    if view.verdict:
        yield ScreenLine(
            text=f"Verdict: {view.verdict}: {view.verdict_text}", colour=_VERDICTS.get(view.verdict, Colour.CHANGED)
        )
    else:
        yield ScreenLine(text="Verdict: not yet" if counters is not None else "Verdict: none")
    yield ScreenLine(text=_change_text(view), colour=Colour.CHANGED if _is_worth_a_look(view) else None)


def _is_worth_a_look(view: RouterView) -> bool:
    return bool(view.differences) or view.changes.deadline_s is not None or view.changes.is_half_way


def _change_text(view: RouterView) -> str:
    changes = view.changes
    parts = []
    if view.differences is not None:
        parts.append("matches its file" if not view.differences else f"{view.differences} entries differ from the file")
    if not changes.is_readable:
        parts.append("the journal cannot be read")
    elif changes.deadline_s is not None:
        parts.append(f"change {changes.number} goes back at {_clock(changes.deadline_s)} unless it is confirmed")
    elif changes.is_half_way:
        parts.append(f"change {changes.number} left VPP between two states")
    elif changes.number:
        parts.append(f"last change {changes.number}, {changes.outcome}, {_clock(changes.made_at_s, is_long=True)}")
    else:
        parts.append("no change in the journal")
    if view.snapshot.problem and view.snapshot.counters is not None:
        parts.append("names may be old: VPP's API does not answer")
    text = "; ".join(parts)
    return text[0].upper() + text[1:]


def _page(view: RouterView, choice: Choice, width: int, height: int, *, is_whole: bool = False) -> Iterator[ScreenLine]:
    rows = rows_of(view, choice)
    if choice.page is not Page.INTERFACES:
        if not rows:
            yield from (ScreenLine(text=""), ScreenLine(text=_why_empty(view, choice)))
        else:
            yield from _table(COLUMNS[choice.page], rows, choice, width, height)
        return
    busiest = sorted(view.rates.workers, key=lambda each: -number(each.vectors))
    workers = view.rates.workers if is_whole else busiest[:_SUMMARY_ROWS]
    reasons = [each for each in view.rates.reasons if each.per_s][:_SUMMARY_ROWS]
    below = [ScreenLine(text=""), *_table(REASON_COLUMNS, reasons, None, width, _SUMMARY_ROWS + 1)] if reasons else []
    yield from _table(WORKER_COLUMNS, workers, None, width, len(workers) + 1)
    yield ScreenLine(text="")
    room = height - len(workers) - 2 - len(below)
    if rows:
        yield from _table(_columns_for(rows, width), rows, choice, width, room)
    else:
        yield ScreenLine(text=_why_empty(view, choice))
    yield from below


def _columns_for(rows: Sequence[Row], width: int) -> tuple[Column, ...]:
    """Return the columns of interfaces: names as wide as they are, as far as a description has room beside them."""
    name, *others = INTERFACE_COLUMNS
    room = width - sum(column.width + 1 for column in INTERFACE_COLUMNS)
    longest = max((len(printable(name.text(row))) for row in rows), default=0)
    wider = max(0, min(longest - name.width, room - _LEAST_DESCRIPTION))
    columns = (replace(name, width=name.width + wider), *others)
    if room - wider < _LEAST_DESCRIPTION:
        return columns
    read = words("Description", room - wider, lambda row: row.interface.description or row.interface.lcp)
    return (*columns, read)


def _why_empty(view: RouterView, choice: Choice) -> str:
    if choice.filter:
        return f"Nothing here has {choice.filter!r} in its name"
    counters = view.snapshot.counters
    if choice.page is Page.NODES and counters is not None and counters.nodes is None:
        return "No counters of nodes: VPP keeps them with `statseg { per-node-counters on }`; too many are not read"
    if choice.page is Page.NODES and not view.rates.has_nodes:
        return "VPP refreshes its counters of nodes every 10 s; two of them are needed"
    return "No packets" if choice.page is Page.NODES else "Nothing yet"


def _table(
    columns: Sequence[Column], rows: Sequence[Row], choice: Choice | None, width: int, height: int
) -> Iterator[ScreenLine]:
    """Yield a heading and the rows that fit, among them the one that is selected."""
    sort = choice.sort.get(choice.page) if choice is not None else None
    heads = [_cell(f"{column.title}{'*' if place == sort else ''}", column) for place, column in enumerate(columns)]
    yield ScreenLine(text=" ".join(heads), colour=Colour.STRONG)
    room = max(height - 1, 1)
    selected = min(choice.selected, len(rows) - 1) if choice is not None else -1
    first = max(0, selected - room + 1)
    for place, row in enumerate(rows[first : first + room], start=first):
        text = " ".join(_cell(column.text(row), column) for column in columns)
        yield ScreenLine(text=text, is_selected=place == selected, colour=_colour(row))


def _colour(row: Row) -> Colour | None:
    if isinstance(row, InterfaceRates) and row.lost_pps:
        return Colour.BAD
    return Colour.CHANGED if isinstance(row, WorkerRates) and (row.vectors or 0) >= 200 else None


def _cell(text: str, column: Column) -> str:
    if column.title == "Interface" and len(text) > column.width:
        text = f"{text[:_HEAD]}~{text[_HEAD + 1 - column.width :]}"  # what distinguishes ports stands at the end
    text = fit(text, column.width)
    return text if column.is_left else text.rstrip().rjust(column.width)


def _detail(view: RouterView, choice: Choice) -> Iterator[ScreenLine]:
    """Yield everything about one interface, worker or node."""
    found = next((row for row in rows_of(view, Choice(page=choice.page)) if name_of(row) == choice.detail), None)
    yield ScreenLine(text="")
    yield ScreenLine(text=choice.detail, colour=Colour.STRONG)
    if found is None:
        yield ScreenLine(text="is not there any more")
        return
    pairs = _interface_pairs(found, view) if isinstance(found, InterfaceRates) else _column_pairs(found, choice.page)
    for label, text in pairs:
        yield ScreenLine(text=f"  {label:<26}{text}")


def _interface_pairs(row: InterfaceRates, view: RouterView) -> Iterator[tuple[str, str]]:
    each, counters = row.interface, view.snapshot.counters
    yield "description", each.description or "-"
    yield "device in Linux", each.lcp or "-"
    yield "VRF", each.vrf or "default"
    yield "kind", each.kind or "-"
    yield "state", f"{'up' if each.is_up else 'down'}, link {'up' if each.has_link else 'down'}"
    yield "speed of the link", f"{short(each.link_bps)}bit/s" if each.link_bps else "-"
    for queue in (queue for queue in view.snapshot.queues if queue.interface == each.name):
        yield f"receive queue {queue.queue}", f"thread {queue.thread}, {queue.mode}"
    for column in INTERFACE_COLUMNS[1:]:
        yield f"{_LONG[column.title]}", column.text(row)
    if counters is not None:
        for name, meaning in _TOTALS.items():
            yield f"{meaning}, in all", f"{counters.of_interface(name, each.index):,}"


_LONG = {
    "In": "bit/s received", "Out": "bit/s sent", "InPk": "packets/s received", "OutPk": "packets/s sent",
    "Drop": "dropped/s", "Lost": "lost/s", "Line": "share of the line",
}  # fmt: skip
"""Titles of columns written out, for the view of a single interface."""
_TOTALS = {
    "rx_packets": "packets in", "tx_packets": "packets out", "drops": "dropped", "punts": "to the host",
    "rx_miss": "missed by the NIC", "rx_no_buf": "without buffer", "rx_error": "damaged", "tx_error": "not sent",
}  # fmt: skip
"""Counters of an interface, and what they are called there."""


def _column_pairs(row: Row, page: Page) -> Iterator[tuple[str, str]]:
    for column in COLUMNS[page][1:]:
        yield column.title, column.text(row)


def _bottom(choice: Choice) -> ScreenLine:
    if choice.typing is not None:
        return ScreenLine(text=f"Filter: {choice.typing}_  (Enter takes it, Esc leaves it)", colour=Colour.STRONG)
    text = f"filter {choice.filter!r}  {HELP}" if choice.filter else HELP
    return ScreenLine(text="Esc back  q quit  space freeze" if choice.detail else text)


def _duration(seconds: float) -> str:
    minutes, _ = divmod(int(max(seconds, 0)), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{days}d {hours}h" if days else f"{hours}h {minutes}min" if hours else f"{minutes}min"


def _clock(at_s: float, *, is_long: bool = False) -> str:
    local = datetime.fromtimestamp(at_s, tz=UTC).astimezone()
    return local.strftime("%Y-%m-%d %H:%M" if is_long else "%H:%M:%S")


def _fitted(line: ScreenLine, width: int) -> ScreenLine:
    return replace(line, text=fit(line.text, width))


def fit(text: str, width: int) -> str:
    """Return a text that takes `width` columns of a terminal: cut with `~`, or filled with spaces.

    What does not show is written out.
    """
    text = printable(text)
    if len(text) <= width and text.isascii():
        return text.ljust(width)
    used, kept = 0, list[str]()
    for char in text:
        size = 0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if used + size > width:
            while used + 1 > width and kept:
                used -= 2 if unicodedata.east_asian_width(kept[-1]) in "WF" else 1
                kept.pop()
            return "".join(kept) + "~" + " " * (width - used - 1)
        kept.append(char)
        used += size
    return "".join(kept) + " " * (width - used)
