"""sFlow, the section `sflow` and the key of ports: how VPP samples, and on which ports (plugins/sflow/sflow.c).

The ports are read from what `show sflow` prints: sflow_interface_details has a hardware index, which no other message
maps to an interface.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from vppcfg.common.release import Release
from vppcfg.engine.feature_kind import SwitchKind
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.index import Index
from vppcfg.entries.section import Parsing, Section, SettingsSection, Unmanaged
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.features import TrafficDirection
from vppcfg.model.interface import PORTS, InterfaceKind
from vppcfg.model.problem import Problem
from vppcfg.model.state import SflowSettings, State
from vppcfg.operations.change import Change, ObjectKind, attribute_changes, setting_changes
from vppcfg.operations.feature import Switch
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Indexes, Known, Request, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader, malformed

_PLUGIN = "sflow"
_SINCE = Release(25, 2)
_SET = "sflow_enable_disable"
_SHOW = "show sflow"
_PORT = "sflow enable "
"""How a line of `show sflow` begins that names a sampled port: `sflow enable GigabitEthernet3/0/0`."""
_DEFAULTS = SflowSettings()
_GETTERS = {
    "sampling_rate": ("sflow_sampling_rate_get", "sampling_N"),
    "polling_interval_s": ("sflow_polling_interval_get", "polling_S"),
    "header_bytes": ("sflow_header_bytes_get", "header_B"),
}
"""The message, and the value in its reply, by attribute."""
_LATER_GETTERS = {
    "direction": ("sflow_direction_get", "sampling_D"),
    "has_drops": ("sflow_drop_monitoring_get", "drop_M"),
}
"""Those that came with 25.10."""
_PART = "sflow_direction"
_DIRECTIONS_SINCE = Release(25, 10)
_DIRECTIONS = {TrafficDirection.INPUT: 1, TrafficDirection.OUTPUT: 2, TrafficDirection.BOTH: 3}
"""sflow_direction_t (plugins/sflow/sflow.h)."""
_WORDS = {TrafficDirection.INPUT: "rx", TrafficDirection.OUTPUT: "tx", TrafficDirection.BOTH: "both"}
_STEP, _LEAST, _MOST = 32, 64, 256
"""Of the header bytes: VPP rounds up to whole steps, within bounds (sflow_header_bytes)."""


@record
class SetSflow(Switch):
    """sflow_enable_disable: sample the packets of a port, or no longer."""

    attribute = "has_sflow"

    def _refusal(self, working: WorkingState) -> str | None:
        if working.interfaces[self.interface].parent is not None:
            return f"{self.interface} is a sub-interface, which takes no sFlow"
        return Switch._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Put the sw_if_index where a hw_if_index is named: VPP reads it as that (plugins/sflow/sflow.c)."""
        values = {"hw_if_index": indexes.interface(self.interface), "enable_disable": int(self.is_on)}
        return Request(_SET, values)

    def cli(self) -> str:
        return f"sflow enable-disable {self.interface}{'' if self.is_on else ' disable'}"


@record
class SflowSetting(Operation):
    """An operation on the settings that all sampled ports share."""

    @property
    def subject(self) -> str:
        return "sflow"


@record
class SetSflowSamplingRate(SflowSetting):
    """sflow_sampling_rate_set: sample one packet in so many."""

    sampling_rate: int

    def apply_to(self, working: WorkingState) -> None:
        working.sflow = replace(working.sflow, sampling_rate=self.sampling_rate)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("sflow_sampling_rate_set", {"sampling_N": self.sampling_rate})

    def cli(self) -> str:
        return f"sflow sampling-rate {self.sampling_rate}"


@record
class SetSflowPollingInterval(SflowSetting):
    """sflow_polling_interval_set: send counters every so many seconds."""

    polling_interval_s: int

    def apply_to(self, working: WorkingState) -> None:
        working.sflow = replace(working.sflow, polling_interval_s=self.polling_interval_s)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("sflow_polling_interval_set", {"polling_S": self.polling_interval_s})

    def cli(self) -> str:
        return f"sflow polling-interval {self.polling_interval_s}"


