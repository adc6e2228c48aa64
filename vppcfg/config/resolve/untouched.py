"""What is not ours: somebody else's tag, the `unmanaged` list, and what the configuration cannot say."""

from __future__ import annotations

from vppcfg.config.resolve.wanted import Wanted
from vppcfg.model.acl import Acl
from vppcfg.model.bridge import Bridge
from vppcfg.model.interface import Interface, InterfaceKind, OtherMatch
from vppcfg.model.ownership import is_foreign
from vppcfg.model.vxlan import Vxlan


def copy(wanted: Wanted) -> None:
    """Enter everything that is not ours as it is; ports before sub-interfaces, which follow theirs."""
    observed = wanted.observed
    for interface in sorted(observed.interfaces.values(), key=lambda interface: interface.parent is not None):
        if not _is_ours(wanted, interface):
            _copy_interface(wanted, interface.name)
    _copy_bridges(wanted)
    _copy_acls(wanted)


def _copy_interface(wanted: Wanted, name: str) -> None:
    observed = wanted.observed
    wanted.interfaces[name] = observed.interfaces[name]
    if name in observed.lcps:
        wanted.lcps[name] = observed.lcps[name]
    if name in observed.made:
        wanted.made[name] = observed.made[name]


def _is_ours(wanted: Wanted, interface: Interface) -> bool:
    """Return whether plans may change the interface; say so where the file wants what must not be."""
    path = path_of(wanted, interface.name)
    if path is None:
        return _is_ours_unnamed(wanted, interface)
    if is_foreign(interface.tag) and not wanted.adopt:
        text = (
            f'{interface.name} carries the tag "{interface.tag}" of somebody else; '
            "take it out of the file, list it under unmanaged, or plan with --adopt"
        )
        wanted.problem("foreign-tag", path, text)
        return False
    if interface.tables != (0, 0):
        text = f"{interface.name} is in FIB table {max(interface.tables)}, which the configuration cannot say yet"
        wanted.problem("vrf-unsupported", path, text + "; list it under unmanaged")
        return False
    return interface.parent not in wanted.interfaces


def path_of(wanted: Wanted, name: str) -> tuple[str | int, ...] | None:
    """Return where the file names an interface, None when it does not."""
    configuration = wanted.configuration
    for section in (configuration.interfaces, configuration.bonds, configuration.vxlans, configuration.taps):
        if name in section:
            return section[name].path
    return None


def _is_ours_unnamed(wanted: Wanted, interface: Interface) -> bool:
    if wanted.globs.matches(interface.name) or is_foreign(interface.tag):
        return False
    if interface.kind is InterfaceKind.PHYSICAL:
        text = (
            f"VPP has an interface {interface.name} that the file does not name; "
            f"add it under interfaces, or `unmanaged: [ {interface.name} ]`"
        )
        wanted.problem("phy-unlisted", ("interfaces",), text)
        return False
    if interface.parent is not None:
        is_sayable = not isinstance(interface.encapsulation, OtherMatch)
        return is_sayable and interface.parent not in wanted.interfaces
    vxlan = wanted.observed.making(interface.name, Vxlan)
    return interface.tables == (0, 0) and (vxlan is None or vxlan.is_plain)


def _copy_bridges(wanted: Wanted) -> None:
    """Copy bridges of somebody else, or with a member that is not ours, from under the file."""
    occupied = {interface.bridge for interface in wanted.interfaces.values()}
    for name, bridge in wanted.observed.bridges.items():
        reason = _why_not_ours(wanted, name, bridge, is_occupied=bridge.bd_id in occupied)
        if reason is None:
            continue
        wanted.bridges[name] = bridge
        config = wanted.configuration.bridges.get(name)
        if config is not None:
            wanted.problem("foreign-tag", config.path, f"{name} {reason}; take it out of the file")


def _why_not_ours(wanted: Wanted, name: str, bridge: Bridge, *, is_occupied: bool) -> str | None:
    if is_foreign(bridge.tag) and not wanted.adopt:
        return f'carries the tag "{bridge.tag}" of somebody else'
    if wanted.globs.matches(name):
        return "is unmanaged"
    return "has a member that is not managed" if is_occupied else None


def _copy_acls(wanted: Wanted) -> None:
    """Copy access lists of somebody else, and those that an interface applies that is not ours."""
    applied = {
        name
        for interface in wanted.interfaces.values()
        for name in (*interface.acls.input, *interface.acls.output)
        if name not in wanted.configuration.acls
    }
    for name, acl in wanted.observed.acls.items():
        if name in applied or _is_somebody_elses(wanted, name, acl):
            wanted.acls[name] = acl


def _is_somebody_elses(wanted: Wanted, name: str, acl: Acl) -> bool:
    return is_foreign(acl.tag) or (name not in wanted.configuration.acls and wanted.globs.matches(f"acl:{acl.tag}"))
