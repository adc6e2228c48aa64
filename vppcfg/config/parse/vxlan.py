"""One entry of `vxlan_tunnels`, of the right shape, as a VxlanConfig."""

from __future__ import annotations

from vppcfg.common.addresses import canonical_host
from vppcfg.config.names import MAX_INSTANCE, is_vxlan_name
from vppcfg.config.parse.entries import Entry, Naming
from vppcfg.model.configuration import VxlanConfig

NAMING = Naming(
    section="vxlan_tunnels",
    is_name=is_vxlan_name,
    rule="vxlan-id",
    wanted=f"a tunnel is called vxlan_tunnel0 to vxlan_tunnel{MAX_INSTANCE}",
)


def parse_vxlan(entry: Entry) -> VxlanConfig:
    """Parse a tunnel."""
    local, remote = canonical_host(entry.raw["local"]), canonical_host(entry.raw["remote"])
    assert local is not None and remote is not None
    return VxlanConfig(
        name=entry.name,
        path=entry.path,
        local=local,
        remote=remote,
        vni=entry.raw["vni"],
        description=entry.raw.get("description") or None,
    )
