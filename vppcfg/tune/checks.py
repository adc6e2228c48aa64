"""Checks that all was measured that a verdict needs: ports, threads, their load, losses, and counters of errors.

What was not seen is named, with the commands that would show it; losses are looked for in `loss_check`.
"""

from __future__ import annotations

from vppcfg.common.numbers import numbered
from vppcfg.common.rates import percent, pps
from vppcfg.record import record
from vppcfg.tune.load import ThreadLoad
from vppcfg.tune.reading import Reading
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.thresholds import DROP_SHARE, DROPS_PPS, IDLE_PPS, OFFERED_SHARE, SATURATED_VECTOR

_ROWS_SHARE = 0.8
"""Ours: rows that have less than this share of the packets in their header are not all there."""
BALANCE_SHARE = 0.01
"""Ours: packets that come in and neither leave nor are dropped matter from this share on."""
BALANCE_PPS = 100.0
PAUSE = "wait 10 s"
RUNTIME_AGAIN = ("clear runtime", PAUSE, "show runtime")
COUNTERS_AGAIN = ("show interface", PAUSE, "show interface")


@record
class Check:
    """One thing that has to be seen before all can be called well."""

    seen: str = ""
    missing: str = ""
    """What was not seen; empty when everything was."""
    commands: tuple[str, ...] = ()
    """What would show it."""
    suspicion: str = ""
    """What an open verdict begins with, where something points at a limit or a loss."""


def thread_count(reading: Reading) -> int | None:
    """Return how many threads VPP has, None when unknown."""
    seen = max((thread.index + 1 for thread in reading.threads or ()), default=0)
    queues = (*(reading.tx_queues or ()), *(queue for port in reading.hardware or () for queue in port.tx_queues))
    sending = max((thread + 1 for queue in queues for thread in queue.threads), default=0)
    placed = max((place.index + 1 for place in reading.places or ()), default=0)
    receivers = (*(reading.rx_queues or ()), *(queue for port in reading.hardware or () for queue in port.rx_queues))
    polling = max((queue.thread + 1 for queue in receivers), default=0)
    known = max(sending, placed)  # every thread is in these two
    if reading.is_closed("threads") and seen:
        known = max(known, seen)
    if not known and _is_alone(reading):
        known = 1
    return max(known, seen, polling) if known else None


def _is_alone(reading: Reading) -> bool:
    """Return whether there is one table, of a VPP without workers.

    It has processes, no line names it, and no row is there twice, as of several threads whose lines are gone.
    """
    tables = reading.threads or ()
    if len(tables) != 1 or tables[0].is_named:
        return False
    names = [node.name for node in tables[0].nodes]
    return any(node.suspends for node in tables[0].nodes) and len(set(names)) == len(names)


def check_threads(situation: Situation) -> Check:
    load = situation.load
    if not load.threads:
        return Check(missing="what the threads do", commands=RUNTIME_AGAIN)
    total = thread_count(load.reading)
    busiest = max(map(_fullest, load.threads))
    seen = f"{len(load.threads)} of {numbered(total, 'thread')}" if total else numbered(len(load.threads), "thread")
    seen = f"{seen} (vectors {busiest:.1f} of 256)"
    at_least = total or max(thread.index + 1 for thread in load.threads)
    if total is None and len(load.threads) == at_least:
        return Check(seen=seen, missing="whether there are more threads", commands=("show threads",))
    if len(load.threads) < at_least:
        return Check(seen=seen, missing="the other threads", commands=RUNTIME_AGAIN)
    return Check(seen=seen)


def check_load(situation: Situation) -> Check:
    """Look for packets that come in at a known rate, in tables that have as many as their headers state."""
    load = situation.load
    if not load.threads:
        return Check(missing="how many packets come in")
    full = ", ".join(thread.name for thread in load.threads if _may_be_full(thread))
    suspicion = f"the vectors of {full} are full, and the readings do not show whether it keeps up" if full else ""
    if situation.is_past:
        covered = (load.covered_s or 0.0) / 3600
        return Check(missing=f"the present: the rates are an average of {covered:.1f} hours", commands=RUNTIME_AGAIN)
    if any(not thread.duration_s for thread in load.threads):
        missing = "how many packets come in: the times are missing"
        return Check(missing=missing, commands=RUNTIME_AGAIN, suspicion=suspicion)
    short_of = [thread.name for thread in load.threads if _lacks_rows(thread)]
    if short_of:
        return Check(missing=f"all rows of {', '.join(short_of)}", commands=("show runtime",), suspicion=suspicion)
    if full:
        return Check(
            missing=f"whether {full} keeps up: its vectors are full", commands=COUNTERS_AGAIN, suspicion=suspicion
        )
    lost = _unaccounted_pps(load.reading)
    if lost:
        return Check(
            missing=f"where {pps(lost)} go that come in, and neither leave nor are dropped",
            commands=("show errors",),
            suspicion=f"{pps(lost)} come in, and neither leave nor are dropped",
        )
    return Check(seen=f"{pps(load.rx_pps)} come in")


