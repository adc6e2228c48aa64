"""What T-Rex counts of connections in stateful mode, on the side of the clients and on that of the servers.

T-Rex reports the names of its counters and which of them are errors (`get_counter_desc`), and then numbers by number
(`get_counter_values`). Names as in src/stt_cp.cpp of trex-core 3.08.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vppcfg.errors import EngineError
from vppcfg.loadtest.stateful.engine import ConnectionCount, ErrorCount
from vppcfg.loadtest.trex.answers import count, items, measure, section, text
from vppcfg.loadtest.trex.connections import ANSWERED
from vppcfg.record import record

SIDES = ("client", "server")
_MOST_COUNTERS = 1000
"""T-Rex has some 120."""
_NEEDED = (
    "m_active_flows",
    "tcps_connattempt",
    "tcps_connects",
    "tcps_closed",
    "udps_connects",
    "udps_closed",
    ANSWERED,
)
"""Counters without which no test can be judged."""
_BEGUN = ("tcps_connattempt", "udps_connects")
_ESTABLISHED = ("tcps_connects", "udps_connects")
_ENDED = ("tcps_closed", "udps_closed")
_FAILED = ("tcps_drops", "tcps_conndrops", "tcps_testdrops", "udps_keepdrops")
"""Dropped once established, dropped before, cut when the test ended, and left without an answer."""
_SENT = ("tcps_sndbyte", "udps_sndbyte")
_RECEIVED = ("tcps_rcvbyte", "udps_rcvbyte")
_SECTIONS = {"TCP": "TCP", "UDP": "UDP", "Application": "application", "Flow Table": "flow table"}
_OTHER = "other"
_MEANINGS = {
    "tcps_conndrops": "handshakes given up or refused",
    "tcps_drops": "connections dropped once established",
    "tcps_timeoutdrop": "connections given up after retransmissions",
    "tcps_testdrops": "connections cut because they had not ended when the test did",
    "tcps_rexmttimeo": "retransmissions of data because no acknowledgement came",
    "tcps_rexmttimeo_syn": "retransmissions of a SYN because no answer came",
    "tcps_keeptimeo": "timers for handshakes and idle connections that ran out",
    "tcps_keepdrops": "connections dropped by such a timer",
    "tcps_sndrexmitpack": "packets sent again",
    "tcps_sndrexmitbyte": "bytes sent again",
    "tcps_rcvoopack": "packets received out of order",
    "tcps_rcvoobyte": "bytes received out of order",
    "tcps_rcvduppack": "packets received twice",
    "tcps_rcvdupbyte": "bytes received twice",
    "tcps_rcvdupack": "acknowledgements received twice",
    "tcps_rcvafterclose": "packets received for closed connections",
    "tcps_rcvbadsum": "packets received with a wrong TCP checksum",
    "udps_keepdrops": "connections that got no answer",
    "err_cwf": "packets for connections that the client does not know any more",
    "err_no_syn": "packets for connections that the server does not know",
    "err_no_template": "connections to a port without a server",
    "err_no_memory": "connections not begun for lack of memory",
    "err_dct": "connections not begun because addresses and ports were in use: more clients are needed",
    "err_c_tuple_err": "connections not begun because no client had a port left: more clients are needed",
    "err_c_nf_throttled": "connections not begun because T-Rex was too busy",
    "err_s_nf_throttled": "connections not taken because T-Rex was too busy",
    "err_flow_overflow": "connections not begun because there were too many",
    "err_l3_cs": "packets received with a wrong IP checksum",
    "err_l4_cs": "packets received with a wrong TCP or UDP checksum",
}
"""In an operator's words; of counters that are not here T-Rex's own help is shown."""


@record
class Described:
    """One counter."""

    number: str
    name: str
    protocol: str
    help: str
    is_error: bool


@record
class FlowCounters:
    """All counters of both sides at a moment, by name; those that are 0 may be missing."""

    by_side: Mapping[str, Mapping[str, float]]

    def of(self, side: str, *names: str) -> int:
        """Return the sum of counters of a side."""
        values = self.by_side[side]
        return int(sum(values.get(name, 0.0) for name in names))


def described_counters(answer: object) -> tuple[Described, ...]:
    """Return the counters that a server has. Raise EngineError when one is missing that tests are judged by."""
    rows = items(section(answer), "data")
    if len(rows) > _MOST_COUNTERS:
        raise EngineError(f"T-Rex reports {len(rows)} counters, which it cannot have")
    found = tuple(_described(rows))
    names = {counter.name for counter in found}
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise EngineError(f"T-Rex has no counter {missing[0]}", "is it one of version 3.00 to 3.08?")
    return found


def _described(rows: Any) -> Iterator[Described]:
    """Yield the counters; rows that are none are headings of those behind them."""
    protocol = _OTHER
    for row in rows:
        name = text(row, "name")
        if row.get("real") is False:
            protocol = _SECTIONS.get(name, protocol)
            continue
        yield Described(
            number=str(count(row, "id")),
            name=name,
            protocol=protocol,
            help=text(row, "help"),
            is_error=text(row, "info") == "error",
        )


def read_counters(described: tuple[Described, ...], answer: object) -> FlowCounters:
    """Return the counters in the answer of a server that described them. Raise EngineError."""
    by_number = {counter.number: counter.name for counter in described}
    by_side = {}
    for side in SIDES:
        values = section(answer, side)
        by_side[side] = {by_number[number]: measure(values, number) for number in values if number in by_number}
    return FlowCounters(by_side=by_side)


def connections_of(counters: FlowCounters) -> ConnectionCount:
    """Return what clients counted."""
    return ConnectionCount(
        begun=counters.of("client", *_BEGUN),
        established=counters.of("client", *_ESTABLISHED),
        answered=counters.of("client", ANSWERED),
        ended=counters.of("client", *_ENDED),
        failed=counters.of("client", *_FAILED),
        sent_bytes=counters.of("client", *_SENT),
        received_bytes=counters.of("client", *_RECEIVED),
    )


def open_now(counters: FlowCounters) -> int:
    """Return how many connections clients have at this moment."""
    return counters.of("client", "m_active_flows")


def errors_since(described: tuple[Described, ...], now: FlowCounters, zero: FlowCounters) -> tuple[ErrorCount, ...]:
    """Return the errors of both sides that are not 0.

    T-Rex begins to count TCP and UDP anew with each test, but goes on with its flow table: `zero` is what it had.
    """
    return tuple(
        ErrorCount(
            side=side,
            protocol=counter.protocol,
            name=counter.name,
            meaning=_MEANINGS.get(counter.name, counter.help),
            count=number,
        )
        for side in SIDES
        for counter in described
        if (counter.is_error or counter.name in _FAILED)
        and (number := now.of(side, counter.name) - zero.of(side, counter.name)) > 0
    )
