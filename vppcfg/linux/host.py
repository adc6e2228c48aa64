"""Reads the Linux around one VPP, and makes and sets what TAPs and LCP pairs need of it."""

from __future__ import annotations

import os
import select
import socket
import struct
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from vppcfg.linux import device
from vppcfg.linux.device import netlink
from vppcfg.linux.inside import Result, run_apart
from vppcfg.linux.link import Link, read_links
from vppcfg.linux.netns import Namespaces, add_netns
from vppcfg.linux.refusal import refusal_of, require_device_name, require_netns_name, within
from vppcfg.linux.restoring import restore_settings
from vppcfg.linux.routing import LinuxNeighbors, read_addresses, read_neighbors, read_routes, read_static_neighbors
from vppcfg.linux.rules import read_rules
from vppcfg.linux.settings import read_settings
from vppcfg.model.forwarding import LinuxForwarding, PairSide
from vppcfg.model.linux import LinkOutcome, LinkSetting, LinuxDevice, LinuxSide
from vppcfg.model.linux_setting import LinuxSetting
from vppcfg.model.question import AskOutcome, LinuxEchoQuestion

_WAIT_S = 1.0
_HEAD = struct.Struct("!BBHHH")
"""Type, code, checksum, identifier, sequence number."""
_REQUEST, _REPLY = {False: 8, True: 128}, {False: 0, True: 129}
"""By whether it is IPv6."""
_LEAST_HEADER = 20
_TOKEN_BYTES = 16


def echo(address: str, *, source: str = "", device: str = "", wait_s: float = _WAIT_S) -> bool:
    """Return whether an address answers one request in time. Raise LinuxError, as without the right to raw sockets."""
    is_ip6 = ":" in address
    try:
        with _socket(is_ip6) as sock:
            if device:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode() + b"\0")
            if source:
                sock.bind(_end(source, device))
            token = os.urandom(_TOKEN_BYTES)
            try:
                sock.sendto(_request(is_ip6, token), _end(address, device))
            except OSError as error:
                if isinstance(error, PermissionError):
                    raise
                return False  # no route, or the device is down
            return _is_answered(sock, is_ip6, token, time.monotonic() + wait_s)
    except OSError as error:
        raise refusal_of(f"ping {address}", error) from error


def _socket(is_ip6: bool) -> socket.socket:
    if is_ip6:
        return socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)


def _end(address: str, device: str) -> tuple[str, int] | tuple[str, int, int, int]:
    """Return where a socket leads; a link-local address needs the device that it is on."""
    if ":" not in address:
        return address, 0
    return address, 0, 0, socket.if_nametoindex(device) if device else 0


def _request(is_ip6: bool, token: bytes) -> bytes:
    head = _HEAD.pack(_REQUEST[is_ip6], 0, 0, 0, 1)
    if is_ip6:  # Linux fills in the checksum (RFC 3542, 3.1)
        return head + token
    return _HEAD.pack(_REQUEST[is_ip6], 0, _checksum(head + token), 0, 1) + token


def _is_answered(sock: socket.socket, is_ip6: bool, token: bytes, until_s: float) -> bool:
    while (remaining_s := until_s - time.monotonic()) > 0:
        if not select.select([sock], [], [], remaining_s)[0]:
            break
        data = sock.recv(2048)
        if not is_ip6:  # a raw socket of IPv4 has the header too
            data = data[max(_LEAST_HEADER, (data[0] & 0x0F) * 4) :] if data else b""
        if data[:1] == bytes([_REPLY[is_ip6]]) and data[_HEAD.size :] == token:
            return True
    return False


def _checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return int(~total & 0xFFFF)


def vrf_device(table_id: int) -> str:
    """Return the VRF device of a routing table, '' when there is none. Raise LinuxError."""
    with netlink("list VRF devices") as route:
        for link in route.get_links(kind="vrf"):
            info = link.get_attr("IFLA_LINKINFO")
            data = info.get_attr("IFLA_INFO_DATA") if info is not None else None
            if data is not None and data.get_attr("IFLA_VRF_TABLE") == table_id:
                return str(link.get_attr("IFLA_IFNAME"))
    return ""


