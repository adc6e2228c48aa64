"""The section `vxlan_tunnels`: the ends of unicast VXLAN tunnels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from vppcfg.config.desired import DesiredState
from vppcfg.config.sections.made_section import Plugin
from vppcfg.config.sections.section import Parsing, SectionEntry
from vppcfg.config.sections.tunnel import ASSUMED_ENDS, ETHERNET_BYTES, TunnelConfig, TunnelSection, why_not_ends
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.state import State
from vppcfg.model.tunnel import VXLAN_PORT, Vxlan
from vppcfg.record import record

MAX_VNI = 0xFFFFFF


@record
class VxlanConfig(TunnelConfig):
    """One entry below `vxlan_tunnels`."""

    vni: int
    source_port: int = VXLAN_PORT
    destination_port: int = VXLAN_PORT

    @property
    def alike(self) -> Mapping[str, object]:
        """Return the VNI."""
        return {"vni": self.vni}

    @property
    def ports(self) -> tuple[int, int]:
        """Return the UDP ports that it listens on and sends to."""
        return self.source_port, self.destination_port

    @property
    def header_bytes(self) -> int:
        """Return the bytes of UDP, VXLAN and Ethernet."""
        return 8 + 8 + ETHERNET_BYTES


class Vxlans(TunnelSection[VxlanConfig, Vxlan]):
    """The section `vxlan_tunnels`."""

    key = "vxlan_tunnels"
    word = "vxlan_tunnel"
    config = VxlanConfig
    making = Vxlan
    assumed: ClassVar = {**ASSUMED_ENDS, "vni": (MAX_VNI - 1, MAX_VNI - 2), "source-port": (1, 2)}
    plugin = Plugin(name="vxlan", reason="the file has a VXLAN tunnel", thing="a VXLAN tunnel")

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> VxlanConfig:
        """Return a tunnel with canonical ends."""
        return VxlanConfig(
            **self.parsed(entry),
            vni=entry.raw["vni"],
            source_port=entry.raw.get("source-port") or VXLAN_PORT,
            destination_port=entry.raw.get("destination-port") or VXLAN_PORT,
        )

    def making_of(self, config: VxlanConfig, before: Vxlan | None, desired: DesiredState) -> Vxlan:
        """Return the tunnel that VPP is to make."""
        return Vxlan(
            **self.ends_of(config, desired),
            vni=config.vni,
            source_port=config.source_port,
            destination_port=config.destination_port,
        )

    def why_not(self, making: Vxlan) -> str | None:
        """Return why no entry can say what a tunnel is."""
        if not making.is_plain:
            return "it is a multicast tunnel, or has a next node of its own"
        if not 1 <= making.vni <= MAX_VNI:
            return f"its VNI {making.vni} is outside of 1 to {MAX_VNI}"
        if not making.source_port or not making.destination_port:
            return "one of its ports is 0"
        return why_not_ends(making.local, making.remote)

    def restate_made(self, name: str, making: Vxlan, state: State) -> VxlanConfig:
        """Return the entry that says what a tunnel is."""
        return VxlanConfig(
            **self.restated(name, making, state),
            vni=making.vni,
            source_port=making.source_port,
            destination_port=making.destination_port,
        )

    def made_keys(self, entry: VxlanConfig) -> Iterator[KeyValue]:
        """Yield what a tunnel is made with."""
        yield from TunnelSection.made_keys(self, entry)
        yield KeyValue("vni", entry.vni)
        for key, port in (("source-port", entry.source_port), ("destination-port", entry.destination_port)):
            if port != VXLAN_PORT:
                yield KeyValue(key, port)


SECTION = Vxlans()
