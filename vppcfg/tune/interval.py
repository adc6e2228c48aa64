"""Computes the load of a VPP from two readings of its counters or more.

A single reading gives the load of the time that `show runtime` covers, without rates of errors.

A reading may be a text that was pasted and cut short: what stands behind the last row of a table that is not known to
be whole has no former value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from vppcfg.tune.load import ErrorRate, Load, NodeLoad, ThreadLoad, errors_by_key
from vppcfg.tune.ports import ports_between
from vppcfg.tune.reading import NodeCounters, Reading, ThreadCounters

DISAGREEMENT = 0.03
"""From here on header and table of `show runtime` count as contradicting; chosen to be above the rounding of both."""
_COUNTED_TWICE = 1.1
"""From this ratio on, nodes count as having counted packets more than once.

VPP reads the counters of one node after the other while packets come in: that alone makes a smaller difference.
"""
_VAGUE = 0.2
"""From this relative error on, clocks of an interval are taken from the average since the counters were cleared.

Printed figures have three digits: the difference of two large ones may be all error.
"""


def load_of(readings: Sequence[Reading]) -> Load:
    """Return the load from the first to the last reading, with the steps between when there are more than two."""
    if len(readings) == 1:
        return _between(None, readings[0])
    whole = _between(readings[0], readings[-1])
    if len(readings) == 2:
        return whole
    return replace(whole, steps=tuple(_between(before, after) for before, after in pairwise(readings)))


def _between(before: Reading | None, after: Reading) -> Load:
    duration_s = _duration(before, after)
    remarks = list(after.remarks)
    threads = _threads(before, after, remarks)
    if before is not None and duration_s is None:
        duration_s = max((thread.table_duration_s for thread in threads), default=None)
    errors = _errors(before, after, duration_s)
    ports = ports_between(before, after, duration_s, threads, errors)
    counted = tuple(
        replace(thread, queues=sum(queue.thread == thread.index for port in ports for queue in port.rx_queues))
        for thread in threads
    )
    return Load(
        reading=after,
        former=before,
        duration_s=duration_s,
        threads=counted,
        ports=ports,
        errors=errors,
        remarks=tuple(remarks),
    )


def _duration(before: Reading | None, after: Reading) -> float | None:
    if before is None or before.taken_s is None or after.taken_s is None or after.taken_s <= before.taken_s:
        return None
    return after.taken_s - before.taken_s


def _threads(before: Reading | None, after: Reading, remarks: list[str]) -> tuple[ThreadLoad, ...]:
    former = {thread.index: thread for thread in (before.threads or () if before else ())}
    found = (_thread(former.get(thread.index), thread, remarks) for thread in after.threads or ())
    loads = tuple(load for load in found if load is not None)
    return tuple(_counted_once(load, before, after, remarks) for load in loads) if before else loads


def _counted_once(load: ThreadLoad, before: Reading, after: Reading, remarks: list[str]) -> ThreadLoad:
    """Return the load with what its input nodes did, counted once.

    VPP refreshes the counters of nodes in its stats segment while workers go on counting (vlib/stats/collector.c). What
    a node that never rests did since the last refresh, now and then counts twice. What interfaces count is exact; the
    load stays as it is where an interface has gone or its counters were cleared.
    """
    then, now = _received(before, load.index), _received(after, load.index)
    if any(now.get(name, -1) < count for name, count in then.items()):
        return load
    received = sum(now.values()) - sum(then.values())
    if not received or load.rx_packets < _COUNTED_TWICE * received:
        return load
    share = received / load.rx_packets
    remarks.append(f"thread {load.index}: VPP counted packets more than once; how many came in is from the interfaces")
    nodes = (_scaled(node, share) if node.is_input and node.vectors else node for node in load.nodes)
    return replace(load, nodes=tuple(nodes))


def _received(reading: Reading, thread: int) -> dict[str, int]:
    """Return what is known of how many packets a thread took from each interface with queues and packet generator."""
    ports = {queue.interface for queue in reading.rx_queues or ()}
    rows = (row for row in reading.interfaces or () if row.name in ports or row.name.startswith("pg"))
    return {row.name: row.rx_by_thread[thread] for row in rows if thread < len(row.rx_by_thread)}


def _scaled(node: NodeLoad, share: float) -> NodeLoad:
    calls, vectors = round(node.calls * share), round(node.vectors * share)
    return replace(node, calls=calls, vectors=vectors, clocks=node.clocks * share)


def _thread(before: ThreadCounters | None, after: ThreadCounters, remarks: list[str]) -> ThreadLoad | None:
    """Return the load of a thread between two readings, None when its counters have not moved.

    When the counters were cleared between the readings, the load is the one since then.
    """
    if not after.time_s:
        remarks.append(f"thread {after.index}: the time that its counters cover is missing, so that it has no rates")
        nodes = tuple(_node(None, node) for node in after.nodes)
        return _finished(after, None, nodes, is_whole=True) if nodes or after.printed else None
    if before is not None and before.time_s is not None and not _was_cleared(before, after):
        if not _has_moved(before, after):
            remarks.append(f"thread {after.index}: the counters of its nodes have not moved between the readings")
            return None
        return _finished(after, _elapsed(before, after), _differences(before, after), is_whole=False)
    if before is not None:
        remarks.append(f"thread {after.index}: counters were cleared between the readings; what follows is since then")
    return _finished(after, after.time_s, tuple(_node(None, node) for node in after.nodes), is_whole=True)


def _elapsed(before: ThreadCounters, after: ThreadCounters) -> float:
    """Return the seconds between two readings of a thread's nodes, by the finest clock that both have."""
    if before.clock_s is not None and after.clock_s is not None and after.clock_s > before.clock_s:
        return after.clock_s - before.clock_s
    return (after.time_s or 0.0) - (before.time_s or 0.0)


