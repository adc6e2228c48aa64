"""Creation, deletion and settings of bridge domains; their members are an aspect of interfaces."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.bridge import Bridge
from vppcfg.plan.diff import Change
from vppcfg.plan.operations import BridgeFlag, CreateBridge, DeleteBridge, SetBridgeFlag, SetBridgeMacAge
from vppcfg.plan.stages import Stage, Step


def expand(change: Change[Bridge]) -> Iterator[Step]:
    """Yield the step that deletes or creates a bridge, or those that set what differs about it."""
    before, after = change.before, change.after
    if after is None:
        assert before is not None
        yield Step(stage=Stage.DELETE_BRIDGE, operation=DeleteBridge(bd_id=before.bd_id))
    elif before is None:
        create = CreateBridge(bd_id=after.bd_id, settings=after.settings, tag=after.tag)
        yield Step(stage=Stage.CREATE_BRIDGE, operation=create)
    else:
        yield from _settings(before, after)


def _settings(before: Bridge, after: Bridge) -> Iterator[Step]:
    for flag in BridgeFlag:
        is_on = getattr(after.settings, flag.value)
        if getattr(before.settings, flag.value) != is_on:
            set_flag = SetBridgeFlag(bd_id=after.bd_id, flag=flag, is_on=is_on)
            yield Step(stage=Stage.SET_BRIDGE, operation=set_flag)
    if before.settings.mac_age_minutes != after.settings.mac_age_minutes:
        set_age = SetBridgeMacAge(bd_id=after.bd_id, minutes=after.settings.mac_age_minutes)
        yield Step(stage=Stage.SET_BRIDGE, operation=set_age)
