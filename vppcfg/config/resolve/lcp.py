"""Linux Control Plane pairs: without a namespace of their own they are in VPP's default one."""

from __future__ import annotations

from vppcfg.config.resolve.wanted import Wanted
from vppcfg.model.lcp import LcpPair


def resolve(wanted: Wanted) -> None:
    """Enter the pair of each configured interface that has one in the file."""
    facts = wanted.observed.facts
    for name in wanted.configured:
        config = wanted.configuration.interfaces.get(name)
        if config is None or config.lcp is None:
            continue
        if wanted.has_plugin("linux_cp", "lcp-plugin-missing", (*config.path, "lcp"), f"{name} has an lcp"):
            netns = facts.lcp.default_netns if config.lcp.netns is None else config.lcp.netns
            wanted.lcps[name] = LcpPair(host_name=config.lcp.host_name, netns=netns)
