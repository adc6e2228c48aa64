"""Ten known bottlenecks of a real VPP, made on purpose: the tuner names each, with nothing but the VPP to look at.

What takes a card cannot be made here: receive descriptors that are too few for a burst, and RSS. Rings of memif stand
for those of a card, and a packet generator inside VPP, or a second VPP, for the traffic.
"""

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.live.test_tune import (
    COUNTERS,
    EAST,
    NO_WORKER,
    REASON,
    SOURCE,
    WEST,
    WORKER,
    cli,
    cross_connect,
    memif_pair,
    names,
    needs_port,
    route,
    router,
    send,
    tune,
    tuned_once,
)
from tests.real_vpp import RealVpp, running

pytestmark = [pytest.mark.live, pytest.mark.slow, pytest.mark.skipif(REASON is not None, reason=REASON or "")]

MEMIF = "memif1/0"
RULES = 10_000
TABLES = 1000
"""So many that they take more than sending over a Linux device does."""
FEW_BUFFERS = "buffers { buffers-per-numa 4096 page-size 4k }\n"
FOUR_WORKERS = "cpu { main-core 0 corelist-workers 1-4 }\n" + COUNTERS


def worst(found: dict[str, Any]) -> tuple[str, str, str]:
    """Return rule, subject and verdict of the finding that a report begins with."""
    assert found["findings"], found
    first = found["findings"][0]
    return first["rule"], first["subject"], first["verdict"]


@contextmanager
def fed(folder: Path) -> Iterator[RealVpp]:
    """Run a router that a second VPP sends to as fast as it can, over memif.

    A packet generator inside the router would fill its vectors whatever the load, and prove nothing.
    """
    with memif_pair(folder, 1024) as (vpp, peer):
        cli(
            vpp,
            f"set interface ip address {MEMIF} 10.0.0.254/24",
            f"set interface ip address {WEST} 10.1.0.254/24",
            f"ip neighbor {WEST} 10.1.0.2 00:00:00:00:00:22",
            f"set interface rx-mode {MEMIF} polling",
        )
        (mac,) = (row.l2_address for row in vpp.client.api.sw_interface_dump() if row.interface_name == MEMIF)
        assert peer.cli("create packet-generator interface pg0")[0] == 0
        cli(
            peer,
            "set interface state pg0 up",
            f"set interface l2 xconnect pg0 {MEMIF}",
            f"set interface l2 xconnect {MEMIF} pg0",
            "packet-generator new { name s limit 1000000000 size 64-64 source pg0 node ethernet-input data { "
            f"IP4: 00:00:00:00:00:09 -> {mac} UDP: 10.0.0.1 -> 10.1.0.2 UDP: 1234 -> 2345 incrementing 20 }} }}",
            "packet-generator enable-stream s",
        )
        yield vpp


@needs_port
def test_1_one_worker_of_four_has_all_packets(tmp_path: Path) -> None:
    with running((EAST, WEST), extra=FOUR_WORKERS, cpus=5) as vpp:
        for port in (EAST, WEST):
            cli(vpp, f"set interface state {port} up", f"set interface rx-mode {port} polling")
        cross_connect(vpp)
        send(vpp, "5e4")
        found = tuned_once(vpp, tmp_path)
    rule, subject, verdict = worst(found)
    assert (rule, subject) == ("worker-imbalance", "vpp_wk_0")
    assert "times the mean of 4 workers" in verdict


def test_2_descriptors_are_too_few(tmp_path: Path) -> None:
    with memif_pair(tmp_path, 16) as (vpp, _):
        cross_connect(vpp, SOURCE, MEMIF)
        send(vpp, "3e5")
        found = tune(vpp, tmp_path)
    assert worst(found)[:2] == ("tx-descriptors", MEMIF)
    assert "tx-ring-size" in found["findings"][0]["proposal"]["text"]


def test_3_buffers_are_too_few(tmp_path: Path) -> None:
    with router(FEW_BUFFERS + WORKER) as vpp:
        cross_connect(vpp)
        for number in range(4):
            assert vpp.cli(f"create tap id {number} rx-ring-size 1024 tx-ring-size 1024")[0] == 0
            cli(vpp, f"set interface state tap{number} up")
        found = tuned_once(vpp, tmp_path)
    rule, _, verdict = worst(found)
    assert rule == "buffers"
    assert "Mpps" not in verdict, "attempts to fill a ring are no packets"


