"""The tuner on a real VPP with packets in it: troubles made on purpose are named, healthy loads are left alone."""

import json
import math
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.real_vpp import RealVpp, release, running, skip_reason
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.tune.capture import COMMANDS
from vppcfg.tune.thresholds import FRAME

REASON = skip_reason()
pytestmark = pytest.mark.slow

EAST, WEST = "GigabitEthernet1/0/0", "GigabitEthernet3/0/0"
SOURCE = EAST if REASON is not None or release() >= "26.02" else "pg0"
"""Where the packet generator's packets come in: before 26.02, whatever is asked for, at its own port (5fe2bbeea79)."""
needs_port = pytest.mark.skipif(SOURCE != EAST, reason="before 26.02 no packets can be sent into a port with queues")
SMALL_HEAP = "128M"
"""Little more than a VPP with symbols for debugging takes when it starts: 26.10 reads its own and ends below 104M, and
takes 60M from then on. Routes fill the rest."""
FULL = 0.75
"""Part of a heap in use that the tuner warns of for sure."""
COUNTERS = "statseg { per-node-counters on update-interval 0.5 }\n"
NO_WORKER = "cpu { main-core 0 }\n" + COUNTERS
WORKER = "cpu { main-core 0 corelist-workers 1 }\n" + COUNTERS
SERIOUS = {"loss", "limit", "risk"}


def cli(vpp: RealVpp, *lines: str) -> None:
    for line in lines:
        assert (line, *vpp.cli(line)) == (line, 0, "")


@contextmanager
def router(extra: str = WORKER) -> Iterator[RealVpp]:
    """Run a VPP with two ports that are up and polled."""
    with running((EAST, WEST), extra=extra) as vpp:
        for port in (EAST, WEST):
            cli(vpp, f"set interface state {port} up", f"set interface rx-mode {port} polling")
        if SOURCE != EAST:
            assert vpp.cli(f"create packet-generator interface {SOURCE}")[0] == 0
            cli(vpp, f"set interface state {SOURCE} up")
        yield vpp


def cross_connect(vpp: RealVpp, first: str = SOURCE, second: str = WEST) -> None:
    cli(vpp, f"set interface l2 xconnect {first} {second}", f"set interface l2 xconnect {second} {first}")


def route(vpp: RealVpp) -> None:
    """Route 10.1.0.0/16 out of the western port, to a neighbour that exists in VPP's tables alone."""
    cli(
        vpp,
        f"set interface ip address {SOURCE} 10.0.0.254/24",
        f"set interface ip address {WEST} 10.1.0.254/24",
        f"ip neighbor {WEST} 10.1.0.2 00:00:00:00:00:22",
    )


def send(vpp: RealVpp, rate: str, *, size: int = 64, ttl: int = 64, worker: str = "worker 0", vlan: str = "") -> None:
    """Let VPP's packet generator send into the eastern port, at a rate or as fast as it can."""
    speed = f"rate {rate}" if rate else ""
    (mac,) = (row.l2_address for row in vpp.client.api.sw_interface_dump() if row.interface_name == SOURCE)
    way = f"interface {EAST}" if SOURCE == EAST else f"source {SOURCE}"
    head = f"IP4: 00:00:00:00:00:09 -> {mac} {vlan}"
    body = f"UDP: 10.0.0.1 -> 10.1.0.2 ttl {ttl} UDP: 1234 -> 2345 incrementing 20"
    cli(
        vpp,
        f"packet-generator new {{ name s limit 1000000000 {speed} size {size}-{size} {way} "
        f"node ethernet-input {worker} data {{ {head} {body} }} }}",
        "packet-generator enable-stream s",
    )
    time.sleep(1.0)


def generated(vpp: RealVpp) -> tuple[int, float]:
    """Return how many packets the packet generator has made, and the rate that it was asked for, infinite for none."""
    text = vpp.cli("show packet-generator")[1]
    made, asked = re.search(r"^s +Yes +(\d+)", text, re.MULTILINE), re.search(r"rate ([\d.e+]+) ?pps", text)
    return int(made[1]) if made else 0, float(asked[1] if asked else 0) or math.inf


