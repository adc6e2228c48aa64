"""The Linux side of pairs and TAPs: done through netlink, written as a comment in a plan's text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateNamespace:
    """Make a network namespace."""

    netns: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateLinuxBridge:
    """Make a Linux bridge, up."""

    netns: str
    bridge: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLinuxLink:
    """Set MTU and state of the Linux device of an interface."""

    interface: str
    netns: str
    host_name: str
    mtu: int
    is_up: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLinuxBridge:
    """Make the Linux device of a TAP a port of a Linux bridge; '' of none."""

    interface: str
    netns: str
    host_name: str
    bridge: str
