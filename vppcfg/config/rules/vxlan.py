"""Rules about VXLAN tunnels: their numbers."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.rules.index import Index
from vppcfg.config.sections.vxlan import VxlanConfig
from vppcfg.model.problem import Problem


def vxlan_vni(index: Index) -> Iterator[Problem]:
    """Find VNIs that more than one tunnel has."""
    owners: dict[int, str] = {}
    for tunnel in index.configuration.made_as(VxlanConfig).values():
        first = owners.setdefault(tunnel.vni, tunnel.name)
        if first != tunnel.name:
            text = f"{first} has the VNI {tunnel.vni} already"
            yield Problem(rule="vxlan-vni-duplicate", path=(*tunnel.path, "vni"), text=text)