def tune(vpp: RealVpp, folder: Path, *words: str) -> dict[str, Any]:
    """Return what the tuner says about a VPP whose packet generator kept below its rate, and what that made.

    A busy machine does not let it make as many packets as it was asked for, and that is no fault of the tuner.
    Before 26.06, the clock of a worker goes back when it leaves a barrier late, on a busy machine (5c19169aec4). The
    generator takes a time of less than nothing for 2^64 packets that it owes, and sends as fast as it can from then on
    (pg_input_stream, vnet/pg/input.c): the worker is saturated indeed, until the stream begins anew.
    """
    files = {path: path.read_text() for path in folder.glob("*.yaml")}
    for _ in range(8):
        began_s, (before, asked) = time.monotonic(), generated(vpp)
        found = tuned_once(vpp, folder, *words)
        made, passed_s = generated(vpp)[0] - before, time.monotonic() - began_s
        if made <= 1.5 * asked * passed_s + FRAME:
            return found | {"generated_pps": made / passed_s}
        cli(vpp, "packet-generator disable-stream s", "packet-generator enable-stream s")
        for path, text in files.items():
            path.write_text(text)
        time.sleep(1.0)
    if release() < "26.06":
        pytest.skip("the packet generator of this VPP did not keep its rate (5c19169aec4)")
    raise AssertionError("the packet generator does not keep its rate")


def tuned_once(vpp: RealVpp, folder: Path, *words: str) -> dict[str, Any]:
    """Return what the tuner says about a VPP, whatever its packet generator does."""
    out = folder / "found.json"
    out.unlink(missing_ok=True)
    live = ["-a", str(vpp.socket_path), "--interval", "1", "--readings", "3"]
    assert main(["tune", "-q", *live, "--format", "json", "-o", str(out), *words]) == ExitCode.DONE
    found: dict[str, Any] = json.loads(out.read_text())
    return found


def names(found: dict[str, Any]) -> list[str]:
    """Return the rules with a loss, a limit or a risk, in order."""
    return [finding["rule"] for finding in found["findings"] if finding["severity"] in SERIOUS]


def rate(found: dict[str, Any]) -> float:
    """Return what all threads take in per second."""
    total: float = sum(thread["rx_pps"] for thread in found["load"]["threads"])
    return total


@contextmanager
def memif_pair(folder: Path, ring: int, extra: str = WORKER) -> Iterator[tuple[RealVpp, RealVpp]]:
    """Run a router whose memif leads to a second VPP, with rings of a length."""
    with ExitStack() as stack:
        peer = stack.enter_context(running((), extra=COUNTERS))
        vpp = stack.enter_context(router(extra))
        for end, role in ((peer, "master"), (vpp, "slave")):
            cli(
                end,
                f"create memif socket id 1 filename {folder / 'pair.sock'}",
                f"create interface memif id 0 socket-id 1 {role} ring-size {ring}",
                "set interface state memif1/0 up",
            )
        deadline = time.monotonic() + 15
        while "connected" not in vpp.cli("show memif")[1]:
            assert time.monotonic() < deadline, "the memif does not come up"
            time.sleep(0.1)
        yield vpp, peer


@pytest.mark.parametrize(
    "load", ["idle", *(pytest.param(load, marks=needs_port) for load in ("switched", "routed", "large"))]
)
def test_a_load_that_is_carried_is_healthy(load: str, tmp_path: Path) -> None:
    with router() as vpp:
        if load == "routed":
            route(vpp)
        else:
            cross_connect(vpp)
        if load != "idle":
            send(vpp, "2e4", size=1400 if load == "large" else 64)
        found = tune(vpp, tmp_path)
    assert names(found) == [], found["findings"]
    assert found["verdict"] == ("idle" if load == "idle" else "healthy"), found["missing"]
    assert 0.7 * found["generated_pps"] <= rate(found) <= (50 if load == "idle" else 1.3 * 2e4)


def made_cpu_bound(vpp: RealVpp) -> None:
    cross_connect(vpp)
    send(vpp, "")


def made_down(vpp: RealVpp) -> None:
    cross_connect(vpp)
    cli(vpp, f"set interface state {WEST} down")
    send(vpp, "2e4")


def made_without_route(vpp: RealVpp) -> None:
    cli(vpp, f"set interface ip address {SOURCE} 10.0.0.254/24")
    send(vpp, "2e4")


def made_interrupt(vpp: RealVpp) -> None:
    cross_connect(vpp)
    cli(vpp, f"set interface rx-mode {EAST} interrupt")
    send(vpp, "3e4")


SENDER = """
import socket, time
port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
port.bind(("veth0-peer", 0))
until = time.monotonic() + 8
while time.monotonic() < until:
    for _ in range(20):
        port.send(bytes.fromhex("020000000001020000000009080045") + bytes(51))
    time.sleep(0.01)
"""
"""Sends up to 2000 frames per second from the other end of the eastern port, for eight seconds."""


