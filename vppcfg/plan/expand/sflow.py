"""sFlow: settings, and the ports on which it runs."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.sflow import SflowSettings
from vppcfg.plan.diff import Change
from vppcfg.plan.operations import (
    Operation,
    SetSflow,
    SetSflowHeaderBytes,
    SetSflowPollingInterval,
    SetSflowSamplingRate,
)
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition


def expand(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that turn sFlow off and on."""
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    was_on = before is not None and before.has_sflow
    is_on = after is not None and after.has_sflow
    if was_on and (name in transition.doomed or not is_on):
        yield Step(stage=Stage.TURN_OFF, operation=SetSflow(interface=name, is_on=False))
    if is_on and (name in transition.born or not was_on):
        yield Step(stage=Stage.TURN_SFLOW_ON, operation=SetSflow(interface=name, is_on=True))


def expand_settings(change: Change[SflowSettings] | None) -> Iterator[Step]:
    """Yield a step for each setting that differs."""
    if change is None or change.after is None:
        return
    setters: dict[str, Operation] = {
        "sampling_rate": SetSflowSamplingRate(sampling_rate=change.after.sampling_rate),
        "polling_interval_s": SetSflowPollingInterval(polling_interval_s=change.after.polling_interval_s),
        "header_bytes": SetSflowHeaderBytes(header_bytes=change.after.header_bytes),
    }
    for attribute in change.attributes:
        yield Step(stage=Stage.SET_SFLOW, operation=setters[attribute.name])
