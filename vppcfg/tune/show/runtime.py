"""Reads what VPP prints about its graph: `show runtime` with and without `max`, `show errors`, `show trace`.

VPP prints these texts in vlib/node_cli.c, vlib/error.c and vlib/trace.c.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile

from vppcfg.tune.reading import ErrorCounter, NodeCounters, PrintedRates, ThreadCounters
from vppcfg.tune.show import Unread, clean_lines, joined, number, whole
from vppcfg.tune.thresholds import PAST_S

_STATE_WIDTH = 12
"""VPP cuts a state here, and may leave no space between a long name and it."""
_STATES = (
    "active", "polling", "disabled", "interrupt wait", "interrupt", "time wait", "event wait", "any wait", "clock wait",
    "one time event wait", "suspended", "running", "not started", "done", "unknown",
)  # fmt: skip
_THREAD = re.compile(r"^Thread (\d+) (\S+)(?: \(lcores? (\d+)\))?")
_TIME = re.compile(r"^Time (\d*\.?\d+),")
_LOOPS = re.compile(r"loops/sec (\d*\.?\d+)")
_VECTOR_RATE = re.compile(r"internal node vector rate (\d*\.?\d+)")
_OLD_AVERAGE = re.compile(r"average vectors/node (\d*\.?\d+)")
"""Of all the time; VPP up to 19.08 has it."""
_RATES = re.compile(r"^vector rates in (\S+), out (\S+), drop (\S+), punt (\S+)$")
_PRINTED_ERROR = 0.005
"""Clocks are printed with three digits, as in 9.14e1."""
_ROW = re.compile(r"^(\d+) (\S+) (.+)$")
_SEVERITIES = ("error", "warn", "warning", "info")
_HEADINGS = tuple(
    f"NameStateCallsVectorsSuspends{unit}Vectors/Call" for unit in ("Clocks", "Packet-Clocks", "Packet-Time")
)
_COLUMNS = re.compile(
    r"^Name(?P<state>\s*State)?(?P<calls>\s*Calls)?(?P<vectors>\s*Vectors(?!/))?(?P<suspends>\s*Suspends)?"
    r"(?P<clocks>\s*(?:Packet-Clocks|Packet-Time|Clocks))?(?P<per_call>\s*Vectors/Call)?$"
)
"""A heading, of which somebody may have cut columns."""
_BARE_ROW = re.compile(r"^(\S+)$")
_VECTORS = 100_000
"""What each node is taken to have had in a table without counts: all packets pass all of its nodes."""
_CUT_NAME = 30
"""VPP prints so many characters of a node's name (format_vlib_node_stats)."""
_SQUEEZED = re.compile(r"^(\d{3,})(\d\.\d\de-?\d+?)(\d*\.\d\d)$")
"""Calls, vectors and suspends without a space, clocks, vectors per call."""
_LONGEST_ROW = 120
_EXACT = 0.006
"""VPP prints vectors per call with two digits, rounded."""


def _state_pattern() -> str:
    forms = {form[:width] for state in _STATES for form in (state, f'"{state}"') for width in (_STATE_WIDTH, 99)}
    longest_first = sorted(forms, key=lambda form: (-len(form), form))
    return r"^(\S+?)\s*(" + "|".join(map(re.escape, longest_first)) + ")"


_NAME_AND_STATE = re.compile(_state_pattern() + r"\s*$")
_NAME_STATE_REST = re.compile(_state_pattern() + r"\s*([\d][\d. e-]*)$")


@dataclass(slots=True)
class _Thread:
    """A thread whose lines are still being read."""

    index: int = 0
    name: str = "vpp_main"
    lcore: int | None = None
    time_s: float | None = None
    loops_per_s: float | None = None
    vector_rate: float | None = None
    printed: PrintedRates | None = None
    is_named: bool = False
    nodes: list[NodeCounters] = field(default_factory=list)

    def frozen(self) -> ThreadCounters:
        return ThreadCounters(
            index=self.index, name=self.name, lcore=self.lcore, time_s=self.time_s, loops_per_s=self.loops_per_s,
            vector_rate=self.vector_rate, printed=self.printed, nodes=tuple(self.nodes), is_named=self.is_named,
        )  # fmt: skip


