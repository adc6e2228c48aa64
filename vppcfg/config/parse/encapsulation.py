"""The `encapsulation` key of a sub-interface: which VLAN tags it matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.model.interface import Encapsulation
from vppcfg.model.problem import KeyPath, Problem

MAX_VLAN_ID = 4095


def parse_encapsulation(raw: Mapping[str, Any] | None, sub_id: int, path: KeyPath) -> Encapsulation | Problem:
    """Parse the value of an `encapsulation` key; without one the id is the VLAN, matched exactly.

    `path` is that of the sub-interface. Return what is wrong when the keys do not go together.
    """
    if raw is None:
        if sub_id > MAX_VLAN_ID:
            text = f"{sub_id} cannot be a VLAN id; say with `encapsulation` which tags to match"
            return Problem(rule="encap-id", path=path, text=text)
        return Encapsulation(outer=sub_id, is_exact=True)
    dot1q, dot1ad, inner = raw.get("dot1q"), raw.get("dot1ad"), raw.get("inner-dot1q")
    at = (*path, "encapsulation")
    if dot1q is not None and dot1ad is not None:
        return Problem(rule="encap-both", path=at, text="the outer tag is either `dot1q` or `dot1ad`, not both")
    if dot1q is None and dot1ad is None:
        if inner is None:
            return Problem(rule="encap-no-tag", path=at, text="no tag is given; add `dot1q` or `dot1ad`")
        text = "`inner-dot1q` needs an outer tag; add `dot1q` or `dot1ad`"
        return Problem(rule="encap-inner-alone", path=at, text=text)
    outer: int = raw["dot1ad"] if dot1q is None else dot1q
    is_exact = raw.get("exact-match") or False
    return Encapsulation(outer=outer, inner=inner, is_dot1ad=dot1q is None, is_exact=is_exact)
