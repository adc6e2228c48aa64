"""Changes Linux devices in the namespace of the calling thread: bridges, MTU, state; what is as it should be stays so.

`netns` is that namespace's name, for the words of errors only. One device is changed through pyroute2, many through one
socket: a session and a wait for each device, as pyroute2 has it, take 2 ms; with several messages under way it takes
10 us of CPU and what the kernel needs.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

from vppcfg.errors import LinuxError
from vppcfg.linux.link import Link, find_link, find_link_at, read_links
from vppcfg.linux.refusal import no_device, refusal, refusal_of, within
from vppcfg.model.linux import LinkOutcome, LinkSetting

_FEW = 8
"""Devices that are asked for one by one; for more it is quicker to list all."""
_MISSING = "install it: `pip install pyroute2`, or `apt-get install python3-pyroute2` on Debian and Ubuntu"
_HEADER = struct.Struct("=IHHII")
"""struct nlmsghdr (linux/netlink.h): length, type, flags, sequence number, port."""
_SET = struct.Struct("=IHHIIBxHiIIHHI")
"""nlmsghdr, struct ifinfomsg (linux/rtnetlink.h: family, type, index, flags, change mask), and an attribute."""
_ERROR = struct.Struct("=i")
_ATTRIBUTE = struct.Struct("=HH")
_NLMSG_ERROR, _RTM_NEWLINK = 2, 16
_NLM_F_REQUEST, _NLM_F_ACK, _NLM_F_ACK_TLVS = 0x1, 0x4, 0x200
_IFLA_MTU, _IFF_UP = 4, 0x1
_SOL_NETLINK, _NETLINK_CAP_ACK, _NETLINK_EXT_ACK = 270, 10, 11
_NLMSGERR_ATTR_MSG = 1
_WINDOW = 64
"""Messages under way: their answers, 1 kB each in the kernel's books, fit into the smallest usual buffer."""
_TIMEOUT_S = 10.0
_BUFFER_BYTES = 1 << 18
Answer = tuple[int, str]
"""An error code, 0 for none, and the kernel's words."""


def add_bridge(netns: str, name: str) -> None:
    """Make a bridge and set it up, unless it is there. Raise LinuxError."""
    what = f"make the bridge {name}{within(netns)}"
    link = _ask(what, lambda: find_link(name))
    if link is None:
        change_link(what, "add", ifname=name, kind="bridge", state="up")
    else:
        _require_bridge(netns, link)


def set_links(netns: str, settings: Sequence[LinkSetting]) -> LinkOutcome:
    """Set MTU and state of devices, in order, up to the first that is refused or not there. Raise LinuxError."""
    what = f"set devices{within(netns)}"
    try:
        indexes = _indexes({setting.name for setting in settings})
        there = list(takewhile(lambda setting: setting.name in indexes, settings))
        answers = change_links([(indexes[setting.name], setting.mtu, setting.is_up) for setting in there])
    except OSError as error:
        raise refusal_of(what, error) from error
    refused = {place: _refused_words(netns, there[place], *answer) for place, answer in answers.items() if answer[0]}
    if not refused and len(there) < len(settings):
        refused[len(there)] = no_device(netns, settings[len(there)].name).message
    return LinkOutcome(done=tuple(place for place, (code, _) in answers.items() if not code), refused=refused)


def _indexes(names: set[str]) -> dict[str, int]:
    """Return the indexes of devices by name, of those that are there. Raise OSError."""
    found = [find_link(name) for name in names] if len(names) <= _FEW else read_links()
    return {link.name: link.index for link in found if link is not None}


def _refused_words(netns: str, setting: LinkSetting, code: int, words: str) -> str:
    state = "up" if setting.is_up else "down"
    what = f"give the device {setting.name}{within(netns)} an MTU of {setting.mtu} and set it {state}"
    return refusal(what, code, words).message


def join_bridge(netns: str, name: str, bridge: str) -> None:
    """Make a device a port of `bridge` and of no other bridge. Raise LinuxError, also when it is a port of a bond."""
    what = f"make the device {name}{within(netns)} a port of {bridge}"
    link = _require(what, netns, name)
    target = _require(what, netns, bridge)
    _require_bridge(netns, target)
    if link.master == target.index:
        return
    master = _master(what, link)
    if master is not None and not master.is_bridge:
        raise LinuxError(f"cannot {what}: it is a port of {master.name}", f"take it out of {master.name} first")
    change_link(what, "set", index=link.index, master=target.index)


