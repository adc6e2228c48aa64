"""From a configuration and an observed state to the desired state: what the file leaves open is filled in.

Objects that are not ours are copied as they are, so that no plan can touch them. What the file asks for and this
dataplane cannot give comes out as problems; the desired state then leaves it as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from vppcfg.common.numbers import numbered
from vppcfg.config.ownership_conflicts import conflicts, taken_by_live
from vppcfg.config.removed_holders import owned_by_applied
from vppcfg.config.section_list import SECTIONS
from vppcfg.config.sections import desired_interface
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.kinds import tunnel_neighbor
from vppcfg.kinds.bond import announcing
from vppcfg.kinds.entry_keys import ENTRY_KEYS
from vppcfg.kinds.owned_list import OWNED
from vppcfg.kinds.virtual_interface_list import KIND_OF_VIRTUAL, VIRTUAL_INTERFACES, section_of
from vppcfg.model.interface import Interface, InterfaceKind, OtherMatch
from vppcfg.model.kinds import is_marked
from vppcfg.model.live_state import marked, with_live_of
from vppcfg.model.ownership import is_foreign
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.model.virtual_interface import VIRTUAL_INTERFACE_OF
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
    observed = marked(observed, _addresses_in(configuration))
    desired = DesiredStateBuilder(configuration, observed, adopt=adopt)
    _copy_unmanaged(desired)
    not_ours = desired.state()
    for section in SECTIONS:
        section.resolve(desired)
    desired_interface.resolve(desired, VIRTUAL_INTERFACES)
    for entry_key in ENTRY_KEYS:
        entry_key.resolve(desired)
    for section in SECTIONS:
        section.resolve_settings(desired)
    announcing.resolve_announcing(desired)
    for entry_key in ENTRY_KEYS:
        entry_key.resolve_linux(desired)
    for section in SECTIONS:
        section.resolve_linux(desired)
    desired.owned |= owned_by_applied(desired, applied)
    _drop_on_missing_interfaces(desired)
    _keep_used_by_others(desired)
    _report_left_alone(desired)
    state = with_live_of(desired.state(), observed)
    found = (*conflicts(configuration, not_ours, observed, state), *taken_by_live(configuration, state))
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
    for section in (*OWNED, tunnel_neighbor.SECTION):
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


def _copy_unmanaged(desired: DesiredStateBuilder) -> None:
    """Enter as it is what carries the tag of another program, is `unmanaged`, or cannot be expressed.

    Ports are looked at before sub-interfaces, which follow theirs.
    """
    observed = desired.observed
    for interface in sorted(observed.interfaces.values(), key=lambda interface: interface.parent is not None):
        name = interface.name
        if not _is_ours(desired, interface):
            desired.interfaces[name] = interface
            if name in observed.lcps:
                desired.lcps[name] = observed.lcps[name]
            if name in observed.virtual:
                desired.virtual[name] = observed.virtual[name]
    _copy_created_ports(desired)
    for section in SECTIONS:
        section.copy_unmanaged(desired)


def _is_ours(desired: DesiredStateBuilder, interface: Interface) -> bool:
    """Return whether plans may change the interface; report it where the file asks for what must not be."""
    path = desired.configuration.path_of(interface.name)
    if path is None:
        return _is_ours_unnamed(desired, interface)
    if is_foreign(interface.tag) and not desired.adopt:
        text = (
            f'{interface.name} carries the tag "{interface.tag}" of another program; '
            "remove it from the file, list it under unmanaged, or plan with --adopt"
        )
        desired.problem("foreign-tag", path, text)
        return False
    if interface.parent is not None:
        return interface.parent not in desired.interfaces
    return _is_in_sync(desired, interface)


def _is_in_sync(desired: DesiredStateBuilder, interface: Interface) -> bool:
    """Return whether an interface is one that the file can make, or a port; report it where it is not."""
    name, virtual = interface.name, desired.observed.virtual.get(interface.name)
    config = desired.configuration.virtual.get(name)
    if interface.kind is InterfaceKind.PHYSICAL:
        if config is None or not section_of(config).virtual.is_owned_by_mark:
            return True
        section = section_of(config)
        reason = section.adoption_conflict(name, desired.observed, section.to_desired(config, None, desired))
        if reason is None:
            return True
        text = f"VPP has {name} already, which no file has made and which is {reason}"
        desired.problem("made-otherwise", config.path, text + "; delete it there, or take it out of the file")
        return False
    if is_marked(interface.kind) and config is None:
        section = (
            KIND_OF_VIRTUAL[type(virtual)]
            if virtual is not None
            else KIND_OF_VIRTUAL[VIRTUAL_INTERFACE_OF[interface.kind]]
        )
        path = desired.configuration.path_of(name) or (section.key,)
        text = f"{name} was created by a file, and is not in this one; add it to `{section.key}`"
        desired.problem("made-undefined", path, text + ", or take it out of the file and have it removed")
        return False
    if virtual is not None and not KIND_OF_VIRTUAL[type(virtual)].may_remove(virtual):
        text = f"{name} is in VPP, and {KIND_OF_VIRTUAL[type(virtual)].unsupported_reason(virtual)}"
        path = desired.configuration.path_of(name) or ("interfaces",)
        desired.problem("made-unsupported", path, text + "; delete it there, or list it under unmanaged")
        return False
    return True


def _is_ours_unnamed(desired: DesiredStateBuilder, interface: Interface) -> bool:
    if desired.globs.matches(interface.name) or is_foreign(interface.tag):
        return False
    if interface.kind is InterfaceKind.PHYSICAL:
        text = (
            f"VPP has an interface {interface.name} that the file does not name; "
            f"add it under interfaces, or `unmanaged: [ {interface.name} ]`"
        )
        desired.problem("phy-unlisted", ("interfaces",), text)
        return False
    if interface.parent is not None:
        is_sayable = not isinstance(interface.encapsulation, OtherMatch)
        return is_sayable and interface.parent not in desired.interfaces
    virtual = desired.observed.virtual.get(interface.name)
    if virtual is None:
        return True
    section = KIND_OF_VIRTUAL[type(virtual)]
    return section.may_remove(virtual) and bool(interface.tag or not section.needs_mark(virtual))


def _copy_created_ports(desired: DesiredStateBuilder) -> None:
    """Enter the settings of ports that other programs created and the file does not take over."""
    for name, virtual in desired.observed.virtual.items():
        interface = desired.observed.interfaces.get(name)
        is_port = interface is not None and interface.kind is InterfaceKind.PHYSICAL
        if is_port and name not in desired.configuration.virtual:
            desired.virtual.setdefault(name, virtual)