_ROUTES_S = 300.0
"""So long the kernel may take to report a million routes on a busy machine."""


class _Inside(NamedTuple):
    """What is read in one namespace."""

    links: list[Link]
    neighbors: list[tuple[str, str, str]]
    """Device, address and MAC address of those that never age."""
    udp_ports: set[int]
    """Those that programs listen on."""


class LinuxHost:
    """The Linux around one VPP process.

    A name of a namespace is what VPP finds below that name, and '' is VPP's own. The caller's namespaces never change.
    """

    def __init__(self, vpp_pid: int | None = None) -> None:
        """Take process `vpp_pid` for VPP, None for this one."""
        self._namespaces = Namespaces(vpp_pid)

    def observe(self, requested: Iterable[tuple[str, str]]) -> LinuxSide:
        """Return those of the devices `requested` (namespace and name) that there are, and what is around them.

        A namespace that does not exist has none. Raise LinuxError.
        """
        by_netns: dict[str, set[str]] = {}
        for netns, name in requested:
            by_netns.setdefault(netns, set()).add(name)
        found = run_apart(lambda: {netns: self._look_into(netns) for netns in sorted(by_netns)})
        links = {netns: seen.links for netns, seen in found.items()}
        return LinuxSide(
            devices={
                (netns, name): found
                for netns, names in by_netns.items()
                for name, found in _devices(links[netns], names).items()
            },
            namespaces=self._namespaces.names(),
            bridges=frozenset((netns, link.name) for netns in links for link in links[netns] if link.is_bridge),
            others=frozenset(_others(links, by_netns)),
            neighbors=frozenset(
                ((netns, name), address, mac)
                for netns, seen in found.items()
                for name, address, mac in seen.neighbors
                if name in by_netns[netns]
            ),
            udp_ports=frozenset(port for seen in found.values() for port in seen.udp_ports),
        )

    def read_forwarding(self, netns: str, devices: Mapping[str, str]) -> LinuxForwarding:
        """Return what `devices` of a namespace have, which are VPP's interfaces by their names in Linux, and routes.

        A device that there is not, and a namespace that there is not, are left out. Raise LinuxError.
        """

        def read() -> LinuxForwarding:
            if not self._namespaces.enter_if_there(netns):
                return LinuxForwarding()
            try:
                return _forwarding(devices)
            except OSError as error:
                raise refusal_of(f"read addresses, neighbours and routes{within(netns)}", error) from error

        return run_apart(read, _ROUTES_S)

    def read_settings(
        self, netns: str, devices: Mapping[str, str], requested: Collection[str]
    ) -> list[tuple[str, LinuxSetting]]:
        """Return what was configured on the devices of the interfaces `requested`, each setting with the interface.

        `devices` names the interfaces of all devices of the namespace that belong to any. Raise LinuxError.
        """

        def read() -> list[tuple[str, LinuxSetting]]:
            if not self._namespaces.enter_if_there(netns):
                return []
            try:
                return read_settings(netns, devices, requested)
            except OSError as error:
                raise refusal_of(f"read addresses, neighbours and routes{within(netns)}", error) from error

        return run_apart(read, _ROUTES_S)

    def restore(self, netns: str, settings: Sequence[LinuxSetting]) -> LinkOutcome:
        """Make settings on devices of a namespace, all that can be made. Raise LinuxError."""

        def restore() -> LinkOutcome:
            try:
                refused = restore_settings(netns, settings)
            except OSError as error:
                raise refusal_of(f"set addresses, neighbours and routes{within(netns)}", error) from error
            return LinkOutcome(done=tuple(n for n in range(len(settings)) if n not in refused), refused=refused)

        return self._run_in(netns, restore)

    def ask_echo(self, question: LinuxEchoQuestion) -> AskOutcome:
        """Ping once from a namespace. Raise LinuxError."""

        def ask() -> AskOutcome:
            device = question.device
            if not device and question.table_id:
                device = vrf_device(question.table_id)
                if not device:
                    return AskOutcome(cannot_ask=f"Linux has no VRF device of table {question.table_id}")
            return AskOutcome(is_answered=echo(question.address, source=question.source, device=device))

        return self._run_in(question.netns, ask)

    def add_namespace(self, name: str) -> None:
        """Make a network namespace unless it is there, as `ip netns add` does. Raise LinuxError."""
        require_netns_name(name)
        self._namespaces.require_process()

        def add() -> None:
            try:
                add_netns(name, self._namespaces.process)
            except OSError as error:
                raise refusal_of(f"make the network namespace {name}", error) from error

        run_apart(add)

    def add_bridge(self, netns: str, name: str) -> None:
        """Make a bridge and set it up, unless it is there. Raise LinuxError, also when something else has its name."""
        require_device_name(name)
        self._run_in(netns, lambda: device.add_bridge(netns, name))

    def set_links(self, netns: str, settings: Sequence[LinkSetting]) -> LinkOutcome:
        """Set MTU and state of devices of one namespace, in order, up to the first that is refused or not there.

        Up to 64 are under way at a time, and those behind a refusal may have been set. No VLAN device can have a
        larger MTU than its parent: grow parents first and shrink children first. Raise LinuxError when the namespace
        cannot be entered or nothing can be set in it.
        """
        for setting in settings:
            require_device_name(setting.name)
        return self._run_in(netns, lambda: device.set_links(netns, settings))

    def set_bridge(self, netns: str, name: str, bridge: str) -> None:
        """Make a device a port of `bridge` and of no other; '' takes it out of the one it is in. Raise LinuxError."""
        require_device_name(name)
        if bridge:
            require_device_name(bridge)
            self._run_in(netns, lambda: device.join_bridge(netns, name, bridge))
        else:
            self._run_in(netns, lambda: device.leave_bridge(netns, name))

    def _run_in(self, netns: str, work: Callable[[], Result]) -> Result:
        def run() -> Result:
            self._namespaces.enter(netns)
            return work()

        return run_apart(run)

    def _look_into(self, netns: str) -> _Inside:
        """Return what is in a namespace, into which the calling thread goes."""
        if not self._namespaces.enter_if_there(netns):
            return _Inside([], [], set())
        try:
            links = read_links()
            names = {link.index: link.name for link in links}
            static = [(names.get(index, ""), address, mac) for index, address, mac in read_static_neighbors()]
            return _Inside(links, static, _udp_ports())
        except OSError as error:
            raise refusal_of(f"list devices{within(netns)}", error) from error


