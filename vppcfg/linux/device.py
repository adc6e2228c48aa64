"""What is set on devices of the namespace that the calling thread is in; what is as it should be is not touched."""

from __future__ import annotations

from vppcfg.errors import LinuxError
from vppcfg.linux.change import LinkChanges
from vppcfg.linux.link import Link, find_link
from vppcfg.linux.refusal import no_device, refusal, within


def add_bridge(netns: str, name: str) -> None:
    """Make a bridge and set it up, unless it is there; `netns` is for words only. Raise LinuxError."""
    what = f"make the bridge {name}{within(netns)}"
    link = _find(what, name)
    if link is None:
        with LinkChanges() as changes:
            changes.request(what, "add", ifname=name, kind="bridge", state="up")
    else:
        _require_bridge(netns, link)


def set_link(changes: LinkChanges, netns: str, name: str, mtu: int, is_up: bool) -> None:
    """Set MTU (bytes) and state of a device where they differ; `netns` is for words only. Raise LinuxError."""
    state = "up" if is_up else "down"
    what = f"give the device {name}{within(netns)} an MTU of {mtu} and set it {state}"
    link = _require(what, netns, name)
    wanted: dict[str, object] = {"mtu": mtu} if link.mtu != mtu else {}
    if link.is_up != is_up:
        wanted["state"] = state
    if wanted:
        changes.request(what, "set", index=link.index, **wanted)


def set_bridge(netns: str, name: str, bridge: str) -> None:
    """Make a device a port of `bridge`, or of none when it is ''; `netns` is for words only. Raise LinuxError."""
    what = f"make the device {name}{within(netns)} a port of {bridge or 'no bridge'}"
    link = _require(what, netns, name)
    master = 0
    if bridge:
        target = _require(what, netns, bridge)
        _require_bridge(netns, target)
        master = target.index
    if link.master != master:
        with LinkChanges() as changes:
            changes.request(what, "set", index=link.index, master=master)


def _find(what: str, name: str) -> Link | None:
    try:
        return find_link(name)
    except OSError as error:
        raise refusal(what, error.errno or 0) from error


def _require(what: str, netns: str, name: str) -> Link:
    link = _find(what, name)
    if link is None:
        raise no_device(netns, name)
    return link


def _require_bridge(netns: str, link: Link) -> None:
    if not link.is_bridge:
        raise LinuxError(
            f"the Linux device {link.name}{within(netns)} is no bridge"
            + (f" but of kind {link.kind}" if link.kind else ""),
            "take another name for the bridge, or remove the device",
        )
