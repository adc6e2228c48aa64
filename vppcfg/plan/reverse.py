"""The way back: the plan from where a plan leads to where it started."""

from __future__ import annotations

from dataclasses import replace

from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface
from vppcfg.model.state import State
from vppcfg.plan.plan import Plan, make_plan


def reverse_plan(plan: Plan) -> Plan:
    """Return the plan that undoes `plan`, as far as VPP can be brought back: see `restorable`."""
    return make_plan(end_of(plan), restorable(plan.observed))


def end_of(plan: Plan) -> State:
    """Return where a plan leads, as far as that is known before it is carried out.

    Which MAC a bond gets from its members is known only where the desired state says it.
    """
    reached = plan.reached
    bonds = {
        name: replace(reached.interfaces[name], mac=plan.desired.interfaces[name].mac)
        for name in reached.made_as(Bond)
        if name in plan.desired.interfaces
    }
    return replace(reached, interfaces={**reached.interfaces, **bonds}) if bonds else reached


def restorable(state: State) -> State:
    """Return the state, the same in effect, that VPP can be brought to from anywhere.

    The members of a bond come back with the MAC that it gives them. An LCP pair that had lost its Linux device does
    not come back: it did nothing. A sub-interface that was up below a port that was down comes back down: it forwards
    as little, and VPP would want the port up to set it (vnet/interface.c).
    """
    lcps = {name: pair for name, pair in state.lcps.items() if pair.has_host}
    interfaces = {
        name: replace(interface, is_up=False) if _is_up_below_down(interface, state) else interface
        for name, interface in state.interfaces.items()
    }
    for bond in state.made_as(Bond).values():
        interfaces.update({name: replace(interfaces[name], mac="") for name in bond.members})
    return replace(state, interfaces=interfaces, lcps=lcps)


def _is_up_below_down(interface: Interface, state: State) -> bool:
    return interface.is_up and interface.parent is not None and not state.interfaces[interface.parent].is_up
