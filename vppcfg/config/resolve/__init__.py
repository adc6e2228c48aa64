"""From a configuration and an observed state to the desired state: what the file leaves open is filled in.

Objects that are not ours are copied as they are, so that no plan can touch them. What the file asks for and this
dataplane cannot give comes out as problems; the desired state then leaves it as it is.
"""

from __future__ import annotations

from vppcfg.config.resolve import acl, bond, bridge, interface, lcp, linux, sflow, tap, untouched, vxlan
from vppcfg.config.resolve.clashes import clashes
from vppcfg.config.resolve.wanted import Wanted
from vppcfg.model.configuration import Configuration
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.record import record


@record
class Resolution:
    """The desired state, the one it was made for, and what stands in the way."""

    observed: State
    desired: State
    problems: tuple[Problem, ...] = ()
    is_possible: bool = True
    """False when the file wants what is taken or missing: then there is no plan to show."""


_STEPS = (bond.resolve, vxlan.resolve, tap.resolve, bridge.resolve, acl.resolve, interface.resolve, lcp.resolve)
"""Each enters the objects of one kind that the file wants; interfaces need to know the bonds and bridges."""


def resolve(configuration: Configuration, observed: State, *, adopt: bool = False) -> Resolution:
    """Return what the dataplane should become; with `adopt`, a named interface may carry somebody else's tag."""
    wanted = Wanted(configuration, observed, adopt=adopt)
    untouched.copy(wanted)
    not_ours = wanted.state()
    for enter in _STEPS:
        enter(wanted)
    sflow.resolve(wanted)
    linux.resolve(wanted)
    found = tuple(clashes(configuration, not_ours, observed, wanted.state()))
    return Resolution(
        observed=observed,
        desired=wanted.state(),
        problems=(*wanted.problems, *found),
        is_possible=wanted.is_possible and not found,
    )
