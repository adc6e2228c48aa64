"""Restores on new Linux devices the settings of old ones (`settings` reads them), in the calling thread's namespace."""

from __future__ import annotations

import errno
import logging
import socket
import struct
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vppcfg.common.printable import printable
from vppcfg.linux.device import Answer, answers_in
from vppcfg.linux.link import attribute, read_links
from vppcfg.linux.refusal import no_device, refusal, within
from vppcfg.linux.settings import read_ipv6_addresses
from vppcfg.linux.sysctl import write_sysctl
from vppcfg.model.iproute2 import name_of
from vppcfg.model.linux_setting import LinuxKind, LinuxSetting, decoded

_log = logging.getLogger(__name__)
SETTLE_S = 3.0
"""How long a device may take to be up, and an IPv6 address to be known as unique: a second, and up to one more."""
_INTERVAL_S = 0.1
_NOT_YET = frozenset(
    {errno.ENETDOWN, errno.ENETUNREACH, errno.EINVAL, errno.EHOSTUNREACH, errno.ENODEV, errno.EADDRNOTAVAIL}
)
"""What the kernel reports of a route before its device is up, its gateway is reachable or its source is there."""
_HEADER = struct.Struct("=IHHII")
"""struct nlmsghdr (linux/netlink.h): length, type, flags, sequence number, port."""
_ADDRESS = struct.Struct("=BBBBI")
"""struct ifaddrmsg (linux/if_addr.h): family, prefix length, flags, scope, index."""
_ROUTE = struct.Struct("=BBBBBBBBI")
"""struct rtmsg (linux/rtnetlink.h): family, destination and source length, tos, table, protocol, scope, type, flags."""
_NEIGHBOR = struct.Struct("=B3xiHBB")
"""struct ndmsg (linux/neighbour.h): family, index, state, flags, type."""
_LINK = struct.Struct("=BxHiII")
"""struct ifinfomsg (linux/rtnetlink.h): family, type, index, flags, change mask."""
_HOP = struct.Struct("=HBBi")
"""struct rtnexthop: length, flags, hops, index."""
_NUMBER = struct.Struct("=I")
_NEWLINK, _NEWADDR, _NEWROUTE, _NEWNEIGH = 16, 20, 24, 28
_REQUEST, _ACK = 0x1, 0x4
_REPLACE, _CREATE, _APPEND = 0x100, 0x400, 0x800
_SOL_NETLINK, _NETLINK_CAP_ACK, _NETLINK_EXT_ACK = 270, 10, 11
_IFLA_MASTER, _IFA_LABEL, _RTA_OIF, _RTA_MULTIPATH = 10, 3, 4, 9
_TIMEOUT_S = 10.0
_BUFFER_BYTES = 1 << 18


class _Devices(NamedTuple):
    """The devices of the namespace."""

    netns: str
    indexes: Mapping[str, int]


def restore_settings(netns: str, settings: Sequence[LinuxSetting]) -> dict[int, str]:
    """Make all settings, and return for those that the kernel refuses why, by position. Raise OSError.

    One that has to wait for another, or for its device, is tried again for a bounded time.
    """
    refused: dict[int, Answer] = {}
    waiting = sorted(range(len(settings)), key=lambda place: list(LinuxKind).index(settings[place].kind))
    deadline = time.monotonic() + SETTLE_S
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as sock:
        sock.settimeout(_TIMEOUT_S)
        for option in (_NETLINK_CAP_ACK, _NETLINK_EXT_ACK):
            sock.setsockopt(_SOL_NETLINK, option, 1)
        while waiting:
            devices = _Devices(netns, {link.name: link.index for link in read_links()})
            answers = {place: _create(sock, settings[place], devices) for place in waiting}
            is_over = time.monotonic() > deadline
            left = [place for place in waiting if answers[place][0] in _NOT_YET and not is_over]
            refused |= {place: answers[place] for place in waiting if answers[place][0] and place not in left}
            if left and len(left) == len(waiting):
                time.sleep(_INTERVAL_S)
            waiting = left
    return {place: text for place, (_, text) in refused.items()}


