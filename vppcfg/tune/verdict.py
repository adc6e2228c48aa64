"""Sums up a diagnosis, and how sure it is: what was seen, what was not, what would show it.

A finding stands on its own evidence. That all is well has to be shown: by all threads, by the counters of every port
that receives, over a time in which packets came in and none was lost. Where one of these was not seen, the verdict is
open, and names the command that would show most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from vppcfg.common.numbers import numbered
from vppcfg.common.rates import count, packets, percent, pps
from vppcfg.record import record
from vppcfg.tune.checks import (
    BALANCE_PPS,
    BALANCE_SHARE,
    COUNTERS_AGAIN,
    PAUSE,
    Check,
    check_errors,
    check_load,
    check_ports,
    check_threads,
    check_trials,
    thread_count,
)
from vppcfg.tune.driver_counters import driver_losses
from vppcfg.tune.finding import Finding, FindingSeverity
from vppcfg.tune.load import ErrorRate, Load, PortLoad
from vppcfg.tune.ports import is_ring_full
from vppcfg.tune.reading import InterfaceCounters
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.rules.memory import is_scarce
from vppcfg.tune.rules.traffic import asked_for
from vppcfg.tune.thresholds import DROP_SHARE, DROPS_PPS, FAULT_PPS, IDLE_PPS, MANY_PACKETS, MEMORY_USED, OFFERED_SHARE


def summaries(load: Load) -> Iterator[str]:
    """Yield a phrase for each part that was read; what a rule finds fault with is left to its finding."""
    reading = load.reading
    if reading.version:
        yield f"VPP {reading.version}"
    for pool in reading.buffers or ():
        if pool.total and not is_scarce(pool):
            yield f"buffers of {pool.name}: {percent(pool.used / pool.total)} of {count(pool.total)} used"
    for heap in reading.heaps or ():
        if heap.total_bytes and heap.used_bytes <= MEMORY_USED * heap.total_bytes:
            used = percent(heap.used_bytes / heap.total_bytes)
            yield f"{heap.name}: {used} of {heap.total_bytes >> 20:,}M used"
    if reading.rx_queues:
        threads = {queue.thread for queue in reading.rx_queues}
        yield f"{numbered(len(reading.rx_queues), 'receive queue')} on {numbered(len(threads), 'thread')}"
    links = [port.hardware.is_up for port in load.ports if port.hardware]
    if links:
        yield f"{sum(links)} of {numbered(len(links), 'port')} up"
    if reading.is_tracing is False:
        yield "no packets traced"


_ENOUGH_PACKETS = 10_000
"""Ours: of fewer packets, their fate does not matter."""
_READ_IN_TURN_S = 0.2
"""Ours: what may pass between reading two counters on a busy machine: 1.4 % of 3 s was seen."""
_POLLED_S = 9.0
"""Ours: readings so far apart show what DPDK's ports missed: VPP asks DPDK every 10 s (DPDK_STATS_POLL_INTERVAL)."""
_DEVICE = re.compile(
    r"^(?:\w*[a-z]Ethernet\w*/|host-|tap\d|memif\d|avf-|rdma-|vmxnet3-|virtio-|netmap-|eth\d|en[ops]\w*\d)"
)
"""How the names of devices begin that VPP gives or takes over; whether another name is a tunnel's, nothing shows."""
LOST_BEFORE = "packets were lost or dropped since the counters began; whether they still are takes a second reading"


def check_losses(situation: Situation) -> Check:
    """Look whether anything was lost in the time that was watched, or ever."""
    duration_s = situation.load.duration_s
    found = _losses_ever(situation) if duration_s is None else _losses_between(situation, duration_s)
    if found.seen and not found.missing and situation.load.rx_pps and _is_short_of_offer(situation):
        return Check(missing="where the rest of what is offered goes", commands=COUNTERS_AGAIN)
    return found


def _losses_between(situation: Situation, duration_s: float) -> Check:
    load = situation.load
    by_drivers = sum(lost for port in load.ports for _, lost in port.driver_lost_pps.values())
    if by_drivers >= FAULT_PPS:
        return Check(missing=f"why drivers lose {pps(by_drivers)}", commands=("show errors", "show interface"))
    if not any(port.counters for port in load.ports):
        return Check(commands=COUNTERS_AGAIN)
    unknown = [port.name for port in load.ports if _lost_pps(port) is None]
    if unknown:
        return Check(missing=f"what {', '.join(unknown)} lost between the readings", commands=COUNTERS_AGAIN)
    lost = sum(_lost_pps(port) or 0.0 for port in load.ports)
    if lost >= FAULT_PPS:
        return Check(missing=f"why ports lose {pps(lost)}", commands=("show errors", "show hardware-interfaces"))
    dropped = sum(port.drops_pps or 0.0 for port in load.ports) - asked_for(load)[0]
    if dropped > max(DROPS_PPS, DROP_SHARE * load.rx_pps):
        return Check(missing=f"why {pps(dropped)} are dropped", commands=("show errors", "show trace"))
    gone = _gone_pps(load.ports, duration_s)
    if gone:
        return Check(missing=f"what became of {gone}", commands=("show errors",),
                     suspicion=f"no reading shows the fate of {gone}")  # fmt: skip
    unread = [port.name for port in load.ports if duration_s < _POLLED_S and _is_unread(port, situation)]
    if unread:
        return Check(missing=f"what {', '.join(unread)} missed: VPP asks DPDK every 10 s", commands=COUNTERS_AGAIN)
    return Check(seen=f"nothing was lost in {duration_s:.0f} s")


