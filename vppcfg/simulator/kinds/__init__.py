"""The kinds of objects that a simulated VPP has, one module each: API, behaviour, messages, commands, loading.

A new kind is a module here, its import, and its line in the list.
"""

from __future__ import annotations

from vppcfg.simulator.kind import Kind
from vppcfg.simulator.kinds import (
    acl,
    address,
    bond,
    bond_member,
    bridge,
    fib,
    gre,
    gso,
    host_interface,
    interface,
    ip6_nd,
    ipip,
    l2fib,
    l2xc,
    lacp,
    lcp,
    lcp_sync,
    lldp,
    loopback,
    memif,
    mpls,
    mss_clamp,
    neighbor,
    route,
    session,
    sflow,
    span,
    sub_interface,
    tag_rewrite,
    tap,
    unnumbered,
    urpf,
    vxlan,
    wireguard,
)

KINDS: tuple[Kind, ...] = (
    session.KIND,
    interface.KIND,
    sub_interface.KIND,
    loopback.KIND,
    fib.KIND,
    route.KIND,
    address.KIND,
    unnumbered.KIND,
    ip6_nd.KIND,
    neighbor.KIND,
    l2xc.KIND,
    bridge.KIND,
    l2fib.KIND,
    tag_rewrite.KIND,
    bond.KIND,
    bond_member.KIND,
    mpls.KIND,
    gso.KIND,
    urpf.KIND,
    mss_clamp.KIND,
    span.KIND,
    acl.KIND,
    lacp.KIND,
    lcp.KIND,
    lcp_sync.KIND,
    sflow.KIND,
    lldp.KIND,
    tap.KIND,
    host_interface.KIND,
    memif.KIND,
    vxlan.KIND,
    gre.KIND,
    ipip.KIND,
    wireguard.KIND,
)
"""In the order in which a state is loaded: what stands on other things comes after them."""
PLUGINS = frozenset(kind.plugin for kind in KINDS if kind.plugin)
"""The optional parts that can be simulated."""
