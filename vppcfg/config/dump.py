"""Writes a State as a configuration that means just that: loading it and planning gives nothing to do.

What the language cannot express is listed under `unmanaged`, with the reason; sub-interfaces follow their parent there.
The dataplane section, prefix lists and the names of protocols and services are not written: no VPP knows them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from vppcfg.common.addresses import why_unfit
from vppcfg.common.names import natural_key
from vppcfg.config.resolve import resolve
from vppcfg.config.rules.rule_list import check_rules
from vppcfg.config.section_list import INTERFACES, SECTIONS
from vppcfg.engine.table_kind import AnyTable
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.desired_state import whole_descriptions
from vppcfg.entries.index import Parsed, index_of
from vppcfg.entries.names import glob_of
from vppcfg.entries.section import Section, Unmanaged, YamlEntry, enter
from vppcfg.kinds import vrf_section as vrf
from vppcfg.kinds.kind_list import TABLES
from vppcfg.kinds.policy_route_section import in_file
from vppcfg.kinds.tap.entry import TapConfig
from vppcfg.kinds.virtual_interface_list import KIND_OF_VIRTUAL
from vppcfg.model.bond import Bond
from vppcfg.model.interface import FEATURE_TABLES, Interface, InterfaceKind, without_features
from vppcfg.model.live_state import leaving_alone, with_live_addresses
from vppcfg.model.memif import sockets_in_use
from vppcfg.model.placement import moved
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.model.state import State, tables_in_use
from vppcfg.model.vrf import UNMANAGED_VRF
from vppcfg.record import evolve, record

_IDLE_SOCKET = "no memif is at this socket, and without this line the next plan removes it"
_TABLES = [
    section.attribute
    for section in SECTIONS
    if section.attribute in {"vrfs", *(kind.table for kind in TABLES)} and section.attribute is not None
]
"""Tables of objects that `unmanaged` can exclude, in the order of the file."""
_uses = attrgetter(*(attribute for kind in TABLES for attribute in kind.used_in))
_USES_NOTHING = _uses(Interface(name="", kind=InterfaceKind.PHYSICAL))
_TABLE_OF = {kind.key: kind for kind in TABLES}
ODD = "its setup cannot be expressed in a configuration"


def with_names_of(accepted: Configuration, state: State) -> State:
    """Return a state with what only files have: whole descriptions, names of peers and of files with keys, addresses.

    That is, which addresses are those of the file and which are left alone.
    """
    virtual = {
        name: KIND_OF_VIRTUAL[type(each)].named(each, accepted.virtual[name]) if name in accepted.virtual else each
        for name, each in state.virtual.items()
    }
    addresses = {name: (each.addresses, each.unmanaged_addresses) for name, each in accepted.interfaces.items()}
    return with_live_addresses(replace(state, descriptions=whole_descriptions(accepted), virtual=virtual), addresses)


@record
class StateAsFile:
    """A state as a configuration file, and what of the state stays out of it."""

    text: str
    configuration: Configuration
    left: Unmanaged
    """What it leaves alone, with the reasons."""


def state_as_file(
    state: State,
    *,
    chosen_macs: Collection[str] | None = None,
    with_bond_macs: bool = True,
    left_keys: Mapping[KeyPath, str] | None = None,
    others: Mapping[str, str] | None = None,
) -> StateAsFile:
    """Return a state as a configuration, which may have services that `check` refuses; without the `left_keys`.

    It leaves alone what fits the patterns `others`, too, each with the reason: the state lacks that.
    `chosen_macs`, when they are known, are written for the interfaces that have them, where `write` takes them for the
    hardware's, and for TAPs no others are written. Without `with_bond_macs` no other MAC is written for a bond that has
    that of a member: it takes that of its first one.
    """
    configuration, left = expressible(state, left_keys)
    if chosen_macs is not None:
        configuration = _with_macs(configuration, state, chosen_macs, with_bond_macs=with_bond_macs)
    virtual = {
        name: KIND_OF_VIRTUAL[type(state.virtual[name])].completed(entry)
        for name, entry in configuration.virtual.items()
    }
    configuration = replace(configuration, virtual=virtual)
    reasons = _unmanaged_globs(state, left) | dict(others or {})
    configuration = replace(configuration, unmanaged=tuple(reasons))
    texts = ("\n".join(section.lines(configuration, reasons)) for section in SECTIONS)
    text = "\n\n".join(text for text in texts if text) + "\n"
    return StateAsFile(text=text, configuration=configuration, left=left)


def _with_macs(
    configuration: Configuration, state: State, chosen: Collection[str], *, with_bond_macs: bool
) -> Configuration:
    virtual, interfaces = dict(configuration.virtual), dict(configuration.interfaces)
    members: set[str] = set()
    bonds = {name: bond for name, bond in state.virtual_as(Bond).items() if name in virtual}
    for name, bond in bonds.items():
        members.update(bond.members)
        mac = virtual[name].mac
        is_taken = any(state.interfaces[each].mac == mac for each in bond.members if each in state.interfaces)
        if is_taken and not with_bond_macs and mac not in chosen:
            virtual[name] = replace(virtual[name], mac=None)
    for name, tap in configuration.virtual_as(TapConfig).items():
        if tap.host_mac not in chosen:
            virtual[name] = replace(tap, host_mac=None)
    for name, interface in interfaces.items():
        mac = state.interfaces[name].mac
        if mac in chosen and name not in members and name not in bonds:
            interfaces[name] = replace(interface, mac=mac)
    return replace(configuration, virtual=virtual, interfaces=interfaces)


def expressible(state: State, left_keys: Mapping[KeyPath, str] | None = None) -> tuple[Configuration, Unmanaged]:
    """Return a configuration that means `state`, and what it leaves alone with the reasons: `left_keys` and more.

    What the rules or the resolver object to is left alone too, and all is tried again, until nothing is objected to.
    """
    state = leaving_alone(state, lambda address: why_unfit(address) is not None)
    left = _inexpressible(state)
    left.keys.update(left_keys or {})
    state = _without_features_of_others(state, left)
    while True:
        _Followers(left, state).run()
        configuration = _configuration_of(state, left)
        before = left.how_many()
        _object(configuration, state, left)
        if left.how_many() == before:
            return configuration, left


def _without_features_of_others(state: State, left: Unmanaged) -> State:
    """Return a state without what interfaces have of services that the file leaves alone: sides of NAT44."""
    off = [
        feature
        for feature, table in FEATURE_TABLES.items()
        if all(_part_of(each, state, left) is None for each in SECTIONS if each.attribute == table)
    ]
    return replace(state, interfaces=without_features(state.interfaces, off))


def yaml_entries(
    state: State,
    *,
    with_macs: Collection[str] = (),
    namespaces: Collection[str] = (),
    linux_bridges: Collection[tuple[str, str]] = (),
    sections: Sequence[Section] = SECTIONS,
) -> dict[KeyPath, YamlEntry]:
    """Return the entries of a state by path, defaults too, as far as some sections of a file can express them.

    Of the interfaces `with_macs` the MAC is written that may be the hardware's. `namespaces` and `linux_bridges` are
    those of Linux that TAPs create in the file.
    """
    configuration = _configuration_of(state, Unmanaged.nothing(), sections)
    interfaces = dict(configuration.interfaces)
    for name in with_macs:
        if name in interfaces and not isinstance(state.virtual.get(name), Bond):
            interfaces[name] = replace(interfaces[name], mac=state.interfaces[name].mac or None)
    virtual = {
        name: KIND_OF_VIRTUAL[type(state.virtual[name])].creating_in_linux(entry, namespaces, linux_bridges)
        for name, entry in configuration.virtual.items()
    }
    configuration = replace(configuration, interfaces=interfaces, virtual=virtual)
    return {entry.path: entry for section in sections for entry in section.yaml_entries(configuration)}


def _inexpressible(state: State) -> Unmanaged:
    """Return what the file cannot express by itself."""
    interfaces = {name: reason for name in state.interfaces if (reason := INTERFACES.unsupported_reason(name, state))}
    left = Unmanaged(interfaces, {table: {} for table in _TABLES}, {})
    for key, fib_table in state.vrfs.items():
        if reason := vrf.unsupported_table(fib_table, state):
            left.leave("vrfs", key, reason)
    for kind in TABLES:
        for name, thing in kind.in_state(state).items():
            if reason := kind.unsupported_reason(name, thing):
                left.leave(kind.table, name, reason)
    return left


def _configuration_of(state: State, left: Unmanaged, sections: Sequence[Section] = SECTIONS) -> Configuration:
    """Return the configuration of all that is not left alone; nothing is checked here."""
    attributes: dict[str, Any] = {"unmanaged": tuple(_unmanaged_globs(state, left))}
    for section in sections:
        part = _part_of(section, state, left)
        if part is not None and section.attribute is not None:
            enter(attributes, section.attribute, part)
    return Configuration(**attributes)


def _part_of(section: Section, state: State, left: Unmanaged) -> Any:
    """Return what a section has of a state, None for nothing, and where it is left out as a whole."""
    return None if section.is_optional and (section.key,) in left.keys else section.from_state(state, left)


def _unmanaged_globs(state: State, left: Unmanaged) -> dict[str, str]:
    """Return the patterns for what is left alone, in order, each with the reason."""
    listed = {
        name: why for name, why in left.interfaces.items() if state.interfaces[name].parent not in left.interfaces
    }
    found = {glob_of(name): listed[name] for name in sorted(listed, key=natural_key)}
    for table, reasons in left.tables.items():
        for name in sorted(reasons, key=natural_key):
            found[glob_of(_unmanaged_name(table, name, state))] = reasons[name]
    idle = dict(state.facts.memif_sockets).keys() - sockets_in_use(state.virtual.items()).keys()
    return found | {f"memif{number}/*": _IDLE_SOCKET for number in sorted(idle)}


def _unmanaged_name(table: str, name: str, state: State) -> str:
    """Return what `unmanaged` calls an object of a table."""
    kind = next((kind for kind in TABLES if kind.table == table), None)
    if kind is None:
        return f"{UNMANAGED_VRF}{state.vrfs[name].name}"
    return kind.unmanaged_name(name, kind.in_state(state)[name])


def _object(configuration: Configuration, state: State, left: Unmanaged) -> None:
    """Add what cannot stay in a configuration to what is left alone."""
    resolution = resolve(configuration, state)
    for problem in (*check_rules(index_of(Parsed(configuration=configuration))), *resolution.problems):
        if problem.severity is Severity.ERROR:
            _object_to(problem, configuration, left)
    desired, observed = resolution.desired.with_explicit_mtus(), state.with_explicit_mtus()
    for name in _changed_interfaces(configuration, desired, observed):
        left.interfaces.setdefault(name, ODD)
    for key in _changed(state.vrfs, desired.vrfs, observed.vrfs):
        left.leave("vrfs", key, ODD)
    for kind in TABLES:
        for name in _changed(kind.entries_in(configuration), kind.in_state(desired), kind.in_state(observed)):
            left.leave(kind.table, name, ODD)


def _object_to(problem: Problem, configuration: Configuration, left: Unmanaged) -> None:
    section, name = (str(key) for key in (*problem.path, "", "")[:2])
    if section == vrf.SECTION.key and name in configuration.vrfs:
        for table in configuration.vrfs[name].tables():
            left.leave("vrfs", table.key, problem.text)
    elif (kind := _TABLE_OF.get(section)) is not None and name in kind.entries_in(configuration):
        left.leave(kind.table, name, problem.text)
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
    """Return a port without the settings of its queues that VPP chose."""
    rx, tx = target.rx_placement, target.tx_placement
    return replace(
        found,
        rx_placement=found.rx_placement if any(moved(found.rx_placement, rx)) else rx,
        tx_placement=found.tx_placement if any(moved(found.tx_placement, tx)) else tx,
    )


def _changed(names: Mapping[str, object], desired: Mapping[str, object], observed: Mapping[str, object]) -> list[str]:
    return [name for name in names if desired.get(name) != observed.get(name)]


class _Followers:
    """Adds to what is left alone, unmanaged, everything that refers to it or is a part of it.

    References are followed backwards, each once.
    """

    def __init__(self, left: Unmanaged, state: State) -> None:
        self._left = left
        self._state = state
        self._children = state.sub_interfaces_by_parent()
        self._referrers: dict[str, list[tuple[str, str]]] = {}
        """Interface -> interfaces that refer to it, and how."""
        self._users: dict[tuple[str, str], list[str]] = {}
        """Table and name of an object -> interfaces that use it."""
        self._inside: dict[str, list[str]] = {}
        """FIB table -> interfaces in it, and tunnels whose ends are."""
        self._index()

    def _index(self) -> None:
        for interface in self._state.interfaces.values():
            for target, words in self._references(interface):
                self._referrers.setdefault(target, []).append((interface.name, words))
            for key in tables_in_use(self._state, [interface.name]):
                self._inside.setdefault(key, []).append(interface.name)
            for kind in TABLES if _uses(interface) != _USES_NOTHING else ():
                for name in kind.used_by(interface, self._state):
                    self._users.setdefault((kind.table, name), []).append(interface.name)

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
        for kind in TABLES:
            for name in tuple(self._left.of(kind.table)):
                self._spread_from(kind, name)
        for key in self._left.of("vrfs"):
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

    def _add(self, name: str, reason: str) -> None:
        if name in self._state.interfaces and not self._left.covers(name, self._state):
            self._left.interfaces[name] = reason
            self._pending += [name, *self._children.get(name, ())]

    def _spread_from(self, kind: AnyTable, name: str) -> None:
        for user in self._users.get((kind.table, name), ()):
            self._add(user, f"{kind.use(name)}, which is unmanaged")