def _is_unread(port: PortLoad, situation: Situation) -> bool:
    """Return whether nothing made VPP ask DPDK what a port missed, as `show hardware-interfaces` does at once."""
    is_dpdk = port.hardware is not None and port.hardware.rx_limits is not None and not port.hardware.native_driver
    former = situation.load.former.hardware if situation.load.former else None
    return is_dpdk and not former


def _losses_ever(situation: Situation) -> Check:
    """Look whether anything was lost since the counters began, by all that counts: interfaces, drivers, errors."""
    load = situation.load
    lost = [*_ever_lost(load.ports), *_ever_refused(load.errors)]
    meant = asked_for(load)[1]
    dropped = list(_ever_dropped(load.ports, DROPS_PPS * (load.covered_s or 0.0), meant))
    gone = _unaccounted(load.ports)
    missing = [f"a second reading: {', '.join((*lost, *dropped))} since the counters began"] if lost or dropped else []
    missing += [f"what became of {gone}"] if gone else []
    if missing:
        many = lost or any(port.counters and port.counters.drops >= MANY_PACKETS for port in load.ports)
        suspicion = LOST_BEFORE if many else f"no reading shows the fate of {gone}" if gone else ""
        commands = COUNTERS_AGAIN if lost or dropped else ("show errors",)
        return Check(missing="; ".join(missing), commands=commands, suspicion=suspicion)
    if any(port.counters and not port.counters.is_whole for port in load.ports):
        return Check(seen="no loss is among the counters that are there")
    if not any(port.counters for port in load.ports):
        return Check(missing="a second reading", commands=COUNTERS_AGAIN)
    few = _share(sum(port.counters.drops for port in load.ports if port.counters),
                 sum(port.drops_of for port in load.ports))  # fmt: skip
    return Check(seen=f"no port has lost a packet since its counters began{f'; {few} were dropped' if few else ''}")


def _ever_refused(errors: Iterable[ErrorRate]) -> Iterator[str]:
    """Yield the packets that ports could not send, by the counters of the nodes that send."""
    for rate in errors:
        if is_ring_full(rate.reason):
            yield f"{rate.node} did not send {packets(rate.count)}"


def _is_short_of_offer(situation: Situation) -> bool:
    """Return whether all threads together, or one of the ports, receive less than is sent there."""
    offered = max(situation.offered.get("", 0.0), sum(rate for port, rate in situation.offered.items() if port))
    return situation.load.rx_pps < OFFERED_SHARE * offered or any(
        port.rx_pps is not None and port.rx_pps < OFFERED_SHARE * (situation.offered_to(port) or 0.0)
        for port in situation.load.ports
    )


def _lost_pps(port: PortLoad) -> float | None:
    """Return what a port loses per second, None when one of its counters is unknown."""
    rates = (port.rx_miss_pps, port.no_buf_pps, port.rx_error_pps, port.tx_error_pps)
    if any(rate is None for rate in rates):
        return None
    return port.tx_lost_pps + sum(rate or 0.0 for rate in rates)


def _ever_lost(ports: Sequence[PortLoad]) -> Iterator[str]:
    """Yield what the counters of ports and their drivers have of lost packets since they began."""
    for port in ports:
        counters = port.counters or InterfaceCounters(name=port.name)
        lost = counters.rx_miss + counters.rx_no_buf + counters.rx_error + counters.tx_error
        by_driver = driver_losses(port.hardware.counters if port.hardware else ())
        lost = max(lost, sum(number for _, number in by_driver.values()))
        if lost:
            yield f"{port.name} lost {packets(lost)}"


def _ever_dropped(ports: Sequence[PortLoad], few: float, meant: int) -> Iterator[str]:
    """Yield what ports have dropped since their counters began; `few` drops are what any network has.

    `meant` are all that filters dropped: which ports these came to, nothing shows.
    """
    if sum(port.counters.drops for port in ports if port.counters) - meant <= few:
        return
    for port in ports:
        if port.counters is not None and port.counters.drops > max(few, DROP_SHARE * port.drops_of):
            yield f"{port.name} dropped {_share(port.counters.drops, port.drops_of)} packets"


