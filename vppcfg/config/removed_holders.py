"""Objects without a mark on interfaces, FIB tables and bridge domains that the file has no more: whose they are.

The key that owned them has gone with its entry. They are the file's where the file in force set exactly what VPP has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping

from vppcfg.config.desired_state import DesiredStateBuilder
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Ownership, VppObject
from vppcfg.model.vrf import table_key

_NOTHING: Ownership = frozenset()
_Owned = Mapping[tuple[str, str], Mapping[str, VppObject]]
"""Objects by what owns them together, the table of their kind and their scope, and by name."""


def owned_by_applied(desired: DesiredStateBuilder, applied: Callable[[], State | None]) -> Ownership:
    """Return what plans may remove with the holder, although no key of the file owns it.

    `applied` returns the state that the file in force sets, or None; it is called only where there are such objects.
    """
    found = _by_owner(desired.observed)
    going = {owner for owner in found if owner not in desired.owned and _is_going(owner[1], desired)}
    former = applied() if going else None
    if former is None:
        return _NOTHING
    declared = _by_owner(former)
    return frozenset(owner for owner in going & former.owned if found[owner] == declared.get(owner))


def _by_owner(state: State) -> _Owned:
    found: dict[tuple[str, str], dict[str, VppObject]] = defaultdict(dict)
    for kind, objects in state.objects.items():
        for name, each in objects.items() if not kind.is_always_ours else ():
            found[each.table, each.scope][name] = each
    return found


def _is_going(scope: str, desired: DesiredStateBuilder) -> bool:
    """Return whether an interface, bridge domain or FIB table is there, by what scopes call it, and is to go."""
    observed = desired.observed
    for before, after in ((observed.interfaces, desired.interfaces), (observed.bridges, desired.bridges)):
        if scope in before:
            return scope not in after
    keys = {table_key(int(scope), is_ipv6=is_ipv6) for is_ipv6 in (False, True)} if scope.isdecimal() else set()
    return not keys.isdisjoint(observed.vrfs) and keys.isdisjoint(desired.vrfs)
