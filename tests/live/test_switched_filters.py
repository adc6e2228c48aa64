"""Access lists and GSO of switched interfaces on a real VPP: they work wherever the interface was before."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, release, running, skip_reason
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

REASON = skip_reason()

PORTS = ("GigabitEthernet1/0/0", "GigabitEthernet1/0/1")
_HAS_GSO = REASON is not None or release() >= "25.06"
_FEATURES = f"{'gso: true, ' if _HAS_GSO else ''}acls: {{ input: every, output: every }}"
_ACLS = "acls: { every: { terms: [ { action: permit } ] } }"


@pytest.fixture
def vpp() -> Iterator[RealVpp]:
    with running(PORTS) as process:
        yield process


def configuration(first: str, second: str, bridges: str = "") -> str:
    """Return a file with something to say of each port; both have all features."""
    lines = [f"  {port}: {{ mtu: 1500, {_FEATURES}{more} }}" for port, more in zip(PORTS, (first, second), strict=True)]
    return "\n".join(["interfaces:", *lines, f"bridgedomains: {{ {bridges} }}", _ACLS])


ROUTED = configuration(", addresses: [ 10.0.0.1/24 ]", ", addresses: [ 10.0.1.1/24 ]")
CONNECTED = configuration(f", l2xc: {PORTS[1]}", f", l2xc: {PORTS[0]}")
BRIDGED = configuration("", "", f"bd10: {{ mtu: 1500, interfaces: [ {', '.join(PORTS)} ] }}")
MOVED = configuration("", "", f"bd20: {{ mtu: 1500, interfaces: [ {', '.join(PORTS)} ] }}")


def apply(vpp: RealVpp, text: str, folder: Path) -> None:
    file = folder / "config.yaml"
    file.write_text(text)
    words = ["-q", "-a", str(vpp.socket_path), "-c", str(file)]
    assert main(["apply", "-y", "--allow-mass-deletion", "--again", *words]) == ExitCode.DONE
    assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE


def send_frames(vpp: RealVpp) -> None:
    """Let Linux, at the other ends of both ports, send what it sends when a device comes up."""
    for _ in range(2):
        for number in range(2):
            vpp.ip("link", "set", f"veth{number}-peer", "down")
            vpp.ip("link", "set", f"veth{number}-peer", "up")
        time.sleep(0.3)


def looks_at_frames(vpp: RealVpp, port: str) -> tuple[bool, bool]:
    """Return whether features look at frames that come in at a port, and that go out."""
    text = vpp.cli(f"show interface features {port}")[1]
    return "INPUT_FEAT_ARC" in text, "OUTPUT_FEAT_ARC" in text


@pytest.mark.parametrize(
    "way",
    [
        (ROUTED, BRIDGED),
        (BRIDGED, MOVED),
        (BRIDGED, CONNECTED, MOVED),
        (BRIDGED, ROUTED, CONNECTED),
        (ROUTED, CONNECTED, ROUTED, BRIDGED),
    ],
    ids=["bridged", "moved", "connected and back", "routed and connected", "around"],
)
def test_features_look_at_frames_wherever_the_interface_was_before(
    way: tuple[str, ...], vpp: RealVpp, tmp_path: Path
) -> None:
    for text in way:
        apply(vpp, text, tmp_path)
        send_frames(vpp)
    assert [looks_at_frames(vpp, port) for port in PORTS] == [(True, True)] * 2
    assert vpp.cli("show version")[0] == 0
