"""The section `ipfix`: where records of flows are sent, and what is in them (vnet/ipfix-export, plugins/flowprobe).

VPP may have more exporters, which flowprobe does not use; vppcfg does not touch them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from ipaddress import IPv4Address
from typing import Any

from vppcfg.common.addresses import canonical_host
from vppcfg.engine.kind import Kind
from vppcfg.entries.configuration import Configuration, IpfixConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.index import Index
from vppcfg.entries.section import NamedReference, Parsing, SettingsSection, Unmanaged
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.ipfix import GONE_TABLE, FlowLayer, FlowParams, IpfixExporter, IpfixSettings
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Referent
from vppcfg.model.vrf import LAST_TYPED, table_key
from vppcfg.operations.change import Change, ObjectKind, attribute_changes, setting_changes
from vppcfg.operations.operation import Operation, missing_table
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_KEY = "ipfix"
_PLUGIN = "flowprobe"
_EXPORTER, _PARAMS = "ipfix_exporter_dump", "flowprobe_get_params"
_LAYERS = {FlowLayer.L2: 1, FlowLayer.L3: 2, FlowLayer.L4: 4}
_NO_TABLE = 0xFFFFFFFF
"""Of the FIB table: the default one."""
_ENDS = ("collector_address.un", "src_address.un")
_DETAILS = (*_ENDS, "collector_port", "vrf_id", "path_mtu", "template_interval", "udp_checksum")


@record
class IpfixOperation(Operation):
    """An operation on what all recorded interfaces share."""

    @property
    def subject(self) -> str:
        return "ipfix"


@record
class SetFlowParams(IpfixOperation):
    """flowprobe_set_params: set what is recorded of flows, while no interface is recorded."""

    params: FlowParams

    def _refusal(self, working: WorkingState) -> str | None:
        recorded = sorted(name for name in working.recorded if name in working.interfaces)
        return f"flows of {recorded[0]} are recorded" if recorded else None

    def apply_to(self, working: WorkingState) -> None:
        working.ipfix = replace(working.ipfix, params=self.params)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        params = self.params
        values: dict[str, Value] = {
            "record_flags": sum(_LAYERS[layer] for layer in params.layers),
            "active_timer": params.active_s,
            "passive_timer": params.passive_s,
        }
        return Request("flowprobe_set_params", values)

    def cli(self) -> str:
        params = self.params
        layers = "".join(f" {layer.value}" for layer in params.layers)
        return f"flowprobe params record{layers} active {params.active_s} passive {params.passive_s}"


@record
class SetIpfixExporter(IpfixOperation):
    """set_ipfix_exporter: send records somewhere, or nowhere. It does not hold its FIB table."""

    exporter: IpfixExporter

    def _refusal(self, working: WorkingState) -> str | None:
        table_id = self.exporter.table_id
        return missing_table(table_key(table_id, is_ipv6=False), working) if table_id else None

    def apply_to(self, working: WorkingState) -> None:
        working.ipfix = replace(working.ipfix, exporter=self.exporter)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        exporter = self.exporter
        ends = (_packed(exporter.collector), _packed(exporter.source))
        values: dict[str, Value] = {
            **dict(zip(_ENDS, ends, strict=True)),
            "collector_port": exporter.port,
            "vrf_id": exporter.table_id or _NO_TABLE,
            "path_mtu": exporter.path_mtu,
            "template_interval": exporter.template_interval_s,
            "udp_checksum": int(exporter.has_udp_checksum),
        }
        return Request("set_ipfix_exporter", values)

    def cli(self) -> str | None:
        exporter = self.exporter
        if not exporter.collector:
            return "set ipfix exporter"
        if exporter.table_id > LAST_TYPED:
            return None
        words = [f"set ipfix exporter collector {exporter.collector} port {exporter.port} src {exporter.source}"]
        words += [f"fib-id {exporter.table_id}"] if exporter.table_id else []
        words.append(f"path-mtu {exporter.path_mtu} template-interval {exporter.template_interval_s}")
        return " ".join([*words, "udp-checksum"] if exporter.has_udp_checksum else words)


def _packed(address: str) -> bytes:
    return IPv4Address(address or "0.0.0.0").packed.ljust(16, b"\0")


def ipfix_settings(index: Index) -> Iterator[Problem]:
    """Find what the section `ipfix` lacks, and timers that VPP refuses."""
    config = index.configuration.ipfix or IpfixConfig()
    exporter, params = config.exporter, config.params
    for key, address in (("collector", exporter.collector), ("source", exporter.source)):
        if address and (":" in address or not int(IPv4Address(address))):
            text = f"{address} is not possible: the exporter of flow records speaks IPv4, to one host"
            yield Problem(rule="ipfix-address", path=(_KEY, key), text=text)
    if exporter.collector and not exporter.source:
        text = "records need a source address; add `source`"
        yield Problem(rule="ipfix-source", path=(_KEY, "collector"), text=text)
    if params.passive_s and params.active_s > params.passive_s:
        text = f"a flow would be forgotten after {params.passive_s} s, before it is reported after {params.active_s} s"
        yield Problem(rule="ipfix-timeouts", path=(_KEY, "active-timeout"), text=text)


class Ipfix(Kind, SettingsSection):
    """The section `ipfix`, and the settings in VPP."""

    key = _KEY
    attribute = "ipfix"
    operations = (SetFlowParams, SetIpfixExporter)
    rules = (ipfix_settings,)
    api_module = "ipfix_export"

    def parse(self, parsing: Parsing) -> IpfixConfig | None:
        """Return the settings, none when there is no such section or any of it is of a wrong shape."""
        given = parsing.content.get(self.key)
        if parsing.is_bad(self.key) or not isinstance(given, dict):
            return None
        desired_params = set(given.get("records") or ())
        params = FlowParams(
            layers=tuple(layer for layer in FlowLayer if layer.value in desired_params),
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

    def from_state(self, state: State, unmanaged: Unmanaged) -> IpfixConfig | None:
        """Return the settings of VPP, nothing where no file can express them."""
        params = state.ipfix.params if state.ipfix.params.layers or state.ipfix.params.active_s else FlowParams()
        settings = replace(state.ipfix, params=params)
        table_id = settings.exporter.table_id
        table = state.vrfs.get(table_key(table_id, is_ipv6=False))
        is_sayable = not table_id or (
            table is not None and not table.is_unnamed and table.key not in unmanaged.of("vrfs")
        )
        if settings == IpfixSettings() or not is_sayable or not params.active_s:
            return None
        vrf = table.name if table_id and table is not None else None
        return IpfixConfig(exporter=replace(settings.exporter, table_id=0), vrf=vrf, params=params)

    def setting_keys(self, config: IpfixConfig) -> Iterator[KeyValue]:
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

    def resolve_settings(self, desired: DesiredStateBuilder) -> None:
        """Set what the file has; nothing is recorded, and sent nowhere, where it has nothing.

        Without the section both stay while an unmanaged interface is recorded. An exporter that flow records do not
        use stays with its FIB table where that is not the file's, which cannot name it.
        """
        config, observed = desired.configuration.ipfix, desired.observed.ipfix
        if config is None and (
            _recorded_of_others(desired) or (not observed.params.layers and _is_in_table_of_others(desired))
        ):
            desired.ipfix = observed
            return
        config = config or IpfixConfig()
        vrf = desired.configuration.vrfs.get(config.vrf) if config.vrf is not None else None
        exporter = config.exporter if vrf is None else replace(config.exporter, table_id=vrf.table_id)
        desired.ipfix = IpfixSettings(exporter=exporter, params=_params(config.params, desired))

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for the exporter and for what is recorded, where VPP takes them."""
        return [connection.request(name)[1] for name in (_EXPORTER, _PARAMS) if connection.offers(name)]

    def read_settings(
        self, connection: VppReader, replies: Replies, tables: Collection[str], version: str
    ) -> dict[str, Any]:
        """Return the exporter, none of a VPP that sends nothing, and what is recorded; `tables` are the FIB tables."""
        exporter, params = IpfixExporter(), FlowParams()
        if connection.offers(_EXPORTER):
            for collector, source, port, table_id, mtu, interval, checksum in connection.rows(
                replies, "ipfix_exporter_details", *_DETAILS
            ):
                if any(collector[:4]):
                    exporter = IpfixExporter(
                        collector=str(IPv4Address(collector[:4])),
                        source=str(IPv4Address(source[:4])),
                        port=port,
                        table_id=_table(table_id, tables),
                        path_mtu=mtu,
                        template_interval_s=interval,
                        has_udp_checksum=bool(checksum),
                    )
        if connection.offers(_PARAMS):
            for flags, active, passive in connection.rows(
                replies, "flowprobe_get_params_reply", "record_flags", "active_timer", "passive_timer"
            ):
                layers = tuple(layer for layer, bit in _LAYERS.items() if flags & bit)
                params = FlowParams(layers=layers, active_s=active, passive_s=passive)
        return {"ipfix": IpfixSettings(exporter=exporter, params=params)}

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        before, after = observed.ipfix, desired.ipfix
        attributes = attribute_changes(before.exporter, after.exporter)
        attributes += attribute_changes(before.params, after.params)
        return setting_changes(ObjectKind.IPFIX, before, after, attributes)

    def references(self, configuration: Configuration) -> Iterator[NamedReference]:
        vrf = configuration.ipfix.vrf if configuration.ipfix is not None else None
        if vrf is not None:
            yield NamedReference(Referent.TABLE, vrf, (self.key, "vrf"))

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that set the exporter and what is recorded.

        An exporter in a FIB table that goes is turned off before: VPP would look its collector up in the next table.
        """
        before, after = transition.observed.ipfix, transition.desired.ipfix
        table_id = before.exporter.table_id
        is_left = bool(table_id) and table_key(table_id, is_ipv6=False) in transition.deleted_tables
        if is_left:
            yield Step(stage=Stage.TURN_OFF, operation=SetIpfixExporter(exporter=IpfixExporter()))
        if after.exporter != (IpfixExporter() if is_left else before.exporter):
            yield Step(stage=Stage.SET_IPFIX, operation=SetIpfixExporter(exporter=after.exporter))
        if transition.has_other_flow_params:
            yield Step(stage=Stage.SET_IPFIX, operation=SetFlowParams(params=after.params))


def _given(raw: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {attribute: raw[key] for key, attribute in names.items() if raw.get(key) is not None}


def _recorded_of_others(desired: DesiredStateBuilder) -> list[str]:
    """Return the unmanaged interfaces of which VPP records flows."""
    return [name for name, each in desired.interfaces.items() if each.flow_records and name not in desired.configured]


def _is_in_table_of_others(desired: DesiredStateBuilder) -> bool:
    """Return whether the exporter is in a FIB table that stays, and that is no VRF of the file."""
    table_id = desired.observed.ipfix.exporter.table_id
    if not table_id or table_key(table_id, is_ipv6=False) not in desired.vrfs:
        return False
    return all(each.table_id != table_id or not each.has_ipv4 for each in desired.configuration.vrfs.values())


def _params(desired_params: FlowParams, desired: DesiredStateBuilder) -> FlowParams:
    """Return what is to be recorded, as it is where it cannot be changed, or is a timer of what is not recorded."""
    observed, path = desired.observed.ipfix.params, (_KEY,)
    if not desired_params.layers and not observed.layers and not observed.active_s:
        return observed
    if desired_params == observed or not desired.has_plugin(_PLUGIN, path, "the file sets what is recorded of flows"):
        return observed
    if not observed.active_s and observed.layers:
        text = (
            "VPP reports packets, not flows (its active timer is 0), and has no memory for flows then; restart VPP "
            "before it records any"
        )
        desired.problem("ipfix-stateless", path, text)
        return observed
    if others := _recorded_of_others(desired):
        text = f"flows of {others[0]}, which is not managed, are recorded; VPP changes nothing of records meanwhile"
        desired.problem("ipfix-frozen", path, text)
        return observed
    return desired_params


def _table(table_id: int, tables: Collection[str]) -> int:
    """Return the FIB table of the exporter; VPP reports that of one that is gone, too."""
    if table_id in (0, _NO_TABLE):
        return 0
    return table_id if table_key(table_id, is_ipv6=False) in tables else GONE_TABLE


KIND = Ipfix()
