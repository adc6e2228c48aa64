"""What a diagnosis comes to: healthy and idle only when shown, else undecided, with what tells most."""

from dataclasses import replace
from typing import Any

import pytest

from tests.unit.tune.material import GI1, GI3, hardware, load, port, rules, situation, with_reading, worker
from vppcfg.tune.diagnosis import diagnose
from vppcfg.tune.load import ErrorRate, Load, PortLoad
from vppcfg.tune.ports import ports_between
from vppcfg.tune.reading import (
    BufferPool,
    Hardware,
    Heap,
    InterfaceCounters,
    PrintedRates,
    Reading,
    ThreadCounters,
    ThreadPlace,
)
from vppcfg.tune.rule_context import FrameTrial
from vppcfg.tune.verdict import LOST_BEFORE, Judgement, VerdictWord

MAIN, WORKER = replace(worker(0), nodes=worker(0).nodes[1:]), worker(1)
PLACES = (ThreadPlace(index=0, name="vpp_main", cpu=0), ThreadPlace(index=1, name="vpp_wk_0", cpu=1))


def counted(name: str, **settings: Any) -> PortLoad:
    """Return a port whose counters were read twice, and of which none grew but those of packets."""
    rates = {"rx_pps": 5e5, "tx_pps": 5e5, "no_buf_pps": 0.0, "rx_error_pps": 0.0, "tx_error_pps": 0.0,
             "drops_pps": 0.0, "counters": InterfaceCounters(name=name)}  # fmt: skip
    return port(name, **(rates | settings))


def shown(**settings: Any) -> Load:
    """Return a load that shows that all is well."""
    reading = Reading(places=PLACES, errors=())
    usual: dict[str, Any] = {"threads": (MAIN, WORKER), "reading": reading}
    return load(counted(GI1), counted(GI3), **(usual | settings))


def verdict(of: Load, **settings: Any) -> Judgement:
    return diagnose(situation(of, **settings)).verdict


def rates(received: float, sent: float, dropped: float = 0.0) -> PrintedRates:
    return PrintedRates(received_pps=received, sent_pps=sent, dropped_pps=dropped, punted_pps=0.0)


WITHOUT: dict[str, tuple[Load, str, str]] = {
    "threads": (shown(threads=()), "what the threads do", "show runtime"),
    "one thread": (shown(threads=(WORKER,)), "the other threads", "show runtime"),
    "the number of threads": (with_reading(shown(), places=None), "whether there are more threads", "show threads"),
    "times": (
        shown(threads=(MAIN, replace(WORKER, duration_s=None, table_duration_s=0.0))),
        "how many packets come in",
        "show runtime",
    ),
    "ports": (replace(shown(), ports=()), "ports and their missed packets", "show hardware-interfaces"),
    "counters of a port": (
        replace(shown(), ports=(counted(GI1), counted(GI3, counters=None))),
        f"all counters of {GI3}",
        "show interface",
    ),
    "the end of a port's counters": (
        replace(shown(), ports=(counted(GI1), counted(GI3, counters=InterfaceCounters(name=GI3, is_whole=False)))),
        f"all counters of {GI3}",
        "show interface",
    ),
    "the port that receives": (
        replace(shown(), ports=(counted(GI1, rx_pps=0.0), counted(GI3, rx_pps=0.0))),
        "the port that packets come in on",
        "show interface",
    ),
    "a rate of missed packets": (
        replace(shown(), ports=(counted(GI1), counted(GI3, rx_miss_pps=None))),
        f"what {GI3} lost between the readings",
        "show interface",
    ),
    "the reason of drops": (
        replace(shown(), ports=(counted(GI1, drops_pps=5e4), counted(GI3))),
        "why 50 kpps are dropped",
        "show errors",
    ),
    "the reason of a loss": (
        replace(shown(), ports=(counted(GI1, rx_error_pps=70.0), counted(GI3))),
        "why ports lose 70 pps",
        "show errors",
    ),
    "errors": (with_reading(shown(), errors=None), "error counters", "show errors"),
    "rows": (shown(threads=(MAIN, replace(WORKER, printed=rates(2e6, 2e6)))), "all rows of vpp_wk_0", "show runtime"),
}


@pytest.mark.parametrize("what", WITHOUT)
def test_what_was_not_seen_leaves_the_verdict_open_and_is_named_with_the_command_that_shows_it(what: str) -> None:
    of, missing, command = WITHOUT[what]
    said = verdict(of)
    assert said.word is VerdictWord.UNDECIDED
    assert any(missing in text for text in said.missing), said.missing
    assert command in said.next
    assert "healthy" not in rules(of)


