"""Sub-interfaces, and how VPP says which tags they match. Their rows come with those of all interfaces."""

from __future__ import annotations

from vppcfg.kinds.sub_interface import SubFlag
from vppcfg.model.interface import Encapsulation, OtherMatch

_MATCH = sum(SubFlag)
"""Every bit that speaks of the match; DOT1AH speaks of provider backbone bridging."""
_TAGS = SubFlag.ONE_TAG | SubFlag.TWO_TAGS
_PLAIN = _TAGS | SubFlag.DOT1AD | SubFlag.EXACT_MATCH


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
