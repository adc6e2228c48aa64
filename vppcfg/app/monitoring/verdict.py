"""The tuner's verdict on a router that is monitored, in a line: from counters alone, without a question to VPP."""

from __future__ import annotations

from typing import Any

from vppcfg.errors import VppcfgError
from vppcfg.model.counters import VppCounters
from vppcfg.model.monitored import RouterSnapshot
from vppcfg.tune.assemble import load_of_captures
from vppcfg.tune.capture import Capture
from vppcfg.tune.diagnosis import diagnose
from vppcfg.tune.rule_context import Situation
from vppcfg.vpp.stats import document_of

_MODES = {"unknown": 0, "polling": 1, "interrupt": 2, "adaptive": 3}


def verdict_between(before: VppCounters, now: RouterSnapshot) -> tuple[str, str]:
    """Return the word of the verdict and its sentence; both '' when nothing can be judged."""
    if now.counters is None or now.counters.clock_s <= before.clock_s:
        return "", ""
    captures = [_capture(each, now) for each in (before, now.counters)]
    try:
        verdict = diagnose(Situation(load=load_of_captures(captures))).verdict
    except VppcfgError:
        return "", ""
    return verdict.word.value, verdict.text


def _capture(counters: VppCounters, snapshot: RouterSnapshot) -> Capture:
    api: dict[str, Any] = {
        "format_version": 1,
        "version": snapshot.version,
        "interfaces": {str(each.index): each.name for each in snapshot.interfaces},
        "threads": [
            {"id": index, "name": name, "cpu_id": index, "cpu_socket": 0} for index, name in enumerate(counters.threads)
        ],
        "rx_placement": [
            {"interface": each.interface, "queue": each.queue, "thread": each.thread, "mode": _MODES[each.mode]}
            for each in snapshot.queues
        ],
    }
    documents = {"stats": document_of(counters), "api": api}
    return Capture(name="a look", taken_s=counters.clock_s, documents=documents)