def parse_runtime(text: str, base_hz: float | None = None) -> tuple[tuple[ThreadCounters, ...], Unread]:
    """Return the threads, and what could not be read.

    `show runtime time` prints nanoseconds in place of clocks; with `base_hz` they become clocks, else none.
    """
    threads: list[_Thread] = []
    unread: list[str] = []
    ticks_per_unit = (base_hz or 0.0) / 1e9 if "Packet-Time" in text else 1.0
    columns = next((match for line in clean_lines(text) if (match := _COLUMNS.match(line))), None)
    read = partial(_node, ticks_per_unit=ticks_per_unit)
    if columns is not None and not all(columns.groups()):
        read = partial(_cut_node, columns=columns, ticks_per_unit=ticks_per_unit)
    lines = (line for line in clean_lines(text) if not _is_heading(line))
    for line, node in joined(lines, read):
        if node is not None:
            _current(threads).nodes.append(node)
        elif match := _THREAD.match(line):
            lcore = int(match[3]) if match[3] else None
            threads.append(_Thread(index=int(match[1]), name=match[2], lcore=lcore, is_named=True))
        elif not _is_summary(line, threads) and not _is_decoration(line):
            unread.append(line)
    for thread in threads:
        thread.nodes = _with_whole_names(thread.nodes)
        if columns is not None and not (columns["calls"] or columns["vectors"]):
            thread.time_s = None  # of counts that are not there no rate follows
    return tuple(thread.frozen() for thread in threads), tuple(unread)


def _is_heading(line: str) -> bool:
    """Return whether a line is the heading of the columns, or a part of it; 18.x added `Perf Ticks` at its end."""
    rest = line.replace(" ", "").removesuffix("PerfTicks")
    return any(rest in heading for heading in _HEADINGS) or bool(_COLUMNS.match(line))


def _with_whole_names(nodes: list[NodeCounters]) -> list[NodeCounters]:
    """Return nodes with the ends of their names that VPP cut off, where these are nodes of a port that sends.

    Such a port has two in a row: its output, and the one that sends. What is left of both may be the same.
    """
    counts = Counter(node.name for node in nodes)
    whole: list[NodeCounters] = []
    for place, node in enumerate(nodes):
        port, dash, end = node.name.rpartition("-")
        name = node.name
        if len(name) != _CUT_NAME:
            pass
        elif counts[name] == 2 and "/" in name:
            is_first = not place or nodes[place - 1].name != name
            name = name.removesuffix("-") + ("-output" if is_first else "-tx")
        elif dash and end and "output".startswith(end):
            name = f"{port}-output"
        elif end == "t" and place and nodes[place - 1].name == f"{port}-o":
            name = f"{port}-tx"
        whole.append(replace(node, name=name))
    return whole


def parse_max_vectors(text: str) -> tuple[tuple[tuple[int, str, int], ...], Unread]:
    """Return thread, node and largest vector of every row of `show runtime max`, and what could not be read."""
    rows: list[tuple[int, str, int]] = []
    unread: list[str] = []
    thread = 0
    for line in clean_lines(text):
        tokens = line.split()
        if match := _THREAD.match(line):
            thread = int(match[1])
        elif _TIME.match(line) or _RATES.match(line) or _is_decoration(line) or "Max Node Clocks" in line:
            continue
        elif len(tokens) == 6 and tokens[2].isdecimal():
            rows.append((thread, tokens[0], int(tokens[2])))
        else:
            unread.append(line)
    return tuple(rows), tuple(unread)


def _current(threads: list[_Thread]) -> _Thread:
    """Return the thread that a line belongs to; a VPP without workers names none."""
    if not threads:
        threads.append(_Thread())
    return threads[-1]


def _is_decoration(line: str) -> bool:
    return set(line) <= {"-", "."} or line.startswith("events pending") or line.endswith("events pending,")


