"""What each operation demands of a state and does to it, as VPP does: proofs and reverse plans are made of this.

`refusal` says why VPP would refuse an operation, or why it would leave something dangling; `carry_out` does it.
"""

from __future__ import annotations

from vppcfg.plan.draft import Draft
from vppcfg.plan.effects import (
    acl,
    address,
    bond,
    bridge,
    interface,
    l2,
    lcp,
    linux,
    loopback,
    mpls,
    sflow,
    sub_interface,
    tap,
    vxlan,
)
from vppcfg.plan.effects.dispatch import effect_of, refusal_of
from vppcfg.plan.operations import (
    CreateBond,
    CreateLoopback,
    CreateSubInterface,
    CreateTap,
    CreateVxlan,
    Operation,
)

__all__ = ["carry_out", "refusal"]

FILLERS = (acl, address, bond, bridge, interface, l2, lcp, linux, loopback, mpls, sflow, sub_interface, tap, vxlan)
"""The modules that fill the tables, each for one kind of object."""

CREATIONS = frozenset({CreateBond, CreateLoopback, CreateSubInterface, CreateTap, CreateVxlan})
"""Operations about an interface that is not there yet."""


def refusal(operation: Operation, draft: Draft) -> str | None:
    """Return why the operation must not meet this state, or None when it may."""
    name = getattr(operation, "interface", None)
    if name is not None and (name in draft.interfaces) == (type(operation) in CREATIONS):
        return f"{name} exists" if name in draft.interfaces else f"{name} does not exist"
    return refusal_of.registry.get(type(operation), refusal_of)(operation, draft)


def carry_out(operation: Operation, draft: Draft) -> None:
    """Change the draft as VPP changes when it carries the operation out."""
    effect_of.registry.get(type(operation), effect_of)(operation, draft)
