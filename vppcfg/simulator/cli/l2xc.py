"""CLI commands for cross-connects, tag rewrites and the way back to L3 (vnet/l2/l2_input.c, l2_vtr.c)."""

from __future__ import annotations

from vppcfg.simulator import l2
from vppcfg.simulator.l2 import Rewrite
from vppcfg.simulator.retval import RefusedError
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.unformat import Input

_WITHOUT_TAGS = {
    ("disable",): Rewrite.DISABLED,
    ("pop 1",): Rewrite.POP_1,
    ("pop 2",): Rewrite.POP_2,
}
_WITH_TAGS = {
    "push": (Rewrite.PUSH_1, Rewrite.PUSH_2),
    "translate 1-1": (Rewrite.TRANSLATE_1_1,),
    "translate 2-1": (Rewrite.TRANSLATE_2_1,),
    "translate 2-2": (Rewrite.TRANSLATE_2_2,),
    "translate 1-2": (Rewrite.TRANSLATE_1_2,),
}
_ONE_TAG = frozenset({Rewrite.PUSH_1, Rewrite.TRANSLATE_1_1, Rewrite.TRANSLATE_2_1})
_EXPECTED = (
    "expecting [disable | pop 1 | pop 2 | push {dot1q|dot1ah} <tag> [<tag>]\n"
    " | translate {1|2}-{1|2} {dot1q|dot1ah} <tag> [<tag>]] but got"
)


def set_xconnect(tables: Tables, line: Input) -> str:
    """`set interface l2 xconnect <interface> <peer>`."""
    row = line.require_interface(tables)
    l2.set_xconnect(tables, row, line.require_interface(tables, "unknown peer interface"))
    return ""


def set_l3(tables: Tables, line: Input) -> str:
    """`set interface l3 <interface>`."""
    l2.set_l3(tables, line.require_interface(tables).index)
    return ""


def set_tag_rewrite(tables: Tables, line: Input) -> str:
    """`set interface l2 tag-rewrite <interface> disable|pop N|push ..|translate ..`."""
    row = line.require_interface(tables)
    operation, is_dot1q, tags = _rewrite(line)
    try:
        l2.set_rewrite(tables, row, operation, is_dot1q, *tags)
    except RefusedError as refusal:
        raise RefusedError(refusal.retval, "vlan tag rewrite is not compatible with interface") from None
    return ""


def _rewrite(line: Input) -> tuple[Rewrite, bool, tuple[int, int]]:
    whole = line.unknown(_EXPECTED)
    for words, operation in _WITHOUT_TAGS.items():
        if line.take(*words[0].split()):
            return operation, False, (0, 0)
    for phrase, operations in _WITH_TAGS.items():
        if line.take(*phrase.split()):
            is_dot1q = line.take("dot1q")
            if not is_dot1q and not line.take("dot1ad"):
                raise whole
            return _tags(line, whole, operations, is_dot1q)
    raise whole


def _tags(
    line: Input, whole: RefusedError, operations: tuple[Rewrite, ...], is_dot1q: bool
) -> tuple[Rewrite, bool, tuple[int, int]]:
    first = line.number()
    second = None if operations[0] in _ONE_TAG and len(operations) == 1 else line.number()
    if first is None or (second is None and operations[0] not in _ONE_TAG):
        raise whole
    return operations[0] if second is None else operations[-1], is_dot1q, (first, second or 0)
