"""Rules about GRE and IPIP tunnels."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.configuration import InterfaceConfig
from vppcfg.config.rules.index import Index
from vppcfg.config.sections.gre import GreConfig
from vppcfg.config.sections.ipip import IpipConfig
from vppcfg.model.features import TrafficDirection
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.tunnel import GreMode


def gre_mode(index: Index) -> Iterator[Problem]:
    """Find sessions and keys with a mode that has none, and ERSPAN tunnels without a session."""
    for tunnel in index.configuration.made_as(GreConfig).values():
        is_erspan = tunnel.mode is GreMode.ERSPAN
        if is_erspan and tunnel.session is None:
            text = f"{tunnel.name} is an ERSPAN tunnel; add its `session`"
            yield Problem(rule="gre-session", path=(*tunnel.path, "mode"), text=text)
        if not is_erspan and tunnel.session is not None:
            text = "only an ERSPAN tunnel has a `session`; remove it, or add `mode: erspan`"
            yield Problem(rule="gre-session", path=(*tunnel.path, "session"), text=text)
        if is_erspan and tunnel.key is not None:
            text = f"{tunnel.name} is an ERSPAN tunnel, which has a session instead of a key; remove `key`"
            yield Problem(rule="gre-key", path=(*tunnel.path, "key"), text=text)


def gre_duplicate(index: Index) -> Iterator[Problem]:
    """Find tunnels that VPP could not tell apart."""
    owners: dict[tuple[object, ...], str] = {}
    for tunnel in index.configuration.made_as(GreConfig).values():
        identity = (tunnel.encap_vrf, tunnel.local, tunnel.remote, tunnel.mode, tunnel.session or 0, tunnel.key or 0)
        first = owners.setdefault(identity, tunnel.name)
        if first != tunnel.name:
            text = f"{first} has the same ends, VRF, mode, session and key; make one of them differ"
            yield Problem(rule="gre-duplicate", path=tunnel.path, text=text)


def gre_routed_frames(index: Index) -> Iterator[Problem]:
    """Find what VPP does wrong with packets that are routed into a tunnel with frames in it, or out of one."""
    for tunnel in index.configuration.made_as(GreConfig).values():
        if tunnel.mode is GreMode.TEB:
            for interface in (index.find(tunnel.name), *index.children.get(tunnel.name, ())):
                if interface is not None and index.why_switched(interface.name) is None:
                    yield from _lost_frames(interface)


def _lost_frames(interface: InterfaceConfig) -> Iterator[Problem]:
    """Yield what loses packets of one interface of such a tunnel.

    What leaves by a GRE tunnel behind a feature goes to tunnel-output, which takes the adjacency of the neighbour for
    one of the tunnel (vnet_gre_tunnel_add in plugins/gre/interface.c, adj_midchain_tx_inline in vnet/adj). MACIP ACLs
    look at the start of the buffer (vnet/ip/ip_in_out_acl.c), where the packet around the frame is. Both were tried on
    VPP 26.10.
    """
    is_routed = interface.addresses or interface.unnumbered or interface.dhcp_client
    for path in _features_out(interface) if is_routed and interface.parent is None else ():
        key = ".".join(path)
        text = f"while {interface.name} has this and carries frames, VPP loses what is routed into it; remove `{key}`"
        yield Problem(rule="gre-teb-output", path=(*interface.path, *path), text=text, severity=Severity.WARNING)
    if interface.macip is not None:
        text = f"VPP compares the packet around the frame when {interface.name} receives one; remove `macip`"
        at = (*interface.path, "macip")
        yield Problem(rule="gre-teb-macip", path=at, text=text, severity=Severity.WARNING)


def _features_out(interface: InterfaceConfig) -> Iterator[tuple[str, ...]]:
    """Yield the keys of an interface that do something with packets on their way out."""
    sides = (TrafficDirection.OUTPUT, TrafficDirection.BOTH)
    if interface.has_gso:
        yield ("gso",)
    if interface.acls.output:
        yield "acls", "output"
    for check in interface.urpf:
        if check.is_output:
            yield "urpf", "ipv6-output" if check.is_ipv6 else "ipv4-output"
    for limit in interface.mss_clamp:
        if limit.direction in sides:
            yield "mss-clamp", "ipv6" if limit.is_ipv6 else "ipv4"
    if interface.flow_records is not None and interface.flow_records.direction in sides:
        yield ("ipfix",)


def ipip_duplicate(index: Index) -> Iterator[Problem]:
    """Find tunnels that VPP could not tell apart."""
    owners: dict[tuple[object, ...], str] = {}
    for tunnel in index.configuration.made_as(IpipConfig).values():
        first = owners.setdefault((tunnel.encap_vrf, tunnel.local, tunnel.remote), tunnel.name)
        if first != tunnel.name:
            text = f"{first} has the same ends and VRF; make one of them differ"
            yield Problem(rule="ipip-duplicate", path=tunnel.path, text=text)


def ipip_flags(index: Index) -> Iterator[Problem]:
    """Find flags of which one makes the other, or the DSCP, mean nothing."""
    for tunnel in index.configuration.made_as(IpipConfig).values():
        if tunnel.dscp and "encap-copy-dscp" in tunnel.flags:
            text = "with `encap-copy-dscp` the outer header has the DSCP of the inner one; remove it, or `dscp`"
            yield Problem(rule="ipip-flags", path=(*tunnel.path, "dscp"), text=text)
        if {"encap-copy-df", "encap-set-df"} <= set(tunnel.flags):
            text = "`encap-set-df` sets the bit that `encap-copy-df` would copy; remove one of them"
            yield Problem(rule="ipip-flags", path=(*tunnel.path, "flags"), text=text)
