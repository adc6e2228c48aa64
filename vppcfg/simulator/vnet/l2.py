"""L2 modes and VLAN tag rewrites (vnet/l2/l2_input.c, l2_vtr.c)."""

from __future__ import annotations

from enum import IntEnum

from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import L2Config, SwInterface, Tables, TagRewriteBytes

_DOT1Q, _DOT1AD = 0x8100, 0x88A8
_NO_TAGS, _ONE_TAG, _TWO_TAGS, _OUTER_ANY, _INNER_ANY = 1, 2, 4, 64, 128


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


def set_xconnect(tables: Tables, source: SwInterface, target: SwInterface) -> None:
    """Send what `source` receives to `target`; VPP refuses nothing here, not even an interface with addresses."""
    config = tables.l2_of(source.index)
    config.xconnect_to = target.index
    config.bridge = None


def set_l3(tables: Tables, sw_if_index: int) -> None:
    """Return an interface to L3; this clears its tag rewrite as well (set_int_l2_mode)."""
    tables.l2[sw_if_index] = L2Config()


def interface_deleted(tables: Tables, sw_if_index: int) -> None:
    """Take a doomed interface out of L2: a cross-connect's target returns to L3 with it, whatever it was.

    Cross-connects that point to it stay and will point to whatever gets its index next.
    """
    config = tables.l2.get(sw_if_index)
    if config is None:
        return
    if config.xconnect_to is not None:
        set_l3(tables, config.xconnect_to)
    if config.xconnect_to is not None or config.bridge is not None:
        set_l3(tables, sw_if_index)


def set_rewrite(
    tables: Tables, interface: SwInterface, operation: Rewrite, is_dot1q: bool, tag1: int, tag2: int
) -> None:
    """Set a tag rewrite; raise RefusedError for one that pops more tags than the interface matches.

    Even a refusal loses the tags that were set before (l2vtr_configure).
    """
    if not tables.hw_of(interface).is_ethernet:
        raise RefusedError(Retval.INVALID_INTERFACE)
    rewrite = tables.l2_of(interface.index).rewrite
    rewrite.tags = [(0, 0), (0, 0)]
    pop, push = _TAGS[operation]
    if pop > _matched_tags(interface):
        raise RefusedError(Retval.INVALID_VLAN_TAG_COUNT)
    rewrite.pop, rewrite.push = 4 * pop, 4 * push
    outer = (_DOT1Q if is_dot1q else _DOT1AD, tag1 & 0xFFFF)
    if push == 1:
        rewrite.tags[1] = outer
    elif push == 2:
        rewrite.tags = [outer, (_DOT1Q, tag2 & 0xFFFF)]


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


def _matched_tags(interface: SwInterface) -> int:
    flags = interface.flags
    if not interface.is_sub or flags & _NO_TAGS:
        return 0
    if flags & _ONE_TAG:
        return 0 if flags & _OUTER_ANY else 1
    if flags & _TWO_TAGS:
        if flags & _OUTER_ANY:
            return 0
        return 1 if flags & _INNER_ANY else 2
    return 0