def printed(received: float, sent: float, dropped: float) -> ThreadCounters:
    return ThreadCounters(index=1, name="vpp_wk_0", time_s=10.0, printed=rates(received, sent, dropped))


def test_packets_that_come_in_and_neither_leave_nor_are_dropped_are_asked_for() -> None:
    gone = with_reading(shown(), threads=(printed(1e6, 9e5, 0.0),))
    assert verdict(gone).word is VerdictWord.UNDECIDED
    assert any("100 kpps go" in text for text in verdict(gone).missing)
    assert verdict(with_reading(shown(), threads=(printed(1e6, 9e5, 1e5),))).word is VerdictWord.HEALTHY


def test_what_comes_in_and_does_not_leave_is_asked_for_between_two_readings_too() -> None:
    ports = (counted(GI1, rx_pps=1e6, tx_pps=0.0, punts_pps=0.0), counted(GI3, rx_pps=0.0, tx_pps=9e5, punts_pps=0.0))
    said = verdict(replace(shown(), ports=ports))
    assert said.word is VerdictWord.UNDECIDED
    assert "what became of 100 kpps of 1 Mpps (10.0 %), which come in and do not leave" in said.missing
    assert verdict(replace(shown(), ports=(ports[0], replace(ports[1], punts_pps=1e5)))).word is VerdictWord.HEALTHY
    in_turn = replace(shown(), ports=(ports[0], replace(ports[1], tx_pps=9.5e5)), duration_s=3.0)
    gone = [text for text in verdict(in_turn).missing if "what became of" in text]
    assert gone == [], "counters of three seconds are not read at one moment"


@pytest.mark.parametrize(
    ("offered", "word"),
    [
        ({"": 5e5}, VerdictWord.HEALTHY),
        ({GI1: 5e5, GI3: 5e5}, VerdictWord.HEALTHY),
        ({"": 6e5}, VerdictWord.UNDECIDED),
        ({GI1: 6e5}, VerdictWord.UNDECIDED),
        ({"xe7": 7e5, "xe8": 7e5}, VerdictWord.UNDECIDED),
    ],
)
def test_what_is_offered_and_not_received_is_asked_for_however_often_counters_were_read(
    offered: dict[str, float], word: VerdictWord
) -> None:
    full = worker(1, vector=100.0, poll=100.0, pps=1e6)  # busy enough that its NIC is no suspect
    for duration_s in (10.0, None):
        of = replace(shown(), threads=(MAIN, full), duration_s=duration_s)
        assert verdict(of, offered=offered).word is word


def test_a_trial_that_loses_is_never_healthy() -> None:
    for of in (shown(), Load(reading=Reading(), duration_s=None)):
        for back, word in ((1e6, VerdictWord.HEALTHY), (5e5, VerdictWord.UNDECIDED)):
            trials = (FrameTrial(frame="1518", offered_pps=8e4, received_pps=8e4),
                      FrameTrial(frame="64", offered_pps=1e6, received_pps=back))  # fmt: skip
            assert verdict(of, trials=trials).word is word
    assert "a trial lost 50.0 % of 1 Mpps (64)" in verdict(of, trials=trials).text


def test_what_a_card_missed_is_unknown_before_vpp_has_asked_dpdk_again() -> None:
    def word(duration_s: float, former: Reading | None = None, **of_port: Any) -> VerdictWord:
        ports = tuple(replace(each, hardware=replace(hardware(each.name), **of_port)) for each in shown().ports)
        return verdict(replace(shown(), ports=ports, duration_s=duration_s, former=former)).word

    assert word(3.0) is VerdictWord.UNDECIDED
    assert word(10.0) is VerdictWord.HEALTHY
    assert word(3.0, Reading(hardware=(hardware(),))) is VerdictWord.HEALTHY
    assert word(3.0, native_driver="iavf") is VerdictWord.HEALTHY


