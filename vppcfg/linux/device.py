"""What is set on devices of the namespace that the calling thread is in; what is as it should be is not touched.

`netns` is that namespace's name, for the words of errors only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile

from vppcfg.errors import LinuxError
from vppcfg.linux.change import change_link, change_links
from vppcfg.linux.link import Link, find_link, find_link_at, read_links
from vppcfg.linux.refusal import no_device, refusal, refusal_of, within
from vppcfg.model.linux import LinkOutcome, LinkSetting

_FEW = 8
"""Devices that are asked for one by one; for more it is quicker to list all."""


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
    refused = {place: _words(netns, there[place], *answer) for place, answer in answers.items() if answer[0]}
    if not refused and len(there) < len(settings):
        refused[len(there)] = no_device(netns, settings[len(there)].name).message
    return LinkOutcome(done=tuple(place for place, (code, _) in answers.items() if not code), refused=refused)


def _indexes(names: set[str]) -> dict[str, int]:
    """Return the indexes of devices by name, of those that are there. Raise OSError."""
    found = [find_link(name) for name in names] if len(names) <= _FEW else read_links()
    return {link.name: link.index for link in found if link is not None}


def _words(netns: str, setting: LinkSetting, code: int, words: str) -> str:
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
