"""sFlow: settings, and ports on which it runs (plugins/sflow/sflow.c)."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.operations import SetSflow, SetSflowHeaderBytes, SetSflowPollingInterval, SetSflowSamplingRate


@refusal_of.register
def _(operation: SetSflow, draft: Draft) -> str | None:
    interface = draft.interfaces[operation.interface]
    if interface.parent is not None:
        return f"{interface.name} is a sub-interface, which takes no sFlow"
    return f"sFlow on {interface.name} is so already" if interface.has_sflow == operation.is_on else None


@effect_of.register
def _(operation: SetSflow, draft: Draft) -> None:
    draft.change(operation.interface, has_sflow=operation.is_on)


@refusal_of.register
def _(operation: SetSflowSamplingRate, draft: Draft) -> str | None:
    return None


@effect_of.register
def _(operation: SetSflowSamplingRate, draft: Draft) -> None:
    draft.sflow = replace(draft.sflow, sampling_rate=operation.sampling_rate)


@refusal_of.register
def _(operation: SetSflowPollingInterval, draft: Draft) -> str | None:
    return None


@effect_of.register
def _(operation: SetSflowPollingInterval, draft: Draft) -> None:
    draft.sflow = replace(draft.sflow, polling_interval_s=operation.polling_interval_s)


@refusal_of.register
def _(operation: SetSflowHeaderBytes, draft: Draft) -> str | None:
    return None


@effect_of.register
def _(operation: SetSflowHeaderBytes, draft: Draft) -> None:
    draft.sflow = replace(draft.sflow, header_bytes=operation.header_bytes)
