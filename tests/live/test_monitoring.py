"""Metrics, the live view and reports of a real VPP: traffic, another index, cleared counters, a restart."""

import json
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, release, running
from vppcfg.app.monitoring.following import RouterFollower
from vppcfg.app.monitoring.reader import RouterReader
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.model.monitored import FileNames
from vppcfg.render.change_metrics import ChangeStatus
from vppcfg.render.router_metrics import RouterMetrics

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")
FILE = f"interfaces:\n  {PORTS[0]}: {{ mtu: 1500, description: to Zurich }}\n  {PORTS[1]}: {{ mtu: 9000 }}\n"
PACKETS = "pg_frames"
STREAM = (
    "packet-generator new {{ name {name} limit {count} rate 100000 size 64-64 interface {port} node ethernet-input "
    "data {{ IP4: 1.2.3 -> 4.5.6 UDP: 10.0.0.1 -> 10.0.0.2 UDP: 1234 -> 2345 incrementing 8 }} }}"
)


@pytest.fixture
def vpp() -> Iterator[RealVpp]:
    with running(PORTS) as process:
        yield process


@pytest.fixture
def reader(vpp: RealVpp) -> Iterator[RouterReader]:
    found = reader_of(vpp)
    yield found
    found.close()


def reader_of(vpp: RealVpp) -> RouterReader:
    sockets = str(vpp.socket_path), str(vpp.socket_path.with_name("stats.sock"))
    return RouterReader(*sockets, file_names=lambda: FileNames(lcps={PORTS[0]: "e0"}))


def typed(vpp: RealVpp, line: str) -> str:
    retval, text = vpp.cli(line)
    assert retval == 0, text
    return text


def send(vpp: RealVpp, port: str, count: int) -> None:
    """Let packets come in, as if from the wire; VPP punts them, for they are for another MAC address."""
    typed(vpp, STREAM.format(name=PACKETS, count=count, port=port))
    typed(vpp, f"packet-generator enable-stream {PACKETS}")
    deadline = time.monotonic() + 10
    while " Yes " in typed(vpp, "show packet-generator") and time.monotonic() < deadline:
        time.sleep(0.1)
    typed(vpp, f"packet-generator delete {PACKETS}")


def series(reader: RouterReader) -> dict[str, float]:
    lines = RouterMetrics("1").text(reader.look()).splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


def packets(reader: RouterReader, name: str) -> float | None:
    return series(reader).get(f'vpp_interface_receive_packets_total{{interface="{name}"}}')


def test_packets_are_counted_where_vpp_counts_them(vpp: RealVpp, reader: RouterReader) -> None:
    for port in PORTS:
        typed(vpp, f"set interface state {port} up")
    before = series(reader)
    send(vpp, PORTS[0], 500)
    after = series(reader)
    gained = {name: value - before.get(name, 0) for name, value in after.items() if value != before.get(name)}
    assert gained[f'vpp_interface_receive_packets_total{{interface="{PORTS[0]}"}}'] >= 500
    lost = "punts" if release() >= "24.10" else "drops"
    assert gained[f'vpp_interface_{lost}_total{{interface="{PORTS[0]}"}}'] >= 500
    assert any(name.startswith("vpp_node_errors_total") and value >= 500 for name, value in gained.items())
    shown = typed(vpp, f"show interface {PORTS[0]}")
    found = re.search(r"rx packets\s+(\d+)", shown)
    assert found is not None
    assert packets(reader, PORTS[0]) == int(found[1])


def test_an_index_that_comes_back_with_another_name_begins_a_new_series(vpp: RealVpp, reader: RouterReader) -> None:
    typed(vpp, "create loopback interface instance 5")
    assert packets(reader, "loop5") == 0
    index = next(each.index for each in reader.look().interfaces if each.name == "loop5")
    typed(vpp, "delete loopback interface intfc loop5")
    if release() >= "24.10":  # before, VPP keeps the name until another interface has the index
        assert packets(reader, "loop5") is None
    typed(vpp, "create loopback interface instance 6")
    found = {each.name: each.index for each in reader.look().interfaces}
    assert found["loop6"] == index
    assert packets(reader, "loop5") is None


def test_cleared_counters_and_a_restart_go_on_in_the_same_series(vpp: RealVpp, reader: RouterReader) -> None:
    typed(vpp, f"set interface state {PORTS[0]} up")
    send(vpp, PORTS[0], 300)
    known = {name for name in series(reader) if PORTS[0] in name}
    typed(vpp, "clear interfaces")
    assert (packets(reader, PORTS[0]) or 0) < 300
    assert {name for name in series(reader) if PORTS[0] in name} == known
    started = series(reader)["vpp_start_time_seconds"]
    vpp.restart(PORTS)
    deadline = time.monotonic() + 20
    while series(reader)["vpp_up"] == 0 and time.monotonic() < deadline:
        time.sleep(0.2)
    after = series(reader)
    assert after["vpp_start_time_seconds"] > started
    assert {name for name in after if PORTS[0] in name} == known


def test_queues_version_and_state_are_those_of_vpp(vpp: RealVpp, reader: RouterReader) -> None:
    typed(vpp, f"set interface state {PORTS[1]} up")
    snapshot = reader.look()
    assert {each.name: each.is_up for each in snapshot.interfaces} == {PORTS[0]: False, PORTS[1]: True}
    assert next(each.lcp for each in snapshot.interfaces if each.name == PORTS[0]) == "e0"
    assert {each.interface for each in snapshot.queues} == set(PORTS)
    assert snapshot.version in typed(vpp, "show version")
    assert not snapshot.problem


def test_somebody_who_looks_sees_rates(vpp: RealVpp, reader: RouterReader) -> None:
    typed(vpp, f"set interface state {PORTS[0]} up")
    following = RouterFollower(reader, ChangeStatus)
    following.look()
    send(vpp, PORTS[0], 400)
    view = following.look()
    port = next(each for each in view.rates.interfaces if each.interface.name == PORTS[0])
    assert port.rx_pps is not None
    assert port.rx_pps > 0
    assert any(reason.per_s for reason in view.rates.reasons)
    assert view.verdict


def test_the_commands_read_a_real_vpp(vpp: RealVpp, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "router.yaml"
    path.write_text(FILE)
    place = ["-c", str(path), "-a", str(vpp.socket_path), "--state-dir", str(tmp_path / "state")]
    assert main(["apply", "--yes", *place]) == ExitCode.DONE
    capsys.readouterr()
    assert main(["metrics", "--once", "--drift", "60", *place]) == ExitCode.DONE
    text = capsys.readouterr().out
    assert "vppcfg_in_sync 1" in text
    assert "vppcfg_last_change_number 1" in text
    assert f'vpp_interface_info{{interface="{PORTS[0]}",lcp="",description="to Zurich"' in text
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
    assert main(["top", "--once", "--json", "--interval", "1", *place]) == ExitCode.DONE
    document = json.loads(capsys.readouterr().out)
    assert document["changes"]["outcome"] == "applied"
    output = tmp_path / "report.tar.gz"
    more = ["--readings", "2", "--interval", "0.5", "--no-log", "-o", str(output)]
    assert main(["report", *place, *more]) == ExitCode.DONE
    assert main(["plan", "-c", str(path), "--against", str(output), "--detailed-exitcode"]) == ExitCode.DONE
    assert main(["tune", "--from", str(output)]) == ExitCode.DONE
    assert main(["adopt", "--from", str(output)]) == ExitCode.DONE
