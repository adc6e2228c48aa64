"""Loads of real machines, whose limits are known: each is named as its owner found it, traps included."""

import pytest

from tests.unit.tune.material import GI3, findings, one, recorded, rules, saturated
from vppcfg.tune.diagnosis import diagnose
from vppcfg.tune.finding import FindingSeverity
from vppcfg.tune.load import Load
from vppcfg.tune.reading import Reading
from vppcfg.tune.rule_context import FrameTrial, Situation
from vppcfg.tune.settings import as_data, startup_difference
from vppcfg.tune.verdict import VerdictWord

FORMS = ("", "_without_spacing")
TRAFFIC = {"offered": {"": 1.48e6}, "frame": 64.0}


@pytest.mark.parametrize("form", FORMS)
def test_a_port_that_loses_before_vpp_sees_it_is_nothing_else(form: str) -> None:
    assert rules(recorded("fitlet2_i211_to_i210" + form), **TRAFFIC) == ["nic-bound"]


def test_without_the_offered_rate_a_nic_is_only_suspected() -> None:
    found = one(recorded("fitlet2_i211_to_i210"), "nic-bound", frame=64.0)
    assert (found.severity, found.lost_pps) == (FindingSeverity.NOTICE, 0.0)
    assert "--offered" in found.undecided


def test_the_change_for_lacking_descriptors_is_the_one_that_helped() -> None:
    found = findings(recorded("fitlet2_both_ways"), **TRAFFIC)[0]
    assert found.proposal is not None and found.expectation is not None
    settings = found.proposal.settings
    assert as_data(settings) == {"dataplane": {"dpdk": {"default": {"tx-descriptors": 1024}, "multi-seg": False}}}
    assert startup_difference(settings) == [
        *("  dpdk {", "+   no-multi-seg", "    dev default {", "-     num-tx-desc 512", "+     num-tx-desc 1024"),
        *("    }", "  }"),
    ]
    assert found.proposal.live == (f"set dpdk interface descriptors {GI3} tx 1024",)
    assert "2.94 of 2.97 Mpps" in found.expectation.text
    assert found.expectation.basis.value == "measured"


def test_the_promised_gain_meets_what_was_measured() -> None:
    load = recorded("fitlet2_both_ways")
    gains = [finding.expectation.gain_pps or 0.0 for finding in findings(load, **TRAFFIC) if finding.expectation]
    sent = sum(port.tx_pps or 0.0 for port in load.ports)
    assert (sent + sum(gains)) / 1e6 == pytest.approx(2.94, abs=0.005)


def test_counters_that_vpp_prints_as_errors_are_not_taken_for_errors() -> None:
    texts = [part.text for finding in findings(recorded("fitlet2_both_ways"), **TRAFFIC) for part in finding.evidence]
    assert not [text for text in texts if "L2 input" in text or "L2 output" in text]
    assert [text for text in texts if "32,120,469" in text]


def test_trials_without_loss_are_healthy() -> None:
    trials = (
        FrameTrial(frame="1514", offered_pps=81.7e3, received_pps=81.7e3),
        FrameTrial(frame="imix", offered_pps=327e3, received_pps=327e3),
        FrameTrial(frame="64", offered_pps=1.48e6, received_pps=1.48e6),
    )
    assert rules(Load(reading=Reading(), duration_s=None), trials=trials) == ["healthy"]


def test_the_same_loss_at_any_rate_is_no_matter_of_tuning() -> None:
    trials = (
        FrameTrial(frame="1514", offered_pps=81.7e3, received_pps=73.2e3),
        FrameTrial(frame="imix", offered_pps=327e3, received_pps=255e3),
        FrameTrial(frame="64", offered_pps=1.48e6, received_pps=1.18e6),
        FrameTrial(frame="64, one flow", offered_pps=1.48e6, received_pps=1.23e6),
    )
    found = one(Load(reading=Reading(), duration_s=None), "nic-pattern", trials=trials)
    assert found.proposal is not None and found.expectation is not None
    assert found.proposal.settings == ()
    assert "pcie_aspm=off" in found.proposal.text
    assert "for an unknown cause" in found.verdict
    assert "10.4 %" in found.verdict


def test_without_show_runtime_there_is_no_verdict_about_load() -> None:
    diagnosis = diagnose(Situation(load=Load(reading=Reading(version="23.06"), duration_s=None)))
    assert diagnosis.findings == ()
    assert any("no `show runtime`" in remark for remark in diagnosis.remarks)
    assert diagnosis.verdict.word is VerdictWord.UNDECIDED


@pytest.mark.parametrize("name", ["iacl_stateless", "iacl_stateful", "oacl_stateless", "oacl_stateful", "cop"])
def test_a_saturated_worker_is_cpu_bound(name: str) -> None:
    assert rules(saturated(name)) == ["cpu-bound"]
    assert one(saturated(name), "cpu-bound").subject == "vpp_wk_0"