def _is_summary(line: str, threads: list[_Thread]) -> bool:
    """Return whether a line belongs to the summary above a thread's nodes, and keep it."""
    if match := _TIME.match(line):
        thread = _current(threads)
        if thread.time_s is not None and not _THREAD.match(line):
            return True
        thread.time_s = float(match[1])
        loops = _LOOPS.search(line)
        thread.loops_per_s = float(loops[1]) if loops else None
        rate = _VECTOR_RATE.search(line) or (_OLD_AVERAGE.search(line) if thread.time_s <= PAST_S else None)
        thread.vector_rate = float(rate[1]) if rate else None
        return True
    if match := _RATES.match(line):
        try:
            received, sent, dropped, punted = (number(part) for part in match.groups())
        except ValueError:
            return False
        _current(threads).printed = PrintedRates(
            received_pps=received, sent_pps=sent, dropped_pps=dropped, punted_pps=punted
        )
        return True
    return False


def _node(line: str, ticks_per_unit: float) -> NodeCounters | None:
    """Return the node of a row: the last five tokens are numbers, before them stand name and state.

    Without a heading nothing else shows a row whose state was cut.
    """
    parts = line.rsplit(" ", 5)
    if len(parts) < 6:
        return _squeezed_node(line, ticks_per_unit)
    match = _NAME_AND_STATE.match(parts[0])
    is_bare = "e" in parts[4] and "." in parts[5] and _BARE_ROW.match(parts[0])
    try:
        calls, vectors, suspends = (whole(part) for part in parts[1:4])
        clocks_each, _ = (number(part) for part in parts[4:])
    except ValueError:
        return _squeezed_node(line, ticks_per_unit)
    if match is None and not is_bare:
        return _squeezed_node(line, ticks_per_unit)
    name, state = (match[1], match[2]) if match else (parts[0], "")
    return _counters(name, state, (calls, vectors, suspends), clocks_each, ticks_per_unit)


def _cut_node(line: str, columns: re.Match[str], ticks_per_unit: float) -> NodeCounters | None:
    """Return the node of a row of a table with these columns; None where they do not tell packets per call."""
    names = [name for name, title in columns.groupdict().items() if title and name != "state"]
    parts = line.rsplit(" ", len(names))
    try:
        values = {name: number(part) for name, part in zip(names, parts[1:], strict=True)}
    except ValueError:
        return None
    match = _NAME_AND_STATE.match(parts[0]) if columns["state"] else _BARE_ROW.match(parts[0])
    calls, vectors, per_call = (values.get(name) for name in ("calls", "vectors", "per_call"))
    if match is None or (per_call is None and (calls is None or vectors is None)):
        return None
    if vectors is None:
        vectors = (calls if calls is not None else _VECTORS / per_call if per_call else 0) * (per_call or 0)
    if calls is None:
        calls = vectors / per_call if per_call else 0
    counts = round(calls), round(vectors), round(values.get("suspends", 0))
    return _counters(match[1], match[2] if columns["state"] else "", counts, values.get("clocks", 0.0), ticks_per_unit)


def _squeezed_node(line: str, ticks_per_unit: float) -> NodeCounters | None:
    """Return the node of a row whose columns have run together, None when it can be read in more than one way.

    Vectors per call show where calls end and vectors begin.
    """
    head = _NAME_STATE_REST.match(line) if len(line) <= 2 * _LONGEST_ROW else None
    match = _SQUEEZED.match(head[3].replace(" ", "")) if head else None
    if head is None or match is None or len(head[3]) > _LONGEST_ROW:
        return None
    found: tuple[int, int, int, float] | None = None
    for clocks, per_call in _clock_splits(match[2] + match[3]):
        for calls, vectors, suspends in _count_splits(match[1], per_call):
            reading = calls, vectors, suspends, clocks
            if reading != found and _keeps_numbers(head[3], calls, vectors, suspends):
                if found is not None:
                    return None
                found = reading
    return _counters(head[1], head[2], found[:3], found[3], ticks_per_unit) if found else None


def _keeps_numbers(rest: str, *counts: int) -> bool:
    """Return whether every space that is left in a row stands between numbers, and not inside one of these."""
    ends, digits = set(), 0
    for count in counts:
        digits += len(str(count))
        ends.add(digits)
    spaces, seen = set(), 0
    for character in rest.strip():
        if character == " ":
            spaces.add(seen)
        else:
            seen += 1
    return all(place in ends or place > digits for place in spaces)


