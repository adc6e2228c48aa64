"""sFlow (plugins/sflow/sflow.c)."""

from __future__ import annotations

from vppcfg.plan.operations import SetSflow, SetSflowHeaderBytes, SetSflowPollingInterval, SetSflowSamplingRate
from vppcfg.render.cli_lines.dispatch import line_of


@line_of.register
def _(operation: SetSflow) -> str:
    return f"sflow enable-disable {operation.interface}{'' if operation.is_on else ' disable'}"


@line_of.register
def _(operation: SetSflowSamplingRate) -> str:
    return f"sflow sampling-rate {operation.sampling_rate}"


@line_of.register
def _(operation: SetSflowPollingInterval) -> str:
    return f"sflow polling-interval {operation.polling_interval_s}"


@line_of.register
def _(operation: SetSflowHeaderBytes) -> str:
    return f"sflow header-bytes {operation.header_bytes}"
