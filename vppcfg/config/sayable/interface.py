"""Why the configuration language cannot say what an observed interface is, whatever its kind."""

from __future__ import annotations

from vppcfg.config.names import is_interface_name, is_lcp_name, is_loopback_name, is_netns_name, is_sub_id, kind_of
from vppcfg.config.parse.encapsulation import MAX_VLAN_ID
from vppcfg.config.parse.sub_interface import sub_interface_name
from vppcfg.config.sayable.made import why_made_unsayable
from vppcfg.model.bridge import bridge_name
from vppcfg.model.device import FIXED_LINK_MTU
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind
from vppcfg.model.ownership import description_of, is_foreign, is_ours, tag_for
from vppcfg.model.state import State

MIN_MTU, MAX_MTU = 128, 9216
MAX_DESCRIPTION = 64


_MADE_AT_RUN_TIME = frozenset(
    {
        *("BVI", "GENEVE", "GRE tunnel device", "GTPU", "IPIP tunnel device", "IPSEC Tunnel", "L2TPv3", "L2_LISP_GPE"),
        *("LISP_GPE", "MPLS tunnel device", "NSH", "NSH_LISP_GPE", "PPPoE", "Packet Vectorizer Tunnel", "Pipe"),
        *("VXLAN_GPE", "Wireguard Tunnel", "ip6ip-6rd", "memif"),
    }
)
"""Driver classes of interfaces that somebody has to make before a configuration can name them."""


def why_unsayable(name: str, state: State) -> str | None:
    """Return why the interface cannot be configured as it is, None when nothing about itself forbids it."""
    interface = state.interfaces[name]
    return (
        _nature(interface)
        or why_made_unsayable(interface, state)
        or _ownership(interface)
        or _tags(interface)
        or _switching(interface, state)
        or _mtu(interface, state.packet_mtu(name))
        or _lcp(name, state)
    )


def _nature(interface: Interface) -> str | None:
    if not is_interface_name(interface.name):
        return "its name cannot stand in a configuration"
    if interface.parent is None and interface.kind is not kind_of(interface.name):
        return "its name says that it is something else than it is"
    if interface.device_class in _MADE_AT_RUN_TIME and not is_ours(interface.tag):
        return f"it is made by something else than a configuration ({interface.device_class})"
    if interface.kind is InterfaceKind.LOOPBACK:
        return _loopback(interface)
    return None


def _loopback(interface: Interface) -> str | None:
    if not is_loopback_name(interface.name):
        return "it has a name that VPP gives to no loopback"
    if not interface.is_up:
        return "it is down, and loopbacks in a configuration are up"
    if interface.l2xc is not None:
        return "it is a loopback that is cross-connected"
    return None


def _ownership(interface: Interface) -> str | None:
    if is_foreign(interface.tag):
        return f'its tag says that it is somebody else\'s: "{interface.tag}"'
    description = description_of(interface.tag)
    is_text = len(description) <= MAX_DESCRIPTION and not set("'\"") & set(description) and description.isprintable()
    if interface.tag and not (is_text and tag_for(description) == interface.tag):
        return "its tag holds what no description can"
    return None


def _tags(interface: Interface) -> str | None:
    if interface.parent is None:
        return None
    tags = interface.encapsulation
    if not isinstance(tags, Encapsulation):
        return "it matches VLAN tags in a way that the configuration cannot say"
    if not all(1 <= vlan <= MAX_VLAN_ID for vlan in (tags.outer, tags.inner or 1)):
        return "it matches a VLAN id that the configuration cannot say"
    if not is_sub_id(interface.sub_id) or interface.name != sub_interface_name(interface.parent, interface.sub_id):
        return "it has a name that VPP gives to no sub-interface"
    return None


def _switching(interface: Interface, state: State) -> str | None:
    if interface.tables != (0, 0):
        return f"it is in FIB table {max(interface.tables)}"
    if interface.bridge is not None and bridge_name(interface.bridge) not in state.bridges:
        return f"it is a member of bridge domain {interface.bridge}, which VPP does not show"
    if interface.bridge is None and interface.tag_rewrite is not None:
        return "it rewrites VLAN tags"
    for name in (*interface.acls.input, *interface.acls.output):
        if name not in state.acls:
            return "it applies an access list that VPP does not show"
    return None


def _mtu(interface: Interface, packet_mtu: int) -> str | None:
    if not MIN_MTU <= packet_mtu <= MAX_MTU:
        return f"its packet MTU of {packet_mtu} is outside of {MIN_MTU} to {MAX_MTU}"
    if any(interface.protocol_mtus):
        return "it has MTUs of their own for IPv4, IPv6 or MPLS"
    if interface.link_mtu in (None, packet_mtu) or interface.device_class in FIXED_LINK_MTU:
        return None
    return f"its link MTU of {interface.link_mtu} differs from its packet MTU of {packet_mtu}"


def _lcp(name: str, state: State) -> str | None:
    pair = state.lcps.get(name)
    if pair is None:
        return None
    if not pair.has_host:
        return f"the Linux device {pair.host_name} of its LCP is gone"
    if not is_lcp_name(pair.host_name):
        return f"its LCP has a name that the configuration does not allow: {pair.host_name}"
    if pair.netns != state.facts.lcp.default_netns and not is_netns_name(pair.netns):
        return f'its LCP is in a network namespace that the configuration cannot name: "{pair.netns}"'
    return None