def made_main(vpp: RealVpp) -> None:
    """Let the main thread poll the eastern port: beside workers, no packet generator runs on it (vnet/pg/stream.c)."""
    cross_connect(vpp)
    cli(vpp, f"set interface rx-placement {EAST} queue 0 main")
    sender = ["nsenter", "--target", str(vpp.pid), "--net", sys.executable, "-c", SENDER]
    threading.Thread(target=subprocess.run, args=(sender,)).start()
    time.sleep(0.5)


@pytest.mark.parametrize(
    ("make", "rule", "texts"),
    [
        (made_cpu_bound, "cpu-bound", ["runtime"]),
        (made_down, "not-tuning", ["errors", "runtime"]),
        pytest.param(made_down, "not-tuning", ["interface"], marks=needs_port),
        (made_without_route, "not-tuning", ["errors", "runtime"]),
        pytest.param(made_interrupt, "interrupt-mode", ["rx-placement", "hardware"], marks=needs_port),
        pytest.param(made_main, "main-polluted", ["runtime", "rx-placement", "hardware"], marks=needs_port),
    ],
)
def test_a_trouble_is_named_from_each_single_text_that_shows_it(
    make: Callable[[RealVpp], None], rule: str, texts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with router() as vpp:
        make(vpp)
        for line in ("clear runtime", "clear errors", "clear interfaces"):
            vpp.cli(line)
        time.sleep(3.0)
        pasted = {name: vpp.cli(COMMANDS[name])[1] for name in texts}
    for name, text in pasted.items():
        (tmp_path / name).write_text(text)
        assert main(["tune", "-q", "--from", str(tmp_path / name), "--format", "json"]) == ExitCode.DONE
        found = json.loads(capsys.readouterr().out)
        assert [finding["rule"] for finding in found["findings"]] == [rule], name
        assert found["verdict"] not in {"healthy", "idle"}, name


@pytest.mark.parametrize("is_routed", [False, True], ids=["switched", "routed"])
def test_many_healthy_loads_are_not_called_ill(is_routed: bool, tmp_path: Path) -> None:
    with router() as vpp:
        (route if is_routed else cross_connect)(vpp)
        for load in range(25):
            if load:
                send(vpp, f"{40 * 1.3**load:.0f}", size=64 + 50 * load)
            found = tune(vpp, tmp_path)
            assert names(found) == [], (load, found["findings"])
            assert found["verdict"] in {"healthy", "idle", "undecided"}
            for line in ("packet-generator disable-stream s", "packet-generator delete s"):
                vpp.cli(line)


def fill_heap(vpp: RealVpp, routes: int | None = None) -> int:
    """Add so many routes, or as many as fill the main heap, and return how many there are."""
    added = 0
    while added < routes if routes is not None else heap_used(vpp) < FULL:
        first = f"20.{added >> 16}.{added >> 8 & 255}.0/32"
        assert "routes/sec" in vpp.cli(f"ip route add {first} count 10240 via 10.1.0.2 {WEST}")[1]
        added += 10240
        assert added < 1 << 20, "routes do not fill the heap"
    return added


def test_a_heap_that_is_nearly_full_is_named(tmp_path: Path) -> None:
    with router(WORKER + f"memory {{ main-heap-size {SMALL_HEAP} }}") as vpp:
        cross_connect(vpp)
        fill_heap(vpp)
        send(vpp, "2e4")
        found = tune(vpp, tmp_path)
    assert names(found) == ["memory-full"]
    assert found["findings"][0]["subject"] == "main heap"


@pytest.mark.parametrize(("ttl", "vlan", "words"), [(1, "", "TTL"), (64, "vlan 77", "VLAN")])
def test_packets_that_must_be_dropped_are_no_matter_of_tuning(ttl: int, vlan: str, words: str, tmp_path: Path) -> None:
    with router() as vpp:
        route(vpp)
        send(vpp, "2e4", ttl=ttl, vlan=vlan)
        found = tune(vpp, tmp_path)
    assert names(found)[0] == "not-tuning"
    assert words in found["findings"][0]["verdict"]


def test_traces_are_noticed(tmp_path: Path) -> None:
    with router() as vpp:
        cross_connect(vpp)
        vpp.cli("trace add pg-input 50")
        send(vpp, "2e4")
        found = tune(vpp, tmp_path)
    assert "debug-build" in [finding["rule"] for finding in found["findings"]]
    assert names(found) == []


@needs_port
def test_a_vpp_without_counters_of_nodes_is_asked_at_its_prompt(tmp_path: Path) -> None:
    with router(WORKER.replace(COUNTERS, "")) as vpp:
        cross_connect(vpp)
        send(vpp, "2e4")
        found = tune(vpp, tmp_path)
    assert names(found) == []
    assert 0.7 * found["generated_pps"] <= rate(found) <= 1.3 * 2e4


def test_a_capture_says_elsewhere_what_the_vpp_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "capture"
    with memif_pair(tmp_path, 16) as (vpp, _):
        cross_connect(vpp, SOURCE, "memif1/0")
        send(vpp, "3e5")
        words = ["-a", str(vpp.socket_path), "--interval", "1"]
        assert main(["tune", "capture", "-q", str(folder), *words]) == ExitCode.DONE
    assert main(["tune", "-q", "--from", str(folder), "--format", "json"]) == ExitCode.DONE
    found = json.loads(capsys.readouterr().out)
    assert (found["findings"][0]["rule"], found["findings"][0]["subject"]) == ("tx-descriptors", "memif1/0")
    assert found["vpp_version"].startswith(release())


def stanza_of(config: Path, folder: Path, name: str) -> str:
    """Return a section of the startup.conf that a configuration gives on this machine."""
    made = folder / "startup.conf"
    assert main(["startup", "-q", "-c", str(config), "--vpp-version", release(), "-o", str(made)]) == ExitCode.DONE
    return name + " {" + made.read_text().partition(f"\n{name} {{")[2].partition("}")[0] + "}\n"


def heap_used(vpp: RealVpp) -> float:
    """Return the part of the main heap that is in use."""
    match = re.search(r"total: ([\d.]+)([MG]), used: ([\d.]+)M", vpp.cli("show memory main-heap")[1])
    assert match is not None
    return float(match[3]) / (float(match[1]) * (1024 if match[2] == "G" else 1))


def test_a_promise_about_a_small_heap_is_kept_after_the_restart_it_needs(tmp_path: Path) -> None:
    config = tmp_path / "router.yaml"
    config.write_text(
        "# small\ndataplane:\n  cpu: { workers: 1 }\n"
        f"  memory: {{ main-heap: {SMALL_HEAP} }}\n  unix: {{ gid: root }}\n"
    )

    def measured(stanza: str, routes: int | None, *words: str) -> tuple[dict[str, Any], float, int]:
        with router(WORKER + stanza) as vpp:
            cross_connect(vpp)
            routes = fill_heap(vpp, routes)
            send(vpp, "2e4")
            return tune(vpp, tmp_path, *words), heap_used(vpp), routes

    small = f"memory {{ main-heap-size {SMALL_HEAP} }}\n"
    before, _, routes = measured(small, None, "-c", str(config), "--write", "--only", "memory-full")
    promise = before["findings"][0]["expectation"]["text"]
    after, used, _ = measured(stanza_of(config, tmp_path, "memory"), routes)
    assert names(before) == ["memory-full"] and names(after) == []
    assert "main-heap: 1024M }" in config.read_text() and "# small" in config.read_text()
    assert promise.endswith("% of 1024 MB are used then")
    assert used == pytest.approx(float(promise.split()[0]) / 100, rel=0.2)


@needs_port
def test_a_worker_in_place_of_the_main_thread_forwards_what_was_promised(tmp_path: Path) -> None:
    config = tmp_path / "router.yaml"
    config.write_text("dataplane:\n  cpu: { main-core: 0, workers: 0 }  # for now\n  unix: { gid: root }\n")

    def measured(stanza: str, worker: str, *words: str) -> dict[str, Any]:
        with router(stanza) as vpp:
            cross_connect(vpp)
            send(vpp, "3e4", worker=worker)
            return tune(vpp, tmp_path, *words)

    before = measured(NO_WORKER, "", "-c", str(config), "--write", "--only", "main-polluted")
    after = measured(COUNTERS + stanza_of(config, tmp_path, "cpu"), "worker 0")
    assert "workers: 1 }  # for now" in config.read_text()
    assert "main-polluted" in names(before) and "main-polluted" not in names(after)
    sent = min(rate(before), after["generated_pps"])
    assert rate(after) > 0.8 * sent, "the promise was that a worker forwards what the main thread did"
