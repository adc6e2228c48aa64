"""A running router as it is monitored: its counters, and the names that go with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from vppcfg.model.counters import VppCounters
from vppcfg.record import record


@record
class MonitoredInterface:
    """One interface, with what VPP and the configuration file call it."""

    index: int
    name: str
    kind: str = ""
    """The value of an InterfaceKind."""
    is_up: bool = False
    has_link: bool = False
    link_bps: int | None = None
    """Speed of the link; None when VPP does not know it."""
    description: str = ""
    lcp: str = ""
    """Name of its device in Linux."""
    vrf: str = ""

    @property
    def is_sub(self) -> bool:
        """Return whether its packets count on its port too."""
        return self.kind == "sub-interface"


@record
class QueuePlace:
    """A receive queue and the thread that polls it."""

    interface: str
    queue: int
    thread: int
    mode: str


@record
class MonitoredVirtualRouter:
    """What a virtual router (VRRP) is at the moment."""

    interface: str
    vr_id: int
    is_ipv6: bool
    state: str
    """The value of a VrrpState."""
    priority: int
    """As it is now: what is tracked and down is taken off."""


@record
class MonitoredDet44Map:
    """One map of DET44."""

    inside: str
    outside: str
    hosts: int
    sessions: int


@record
class MonitoredPolicer:
    """A policer, as its name in VPP has it."""

    index: int
    policer: str
    user: str
    """Whose packets it counts; '' of one of another program."""
    rate_kbps: int


@record
class FileNames:
    """What a configuration file calls the interfaces that it names."""

    descriptions: Mapping[str, str] = field(default_factory=dict)
    lcps: Mapping[str, str] = field(default_factory=dict)
    vrfs: Mapping[str, str] = field(default_factory=dict)


@record
class RouterSnapshot:
    """What was read of a router at one time."""

    taken_at_s: float
    """In Unix seconds."""
    took_s: float = 0.0
    counters: VppCounters | None = None
    """None when VPP cannot be read."""
    interfaces: tuple[MonitoredInterface, ...] = ()
    """By sw_if_index, but for local0."""
    queues: tuple[QueuePlace, ...] = ()
    virtual_routers: tuple[MonitoredVirtualRouter, ...] = ()
    """When names were asked for."""
    det44_maps: tuple[MonitoredDet44Map, ...] = ()
    """Likewise."""
    policers: tuple[MonitoredPolicer, ...] = ()
    """Likewise."""
    version: str = ""
    """Of VPP; '' when its API does not answer."""
    refreshed_at_s: float = 0.0
    """When VPP was first seen with its present heartbeat, in Unix seconds."""
    problem: str = ""
    """Why VPP, or its API, cannot be read."""
