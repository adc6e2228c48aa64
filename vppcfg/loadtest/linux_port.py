"""A Linux network device as a port of a traffic generator: its kind, its counters, its default routes.

A load test never uses a port through which Linux reaches the rest of the world.
"""

from __future__ import annotations

import os
from pathlib import Path

from vppcfg.errors import EngineError
from vppcfg.linux.inside import run_inside
from vppcfg.linux.link import find_link
from vppcfg.linux.refusal import no_device, within
from vppcfg.record import record

_COUNTERS = Path("/proc/thread-self/net/dev")
"""Unlike /proc/net/dev, of the namespace that the thread is in."""
_MOST_BYTES = 1 << 20
_MAC_BYTES = 6
_NOWHERE = {"0" * 8, "0" * 32}
_UP = 0x1
OF_PROCESS, OF_THREAD = Path("proc/net"), Path("proc/thread-self/net")
"""Where Linux shows the network namespace of this process, and that of the calling thread."""


@record
class LinuxPort:
    """A device in a network namespace, '' for the one of this process."""

    netns: str
    device: str

    @property
    def name(self) -> str:
        """Return `NETNS/DEVICE`, or `DEVICE`."""
        return f"{self.netns}/{self.device}" if self.netns else self.device


@record
class Counters:
    """The packets that the kernel has counted on a device since it was made."""

    received: int
    sent: int
    send_dropped: int


def port_named(name: str) -> LinuxPort:
    """Return the port that `DEVICE` or `NETNS/DEVICE` names."""
    netns, _, device = name.rpartition("/")
    return LinuxPort(netns=netns, device=device)


def kind_of(port: LinuxPort) -> str:
    """Return what Linux calls a port's kind, '' for hardware.

    Raise EngineError when the port is missing or down, or when this machine reaches the world through it.
    """
    link = run_inside(port.netns, lambda: find_link(port.device))
    if link is None:
        missing = no_device(port.netns, port.device)
        raise EngineError(missing.message, missing.hint)
    if not link.is_up:
        raise EngineError(f"{port.device}{within(port.netns)} is down", f"`ip link set {port.device} up` sets it up")
    run_inside(port.netns, lambda: refuse_default_route((port.device,), Path("/"), OF_THREAD))
    return link.kind


class PortCounters:
    """The counters of a port.

    Their file is held open, so that it stays that of its namespace and reading takes no time.
    """

    def __init__(self, port: LinuxPort) -> None:
        self._port = port
        self._file = run_inside(port.netns, lambda: _COUNTERS.open("rb", buffering=0))

    def read(self) -> Counters:
        """Return the counters. Raise EngineError when the port is gone."""
        for line in os.pread(self._file.fileno(), _MOST_BYTES, 0).decode().splitlines():
            name, colon, values = line.partition(":")
            if colon and name.strip() == self._port.device:
                words = values.split()
                return Counters(received=int(words[1]), sent=int(words[9]), send_dropped=int(words[11]))
        raise EngineError(f"{self._port.device}{within(self._port.netns)} is gone")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def mac_of(port: LinuxPort) -> bytes:
    """Return the MAC address of a port. Raise EngineError when it has none."""
    text = run_inside(port.netns, lambda: _address(port.device))
    if len(text) != _MAC_BYTES or not any(text):
        raise EngineError(f"{port.name} has no MAC address", "name an Ethernet device")
    return text


def neighbours_of(port: LinuxPort) -> frozenset[str]:
    """Return the MAC addresses that Linux knows behind a port, from /proc's ARP table."""
    rows = run_inside(port.netns, Path("/proc/thread-self/net/arp").read_text).splitlines()[1:]
    words = [row.split() for row in rows]
    return frozenset(row[3] for row in words if len(row) > 5 and row[5] == port.device and int(row[2], 16) & 2)


def _address(device: str) -> bytes:
    """Return the address as the kernel reports it to a socket (SIOCGIFHWADDR, netdevice(7))."""
    import fcntl
    import socket
    import struct

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        answer = fcntl.ioctl(sock, 0x8927, struct.pack("256s", os.fsencode(device)))
    return answer[18:24]


def interfaces_of_default_routes(root: Path, folder: Path = OF_PROCESS) -> frozenset[str]:
    """Return the interfaces of IPv4 and IPv6 default routes, by route and ipv6_route in a folder below `root`.

    Only one network namespace is seen.
    """
    return _ipv4(_text(root / folder / "route")) | _ipv6(_text(root / folder / "ipv6_route"))


def refuse_default_route(ports: tuple[str, ...], root: Path, folder: Path = OF_PROCESS) -> None:
    """Raise EngineError when a port, a Linux interface, carries a default route."""
    taken = interfaces_of_default_routes(root, folder)
    for port in ports:
        if port in taken:
            raise EngineError(
                f"{port} has a default route: a load test on it would cut this machine off",
                "name the ports that are connected to the router under test",
            )


def _ipv4(text: str) -> frozenset[str]:
    """Return the interfaces of lines `IFACE DESTINATION GATEWAY FLAGS ... MASK`, whose numbers are hexadecimal."""
    rows = [line.split() for line in text.splitlines()[1:]]
    return frozenset(
        row[0] for row in rows if len(row) > 7 and row[1] in _NOWHERE and row[7] in _NOWHERE and int(row[3], 16) & _UP
    )


def _ipv6(text: str) -> frozenset[str]:
    """Return the interfaces of lines `DESTINATION LENGTH ... FLAGS IFACE`; `lo` has one that rejects."""
    rows = [line.split() for line in text.splitlines()]
    return frozenset(
        row[9] for row in rows if len(row) > 9 and row[0] in _NOWHERE and row[1] == "00" and row[9] != "lo"
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
