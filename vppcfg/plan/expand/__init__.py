"""From changes to steps: each module knows one aspect of an object; the order of steps is not made here."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.plan.expand import address, interface, l2xc, lcp, mtu, sub_interface
from vppcfg.plan.stages import Step
from vppcfg.plan.transition import Transition

_INTERFACE_ASPECTS = (interface.expand, sub_interface.expand, l2xc.expand, mtu.expand, address.expand)


def expand(transition: Transition) -> Iterator[Step]:
    """Yield the steps of every change, in no particular order but for those of one interface in one stage."""
    for change in transition.difference.interfaces.values():
        for aspect in _INTERFACE_ASPECTS:
            yield from aspect(transition, change)
    for pair in transition.difference.lcps.values():
        yield from lcp.expand(transition, pair)
