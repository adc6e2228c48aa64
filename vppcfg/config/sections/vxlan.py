"""The section `vxlan_tunnels`: the ends of unicast VXLAN tunnels."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.addresses import canonical_host, is_unicast
from vppcfg.config.configuration import MadeConfig
from vppcfg.config.names import MAX_INSTANCE
from vppcfg.config.sections.made_section import MadeSection, Plugin
from vppcfg.config.sections.section import Parsing, SectionEntry
from vppcfg.config.yaml.text import scalar
from vppcfg.model.state import State
from vppcfg.model.vxlan import Vxlan
from vppcfg.record import record

MAX_VNI = 0xFFFFFF


@record
class VxlanConfig(MadeConfig):
    """One entry below `vxlan_tunnels`."""

    local: str
    remote: str
    vni: int


class Vxlans(MadeSection[VxlanConfig, Vxlan]):
    """The section `vxlan_tunnels`."""

    key = "vxlan_tunnels"
    word = "vxlan_tunnel"
    last = MAX_INSTANCE
    thing = "tunnel"
    config = VxlanConfig
    making = Vxlan
    plugin = Plugin(name="vxlan", reason="the file has a VXLAN tunnel", thing="a VXLAN tunnel")

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> VxlanConfig:
        """Return a tunnel with canonical ends."""
        local, remote = canonical_host(entry.raw["local"]), canonical_host(entry.raw["remote"])
        assert local is not None and remote is not None
        return VxlanConfig(
            name=entry.name,
            path=entry.path,
            local=local,
            remote=remote,
            vni=entry.raw["vni"],
            description=entry.description,
        )

    def making_of(self, config: VxlanConfig, before: Vxlan | None, observed: State) -> Vxlan:
        """Return the tunnel that VPP is to make."""
        return Vxlan(local=config.local, remote=config.remote, vni=config.vni)

    def why_not(self, making: Vxlan) -> str | None:
        """Return why no entry can say what a tunnel is."""
        if not making.is_plain:
            return "it is a multicast tunnel, or has ports, a FIB table or a next node of its own"
        if not 1 <= making.vni <= MAX_VNI:
            return f"its VNI {making.vni} is outside of 1 to {MAX_VNI}"
        if not all(canonical_host(end) == end and is_unicast(end) for end in (making.local, making.remote)):
            return "one of its ends is no address of a host"
        return None

    def may_remove(self, making: Vxlan) -> bool:
        """Return whether the file could name the tunnel."""
        return making.is_plain

    def restate_made(self, name: str, making: Vxlan, state: State) -> VxlanConfig:
        """Return the entry that says what a tunnel is."""
        path = (self.key, name)
        return VxlanConfig(name=name, path=path, local=making.local, remote=making.remote, vni=making.vni)

    def made_lines(self, entry: VxlanConfig) -> Iterator[str]:
        """Yield the lines of a tunnel."""
        yield f"local: {scalar(entry.local)}"
        yield f"remote: {scalar(entry.remote)}"
        yield f"vni: {entry.vni}"


SECTION = Vxlans()
