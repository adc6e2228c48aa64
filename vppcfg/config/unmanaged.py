"""Copies what plans leave alone into the desired state, unchanged: interfaces of other programs, and what they use."""

from __future__ import annotations

from vppcfg.config.section_list import SECTIONS
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.kinds.virtual_interface_list import KIND_OF_VIRTUAL, section_of
from vppcfg.model.interface import Interface, InterfaceKind, OtherMatch
from vppcfg.model.kinds import is_bvi_of_others, is_marked
from vppcfg.model.ownership import is_foreign
from vppcfg.model.virtual_interface import VIRTUAL_INTERFACE_OF


def copy_unmanaged(desired: DesiredStateBuilder) -> None:
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
    return _is_adoptable(desired, interface)


def _is_adoptable(desired: DesiredStateBuilder, interface: Interface) -> bool:
    """Return whether the file can take over an interface as VPP has it; report why it cannot."""
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
    if interface.kind is InterfaceKind.PHYSICAL or is_bvi_of_others(interface):
        section = "interfaces" if interface.kind is InterfaceKind.PHYSICAL else "loopbacks"
        text = (
            f"VPP has an interface {interface.name} that the file does not name; "
            f"add it under {section}, or `unmanaged: [ {interface.name} ]`"
        )
        desired.problem("phy-unlisted", (section,), text)
        return False
    if interface.parent is not None:
        is_expressible = not isinstance(interface.encapsulation, OtherMatch)
        return is_expressible and interface.parent not in desired.interfaces
    virtual = desired.observed.virtual.get(interface.name)
    if virtual is None:
        return True
    kind = KIND_OF_VIRTUAL[type(virtual)]
    return kind.may_remove(virtual) and bool(interface.tag or not kind.needs_mark(virtual))


def _copy_created_ports(desired: DesiredStateBuilder) -> None:
    """Enter the settings of ports that other programs created and the file does not take over."""
    for name, virtual in desired.observed.virtual.items():
        interface = desired.observed.interfaces.get(name)
        is_port = interface is not None and interface.kind is InterfaceKind.PHYSICAL
        if is_port and name not in desired.configuration.virtual:
            desired.virtual.setdefault(name, virtual)
