"""Sub-interfaces and the tags that they match (vnet/interface_cli.c)."""

from __future__ import annotations

from vppcfg.model.interface import Encapsulation, OtherMatch
from vppcfg.plan.operations import CreateSubInterface, DeleteSubInterface
from vppcfg.render.cli_lines.dispatch import line_of


@line_of.register
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


@line_of.register
def _(operation: DeleteSubInterface) -> str:
    return f"delete sub-interface {operation.interface}"
