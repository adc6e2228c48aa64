"""When a plan removes what others have in NAT44 by the address of an interface, which VPP does not always follow."""

from __future__ import annotations

from vppcfg.model.attachment import Attachment
from vppcfg.operations.stages import Stage
from vppcfg.operations.transition import Transition, loses_address, own_addresses

_WITH_SESSIONS = frozenset({"NAT44 pool", "NAT44 static mapping"})
"""What ends sessions when it goes: a pool all of its address, a mapping of a port one."""
FOLLOWERS = _WITH_SESSIONS | {"NAT44 identity mapping"}
"""What follows the address of an interface."""


def ends_sessions(attachment: Attachment) -> bool:
    """Return whether NAT44 ends sessions when an attachment goes, even if it is set again at once."""
    return attachment.kind in _WITH_SESSIONS


def removal_stage(attachment: Attachment, transition: Transition) -> Stage | None:
    """Return when one of FOLLOWERS goes: with its interface, or for NAT44 to have another address; None for never.

    VPP removes what it has at the first address, and refuses where it has taken another one, or none: so that goes
    after the addresses. A borrowed address would stay in its pool when the interface borrows no more: what follows
    that is removed before.
    """
    observed, holder = transition.observed, attachment.holder
    is_taken = not observed.facts.followed_addresses.isdisjoint(own_addresses(observed.interfaces, holder))
    if attachment.needs(transition.deleted):
        interface = observed.interfaces.get(holder)
        borrows = interface is not None and interface.unnumbered is not None
        return Stage.TAKE_OFF if borrows and is_taken else Stage.TAKE_OFF_FOLLOWER
    is_moved = transition.moves_ipv4(holder)
    is_lost = is_taken and loses_address(holder, observed, transition.desired, is_moved=is_moved)
    return Stage.TAKE_OFF if is_lost and attachment.put is not None else None
