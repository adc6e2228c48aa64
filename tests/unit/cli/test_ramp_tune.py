"""`loadtest ramp --tune`: what VPP counted after the load is no finding about it."""

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.unit.loadtest.samples import sample
from vppcfg.cli.loadtest import ramp_tune
from vppcfg.cli.loadtest.live import Live
from vppcfg.cli.loadtest.ramp_tune import TuningObserver
from vppcfg.loadtest.engine import Direction, Tally
from vppcfg.loadtest.load import line_rate_of
from vppcfg.loadtest.profile import profile_of
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.recorder import EngineStatus
from vppcfg.tune.capture import Capture, read_captures

SAVED = Path(__file__).resolve().parents[2] / "tune_cases" / "vpp2610_idle"


@pytest.mark.parametrize(("late_s", "is_found"), [(9.0, False), (0.5, True)])
def test_counters_from_after_the_load_are_no_findings(
    late_s: float, is_found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def captures_of(plan: object) -> list[Capture]:
        first, *_, last = read_captures(SAVED)
        return [replace(first, taken_s=time.monotonic()), replace(last, taken_s=time.monotonic() + late_s)]

    monkeypatch.setattr(ramp_tune, "captures_of", captures_of)
    live = Live(line_rate_of(profile_of("bench"), 10**9), (Direction(source="0", sink="1"),), is_quiet=True)
    args = argparse.Namespace(api_socket="", vpp_json_dir=None, stats_socket=None, engine="trex")
    setting: Any = argparse.Namespace(offered=argparse.Namespace(mean_frame_bytes=64.0))
    tuning = TuningObserver(live, args, setting, 10)
    tuning.begin(LoadPhase.HOLD, 1000.0, 10)
    tuning.observe(
        EngineStatus(
            phase=LoadPhase.HOLD, elapsed_s=1.0, remaining_s=0.0, load_pps=1000.0, sample=sample(1.0, (1000, 1000)),
            so_far=Tally(), loss_ratio=0.0,
        )
    )  # fmt: skip
    assert (tuning.findings() is not None) is is_found
    assert is_found or "from 9 s after it" in tuning.failure
