"""Virtual routers (VRRP): addresses that one of several routers has at a time (plugins/vrrp, RFC 5798)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import Enum
from typing import ClassVar

from vppcfg.common.addresses import address_key
from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.record import record

OWNER_PRIORITY = 255
"""That of the router whose interface has the addresses anyway."""


class VrrpState(Enum):
    """What a virtual router is at the moment; the values are those of JSON documents."""

    STOPPED = "stopped"
    BACKUP = "backup"
    MASTER = "master"
    INTERFACE_DOWN = "interface-down"


@record
class TrackedInterface:
    """What the priority loses while another interface is down."""

    interface: str
    priority: int


@record
class VirtualRouter(VppObject):
    """One virtual router of one family on one interface."""

    noun = "virtual router"
    table = "virtual_routers"
    is_named_with_noun = True
    impact_verbs: ClassVar[Mapping[str, tuple[str, str]]] = {
        "stopped": ("answers for its addresses no more", "answer for their addresses no more"),
        "fewer": ("gives addresses up", "give addresses up"),
        "backup": ("stands by no more", "stand by no more"),
    }
    attachment_kinds = ("VRRP router", "VRRP router peers", "VRRP router running", "VRRP router tracking")

    interface: str
    vr_id: int
    addresses: tuple[str, ...]
    """Canonical, in the order of `hosts_in_order`."""
    is_ipv6: bool = False
    priority: int = 100
    interval_cs: int = 100
    """Hundredths of a second between two advertisements."""
    is_preempting: bool = True
    is_accepting: bool = False
    """Whether the master has the addresses on its interface, and answers to them."""
    tracked: tuple[TrackedInterface, ...] = ()
    """By name."""
    tracks_deleted: bool = False
    """Whether it tracks an interface that is gone: VPP lowers the priority as before, and lets go of it no more."""
    peers: tuple[str, ...] = ()
    """Whom advertisements are sent to instead of the group, in the order of `hosts_in_order`."""
    is_running: bool = True
    state: VrrpState | None = field(default=None, compare=False)
    """None where it was not asked for."""

    @property
    def name(self) -> str:
        return f"{self.interface} {self.vr_id}{' ipv6' if self.is_ipv6 else ''}"

    @property
    def scope(self) -> str:
        return self.interface

    def references(self) -> Iterator[Reference]:
        """Yield its interface and those that it tracks."""
        yield Reference(Referent.INTERFACE, self.interface)
        for each in self.tracked:
            yield Reference(Referent.INTERFACE, each.interface)


def hosts_in_order(hosts: Iterator[str] | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """Return addresses without a length in one order."""
    return tuple(sorted(dict.fromkeys(hosts), key=lambda host: address_key(f"{host}/0").value))
