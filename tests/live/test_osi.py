"""IS-IS by an LCP pair: its frames cross VPP both ways once the file has the key, and a rollback cannot end that."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, prefix, since
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

pytestmark = [
    since("26.06"),
    pytest.mark.skipif(not any(prefix().rglob("osi_plugin.so")), reason="this VPP was built without the plugin osi"),
]
PORTS = ("eth0",)
HELLO = """
import socket, sys
out, back = sys.argv[1:]
def opened(device):
    each = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    each.bind((device, 0))
    return each
sender, taker = opened(out), opened(back)
taker.settimeout(2)
frame = bytes.fromhex("0180c2000014 020000000099 0040 fefe03 83") + bytes(60)
sender.send(frame)
try:
    while taker.recv(2000)[:18] != frame[:18]:
        pass
except TimeoutError:
    sys.exit("lost")
"""
"""A hello of IS-IS: 802.3, LLC, and an OSI protocol."""
WIRE, DEVICE = "veth0-peer", "e0"


def crosses(vpp: RealVpp, out: str, back: str) -> bool:
    command = ["nsenter", "--target", str(vpp.pid), "--net", sys.executable, "-c", HELLO, out, back]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr in ("", "lost\n")
    return done.returncode == 0


def test_hellos_cross_a_pair_with_the_key_and_go_on_after_a_rollback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "router.yaml"
    plain = "interfaces: { eth0: { lcp: e0, addresses: [ 192.0.2.1/24 ] } }\n"
    vpp = RealVpp(plugins=["osi", "ppp"], passes_packets=True)
    try:
        vpp.start(PORTS)
        words = ("-q", "-a", str(vpp.socket_path))

        def apply(text: str) -> int:
            file.write_text(text)
            return main(["apply", "-y", "--again", "-c", str(file), *words])

        def both_ways() -> tuple[bool, bool]:
            return crosses(vpp, WIRE, DEVICE), crosses(vpp, DEVICE, WIRE)

        assert apply(plain) == ExitCode.DONE
        vpp.ip("link", "set", DEVICE, "up")
        assert both_ways() == (False, False)
        assert apply(f"{plain}lcp-osi: [ isis ]\n") == ExitCode.DONE
        assert both_ways() == (True, True)
        assert main(["rollback", "-y", *words]) == ExitCode.DONE
        assert "VPP cannot remove OSI protocol isis: it stays until VPP restarts" in caplog.text
        assert both_ways() == (True, True)
        file.write_text(f"{plain}lcp-osi: []\n")
        capsys.readouterr()
        assert main(["plan", "--detailed-exitcode", "-c", str(file), *words]) == ExitCode.DONE
        assert "VPP cannot disable isis" in capsys.readouterr().err
    finally:
        vpp.stop()
