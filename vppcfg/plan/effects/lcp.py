"""Linux Control Plane pairs: what hangs on what, and whose names are taken (linux-cp/lcp_interface.c)."""

from __future__ import annotations

from vppcfg.model.interface import Encapsulation, Interface
from vppcfg.model.lcp import LcpPair
from vppcfg.plan.draft import Draft
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.effects.linux import born_device
from vppcfg.plan.operations import CreateLcpPair, DeleteLcpPair


@refusal_of.register
def _(operation: CreateLcpPair, draft: Draft) -> str | None:
    name = operation.interface
    if name in draft.lcps:
        return f"{name} has an LCP pair"
    holder = draft.linux_names.get((operation.netns, operation.host_name))
    if holder is not None:
        return f"the Linux name {operation.host_name} is held by {holder}"
    return _missing_carrier(draft.interfaces[name], draft)


def _missing_carrier(interface: Interface, draft: Draft) -> str | None:
    """Return what a sub-interface lacks for an LCP pair of its own."""
    if interface.parent is None:
        return None
    encapsulation = interface.encapsulation
    if not isinstance(encapsulation, Encapsulation) or not encapsulation.is_exact:
        return f"{interface.name} is not exact-match, so it takes no LCP"
    if not _has_working_pair(interface.parent, draft):
        return f"{interface.parent} has no LCP pair"
    if encapsulation.tag_count == 1:
        return None
    carrier = draft.matches.get((interface.parent, (encapsulation.outer, None, encapsulation.is_dot1ad)))
    if carrier is not None and _has_working_pair(carrier, draft):
        return None
    return f"no sub-interface with the outer tag of {interface.name} has an LCP pair"


def _has_working_pair(name: str, draft: Draft) -> bool:
    return name in draft.lcps and draft.lcps[name].has_host


@effect_of.register
def _(operation: CreateLcpPair, draft: Draft) -> None:
    draft.add_pair(operation.interface, LcpPair(host_name=operation.host_name, netns=operation.netns))
    if draft.has_linux:
        draft.linux[operation.interface] = born_device(operation.interface, draft)


@refusal_of.register
def _(operation: DeleteLcpPair, draft: Draft) -> str | None:
    name = operation.interface
    if name not in draft.lcps:
        return f"{name} has no LCP pair"
    interface = draft.interfaces[name]
    if interface.has_mpls and draft.lcps[name].has_host:
        return f"{name} has MPLS, which the next interface with the index of its Linux side would inherit"
    left = min((other for other in draft.stacking.hanging_on(interface) if other in draft.lcps), default=None)
    return f"the LCP pair of {left} hangs on that of {name}" if left is not None else None


@effect_of.register
def _(operation: DeleteLcpPair, draft: Draft) -> None:
    draft.remove_pair(operation.interface)
    draft.linux.pop(operation.interface, None)