def _create(sock: socket.socket, setting: LinuxSetting, devices: _Devices) -> Answer:
    """Make one setting and return an error code, 0 for none, and why it is refused; what is there is made."""
    unknown = [name for name in setting.devices() if name not in devices.indexes]
    if unknown:
        return errno.ENODEV, no_device(devices.netns, unknown[0]).message
    what = f"bring back the {setting.kind.value} {name_of(setting)}{within(devices.netns)}"
    if setting.kind is LinuxKind.SYSCTL:  # in a container they may be read-only, which is no reason to undo a change
        if (answer := write_sysctl(setting))[0]:
            _log.warning("%s", printable(refusal(what, *answer).message))
        return 0, ""
    has_master = setting.kind is LinuxKind.MASTER
    addresses = read_ipv6_addresses(setting.device, devices.indexes[setting.device]) if has_master else []
    code, words = _send(sock, *_BODIES[setting.kind](setting, devices.indexes))
    for each in addresses:  # a VRF removes those that VPP has copied (drivers/net/vrf.c)
        if reason := _create(sock, each, devices)[1]:
            _log.warning("%s", printable(reason))
    return (0, "") if code in (0, errno.EEXIST) else (code, refusal(what, code, words).message)


def _send(sock: socket.socket, kind: int, flags: int, body: bytes) -> Answer:
    """Send one message to the kernel, and return its answer."""
    sock.sendto(_HEADER.pack(_HEADER.size + len(body), kind, _REQUEST | _ACK | flags, 1, 0) + body, (0, 0))
    return answers_in(sock.recv(_BUFFER_BYTES))[1]


_Body = tuple[int, int, bytes]
"""The type of a message, its flags, and what follows its header."""


def _master(setting: LinuxSetting, indexes: Mapping[str, int]) -> _Body:
    master = attribute(_IFLA_MASTER, _NUMBER.pack(indexes[setting.master]))
    return _NEWLINK, 0, _LINK.pack(0, 0, indexes[setting.device], 0, 0) + master


def _address(setting: LinuxSetting, indexes: Mapping[str, int]) -> _Body:
    length, flags, scope = setting.fields
    body = _ADDRESS.pack(setting.family, length, flags, scope, indexes[setting.device])
    label = f"{setting.device}{setting.label}".encode() + b"\0" if setting.label else b""
    return _NEWADDR, _CREATE | _REPLACE, body + _attributes(setting) + (attribute(_IFA_LABEL, label) if label else b"")


def _neighbor(setting: LinuxSetting, indexes: Mapping[str, int]) -> _Body:
    state, flags, kind = setting.fields
    body = _NEIGHBOR.pack(setting.family, indexes[setting.device], state, flags, kind)
    return _NEWNEIGH, _CREATE | _REPLACE, body + _attributes(setting)


def _route(setting: LinuxSetting, indexes: Mapping[str, int]) -> _Body:
    """Return a route, which stands beside others to its destination, or takes the place of what is left of it.

    That is some of its hops, or a route of IPv6 without its source.
    """
    body = _ROUTE.pack(setting.family, *setting.fields) + _attributes(setting)
    if not setting.hops:
        flag = _REPLACE if setting.family == socket.AF_INET6 else _APPEND
        return _NEWROUTE, _CREATE | flag, body + attribute(_RTA_OIF, _NUMBER.pack(indexes[setting.device]))
    hops = b"".join(_hop(hop.flags, hop.hops, indexes[hop.device], hop.attributes) for hop in setting.hops)
    return _NEWROUTE, _CREATE | _REPLACE, body + attribute(_RTA_MULTIPATH, hops)


def _hop(flags: int, hops: int, index: int, attributes: tuple[str, ...]) -> bytes:
    body = b"".join(attribute(number, value) for number, value in decoded(attributes))
    return _HOP.pack(_HOP.size + len(body), flags, hops, index) + body


def _attributes(setting: LinuxSetting) -> bytes:
    return b"".join(attribute(number, value) for number, value in decoded(setting.attributes))


_BODIES = {
    LinuxKind.MASTER: _master,
    LinuxKind.ADDRESS: _address,
    LinuxKind.NEIGHBOR: _neighbor,
    LinuxKind.ROUTE: _route,
}
