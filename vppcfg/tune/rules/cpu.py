"""Rules about the CPUs of workers: one that has no time left, is shared, runs slowly, or does needless work."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.numbers import numbered
from vppcfg.common.rates import percent, pps, short
from vppcfg.tune.checks import thread_count
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, FindingSeverity, Remedy
from vppcfg.tune.load import ThreadLoad
from vppcfg.tune.reading import HostFacts
from vppcfg.tune.rule_context import Situation, nodes_source
from vppcfg.tune.settings import isolate, more_rx_queues, unknown_native, workers
from vppcfg.tune.thresholds import BASE_FIT_HZ, CLOCK_SLOW, FRAME, SATURATED_INPUT, SATURATED_VECTOR

_PREEMPTED = 10
"""Ours: times that a worker was taken off its CPU from which on it is worth a word."""

_IDLE_SHARE = 0.5
"""Ours: a thread that packets take less than this share of keeps up with them."""
_ALL_CLOCKS = 0.95
"""Ours: share of a thread's clocks that leaves it no time: 2 to 5 % go to its loop."""
_FINDS_SHARE = 0.05
"""Ours: more loops than this share of a saturated thread find packets, also where the two figures are of two times."""


_DOMINANT = 0.5
"""Ours: share of a full worker's clocks from which on one node is what to look at first."""
_CHEAPER = (
    ("acl-plugin-", "first the ACLs: fewer rules, the busiest first, `permit+reflect`, which looks flows up once, and "
     "no `use-hash-acl-matching 0`; "),
    ("ip4-inacl", "first the chain of classify tables: fewer of them, the busiest first; "),
    ("ip6-inacl", "first the chain of classify tables: fewer of them, the busiest first; "),
    ("l2-input-classify", "first the chain of classify tables: fewer of them, the busiest first; "),
    ("abf-input-", "first the policies of the interface: fewer of them, the busiest first; "),
)  # fmt: skip
"""Nodes whose work grows with what is configured, by the beginning of their names, and what makes it less."""


