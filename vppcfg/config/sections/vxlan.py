"""The section `vxlan_tunnels`: the ends of unicast VXLAN tunnels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from vppcfg.config.desired import DesiredState
from vppcfg.config.names import MAX_INSTANCE
from vppcfg.config.sections.made_section import MadeSection, Plugin
from vppcfg.config.sections.section import Parsing, SectionEntry
from vppcfg.config.sections.tunnel import (
    ASSUMED_ENDS,
    TunnelConfig,
    end_keys,
    outer_table,
    parse_ends,
    why_not_ends,
)
from vppcfg.config.sections.vrf import encap_vrf_of
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.state import State
from vppcfg.model.vxlan import Vxlan
from vppcfg.record import record

MAX_VNI = 0xFFFFFF


@record
class VxlanConfig(TunnelConfig):
    """One entry below `vxlan_tunnels`."""

    vni: int


class Vxlans(MadeSection[VxlanConfig, Vxlan]):
    """The section `vxlan_tunnels`."""

    key = "vxlan_tunnels"
    word = "vxlan_tunnel"
    last = MAX_INSTANCE
    thing = "tunnel"
    config = VxlanConfig
    making = Vxlan
    assumed: ClassVar = {**ASSUMED_ENDS, "vni": (MAX_VNI - 1, MAX_VNI - 2)}
    plugin = Plugin(name="vxlan", reason="the file has a VXLAN tunnel", thing="a VXLAN tunnel")

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> VxlanConfig:
        """Return a tunnel with canonical ends."""
        local, remote = parse_ends(entry)
        return VxlanConfig(
            name=entry.name,
            path=entry.path,
            local=local,
            remote=remote,
            vni=entry.raw["vni"],
            encap_vrf=entry.raw.get("encap-vrf"),
            description=entry.description,
        )

    def making_of(self, config: VxlanConfig, before: Vxlan | None, desired: DesiredState) -> Vxlan:
        """Return the tunnel that VPP is to make."""
        return Vxlan(local=config.local, remote=config.remote, vni=config.vni, encap_vrf=outer_table(config, desired))

    def why_not(self, making: Vxlan) -> str | None:
        """Return why no entry can say what a tunnel is."""
        if not making.is_plain:
            return "it is a multicast tunnel, or has ports or a next node of its own"
        if not 1 <= making.vni <= MAX_VNI:
            return f"its VNI {making.vni} is outside of 1 to {MAX_VNI}"
        return why_not_ends(making.local, making.remote)

    def may_remove(self, making: Vxlan) -> bool:
        """Return whether the file could name the tunnel."""
        return making.is_plain

    def restate_made(self, name: str, making: Vxlan, state: State) -> VxlanConfig:
        """Return the entry that says what a tunnel is."""
        return VxlanConfig(
            name=name,
            path=(self.key, name),
            local=making.local,
            remote=making.remote,
            vni=making.vni,
            encap_vrf=encap_vrf_of(making.encap_vrf, is_ipv6=":" in making.local, state=state),
        )

    def made_keys(self, entry: VxlanConfig) -> Iterator[KeyValue]:
        """Yield what a tunnel is made with."""
        yield from end_keys(entry)
        yield KeyValue("vni", entry.vni)


SECTION = Vxlans()
