"""What is set on devices of the namespace that the calling thread is in; what is as it should be is not touched.

`netns` is that namespace's name, for the words of errors only.
"""

from __future__ import annotations

from collections.abc import Callable

from vppcfg.errors import LinuxError
from vppcfg.linux.change import change_link
from vppcfg.linux.link import Link, find_link, find_link_at
from vppcfg.linux.refusal import no_device, refusal_of, within


def add_bridge(netns: str, name: str) -> None:
    """Make a bridge and set it up, unless it is there. Raise LinuxError."""
    what = f"make the bridge {name}{within(netns)}"
    link = _ask(what, lambda: find_link(name))
    if link is None:
        change_link(what, "add", ifname=name, kind="bridge", state="up")
    else:
        _require_bridge(netns, link)


def set_link(netns: str, name: str, *, mtu: int, is_up: bool) -> None:
    """Set MTU (bytes) and state of a device where they differ. Raise LinuxError."""
    state = "up" if is_up else "down"
    what = f"give the device {name}{within(netns)} an MTU of {mtu} and set it {state}"
    link = _require(what, netns, name)
    wanted: dict[str, object] = {"mtu": mtu} if link.mtu != mtu else {}
    if link.is_up != is_up:
        wanted["state"] = state
    if wanted:
        change_link(what, "set", index=link.index, **wanted)


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
