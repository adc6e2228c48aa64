"""What must be gone from an interface before it is deleted, for traffic's sake and because VPP reuses its index."""

from __future__ import annotations

from vppcfg.plan.draft import Draft


def dangling(name: str, draft: Draft) -> str | None:
    """Return what is still on, or points to, an interface that is to be deleted; None when nothing is."""
    interface = draft.interfaces[name]
    if name in draft.lcps:
        return f"{name} has an LCP pair"
    if interface.addresses or interface.unnumbered:
        return f"{name} has addresses"
    if interface.is_l2 or draft.references.to(name):
        return f"{name} is in L2 mode, or another interface sends to it or borrows from it"
    if interface.has_mpls or interface.has_sflow or interface.acls:
        return f"{name} has MPLS, sFlow or access lists, which the next interface with its index would inherit"
    if draft.stacking.on_port(name):
        return f"{name} has sub-interfaces"
    if name in draft.bond_of:
        return f"{name} is a member of {draft.bond_of[name]}"
    return f"{name} is up" if interface.is_up else None
