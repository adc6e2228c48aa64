"""Reads the VPP under test during the hold of a ramp, and has the tuner judge it with the offered rate known."""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Mapping
from typing import Any

from vppcfg.app.capturing import ReadingPlan
from vppcfg.cli.loadtest.live import Live
from vppcfg.cli.loadtest.session import LoadSetting
from vppcfg.cli.tune.options import captures_of
from vppcfg.errors import UsageError, VppcfgError
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.recorder import EngineStatus
from vppcfg.tune.capture import Capture

SHORTEST_HOLD_S = 10
"""Two readings take that at least, since VPP refreshes its counters every few seconds."""
_READINGS = 2
_PATIENCE_S = 60.0
_SLACK_S = 1.0
"""Traffic goes on for so long at most after its last sample."""


class TuningObserver:
    """Passes everything on to another observer, and reads VPP in a thread of its own when the hold begins."""

    def __init__(self, live: Live, args: argparse.Namespace, setting: LoadSetting, hold_s: int) -> None:
        if hold_s < SHORTEST_HOLD_S:
            raise UsageError(
                f"--tune needs a hold of {SHORTEST_HOLD_S} s to read VPP in, not of {hold_s} s", "see --hold-duration"
            )
        self._live = live
        self._setting = setting
        self._plan = ReadingPlan(
            api_socket=args.api_socket,
            json_dir=args.vpp_json_dir,
            stats_socket=args.stats_socket,
            root="/",
            readings=_READINGS,
            interval_s=hold_s / 4,
        )
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._captures: list[Capture] = []
        self.failure = "the hold was not reached"
        """Why there are no findings, where there are none."""
        self._load_pps = 0.0
        self._is_simulated = args.engine == "simulated"
        self._seen_s = 0.0
        """When the last sample was taken, by the clock of the readings."""

    def refuse_absent_vpp(self) -> None:
        """Raise DataplaneError when there is no VPP to read, before anything is sent."""
        from vppcfg.vpp.telemetry import Telemetry

        with Telemetry(self._plan.api_socket, json_dir=self._plan.json_dir):
            pass

    def begin(self, phase: LoadPhase, load_pps: float, duration_s: float) -> None:
        """Begin to read with the hold."""
        self._live.begin(phase, load_pps, duration_s)
        if phase is LoadPhase.HOLD:
            self._load_pps = load_pps
            self._thread.start()

    def change(self, load_pps: float) -> None:
        """Pass a change on."""
        self._live.change(load_pps)

    def observe(self, status: EngineStatus) -> None:
        """Pass a sample on."""
        self._seen_s = time.monotonic()
        self._live.observe(status)

    def findings(self) -> Mapping[str, Any] | None:
        """Return the tuner's findings as plain data, None when VPP was not read; `failure` shows why."""
        from vppcfg.tune.assemble import load_of_captures
        from vppcfg.tune.diagnosis import diagnose
        from vppcfg.tune.document import document_of
        from vppcfg.tune.rule_context import Situation

        if self._thread.is_alive():
            self._thread.join(_PATIENCE_S)
        if not self._captures:
            return None
        late_s = (self._captures[-1].taken_s or 0.0) - self._seen_s
        if late_s > _SLACK_S and not self._is_simulated:  # whose seconds are none of VPP's
            self.failure = f"its last counters are from {late_s:.0f} s after it, so hold the load for longer"
            return None
        offered = {"": self._load_pps}
        frame = self._setting.offered.mean_frame_bytes
        return document_of(diagnose(Situation(load=load_of_captures(self._captures), offered=offered, frame=frame)))

    def _read(self) -> None:
        try:
            self._captures = captures_of(self._plan)
        except VppcfgError as error:
            self.failure = error.message
