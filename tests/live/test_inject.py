"""`probe --inject` with a real VPP at work: what must not leave does not leave, and nothing stays behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, since
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

pytestmark = since("26.02")

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet1/0/1", "GigabitEthernet1/0/2", "GigabitEthernet1/0/3")
FILE = """
interfaces:
  GigabitEthernet1/0/0:
    addresses: [ 192.0.2.1/24, 2001:db8::1/64 ]
    neighbors: { 192.0.2.9: "02:00:00:00:01:09" }
    acls: { input: inside }
    sub-interfaces:
      100: { addresses: [ 198.51.100.1/24 ] }
      200: { state: down, addresses: [ 10.2.0.1/24 ] }
  GigabitEthernet1/0/1: { addresses: [ 203.0.113.1/24 ], urpf: { ipv4: strict }, vrf: red }
  GigabitEthernet1/0/2: {}
  GigabitEthernet1/0/3: {}
vrfs: { red: { id: 100 } }
bridgedomains:
  bd10: { interfaces: [ GigabitEthernet1/0/2, GigabitEthernet1/0/3 ], filtered-macs: [ "02:00:00:00:00:66" ] }
acls:
  inside:
    terms:
      - { action: deny, family: ipv4, protocol: tcp, source: 198.51.100.0/24, destination: 198.18.0.0/15 }
      - { action: permit }
"""
SNIFFER = """
import json, select, signal, socket, sys
socks = {}
for name in sys.argv[1:]:
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    sock.bind((name, 3)); socks[sock] = name
stopped = []
signal.signal(signal.SIGTERM, lambda *_: stopped.append(1))
print("ready", flush=True)
frames = []
while not stopped:
    for sock in select.select(list(socks), [], [], 0.05)[0]:
        data, (_, _, kind, *_) = sock.recvfrom(65535)
        if kind != 4: frames.append([socks[sock], data.hex()])
print(json.dumps(frames))
"""
HIDDEN = (
    "ip table add 300",
    "ip route add 198.18.0.0/15 table 300 via 192.0.2.9 GigabitEthernet1/0/0",
    "classify table mask l3 ip4 dst buckets 2",
    "classify session acl-hit-next permit table-index 0 match l3 ip4 dst 198.18.7.77 action set-ip4-fib-id 300",
    "set interface input acl intfc GigabitEthernet1/0/0 ip4-table 0",
)
"""A classifier that nothing in VPP's state tells of has packets looked up in another table."""
STRANGERS = ("c633644d", "20010db8ffff0077")
"""What stands in every frame of a probe that leaves: the address of its sender."""


@pytest.fixture
def words(vpp: RealVpp, tmp_path: Path) -> list[str]:
    """Bring the VPP to the file, and return the words that name both."""
    file = tmp_path / "router.yaml"
    file.write_text(FILE)
    found = ["-q", "-a", str(vpp.socket_path), "-c", str(file), "--state-dir", str(tmp_path)]
    assert main(["apply", "-y", "--again", "--allow-mass-deletion", *found]) == ExitCode.DONE
    return found


@contextmanager
def heard(vpp: RealVpp) -> Iterator[list[str]]:
    """Return, when it ends, what of the senders of probes came out of the ports, as hexadecimal digits."""
    command = ["nsenter", "--target", str(vpp.pid), "--net", sys.executable, "-c", SNIFFER]
    command += [f"veth{number}-peer" for number in range(len(PORTS))]
    frames: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as sniffer:
        assert sniffer.stdout is not None
        assert sniffer.stdout.readline() == "ready\n"
        try:
            yield frames
            time.sleep(0.3)
        finally:
            sniffer.terminate()
            found = json.loads(sniffer.stdout.read() or "[]")
    frames += [data for _, data in found if any(each in data for each in STRANGERS)]


def left(vpp: RealVpp) -> list[str]:
    """Return what is left of a visit."""
    found = [line for line in vpp.cli("show packet-generator")[1].splitlines() if "vppcfg" in line]
    found += [line for line in vpp.cli("show interface")[1].splitlines() if line.startswith("pg")]
    found += [line for line in vpp.cli("show trace")[1].splitlines() if line.startswith("Packet")]
    found += [line for line in vpp.cli("show l2fib all")[1].splitlines() if "02:00:5e" in line]
    return found


