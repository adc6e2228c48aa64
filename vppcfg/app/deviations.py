"""Lists how a VPP differs from its file, object by object: for `probe`, possible causes of frames that went astray.

Each comes with the state that the file sets but for this one object, in which `probe` predicts its frames again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from vppcfg.kinds.kind_list import TABLES
from vppcfg.model.state import State
from vppcfg.model.vpp_object import VppObject
from vppcfg.operations.change import Action, Change, ObjectKind
from vppcfg.plan.diff import diff
from vppcfg.probe.deviation import Deviation
from vppcfg.probe.outcome import Blame
from vppcfg.probe.stages import of_bridge, of_interface
from vppcfg.render.entry_view import EntryLine
from vppcfg.render.file_difference import file_difference

T = TypeVar("T")
_SIGNS = {Action.CREATE: "+", Action.DELETE: "-"}
_NOUNS = {
    **{kind.object_kind: kind.noun for kind in TABLES},
    ObjectKind.LCP: "LCP pair of",
    ObjectKind.VRF: "table",
    ObjectKind.LINUX: "Linux device of",
}
_MEMBERSHIP = frozenset({"bridge", "is_bvi"})


def deviations(observed: State, desired: State) -> list[Deviation]:
    """Return what a VPP has otherwise than a file, object by object."""
    return [
        Deviation(
            blame=_blamed(change, desired),
            lines=tuple(f"{line.sign} {line.text}".strip() for line in _entry_lines(change, observed, desired)),
            state=_desired_but_for(change, observed, desired),
        )
        for change in diff(observed, desired)
    ]


def _blamed(change: Change[Any], desired: State) -> Blame:
    """Return the object that a difference is reported for.

    Of an interface that is in the wrong bridge domain it is the domain; where only attributes differ that its kind of
    interface alone has, such as the remote end of a tunnel, it is that tunnel; otherwise it is the interface.
    """
    if change.kind is not ObjectKind.INTERFACE:
        item = change.after or change.before
        if isinstance(item, VppObject):
            return Blame(subject=item.label)
        return Blame(subject=f"{_NOUNS.get(change.kind, change.kind.value)} {change.name}")
    attributes = {each.name for each in change.attributes}
    bd_id = next((each.bridge for each in (change.after, change.before) if each and each.bridge is not None), None)
    if _MEMBERSHIP & attributes and bd_id is not None:
        return of_bridge(bd_id, f"member {change.name}")
    virtual = desired.virtual.get(change.name)
    if attributes and virtual is not None and attributes <= {each.name for each in fields(virtual)}:
        return Blame(subject=f"{virtual.noun} {change.name}")
    return of_interface(change.name)


def _entry_lines(change: Change[Any], observed: State, desired: State) -> Iterator[EntryLine]:
    for entry in file_difference(observed, desired, [change]):
        yield from entry.lines or [EntryLine(" ".join(map(str, entry.path)), _SIGNS.get(entry.action, ""))]


def _desired_but_for(change: Change[Any], observed: State, desired: State) -> State:
    """Return what a file sets, but for one object, which is as it is observed.

    Of an LCP pair, a FIB table or a setting of all of VPP, it is what the file sets without any exception: such a
    difference is listed, but predicts no frame otherwise.
    """
    if change.kind is ObjectKind.INTERFACE:
        return replace(
            desired,
            interfaces=_as_observed(change.name, observed.interfaces, desired.interfaces),
            virtual=_as_observed(change.name, observed.virtual, desired.virtual),
        )
    item = change.after or change.before
    if isinstance(item, VppObject):
        items = _as_observed(item.name, observed.of(type(item)), desired.of(type(item)))
        return replace(desired, objects={**desired.objects, type(item): items})
    table = next((kind for kind in TABLES if kind.object_kind is change.kind), None)
    if table is None:
        return desired
    things = _as_observed(change.name, table.in_state(observed), table.in_state(desired))
    return desired.with_tables({table.table: things})


def _as_observed(name: str, observed: Mapping[str, T], desired: Mapping[str, T]) -> dict[str, T]:
    """Return the desired items, but with the one of this name as it is observed, or without it."""
    others = {each: subject for each, subject in desired.items() if each != name or name in observed}
    return {**others, name: observed[name]} if name in observed else others
