"""Ownership of objects on interfaces and bridge domains that are removed from the file.

The key that owned them has gone with the entry of their holder, the interface or bridge domain. A plan may remove them
where the file in force set exactly what VPP has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Ownership, VppObject

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
    going = {owner for owner in found if owner not in desired.owned and _is_going(owner.scope, desired)}
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


def _is_going(scope: str, desired: DesiredStateBuilder) -> bool:
    """Return whether an interface or bridge domain is there and is to go.

    Not so FIB tables: VPP 26.10 crashes when it deletes one whose path MTU was removed in the same plan.
    """
    observed = desired.observed
    return (scope in observed.interfaces and scope not in desired.interfaces) or (
        scope in observed.bridges and scope not in desired.bridges
    )
