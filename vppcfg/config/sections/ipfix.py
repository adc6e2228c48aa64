"""The section `ipfix`: where records of flows are sent, and what is in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vppcfg.common.addresses import canonical_host
from vppcfg.config.configuration import Configuration, IpfixConfig
from vppcfg.config.desired import DesiredState
from vppcfg.config.sections.section import Parsing, SaidEntry, Section, Unmanaged
from vppcfg.config.yaml.text import KeyValue, indented, key_lines
from vppcfg.model.ipfix import FlowLayer, FlowParams, IpfixExporter, IpfixSettings
from vppcfg.model.state import State
from vppcfg.model.vrf import table_key

PLUGIN = "flowprobe"


class Ipfix(Section):
    """The section `ipfix`."""

    key = "ipfix"
    attribute = "ipfix"

    def parse(self, parsing: Parsing) -> IpfixConfig | None:
        """Return the settings, none when there is no such section or any of it is of a wrong shape."""
        given = parsing.content.get(self.key)
        if parsing.is_bad(self.key) or not isinstance(given, dict):
            return None
        wanted = set(given.get("records") or ())
        params = FlowParams(
            layers=tuple(layer for layer in FlowLayer if layer.value in wanted),
            **_given(given, {"active-timeout": "active_s", "passive-timeout": "passive_s"}),
        )
        collector = canonical_host(given.get("collector")) or ""
        if not collector:
            return IpfixConfig(params=params)
        exporter = IpfixExporter(
            collector=collector,
            source=canonical_host(given.get("source")) or "",
            has_udp_checksum=bool(given.get("udp-checksum")),
            **_given(given, {"port": "port", "path-mtu": "path_mtu", "template-interval": "template_interval_s"}),
        )
        return IpfixConfig(exporter=exporter, vrf=given.get("vrf"), params=params)

    def restate(self, state: State, unmanaged: Unmanaged) -> IpfixConfig | None:
        """Return the settings of VPP, nothing where no file can say them."""
        params = state.ipfix.params if state.ipfix.params.layers or state.ipfix.params.active_s else FlowParams()
        settings = replace(state.ipfix, params=params)
        table_id = settings.exporter.table_id
        table = state.vrfs.get(table_key(table_id, is_ipv6=False))
        is_sayable = not table_id or (table is not None and not table.is_unnamed and table.key not in unmanaged.vrfs)
        if settings == IpfixSettings() or not is_sayable or not params.active_s:
            return None
        vrf = table.name if table_id and table is not None else None
        return IpfixConfig(exporter=replace(settings.exporter, table_id=0), vrf=vrf, params=params)

    def said(self, configuration: Configuration) -> Iterator[SaidEntry]:
        """Yield the section itself."""
        if configuration.ipfix is not None:
            yield SaidEntry(path=(self.key,), name=self.key, keys=tuple(_keys(configuration.ipfix)))

    def lines(self, configuration: Configuration, reasons: Mapping[str, str]) -> Iterator[str]:
        """Yield the section, nothing when it says nothing."""
        lines = key_lines(_keys(configuration.ipfix)) if configuration.ipfix is not None else ()
        if lines:
            yield f"{self.key}:"
            yield from indented(lines, 1)


def _given(raw: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {attribute: raw[key] for key, attribute in names.items() if raw.get(key) is not None}


def _keys(config: IpfixConfig) -> Iterator[KeyValue]:
    exporter, usual = config.exporter, IpfixExporter()
    params, default = config.params, FlowParams()
    for key, value, by_default in (
        ("collector", exporter.collector, usual.collector),
        ("source", exporter.source, usual.source),
        ("port", exporter.port, usual.port),
        ("vrf", config.vrf or "", ""),
        ("path-mtu", exporter.path_mtu, usual.path_mtu),
        ("template-interval", exporter.template_interval_s, usual.template_interval_s),
        ("udp-checksum", exporter.has_udp_checksum, usual.has_udp_checksum),
    ):
        if value != by_default or key not in ("collector", "source", "vrf"):
            yield KeyValue(key, value, is_default=value == by_default)
    yield KeyValue("records", [layer.value for layer in params.layers], is_default=not params.layers)
    yield KeyValue("active-timeout", params.active_s, is_default=params.active_s == default.active_s)
    yield KeyValue("passive-timeout", params.passive_s, is_default=params.passive_s == default.passive_s)


SECTION = Ipfix()


def resolve(desired: DesiredState) -> None:
    """Set what the file says; nothing is recorded, and sent nowhere, where it says nothing.

    An exporter that flow records do not use stays when its FIB table does and is not the file's, which cannot name it.
    """
    config, observed = desired.configuration.ipfix, desired.observed.ipfix
    if config is None and not observed.params.layers and _is_in_table_of_others(desired):
        desired.ipfix = observed
        return
    config = config or IpfixConfig()
    vrf = desired.configuration.vrfs.get(config.vrf) if config.vrf is not None else None
    exporter = config.exporter if vrf is None else replace(config.exporter, table_id=vrf.table_id)
    desired.ipfix = IpfixSettings(exporter=exporter, params=_params(config.params, desired))


def _is_in_table_of_others(desired: DesiredState) -> bool:
    """Return whether the exporter is in a FIB table that stays, and that is no VRF of the file."""
    table_id = desired.observed.ipfix.exporter.table_id
    if not table_id or table_key(table_id, is_ipv6=False) not in desired.vrfs:
        return False
    return all(each.table_id != table_id or not each.has_ipv4 for each in desired.configuration.vrfs.values())


def _params(wanted: FlowParams, desired: DesiredState) -> FlowParams:
    """Return what is to be recorded, as it is where it cannot be changed, or is a timer of what nobody records."""
    observed, path = desired.observed.ipfix.params, (SECTION.key,)
    if not wanted.layers and not observed.layers and not observed.active_s:
        return observed
    if wanted == observed or not desired.has_plugin(PLUGIN, path, "the file says what is recorded of flows"):
        return observed
    if not observed.active_s and observed.layers:
        text = (
            "VPP tells of packets, not flows (its active timer is 0), and has no memory for flows then; "
            "restart VPP before it records any"
        )
        desired.problem("ipfix-stateless", path, text)
        return observed
    others = [name for name, each in desired.interfaces.items() if each.flow_records and name not in desired.configured]
    if others:
        text = f"flows of {others[0]}, which is not managed, are recorded; VPP changes nothing of records meanwhile"
        desired.problem("ipfix-frozen", path, text)
        return observed
    return wanted
