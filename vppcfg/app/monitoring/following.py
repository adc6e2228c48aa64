"""Follows a router for `top`: rates, the tuner's verdict and pending changes, sample by sample."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import Any

from vppcfg.app.monitoring.drift import DriftMetrics
from vppcfg.app.monitoring.rates import Refreshes, RouterRates, rates_between
from vppcfg.app.monitoring.reader import RouterReader
from vppcfg.errors import VppcfgError
from vppcfg.model.counters import VppCounters
from vppcfg.model.monitored import RouterSnapshot
from vppcfg.record import record
from vppcfg.render.change_metrics import ChangeStatus
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


VERDICT_S = 30.0
"""The interval that the verdict is about; a shorter one at first."""
_KEPT_EVERY_S = 10.0
_IN_SYNC = re.compile(r"^vppcfg_in_sync (\d)$", re.MULTILINE)
_DIFFERENCES = re.compile(r"^vppcfg_differences\{.*\} (\d+)$", re.MULTILINE)


@record
class RouterView:
    """Everything that is shown of one sample."""

    snapshot: RouterSnapshot
    rates: RouterRates
    changes: ChangeStatus
    verdict: str = ""
    """A word of the tuner; '' while nothing can be judged."""
    verdict_text: str = ""
    differences: int | None = None
    """Entries in which VPP is not as in its file; None while unknown."""


class RouterFollower:
    """Samples one router again and again."""

    def __init__(
        self, reader: RouterReader, changes: Callable[[], ChangeStatus], drift: DriftMetrics | None = None
    ) -> None:
        self._reader, self._changes, self._drift = reader, changes, drift
        self._before: RouterSnapshot | None = None
        self._kept: deque[VppCounters] = deque()
        """Readings of the last while, the oldest first."""
        self._refreshed: deque[VppCounters] = deque(maxlen=2)
        """The first readings after the last two refreshes."""

    def look(self) -> RouterView:
        """Take a sample. A VPP that is gone is noted in the snapshot."""
        snapshot = self._reader.look()
        rates = rates_between(self._before, snapshot, self._refreshes(snapshot.counters))
        word, text = self._verdict(snapshot)
        self._before = snapshot if snapshot.counters is not None else None
        return RouterView(
            snapshot=snapshot,
            rates=rates,
            changes=self._changes(),
            verdict=word,
            verdict_text=text,
            differences=self._differences(),
        )

    def _refreshes(self, now: VppCounters | None) -> Refreshes | None:
        """Return the readings from which the rates of nodes are computed, None before VPP has refreshed them twice."""
        if now is None or (self._refreshed and self._refreshed[-1].boot_at_s != now.boot_at_s):
            self._refreshed.clear()
        if now is not None and (not self._refreshed or self._refreshed[-1].heartbeat != now.heartbeat):
            self._refreshed.append(now)
        return (self._refreshed[0], self._refreshed[1]) if len(self._refreshed) == 2 else None

    def _verdict(self, snapshot: RouterSnapshot) -> tuple[str, str]:
        now = snapshot.counters
        if now is None or (self._kept and self._kept[-1].boot_at_s != now.boot_at_s):
            self._kept.clear()
        if now is None:
            return "", ""
        while len(self._kept) > 1 and now.clock_s - self._kept[1].clock_s >= VERDICT_S:
            self._kept.popleft()
        found = verdict_between(self._kept[0], snapshot) if self._kept else ("", "")
        if not self._kept or now.clock_s - self._kept[-1].clock_s >= _KEPT_EVERY_S:
            self._kept.append(now)
        return found

    def _differences(self) -> int | None:
        """Return what the last comparison with the file found."""
        text = self._drift.text() if self._drift is not None else ""
        if (found := _IN_SYNC.search(text)) is None:
            return None
        count = sum(int(number) for number in _DIFFERENCES.findall(text))
        return 0 if found[1] == "1" else max(count, 1)
