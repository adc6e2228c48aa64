"""The section `gre_tunnels`: GRE tunnels to one other router each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from vppcfg.common.release import Release
from vppcfg.config.desired import DesiredState
from vppcfg.config.sections.made_section import Part, Plugin
from vppcfg.config.sections.section import Parsing, SectionEntry
from vppcfg.config.sections.tunnel import ASSUMED_ENDS, ETHERNET_BYTES, TunnelConfig, TunnelSection, why_not_ends
from vppcfg.config.yaml.text import KeyValue
from vppcfg.model.state import State
from vppcfg.model.tunnel import Gre, GreMode
from vppcfg.record import record

MAX_SESSION = 1023
"""Ten bits of the header of ERSPAN (plugins/gre/gre.h, GTK_SESSION_ID_MAX)."""


@record
class GreConfig(TunnelConfig):
    """One entry below `gre_tunnels`."""

    mode: GreMode = GreMode.L3
    session: int | None = None
    key: int | None = None

    @property
    def alike(self) -> Mapping[str, object]:
        """Return what packets are told apart by."""
        return {"mode": self.mode.value, "key": self.key, "session": self.session}

    @property
    def header_bytes(self) -> int:
        """Return the bytes of GRE with its key, and of Ethernet; of ERSPAN, a sequence number and its own."""
        if self.mode is GreMode.ERSPAN:
            return 4 + 4 + 8 + ETHERNET_BYTES
        return 4 + (4 if self.key is not None else 0) + (ETHERNET_BYTES if self.has_ethernet else 0)

    @property
    def has_ethernet(self) -> bool:
        """Return whether it carries frames."""
        return self.mode is not GreMode.L3


class Gres(TunnelSection[GreConfig, Gre]):
    """The section `gre_tunnels`."""

    key = "gre_tunnels"
    word = "gre"
    ethernet_hint = "; `mode: teb` can"
    config = GreConfig
    making = Gre
    assumed: ClassVar = {**ASSUMED_ENDS, "mode": ("l3", "erspan"), "session": (1, 2), "key": (1, 2)}
    plugin = Plugin(name="gre", reason="the file has a GRE tunnel", thing="a GRE tunnel")
    parts = (
        Part(
            name="gre_key",
            thing="has a key",
            since=Release(25, 10),
            is_needed_by=lambda tunnel: tunnel.key is not None,
        ),
    )

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> GreConfig:
        """Return a tunnel with canonical ends."""
        return GreConfig(
            **self.parsed(entry),
            mode=GreMode(entry.raw.get("mode") or GreMode.L3.value),
            session=entry.raw.get("session"),
            key=entry.raw.get("key"),
        )

    def making_of(self, config: GreConfig, before: Gre | None, desired: DesiredState) -> Gre:
        """Return the tunnel that VPP is to make."""
        return Gre(
            **self.ends_of(config, desired),
            mode=config.mode,
            session=config.session or 0,
            key=config.key or 0,
        )

    def why_not(self, making: Gre) -> str | None:
        """Return why no entry can say what a tunnel is."""
        if not making.is_plain:
            return "it has more than one other end, or flags of its own"
        if making.session and making.mode is not GreMode.ERSPAN:
            return "it has a session without being an ERSPAN tunnel"
        if making.session > MAX_SESSION:
            return f"its session {making.session} is above {MAX_SESSION}"
        if making.key and making.mode is GreMode.ERSPAN:
            return "it is an ERSPAN tunnel with a key"
        return why_not_ends(making.local, making.remote)

    def restate_made(self, name: str, making: Gre, state: State) -> GreConfig:
        """Return the entry that says what a tunnel is."""
        return GreConfig(
            **self.restated(name, making, state),
            mode=making.mode,
            session=making.session if making.mode is GreMode.ERSPAN else None,
            key=making.key or None,
        )

    def made_keys(self, entry: GreConfig) -> Iterator[KeyValue]:
        """Yield what a tunnel is made with."""
        yield from TunnelSection.made_keys(self, entry)
        yield KeyValue("mode", entry.mode.value, is_default=entry.mode is GreMode.L3)
        if entry.session is not None:
            yield KeyValue("session", entry.session)
        if entry.key is not None:
            yield KeyValue("key", entry.key)


SECTION = Gres()