def test_4_an_access_list_of_10000_rules_takes_the_worker(tmp_path: Path) -> None:
    """Rules are gone through one by one, as VPP did before it had a hash for them, and does when told so."""
    rules = ", ".join(
        f"deny proto 17 src 172.{16 + number // 2500}.{number // 256 % 256}.{number % 256}/32 dst 10.1.0.0/16"
        for number in range(RULES)
    )
    script = tmp_path / "rules.vpp"
    script.write_text(
        f"set acl-plugin use-hash-acl-matching 0\nset acl-plugin acl {rules}, permit src 0.0.0.0/0 dst 0.0.0.0/0\n"
    )
    with fed(tmp_path) as vpp:
        cli(vpp, f"exec {script}", f"set acl-plugin interface {MEMIF} input acl 0")
        found = tuned_once(vpp, tmp_path)
    rule, subject, verdict = worst(found)
    assert (rule, subject) == ("cpu-bound", "vpp_wk_0")
    assert re.search("; acl-plugin-in-ip4-fa takes [89]", verdict)
    assert found["findings"][0]["proposal"]["text"].startswith("first the ACLs")


@needs_port
def test_5_sessions_of_nat_are_used_up(tmp_path: Path) -> None:
    with router() as vpp:
        route(vpp)
        cli(
            vpp,
            "nat44 plugin enable sessions 64",
            f"set interface nat44 in {EAST} out {WEST}",
            "nat44 add address 203.0.113.1",
        )
        (mac,) = (row.l2_address for row in vpp.client.api.sw_interface_dump() if row.interface_name == EAST)
        cli(
            vpp,
            f"packet-generator new {{ name s limit 1000000000 rate 2e4 size 64-64 interface {EAST} "
            f"node ethernet-input worker 0 data {{ IP4: 00:00:00:00:00:09 -> {mac} "
            "UDP: 10.0.0.1 -> 10.1.0.2 UDP: 1024 - 60000 -> 2345 incrementing 20 } }",
            "packet-generator enable-stream s",
        )
        time.sleep(1.0)
        found = tuned_once(vpp, tmp_path)
    rule, subject, verdict = worst(found)
    assert (rule, subject) == ("nat-exhausted", "nat44-ed-in2out-slowpath")
    assert "no thread has room for more sessions" in verdict


def test_6_a_slow_node_takes_the_worker(tmp_path: Path) -> None:
    """A chain of classify tables, which a packet without a match goes through to its end."""
    with fed(tmp_path) as vpp:
        for number in range(TABLES):
            next_table = f"next-table {number - 1}" if number else ""
            cli(vpp, f"classify table mask l3 ip4 src buckets 2 {next_table}")
        cli(vpp, f"set interface input acl intfc {MEMIF} ip4-table {TABLES - 1}")
        found = tuned_once(vpp, tmp_path)
    rule, subject, verdict = worst(found)
    assert (rule, subject) == ("cpu-bound", "vpp_wk_0")
    assert "; ip4-inacl takes " in verdict
    assert "classify tables" in found["findings"][0]["proposal"]["text"]


def test_7_the_main_thread_polls(tmp_path: Path) -> None:
    with router(NO_WORKER) as vpp:
        cross_connect(vpp)
        send(vpp, "3e4", worker="")
        found = tuned_once(vpp, tmp_path)
    assert worst(found)[:2] == ("main-polluted", "vpp_main")


def test_8_a_memif_is_full_because_nobody_reads_it(tmp_path: Path) -> None:
    with memif_pair(tmp_path, 1024) as (vpp, peer):
        cross_connect(vpp, SOURCE, MEMIF)
        send(vpp, "2e4")
        os.kill(peer.pid, signal.SIGSTOP)
        try:
            time.sleep(1.0)
            found = tuned_once(vpp, tmp_path)
        finally:
            os.kill(peer.pid, signal.SIGCONT)
    rule, subject, verdict = worst(found)
    assert (rule, subject) == ("tx-descriptors", MEMIF)
    assert "the other end takes nothing" in verdict


@needs_port
def test_9_a_busy_port_waits_for_interrupts(tmp_path: Path) -> None:
    with router() as vpp:
        cross_connect(vpp)
        cli(vpp, f"set interface rx-mode {EAST} interrupt")
        send(vpp, "3e4")
        found = tuned_once(vpp, tmp_path)
    assert names(found) == ["interrupt-mode"]
    assert worst(found)[1] == EAST
    assert found["findings"][0]["proposal"]["live"] == [f"set interface rx-mode {EAST} polling"]


def test_10_a_policer_drops_what_is_above_its_rate(tmp_path: Path) -> None:
    with router() as vpp:
        route(vpp)
        cli(
            vpp,
            "policer add name p rate kbps cir 1000 cb 100000 type 1r2c conform-action transmit "
            "exceed-action drop violate-action drop",
            f"policer input name p {SOURCE}",
        )
        send(vpp, "2e4")
        found = tuned_once(vpp, tmp_path)
    rule, subject, verdict = worst(found)
    assert (rule, subject, found["verdict"]) == ("not-tuning", "policer-input", "limit")
    assert "above the rate of a policer" in verdict
