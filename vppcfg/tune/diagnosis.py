"""Runs all rules on one situation, and sorts what they find: losses, then what else loses most packets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from vppcfg.record import record
from vppcfg.tune.finding import Finding, FindingSeverity
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.rules import cpu, losses, memory, nat, nic, pcie_numa, queues, rings, traffic, workers
from vppcfg.tune.thresholds import SATURATED_VECTOR
from vppcfg.tune.verdict import Judgement, VerdictWord, judge

RULES: dict[str, Callable[[Situation], Iterator[Finding]]] = {
    "nic-bound": nic.find_nic_bound,
    "link-bound": traffic.find_link_bound,
    "cpu-bound": cpu.find_cpu_bound,
    "tx-descriptors": rings.find_tx_descriptors,
    "egress-oversubscribed": traffic.find_egress_oversubscribed,
    "rx-ring": rings.find_rx_ring,
    "buffers": memory.find_buffers,
    "buffer-leak": memory.find_buffer_leak,
    "worker-imbalance": workers.find_worker_imbalance,
    "rss": queues.find_rss,
    "queues-ignored": queues.find_queues_ignored,
    "shared-tx-queue": queues.find_shared_tx_queue,
    "numa-remote": pcie_numa.find_numa_remote,
    "not-isolated": cpu.find_not_isolated,
    "main-polluted": workers.find_main_polluted,
    "memory-full": memory.find_memory_full,
    "heap-growth": memory.find_heap_growth,
    "pcie": pcie_numa.find_pcie,
    "port-loss": losses.find_port_loss,
    "port-failed": nic.find_port_failed,
    "slow-burst": nic.find_slow_burst,
    "handoff": workers.find_handoff,
    "nat-exhausted": nat.find_nat_exhausted,
    "nat-bound": nat.find_nat_bound,
    "interrupt-mode": queues.find_interrupt_mode,
    "debug-build": cpu.find_debug_build,
    "clock-low": cpu.find_clock_low,
    "mtu-multi-seg": nic.find_mtu_multi_seg,
    "not-tuning": traffic.find_not_tuning,
    "nic-pattern": nic.find_nic_pattern,
}
"""By name, in the order of the documentation; `healthy` comes last, when all is shown to be well."""
_LASTING = {"queues-ignored", "numa-remote", "not-isolated", "memory-full", "pcie", "port-failed", "slow-burst",
            "debug-build", "clock-low", "mtu-multi-seg", "nic-pattern", "buffers"}  # fmt: skip
"""Rules about what does not come and go with the load."""
NAMES = (*RULES, "healthy")
_WORST_FIRST = list(FindingSeverity)


@record
class Diagnosis:
    """The findings about a situation, what they come to, and remarks on what could not be judged."""

    situation: Situation
    verdict: Judgement
    findings: tuple[Finding, ...]
    remarks: tuple[str, ...]


def diagnose(situation: Situation) -> Diagnosis:
    """Return the findings: losses, and then the others, each with most lost packets per second first."""
    found = [finding for find in RULES.values() for finding in find(situation)]
    if situation.is_past:
        found = [_of_the_past(finding, situation) for finding in found]
    ordered = sorted(found, key=_rank)
    verdict = judge(situation, ordered)
    if verdict.word is VerdictWord.HEALTHY:
        ordered = sorted([traffic.healthy_finding(situation), *found], key=_rank)
    return Diagnosis(situation=situation, verdict=verdict, findings=tuple(ordered), remarks=_remarks(situation))


def _of_the_past(finding: Finding, situation: Situation) -> Finding:
    """Return a finding as a notice if its evidence is an average over hours, which shows nothing about the present."""
    if finding.rule in _LASTING or finding.severity in {FindingSeverity.NOTICE, FindingSeverity.GOOD}:
        return finding
    busy = {thread.name for thread in situation.load.threads if (thread.vector_rate or 0.0) >= SATURATED_VECTOR}
    if finding.rule == "cpu-bound" and finding.subject in busy:
        return finding  # the header has the vectors of the last seconds
    hours = (situation.load.covered_s or 0.0) / 3600
    past = f"whether it is so now: the rates are an average of {hours:.1f} hours; `clear runtime`, and read it in 10 s"
    return replace(finding, severity=FindingSeverity.NOTICE, lost_pps=0.0, undecided=past)


def _rank(finding: Finding) -> tuple[bool, float, int, int]:
    """Return the key that findings are sorted by; findings of one rule and rate keep their order.

    A loss whose packets are not counted, as of a pool without buffers, comes before drops that no tuning can save.
    """
    is_other = finding.severity is not FindingSeverity.LOSS
    return is_other, -finding.lost_pps, _WORST_FIRST.index(finding.severity), NAMES.index(finding.rule)


def _remarks(situation: Situation) -> tuple[str, ...]:
    """Return a sentence for each source that is missing, with what cannot be judged without it."""
    reading = situation.load.reading
    missing: list[str] = []
    if not situation.load.threads:
        missing.append("no `show runtime`: there is no verdict about load")
    if reading.hardware is None:
        missing.append("no `show hardware-interfaces`: link speeds, rings and queues are unknown")
    if situation.load.duration_s is None:
        missing.append("one reading only: missed packets, buffers found empty and errors have no rates; give two")
    if reading.host is None:
        missing.append("no host.json: isolation and clock of the CPUs are not judged")
    return (*situation.load.remarks, *missing)
