"""Rules about GRE and IPIP tunnels."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.rules.index import Index
from vppcfg.config.sections.gre import GreConfig
from vppcfg.config.sections.ipip import IpipConfig
from vppcfg.model.problem import Problem
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