@record
class SetSflowHeaderBytes(SflowSetting):
    """sflow_header_bytes_set: how much of a sampled packet is sent."""

    header_bytes: int

    def apply_to(self, working: WorkingState) -> None:
        working.sflow = replace(working.sflow, header_bytes=self.header_bytes)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("sflow_header_bytes_set", {"header_B": self.header_bytes})

    def cli(self) -> str:
        return f"sflow header-bytes {self.header_bytes}"


@record
class SetSflowDirection(SflowSetting):
    """sflow_direction_set: sample what comes in, what goes out, or both."""

    direction: TrafficDirection

    def apply_to(self, working: WorkingState) -> None:
        working.sflow = replace(working.sflow, direction=self.direction)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("sflow_direction_set", {"sampling_D": _DIRECTIONS[self.direction]})

    def cli(self) -> str:
        return f"sflow direction {_WORDS[self.direction]}"


@record
class SetSflowDrops(SflowSetting):
    """sflow_drop_monitoring_set: report packets that VPP drops, or no longer."""

    has_drops: bool

    def apply_to(self, working: WorkingState) -> None:
        working.sflow = replace(working.sflow, has_drops=self.has_drops)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("sflow_drop_monitoring_set", {"drop_M": int(self.has_drops)})

    def cli(self) -> str:
        return f"sflow drop-monitoring {'enable' if self.has_drops else 'disable'}"


def sflow_on_created(index: Index) -> Iterator[Problem]:
    """Find sFlow on an interface that is no port or TAP; the samples of a bond come from its members."""
    for interface in index.interfaces:
        if interface.has_sflow and interface.kind not in PORTS | {InterfaceKind.TAP}:
            text = f"{interface.name} is no port or TAP, which sFlow samples; remove `sflow`{_hint(interface)}"
            yield Problem(rule="sflow-not-phy", path=(*interface.path, "sflow"), text=text)


def _hint(interface: InterfaceConfig) -> str:
    return " here and set it on the members" if interface.kind is InterfaceKind.BOND else ""


