"""Hashes, tables and counters of a router say which core a flow lands on."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from vppcfg.errors import EngineError
from vppcfg.loadtest.flows.place import FourTuple, core_by_queue, rss_of, toeplitz, toeplitz_cores
from vppcfg.loadtest.flows.router import LocalRouter, SshRouter, loads_between, ticks_by_core

KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
"""The one of Microsoft's check vectors."""

ETHTOOL = """\
RX flow hash indirection table for eth0 with 4 RX ring(s):
    0:      0     1     2     3     0     1     2     3
    8:      0     1     2     3     0     1     2     3
RSS hash key:
6d:5a:56:da:25:5b:0e:c2:41:67:25:3d:43:a3:8f:b0:d0:ca:2b:cb:ae:7b:30:b4:77:cb:2d:a3:80:30:f2:0c:6a:42:b7:3b:be:ac:01:fa
RSS hash function:
    toeplitz: on
    xor: off
    crc32: off
"""
INTERRUPTS = """\
           CPU0       CPU1
 24:          5          0   PCI-MSI 524288-edge      eth0-TxRx-0
 25:          0          7   PCI-MSI 524289-edge      eth0-TxRx-1
 26:          0          7   PCI-MSI 524290-edge      eth1-TxRx-0
NMI:          0          0   Non-maskable interrupts
"""


@pytest.mark.parametrize(
    ("source", "source_port", "destination", "destination_port", "expected"),
    [
        ("66.9.149.187", 2794, "161.142.100.80", 1766, 0x51CCC178),
        ("199.92.111.2", 14230, "65.69.140.83", 4739, 0xC626B0EA),
        ("24.19.198.95", 12898, "12.22.207.184", 38024, 0x5C2B394A),
    ],
)
def test_the_hash_is_that_of_the_check_vectors(
    source: str, source_port: int, destination: str, destination_port: int, expected: int
) -> None:
    flow = FourTuple(source=source, destination=destination, source_port=source_port, destination_port=destination_port)
    assert toeplitz(KEY, flow.packed) == expected


@pytest.mark.parametrize(
    ("source", "destination", "expected"),
    [("66.9.149.187", "161.142.100.80", 0x323E8FC2), ("199.92.111.2", "65.69.140.83", 0xD718262A)],
)
def test_the_hash_of_addresses_alone_is_that_of_the_check_vectors(source: str, destination: str, expected: int) -> None:
    flow = FourTuple(source=source, destination=destination, source_port=0, destination_port=0)
    assert toeplitz(KEY, flow.packed[:8]) == expected


def test_a_card_tells_the_queue_of_a_flow() -> None:
    rss = rss_of(ETHTOOL)
    assert rss is not None
    flow = FourTuple(source="66.9.149.187", destination="161.142.100.80", source_port=2794, destination_port=1766)
    assert rss.queue_of(flow) == 0x51CCC178 % 16 % 4


@pytest.mark.parametrize(
    "text",
    [
        "Cannot get RX flow hash indirection table size: Operation not supported\n",
        ETHTOOL.replace("toeplitz: on", "toeplitz: off").replace("crc32: off", "crc32: on"),
        ETHTOOL.replace("6d:5a:", ""),
        ETHTOOL.partition("RSS hash key")[0],
    ],
    ids=["no RSS", "another hash", "a key too short for the hash", "no key"],
)
def test_a_card_whose_hash_is_not_known_tells_nothing(text: str) -> None:
    assert rss_of(text) is None


def test_queues_belong_to_the_cores_that_their_interrupts_go_to() -> None:
    affinity = {24: "1", 25: "0,2-3"}
    assert core_by_queue(INTERRUPTS, "eth0", lambda number: affinity[number]) == {0: 1, 1: 0}


def test_the_load_of_a_core_is_what_passed_between_two_looks() -> None:
    former = ticks_by_core("cpu  1 2 3\ncpu0 100 0 0 100 0 0 0 0 50 0\ncpu1 0 0 0 100 0 0 0 0 0 0\nintr 5\n")
    later = ticks_by_core("cpu  1 2 3\ncpu0 110 0 5 110 2 0 73 0 90 0\ncpu1 0 0 0 200 0 0 0 0 0 0\nintr 5\n")
    first, second = loads_between(former, later)
    assert (first.core, first.softirq, first.idle) == (0, 0.73, 0.12)
    assert (second.core, second.softirq, second.idle) == (1, 0.0, 1.0)


def test_a_core_that_is_switched_off_meanwhile_is_left_out() -> None:
    both = ticks_by_core("cpu0 1 0 0 1 0 0 0 0\ncpu1 1 0 0 1 0 0 0 0\n")
    one = ticks_by_core("cpu0 2 0 0 1 0 0 0 0\n")
    assert [load.core for load in loads_between(both, one)] == [0]


def test_a_text_without_cores_is_refused() -> None:
    with pytest.raises(EngineError, match="names no CPU"):
        ticks_by_core("nothing")


class Answers:
    """A router that prints what it is told to."""

    def __init__(self, **texts: str) -> None:
        self._texts = texts

    def run(self, command: Sequence[str]) -> str:
        text = next((text for word, text in self._texts.items() if word in " ".join(command)), None)
        if text is None:
            raise EngineError(f"cannot do {command}")
        return text


def test_the_core_of_a_flow_follows_from_hash_table_and_interrupts() -> None:
    router = Answers(ethtool=ETHTOOL, interrupts=INTERRUPTS, irq="1")
    core_of = toeplitz_cores(router, "eth0", "66.9.149.187", "161.142.100.80")
    assert core_of is not None
    queue = 0x51CCC178 % 16 % 4
    assert core_of(1766, 2794) == (1 if queue < 2 else None)


@pytest.mark.parametrize("texts", [{}, {"ethtool": "no RSS"}, {"ethtool": ETHTOOL, "interrupts": "", "irq": ""}])
def test_a_router_that_does_not_tell_leaves_the_core_open(texts: dict[str, str]) -> None:
    assert toeplitz_cores(Answers(**texts), "eth0", "192.0.2.1", "192.0.2.2") is None


def test_a_router_is_asked_by_ssh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ssh"
    program.write_text('#!/bin/sh\necho "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    answer = SshRouter(host="root@whle").run(["cat", "/proc/stat"])
    assert answer == "-o BatchMode=yes -o ConnectTimeout=10 -- root@whle cat /proc/stat\n"


def test_a_router_that_ssh_does_not_reach_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ssh"
    program.write_text("#!/bin/sh\necho 'Host key verification failed.' >&2\nexit 255\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(EngineError, match=r"root@whle cannot do .*Host key verification failed"):
        SshRouter(host="root@whle").run(["cat", "/proc/stat"])


def test_this_machine_answers_itself() -> None:
    assert ticks_by_core(LocalRouter().run(["cat", "/proc/stat"]))
