"""A plan as the lines that an operator would type at VPP's prompt, under the three headings.

`vppctl exec FILE` runs the text. What has no CLI form says so in a comment; nothing else knows VPP's grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import singledispatch
from itertools import groupby

from vppcfg.model.interface import Encapsulation, OtherMatch, TagRewrite
from vppcfg.plan.operations import (
    AddAddress,
    CreateLcpPair,
    CreateSubInterface,
    DeleteLcpPair,
    DeleteSubInterface,
    LeaveL2,
    Operation,
    RemoveAddress,
    SetAdminState,
    SetCrossConnect,
    SetLinkMtu,
    SetPacketMtu,
    SetTag,
    SetTagRewrite,
    subject,
)
from vppcfg.plan.plan import Plan

LARGEST_SUB_ID = 2**31 - 1
"""VPP's CLI reads sub-interface ids as signed 32-bit numbers (vnet/interface_cli.c); the API takes twice as many."""


def plan_lines(plan: Plan) -> Iterator[str]:
    """Yield the lines of a plan, nothing when it is empty."""
    without_form = 0
    for phase, steps in groupby(plan.steps, key=lambda step: step.stage.phase):
        lines = [(cli_line(step.operation), step.operation) for step in steps]
        count = sum(line is not None for line, _ in lines)
        yield f"comment {{ vppcfg {phase.value}: {count} CLI statement(s) follow }}"
        for line, operation in lines:
            yield line if line is not None else f"comment {{ vppcfg: no CLI form: {describe(operation)} }}"
        without_form += len(lines) - count
    if without_form:
        yield f"comment {{ vppcfg: {without_form} step(s) have no CLI form, use apply }}"


def steps_without_form(plan: Plan) -> int:
    """Return how many steps of a plan its text cannot say."""
    return sum(cli_line(operation) is None for operation in plan.operations)


def describe(operation: Operation) -> str:
    """Return a short text of an operation that has no CLI form."""
    verb = re.sub(r"(?<!^)(?=[A-Z])", " ", type(operation).__name__).lower()
    return f"{verb} {subject(operation)}"


def cli_line(operation: Operation) -> str | None:
    """Return the CLI line of an operation, or None when VPP's CLI cannot say it."""
    if _is_unnamable(subject(operation)):
        return None
    if isinstance(operation, SetCrossConnect) and _is_unnamable(operation.target):
        return None
    if isinstance(operation, SetPacketMtu) and any(operation.protocol_mtus):
        return None
    return _line(operation)


def _is_unnamable(name: str) -> bool:
    """Return whether VPP's CLI cannot name the interface because its sub-interface id is too large."""
    sub_id = name.rpartition(".")[2]
    return len(sub_id) >= len(str(LARGEST_SUB_ID)) and sub_id.isdigit() and int(sub_id) > LARGEST_SUB_ID


@singledispatch
def _line(operation: Operation) -> str:
    raise NotImplementedError(type(operation).__name__)


@_line.register
def _(operation: SetAdminState) -> str:
    return f"set interface state {operation.interface} {'up' if operation.is_up else 'down'}"


@_line.register
def _(operation: CreateSubInterface) -> str:
    return f"create sub-interfaces {operation.parent} {operation.sub_id} {encapsulation_words(operation.encapsulation)}"


def encapsulation_words(encapsulation: Encapsulation | OtherMatch) -> str:
    """Return a match as `create sub-interfaces` takes it."""
    if isinstance(encapsulation, OtherMatch):
        return _other_match(encapsulation)
    words = ["dot1ad" if encapsulation.is_dot1ad else "dot1q", str(encapsulation.outer)]
    if encapsulation.inner is not None:
        words += ["inner-dot1q", str(encapsulation.inner)]
    if encapsulation.is_exact:
        words.append("exact-match")
    return " ".join(words)


NO_TAGS, TWO_TAGS, DOT1AD, EXACT_MATCH, DEFAULT, OUTER_ANY, INNER_ANY = 1, 4, 8, 16, 32, 64, 128
"""Bits of VPP's sub_if_flags (vnet/interface_types.api)."""


def _other_match(match: OtherMatch) -> str:
    if match.flags & DEFAULT:
        return "default"
    if match.flags & NO_TAGS:
        return "untagged"
    words = ["dot1ad" if match.flags & DOT1AD else "dot1q", "any" if match.flags & OUTER_ANY else str(match.outer)]
    if match.flags & TWO_TAGS:
        words += ["inner-dot1q", "any" if match.flags & INNER_ANY else str(match.inner)]
    if match.flags & EXACT_MATCH:
        words.append("exact-match")
    return " ".join(words)


@_line.register
def _(operation: DeleteSubInterface) -> str:
    return f"delete sub-interface {operation.interface}"


@_line.register
def _(operation: SetLinkMtu) -> str:
    return f"set interface mtu {operation.mtu} {operation.interface}"


@_line.register
def _(operation: SetPacketMtu) -> str:
    return f"set interface mtu packet {operation.mtu} {operation.interface}"


@_line.register
def _(operation: AddAddress) -> str:
    return f"set interface ip address {operation.interface} {operation.address}"


@_line.register
def _(operation: RemoveAddress) -> str:
    return f"set interface ip address del {operation.interface} {operation.address}"


@_line.register
def _(operation: CreateLcpPair) -> str:
    netns = "" if operation.is_default_netns else f" netns {operation.netns}"
    return f"lcp create {operation.interface} host-if {operation.host_name}{netns}"


@_line.register
def _(operation: DeleteLcpPair) -> str:
    return f"lcp delete {operation.interface}"


@_line.register
def _(operation: SetCrossConnect) -> str:
    return f"set interface l2 xconnect {operation.interface} {operation.target}"


@_line.register
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


@_line.register
def _(operation: SetTagRewrite) -> str:
    return f"set interface l2 tag-rewrite {operation.interface} {rewrite_words(operation.tag_rewrite)}"


def rewrite_words(rewrite: TagRewrite | None) -> str:
    """Return a tag rewrite as `set interface l2 tag-rewrite` takes it."""
    if rewrite is None:
        return "disable"
    kind = "dot1q" if rewrite.push_dot1q else "dot1ad"
    return _REWRITES[rewrite.operation].format(kind=kind, tag1=rewrite.tag1, tag2=rewrite.tag2)


@_line.register
def _(operation: SetTag) -> str:
    if not operation.tag:
        return f"clear interface tag {operation.interface}"
    text = f"{{{operation.tag}}}" if " " in operation.tag else operation.tag
    return f"set interface tag {operation.interface} {text}"
