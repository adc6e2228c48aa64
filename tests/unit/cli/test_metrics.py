"""`vppcfg metrics` from end to end: once, as a file, over HTTP, with drift; scraped by a real Prometheus."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests import forked
from tests.stats_segment import StatsServer, router
from tests.unit.app.monitoring.routers import Router, running
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp

VPPCFG = (sys.executable, "-m", "vppcfg")
FILE = "interfaces:\n  eth0: { description: to Zurich, lcp: e0 }\n"
NEEDS_PROMETHEUS = pytest.mark.skipif(
    shutil.which("prometheus") is None, reason="there is no Prometheus; apt-get install prometheus"
)


@pytest.fixture
def vpp(tmp_path: Path) -> Iterator[Router]:
    with running(tmp_path) as found:
        (tmp_path / "r.yaml").write_text(FILE)
        yield found


def command(folder: Path, *words: str) -> list[str]:
    options = ["-a", str(folder / "api.sock"), "-c", str(folder / "r.yaml"), "--state-dir", str(folder / "state")]
    return ["metrics", *options, *words]


def once(folder: Path, *words: str) -> tuple[int, str]:
    done = forked.run(command(folder, "--once", *words), 60)
    return done.returncode, done.stdout


def eventually(find: Callable[[], Any], seconds: float = 30.0) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := find()):
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.1)
    return found


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def fetched(url: str) -> str:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return str(answer.read().decode())
    except OSError:
        return ""


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    port = free_port()
    process = subprocess.Popen([*VPPCFG, *command(folder, "--listen", f"127.0.0.1:{port}", *words)])
    url = f"http://127.0.0.1:{port}/metrics"
    try:
        eventually(lambda: fetched(url))
        yield url, process
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_once_writes_the_metrics_with_the_names_of_the_file(vpp: Router) -> None:
    code, text = once(vpp.folder)
    assert code == 0
    assert 'vpp_interface_info{interface="eth0",lcp="e0",description="to Zurich",vrf="",kind="physical"} 1' in text
    assert 'vpp_interface_receive_packets_total{interface="eth0"} 10' in text
    assert "vppcfg_last_change_number 0" in text
    assert "vppcfg_in_sync" not in text, "the whole state is read only for --drift"


def test_once_ends_with_4_when_there_is_no_vpp(tmp_path: Path) -> None:
    code, text = once(tmp_path)
    assert code == 4
    assert "vpp_up 0" in text


def test_drift_is_told_where_it_is_asked_for(vpp: Router) -> None:
    (vpp.folder / "r.yaml").write_text("interfaces:\n  eth0: { description: to Zurich, mtu: 1500 }\n")
    code, text = once(vpp.folder, "--drift", "60")
    assert code == 0
    assert "vppcfg_in_sync 0" in text
    assert 'vppcfg_differences{section="interfaces",action="update"} 1' in text


def test_nodes_and_queues_can_be_left_out(vpp: Router) -> None:
    text = once(vpp.folder)[1]
    assert "vpp_node_calls_total" in text
    assert "vpp_receive_queue_info" in text
    text = once(vpp.folder, "--no-nodes", "--no-queues")[1]
    assert "vpp_node_calls_total" not in text
    assert "vpp_receive_queue_info" not in text
    assert "vpp_node_errors_total" in text


def test_a_file_for_node_exporter_is_replaced_again_and_again(vpp: Router) -> None:
    path = vpp.folder / "vpp.prom"
    process = subprocess.Popen([*VPPCFG, *command(vpp.folder, "--textfile", str(path), "--interval", "1")])
    try:
        eventually(lambda: path.exists() and "vpp_heartbeat_total 3" in path.read_text())
        vpp.count(sys__heartbeat=4)
        eventually(lambda: "vpp_heartbeat_total 4" in path.read_text())
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert not [each.name for each in vpp.folder.iterdir() if each.name.startswith(".vpp")], "no half file is left"


def test_a_vpp_that_ends_and_comes_back_is_served_again(tmp_path: Path) -> None:
    first = Router(tmp_path)
    with serving(tmp_path) as (url, _):
        assert "vpp_up 1" in fetched(url)
        first.end()
        assert "vpp_up 0" in fetched(url)
        with running(tmp_path, sys__boottime=1_700_000_500):
            text = fetched(url)
            assert "vpp_up 1" in text
            assert "vpp_start_time_seconds 1700000500" in text


def test_memory_that_lies_ends_nothing(vpp: Router) -> None:
    with serving(vpp.folder) as (url, _):
        vpp.stats.cut(64)
        assert "vpp_up 0" in fetched(url)
        vpp.stats.cut(1 << 20)
        vpp.count()
        assert "vpp_up 1" in fetched(url)


@NEEDS_PROMETHEUS
def test_a_real_prometheus_scrapes_it(vpp: Router) -> None:
    with serving(vpp.folder) as (url, _):
        vpp.count()
        target = url.removeprefix("http://").removesuffix("/metrics")
        settings = vpp.folder / "prometheus.yml"
        settings.write_text(
            "global: { scrape_interval: 1s }\n"
            f"scrape_configs: [ {{ job_name: vppcfg, static_configs: [ {{ targets: ['{target}'] }} ] }} ]\n"
        )
        port = free_port()
        process = subprocess.Popen(
            ["prometheus", f"--config.file={settings}", f"--storage.tsdb.path={vpp.folder / 'tsdb'}",
             f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"],
        )  # fmt: skip
        try:
            base = f"http://127.0.0.1:{port}/api/v1"

            def value(query: str) -> str:
                answer = fetched(f"{base}/query?query={urllib.request.quote(query)}")  # type: ignore[attr-defined]
                found = json.loads(answer)["data"]["result"] if answer else []
                return str(found[0]["value"][1]) if found else ""

            eventually(lambda: value('vpp_interface_receive_packets_total{interface="eth0"}') == "10")
            named = 'vpp_interface_receive_bytes_total * on(interface) group_left(lcp) vpp_interface_info{lcp="e0"}'
            eventually(lambda: value(named) == "600")  # once the names of the file have been read
            (scraped,) = json.loads(fetched(f"{base}/targets"))["data"]["activeTargets"]
            assert (scraped["health"], scraped["lastError"]) == ("up", "")
            kinds = json.loads(fetched(f"{base}/metadata"))["data"]
            assert kinds["vpp_interface_drops_total"][0]["type"] == "counter"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)


@pytest.mark.slow
def test_ten_thousand_interfaces_take_less_than_a_second_and_100_mb(tmp_path: Path) -> None:
    count, threads = 10_000, 5
    vpp = SimulatedVpp(ports=[PhysicalPort(name=f"eth{number}") for number in range(count)])
    names = ["local0", *(f"eth{number}" for number in range(count))]
    from vppcfg.simulator.stats import Link, Value

    counters: dict[str, Value] = router(
        if__names=names,
        sys__num_worker_threads=threads - 1,
        **{f"if__{each}": [[7] * len(names)] * threads for each in ("drops", "punt", "rx-miss", "rx-no-buf")},
        **{f"if__{each}": [[(9, 540)] * len(names)] * threads for each in ("rx", "tx")},
    )
    counters |= {
        f"/interfaces/{name}/{number}": Link("/if/drops", place)
        for place, name in enumerate(names)
        for number in range(17)
    }
    file = tmp_path / "r.yaml"
    file.write_text("interfaces:\n" + "".join(f"  {name}: {{ description: port {name} }}\n" for name in names[1:]))
    with (
        StatsServer(tmp_path / "stats.sock", counters, size=64 << 20),
        SimulatorServer(vpp, tmp_path / "api.sock"),
        serving(tmp_path) as (url, process),
    ):
        eventually(lambda: 'description="port eth9999"' in fetched(url), 120)
        used = []
        for _ in range(4):
            text = fetched(url)
            used.append(float(re.findall(r"^process_cpu_seconds_total (\S+)$", text, re.MULTILINE)[0]))
        pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
        assert text.count("\n") > 100_000
        costs_s = sorted(later - before for before, later in pairwise(used))
        assert costs_s[1] < 0.6, "seconds of CPU; with a CPU of its own it is as quick"
        assert pages * os.sysconf("SC_PAGE_SIZE") < 100e6
