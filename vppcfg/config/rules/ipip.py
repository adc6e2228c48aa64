"""Rules about IPIP tunnels: what tells them apart, and which flags go together."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.rules.index import Index
from vppcfg.config.sections.ipip import IpipConfig
from vppcfg.model.problem import Problem


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
