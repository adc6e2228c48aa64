"""From a State to the text of a configuration that means just that: loading it and planning gives nothing to do.

What the language cannot say is listed under `unmanaged`, with the reason; sub-interfaces follow their parent there.
The dataplane section, prefix lists and the names of protocols and services are not written: no VPP knows them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vppcfg.common.names import natural_key
from vppcfg.config.configuration import Configuration
from vppcfg.config.desired_state import whole_descriptions
from vppcfg.config.names import glob_of
from vppcfg.config.parsed import Parsed
from vppcfg.config.resolve import resolve
from vppcfg.config.rules.index import index_of
from vppcfg.config.rules.rule_list import check_rules
from vppcfg.config.section_list import INTERFACES, SECTIONS, VIRTUAL_SECTION_OF
from vppcfg.config.sections import acl, bridge, macip
from vppcfg.config.sections.section import Section, Unmanaged, YamlEntry, enter
from vppcfg.kinds import vrf_section as vrf
from vppcfg.kinds.bond.entry import BondConfig
from vppcfg.kinds.policy_route_section import in_file
from vppcfg.kinds.tap.entry import TapConfig
from vppcfg.model.bond import Bond
from vppcfg.model.bridge import bridge_name
from vppcfg.model.interface import Interface
from vppcfg.model.live_state import marked
from vppcfg.model.memif import sockets_in_use
from vppcfg.model.placement import moved
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.model.state import State, tables_in_use
from vppcfg.model.vrf import UNMANAGED_VRF
from vppcfg.record import evolve, record

_IDLE_SOCKET = "no memif is at this socket, and without this line the next plan removes it"
_ODD = "its setup cannot be expressed in a configuration"


def with_names_of(accepted: Configuration, state: State) -> State:
    """Return a state with what only files say: whole descriptions, names of peers and of files with keys, addresses.

    That is, which addresses are those of the file and which are left alone.
    """
    virtual = {
        name: VIRTUAL_SECTION_OF[type(each)].named(each, accepted.virtual[name]) if name in accepted.virtual else each
        for name, each in state.virtual.items()
    }
    addresses = {name: (each.addresses, each.unmanaged_addresses) for name, each in accepted.interfaces.items()}
    return marked(replace(state, descriptions=whole_descriptions(accepted), virtual=virtual), addresses)


@record
class Written:
    """A state as a configuration."""

    text: str
    configuration: Configuration
    left: Unmanaged
    """What it leaves alone, with the reasons."""


def write(state: State) -> str:
    """Return the YAML text of `state`, pleasant to read: natural order, short lists inline, defaults left out."""
    return written(state).text


def written(state: State, *, chosen_macs: Collection[str] | None = None, with_bond_macs: bool = True) -> Written:
    """Return what `write` does, with what it says and leaves alone.

    `chosen_macs`, when they are known, are said of the interfaces that have them, where `write` takes them for the
    hardware's, and of TAPs no others are said. Without `with_bond_macs` no other MAC is said of a bond that has that of
    a member: it takes that of its first one.
    """
    configuration, left = expressible(state)
    if chosen_macs is not None:
        configuration = _with_macs(configuration, state, chosen_macs, with_bond_macs=with_bond_macs)
    virtual = {
        name: VIRTUAL_SECTION_OF[type(state.virtual[name])].completed(entry)
        for name, entry in configuration.virtual.items()
    }
    configuration = replace(configuration, virtual=virtual)
    reasons = _unmanaged_globs(state, left)
    texts = ("\n".join(section.lines(configuration, reasons)) for section in SECTIONS)
    text = "\n\n".join(text for text in texts if text) + "\n"
    return Written(text=text, configuration=configuration, left=left)


def _with_macs(
    configuration: Configuration, state: State, chosen: Collection[str], *, with_bond_macs: bool
) -> Configuration:
    virtual, interfaces = dict(configuration.virtual), dict(configuration.interfaces)
    members: set[str] = set()
    for name, bond in configuration.virtual_as(BondConfig).items():
        own = state.virtual_as(Bond)[name].members
        members.update(own)
        is_taken = any(state.interfaces[member].mac == bond.mac for member in own if member in state.interfaces)
        if is_taken and not with_bond_macs and bond.mac not in chosen:
            virtual[name] = replace(bond, mac=None)
    for name, tap in configuration.virtual_as(TapConfig).items():
        if tap.host_mac not in chosen:
            virtual[name] = replace(tap, host_mac=None)
    for name, interface in interfaces.items():
        mac = state.interfaces[name].mac
        if mac in chosen and name not in members and not isinstance(virtual.get(name), BondConfig):
            interfaces[name] = replace(interface, mac=mac)
    return replace(configuration, virtual=virtual, interfaces=interfaces)


def expressible(state: State) -> tuple[Configuration, Unmanaged]:
    """Return a configuration that means `state`, and what it leaves alone with the reasons.

    What the rules or the resolver object to is left alone too, and all is tried again, until nothing is objected to.
    """
    left = _inexpressible(state)
    while True:
        _Followers(left, state).run()
        configuration = _configuration_of(state, left)
        before = left.how_many()
        _object(configuration, state, left)
        if left.how_many() == before:
            return configuration, left


def yaml_entries(
    state: State,
    *,
    with_macs: Collection[str] = (),
    namespaces: Collection[str] = (),
    linux_bridges: Collection[tuple[str, str]] = (),
    sections: Sequence[Section] = SECTIONS,
) -> dict[KeyPath, YamlEntry]:
    """Return by path the entries that say what a state is, defaults too, as far as some sections of a file can say it.

    Of the interfaces `with_macs` the MAC is told that may be the hardware's. `namespaces` and `linux_bridges` are those
    of Linux that TAPs are said to make.
    """
    configuration = _configuration_of(state, Unmanaged({}, {}, {}, {}, {}), sections)
    interfaces = dict(configuration.interfaces)
    for name in with_macs:
        if name in interfaces and not isinstance(state.virtual.get(name), Bond):
            interfaces[name] = replace(interfaces[name], mac=state.interfaces[name].mac or None)
    virtual = {
        name: VIRTUAL_SECTION_OF[type(state.virtual[name])].creating_in_linux(entry, namespaces, linux_bridges)
        for name, entry in configuration.virtual.items()
    }
    configuration = replace(configuration, interfaces=interfaces, virtual=virtual)
    return {entry.path: entry for section in sections for entry in section.yaml_entries(configuration)}


def _inexpressible(state: State) -> Unmanaged:
    """Return what the file cannot say by itself."""
    return Unmanaged(
        interfaces={
            name: reason for name in state.interfaces if (reason := INTERFACES.unsupported_reason(name, state))
        },
        bridges={
            name: reason for name, each in state.bridges.items() if (reason := bridge.unsupported_reason(name, each))
        },
        vrfs={key: reason for key, each in state.vrfs.items() if (reason := vrf.unsupported_table(each, state))},
        acls={name: reason for name, each in state.acls.items() if (reason := acl.unsupported_reason(name, each))},
        macips={
            name: reason for name, each in state.macips.items() if (reason := macip.unsupported_reason(name, each))
        },
    )


def _configuration_of(state: State, left: Unmanaged, sections: Sequence[Section] = SECTIONS) -> Configuration:
    """Return the configuration of all that is not left alone; nothing is checked here."""
    attributes: dict[str, Any] = {"unmanaged": tuple(_unmanaged_globs(state, left))}
    for section in sections:
        part = section.from_state(state, left)
        if part is not None and section.attribute is not None:
            enter(attributes, section.attribute, part)
    return Configuration(**attributes)


def _unmanaged_globs(state: State, left: Unmanaged) -> dict[str, str]:
    """Return the patterns for what is left alone, in order, each with the reason."""
    listed = {
        name: why for name, why in left.interfaces.items() if state.interfaces[name].parent not in left.interfaces
    }
    found = {glob_of(name): listed[name] for name in sorted(listed, key=natural_key)}
    found |= {glob_of(name): left.bridges[name] for name in sorted(left.bridges, key=natural_key)}
    found |= {glob_of(f"{UNMANAGED_VRF}{state.vrfs[key].name}"): left.vrfs[key] for key in sorted(left.vrfs)}
    found |= {glob_of(f"acl:{state.acls[name].tag}"): left.acls[name] for name in sorted(left.acls)}
    found |= {glob_of(f"{macip.KIND}{state.macips[name].tag}"): left.macips[name] for name in sorted(left.macips)}
    idle = dict(state.facts.memif_sockets).keys() - sockets_in_use(state.virtual.items()).keys()
    return found | {f"memif{number}/*": _IDLE_SOCKET for number in sorted(idle)}


def _object(configuration: Configuration, state: State, left: Unmanaged) -> None:
    """Add what cannot stay in a configuration to what is left alone."""
    resolution = resolve(configuration, state)
    for problem in (*check_rules(index_of(Parsed(configuration=configuration))), *resolution.problems):
        if problem.severity is Severity.ERROR:
            _object_to(problem, configuration, left)
    desired, observed = resolution.desired.with_explicit_mtus(), state.with_explicit_mtus()
    for name in _changed_interfaces(configuration, desired, observed):
        left.interfaces.setdefault(name, _ODD)
    for name in _changed(configuration.bridges, desired.bridges, observed.bridges):
        left.bridges.setdefault(name, _ODD)
    for key in _changed(state.vrfs, desired.vrfs, observed.vrfs):
        left.vrfs.setdefault(key, _ODD)
    for name in _changed(configuration.acls, desired.acls, observed.acls):
        left.acls.setdefault(name, _ODD)
    for name in _changed(configuration.macips, desired.macips, observed.macips):
        left.macips.setdefault(name, _ODD)


def _object_to(problem: Problem, configuration: Configuration, left: Unmanaged) -> None:
    section, name = (str(key) for key in (*problem.path, "", "")[:2])
    if section == bridge.SECTION.key and name in configuration.bridges:
        left.bridges.setdefault(name, problem.text)
    elif section == acl.SECTION.key and name in configuration.acls:
        left.acls.setdefault(name, problem.text)
    elif section == macip.SECTION.key and name in configuration.macips:
        left.macips.setdefault(name, problem.text)
    elif section == vrf.SECTION.key and name in configuration.vrfs:
        for table in vrf.tables_of(configuration.vrfs[name]):
            left.vrfs.setdefault(table.key, problem.text)
    else:
        if problem.path[2:3] == ("sub-interfaces",) and len(problem.path) > 3:
            name = f"{name}.{problem.path[3]}"
        if name in configuration.interfaces:
            left.interfaces.setdefault(name, problem.text)


def _changed_interfaces(configuration: Configuration, desired: State, observed: State) -> Iterator[str]:
    """Yield what a plan would change; an empty MAC in the desired state means any."""
    for name in configuration.interfaces:
        target, found = desired.interfaces.get(name), observed.interfaces[name]
        if target is not None and not target.mac:
            found = evolve(found, mac="")
        if target is not None and (found.rx_placement or found.tx_placement):
            found = _with_queues_left_open(found, target)
        is_same = (
            target == found
            and desired.lcps.get(name) == observed.lcps.get(name)
            and desired.virtual.get(name) == observed.virtual.get(name)
        )
        if not is_same:
            yield name


def _with_queues_left_open(found: Interface, target: Interface) -> Interface:
    """Return a port without what its queues have and nobody wants otherwise."""
    rx, tx = target.rx_placement, target.tx_placement
    return replace(
        found,
        rx_placement=found.rx_placement if any(moved(found.rx_placement, rx)) else rx,
        tx_placement=found.tx_placement if any(moved(found.tx_placement, tx)) else tx,
    )


def _changed(names: Mapping[str, object], desired: Mapping[str, object], observed: Mapping[str, object]) -> list[str]:
    return [name for name in names if desired.get(name) != observed.get(name)]


class _Followers:
    """Adds everything that refers to what is left alone, or is a part of it, until nothing more does.

    References are followed backwards, each once.
    """

    def __init__(self, left: Unmanaged, state: State) -> None:
        self._left = left
        self._state = state
        self._children = state.sub_interfaces_by_parent()
        self._referrers: dict[str, list[tuple[str, str]]] = {}
        """Interface -> interfaces that refer to it, and how."""
        self._members: dict[str, list[str]] = {}
        """Bridge domain -> its members."""
        self._bound: dict[str, list[str]] = {}
        """Access list -> interfaces that apply it."""
        self._with_macip: dict[str, list[str]] = {}
        """MACIP access list -> interfaces that apply it."""
        self._inside: dict[str, list[str]] = {}
        """FIB table -> interfaces in it, and tunnels whose ends are."""
        self._index()

    def _index(self) -> None:
        for interface in self._state.interfaces.values():
            for target, words in self._references(interface):
                self._referrers.setdefault(target, []).append((interface.name, words))
            if interface.bridge is not None:
                self._members.setdefault(bridge_name(interface.bridge), []).append(interface.name)
            for key in tables_in_use(self._state, [interface.name]):
                self._inside.setdefault(key, []).append(interface.name)
            steered = [each.acl for each in in_file(interface, self._state)]
            for name in (*interface.acls.input, *interface.acls.output, *steered):
                self._bound.setdefault(name, []).append(interface.name)
            if interface.macip is not None:
                self._with_macip.setdefault(interface.macip, []).append(interface.name)

    def _references(self, interface: Interface) -> Iterator[tuple[str, str]]:
        if interface.l2xc is not None:
            yield interface.l2xc, "it is cross-connected to"
        if interface.unnumbered is not None:
            yield interface.unnumbered, "it borrows the addresses of"
        for mirror in interface.mirrors:
            yield mirror.target, "it mirrors frames to"
        for hop in (hop for route in in_file(interface, self._state) for hop in route.hops if hop.interface):
            yield hop.interface, "it has a policy route through"
        bond = self._state.virtual_of(interface.name, Bond)
        for member in bond.members if bond is not None else ():
            yield member, "it has the member"

    def run(self) -> None:
        self._pending = [name for name in self._state.interfaces if self._left.covers(name, self._state)]
        for name in tuple(self._left.bridges):
            self._spread_from_bridge(name)
        for name in tuple(self._left.acls):
            for interface in self._bound.get(name, ()):
                self._add(interface, f"it applies the access list {name.removeprefix('acl:')}, which is unmanaged")
        for name in tuple(self._left.macips):
            for interface in self._with_macip.get(name, ()):
                self._add(interface, f"it applies the MACIP list {name.removeprefix(macip.KIND)}, which is unmanaged")
        for key in self._left.vrfs:
            for interface in self._inside.get(key, ()):
                self._add(interface, f"it needs the FIB table {key}, which is unmanaged")
        while self._pending:
            self._spread(self._pending.pop())

    def _spread(self, name: str) -> None:
        for referrer, words in self._referrers.get(name, ()):
            self._add(referrer, f"{words} {name}, which is unmanaged")
        bond = self._state.virtual_of(name, Bond)
        for member in bond.members if bond is not None else ():
            self._add(member, f"it is a member of {name}, which is unmanaged")
        bridge = self._state.interfaces[name].bridge
        if bridge is not None and bridge_name(bridge) in self._state.bridges:
            self._add_bridge(bridge_name(bridge), f"its member {name} is unmanaged")

    def _add(self, name: str, reason: str) -> None:
        if name in self._state.interfaces and not self._left.covers(name, self._state):
            self._left.interfaces[name] = reason
            self._pending += [name, *self._children.get(name, ())]

    def _add_bridge(self, name: str, reason: str) -> None:
        if name not in self._left.bridges:
            self._left.bridges[name] = reason
            self._spread_from_bridge(name)

    def _spread_from_bridge(self, name: str) -> None:
        for member in self._members.get(name, ()):
            self._add(member, f"it is a member of {name}, which is unmanaged")
