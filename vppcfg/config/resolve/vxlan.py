"""VXLAN tunnels."""

from __future__ import annotations

from vppcfg.config.resolve.wanted import Wanted
from vppcfg.model.vxlan import Vxlan


def resolve(wanted: Wanted) -> None:
    """Enter the tunnels of the file that are not somebody else's."""
    for name, config in wanted.configuration.vxlans.items():
        if name in wanted.interfaces:
            continue
        if wanted.has_plugin("vxlan", "plugin-missing", config.path, f"{name} is a VXLAN tunnel"):
            wanted.made[name] = Vxlan(local=config.local, remote=config.remote, vni=config.vni)
