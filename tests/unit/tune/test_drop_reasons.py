"""Counters of drops: every one of VPP's counts by what it says and how many it is of all, and the meant ones apart."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.tune.material import GI1, load, port, rules
from vppcfg.tune.assemble import reading_of
from vppcfg.tune.capture import Capture, split_paste
from vppcfg.tune.diagnosis import Diagnosis, diagnose
from vppcfg.tune.drop_reasons import Meaning, drop_reason
from vppcfg.tune.finding import FindingSeverity
from vppcfg.tune.interval import load_of
from vppcfg.tune.load import ErrorRate
from vppcfg.tune.reading import InterfaceCounters
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.show.runtime import parse_errors
from vppcfg.tune.verdict import LOST_BEFORE, VerdictWord

TABLE = Path(__file__).with_name("vpp_counters.txt")
COUNTERS = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
TOLD_BY_SEVERITY = {"tooshort", "packet too short for rewrite"}
"""Words of a drop, which pnat counts as information."""


def pasted(node: str, reason: str, severity: str, count: int = 9_000_001) -> Diagnosis:
    head = f"{'Count':^10}{'Node':^35}{'Reason':^35}{'Severity':^10}"
    row = f"{count:10}{node:^35}{reason[:35]:^35}{severity:^10}"
    texts = split_paste(f"{head}\n{row}\n").texts
    return diagnose(Situation(load=load_of([reading_of(Capture(name="paste", texts=texts))])))


def test_no_counter_of_an_error_passes_in_silence_and_none_of_information_speaks() -> None:
    assert len(COUNTERS) > 200
    for node, _, reason, severity in COUNTERS:
        found = pasted(node, reason, severity).findings
        assert bool(found) == (severity == "error"), (node, reason)


def test_without_a_severity_the_words_of_a_counter_and_its_name_tell_the_same() -> None:
    for node, name, reason, severity in COUNTERS:
        for words in (name, reason):
            if words not in TOLD_BY_SEVERITY:
                assert bool(drop_reason(node, words)) == (severity == "error"), (node, words)


@pytest.mark.parametrize(
    ("node", "reason"),
    [
        *(("l2-input", "L2 input packets"), ("l2-learn", "L2 learn misses"), ("l2-fwd", "L2 forward misses")),
        *(("acl-plugin-in-ip4-fa", "ACL permit packets"), ("acl-plugin-in-ip4-fa", "new sessions added")),
        *(("ip4-inacl", "input ACL misses"), ("memif-input", "no error")),
        *(("ipsec4-output-feature", "IPSec policy protect"), ("lldp-input", "good lldp packets (cache hit)")),
        *(("l2-flood", "L2 replication complete"), ("cop-input", "permitted inbound whitelisted non-ip packets")),
        *(("nat44-ed-in2out", "Good in2out packets processed"), ("sflow", "sflow packets dropped")),
        *(("tcp4-established", "ack_dup"), ("af-packet-input", "timed out block")),
    ],
)  # fmt: skip
def test_what_older_nodes_count_beside_errors_is_no_error(node: str, reason: str) -> None:
    severity = "" if node.startswith("tcp") else "error"
    assert drop_reason(node, reason, severity) is None
    assert not pasted(node, reason, severity).findings


@pytest.mark.parametrize(
    ("node", "reason", "meaning"),
    [
        ("acl-plugin-out-ip6-fa", "ACL deny packets", Meaning.ASKED_FOR),
        ("ip4-inacl", "input ACL table-miss drops", Meaning.ASKED_FOR),
        ("ip4-rx-urpf-strict", "uRPF Drop", Meaning.ASKED_FOR),
        ("ip4-map", "decap security check failed", Meaning.ASKED_FOR),
        ("ip4-policer-classify", "Policer classify action drop", Meaning.ASKED_FOR),
        ("policer-input", "Packets Dropped", Meaning.LIMIT),
        ("ip4-midchain", "ip4 MTU exceeded and DF set", Meaning.LIMIT),
        ("arp-reply", "IP4 destination address not local to subnet", Meaning.FOREIGN),
        ("nat44-ed-out2in", "No translation", Meaning.FOREIGN),
        ("interface-output", "no tx queue available", Meaning.LOSS),
        ("esp4-decrypt", "integrity check failed", Meaning.LOSS),
        ("acl-plugin-out-ip4-fa", "too many sessions to add new", Meaning.LOSS),
    ],
)
def test_drops_that_somebody_asked_for_are_told_from_losses(node: str, reason: str, meaning: Meaning) -> None:
    why = drop_reason(node, reason, "error")
    assert why is not None and why.meaning is meaning
    verdict = pasted(node, reason, "error").verdict
    assert (verdict.word is VerdictWord.LOSS) == (meaning is Meaning.LOSS)
    assert (verdict.text == LOST_BEFORE) == (meaning is Meaning.FOREIGN)


def test_connections_without_room_for_a_session_are_named() -> None:
    why = drop_reason("acl-plugin-out-ip4-fa", "too many sessions to add new", "error")
    assert why is not None and "`connection count max`" in why.hint


def test_counters_of_one_reason_are_added_up_and_named() -> None:
    rates = tuple(
        ErrorRate(node=node, reason=reason, count=5000, per_s=500.0)
        for node, reason in (("ip4-input", "ip4 ttl <= 1"), ("mpls-input", "MPLS ttl expired"))
    )
    (finding,) = diagnose(Situation(load=load(port(rx_pps=1e5), errors=rates))).findings
    assert finding.lost_pps == 1000.0 and finding.severity is FindingSeverity.LOSS
    assert "`ip4 ttl <= 1`, `MPLS ttl expired`" in finding.evidence[0].text


def test_a_few_drops_of_many_packets_are_no_loss_and_not_worth_a_word_where_nothing_is_known_of_them() -> None:
    few = ErrorRate(node="esp4-decrypt", reason="SA replayed packet", count=400, per_s=40.0, severity="error")
    assert "not-tuning" not in rules(load(port(rx_pps=1e6), errors=(few,)))
    assert "not-tuning" in rules(load(port(rx_pps=1e6), errors=(replace(few, per_s=9000.0),)))


def test_what_filters_have_dropped_leaves_no_doubt_about_the_drops_of_ports() -> None:
    counters = InterfaceCounters(name=GI1, rx_packets=10_000_000, tx_packets=10_000_000, drops=2_000_000)
    denied = ErrorRate(node="acl-plugin-in-ip4-fa", reason="ACL deny packets", count=1_999_990, per_s=None)
    shown = load(port(counters=counters), duration_s=None, errors=(denied,))
    said = diagnose(Situation(load=shown)).verdict
    assert not any("dropped" in each for each in said.missing)
    assert any(
        "dropped" in each
        for each in diagnose(Situation(load=load(port(counters=counters), duration_s=None))).verdict.missing
    )


def test_a_counter_of_a_release_without_severities_keeps_its_words() -> None:
    old = "   7  dpdk-input  no error\n 900  tap-input  buffer alloc error\n  12  arp-input  ARP replies sent\n"
    found = {each.reason: each.severity for each in parse_errors(old)[0]}
    assert found == dict.fromkeys(("no error", "buffer alloc error", "ARP replies sent"), "")
    new = (
        "Count Node Reason Severity\n 7  dpdk-input  no error  error\n 900  tap-input  buffer alloc error  error  12\n"
    )
    assert {each.reason: each.severity for each in parse_errors(new)[0]} == dict.fromkeys(
        ("no error", "buffer alloc error"), "error"
    )
    assert not pasted("dpdk-input", "no error", "").findings