def _clock_splits(text: str) -> Iterator[tuple[float, float]]:
    """Yield clocks and vectors per call for every place where the exponent may end."""
    mantissa, _, rest = text.partition("e")
    for size in range(1, len(rest)):
        exponent, per_call = rest[:size], rest[size:]
        if re.fullmatch(r"-?\d{1,2}", exponent) and re.fullmatch(r"(?:0|[1-9]\d*)?\.\d\d", per_call):
            yield float(f"{mantissa}e{exponent}"), float(per_call)


def _count_splits(digits: str, per_call: float) -> Iterator[tuple[int, int, int]]:
    """Yield calls, vectors and suspends for the ways to cut the digits that give the vectors per call printed."""
    for first in range(1, len(digits) - 1):
        calls = int(digits[:first])
        least, most = (per_call - _EXACT) * calls, (per_call + _EXACT) * calls
        for size in range(len(str(max(int(least), 0))), len(str(int(most) + 1)) + 1):
            parts = digits[:first], digits[first : first + size], digits[first + size :]
            is_written_so = all(part == "0" or (part and not part.startswith("0")) for part in parts)
            if calls and is_written_so and least <= int(parts[1]) <= most:
                yield calls, int(parts[1]), int(parts[2])


def _counters(
    name: str, state: str, counts: tuple[int, int, int], clocks_each: float, ticks_per_unit: float
) -> NodeCounters:
    calls, vectors, suspends = counts
    return NodeCounters(
        name=name,
        state=_whole_state(state),
        calls=calls,
        vectors=vectors,
        suspends=suspends,
        clocks=clocks_each * (vectors or calls or suspends) * ticks_per_unit,
        clocks_error=_PRINTED_ERROR,
    )


def _whole_state(printed: str) -> str:
    """Return a state in full, without the quotes that VPP 25.02 and newer print."""
    bare = printed.strip('"')
    return bare and next((state for state in _STATES if state == bare or state.startswith(bare)), bare)


def parse_errors(text: str) -> tuple[tuple[ErrorCounter, ...], Unread]:
    """Return the counters by node and reason, rows of threads summed, and what could not be read."""
    counters: list[ErrorCounter] = []
    unread: list[str] = []
    lines = list(
        takewhile(lambda line: not line.startswith("Total:"), clean_lines(text))
    )  # behind it is the same again
    rows = [line for line in lines if _ROW.match(line)]
    has_severity = "Severity" in "".join(lines) or all(_severity_of(row) for row in rows)
    for line in lines:
        if line.replace(" ", "").startswith("CountNode") or line.startswith("Thread ") or _is_end_of_severity(line):
            continue
        counter = _counter(line, has_severity=has_severity)
        if counter is None:
            unread.append(line)
        else:
            counters.append(counter)
    return summed(counters), tuple(unread)


def _is_end_of_severity(line: str) -> bool:
    """Return whether a narrow terminal wrapped this from the end of a row."""
    return any(word.endswith(line) for word in (*_SEVERITIES, "Severity"))


def summed(counters: Iterable[ErrorCounter]) -> tuple[ErrorCounter, ...]:
    """Return one counter per node and reason."""
    found: dict[tuple[str, str], ErrorCounter] = {}
    for counter in counters:
        key = counter.node, counter.reason
        found[key] = replace(counter, count=counter.count + (found[key].count if key in found else 0))
    return tuple(found.values())


def _severity_of(row: str) -> str:
    """Return the severity at the end of a row, before the index that `verbose` adds; up to 20.09 VPP has none.

    A counter is called `no error`.
    """
    words = row.split()
    if words[-1].isdecimal():
        words.pop()
    return words[-1] if words[-1] in _SEVERITIES and words[-2] != "no" else ""


def _counter(line: str, *, has_severity: bool) -> ErrorCounter | None:
    match = _ROW.match(line)
    if match is None:
        return None
    severity = _severity_of(line) if has_severity else ""
    words = match[3].split()
    reason = words[: -2 if words[-1].isdecimal() else -1] if severity else words
    return ErrorCounter(node=match[2], reason=" ".join(reason or words), count=int(match[1]), severity=severity)


def parse_trace(text: str) -> tuple[bool, Unread]:
    """Return whether any thread has traced packets."""
    return any(line.startswith("Packet ") for line in clean_lines(text)), ()
