"""Rules about VXLAN tunnels: their ends and their numbers."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.rules.index import Index
from vppcfg.config.sections.vxlan import VxlanConfig
from vppcfg.model.problem import Problem, Severity


def vxlan_ends(index: Index) -> Iterator[Problem]:
    """Find tunnels whose ends do not go together."""
    for tunnel in index.configuration.made_as(VxlanConfig).values():
        if (":" in tunnel.local) != (":" in tunnel.remote):
            text = f"{tunnel.local} and {tunnel.remote} are of different families; take two of one"
            yield Problem(rule="vxlan-family", path=(*tunnel.path, "remote"), text=text)
        elif tunnel.local == tunnel.remote:
            text = f"the tunnel ends where it begins, at {tunnel.local}"
            yield Problem(rule="vxlan-self", path=(*tunnel.path, "remote"), text=text)


def vxlan_vni(index: Index) -> Iterator[Problem]:
    """Find VNIs that more than one tunnel has."""
    owners: dict[int, str] = {}
    for tunnel in index.configuration.made_as(VxlanConfig).values():
        first = owners.setdefault(tunnel.vni, tunnel.name)
        if first != tunnel.name:
            text = f"{first} has the VNI {tunnel.vni} already"
            yield Problem(rule="vxlan-vni-duplicate", path=(*tunnel.path, "vni"), text=text)


def vxlan_alone(index: Index) -> Iterator[Problem]:
    """Find tunnels of which nothing but their ends is said."""
    for tunnel in index.configuration.made_as(VxlanConfig).values():
        if not index.has(tunnel.name):
            text = f"{tunnel.name} is made and then left as it is; say its MTU and state below `interfaces`"
            yield Problem(rule="vxlan-no-interface", path=tunnel.path, text=text, severity=Severity.WARNING)
