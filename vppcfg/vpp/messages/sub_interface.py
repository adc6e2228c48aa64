"""Sub-interfaces, and how VPP says which tags they match. Their rows come with those of all interfaces."""

from __future__ import annotations

from enum import IntEnum

from vppcfg.model.interface import Encapsulation, OtherMatch
from vppcfg.plan import operations as op
from vppcfg.plan.request import Indexes, Messages, Request, Vocabulary


class SubFlag(IntEnum):
    """sub_if_flags (vnet/interface_types.api)."""

    NO_TAGS = 1
    ONE_TAG = 2
    TWO_TAGS = 4
    DOT1AD = 8
    EXACT_MATCH = 16
    DEFAULT = 32
    OUTER_ANY = 64
    INNER_ANY = 128


_MATCH = sum(SubFlag)
"""Every bit that speaks of the match; DOT1AH speaks of provider backbone bridging."""
_TAGS = SubFlag.ONE_TAG | SubFlag.TWO_TAGS
_PLAIN = _TAGS | SubFlag.DOT1AD | SubFlag.EXACT_MATCH


def _create_sub_interface(operation: op.CreateSubInterface, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {
        "sw_if_index": indexes.interface(operation.parent),
        "sub_id": operation.sub_id,
        "sub_if_flags": _sub_flags(operation.encapsulation),
        "outer_vlan_id": operation.encapsulation.outer,
        "inner_vlan_id": operation.encapsulation.inner or 0,
    }
    return Request("create_subif", values)


def _sub_flags(encapsulation: Encapsulation | OtherMatch) -> int:
    if isinstance(encapsulation, OtherMatch):
        return encapsulation.flags
    flags = int(SubFlag.ONE_TAG if encapsulation.inner is None else SubFlag.TWO_TAGS)
    flags |= SubFlag.DOT1AD if encapsulation.is_dot1ad else 0
    flags |= SubFlag.EXACT_MATCH if encapsulation.is_exact else 0
    return flags


def _delete_sub_interface(operation: op.DeleteSubInterface, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("delete_subif", {"sw_if_index": indexes.interface(operation.interface)})


MESSAGES: Messages = {
    op.CreateSubInterface: _create_sub_interface,
    op.DeleteSubInterface: _delete_sub_interface,
}


def encapsulation_of(flags: int, outer: int, inner: int) -> Encapsulation | OtherMatch:
    """Return the match that VPP tells by its flags and VLAN ids."""
    flags &= _MATCH
    tags = flags & _TAGS
    is_plain = not flags & ~_PLAIN and tags in (SubFlag.ONE_TAG, SubFlag.TWO_TAGS)
    if not is_plain or not outer or bool(inner) != (tags == SubFlag.TWO_TAGS):
        return OtherMatch(flags=flags, outer=outer, inner=inner)
    return Encapsulation(
        outer=outer,
        inner=inner or None,
        is_dot1ad=bool(flags & SubFlag.DOT1AD),
        is_exact=bool(flags & SubFlag.EXACT_MATCH),
    )
