"""When VPP loses the address of an interface that NAT44 follows, whether a file or others have set what follows it."""

from __future__ import annotations

from vppcfg.kinds.nat44.pools import own_addresses
from vppcfg.model.attachment import Attachment
from vppcfg.model.state import State

_WITH_SESSIONS = frozenset({"NAT44 pool", "NAT44 static mapping"})
"""What ends sessions when it goes: a pool all of its address, a mapping of a port one."""
_KINDS = _WITH_SESSIONS | {"NAT44 identity mapping"}
"""What follows the address of an interface."""


def goes_after_addresses(attachment: Attachment, observed: State) -> bool:
    """Return whether what others have by the address of an interface that goes is removed once that has none.

    VPP removes what it has at the first address, and refuses where it has taken another one, or none. A borrowed
    address would stay in its pool when the interface borrows no more: what follows that is removed before.
    """
    interface = observed.interfaces.get(attachment.holder)
    borrows = interface is not None and interface.unnumbered is not None
    return attachment.kind in _KINDS and not (borrows and _has_taken(attachment.holder, observed))


def _has_taken(name: str, observed: State) -> bool:
    return not observed.facts.followed_addresses.isdisjoint(own_addresses(observed.interfaces, name))


def loses_address(name: str, observed: State, desired: State, *, is_moved: bool) -> bool:
    """Return whether NAT44 would be left with an address that an interface has no more, or with none of those it has.

    VPP takes an address that comes while it has none, and lets go of it when it goes; of several, it takes no other
    one (nat44_ed_add_del_interface_address_cb). Of what an interface borrows it notices neither. `is_moved` says
    whether the interface leaves its FIB table.
    """
    before, after = observed.interfaces.get(name), desired.interfaces.get(name)
    if before is None or after is None:
        return False
    if before.unnumbered is not None or after.unnumbered is not None:
        return is_moved or own_addresses(observed.interfaces, name) != own_addresses(desired.interfaces, name)
    old, new = (frozenset(each for each in state.addresses if ":" not in each) for state in (before, after))
    followed = observed.facts.followed_addresses
    taken = frozenset(each for each in old if each.partition("/")[0] in followed) or old
    return (not taken <= new or is_moved) and (len(old) > 1 or len(new) > 1)


def ends_sessions(attachment: Attachment) -> bool:
    """Return whether NAT44 ends sessions when an attachment goes, even if it is set again at once."""
    return attachment.kind in _WITH_SESSIONS


def must_be_renewed(attachment: Attachment, observed: State, desired: State, *, is_moved: bool) -> bool:
    """Return whether an attachment must be removed and restored, for NAT44 to have an address of its interface."""
    return (
        attachment.kind in _KINDS
        and attachment.put is not None
        and _has_taken(attachment.holder, observed)
        and loses_address(attachment.holder, observed, desired, is_moved=is_moved)
    )
