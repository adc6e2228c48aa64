"""sFlow: its settings, and the ports on which it runs (plugins/sflow/sflow.c)."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.plan.draft import Draft
from vppcfg.plan.feature import Switch
from vppcfg.plan.operation import Operation
from vppcfg.record import record


@record
class SetSflow(Switch):
    """sflow_enable_disable: sample the packets of a port, or no longer."""

    attribute = "has_sflow"

    def _refusal(self, draft: Draft) -> str | None:
        if draft.interfaces[self.interface].parent is not None:
            return f"{self.interface} is a sub-interface, which takes no sFlow"
        return Switch._refusal(self, draft)


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

    def carry_out(self, draft: Draft) -> None:
        """Set the rate."""
        draft.sflow = replace(draft.sflow, sampling_rate=self.sampling_rate)


@record
class SetSflowPollingInterval(SflowSetting):
    """sflow_polling_interval_set: send counters every so many seconds."""

    polling_interval_s: int

    def carry_out(self, draft: Draft) -> None:
        """Set the interval."""
        draft.sflow = replace(draft.sflow, polling_interval_s=self.polling_interval_s)


@record
class SetSflowHeaderBytes(SflowSetting):
    """sflow_header_bytes_set: how much of a sampled packet is sent."""

    header_bytes: int

    def carry_out(self, draft: Draft) -> None:
        """Set the length."""
        draft.sflow = replace(draft.sflow, header_bytes=self.header_bytes)