def probe(words: list[str], *more: str) -> ExitCode:
    return ExitCode(main(["probe", "--inject", "-y", "--rate", "100", *more, *words]))


def test_what_must_not_leave_does_not_leave_and_nothing_stays_behind(
    vpp: RealVpp, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with heard(vpp) as frames:
        code = probe(words)
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("VPP handled all ")
    assert code == ExitCode.DONE
    assert int(out.splitlines()[-1].split()[3]) > 10
    assert frames == []
    assert left(vpp) == []
    assert main(["plan", "--detailed-exitcode", *words[:-2]]) == ExitCode.DONE


def test_frames_leave_by_ports_where_that_is_asked_for(vpp: RealVpp, words: list[str]) -> None:
    with heard(vpp) as frames:
        assert probe(words, "--out-of-ports") == ExitCode.DONE
    assert len(frames) > 2
    assert left(vpp) == []


def test_a_frame_that_vpp_would_let_pass_against_the_file_is_not_sent_and_the_difference_told(
    vpp: RealVpp, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert vpp.cli("set interface ip table GigabitEthernet1/0/2 0")[0] == 0
    assert vpp.cli("l2fib del 02:00:00:00:00:66 10")[0] == 0
    with heard(vpp) as frames:
        assert probe(words) == ExitCode.DRIFT
    out = capsys.readouterr().out
    assert out.splitlines()[0].startswith("bridge domain bd10: VPP's state differs from the file")
    assert "by VPP's own tables it would leave by a port" in out
    assert frames == []
    assert left(vpp) == []


def test_the_first_frame_that_leaves_against_all_that_vpp_tells_is_the_last(
    vpp: RealVpp, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for line in HIDDEN:
        code, text = vpp.cli(line)
        assert code == 0, f"{line}: {text}"
    try:
        with heard(vpp) as frames:
            assert probe(words) == ExitCode.DRIFT
    finally:
        vpp.cli(f"{HIDDEN[-1]} del")
        vpp.cli(HIDDEN[1].replace("add", "del"))
        vpp.cli(HIDDEN[0].replace("add", "del"))
    assert len(frames) == 1
    assert "a frame before it left by a port" in capsys.readouterr().out
    assert left(vpp) == []


def test_nothing_is_sent_while_somebody_else_traces(
    vpp: RealVpp, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    data = f"{'02' * 12}0800{'00' * 50}"
    for line in (
        "trace add pg-input 5",
        f"packet-generator new {{ name other limit 1 size 64-64 interface GigabitEthernet1/0/2 node ethernet-input "
        f"data {{ hex 0x{data} }} }}",
        "packet-generator enable-stream other",
    ):
        assert vpp.cli(line)[0] == 0
    time.sleep(0.2)
    try:
        assert probe(words) == ExitCode.NOT_NOW
        assert "packets are in the trace of VPP" in capsys.readouterr().err
        assert "Packet 1" in vpp.cli("show trace")[1]
        assert "other" in vpp.cli("show packet-generator")[1]
    finally:
        for line in ("packet-generator delete other", "delete packet-generator interface pg-1", "clear trace"):
            vpp.cli(line)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda each: each.name)
def test_nothing_stays_behind_when_it_is_ended(vpp: RealVpp, words: list[str], number: signal.Signals) -> None:
    command = [sys.executable, "-m", "vppcfg", "probe", "--inject", "-y", "--rate", "2", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ)) as process:
        deadline = time.monotonic() + 20
        while "pg5311" not in vpp.cli("show interface")[1] and time.monotonic() < deadline:
            time.sleep(0.05)
        assert process.poll() is None
        process.send_signal(number)
        process.communicate(timeout=20)
    assert process.returncode not in (ExitCode.DONE, ExitCode.DRIFT)
    if number is signal.SIGKILL:
        assert left(vpp) != []
        assert probe(words) == ExitCode.DONE
    assert left(vpp) == []