class SflowKind(SwitchKind):
    """The key `sflow` of interfaces, and the settings in VPP."""

    nodes = "sflow"
    key = "sflow"
    command = "sflow enable-disable"
    attribute = "has_sflow"
    plugin = _PLUGIN
    reason = "an interface is sampled"
    plugin_since = _SINCE
    turn_on = Stage.TURN_SFLOW_ON
    switch = SetSflow
    operations = (
        SetSflow,
        SetSflowSamplingRate,
        SetSflowPollingInterval,
        SetSflowHeaderBytes,
        SetSflowDirection,
        SetSflowDrops,
    )
    rules = (sflow_on_created,)
    api_module = "sflow"
    capabilities: ClassVar = {_PLUGIN: _SET, _PART: "sflow_direction_set"}

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def requests(self, connection: VppReader) -> list[bytes]:
        getters = (*_GETTERS.values(), *_LATER_GETTERS.values()) if connection.offers(_SET) else ()
        return [connection.request(name)[1] for name, _ in getters if connection.offers(name)]

    def commands(self, connection: VppReader) -> list[str]:
        """Return the command that shows the ports."""
        return [_SHOW] if connection.offers(_SET) else []

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, bool]:
        _, text = known.shown.get(_SHOW, (0, ""))
        names = {line.removeprefix(_PORT).strip() for line in text.splitlines() if line.startswith(_PORT)}
        return {index: True for index, name in known.names.items() if name in names} if names else {}

    def read_settings(
        self, connection: VppReader, replies: Replies, tables: Collection[str], version: str
    ) -> dict[str, Any]:
        """Return the settings; VPP's own defaults without the plugin. Raise DataplaneError when VPP lacks one."""
        if not connection.offers(_SET):
            return {}
        values = {
            attribute: _only(connection, replies, f"{name}_reply", path) for attribute, (name, path) in _GETTERS.items()
        }
        later = {
            attribute: _only(connection, replies, f"{name}_reply", path)
            for attribute, (name, path) in _LATER_GETTERS.items()
            if connection.offers(name)
        }
        directions = {number: direction for direction, number in _DIRECTIONS.items()}
        direction = directions.get(later.get("direction", 0))
        has_drops = bool(later["has_drops"]) if "has_drops" in later else None
        return {"sflow": SflowSettings(**values, direction=direction, has_drops=has_drops)}

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        """Yield the settings that differ, but for those that the file leaves open, which are None."""
        found = attribute_changes(observed.sflow, desired.sflow)
        attributes = tuple(each for each in found if each.new is not None)
        return setting_changes(ObjectKind.SFLOW, observed.sflow, desired.sflow, attributes)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield a step for each setting that differs."""
        for change in transition.difference.of(ObjectKind.SFLOW):
            for attribute in change.attributes:
                given: dict[str, Any] = {attribute.name: attribute.new}
                yield Step(stage=Stage.SET_SFLOW, operation=_SETTERS[attribute.name](**given))


_SETTERS: Mapping[str, type[Operation]] = {
    "sampling_rate": SetSflowSamplingRate,
    "polling_interval_s": SetSflowPollingInterval,
    "header_bytes": SetSflowHeaderBytes,
    "direction": SetSflowDirection,
    "has_drops": SetSflowDrops,
}


def _only(connection: VppReader, replies: Replies, name: str, path: str) -> int:
    """Return the value at `path` of the one reply `name`. Raise DataplaneError when there is none."""
    for (value,) in connection.rows(replies, name, path):
        return int(value)
    raise malformed(name)


KIND = SflowKind()


class SflowSection(SettingsSection):
    """The section `sflow`: how packets are sampled, in the values that VPP keeps."""

    key = "sflow"
    attribute = "sflow"

    def parse(self, parsing: Parsing) -> SflowSettings:
        """Return the settings, those by default when any of the section is of a wrong shape."""
        given: Mapping[str, Any] = {} if parsing.is_bad(self.key) else parsing.content.get(self.key) or {}
        rate, interval, header = (given.get(key) for key in ("sampling-rate", "polling-interval", "header-bytes"))
        return SflowSettings(
            sampling_rate=_DEFAULTS.sampling_rate if rate is None else rate,
            polling_interval_s=_DEFAULTS.polling_interval_s if interval is None else interval,
            header_bytes=_DEFAULTS.header_bytes if header is None else max(_LEAST, _whole_steps(header)),
            direction=None if given.get("direction") is None else TrafficDirection(given["direction"]),
            has_drops=given.get("drops"),
        )

    def resolve_settings(self, desired: DesiredStateBuilder) -> None:
        """Set the settings of the file; a VPP without the plugin is left alone unless the file needs it."""
        settings = desired.configuration.sflow
        if _PLUGIN in desired.observed.facts.plugins:
            header_bytes = min(max(_whole_steps(settings.header_bytes), _LEAST), _MOST)
            desired.sflow = replace(settings, header_bytes=header_bytes)
            self._check_later(desired)
        elif settings != _DEFAULTS:
            desired.has_plugin(_PLUGIN, (self.key,), "the file sets up sFlow", since=_SINCE)

    def _check_later(self, desired: DesiredStateBuilder) -> None:
        """Note a problem for what this VPP cannot do, and leave it out."""
        later = {"direction": desired.sflow.direction, "drops": desired.sflow.has_drops}
        for key, value in later.items():
            if value is not None and not desired.has_part(
                _PART, _DIRECTIONS_SINCE, (self.key, key), f"the file sets `{key}` of sFlow"
            ):
                desired.sflow = replace(desired.sflow, direction=None, has_drops=None)

    def from_state(self, state: State, unmanaged: Unmanaged) -> SflowSettings:
        return state.sflow

    def setting_keys(self, sflow: SflowSettings) -> Iterator[KeyValue]:
        for key, value, usual in (
            ("sampling-rate", sflow.sampling_rate, _DEFAULTS.sampling_rate),
            ("polling-interval", sflow.polling_interval_s, _DEFAULTS.polling_interval_s),
            ("header-bytes", sflow.header_bytes, _DEFAULTS.header_bytes),
        ):
            yield KeyValue(key, value, is_default=value == usual)
        if sflow.direction is not None:
            yield KeyValue("direction", sflow.direction.value, is_default=sflow.direction is TrafficDirection.INPUT)
        if sflow.has_drops is not None:
            yield KeyValue("drops", sflow.has_drops, is_default=not sflow.has_drops)


def _whole_steps(header_bytes: int) -> int:
    return -(-header_bytes // _STEP) * _STEP


SECTION = SflowSection()
