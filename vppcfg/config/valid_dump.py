"""Dumps a State as a valid configuration: services that `check` would refuse are left out, so no plan touches them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from vppcfg.config.dump import ODD, StateAsFile, state_as_file
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.config.section_list import SECTIONS
from vppcfg.kinds.kind_list import OWNED_SECTIONS
from vppcfg.model.linux_neighbors import without_those_of_linux
from vppcfg.model.lists_of_others import without_lists_of_others
from vppcfg.model.problem import KeyPath, Severity
from vppcfg.model.route import Route
from vppcfg.model.state import State
from vppcfg.model.vpp_object import VppObject


def write(state: State) -> str:
    """Return the YAML text of `state`, pleasant to read: natural order, short lists inline, defaults left out."""
    return valid_dump(state).text


def valid_dump(state: State) -> StateAsFile:
    """Return what `written` does, without the services that no valid file can have as they are.

    VPP takes what `check` refuses: a host that two mappings of NAT44 name, a virtual router without an own address.
    Without its section or key, a service is left alone as a whole. Of routes, none is written that no file can have.
    Access lists of others stay on interfaces, because `unmanaged` names them.
    """
    state = without_those_of_linux(without_lists_of_others(state))
    keys: dict[KeyPath, str] = {}
    while True:
        found = state_as_file(state, left_keys=keys)
        more = _inexpressible_keys(found, state) if state.objects.keys() - {Route} else {}
        if not more.keys() - keys.keys():
            return found
        keys |= more


def left_out_keys(found: StateAsFile) -> Iterator[str]:
    """Yield a sentence for each section and key that a dump leaves out although VPP has it."""
    for path, why in found.left.keys.items():
        yield f"{'.'.join(map(str, path))} is left out, and stays as it is: {why}"


def _inexpressible_keys(found: StateAsFile, state: State) -> dict[KeyPath, str]:
    """Return the sections and keys of a file that `check` refuses, or that mean something else than the state has."""
    entries = {entry.path: entry for each in found.configuration.owned.values() for entry in each.values()}
    refused = {
        key: problem.text
        for problem in parse_text(found.text, "the dump").problems
        if problem.severity is Severity.ERROR and (key := _service_at(problem.path, entries))
    }
    if refused:
        return refused
    wanted, seen = _by_scope(resolve(found.configuration, state).desired), _by_scope(state)
    return {
        entry.path: ODD
        for section in OWNED_SECTIONS
        for entry in section.entries_in(found.configuration).values()
        for scope in (section.scope_of(entry, found.configuration),)
        if any(wanted[kind, scope] != seen[kind, scope] for kind in section.object_classes)
    }


def _by_scope(state: State) -> Mapping[tuple[type[VppObject], str], Mapping[str, VppObject]]:
    """Return the objects of a state by their kind and scope, and by name."""
    found: dict[tuple[type[VppObject], str], dict[str, VppObject]] = defaultdict(dict)
    for kind, objects in state.objects.items():
        for name, each in objects.items():
            found[kind, each.scope][name] = each
    return found


def _service_at(path: KeyPath, owned: Collection[KeyPath]) -> KeyPath | None:
    """Return the path of the key that owns, or of the section, that a place is in; None outside of services."""
    key = next((path[:end] for end in range(len(path), 0, -1) if path[:end] in owned), None)
    return key or next((path[:1] for each in SECTIONS if each.is_optional and path[:1] == (each.key,)), None)
