"""Traffic in a tunnel under IPsec, on the wire, while a plan recreates the tunnel: never in clear text."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.live.test_unmanaged import _CRYPTO
from tests.real_vpp import RealVpp, running
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

ESP, IPIP = 50, 4
FILE = """
unmanaged: [ "pg-*" ]
interfaces:
  GigabitEthernet1/0/0: { addresses: [ 192.0.2.1/24 ], neighbors: { 192.0.2.2: "02:00:00:00:99:02" } }
  GigabitEthernet3/0/0: { addresses: [ 198.51.100.1/24 ] }
  ipip0: { mtu: 1400, addresses: [ 10.9.9.1/30 ] }
ipip_tunnels: { ipip0: { local: 192.0.2.1, remote: 192.0.2.2 } }
"""
OTHERS = f"""
ipsec sa add 10 spi 1000 esp {_CRYPTO}
ipsec sa add 20 spi 1001 esp {_CRYPTO}
ipsec tunnel protect ipip0 sa-in 20 sa-out 10
ip route add 10.72.0.0/16 via 10.9.9.2 ipip0
packet-generator new {{ name s limit 0 rate 5000 size 100-100 interface GigabitEthernet3/0/0 node ip4-input \
data {{ UDP: 198.51.100.7 -> 10.72.0.1 UDP: 1000 -> 2000 incrementing 40 }} }}
packet-generator enable-stream s
"""
_CAPTURE = """
import collections, signal, socket, sys
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 26)
wire.bind((sys.argv[1], 0))
seen = collections.Counter()
def end(*_):
    print(*(f"{each}={count}" for each, count in seen.items()), flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
while True:
    frame = wire.recv(2048)
    if frame[12:14] == b"\\x08\\x00":
        seen[frame[23]] += 1
"""


@contextmanager
def captured(vpp: RealVpp, device: str) -> Iterator[Counter[int]]:
    """Count the IP packets on the far end of a port by their protocol, until the context ends."""
    seen: Counter[int] = Counter()
    words = ["nsenter", "--target", str(vpp.pid), "--net", sys.executable, "-c", _CAPTURE, device]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        try:
            yield seen
        finally:
            time.sleep(0.3)
            process.terminate()
        for pair in process.stdout.read().split():
            protocol, _, count = pair.partition("=")
            seen[int(protocol)] = int(count)


def test_a_tunnel_under_ipsec_is_recreated_and_brought_back_without_clear_text(tmp_path: Path) -> None:
    with running(("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")) as vpp:
        where = ["-a", str(vpp.socket_path), "--state-dir", str(tmp_path / "state")]
        for name, text in (("before", FILE), ("after", FILE.replace("192.0.2.2 }", "192.0.2.2, dscp: ef }"))):
            (tmp_path / f"{name}.yaml").write_text(text)
        assert main(["apply", "-qy", "-c", str(tmp_path / "before.yaml"), *where]) == ExitCode.DONE
        for line in OTHERS.strip().replace("\\\n", "").splitlines():
            assert vpp.cli(line)[0] == 0, line
        for words in (["apply", "-c", str(tmp_path / "after.yaml")], ["rollback"]):
            with captured(vpp, "veth0-peer") as during:
                assert main([*words, "-qy", *where]) == ExitCode.DONE
            assert during[ESP] > 500, "traffic flowed before and after"
            assert during[IPIP] == 0
        with captured(vpp, "veth0-peer") as after:
            time.sleep(0.5)
        assert after[ESP] > 500
        assert after[IPIP] == 0


def test_a_tunnel_whose_protection_vpp_refuses_stays_down(tmp_path: Path) -> None:
    """The associations were deleted with their last user gone; the way back says so, and keeps the tunnel down."""
    with running(("GigabitEthernet1/0/0", "GigabitEthernet3/0/0")) as vpp:
        where = ["-a", str(vpp.socket_path), "--state-dir", str(tmp_path / "state")]
        (tmp_path / "before.yaml").write_text(FILE)
        (tmp_path / "after.yaml").write_text(FILE.replace("192.0.2.2 }", "192.0.2.2, dscp: ef }"))
        assert main(["apply", "-qy", "-c", str(tmp_path / "before.yaml"), *where]) == ExitCode.DONE
        for line in OTHERS.strip().replace("\\\n", "").splitlines():
            assert vpp.cli(line)[0] == 0, line
        for number in (10, 20):  # in use, they stay until the tunnel goes
            assert vpp.cli(f"ipsec sa del {number}")[0] == 0
        with captured(vpp, "veth0-peer") as during:
            assert main(["apply", "-qy", "-c", str(tmp_path / "after.yaml"), *where]) == ExitCode.STRANDED
        assert during[IPIP] == 0
        assert " ipip0 " not in vpp.cli("show interface")[1] or "down" in vpp.cli("show interface ipip0")[1]
