"""L2 mode and tag rewrites (vnet/l2/l2_input.c, l2_vtr.c)."""

from __future__ import annotations

from vppcfg.model.interface import TagRewrite
from vppcfg.plan.operations import JoinBridge, LeaveL2, SetCrossConnect, SetTagRewrite
from vppcfg.render.cli_lines.dispatch import line_of


@line_of.register
def _(operation: SetCrossConnect) -> str:
    return f"set interface l2 xconnect {operation.interface} {operation.target}"


@line_of.register
def _(operation: JoinBridge) -> str:
    line = f"set interface l2 bridge {operation.interface} {operation.bd_id}"
    if operation.is_bvi:
        return f"{line} bvi"
    return f"{line} {operation.split_horizon_group}" if operation.split_horizon_group else line


@line_of.register
def _(operation: LeaveL2) -> str:
    return f"set interface l3 {operation.interface}"


_REWRITES = {
    1: "push {kind} {tag1}",
    2: "push {kind} {tag1} {tag2}",
    3: "pop 1",
    4: "pop 2",
    5: "translate 1-1 {kind} {tag1}",
    6: "translate 1-2 {kind} {tag1} {tag2}",
    7: "translate 2-1 {kind} {tag1}",
    8: "translate 2-2 {kind} {tag1} {tag2}",
}
"""The words for each vtr_op (vnet/l2/l2_vtr.c)."""


@line_of.register
def _(operation: SetTagRewrite) -> str:
    return f"set interface l2 tag-rewrite {operation.interface} {rewrite_words(operation.tag_rewrite)}"


def rewrite_words(rewrite: TagRewrite | None) -> str:
    """Return a tag rewrite as `set interface l2 tag-rewrite` takes it."""
    if rewrite is None:
        return "disable"
    kind = "dot1q" if rewrite.push_dot1q else "dot1ad"
    return _REWRITES[rewrite.operation].format(kind=kind, tag1=rewrite.tag1, tag2=rewrite.tag2)
