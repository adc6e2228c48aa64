"""sFlow: how VPP samples, and on which ports (plugins/sflow/sflow.c).

The ports are read from what `show sflow` prints: sflow_interface_details has a hardware index, which no other message
maps to an interface.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from vppcfg.common.release import Release
from vppcfg.config.configuration import InterfaceConfig
from vppcfg.config.desired_state import DesiredStateBuilder
from vppcfg.config.rules.index import Index
from vppcfg.config.sections.section import Parsing, Section, SettingsSection, Unmanaged
from vppcfg.config.yaml.text import KeyValue
from vppcfg.kinds.feature import SwitchKind
from vppcfg.model.interface import PORTS, InterfaceKind
from vppcfg.model.problem import Problem
from vppcfg.model.state import SflowSettings, State
from vppcfg.plan.change import Change, ObjectKind, attribute_changes, setting_changes
from vppcfg.plan.feature import Switch
from vppcfg.plan.operation import Operation
from vppcfg.plan.request import Indexes, Known, Request, Vocabulary
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record
from vppcfg.vpp.reading import Replies, VppReader, malformed

_PLUGIN = "sflow"
_SINCE = Release(25, 2)
_SET = "sflow_enable_disable"
_SHOW = "show sflow"
_PORT = "sflow enable "
_DEFAULTS = SflowSettings()
_GETTERS = {
    "sampling_rate": ("sflow_sampling_rate_get", "sampling_N"),
    "polling_interval_s": ("sflow_polling_interval_get", "polling_S"),
    "header_bytes": ("sflow_header_bytes_get", "header_B"),
}
"""The message, and the value in its reply, by attribute."""
_STEP, _LEAST, _MOST = 32, 64, 256
"""Of the header bytes: VPP rounds up to whole steps, within bounds (sflow_header_bytes)."""


@record
class SetSflow(Switch):
    """sflow_enable_disable: sample the packets of a port, or no longer."""

    attribute = "has_sflow"

    def _refusal(self, draft: WorkingState) -> str | None:
        if draft.interfaces[self.interface].parent is not None:
            return f"{self.interface} is a sub-interface, which takes no sFlow"
        return Switch._refusal(self, draft)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Put the sw_if_index where a hw_if_index is named: VPP reads it as that (plugins/sflow/sflow.c)."""
        values = {"hw_if_index": indexes.interface(self.interface), "enable_disable": int(self.is_on)}
        return Request(_SET, values)

    def cli(self) -> str:
        """Return the command."""
        return f"sflow enable-disable {self.interface}{'' if self.is_on else ' disable'}"


@record
class SflowSetting(Operation):
    """An operation on the settings that all sampled ports share."""

    @property
    def subject(self) -> str:
        """Return `sflow`."""
        return "sflow"


@record
class SetSflowSamplingRate(SflowSetting):
    """sflow_sampling_rate_set: sample one packet in so many."""

    sampling_rate: int

    def apply_to(self, draft: WorkingState) -> None:
        """Set the rate."""
        draft.sflow = replace(draft.sflow, sampling_rate=self.sampling_rate)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return Request("sflow_sampling_rate_set", {"sampling_N": self.sampling_rate})

    def cli(self) -> str:
        """Return the command."""
        return f"sflow sampling-rate {self.sampling_rate}"


@record
class SetSflowPollingInterval(SflowSetting):
    """sflow_polling_interval_set: send counters every so many seconds."""

    polling_interval_s: int

    def apply_to(self, draft: WorkingState) -> None:
        """Set the interval."""
        draft.sflow = replace(draft.sflow, polling_interval_s=self.polling_interval_s)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return Request("sflow_polling_interval_set", {"polling_S": self.polling_interval_s})

    def cli(self) -> str:
        """Return the command."""
        return f"sflow polling-interval {self.polling_interval_s}"


@record
class SetSflowHeaderBytes(SflowSetting):
    """sflow_header_bytes_set: how much of a sampled packet is sent."""

    header_bytes: int

    def apply_to(self, draft: WorkingState) -> None:
        """Set the length."""
        draft.sflow = replace(draft.sflow, header_bytes=self.header_bytes)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return Request("sflow_header_bytes_set", {"header_B": self.header_bytes})

    def cli(self) -> str:
        """Return the command."""
        return f"sflow header-bytes {self.header_bytes}"


def sflow_on_created(index: Index) -> Iterator[Problem]:
    """Find sFlow on an interface that is no port; the samples of a bond come from its members."""
    for interface in index.interfaces:
        if interface.has_sflow and interface.kind not in PORTS:
            text = f"{interface.name} is no port, and sFlow samples ports only; remove `sflow`{_hint(interface)}"
            yield Problem(rule="sflow-not-phy", path=(*interface.path, "sflow"), text=text)


def _hint(interface: InterfaceConfig) -> str:
    return " here and set it on the members" if interface.kind is InterfaceKind.BOND else ""


class SflowKind(SwitchKind):
    """The key `sflow` of interfaces, and the settings in VPP."""

    key = "sflow"
    attribute = "has_sflow"
    plugin = _PLUGIN
    reason = "an interface is sampled"
    plugin_since = _SINCE
    turn_on = Stage.TURN_SFLOW_ON
    switch = SetSflow
    operations = (SetSflow, SetSflowSamplingRate, SetSflowPollingInterval, SetSflowHeaderBytes)
    rules = (sflow_on_created,)
    api_module = "sflow"
    capabilities: ClassVar = {_PLUGIN: _SET}

    def sections(self) -> tuple[Section, ...]:
        """Return the section of what all samples have alike."""
        return (SECTION,)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for the settings."""
        return [connection.request(name)[1] for name, _ in _GETTERS.values()] if connection.offers(_SET) else []

    def commands(self, connection: VppReader) -> list[str]:
        """Return the command that shows the ports."""
        return [_SHOW] if connection.offers(_SET) else []

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, bool]:
        """Return the ports whose packets are sampled."""
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
        return {"sflow": SflowSettings(**values)}

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        """Yield what differs of the settings."""
        attributes = attribute_changes(observed.sflow, desired.sflow)
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
        )

    def resolve_settings(self, desired: DesiredStateBuilder) -> None:
        """Set the settings of the file; a VPP without the plugin is left alone unless the file needs it."""
        settings = desired.configuration.sflow
        if _PLUGIN in desired.observed.facts.plugins:
            header_bytes = min(max(_whole_steps(settings.header_bytes), _LEAST), _MOST)
            desired.sflow = replace(settings, header_bytes=header_bytes)
        elif settings != _DEFAULTS:
            desired.has_plugin(_PLUGIN, (self.key,), "the file sets up sFlow", since=_SINCE)

    def from_state(self, state: State, unmanaged: Unmanaged) -> SflowSettings:
        """Return the settings of VPP."""
        return state.sflow

    def setting_keys(self, sflow: SflowSettings) -> Iterator[KeyValue]:
        """Yield the keys of the section."""
        for key, value, usual in (
            ("sampling-rate", sflow.sampling_rate, _DEFAULTS.sampling_rate),
            ("polling-interval", sflow.polling_interval_s, _DEFAULTS.polling_interval_s),
            ("header-bytes", sflow.header_bytes, _DEFAULTS.header_bytes),
        ):
            yield KeyValue(key, value, is_default=value == usual)


def _whole_steps(header_bytes: int) -> int:
    return -(-header_bytes // _STEP) * _STEP


SECTION = SflowSection()