def _may_be_full(thread: ThreadLoad) -> bool:
    """Return whether a thread's vectors are full, of packets from another sender."""
    return _fullest(thread) >= SATURATED_VECTOR and not thread.is_fed_by_generator


def _fullest(thread: ThreadLoad) -> float:
    """Return the mean vector of a thread, by its rows, or by its header, which has that of the last seconds."""
    fullest = max(thread.vectors, thread.vector_rate or 0.0)
    return fullest if fullest >= SATURATED_VECTOR or not thread.graph else thread.n_graph


def _lacks_rows(thread: ThreadLoad) -> bool:
    """Return whether the table of a thread has fewer packets than its header states, or nothing at all."""
    if not thread.nodes:
        return True
    printed = thread.printed.received_pps if thread.printed else 0.0
    rows_pps = thread.rx_packets / thread.table_duration_s if thread.table_duration_s else 0.0
    return printed >= IDLE_PPS and rows_pps < _ROWS_SHARE * printed


def _unaccounted_pps(reading: Reading) -> float:
    """Return the packets per second that come in by the headers and neither leave, nor are dropped or punted."""
    rates = [thread.printed for thread in reading.threads or () if thread.printed]
    received = sum(rate.received_pps for rate in rates)
    gone = received - sum(rate.sent_pps + rate.dropped_pps + rate.punted_pps for rate in rates)
    return gone if gone > max(BALANCE_SHARE * received, BALANCE_PPS) else 0.0


def check_ports(situation: Situation) -> Check:
    """Look for the counters of every port, and for the packets that the threads take among them."""
    load = situation.load
    has_hardware = load.reading.hardware is not None
    commands = ("show interface",) if has_hardware else ("show hardware-interfaces", "show interface")
    if not any(port.counters for port in load.ports):
        has_counters = any(port.hardware and port.hardware.counters for port in load.ports)
        missing = "what interfaces count" if has_counters else "ports and their missed packets"
        return Check(missing=missing, commands=commands)
    bare = [port.name for port in load.ports if port.counters is None or not port.counters.is_whole]
    seen = f"the counters of {len(load.ports) - len(bare)} of {numbered(len(load.ports), 'port')}"
    if bare:
        return Check(seen=seen, missing=f"all counters of {', '.join(bare)}", commands=("show interface",))
    received = _received_pps(situation)
    if received is not None and received < RECEIVES_AT_LEAST * load.rx_pps - IDLE_PPS:
        return Check(seen=seen, missing="the port that packets come in on", commands=commands)
    return Check(seen=seen)


RECEIVES_AT_LEAST = 0.5
"""Ours: ports that count less than this share of what threads take are not all there."""


def _received_pps(situation: Situation) -> float | None:
    """Return what all ports receive; None when their counters give no rate."""
    rates = [port.rx_pps for port in situation.load.ports if port.rx_pps is not None and not port.rx_is_inferred]
    return sum(rates) if rates else None


def check_errors(situation: Situation) -> Check:
    if situation.load.reading.errors is not None:
        return Check(seen="error counters" if situation.load.drops else "error counters (none of drops)")
    dropped, received = _dropped_pps(situation.load.reading)
    if dropped <= max(DROPS_PPS, DROP_SHARE * received):
        return Check(missing="error counters", commands=("show errors",))
    share = f" of the {pps(received)} ({percent(dropped / received)})" if received else ""
    text = f"{pps(dropped)}{share} that come in are dropped"
    return Check(missing=f"error counters, which show why {text}", commands=("show errors",),
                 suspicion=f"{text}, and the cause is not in the readings")  # fmt: skip


def _dropped_pps(reading: Reading) -> tuple[float, float]:
    """Return the packets per second that are dropped, and those that come in, by the headers of threads."""
    rates = [thread.printed for thread in reading.threads or () if thread.printed]
    return sum(rate.dropped_pps for rate in rates), sum(rate.received_pps for rate in rates)


def check_trials(situation: Situation) -> Check:
    """Look for packets that a generator sent and did not get back."""
    worst = max(situation.trials, key=lambda trial: trial.loss, default=None)
    if worst is None or worst.loss <= 1 - OFFERED_SHARE:
        return Check()
    text = f"{percent(worst.loss)} of {pps(worst.offered_pps)} ({worst.frame})"
    return Check(
        missing=f"where {text} are lost",
        commands=(*COUNTERS_AGAIN, "show runtime", "show errors"),
        suspicion=f"a trial lost {text}, and the readings do not show where",
    )
