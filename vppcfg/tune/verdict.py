"""Says what a diagnosis comes to as a whole, and how sure that is: what was seen, what was not, what would tell.

A finding stands on its own evidence. That all is well has to be shown: by all threads, by the counters of every port
that receives, over a time in which packets came in and none was lost. Where one of these was not seen, the verdict is
open, and names the command that would tell most.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from vppcfg.common.numbers import numbered
from vppcfg.common.rates import count, percent, pps
from vppcfg.record import record
from vppcfg.tune.driver_counters import driver_losses
from vppcfg.tune.finding import Finding, FindingSeverity
from vppcfg.tune.load import PortLoad, ThreadLoad
from vppcfg.tune.reading import Reading
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.thresholds import DROP_SHARE, DROPS_PPS, FAULT_PPS, IDLE_PPS, OFFERED_SHARE, SATURATED_VECTOR

_ROWS_SHARE = 0.8
"""Ours: rows that have less than this share of the packets in their header are not all there."""
_BALANCE_SHARE = 0.01
"""Ours: packets that come in and neither leave nor are dropped matter from this share on."""
_BALANCE_PPS = 100.0
_LOST_BEFORE = "a second reading: "
PAUSE = "wait 10 s"
RUNTIME_AGAIN = ("clear runtime", PAUSE, "show runtime")
COUNTERS_AGAIN = ("show interface", PAUSE, "show interface")


class VerdictWord(Enum):
    """What a diagnosis comes to, best first."""

    HEALTHY = "healthy"
    """Nothing is lost and nothing at its limit, and that was shown."""
    IDLE = "idle"
    """The same, with next to no packets: it says nothing about load."""
    UNDECIDED = "undecided"
    RISK = "risk"
    LIMIT = "limit"
    LOSS = "loss"

    def is_as_bad_as(self, other: VerdictWord) -> bool:
        """Return whether this is `other` or worse."""
        order = list(VerdictWord)
        return order.index(self) >= order.index(other)


@record
class Scope:
    """What a verdict is about."""

    threads: tuple[str, ...]
    """Names of those that were seen."""
    thread_count: int | None
    """Of all there are; None when nothing tells."""
    ports: tuple[str, ...]
    """Those whose counters were seen."""
    seconds: float | None
    """What was watched, or the time that an average covers."""


@record
class Judgement:
    """What a diagnosis comes to, how far it reaches, and what would make it surer."""

    word: VerdictWord
    text: str
    scope: Scope
    seen: tuple[str, ...]
    missing: tuple[str, ...]
    next: tuple[str, ...]
    """Commands of VPP, the one that tells most first."""


@record
class Check:
    """One thing that has to be seen before all can be called well."""

    seen: str = ""
    missing: str = ""
    """What was not seen; empty when everything was."""
    commands: tuple[str, ...] = ()
    """What would show it."""


def judge(situation: Situation, findings: Sequence[Finding]) -> Judgement:
    """Return the verdict on a situation in which the rules found `findings`."""
    checks = tuple(check(situation) for check in (_ports, _threads, _load, _losses, _errors))
    missing = tuple(check.missing for check in checks if check.missing)
    by_trials = not situation.load.threads and bool(situation.trials)
    word = _worst(findings)
    if word is None and missing and not by_trials:
        word = VerdictWord.UNDECIDED
    if word is None:
        is_idle = situation.load.rx_pps < IDLE_PPS and not by_trials
        word = VerdictWord.IDLE if is_idle else VerdictWord.HEALTHY
    return Judgement(
        word=word,
        text=_text(word, missing, len(checks), findings),
        scope=_scope(situation),
        seen=tuple(check.seen for check in checks if check.seen),
        missing=() if by_trials else missing,
        next=_in_order([check.commands for check in checks if check.missing]),
    )


def _in_order(wanted: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return commands, each once, in an order that has one pause at most, with what has to be seen again behind it."""
    before: dict[str, None] = {}
    after: dict[str, None] = {}
    for commands in wanted:
        pause = commands.index(PAUSE) if PAUSE in commands else len(commands)
        before |= dict.fromkeys(commands[:pause])
        after |= dict.fromkeys(commands[pause + 1 :])
    return (*before, PAUSE, *after) if after else tuple(before)


