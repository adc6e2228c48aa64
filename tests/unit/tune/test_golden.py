"""Loads of real machines, whose limits are known: each is named as its owner found it, traps included."""

import pytest

from tests.unit.tune.material import GI1, GI3, findings, one, recorded, rules, saturated
from vppcfg.common.rates import percent
from vppcfg.tune.diagnosis import diagnose
from vppcfg.tune.finding import FindingSeverity
from vppcfg.tune.load import Load, NodeLoad, ThreadLoad
from vppcfg.tune.reading import Reading
from vppcfg.tune.rule_context import FrameTrial, Situation
from vppcfg.tune.settings import as_data, startup_difference
from vppcfg.tune.verdict import VerdictWord

FORMS = ("", "_without_spacing")
TRAFFIC = {"offered": {"": 1.48e6}, "frame": 64.0}


@pytest.mark.parametrize("form", FORMS)
def test_a_port_that_loses_before_vpp_sees_it_is_nic_bound(form: str) -> None:
    found = one(recorded("fitlet2_i211_to_i210" + form), "nic-bound", **TRAFFIC)
    texts = " / ".join(part.text for part in found.evidence)
    assert found.subject == GI1
    assert "an increase of workers will not help" in found.verdict
    assert "86.7 % of its line rate" in texts
    assert "table and header of vpp_wk_0 disagree by 11.7 %" in texts
    assert found.lost_pps == pytest.approx(1.48e6 - 1.2908e6)


@pytest.mark.parametrize("form", FORMS)
def test_a_port_that_loses_before_vpp_sees_it_is_nothing_else(form: str) -> None:
    assert rules(recorded("fitlet2_i211_to_i210" + form), **TRAFFIC) == ["nic-bound"]


def test_without_the_offered_rate_a_nic_is_only_suspected() -> None:
    found = one(recorded("fitlet2_i211_to_i210"), "nic-bound", frame=64.0)
    assert (found.severity, found.lost_pps) == (FindingSeverity.NOTICE, 0.0)
    assert "--offered" in found.undecided


@pytest.mark.parametrize("form", FORMS)
def test_a_full_link_is_link_bound_and_a_ring_lost_once_is_no_starvation(form: str) -> None:
    found = findings(recorded("fitlet2_i210_to_i211" + form), **TRAFFIC)
    assert {finding.rule for finding in found} == {"link-bound"}
    assert {finding.subject for finding in found} == {GI1, GI3}
    sender = next(finding for finding in found if finding.subject == GI1)
    texts = " / ".join(part.text for part in sender.evidence)
    assert "512 packets handed to GigabitEthernet1/0/0 were not sent" in texts
    assert "99.5 % of its line rate" in texts


@pytest.mark.parametrize("form", FORMS)
def test_ports_that_drop_below_line_rate_lack_descriptors(form: str) -> None:
    found = findings(recorded("fitlet2_both_ways" + form), **TRAFFIC)
    starving = [finding for finding in found if finding.rule == "tx-descriptors"]
    assert [finding.subject for finding in starving] == [GI3, GI1]
    assert found[:2] == starving
    assert [percent(share) for share in (0.0402, 0.0116)] == ["4.02 %", "1.16 %"]
    assert "797,104 packets were handed to GigabitEthernet3/0/0 and not sent: 4.02 %" in starving[0].evidence[0].text
    assert "229,256 packets were handed to GigabitEthernet1/0/0 and not sent: 1.16 %" in starving[1].evidence[0].text
    assert sum(finding.lost_pps for finding in starving) == pytest.approx(76_600, rel=1e-3)
    assert "nic-bound" not in {finding.rule for finding in found}


def test_the_change_for_lacking_descriptors_is_the_one_that_helped() -> None:
    found = findings(recorded("fitlet2_both_ways"), **TRAFFIC)[0]
    assert found.proposal is not None and found.expectation is not None
    settings = found.proposal.settings
    assert as_data(settings) == {"dataplane": {"dpdk": {"default": {"tx-descriptors": 1024}, "multi-seg": False}}}
    assert startup_difference(settings) == [
        "  dpdk {",
        "+   no-multi-seg",
        "    dev default {",
        "-     num-tx-desc 512",
        "+     num-tx-desc 1024",
        "    }",
        "  }",
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


def test_an_idle_worker_has_no_expensive_node() -> None:
    polls, packets = 24_239_296_364, 804_398
    nodes = (
        NodeLoad(name="dpdk-input", calls=polls, vectors=packets, clocks=1.59e7 * packets),
        NodeLoad(name="ip4-lookup", calls=packets, vectors=packets, clocks=571.0 * packets),
    )
    idle = ThreadLoad(index=1, name="vpp_wk_0", lcore=9, duration_s=6152.9, table_duration_s=6152.9, nodes=nodes)
    load = Load(reading=Reading(), duration_s=6152.9, threads=(idle,))
    assert rules(load) == []
    assert diagnose(Situation(load=load)).verdict.word is VerdictWord.UNDECIDED, "no port and no other thread was seen"
