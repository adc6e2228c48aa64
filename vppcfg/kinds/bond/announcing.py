"""Warns of a crash of VPP before 24.10: active-backup bonds that announce IPv4 addresses without a connected route."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.release import Release, is_older
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.model.bond import Bond, BondMode
from vppcfg.model.state import State

_HOST = 32
"""The prefix length of a host address."""
ENDS_ANNOUNCING = "bond-unannounced"
_ANNOUNCES_SAFELY = Release(24, 10)
"""VPP's commit 3ac2ac53249 (vnet/ip/ip_sas.c)."""


def resolve_announcing(desired: DesiredStateBuilder) -> None:
    """Warn where an older VPP would crash as it announces the addresses of a bond after a failover."""
    if not is_older(desired.observed.facts.version, _ANNOUNCES_SAFELY):
        return  # the state need not be put together
    for name, bond in unannounced(desired.state()):
        text = (
            f"crashes when {bond} gets another active member, as when a cable is pulled, because {name} has IPv4 "
            "addresses and no connected route of theirs"
        )
        path = desired.configuration.path_of(name) or ("bondethernets", bond)
        desired.risk("bond-unannounced", path, _ANNOUNCES_SAFELY, text)


def unannounced(state: State) -> Iterator[tuple[str, str]]:
    """Yield each interface, and its bond, of whose IPv4 addresses VPP cannot choose one to announce.

    The addresses are its own or borrowed, and none has a connected route: all are /32, or their interface is down.
    """
    children = state.sub_interfaces_by_parent()
    for bond, virtual in state.virtual_as(Bond).items():
        for name in (bond, *children.get(bond, ())) if virtual.mode is BondMode.ACTIVE_BACKUP else ():
            owner = state.interfaces.get(state.interfaces[name].unnumbered or name)
            lengths = [int(a.partition("/")[2]) for a in owner.addresses if ":" not in a] if owner is not None else []
            if owner is not None and lengths and (not owner.is_up or min(lengths) == _HOST):
                yield name, bond