def find_cpu_bound(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per saturated thread.

    A worker finds full frames wherever it looks, so that it never catches up.
    """
    for thread in situation.load.forwarding:
        full = SATURATED_INPUT * FRAME * situation.busy_queues(thread)
        is_full = thread.vectors >= SATURATED_VECTOR and thread.n_rx >= full
        if (is_full and not _has_time_left(thread, situation)) or _works_all_the_time(thread, situation):
            yield _cpu_bound_finding(thread, situation)


def _works_all_the_time(thread: ThreadLoad, situation: Situation) -> bool:
    """Return whether packets in full vectors take all clocks of a thread, however many polls find none.

    A sender that comes in gulps leaves polls empty between them. Clocks of polls do not count here.
    """
    base_hz = situation.load.base_hz
    if not base_hz or base_hz < BASE_FIT_HZ or not thread.duration_s or thread.is_fed_by_generator:
        return False
    work_hz = thread.per_s(sum(node.clocks for node in thread.graph))
    return thread.vectors >= SATURATED_VECTOR and work_hz >= _ALL_CLOCKS * base_hz


def _has_time_left(thread: ThreadLoad, situation: Situation) -> bool:
    """Return whether a thread with full vectors is idle most of its time, or its packets prove nothing.

    The packet generator hands over full vectors whatever the load. A thread that needs half of its clocks or less, or
    looks for packets in vain nearly always, keeps up.
    """
    if thread.is_fed_by_generator:
        return True
    base_hz = situation.load.base_hz if thread.graph else None
    if base_hz and base_hz >= BASE_FIT_HZ and 0 < _busy_hz(thread) < _IDLE_SHARE * base_hz:
        return True
    counters = {each.index: each for each in situation.load.reading.threads or ()}.get(thread.index)
    loops_per_s = counters.loops_per_s if counters is not None else None
    calls_per_s = thread.per_s(max((node.calls for node in thread.inputs if node.vectors), default=0))
    finds_per_s = min(thread.rx_pps / max(thread.n_rx, 1.0), calls_per_s)
    return bool(loops_per_s and thread.duration_s and finds_per_s < _FINDS_SHARE * loops_per_s)


def _busy_hz(thread: ThreadLoad) -> float:
    """Return the clocks per second that the packets of a thread take."""
    return thread.clocks_per_packet * thread.rx_pps


def _cpu_bound_finding(thread: ThreadLoad, situation: Situation) -> Finding:
    ports = [port for port in situation.load.ports if any(q.thread == thread.index for q in port.rx_queues)]
    lost = sum(port.rx_miss_pps or 0.0 for port in ports)
    total = thread_count(situation.load.reading)
    count = total - 1 if total is not None else None
    is_all_seen = len(situation.load.threads) == total
    return Finding(
        rule="cpu-bound",
        severity=FindingSeverity.LOSS if lost else FindingSeverity.LIMIT,
        subject=thread.name,
        verdict=f"{thread.name} has no time left: "
        + (f"it forwards {pps(thread.rx_pps)}, and that is its limit" if thread.duration_s else "its vectors are full")
        + _dominant(thread),
        evidence=_cpu_bound_evidence(thread, situation, lost),
        lost_pps=lost,
        proposal=Remedy(
            text=f"{_cheaper(thread)}more workers, with a receive queue for each on every port; fewer features on the "
            f"path; a higher clock. Without free cores this is the capacity of the machine{unknown_native(ports)}",
            settings=()
            if count is None
            else (workers(count + 1, count), *more_rx_queues(situation.load.ports, count + 1)),
        ),
        expectation=Expectation(
            text="a worker forwards what the main thread does now, and the main thread is free for the API"
            if count == 0
            else f"{_in_place_of(count)}: the rate grows by that factor, 10 % less at worst, as far as the NIC keeps "
            "up and the traffic has many flows",
            basis=Basis.COMPUTED,
            gain_pps=(situation.load.rx_pps / count * 0.9 or None) if count and is_all_seen else None,
        ),
        disproof=f"clocks per packet of {thread.name} fall when another program on its CPU stops",
    )


def _in_place_of(count: int | None) -> str:
    if count is None:
        return "one more than there are, which `show threads` shows"
    return f"{count + 1} in place of {numbered(count, 'worker')}"


def _dearest(thread: ThreadLoad) -> tuple[str, float]:
    """Return the node of the graph that takes most of a thread's clocks, and its share."""
    total = sum(node.clocks for node in (*thread.inputs, *thread.graph))
    node = max(thread.graph, key=lambda node: node.clocks, default=None)
    return (node.name, node.clocks / total) if node is not None and total else ("", 0.0)


def _dominant(thread: ThreadLoad) -> str:
    name, share = _dearest(thread)
    return f"; {name} takes {percent(share)} of it" if share >= _DOMINANT else ""


def _cheaper(thread: ThreadLoad) -> str:
    """Return what makes the node cheaper that takes most of a thread's clocks, '' when no node does."""
    name, share = _dearest(thread)
    if share < _DOMINANT:
        return ""
    return next((text for words, text in _CHEAPER if name.startswith(words)), f"first {name}: what it has to do; ")


def _cpu_bound_evidence(thread: ThreadLoad, situation: Situation, lost: float) -> tuple[Evidence, ...]:
    source = nodes_source(situation)
    queues = situation.busy_queues(thread)
    parts = [
        Evidence(text=f"{thread.vectors:.2f} packets per call in the graph of {thread.name} (256 is full)",
                 source=source)
    ] if thread.graph else []  # fmt: skip
    parts.append(
        Evidence(text=f"{thread.n_rx:.2f} packets per poll (at most 256 for each of {numbered(queues, 'queue')})",
                 source=source)
    )  # fmt: skip
    polls = f"{thread.polls_per_s:,.0f} polls per second" if thread.duration_s else ""
    each = f"{thread.clocks_per_packet:.0f} clocks per packet" if thread.graph and thread.clocks_per_packet else ""
    if polls or each:
        parts.append(Evidence(text="; ".join(filter(None, (polls, each))), source=source))
    if thread.duration_s and each:
        clock = f" of {situation.load.base_hz / 1e9:.2f} GHz" if situation.load.base_hz else ""
        text = f"{thread.clocks_per_packet:.0f} clocks x {pps(thread.rx_pps)} = {_busy_hz(thread) / 1e9:.2f} GHz{clock}"
        parts.append(Evidence(text=text, source=source))
    if lost:
        text = f"the NICs miss {pps(lost)} meanwhile"
        parts.append(Evidence(text=text, source=situation.load.reading.source("interfaces")))
    return tuple(parts)


def find_not_isolated(situation: Situation) -> Iterator[Finding]:
    """Yield one finding for all workers that are disturbed, or may be.

    The kernel may run other programs on a worker's CPU, or on the other half of its core.
    """
    host = situation.load.reading.host
    if host is None or host.isolated is None:
        return
    workers = [worker for worker in situation.load.workers if worker.lcore is not None]
    exposed = [worker for worker in workers if worker.lcore not in host.isolated]
    paired = [worker for worker in workers if _sharing_threads(worker, situation, host)]
    if exposed or paired:
        yield _not_isolated_finding(exposed, paired, situation, host)


def _sharing_threads(worker: ThreadLoad, situation: Situation, host: HostFacts) -> list[str]:
    """Return the threads of VPP that share the core of a worker."""
    cores = [group for group in host.siblings if worker.lcore in group]
    shared = {cpu for group in cores for cpu in group} - {worker.lcore}
    return [thread.name for thread in situation.load.threads if thread.lcore in shared]


def _not_isolated_finding(
    exposed: list[ThreadLoad], paired: list[ThreadLoad], situation: Situation, host: HostFacts
) -> Finding:
    counts = dict(host.preemptions)
    taken = {worker.name: counts[worker.name] for worker in exposed if counts.get(worker.name, 0) >= _PREEMPTED}
    names = ", ".join(worker.name for worker in exposed or paired)
    is_missing = bool(taken) and any(port.rx_miss_pps for port in situation.load.ports)
    return Finding(
        rule="not-isolated",
        severity=FindingSeverity.RISK if paired or is_missing else FindingSeverity.NOTICE,
        subject=names,
        verdict=f"the kernel may run other programs on the CPU of {names}"
        if exposed
        else f"{names} shares a core with another thread of VPP",
        evidence=tuple(_not_isolated_evidence(exposed, paired, taken, situation)),
        proposal=Remedy(
            text="isolate the CPUs of workers and their siblings on the kernel's command line (isolcpus, nohz_full, "
            "rcu_nocbs); needs a reboot",
            settings=(isolate(),) if exposed else (),
        ),
        expectation=Expectation(
            text="less jitter, and fewer packets missed in bursts; how many has not been measured", basis=Basis.GUESS
        ),
        disproof="nonvoluntary_ctxt_switches of the worker does not grow under load",
    )


def _not_isolated_evidence(
    exposed: list[ThreadLoad], paired: list[ThreadLoad], taken: dict[str, int], situation: Situation
) -> Iterator[Evidence]:
    reading = situation.load.reading
    isolated = sorted(reading.host.isolated or ()) if reading.host else []
    text = f"isolated CPUs: {', '.join(map(str, isolated)) or 'none'}"
    yield Evidence(text=text, source="/sys/devices/system/cpu/isolated")
    for worker in exposed:
        yield Evidence(text=f"{worker.name} runs on CPU {worker.lcore}", source=reading.source("places"))
    for name, count in taken.items():
        text = f"{name} was taken off its CPU {count} times between the readings"
        yield Evidence(text=text, source="/proc/PID/task/TID/status")
    for worker in paired:
        partners = ", ".join(_sharing_threads(worker, situation, reading.host)) if reading.host else ""
        text = f"{worker.name} shares its core with {partners}"
        yield Evidence(text=text, source="/sys/devices/system/cpu/cpuN/topology")


def find_clock_low(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per worker on a slow CPU.

    The CPU of a worker runs slower than it could.
    """
    host = situation.load.reading.host
    if host is None:
        return
    governors = dict(host.governors)
    clocks = {cpu: (now, most) for cpu, now, most in host.frequencies_khz}
    for worker in situation.load.workers:
        if worker.lcore is None:
            continue
        now, most = clocks.get(worker.lcore, (0, 0))
        is_slow = bool(most) and now < CLOCK_SLOW * most
        governor = governors.get(worker.lcore, "")
        if is_slow or governor not in {"", "performance"}:
            yield _clock_low_finding(worker, now, most, governor, is_slow=is_slow)


def _clock_low_finding(worker: ThreadLoad, now: int, most: int, governor: str, *, is_slow: bool) -> Finding:
    evidence = []
    if most:
        text = f"CPU {worker.lcore} runs at {short(now * 1e3)}Hz of {short(most * 1e3)}Hz"
        evidence.append(Evidence(text=text, source="/sys/devices/system/cpu/cpuN/cpufreq"))
    if governor:
        text = f"its governor is `{governor}`"
        evidence.append(Evidence(text=text, source="/sys/devices/system/cpu/cpuN/cpufreq"))
    return Finding(
        rule="clock-low",
        severity=FindingSeverity.RISK if is_slow else FindingSeverity.NOTICE,
        subject=worker.name,
        verdict=f"the CPU of {worker.name} runs slower than it could"
        if is_slow
        else f"the governor of {worker.name}'s CPU may slow it down",
        evidence=tuple(evidence),
        proposal=Remedy(text="governor `performance`; if it is set, look at cooling and power limits"),
        expectation=Expectation(
            text=f"the rate grows with the clock, by {percent(most / now - 1)} at most" if is_slow and now
            else "no slow start after idle times", basis=Basis.COMPUTED if is_slow else Basis.GUESS,
        ),
        disproof="clocks per packet are the same at full clock",
    )  # fmt: skip


def find_debug_build(situation: Situation) -> Iterator[Finding]:
    """Yield a finding for a debug image, and one for traces.

    VPP does more than it needs to: it traces packets, or is built for debugging.
    """
    reading = situation.load.reading
    if "debug" in (reading.version or "").lower() or reading.is_debug_build:
        yield _debug_build_finding(
            "this VPP is built for debugging, at about half the speed of a release",
            Evidence(text="the prompt is `DBGvpp#`", source="the pasted session")
            if reading.is_debug_build
            else Evidence(text=f"version {reading.version}", source=reading.source("version")),
            Remedy(text="install a release build"),
        )
    if reading.is_tracing:
        yield _debug_build_finding(
            "packets are being traced, or were: every packet is looked at by each node until the buffer is full",
            Evidence(text="there are packets in the trace buffer", source=reading.source("is_tracing")),
            Remedy(text="stop tracing", live=("clear trace",)),
        )


def _debug_build_finding(verdict: str, evidence: Evidence, proposal: Remedy) -> Finding:
    return Finding(
        rule="debug-build",
        severity=FindingSeverity.NOTICE,
        subject="VPP",
        verdict=verdict,
        evidence=(evidence,),
        proposal=proposal,
        expectation=Expectation(text="fewer clocks in every node", basis=Basis.GUESS),
        disproof="the clocks per packet stay the same",
    )
