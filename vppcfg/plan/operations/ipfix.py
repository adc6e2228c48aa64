"""IPFIX: where records go, what is in them, and of which interfaces they are (plugins/flowprobe/flowprobe.c)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vppcfg.model.ipfix import FlowParams, FlowRecords, IpfixExporter
from vppcfg.model.vrf import table_key
from vppcfg.plan.draft import Draft
from vppcfg.plan.feature import SetFeature
from vppcfg.plan.operation import Operation, missing_table
from vppcfg.record import record


@record
class SetFlowRecords(SetFeature):
    """flowprobe_interface_add_del: record the flows of an interface, or no longer.

    VPP has one variant and direction of each interface, and must be told the same ones to turn them off: it would leave
    behind what it does in another direction. They outlive their interface.
    """

    attribute = "flow_records"
    records: FlowRecords
    is_on: bool = True

    @property
    def undone(self) -> SetFlowRecords:
        """Return the operation that records no longer."""
        return replace(self, is_on=False)

    def replaces(self, former: SetFeature) -> bool:
        """Return whether it records the same."""
        return former == self

    def applied(self, value: Any) -> FlowRecords | None:
        """Return what is recorded then."""
        return self.records if self.is_on else None

    def _refusal(self, draft: Draft) -> str | None:
        before = draft.interfaces[self.interface].flow_records
        if self.is_on and before is not None:
            return f"flows of {self.interface} are recorded already"
        if not self.is_on and before != self.records:
            return f"{self.interface} has no such flow records"
        return None if draft.ipfix.params.layers else "nothing is to be recorded of flows"

    def carry_out(self, draft: Draft) -> None:
        """Set it, and note who is recorded."""
        SetFeature.carry_out(self, draft)
        if self.is_on:
            draft.recorded.add(self.interface)
        else:
            draft.recorded.discard(self.interface)


@record
class IpfixOperation(Operation):
    """An operation on what all recorded interfaces share."""

    @property
    def subject(self) -> str:
        """Return `ipfix`."""
        return "ipfix"


@record
class SetFlowParams(IpfixOperation):
    """flowprobe_set_params: set what is recorded of flows, while no interface is recorded."""

    params: FlowParams

    def _refusal(self, draft: Draft) -> str | None:
        recorded = sorted(name for name in draft.recorded if name in draft.interfaces)
        return f"flows of {recorded[0]} are recorded" if recorded else None

    def carry_out(self, draft: Draft) -> None:
        """Set it."""
        draft.ipfix = replace(draft.ipfix, params=self.params)


@record
class SetIpfixExporter(IpfixOperation):
    """set_ipfix_exporter: send records somewhere, or nowhere. It does not hold its FIB table."""

    exporter: IpfixExporter

    def _refusal(self, draft: Draft) -> str | None:
        table_id = self.exporter.table_id
        return missing_table(table_key(table_id, is_ipv6=False), draft) if table_id else None

    def carry_out(self, draft: Draft) -> None:
        """Set it."""
        draft.ipfix = replace(draft.ipfix, exporter=self.exporter)