def _share(part: int, whole: int) -> str:
    """Return a number with what it is a part of, '' for 0."""
    if not part:
        return ""
    return f"{count(part)} of {count(whole)} ({percent(part / whole)})" if whole >= part else count(part)


def _unaccounted(ports: Sequence[PortLoad]) -> str:
    """Return the packets that came in by the counters of ports and neither left nor were dropped, '' where none did.

    What VPP takes for itself is among them. Tunnels and bonds count the packets of their ports again, so that only
    devices show, and more than one.
    """
    counted = [port.counters for port in ports if port.counters is not None]
    if len(counted) < 2 or not all(_is_device(port) for port in ports):
        return ""
    received = sum(each.rx_packets for each in counted)
    gone = received - sum(each.tx_packets + each.drops + each.punts for each in counted)
    if received < _ENOUGH_PACKETS or gone <= BALANCE_SHARE * received:
        return ""
    return f"{_share(gone, received)} packets, which came in and did not leave"


def _is_device(port: PortLoad) -> bool:
    """Return whether a port counts packets that no other one counts."""
    hardware = port.hardware
    return bool(_DEVICE.match(port.name) or (hardware and (hardware.pci_address or hardware.link_bps)))


def _gone_pps(ports: Sequence[PortLoad], duration_s: float) -> str:
    """Return the same as packets per second between two readings, as far as counters read in turn can show."""
    rates = [(port.rx_pps, port.tx_pps, port.drops_pps, port.punts_pps) for port in ports]
    is_known = all(rate is not None for row in rates for rate in row)
    if len(rates) < 2 or not is_known or not all(_is_device(port) and not port.rx_is_inferred for port in ports):
        return ""
    received = sum(row[0] or 0.0 for row in rates)
    gone = received - sum(rate or 0.0 for row in rates for rate in row[1:])
    if gone <= max(BALANCE_SHARE * received, received * _READ_IN_TURN_S / duration_s, BALANCE_PPS):
        return ""
    return f"{pps(gone)} of {pps(received)} ({percent(gone / received)}), which come in and do not leave"


_CHECKS = (check_ports, check_threads, check_load, check_losses, check_errors)
_ABOUT_LOSSES = {"port-loss", "not-tuning", "handoff", "nat-exhausted"}


class VerdictWord(Enum):
    """What a diagnosis comes to, best first."""

    HEALTHY = "healthy"
    """Nothing is lost and nothing at its limit, and that was shown."""
    IDLE = "idle"
    """The same, with next to no packets: it shows nothing about load."""
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
    """Of all there are; None when unknown."""
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
    """Commands of VPP, the most informative one first."""


def judge(situation: Situation, findings: Sequence[Finding]) -> Judgement:
    """Return the verdict on a situation in which the rules found `findings`."""
    by_trials = not situation.load.threads and bool(situation.trials)
    checks = tuple(look(situation) for look in ((check_trials,) if by_trials else (*_CHECKS, check_trials)))
    missing = tuple(check.missing for check in checks if check.missing)
    seen = (*(check.seen for check in checks if check.seen), *summaries(situation.load))
    word = _worst(findings)
    if word is None and missing:
        word = VerdictWord.UNDECIDED
    if word is None:
        is_idle = situation.load.rx_pps < IDLE_PPS and not by_trials
        word = VerdictWord.IDLE if is_idle else VerdictWord.HEALTHY
    return Judgement(
        word=word,
        text=_text(word, checks, findings, len(seen)),
        scope=_scope(situation),
        seen=seen,
        missing=missing,
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


def _text(word: VerdictWord, checks: Sequence[Check], findings: Sequence[Finding], seen: int) -> str:
    if word is VerdictWord.HEALTHY:
        return "nothing is lost and nothing is at its limit"
    if word is VerdictWord.IDLE:
        return "next to nothing comes in, and none of it is lost; this shows nothing about load"
    if word is VerdictWord.UNDECIDED:
        suspicions = [check.suspicion for check in checks if check.suspicion]
        if any(finding.undecided and finding.rule in _ABOUT_LOSSES for finding in findings):
            suspicions.insert(0, LOST_BEFORE)
        missing = sum(bool(check.missing) and not check.seen for check in checks)
        parts = sum(bool(check.missing and check.seen) for check in checks)
        unseen = f"{missing} of {missing + seen} things were not seen" if missing else ""
        in_part = f"{numbered(parts, 'thing')} in part only" if parts else ""
        return next(iter(suspicions), "") or (
            f"nothing seen is at its limit, but {', and '.join(filter(None, (unseen, in_part)))}"
        )
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
