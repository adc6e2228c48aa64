"""The form that trex-loadtest-viz reads: the keys that its graph.rb uses, with what was counted."""

import json
from dataclasses import replace

import pytest

from tests.unit.loadtest.samples import result, sample
from vppcfg.errors import UsageError
from vppcfg.loadtest.ramp_schedule import LoadPhase
from vppcfg.loadtest.trex_loadtest import text_for_visualiser

REQUIRED_VARS = {"warmup_mult", "warmup_duration", "rampup_target", "rampup_duration", "hold_duration", "profile_file"}


def test_what_the_visualiser_needs_is_there() -> None:
    warm = [replace(sample(float(at), (10, 10), (10, 10)), phase=LoadPhase.WARM_UP) for at in (1, 2)]
    ramp = [sample(3.0, (1000, 900), (1000, 1000)), sample(4.0, (2000, 1500), (2000, 2000))]
    document = json.loads(text_for_visualiser(result(*warm, *ramp)))
    assert set(document["vars"]) >= REQUIRED_VARS
    assert document["vars"]["profile_file"] == "bench.py"
    assert list(document["stats"]) == ["2.000", "3.000", "4.000"]
    last = document["stats"]["4.000"]
    assert (last["0"]["tx_pps"], last["1"]["rx_pps"], last["1"]["tx_pps"], last["0"]["rx_pps"]) == (
        2000,
        1500,
        2000,
        2000,
    )
    assert (last["0"]["opackets"], last["1"]["ipackets"]) == (3020, 2420)
    assert last["0"]["tx_util"] == pytest.approx(100 * 2000 * 672 / 1e9)
    assert last["0"]["tx_bps_L1"] == 2000 * 672
    assert set(last) == {"0", "1", "total", "global", "flow_stats", "latency"}


def test_one_direction_is_said_to_be_one() -> None:
    document = json.loads(text_for_visualiser(result(sample(1.0, (1000, 900)))))
    assert document["vars"]["unidirectional"]
    assert document["stats"]["1.000"]["1"]["tx_pps"] == 0


def test_a_test_without_samples_has_no_such_form() -> None:
    with pytest.raises(UsageError, match="only a ramp with samples"):
        text_for_visualiser(result())
