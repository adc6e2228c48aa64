"""The section `sflow`: how packets are sampled, in the values that VPP keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vppcfg.common.release import Release
from vppcfg.config.configuration import Configuration
from vppcfg.config.desired import DesiredState
from vppcfg.config.sections.section import Parsing, SaidEntry, Section, Unmanaged
from vppcfg.config.yaml.text import KeyValue, indented, key_lines
from vppcfg.model.state import SflowSettings, State

PLUGIN = "sflow"
PLUGIN_SINCE = Release(25, 2)
_STEP, _LEAST, _MOST = 32, 64, 256
"""Of the header bytes: VPP rounds up to whole steps, within bounds (plugins/sflow/sflow.c, sflow_header_bytes)."""


class Sflow(Section):
    """The section `sflow`."""

    key = "sflow"
    attribute = "sflow"

    def parse(self, parsing: Parsing) -> SflowSettings:
        """Return the settings, those by default when any of the section is of a wrong shape."""
        given: Mapping[str, Any] = {} if parsing.is_bad(self.key) else parsing.content.get(self.key) or {}
        default = SflowSettings()
        rate, interval, header = (given.get(key) for key in ("sampling-rate", "polling-interval", "header-bytes"))
        return SflowSettings(
            sampling_rate=default.sampling_rate if rate is None else rate,
            polling_interval_s=default.polling_interval_s if interval is None else interval,
            header_bytes=default.header_bytes if header is None else max(_LEAST, _whole_steps(header)),
        )

    def restate(self, state: State, unmanaged: Unmanaged) -> SflowSettings:
        """Return the settings of VPP."""
        return state.sflow

    def said(self, configuration: Configuration) -> Iterator[SaidEntry]:
        """Yield the section itself."""
        yield SaidEntry(path=(self.key,), name=self.key, keys=tuple(_keys(configuration.sflow)))

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the section, nothing when all is as by default."""
        lines = key_lines(_keys(configuration.sflow))
        if lines:
            yield f"{self.key}:"
            yield from indented(lines, 1)


def _keys(sflow: SflowSettings) -> Iterator[KeyValue]:
    default = SflowSettings()
    for key, value, usual in (
        ("sampling-rate", sflow.sampling_rate, default.sampling_rate),
        ("polling-interval", sflow.polling_interval_s, default.polling_interval_s),
        ("header-bytes", sflow.header_bytes, default.header_bytes),
    ):
        yield KeyValue(key, value, is_default=value == usual)


SECTION = Sflow()


def resolve(desired: DesiredState) -> None:
    """Set what the file says of sFlow; a VPP without the plugin is left alone unless the file needs it."""
    settings = desired.configuration.sflow
    if PLUGIN in desired.observed.facts.plugins:
        header_bytes = min(max(_whole_steps(settings.header_bytes), _LEAST), _MOST)
        desired.sflow = replace(settings, header_bytes=header_bytes)
    elif settings != SflowSettings():
        desired.has_plugin(PLUGIN, (SECTION.key,), "the file sets up sFlow", since=PLUGIN_SINCE)


def _whole_steps(header_bytes: int) -> int:
    return -(-header_bytes // _STEP) * _STEP
