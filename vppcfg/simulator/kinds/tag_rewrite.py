"""Simulates VLAN tag rewrites: what is popped and pushed between interface and switch (vnet/l2/l2_vtr.c)."""

from __future__ import annotations

from enum import IntEnum

from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.retval import RefusedError, Retval, refused_as
from vppcfg.simulator.tables import Flag, L2Config, SwInterface, Tables, TagRewriteBytes
from vppcfg.simulator.wire import Values

_DOT1Q, _DOT1AD = 0x8100, 0x88A8


class Rewrite(IntEnum):
    """Tag rewrite operations (vnet/l2/l2_vtr.h)."""

    DISABLED = 0
    PUSH_1 = 1
    PUSH_2 = 2
    POP_1 = 3
    POP_2 = 4
    TRANSLATE_1_1 = 5
    TRANSLATE_1_2 = 6
    TRANSLATE_2_1 = 7
    TRANSLATE_2_2 = 8


_TAGS = {
    Rewrite.DISABLED: (0, 0),
    Rewrite.PUSH_1: (0, 1),
    Rewrite.PUSH_2: (0, 2),
    Rewrite.POP_1: (1, 0),
    Rewrite.POP_2: (2, 0),
    Rewrite.TRANSLATE_1_1: (1, 1),
    Rewrite.TRANSLATE_1_2: (1, 2),
    Rewrite.TRANSLATE_2_1: (2, 1),
    Rewrite.TRANSLATE_2_2: (2, 2),
}
"""How many tags each operation pops and pushes."""
_OPERATIONS = {tags: operation for operation, tags in _TAGS.items()}


def set_rewrite(
    tables: Tables, interface: SwInterface, operation: Rewrite, is_dot1q: bool, tag1: int, tag2: int
) -> None:
    """Set a tag rewrite; raise RefusedError for one that pops more tags than the interface matches.

    Even a refusal loses the tags that were set before, and leaves the vector of L2 settings as long as it was
    (l2vtr_configure).
    """
    if not tables.hw_of(interface).is_ethernet:
        raise RefusedError(Retval.INVALID_INTERFACE)
    rewrite = tables.l2.setdefault(interface.index, L2Config()).rewrite
    rewrite.tags = [(0, 0), (0, 0)]
    pop, push = _TAGS[operation]
    if pop > _matched_tags(interface.flags if interface.is_sub else 0):
        raise RefusedError(Retval.INVALID_VLAN_TAG_COUNT)
    tables.extend_l2_config(interface.index)
    rewrite.pop, rewrite.push = 4 * pop, 4 * push
    outer = (_DOT1Q if is_dot1q else _DOT1AD, tag1 & 0xFFFF)
    if push == 1:
        rewrite.tags[1] = outer
    elif push == 2:
        rewrite.tags = [outer, (_DOT1Q, tag2 & 0xFFFF)]


def _matched_tags(flags: int) -> int:
    if flags & Flag.NO_TAGS or flags & Flag.OUTER_ANY:
        return 0
    if flags & Flag.ONE_TAG:
        return 1
    if flags & Flag.TWO_TAGS:
        return 1 if flags & Flag.INNER_ANY else 2
    return 0


def rewrite_of(tables: Tables, interface: SwInterface) -> tuple[Rewrite, bool, int, int]:
    """Return operation, whether the outer pushed tag is 802.1Q, and the two tags (l2vtr_get)."""
    config = tables.l2.get(interface.index)
    if config is None or not (config.rewrite.pop or config.rewrite.push) or not tables.hw_of(interface).is_ethernet:
        return Rewrite.DISABLED, False, 0, 0
    return _read(config.rewrite)


def _read(rewrite: TagRewriteBytes) -> tuple[Rewrite, bool, int, int]:
    operation = _OPERATIONS[rewrite.pop // 4, rewrite.push // 4]
    outer, inner = rewrite.tags
    if rewrite.push == 4:
        return operation, inner[0] == _DOT1Q, inner[1], 0
    if rewrite.push == 8:
        return operation, outer[0] == _DOT1Q, outer[1], inner[1]
    return operation, False, 0, 0


def _answer(call: Call, values: Values) -> None:
    """Set how VLAN tags change between an interface and the switch."""
    row = interfaces.require(call.tables, values["sw_if_index"])
    if values["vtr_op"] > max(Rewrite):
        raise RefusedError(Retval.INVALID_VALUE)
    operation, is_dot1q = Rewrite(values["vtr_op"]), bool(values["push_dot1q"])
    set_rewrite(call.tables, row, operation, is_dot1q, values["tag1"], values["tag2"])


_WITHOUT_TAGS = {"disable": Rewrite.DISABLED, "pop 1": Rewrite.POP_1, "pop 2": Rewrite.POP_2}
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


def _command(tables: Tables, line: Input) -> None:
    """`set interface l2 tag-rewrite <interface> disable|pop N|push ..|translate ..`."""
    row = line.require_interface(tables)
    operation, is_dot1q, tags = _rewrite(line)
    with refused_as("vlan tag rewrite is not compatible with interface"):
        set_rewrite(tables, row, operation, is_dot1q, *tags)


def _rewrite(line: Input) -> tuple[Rewrite, bool, tuple[int, int]]:
    whole = line.unknown(_EXPECTED)
    for phrase, operation in _WITHOUT_TAGS.items():
        if line.take(*phrase.split()):
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


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for name, row in rows.items():
        rewrite = state.interfaces[name].tag_rewrite
        if rewrite is not None:
            operation = Rewrite(rewrite.operation)
            set_rewrite(tables, row, operation, bool(rewrite.push_dot1q), rewrite.tag1, rewrite.tag2)


KIND = Kind(
    changes={"l2_interface_vlan_tag_rewrite": _answer},
    commands={"set interface l2 tag-rewrite": _command},
    load=_load,
)
