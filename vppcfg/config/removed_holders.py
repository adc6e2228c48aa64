"""Ownership of objects on interfaces, bridge domains and VRFs that are removed from the file.

The key that owned them has gone with the entry of their holder: the interface, bridge domain or VRF. A plan may remove
them where the file in force set exactly what VPP has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Ownership, Referent, VppObject

_NOTHING: Ownership = frozenset()


class _Owner(NamedTuple):
    """An element of `Ownership`."""

    table: str
    scope: str


def owned_by_applied(desired: DesiredStateBuilder, applied: Callable[[], State | None]) -> Ownership:
    """Return what plans may remove with the holder, although no key of the file owns it.

    `applied` returns the state that the file in force sets, or None; it is called only where there are such objects.
    """
    found = _by_owner(desired.observed)
    others = {owner: items for owner, items in found.items() if owner not in desired.owned}
    going = {
        owner
        for owner, items in others.items()
        if _is_going(owner.scope, desired) or all(_goes_with_table(each, desired) for each in items.values())
    }
    former = applied() if going else None
    if former is None:
        return _NOTHING
    declared = _by_owner(former)
    return frozenset(owner for owner in going & former.owned if found[owner] == declared.get(owner))


def _by_owner(state: State) -> Mapping[_Owner, Mapping[str, VppObject]]:
    found: dict[_Owner, dict[str, VppObject]] = defaultdict(dict)
    for kind, objects in state.objects.items():
        if not kind.is_always_ours:
            for name, each in objects.items():
                found[_Owner(each.table, each.scope)][name] = each
    return found


def _goes_with_table(item: VppObject, desired: DesiredStateBuilder) -> bool:
    tables = {each.name for each in item.references() if each.referent is Referent.TABLE}
    return item.goes_with_table and tables <= desired.observed.vrfs.keys() - desired.vrfs.keys()


def _is_going(scope: str, desired: DesiredStateBuilder) -> bool:
    """Return whether an interface or bridge domain is there and is to go.

    `goes_with_table` is for FIB tables: VPP 26.10 crashes when one goes whose path MTU was removed in the same plan.
    """
    observed = desired.observed
    return (scope in observed.interfaces and scope not in desired.interfaces) or (
        scope in observed.bridges and scope not in desired.bridges
    )