def _udp_ports() -> set[int]:
    """Return the UDP ports that sockets in the namespace of this thread are bound to (proc_pid_net(5))."""
    ports = set()
    for family in ("udp", "udp6"):
        with open(f"/proc/thread-self/net/{family}", encoding="ascii") as file:
            ports |= {int(line.split()[1].rpartition(":")[2], 16) for line in file if ":" in line.partition("local")[0]}
    return ports


def _forwarding(devices: Mapping[str, str]) -> LinuxForwarding:
    links = {link.index: link for link in read_links() if link.name in devices}
    addresses, neighbors, nobody = read_addresses(), read_neighbors(), LinuxNeighbors({}, {})
    routes = read_routes({index: devices[link.name] for index, link in links.items()})
    sides = {
        devices[link.name]: PairSide(
            mtu=link.mtu,
            is_up=link.is_up,
            addresses=addresses.get(index, frozenset()),
            neighbors=neighbors.get(index, nobody).known,
            failed=neighbors.get(index, nobody).failed,
        )
        for index, link in links.items()
    }
    indexes = {devices[link.name]: index for index, link in links.items()}
    rules = tuple(read_rules({link.name for link in links.values()}))
    return LinuxForwarding(sides=sides, indexes=indexes, tables=routes.tables, limits=routes.limits, rules=rules)


def _others(links: Mapping[str, Iterable[Link]], requested: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    """Yield namespace and name of the devices that are not wanted."""
    for netns, names in requested.items():
        yield from ((netns, link.name) for link in links[netns] if link.name not in names)


def _devices(links: list[Link], requested: set[str]) -> dict[str, LinuxDevice]:
    bridges = {link.index: link.name for link in links if link.is_bridge}
    return {
        link.name: LinuxDevice(mtu=link.mtu, is_up=link.is_up, bridge=bridges.get(link.master, ""))
        for link in links
        if link.name in requested
    }
