"""memory-full: a heap has little room left; a stat segment that runs full aborts VPP (vlib/stats)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.figures import percent, short
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Setting, Severity
from vppcfg.tune.reading import Heap
from vppcfg.tune.settings import doubled_megabytes, main_heap, stat_segment
from vppcfg.tune.situation import Situation
from vppcfg.tune.thresholds import MEMORY_USED

RULE = "memory-full"
_WATCHED = {"main heap": main_heap, "stat segment": stat_segment}
_LEAST_MB = {"main heap": 1024}
"""VPP's own default (vpp/vnet/main.c)."""


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per heap that is nearly full."""
    for heap in situation.load.reading.heaps or ():
        if heap.name in _WATCHED and heap.total_bytes and heap.used_bytes > MEMORY_USED * heap.total_bytes:
            yield _finding(heap, situation)


def _finding(heap: Heap, situation: Situation) -> Finding:
    megabytes = max(doubled_megabytes(heap.total_bytes), _LEAST_MB.get(heap.name, 0))
    setting: Setting = _WATCHED[heap.name](megabytes, heap.total_bytes)
    aborts = "; VPP aborts when it runs full" if heap.name == "stat segment" else ""
    return Finding(
        rule=RULE,
        severity=Severity.RISK,
        subject=heap.name,
        verdict=f"the {heap.name} is {percent(heap.used_bytes / heap.total_bytes)} full{aborts}",
        evidence=(
            Evidence(text=f"{short(heap.used_bytes)}B of {short(heap.total_bytes)}B are used",
                     source=situation.load.reading.source("heaps")),
        ),
        proposal=Proposal(text="twice the size at least, before more routes or interfaces come", settings=(setting,)),
        expectation=Expectation(
            text=f"{percent(heap.used_bytes / (megabytes << 20))} of {megabytes} MB are used then",
            basis=Basis.COMPUTED,
        ),
        disproof="its use has not grown in weeks, and no routes or interfaces will be added",
    )  # fmt: skip
