"""The section `ipip_tunnels`: IP packets inside of IP packets, to one other router each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from vppcfg.common.numbers import DSCP_NAMES, LAST_DSCP
from vppcfg.common.release import Release
from vppcfg.config.desired import DesiredState
from vppcfg.config.sections.made_section import Plugin
from vppcfg.config.sections.section import Parsing, SectionEntry
from vppcfg.config.sections.tunnel import ASSUMED_ENDS, TunnelConfig, TunnelSection, why_not_ends
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.state import State
from vppcfg.model.tunnel import FLAGS, Ipip, flag_words
from vppcfg.record import record

_NAMES = {value: name for name, value in DSCP_NAMES.items()}


@record
class IpipConfig(TunnelConfig):
    """One entry below `ipip_tunnels`."""

    dscp: int = 0
    flags: tuple[str, ...] = ()

    @property
    def has_ethernet(self) -> bool:
        """Return that it carries packets, without Ethernet."""
        return False


class Ipips(TunnelSection[IpipConfig, Ipip]):
    """The section `ipip_tunnels`."""

    key = "ipip_tunnels"
    word = "ipip"
    config = IpipConfig
    making = Ipip
    assumed: ClassVar = {**ASSUMED_ENDS, "dscp": (0, 46), "flags": ((), ("encap-copy-ecn",))}
    plugin = Plugin(name="ipip", reason="the file has an IPIP tunnel", thing="an IPIP tunnel", since=Release(26, 10))

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> IpipConfig:
        """Return a tunnel with canonical ends, and its DSCP as a number."""
        dscp = entry.raw.get("dscp") or 0
        flags = frozenset(entry.raw.get("flags") or ())
        return IpipConfig(
            **self.parsed(entry),
            dscp=dscp if isinstance(dscp, int) else DSCP_NAMES[dscp],
            flags=tuple(word for word in FLAGS if word in flags),
        )

    def making_of(self, config: IpipConfig, before: Ipip | None, desired: DesiredState) -> Ipip:
        """Return the tunnel that VPP is to make."""
        flags = sum(1 << FLAGS.index(word) for word in config.flags)
        return Ipip(**self.ends_of(config, desired), dscp=config.dscp, flags=flags)

    def why_not(self, making: Ipip) -> str | None:
        """Return why no entry can say what a tunnel is."""
        if not making.is_plain:
            return "it has more than one other end"
        if making.dscp > LAST_DSCP:
            return f"its DSCP {making.dscp} is above {LAST_DSCP}"
        return why_not_ends(making.local, making.remote)

    def restate_made(self, name: str, making: Ipip, state: State) -> IpipConfig:
        """Return the entry that says what a tunnel is."""
        return IpipConfig(**self.restated(name, making, state), dscp=making.dscp, flags=flag_words(making.flags))

    def made_keys(self, entry: IpipConfig) -> Iterator[KeyValue]:
        """Yield what a tunnel is made with."""
        yield from TunnelSection.made_keys(self, entry)
        dscp = _NAMES.get(entry.dscp, entry.dscp) if entry.dscp else 0
        yield KeyValue("dscp", dscp, is_default=not entry.dscp)
        yield KeyValue("flags", list(entry.flags), is_default=not entry.flags)


SECTION = Ipips()