def _has_moved(before: ThreadCounters, after: ThreadCounters) -> bool:
    """Return whether VPP has refreshed its counters of nodes between the readings."""
    if _elapsed(before, after) <= 0:
        return False
    former = {node.name: node.calls + node.suspends for node in before.nodes}
    return after.index > 0 or any(node.calls + node.suspends != former.get(node.name) for node in after.nodes)


def _was_cleared(before: ThreadCounters, after: ThreadCounters) -> bool:
    former = {node.name: node.calls for node in before.nodes}
    earlier = (after.time_s or 0.0) < (before.time_s or 0.0)
    return earlier or any(node.calls < former.get(node.name, 0) for node in after.nodes)


def _differences(before: ThreadCounters, after: ThreadCounters) -> tuple[NodeLoad, ...]:
    """Return what nodes did between two readings.

    VPP prints nodes in the order of their names: one behind the last row of a table that may have been cut is left
    out, for what it had counted before is unknown.
    """
    former = {node.name: node for node in before.nodes}
    last = "" if before.is_whole or not before.nodes else before.nodes[-1].name
    known = [node for node in after.nodes if node.name in former or not last or node.name < last]
    loads = (_node(former.get(node.name), node) for node in known)
    return tuple(load for load in loads if load.calls or load.suspends)


def _node(before: NodeCounters | None, after: NodeCounters) -> NodeLoad:
    """Return what a node did between two readings; without a former one, all that it has counted."""
    if before is None:
        before = replace(after, calls=0, vectors=0, clocks=0.0, suspends=0, clocks_error=0.0)
    clocks = after.clocks - before.clocks
    error = after.clocks * after.clocks_error + before.clocks * before.clocks_error
    calls, vectors, suspends = (
        after.calls - before.calls,
        after.vectors - before.vectors,
        after.suspends - before.suspends,
    )
    if clocks <= 0 or error > _VAGUE * clocks:
        counted = ((vectors, after.vectors), (calls, after.calls), (suspends, after.suspends))
        units, all_units = next((each for each in counted if each[0]), (0, 1))
        clocks = after.clocks / all_units * units
        error = clocks
    return NodeLoad(
        name=after.name,
        state=after.state,
        calls=calls,
        vectors=vectors,
        suspends=suspends,
        clocks=clocks,
        clocks_error=error / clocks if clocks else 0.0,
    )


def _finished(
    thread: ThreadCounters, duration_s: float | None, nodes: tuple[NodeLoad, ...], *, is_whole: bool
) -> ThreadLoad:
    """Return the load of a thread whose nodes are known; `is_whole` where they cover all that the reading has counted.

    Only then does the printed line `vector rates in ...` cover the same time. Where it contradicts the table of nodes,
    the duration is corrected so that both agree; where no duration is known, it is the one that the line implies. A
    thread that no line names is known to be the main thread when nodes of it were suspended: those are processes.
    """
    is_known = thread.is_named or any(node.suspends for node in thread.nodes)
    load = ThreadLoad(
        index=thread.index,
        name=thread.name if is_known else "a thread",
        is_known=is_known,
        lcore=thread.lcore,
        duration_s=duration_s,
        table_duration_s=duration_s or 0.0,
        nodes=nodes,
        printed=thread.printed if is_whole else None,
        vector_rate=thread.vector_rate,
    )
    received = load.printed.received_pps if load.printed else 0.0
    if not received or not load.rx_packets:
        return load
    if not duration_s:
        implied_s = load.rx_packets / received
        return replace(load, duration_s=implied_s, table_duration_s=implied_s)
    disagreement = 1 - load.rx_pps / received
    if abs(disagreement) <= DISAGREEMENT:
        return load
    return replace(load, duration_s=load.rx_packets / received, disagreement=disagreement)


def _errors(before: Reading | None, after: Reading, duration_s: float | None) -> tuple[ErrorRate, ...]:
    """Return what each counter of errors has counted, the largest first; without a rate where that is unknown.

    VPP keeps the order of rows. Where the former text may be cut, one behind the last row that both have may have a
    former count that is not in the text.
    """
    former = errors_by_key(before.errors or ()) if before else {}
    counters = after.errors or ()
    shared = [place for place, counter in enumerate(counters) if (counter.node, counter.reason) in former]
    known = len(counters) if before is None or before.is_closed("errors") else max(shared, default=-1) + 1
    rates = []
    for place, counter in enumerate(counters):
        count = counter.count - former.get((counter.node, counter.reason), 0)
        if count < 0:  # cleared between the readings
            count = counter.count
        if count:
            per_s = count / duration_s if duration_s and place < known else None
            severity = counter.severity
            rates.append(
                ErrorRate(node=counter.node, reason=counter.reason, count=count, per_s=per_s, severity=severity)
            )
    return tuple(sorted(rates, key=lambda rate: (-rate.count, rate.node, rate.reason)))