def _worst(findings: Sequence[Finding]) -> VerdictWord | None:
    """Return the word of the worst finding, None when none of them is more than a notice."""
    severities = {finding.severity for finding in findings}
    words = {
        FindingSeverity.LOSS: VerdictWord.LOSS,
        FindingSeverity.LIMIT: VerdictWord.LIMIT,
        FindingSeverity.RISK: VerdictWord.RISK,
    }
    return next((word for severity, word in words.items() if severity in severities), None)


def _text(word: VerdictWord, missing: Sequence[str], all_of_them: int, findings: Sequence[Finding]) -> str:
    if word is VerdictWord.HEALTHY:
        return "nothing is lost and nothing is at its limit"
    if word is VerdictWord.IDLE:
        return "next to nothing comes in, and none of it is lost; this says nothing about load"
    if word is VerdictWord.UNDECIDED and any(each.startswith(_LOST_BEFORE) for each in missing):
        return "packets were lost since the counters began; whether they still are takes a second reading"
    if word is VerdictWord.UNDECIDED:
        return f"nothing seen is at its limit, but {len(missing)} of {all_of_them} things were not seen"
    worst = next(finding for finding in findings if finding.severity.value == word.value)
    return worst.verdict


def _scope(situation: Situation) -> Scope:
    load = situation.load
    return Scope(
        threads=tuple(thread.name for thread in load.threads),
        thread_count=thread_count(load.reading),
        ports=tuple(port.name for port in load.ports if port.counters is not None),
        seconds=load.duration_s or load.covered_s,
    )


def thread_count(reading: Reading) -> int | None:
    """Return how many threads VPP has, None when nothing tells."""
    seen = max((thread.index + 1 for thread in reading.threads or ()), default=0)
    queues = (*(reading.tx_queues or ()), *(queue for port in reading.hardware or () for queue in port.tx_queues))
    sending = max((thread + 1 for queue in queues for thread in queue.threads), default=0)
    placed = max((place.index + 1 for place in reading.places or ()), default=0)
    receivers = (*(reading.rx_queues or ()), *(queue for port in reading.hardware or () for queue in port.rx_queues))
    polling = max((queue.thread + 1 for queue in receivers), default=0)
    told = max(sending, placed)  # every thread is in these two
    if reading.is_closed("threads") and seen:
        told = max(told, seen)
    if not told and _is_alone(reading):
        told = 1
    return max(told, seen, polling) if told else None


def _is_alone(reading: Reading) -> bool:
    """Return whether there is one table, of a VPP without workers: it has processes, and no line names it."""
    tables = reading.threads or ()
    return len(tables) == 1 and not tables[0].is_named and any(node.suspends for node in tables[0].nodes)


def _threads(situation: Situation) -> Check:
    load = situation.load
    if not load.threads:
        return Check(missing="what the threads do", commands=RUNTIME_AGAIN)
    total = thread_count(load.reading)
    busiest = max((thread.n_graph for thread in load.threads), default=0.0)
    seen = f"{len(load.threads)} of {numbered(total, 'thread')}" if total else numbered(len(load.threads), "thread")
    seen = f"{seen} (vectors {busiest:.1f} of 256)"
    at_least = total or max(thread.index + 1 for thread in load.threads)
    if total is None and len(load.threads) == at_least:
        return Check(seen=seen, missing="whether there are more threads", commands=("show threads",))
    if len(load.threads) < at_least:
        return Check(seen=seen, missing="the other threads", commands=RUNTIME_AGAIN)
    return Check(seen=seen)


def _load(situation: Situation) -> Check:
    """Look for packets that come in at a known rate, in tables that have as many as their headers say."""
    load = situation.load
    if not load.threads:
        return Check(missing="how many packets come in")
    if any(not thread.duration_s for thread in load.threads):
        return Check(missing="how many packets come in: the times are missing", commands=RUNTIME_AGAIN)
    if situation.is_past:
        covered = (load.covered_s or 0.0) / 3600
        return Check(missing=f"the present: the rates are an average of {covered:.1f} hours", commands=RUNTIME_AGAIN)
    short_of = [thread.name for thread in load.threads if _lacks_rows(thread)]
    if short_of:
        return Check(missing=f"all rows of {', '.join(short_of)}", commands=("show runtime",))
    full = [thread.name for thread in load.forwarding if thread.n_graph >= SATURATED_VECTOR]
    if full:
        return Check(missing=f"whether {', '.join(full)} keeps up: its vectors are full", commands=COUNTERS_AGAIN)
    lost = _unaccounted_pps(load.reading)
    if lost:
        return Check(missing=f"where {pps(lost)} go that come in, and neither leave nor are dropped",
                     commands=("show errors",))  # fmt: skip
    return Check(seen=f"{pps(load.rx_pps)} come in")