def leave_bridge(netns: str, name: str) -> None:
    """Take a device out of the bridge that it is a port of, if any. Raise LinuxError."""
    what = f"take the device {name}{within(netns)} out of its bridge"
    link = _require(what, netns, name)
    master = _master(what, link)
    if master is not None and master.is_bridge:
        change_link(what, "set", index=link.index, master=0)


def _ask(what: str, question: Callable[[], Link | None]) -> Link | None:
    try:
        return question()
    except OSError as error:
        raise refusal_of(what, error) from error


def _require(what: str, netns: str, name: str) -> Link:
    link = _ask(what, lambda: find_link(name))
    if link is None:
        raise no_device(netns, name)
    return link


def _master(what: str, link: Link) -> Link | None:
    return _ask(what, lambda: find_link_at(link.master)) if link.master else None


def _require_bridge(netns: str, link: Link) -> None:
    if not link.is_bridge:
        kind = f" but of kind {link.kind}" if link.kind else ""
        raise LinuxError(
            f"the Linux device {link.name}{within(netns)} is no bridge{kind}",
            "take another name for the bridge, or remove the device",
        )


def change_link(what: str, command: str, **attributes: object) -> None:
    """Have the kernel do `command` (add, set) to a device with pyroute2's `attributes`; `what` names it in errors.

    Raise LinuxError.
    """
    with netlink(what) as route:
        route.link(command, **attributes)


@contextmanager
def netlink(what: str) -> Iterator[Any]:
    """Give pyroute2's IPRoute for the work that `what` names (words that follow "to"). Raise LinuxError."""
    try:
        from pyroute2 import IPRoute, NetlinkError
    except ImportError as error:
        raise LinuxError(f"Python's package pyroute2 is missing, and is needed to {what}", _MISSING) from error
    try:
        with IPRoute(ext_ack=True) as route:
            yield route
    except NetlinkError as error:
        raise refusal(what, error.code, str(error.args[-1])) from error
    except OSError as error:
        raise refusal_of(what, error) from error


def change_links(settings: Sequence[tuple[int, int, bool]]) -> dict[int, Answer]:
    """Set MTU (bytes) and state of devices by index, in order, in the namespace of the calling thread.

    Return the outcome of each, by position. Nothing unsent is sent once one was refused. Raise OSError.
    """
    answers: dict[int, Answer] = {}
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as sock:
        sock.settimeout(_TIMEOUT_S)
        for option in (_NETLINK_CAP_ACK, _NETLINK_EXT_ACK):
            sock.setsockopt(_SOL_NETLINK, option, 1)
        for start in range(0, len(settings), _WINDOW):
            window = settings[start : start + _WINDOW]
            sock.sendto(b"".join(_message(start + place, *setting) for place, setting in enumerate(window)), (0, 0))
            while len(answers) < start + len(window):
                answers.update(answers_in(sock.recv(_BUFFER_BYTES)))
            if any(answers[start + place][0] for place in range(len(window))):
                break
    return answers


def _message(number: int, index: int, mtu: int, is_up: bool) -> bytes:
    flags = _IFF_UP if is_up else 0
    request = _NLM_F_REQUEST | _NLM_F_ACK
    info = (socket.AF_UNSPEC, 0, index, flags, _IFF_UP)
    return _SET.pack(_SET.size, _RTM_NEWLINK, request, number, 0, *info, 8, _IFLA_MTU, mtu)


def answers_in(data: bytes) -> dict[int, Answer]:
    """Return the answers in what the kernel sent, by the number of what they answer."""
    found = {}
    start = 0
    while start + _HEADER.size <= len(data):
        length, kind, flags, number, _ = _HEADER.unpack_from(data, start)
        if length < _HEADER.size:
            break
        if kind == _NLMSG_ERROR:
            body = data[start + _HEADER.size : start + length]
            words = _words(body[_ERROR.size + _HEADER.size :]) if flags & _NLM_F_ACK_TLVS else ""
            found[number] = -_ERROR.unpack_from(body)[0], words
        start += length + 3 & ~3
    return found


def _words(attributes: bytes) -> str:
    """Return what the kernel reports beside the code of an error."""
    start = 0
    while start + _ATTRIBUTE.size <= len(attributes):
        length, kind = _ATTRIBUTE.unpack_from(attributes, start)
        if kind == _NLMSGERR_ATTR_MSG:
            return attributes[start + _ATTRIBUTE.size : start + length].rstrip(b"\0").decode(errors="backslashreplace")
        start += max(length, _ATTRIBUTE.size) + 3 & ~3
    return ""