def test_losses_that_drivers_or_sending_nodes_alone_have_counted_are_asked_for() -> None:
    hardware = Hardware(name=GI1, is_up=True, counters=(("rx discards", 1824), ("rx unicast", 10**6)))
    bare = PortLoad(name=GI1, hardware=hardware)
    said = verdict(replace(shown(), duration_s=None, ports=(bare,)))
    assert (said.word, said.text) == (VerdictWord.UNDECIDED, LOST_BEFORE)
    assert f"a second reading: {GI1} lost 1,824 packets since the counters began" in said.missing
    refused = ErrorRate(node=f"{GI1}-tx", reason="Tx packet drops (dpdk tx failure)", count=77, per_s=None)
    said = verdict(replace(shown(), duration_s=None, ports=(), errors=(refused,)))
    assert f"a second reading: {GI1}-tx did not send 77 packets since the counters began" in said.missing
    clean = replace(bare, hardware=replace(hardware, counters=(("rx unicast", 10**6),)))
    said = verdict(replace(shown(), duration_s=None, ports=(clean,)))
    assert "a second reading" in said.missing and not any("no port has lost" in seen for seen in said.seen)
    again = replace(bare, driver_lost_pps={"rx": ("rx discards", 1e4)})
    said = verdict(replace(shown(), ports=(again,)))
    assert any(text.startswith("why drivers lose 10 kpps") for text in (*said.missing, *said.seen)), said


def test_a_damaged_packet_now_and_then_does_not_stand_in_the_way_of_healthy() -> None:
    rare = replace(shown(), ports=(counted(GI1, rx_error_pps=0.2), counted(GI3)))
    assert verdict(rare).word is VerdictWord.HEALTHY


def test_more_offered_than_received_is_not_healthy() -> None:
    said = verdict(shown(), offered={"": 3e6})
    assert said.word is not VerdictWord.HEALTHY


def test_a_notice_does_not_stand_in_the_way_of_healthy() -> None:
    few = replace(shown(), errors=(ErrorRate(node="ethernet-input", reason="unknown vlan", count=20, per_s=2.0),))
    assert verdict(few).word is VerdictWord.HEALTHY
    assert rules(few) == ["not-tuning", "healthy"]


def test_commands_have_one_pause_with_what_is_read_again_behind_it() -> None:
    said = verdict(replace(shown(threads=()), ports=(), duration_s=None))
    assert said.next == (
        "show hardware-interfaces", "show interface", "clear runtime", "wait 10 s", "show runtime", "show interface"
    )  # fmt: skip


def test_verdicts_have_an_order() -> None:
    assert [word.value for word in VerdictWord] == ["healthy", "idle", "undecided", "risk", "limit", "loss"]
    assert VerdictWord.LOSS.is_as_bad_as(VerdictWord.RISK)
    assert not VerdictWord.UNDECIDED.is_as_bad_as(VerdictWord.RISK)
    assert VerdictWord.RISK.is_as_bad_as(VerdictWord.RISK)


def test_what_an_acl_denies_is_no_loss_however_much_it_is() -> None:
    denied = ErrorRate(node="acl-plugin-in-ip4-fa", reason="ACL deny packets", count=9_000_000, per_s=900_000.0)
    ports = (counted(GI1, rx_pps=1e6, drops_pps=900_000.0), counted(GI3, rx_pps=0.0, tx_pps=1e5))
    flood = replace(shown(), ports=ports, errors=(denied,))
    assert verdict(flood).word is VerdictWord.HEALTHY
    assert verdict(replace(flood, errors=(replace(denied, reason="ip4 ttl <= 1"),))).word is VerdictWord.LOSS


def test_what_was_read_and_is_well_is_summed_up_and_counts_as_seen() -> None:
    read = Reading(
        version="26.10",
        buffers=(BufferPool(name="default-numa-0", total=128_270, available=127_116, cached=0, used=1154),),
        heaps=(Heap(name="main heap", total_bytes=1 << 30, used_bytes=200 << 20),),
    )
    said = verdict(load(threads=(), reading=read, duration_s=None))
    assert said.seen == (
        "VPP 26.10",
        "buffers of default-numa-0: 0.90 % of 128,270 used",
        "main heap: 19.5 % of 1,024M used",
    )
    assert said.text == "nothing seen is at its limit, but 5 of 8 things were not seen"
    full = replace(read, heaps=(Heap(name="main heap", total_bytes=1 << 30, used_bytes=900 << 20),))
    assert not any("heap" in each for each in verdict(load(threads=(), reading=full)).seen)


def test_interfaces_that_are_no_ports_are_not_counted_as_ports() -> None:
    names = {"local0": False, "Gi0": True, "loop0": True}
    reading = Reading(hardware=tuple(Hardware(name=name, is_up=is_up) for name, is_up in names.items()))
    ports = ports_between(None, reading, None, (), ())
    said = verdict(load(*ports, threads=(), reading=reading, duration_s=None))
    assert said.seen == ("1 of 1 port up",)