def _lacks_rows(thread: ThreadLoad) -> bool:
    """Return whether the table of a thread has fewer packets than its header says, or nothing at all."""
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
    return gone if gone > max(_BALANCE_SHARE * received, _BALANCE_PPS) else 0.0


def _ports(situation: Situation) -> Check:
    """Look for the counters of every port, and for the packets that the threads take among them."""
    load = situation.load
    has_hardware = load.reading.hardware is not None
    commands = ("show interface",) if has_hardware else ("show hardware-interfaces", "show interface")
    if not any(port.counters for port in load.ports):
        return Check(missing="ports and their missed packets", commands=commands)
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


def _losses(situation: Situation) -> Check:
    """Look whether anything was lost in the time that was watched, or ever."""
    load = situation.load
    if not any(port.counters for port in load.ports):
        return Check(missing="a second reading" if load.duration_s is None else "", commands=COUNTERS_AGAIN)
    if load.duration_s is None:
        ever = list(_ever_lost(load.ports, DROPS_PPS * (load.covered_s or 0.0)))
        if ever:
            return Check(missing=f"{_LOST_BEFORE}{', '.join(ever)} since the counters began", commands=COUNTERS_AGAIN)
        return Check(seen="no port has lost a packet since its counters began")
    by_drivers = sum(lost for port in load.ports for _, lost in port.driver_lost_pps.values())
    if by_drivers >= FAULT_PPS:
        return Check(missing=f"why drivers lose {pps(by_drivers)}", commands=("show errors", "show interface"))
    unknown = [port.name for port in load.ports if _lost_pps(port) is None]
    if unknown:
        return Check(missing=f"what {', '.join(unknown)} lost between the readings", commands=COUNTERS_AGAIN)
    lost = sum(_lost_pps(port) or 0.0 for port in load.ports)
    if lost >= FAULT_PPS:
        return Check(missing=f"why ports lose {pps(lost)}", commands=("show errors", "show hardware-interfaces"))
    dropped = sum(port.drops_pps or 0.0 for port in load.ports)
    if dropped > max(DROPS_PPS, DROP_SHARE * load.rx_pps):
        return Check(missing=f"why {pps(dropped)} are dropped", commands=("show errors", "show trace"))
    if load.rx_pps and _is_short_of_offer(situation):
        return Check(missing="where the rest of what is offered goes", commands=COUNTERS_AGAIN)
    return Check(seen=f"nothing was lost in {load.duration_s:.0f} s")


def _is_short_of_offer(situation: Situation) -> bool:
    offered = situation.offered.get("") or max(situation.offered.values(), default=0.0)
    return bool(offered) and situation.load.rx_pps < OFFERED_SHARE * offered


def _lost_pps(port: PortLoad) -> float | None:
    """Return what a port loses per second, None when one of its counters is unknown."""
    rates = (port.rx_miss_pps, port.no_buf_pps, port.rx_error_pps, port.tx_error_pps)
    if any(rate is None for rate in rates):
        return None
    return port.tx_lost_pps + sum(rate or 0.0 for rate in rates)


def _ever_lost(ports: Sequence[PortLoad], few: float) -> Iterator[str]:
    """Yield what the counters of ports say was lost since they began; `few` drops are what any network has."""
    for port in ports:
        counters = port.counters
        if counters is None:
            continue
        lost = counters.rx_miss + counters.rx_no_buf + counters.rx_error + counters.tx_error
        by_driver = driver_losses(port.hardware.counters if port.hardware else ())
        lost = max(lost, sum(number for _, number in by_driver.values()))
        if lost:
            yield f"{port.name} lost {count(lost)} packets"
        elif counters.drops > max(few, DROP_SHARE * counters.rx_packets):
            share = percent(counters.drops / counters.rx_packets) if counters.rx_packets else "all"
            yield f"{share} of what {port.name} received was dropped"


def _errors(situation: Situation) -> Check:
    if situation.load.reading.errors is None:
        return Check(missing="error counters", commands=("show errors",))
    return Check(seen="error counters")
