"""Connects network namespaces for load tests: veth pairs, addresses, routes, neighbours, offloads."""

from __future__ import annotations

import array
import fcntl
import socket
import struct

from vppcfg.linux.device import netlink
from vppcfg.linux.inside import run_inside
from vppcfg.linux.refusal import no_device, refusal_of, require_device_name
from vppcfg.record import record

_SIOCETHTOOL = 0x8946
_IFREQ = struct.Struct("@16sP")
_VALUE = struct.Struct("@II")
"""struct ethtool_value (linux/ethtool.h): command, value."""
_OFFLOADS = {"rx-checksum": 0x15, "tx-checksum": 0x17, "tso": 0x1F, "gso": 0x24, "gro": 0x2C}
"""The ETHTOOL_S... commands."""


@record
class End:
    """One end of a veth pair."""

    netns: str
    device: str
    mac: str

    def __str__(self) -> str:
        return f"{self.netns}/{self.device}"


def add_wire(near: End, far: End) -> None:
    """Make a veth pair between two namespaces, both ends up. Raise LinuxError."""
    what = f"make the veth pair {near} to {far}"

    def add() -> None:
        require_device_name(near.device)
        require_device_name(far.device)
        with netlink(what) as route:
            peer = {"ifname": far.device, "net_ns_fd": far.netns, "address": far.mac}
            route.link("add", ifname=near.device, kind="veth", address=near.mac, peer=peer)

    run_inside(near.netns, add)
    for end in (near, far):
        set_up(end.netns, end.device)


def add_silent_bridge(netns: str, name: str) -> None:
    """Make a bridge that sends nothing of its own: it does not snoop on multicast, and so joins no group (IGMP).

    Raise LinuxError.
    """

    def add() -> None:
        require_device_name(name)
        with netlink(f"make the bridge {name} in namespace {netns}") as route:
            route.link("add", ifname=name, kind="bridge", br_mcast_snooping=0)

    run_inside(netns, add)
    set_up(netns, name)


def set_up(netns: str, device: str) -> None:
    """Set a device up. Raise LinuxError."""

    def raise_it() -> None:
        with netlink(f"set {device} up in namespace {netns}") as route:
            route.link("set", index=_index(netns, device), state="up")

    run_inside(netns, raise_it)


def add_address(netns: str, device: str, address: str, prefix_length: int) -> None:
    """Give a device an IPv4 address. Raise LinuxError."""

    def add() -> None:
        with netlink(f"give {device} in namespace {netns} the address {address}/{prefix_length}") as route:
            route.addr("add", index=_index(netns, device), address=address, prefixlen=prefix_length)

    run_inside(netns, add)


def add_route(netns: str, prefix: str, gateway: str) -> None:
    """Add a route to `prefix` through `gateway`. Raise LinuxError."""

    def add() -> None:
        with netlink(f"add the route to {prefix} by {gateway} in namespace {netns}") as route:
            route.route("add", dst=prefix, gateway=gateway)

    run_inside(netns, add)


def add_neighbour(netns: str, device: str, address: str, mac: str) -> None:
    """Set a permanent neighbour entry, so that Linux does not resolve the address. Raise LinuxError."""

    def add() -> None:
        with netlink(f"name the neighbour {address} of {device} in namespace {netns}") as route:
            route.neigh("add", ifindex=_index(netns, device), dst=address, lladdr=mac, state="permanent")

    run_inside(netns, add)


def switch_offloads_off(netns: str, device: str) -> None:
    """Let every packet on a device be one frame with its checksums, as on a real wire. Raise LinuxError."""

    def switch() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            for name, command in _OFFLOADS.items():
                buffer = array.array("B", _VALUE.pack(command, 0))
                request = _IFREQ.pack(device.encode(), buffer.buffer_info()[0])
                try:
                    fcntl.ioctl(sock, _SIOCETHTOOL, request)
                except OSError as error:
                    raise refusal_of(f"switch {name} off on {device} in namespace {netns}", error) from error

    run_inside(netns, switch)


def _index(netns: str, device: str) -> int:
    try:
        return socket.if_nametoindex(device)
    except OSError:
        raise no_device(netns, device) from None
