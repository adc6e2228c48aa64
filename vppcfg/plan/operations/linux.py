"""The Linux side of pairs and TAPs: done through netlink, written as a comment in a plan's text."""

from __future__ import annotations

from vppcfg.record import record


@record
class CreateNamespace:
    """Make a network namespace."""

    netns: str


@record
class CreateLinuxBridge:
    """Make a Linux bridge, up."""

    netns: str
    bridge: str


@record
class SetLinuxLink:
    """Set MTU and state of the Linux device of an interface."""

    interface: str
    netns: str
    host_name: str
    mtu: int
    is_up: bool


@record
class SetLinuxBridge:
    """Make the Linux device of a TAP a port of a Linux bridge; '' of none."""

    interface: str
    netns: str
    host_name: str
    bridge: str
