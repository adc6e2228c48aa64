"""IPFIX, the key `ipfix` of interfaces: whose flows are recorded (plugins/flowprobe); the section: `ipfix_settings`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from vppcfg.engine.feature_kind import FeatureKind
from vppcfg.entries.index import Index
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.features import TrafficDirection
from vppcfg.model.ipfix import FlowRecords, FlowVariant
from vppcfg.model.problem import Problem, Severity
from vppcfg.operations.feature import SetFeature
from vppcfg.operations.request import ALL_INDEXES, Indexes, Known, Request, Vocabulary
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_SET = "flowprobe_interface_add_del"
_DUMP = "flowprobe_interface_dump"
_VARIANTS = {FlowVariant.IP4: 0, FlowVariant.IP6: 1, FlowVariant.L2: 2}
"""VPP's numbers (plugins/flowprobe/flowprobe.api)."""
_DIRECTIONS = {TrafficDirection.INPUT: 0, TrafficDirection.OUTPUT: 1, TrafficDirection.BOTH: 2}
_WORDS = {TrafficDirection.INPUT: "rx", TrafficDirection.OUTPUT: "tx", TrafficDirection.BOTH: "both"}
_SECTION = "ipfix"


@record
class SetFlowRecords(SetFeature):
    """flowprobe_interface_add_del: record the flows of an interface, or no longer.

    VPP has one variant and direction of each interface, and needs the same ones to turn them off: it would leave
    behind what it does in another direction. They outlive their interface.
    """

    attribute = "flow_records"
    is_plural = True
    records: FlowRecords
    is_on: bool = True

    @property
    def inverse(self) -> SetFlowRecords:
        """Return the operation that records no longer."""
        return replace(self, is_on=False)

    def replaces(self, former: SetFeature) -> bool:
        return former == self

    def applied(self, value: Any) -> FlowRecords | None:
        return self.records if self.is_on else None

    def _refusal(self, working: WorkingState) -> str | None:
        before = working.interfaces[self.interface].flow_records
        if self.is_on and before is not None:
            return f"flows of {self.interface} are recorded already"
        if not self.is_on and before != self.records:
            return f"{self.interface} has no such flow records"
        return None if working.ipfix.params.layers else "nothing is to be recorded of flows"

    def apply_to(self, working: WorkingState) -> None:
        """Set it, and note who is recorded."""
        SetFeature.apply_to(self, working)
        if self.is_on:
            working.recorded.add(self.interface)
        else:
            working.recorded.discard(self.interface)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {
            "is_add": int(self.is_on),
            "which": _VARIANTS[self.records.variant],
            "direction": _DIRECTIONS[self.records.direction],
            "sw_if_index": indexes.interface(self.interface),
        }
        return Request(_SET, values)

    def cli(self) -> str:
        words = f"{self.interface} {self.records.variant.value} {_WORDS[self.records.direction]}"
        return f"flowprobe feature add-del {words}" + ("" if self.is_on else " disable")


def ipfix_interfaces(index: Index) -> Iterator[Problem]:
    """Find interfaces whose flows are recorded without records or collector, and what cannot be recorded."""
    config = index.configuration.ipfix
    variants: set[FlowVariant] = set()
    for interface in index.interfaces:
        records, path = interface.flow_records, (*interface.path, _SECTION)
        if records is None:
            continue
        is_known = _SECTION not in index.lost_sections
        if is_known and (config is None or not config.params.layers or not config.exporter.collector):
            text = "the section `ipfix` lacks what is recorded and where it is sent; add `records` and `collector`"
            yield Problem(rule="ipfix-unset", path=path, text=text)
        if records.variant is FlowVariant.L2 and interface.parent is not None:
            text = f"{interface.name} is a sub-interface: VPP records frames of ports only; use ip4 or ip6, or the port"
            yield Problem(rule="ipfix-l2", path=path, text=text)
        if variants - {records.variant}:
            text = "others have another variant; VPP numbers their templates alike, and a collector mixes them up"
            yield Problem(rule="ipfix-variants", path=path, text=text, severity=Severity.WARNING)
        variants.add(records.variant)


class FlowRecordsKind(FeatureKind[FlowRecords | None]):
    """The key `ipfix` of interfaces, and the flow records in VPP."""

    nodes = "flowprobe-"
    key = _SECTION
    command = "flowprobe feature add-del"
    attribute = "flow_records"
    plugin = "flowprobe"
    reason = "flows of an interface are recorded"
    assumed: ClassVar = {"variant": (FlowVariant.IP4.value, FlowVariant.IP6.value)}
    is_of_bond = True
    operations = (SetFlowRecords,)
    rules = (ipfix_interfaces,)
    api_module = "flowprobe"
    capabilities: ClassVar = {"flowprobe": _SET}

    def is_interrupted(self, transition: Transition, name: str) -> bool:
        """Return whether other things are recorded of flows then: VPP changes that while no interface is recorded."""
        return transition.has_other_flow_params

    def parse(self, raw: str | Mapping[str, Any]) -> FlowRecords:
        """Return the flow records of an entry: a variant alone, or with its direction."""
        if isinstance(raw, str):
            return FlowRecords(variant=FlowVariant(raw))
        return FlowRecords(
            variant=FlowVariant(raw["variant"]),
            direction=TrafficDirection(raw.get("direction") or TrafficDirection.BOTH.value),
        )

    def as_yaml(self, value: FlowRecords | None) -> Value:
        if value is None:
            return ()
        if value.direction is TrafficDirection.BOTH:
            return value.variant.value
        return KeyValue("variant", value.variant.value), KeyValue("direction", value.direction.value)

    def setters(self, name: str, value: FlowRecords | None) -> Iterable[SetFlowRecords]:
        """Return the operation that records flows."""
        return [] if value is None else [SetFlowRecords(interface=name, records=value)]

    def output_keys(self, value: FlowRecords | None) -> Iterator[tuple[str, ...]]:
        """Yield the key where flows of what goes out are recorded."""
        yield from [(self.key,)] if value is not None and value.direction.includes(is_output=True) else []

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all interfaces, where VPP takes it."""
        return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, FlowRecords | None]:
        """Return what is recorded of interfaces, by their indexes."""
        if not connection.offers(_DUMP):
            return {}
        variants = {number: variant for variant, number in _VARIANTS.items()}
        directions = {number: direction for direction, number in _DIRECTIONS.items()}
        paths = ("sw_if_index", "which", "direction")
        return {
            index: FlowRecords(variant=variants[which], direction=directions[direction])
            for index, which, direction in connection.rows(replies, "flowprobe_interface_details", *paths)
            if which in variants and direction in directions
        }


KIND = FlowRecordsKind()
