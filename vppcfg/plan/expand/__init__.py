"""From changes to steps: each module knows one aspect of an object; the order of steps is not made here."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.plan.expand import (
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
    mtu,
    sflow,
    sub_interface,
    tap,
    vxlan,
)
from vppcfg.plan.stages import Step
from vppcfg.plan.transition import Transition

_INTERFACE_ASPECTS = (
    loopback.expand,
    bond.expand,
    vxlan.expand,
    tap.expand,
    sub_interface.expand,
    interface.expand,
    l2.expand,
    mtu.expand,
    address.expand,
    mpls.expand,
    acl.expand_binding,
    sflow.expand,
)
"""Each takes a transition and the name of an interface, and yields what that aspect of it needs."""


def expand(transition: Transition) -> Iterator[Step]:
    """Yield the steps of every change, in no particular order but for those of one object in one stage."""
    difference = transition.difference
    for name in transition.touched:
        for aspect in _INTERFACE_ASPECTS:
            yield from aspect(transition, name)
    for pair in difference.lcps.values():
        yield from lcp.expand(transition, pair)
    for domain in difference.bridges.values():
        yield from bridge.expand(domain)
    for access_list in difference.acls.values():
        yield from acl.expand(access_list)
    yield from linux.expand_host(transition)
    yield from linux.expand_devices(transition)
    yield from sflow.expand_settings(difference.sflow)
    yield from mpls.expand_table(difference.mpls)
