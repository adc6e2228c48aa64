"""The section `gre_tunnels`: GRE tunnels to one other router each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from vppcfg.common.release import Release
from vppcfg.config.desired import DesiredState
from vppcfg.config.names import MAX_INSTANCE
from vppcfg.config.sections.made_section import MadeSection, Part, Plugin
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
from vppcfg.model.gre import Gre, GreMode
from vppcfg.model.state import State
from vppcfg.record import record

MAX_SESSION = 1023
"""Ten bits of the header of ERSPAN (plugins/gre/gre.h, GTK_SESSION_ID_MAX)."""


@record
class GreConfig(TunnelConfig):
    """One entry below `gre_tunnels`."""

    mode: GreMode = GreMode.L3
    session: int | None = None
    key: int | None = None


class Gres(MadeSection[GreConfig, Gre]):
    """The section `gre_tunnels`."""

    key = "gre_tunnels"
    word = "gre"
    last = MAX_INSTANCE
    thing = "tunnel"
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
        local, remote = parse_ends(entry)
        return GreConfig(
            name=entry.name,
            path=entry.path,
            local=local,
            remote=remote,
            mode=GreMode(entry.raw.get("mode") or GreMode.L3.value),
            session=entry.raw.get("session"),
            key=entry.raw.get("key"),
            encap_vrf=entry.raw.get("encap-vrf"),
            description=entry.description,
        )

    def making_of(self, config: GreConfig, before: Gre | None, desired: DesiredState) -> Gre:
        """Return the tunnel that VPP is to make."""
        return Gre(
            local=config.local,
            remote=config.remote,
            mode=config.mode,
            session=config.session or 0,
            key=config.key or 0,
            encap_vrf=outer_table(config, desired),
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

    def may_remove(self, making: Gre) -> bool:
        """Return whether the file could name the tunnel."""
        return making.is_plain

    def restate_made(self, name: str, making: Gre, state: State) -> GreConfig:
        """Return the entry that says what a tunnel is."""
        return GreConfig(
            name=name,
            path=(self.key, name),
            local=making.local,
            remote=making.remote,
            mode=making.mode,
            session=making.session if making.mode is GreMode.ERSPAN else None,
            key=making.key or None,
            encap_vrf=encap_vrf_of(making.encap_vrf, is_ipv6=":" in making.local, state=state),
        )

    def made_keys(self, entry: GreConfig) -> Iterator[KeyValue]:
        """Yield what a tunnel is made with."""
        yield from end_keys(entry)
        yield KeyValue("mode", entry.mode.value, is_default=entry.mode is GreMode.L3)
        if entry.session is not None:
            yield KeyValue("session", entry.session)
        if entry.key is not None:
            yield KeyValue("key", entry.key)


SECTION = Gres()
