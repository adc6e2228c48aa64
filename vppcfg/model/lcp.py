"""Linux Control Plane pairs: a VPP interface mirrored as a Linux network device, and which pairs depend on which."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import field

from vppcfg.common.release import Release
from vppcfg.model.interface import Encapsulation, Interface
from vppcfg.record import record

FIRST_DROPPING_UNICAST, FIRST_SENDING_UNICAST_AGAIN = Release(26, 2), Release(26, 6)
"""From the first to the second VPP checks MAC addresses of what Linux sends by a TAP (cb19c526dd1, ecfd37e4b7c)."""


@record
class LcpPair:
    """The Linux side of one VPP interface."""

    host_name: str
    netns: str = ""
    """Name of the network namespace; '' is the one that VPP itself runs in."""
    is_tun: bool = False
    """Whether the Linux device is a TUN, which has no Ethernet; it must be one where the VPP side has none."""
    has_host: bool = True
    """False when the Linux device is gone but VPP still keeps the pair and its name."""
    host_mtu: int | None = field(default=None, compare=False)
    """Packet MTU of VPP's side of the Linux device in bytes; None is what a file leaves open, and what is not known."""


_WITHOUT_MTU = 9216
"""ETHERNET_MAX_PACKET_BYTES, for an interface without a packet MTU."""


def host_mtu_as_made(interface: Interface) -> int:
    """Return the packet MTU that linux-cp gives VPP's side of a new device (lcp_itf_pair_create, 22.02 to 26.10).

    A sub-interface gets a sub-interface on the TAP, which has none.
    """
    return 0 if interface.parent is not None else interface.packet_mtu or _WITHOUT_MTU


@record
class LcpSettings:
    """How VPP's linux-cp plugin is set up."""

    default_netns: str = ""
    """Namespace of pairs made without naming one; '' is the one that VPP itself runs in."""
    is_sync: bool = False
    """lcp-sync: MTU, state and addresses of a VPP interface follow into Linux, link-local ones aside."""
    is_auto_subint: bool = False
    """lcp-auto-subint: VPP makes pairs for new sub-interfaces by itself."""


_OuterTag = tuple[str, int, bool]
"""A port, an outer VLAN id on it, and whether that is 802.1ad."""


class SubInterfaceDependencies:
    """Sub-interfaces by what they depend on (linux-cp/lcp_interface.c, lcp_itf_pair_create)."""

    def __init__(self, interfaces: Iterable[Interface] = ()) -> None:
        """Start with `interfaces`."""
        self._on_port: dict[str, set[str]] = {}
        self._below_tag: dict[_OuterTag, set[str]] = {}
        self._with_tag: dict[_OuterTag, str] = {}
        for interface in interfaces:
            self.add(interface)

    def add(self, interface: Interface) -> None:
        """Enter an interface; a port depends on nothing."""
        if interface.parent is not None:
            self._on_port.setdefault(interface.parent, set()).add(interface.name)
            if (tag := _outer_tag(interface)) is not None:
                self._below_tag.setdefault(tag, set()).add(interface.name)
            elif (tag := _only_tag(interface)) is not None:
                self._with_tag[tag] = interface.name

    def remove(self, interface: Interface) -> None:
        """Take out an interface that was entered."""
        if interface.parent is not None:
            self._on_port[interface.parent].discard(interface.name)
            if (tag := _outer_tag(interface)) is not None:
                self._below_tag[tag].discard(interface.name)
            elif (tag := _only_tag(interface)) is not None:
                self._with_tag.pop(tag, None)

    def on_port(self, name: str) -> Collection[str]:
        """Return all sub-interfaces of a port."""
        return self._on_port.get(name, ())

    def dependents_of(self, interface: Interface) -> Collection[str]:
        """Return what depends on an interface: all sub-interfaces of a port, those with a second tag of one tag."""
        if interface.parent is None:
            return self.on_port(interface.name)
        tag = _only_tag(interface)
        return self._below_tag.get(tag, ()) if tag is not None else ()

    def carrier_of(self, interface: Interface) -> str | None:
        """Return the sub-interface with the outer tag of one that has two."""
        tag = _outer_tag(interface)
        return self._with_tag.get(tag) if tag is not None else None


def _only_tag(interface: Interface) -> _OuterTag | None:
    """Return the tag of a sub-interface that has just one."""
    match = interface.encapsulation
    if interface.parent is None or not isinstance(match, Encapsulation) or match.inner is not None:
        return None
    return interface.parent, match.outer, match.is_dot1ad


def _outer_tag(interface: Interface) -> _OuterTag | None:
    """Return the outer tag of a sub-interface that has two."""
    match = interface.encapsulation
    if interface.parent is None or not isinstance(match, Encapsulation) or match.inner is None:
        return None
    return interface.parent, match.outer, match.is_dot1ad
