"""Finds which LCP pairs a plan creates, deletes or replaces: linux-cp changes none in place.

A pair is replaced, too, with an interface, MAC address or other pair that it depends on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from vppcfg.common.names import natural_key
from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface
from vppcfg.model.lcp import LcpPair, LcpSettings, SubInterfaceDependencies
from vppcfg.model.punt_redirect import PuntRedirect
from vppcfg.model.state import State
from vppcfg.operations.change import (
    Action,
    AttributeChange,
    Change,
    ObjectKind,
    appearance,
    attribute_changes,
    not_identical,
    update,
)
from vppcfg.operations.recreate import is_refilled


def pair_changes(
    observed: State, desired: State, interfaces: Mapping[str, Change[Interface]]
) -> dict[str, Change[LcpPair]]:
    """Return the changes of pairs by interface; `interfaces` are those of the interfaces themselves."""
    changes = {
        name: change
        for name in not_identical(observed.lcps, desired.lcps)
        if (change := _lcp_change(name, observed, desired)) is not None
    }
    gone = [name for name, change in changes.items() if change.before is not None]
    for name, reason in _outdated_pairs(observed, desired, interfaces):
        if name in observed.lcps and name not in changes:
            changes[name] = _replaced_pair(name, observed, desired, reason)
            gone.append(name)
    _add_dependents(gone, observed, desired, changes)
    _add_host_mtus(observed, desired, changes)
    return {name: changes[name] for name in sorted(changes, key=natural_key)}


def _outdated_pairs(
    observed: State, desired: State, interfaces: Mapping[str, Change[Interface]]
) -> Iterable[tuple[str, str]]:
    """Yield the interfaces whose pair must be made anew with them: linux-cp takes a MAC only when a pair is made."""
    for name, change in interfaces.items():
        if change.action is Action.REPLACE:
            yield name, f"{name} is replaced"
        elif change.action is Action.UPDATE and any(attribute.name == "mac" for attribute in change.attributes):
            yield name, f"the MAC of {name} changes"
        elif change.action is Action.UPDATE and _gets_the_mac_of_a_member(name, observed, desired):
            yield name, f"{name} gets the MAC of its first member"
    redirects = desired.of(PuntRedirect)
    for redirect in observed.of(PuntRedirect).values():
        if redirect.interface and redirect.name not in redirects:
            yield redirect.interface, f"the {redirect.label} goes, and linux-cp sets its own with a new pair"


def _gets_the_mac_of_a_member(name: str, observed: State, desired: State) -> bool:
    before, after = observed.virtual_of(name, Bond), desired.virtual_of(name, Bond)
    return before is not None and after is not None and is_refilled(before, after)


def _add_dependents(gone: list[str], observed: State, desired: State, changes: dict[str, Change[LcpPair]]) -> None:
    """Replace, too, the pairs that depend on a pair in `gone`."""
    if not gone:
        return
    stacking = SubInterfaceDependencies(observed.interfaces.values())
    while gone:
        name = gone.pop()
        for dependent in stacking.dependents_of(observed.interfaces[name]):
            if dependent in observed.lcps and dependent not in changes:
                changes[dependent] = _replaced_pair(dependent, observed, desired, f"the LCP of {name} is replaced")
                gone.append(dependent)


def _add_host_mtus(observed: State, desired: State, changes: dict[str, Change[LcpPair]]) -> None:
    for name, after in desired.lcps.items():
        if name in changes:
            continue
        before = observed.lcps[name]
        wanted = host_mtu_wanted(name, before.host_mtu, desired, observed.facts.lcp)
        if wanted != before.host_mtu:
            attributes = (AttributeChange(name="host_mtu", old=before.host_mtu, new=wanted),)
            changes[name] = update(ObjectKind.LCP, name, before, after, attributes)


def host_mtu_wanted(name: str, current: int | None, desired: State, settings: LcpSettings) -> int | None:
    """Return the MTU that VPP's side of a Linux device is to have, which is `current` where nothing is to be set.

    A former state has that of then. A file has none: a TUN must take what its interface takes, because VPP fragments
    what is larger on its way to Linux, or drops it where it has DF (vnet/ip/ip4_forward.c, ip4_rewrite_inline); a TAP
    takes all (vnet/dpo/dvr_dpo.c). With lcp-sync, linux-cp sets it; with lcp-auto-subint, it makes the pairs of
    sub-interfaces by itself.
    """
    pair, is_sub = desired.lcps[name], desired.interfaces[name].parent is not None
    if current is None or settings.is_sync or (is_sub and settings.is_auto_subint):
        return current
    if pair.host_mtu is not None:
        return pair.host_mtu
    return max(current, desired.packet_mtu(name)) if pair.is_tun else current


def _lcp_change(name: str, observed: State, desired: State) -> Change[LcpPair] | None:
    before, after = observed.lcps.get(name), desired.lcps.get(name)
    if before == after:
        return None
    if before is None or after is None:
        return appearance(ObjectKind.LCP, name, before, after)
    attributes = attribute_changes(before, after)
    if not attributes:
        return None
    return Change(
        action=Action.REPLACE,
        kind=ObjectKind.LCP,
        name=name,
        before=before,
        after=after,
        attributes=attributes,
        forced_by=attributes[0].name,
    )


def _replaced_pair(name: str, observed: State, desired: State, reason: str) -> Change[LcpPair]:
    return Change(
        action=Action.REPLACE,
        kind=ObjectKind.LCP,
        name=name,
        before=observed.lcps[name],
        after=desired.lcps[name],
        forced_by=reason,
    )
