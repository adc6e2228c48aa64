"""Tests which counters of drivers are lost packets."""

from typing import Any

import pytest

from vppcfg.tune.diagnosis import diagnose
from vppcfg.tune.driver_counters import driver_losses, driver_totals, lost_between
from vppcfg.tune.interval import load_of
from vppcfg.tune.reading import InterfaceCounters, Reading
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.show.hardware import parse_hardware
from vppcfg.tune.verdict import VerdictWord

AVF = """
              Name                Idx   Link  Hardware
avf-0/3b/2/0                       1     up   avf-0/3b/2/0
  Link speed: 25 Gbps
  Ethernet address 02:00:00:00:00:01
  flags: initialized link-up error
     Rx Queue: Total Packets
            0 : 1000
     Tx Queue: Total Packets\t Total Drops
            0 : 1000\t 77
  num-queue-pairs 1 max-vectors 5 max-mtu 0 rss-key-size 52 rss-lut-size 64
  error avf_device_init: failed
  stats:
    rx bytes             640000
    rx unicast           10000
    rx discards          4321
    tx errors            12
"""
MISSED = """
              Name                Idx   Link  Hardware
TenGigabitEthernet1/0/0            1     up   TenGigabitEthernet1/0/0
  Link speed: 10 Gbps
  Ethernet address 02:00:00:00:00:01
  Intel 82599
    carrier up full duplex mtu 9000
    rx frames ok                                   100123456
    rx missed                                       27789925
    extended stats:
      rx_good_packets                              100123456
      rx_missed_errors                              27789925
"""


def test_the_largest_of_several_names_for_one_loss_counts() -> None:
    found = driver_losses([("rx missed", 90), ("rx_missed_errors", 100), ("rx_q0_errors", 40), ("tx errors", 0)])
    assert found == {"rx": ("rx_missed_errors", 100)}


def test_a_counter_that_was_cleared_counts_from_zero() -> None:
    assert lost_between([("rx missed", 100)], [("rx missed", 30)]) == {"rx": ("rx missed", 30)}
    assert lost_between([("rx missed", 100)], [("rx missed", 100)]) == {}


def test_all_that_avf_prints_of_lost_packets_is_read() -> None:
    (port,), _ = parse_hardware(AVF)
    assert port.has_errors
    assert driver_losses(port.counters) == {"rx": ("rx discards", 4321), "tx": ("tx queue 0 drops", 77)}


def test_one_reading_of_the_hardware_alone_is_a_loss() -> None:
    found = diagnose(Situation(load=load_of([Reading(hardware=parse_hardware(MISSED)[0])])))
    assert found.verdict.word is VerdictWord.LOSS
    assert "27,789,925" in found.verdict.text


def test_a_small_share_of_old_losses_leaves_open_whether_they_go_on() -> None:
    seen = Reading(
        hardware=parse_hardware(MISSED)[0],
        interfaces=(InterfaceCounters(name="TenGigabitEthernet1/0/0", rx_packets=10**9, rx_bytes=10**12),),
    )
    verdict = diagnose(Situation(load=load_of([seen]))).verdict
    assert verdict.word is VerdictWord.UNDECIDED
    assert verdict.text.startswith("packets were lost or dropped since the counters began")


OTHERS = """
              Name                Idx   Link  Hardware
vmxnet3-0/b/0/0                    1     up   vmxnet3-0/b/0/0
  flags: admin-up
  rx queues 2, rx desc 1024, tx queues 2, tx desc 1024
  TX Queue 0:
    ucast packets                       5000
    Errors packets                      3
    Discard packets                     70
  RX Queue 0:
    ucast packets                       9000
    No Bufs                             1200
memif1/0                           2     up   memif1/0
  MEMIF interface
    instance 0
      master-to-slave ring 0
        packets sent: 800
        no tx slot: 4500
        max no tx slot: 256
      slave-to-master ring 0
        packets received: 900
eth0                               3     up   eth0
  Link speed: 10 Gbps
  Driver is 'ena', bus is 'pci'
    total packets received                       7000
    total drops received                         61
TenGigabitEthernet1/0/0            4     up   TenGigabitEthernet1/0/0
  Amazon ENA
    cpu socket 0
    rx frames ok                                   5
    extended stats:
      bw_in_allowance_exceeded                     12
      pps_allowance_exceeded                       33
"""


def test_the_counters_of_every_driver_are_read_whatever_their_names_and_headings() -> None:
    lost = {port.name: driver_losses(port.counters) for port in parse_hardware(OTHERS)[0]}
    assert lost == {
        "vmxnet3-0/b/0/0": {"tx": ("tx queue 0 Discard packets", 70), "rx": ("rx queue 0 No Bufs", 1200)},
        "memif1/0": {"tx": ("tx ring 0 no tx slot", 4500)},
        "eth0": {"rx": ("total drops received", 61)},
        "TenGigabitEthernet1/0/0": {"rx": ("pps_allowance_exceeded", 33)},
    }


@pytest.mark.parametrize(
    ("counters", "totals"),
    [
        ((("rx frames ok", 100), ("rx missed", 20)), {"rx": 120}),
        ((("rx unicast", 135), ("rx discards", 94), ("tx unicast", 40)), {"rx": 135, "tx": 40}),
        ((("total packets received", 7000), ("total drops received", 61)), {"rx": 7061}),
        ((("rx missed", 20),), {}),
    ],
)
def test_a_loss_is_a_share_of_all_that_came_where_the_driver_counts_it(counters: Any, totals: dict[str, int]) -> None:
    assert driver_totals(counters) == totals


def test_a_loss_of_an_unknown_share_is_no_verdict() -> None:
    text = MISSED.replace("    rx frames ok                                   100123456\n", "")
    text = text.replace("      rx_good_packets                              100123456\n", "")
    found = diagnose(Situation(load=load_of([Reading(hardware=parse_hardware(text)[0])])))
    assert found.verdict.word is VerdictWord.UNDECIDED
    assert "packets were lost or dropped since the counters began" in found.verdict.text


@pytest.mark.parametrize("name", ["tx_q0_undersize_packets", "rx_q3_undersize_packets", "rx q0undersize packets"])
def test_small_packets_that_virtio_sorts_by_size_are_not_lost(name: str) -> None:
    assert driver_losses([(name, 7)]) == {}
    assert driver_losses([("rx_undersize_errors", 9)]) == {"rx": ("rx_undersize_errors", 9)}
