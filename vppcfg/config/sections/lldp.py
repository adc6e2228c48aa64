"""The section `lldp`: what all ports that speak LLDP have alike. What it does not say stays as it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vppcfg.config.configuration import Configuration
from vppcfg.config.desired import DesiredState
from vppcfg.config.interface_features import is_lldp_text
from vppcfg.config.sections.section import Parsing, SaidEntry, Section, Unmanaged
from vppcfg.config.yaml.text import KeyValue, indented, key_lines
from vppcfg.model.state import LldpSettings, State


class LldpSection(Section):
    """The section `lldp`."""

    key = "lldp"
    attribute = "lldp"

    def parse(self, parsing: Parsing) -> LldpSettings:
        """Return the settings, none when any of the section is of a wrong shape."""
        given: Mapping[str, Any] = {} if parsing.is_bad(self.key) else parsing.content.get(self.key) or {}
        return LldpSettings(
            system_name=given.get("system-name") or None, hold=given.get("hold"), interval_s=given.get("interval")
        )

    def restate(self, state: State, unmanaged: Unmanaged) -> LldpSettings:
        """Return the settings of VPP, without a name that no file can say."""
        name = state.lldp.system_name or ""
        is_sayable = is_lldp_text(name) and not set("'\"") & set(name)
        return state.lldp if is_sayable else replace(state.lldp, system_name=None)

    def said(self, configuration: Configuration) -> Iterator[SaidEntry]:
        """Yield the section itself."""
        yield SaidEntry(path=(self.key,), name=self.key, keys=tuple(_keys(configuration.lldp)))

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the section, nothing when it says nothing."""
        lines = key_lines(_keys(configuration.lldp))
        if lines:
            yield f"{self.key}:"
            yield from indented(lines, 1)


def _keys(lldp: LldpSettings) -> Iterator[KeyValue]:
    for key, value in (("system-name", lldp.system_name), ("hold", lldp.hold), ("interval", lldp.interval_s)):
        if value is not None:
            yield KeyValue(key, value)


SECTION = LldpSection()


def resolve(desired: DesiredState) -> None:
    """Set what the file says, where a port speaks LLDP: VPP tells it of these alone, and it does nothing otherwise."""
    if any(interface.lldp is not None for interface in desired.interfaces.values()):
        desired.lldp = desired.configuration.lldp
