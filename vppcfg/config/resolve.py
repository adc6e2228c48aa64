"""From a configuration and an observed state to the desired state: what the file leaves open is filled in.

Objects that are not ours are copied as they are, so that no plan can touch them. What the file asks for and this
dataplane cannot give comes out as problems; the desired state then leaves it as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from vppcfg.common.numbers import numbered
from vppcfg.config.ownership_conflicts import live_address_conflicts, unmanaged_conflicts
from vppcfg.config.removed_holders import owned_by_applied
from vppcfg.config.section_list import SECTIONS
from vppcfg.config.sections import desired_interface
from vppcfg.config.unmanaged import copy_unmanaged
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.kinds.bond import announcing
from vppcfg.kinds.entry_keys import ENTRY_KEYS
from vppcfg.kinds.kind_list import OWNED_SECTIONS
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.live_state import with_live_addresses, with_live_of
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Reference, Referent, VppObject, has_object, is_owned, left_alone
from vppcfg.record import record


@record
class Resolution:
    """The desired state, the one it was made for, and what stands in the way."""

    observed: State
    desired: State
    problems: tuple[Problem, ...] = ()
    is_possible: bool = True
    """False when the file asks for what is taken or missing: then there is no plan to show."""
    missing: tuple[str, ...] = ()
    """Interfaces that the file needs and others create, and that are not there yet, each once."""


def resolve(
    configuration: Configuration,
    observed: State,
    *,
    adopt: bool = False,
    applied: Callable[[], State | None] = lambda: None,
) -> Resolution:
    """Return what the dataplane should become; with `adopt`, a named interface may carry the tag of another program.

    `applied` returns the state that the file in force sets, None where that is not known.
    """
    observed = with_live_addresses(observed, _addresses_in(configuration))
    desired = DesiredStateBuilder(configuration, observed, adopt=adopt)
    copy_unmanaged(desired)
    unmanaged = desired.state()
    for section in SECTIONS:  # pass over the names that unmanaged objects have
        section.resolve(desired)
    desired_interface.resolve(desired, VIRTUAL_INTERFACES)  # enters a bond or tunnel only where its section did
    for entry_key in ENTRY_KEYS:  # change the interfaces entered so far
        entry_key.resolve(desired)
    for section in SECTIONS:  # LLDP, for one, is set only where an interface has it
        section.resolve_settings(desired)
    announcing.resolve_announcing(desired)  # reads bonds, addresses and routes together
    for entry_key in ENTRY_KEYS:  # LCP pairs of the interfaces
        entry_key.resolve_linux(desired)
    for section in SECTIONS:  # neighbours that Linux has on the devices of those pairs
        section.resolve_linux(desired)
    desired.owned |= owned_by_applied(desired, applied)  # compares with the interfaces that stay
    _drop_on_missing_interfaces(desired)
    _keep_used_by_others(desired)  # not by what was just dropped; needs all that the file owns
    _report_left_alone(desired)
    state = with_live_of(desired.state(), observed)
    found = (
        *unmanaged_conflicts(configuration, unmanaged, observed, state),
        *live_address_conflicts(configuration, state),
    )
    return Resolution(
        observed=observed,
        desired=state,
        problems=(*desired.problems, *found),
        is_possible=desired.is_possible and not found,
        missing=tuple(dict.fromkeys(desired.missing)),
    )


def _drop_on_missing_interfaces(desired: DesiredStateBuilder) -> None:
    """Drop objects on interfaces of the file that VPP lacks and nothing creates, and what refers to those objects.

    A problem names each of the interfaces; the plan of everything else is still shown.
    """
    missing = desired.configuration.interfaces.keys() - desired.interfaces.keys()
    lost = {Reference(Referent.INTERFACE, name) for name in missing}
    while lost:
        dropped = {each for found in desired.objects.values() for each in found.values() if lost & {*each.references()}}
        for each in dropped:
            del desired.objects[type(each)][each.name]
        lost = {Reference(Referent.OBJECT, each.label) for each in dropped}


def _keep_used_by_others(desired: DesiredStateBuilder) -> None:
    """Keep objects that the file owns and lacks while one that it leaves alone refers to them, and report it."""
    observed, owned = desired.observed, frozenset(desired.owned)
    for user in _left_alone(desired):
        for reference in user.references():
            if reference.referent is not Referent.OBJECT or has_object(desired.objects, reference.name):
                continue
            used = next((each for each in _every(observed) if each.label == reference.name), None)
            if used is not None and is_owned(used, owned):
                desired.enter(used)
                text = f"{used.label} is not in the file, and {user.label}, which the file leaves alone, uses it"
                desired.problem("object-in-use", (), f"{text}; add it, or the key of {user.scope} that owns it")


def _report_left_alone(desired: DesiredStateBuilder) -> None:
    """Note in a line for each key how many objects VPP has that the file leaves alone."""
    left = Counter(type(each) for each in _left_alone(desired))
    for section in OWNED_SECTIONS:
        count = sum(left[object_class] for object_class in section.object_classes)
        if count:
            nouns = " and ".join(
                numbered(left[object_class], object_class.noun)
                for object_class in section.object_classes
                if left[object_class]
            )
            text = f"VPP has {nouns} that the file leaves alone, since it has no `{section.key}` there"
            desired.notice("left-alone", (), text)


def _left_alone(desired: DesiredStateBuilder) -> Iterator[VppObject]:
    """Yield the objects of VPP that no key of the file owns."""
    owned = frozenset(desired.owned)
    return left_alone(desired.observed.objects, owned)


def _every(state: State) -> Iterator[VppObject]:
    return (each for found in state.objects.values() for each in found.values())


def _addresses_in(configuration: Configuration) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return what a file has of the addresses of each interface: its own, and those that it leaves alone."""
    return {name: (each.addresses, each.unmanaged_addresses) for name, each in configuration.interfaces.items()}
