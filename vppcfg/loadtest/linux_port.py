"""A network device of Linux as a port of a generator: what it is, and what the kernel counted on it."""

from __future__ import annotations

import os
from pathlib import Path

from vppcfg.errors import EngineError
from vppcfg.linux.inside import run_inside
from vppcfg.linux.link import find_link
from vppcfg.linux.refusal import no_device, within
from vppcfg.loadtest.default_route import OF_THREAD, refuse_default_route
from vppcfg.record import record

_COUNTERS = Path("/proc/thread-self/net/dev")
"""Unlike /proc/net/dev, of the namespace that the thread is in."""
_MOST_BYTES = 1 << 20
_MAC_BYTES = 6


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
    """What the kernel counted on a device since it was made; packets."""

    received: int
    sent: int
    send_dropped: int


def port_named(name: str) -> LinuxPort:
    """Return the port that `DEVICE` or `NETNS/DEVICE` names."""
    netns, _, device = name.rpartition("/")
    return LinuxPort(netns=netns, device=device)


def kind_of(port: LinuxPort) -> str:
    """Return what Linux calls a port's kind, '' for hardware. Raise EngineError when it must not be used.

    That is one which is missing or down, and one through which this machine reaches the world.
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
    """The counters of a port, held open: the file stays that of its namespace, and a look takes no time."""

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
    """Return the address as the kernel tells a socket (SIOCGIFHWADDR, netdevice(7))."""
    import fcntl
    import socket
    import struct

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        answer = fcntl.ioctl(sock, 0x8927, struct.pack("256s", os.fsencode(device)))
    return answer[18:24]
