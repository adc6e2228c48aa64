"""A plan for people: what appears, changes, is replaced and disappears, and what that does to traffic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

from vppcfg.common.names import natural_key
from vppcfg.model.acl import AclBinding, AclRule
from vppcfg.model.bridge import BridgeSettings
from vppcfg.model.interface import Encapsulation, Interface, OtherMatch, TagRewrite
from vppcfg.model.state_document import attributes_told, plain
from vppcfg.plan.diff import Action, AttributeChange, Change
from vppcfg.plan.impact import Impact, takes_link_down
from vppcfg.plan.plan import Plan
from vppcfg.record import record
from vppcfg.render.cli_lines import encapsulation_words, rewrite_words

SIGNS = {Action.CREATE: "+", Action.UPDATE: "~", Action.REPLACE: "!", Action.DELETE: "-"}
_IDENTITY = {"name", "kind", "device_class", "parent", "sub_id", "mac"}
_IMPACT_WORDS = {Impact.FLAP: "flap", Impact.RECREATE: "recreate"}


@record
class DiffLine:
    """One line, and what its change does, so that it can be coloured."""

    text: str
    action: Action | None = None


def diff_lines(plan: Plan) -> Iterator[DiffLine]:
    """Yield the lines of the view, the summary last; nothing when nothing changes."""
    if not plan.steps:
        return
    yield from change_lines(plan.changes, plan.impacts)
    yield from _side_effects(plan)
    yield DiffLine(text=summary(plan))


def change_lines(changes: Iterable[Change[Any]], impacts: Mapping[str, Impact]) -> Iterator[DiffLine]:
    """Yield the lines of some changes, with what each does to traffic where `impacts` tells."""
    for change in changes:
        yield from _change(change, impacts.get(change.name, Impact.NONE))


def summary(plan: Plan) -> str:
    """Return one line: how many objects are created, changed, replaced, removed, and what traffic feels."""
    count = Counter(change.action for change in plan.changes)
    numbers = (
        f"{count[Action.CREATE]} to create, {count[Action.UPDATE]} to change, "
        f"{count[Action.REPLACE]} to replace, {count[Action.DELETE]} to remove"
    )
    return f"{numbers}; impact: {_impact(plan)}"


def _impact(plan: Plan) -> str:
    """Name who feels the plan, worst first; a sub-interface that feels no more than its port is left out."""
    impacts = plan.impacts
    links = {step.operation.subject for step in plan.steps if takes_link_down(step.operation)}
    felt: dict[str, list[str]] = {}
    for name in sorted(impacts, key=lambda name: (-impacts[name], natural_key(name))):
        port = _port_of(name, plan)
        if port is None or impacts.get(port, Impact.NONE) < impacts[name]:
            kind = "link flap" if impacts[name] is Impact.FLAP and name in links else _IMPACT_WORDS[impacts[name]]
            felt.setdefault(kind, []).append(name)
    return ", ".join(f"{kind} on {_some(names)}" for kind, names in felt.items()) or "none"


def _port_of(name: str, plan: Plan) -> str | None:
    interface = plan.observed.interfaces.get(name)
    return interface.parent if interface is not None else None


def _some(names: list[str], most: int = 5) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def _side_effects(plan: Plan) -> Iterator[DiffLine]:
    """Name the interfaces that only feel the plan: nothing about them differs before and after."""
    changed = {change.name for change in plan.changes}
    for name, impact in sorted(plan.impacts.items(), key=lambda item: natural_key(item[0])):
        if name not in changed and _port_of(name, plan) not in changed:
            yield DiffLine(text=f"  interface {name}: the same afterwards, but feels a {_IMPACT_WORDS[impact]}")


def _change(change: Change[Any], impact: Impact) -> Iterator[DiffLine]:
    kind = _kind(change)
    note = f"  ({_IMPACT_WORDS[impact]})" if impact and change.action is not Action.CREATE else ""
    forced = f", forced by {change.forced_by}" if change.forced_by else ""
    yield DiffLine(text=f"{SIGNS[change.action]} {kind} {change.name}{forced}{note}", action=change.action)
    if change.action in (Action.UPDATE, Action.REPLACE):
        for attribute in change.attributes:
            yield from _attribute(attribute, change.action)
    else:
        yield from _whole(change)


def _kind(change: Change[Any]) -> str:
    either = change.after if change.after is not None else change.before
    return "sub-interface" if isinstance(either, Interface) and either.parent is not None else change.kind.value


def _attribute(attribute: AttributeChange, action: Action) -> Iterator[DiffLine]:
    if isinstance(attribute.old, frozenset) and isinstance(attribute.new, frozenset):
        for sign, members in (("-", attribute.old - attribute.new), ("+", attribute.new - attribute.old)):
            for member in plain(members):
                yield DiffLine(text=f"    {attribute.name}: {sign} {member}", action=action)
        return
    name = attribute.name.replace("_", " ")
    yield DiffLine(text=f"    {name}: {words(attribute.old)} -> {words(attribute.new)}", action=action)


def _whole(change: Change[Any]) -> Iterator[DiffLine]:
    """Show the attributes of an object that appears or disappears."""
    thing = change.after if change.after is not None else change.before
    if isinstance(thing, bool):
        return
    for name in attributes_told(thing):
        if name not in _IDENTITY:
            yield DiffLine(text=f"    {name.replace('_', ' ')}: {words(getattr(thing, name))}", action=change.action)


def words(value: object) -> str:
    """Return a value of the model as an operator would write it."""
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Encapsulation | OtherMatch):
        return encapsulation_words(value)
    if isinstance(value, TagRewrite):
        return rewrite_words(value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, frozenset | Mapping):
        return ", ".join(plain(value)) or "none"
    if isinstance(value, AclBinding):
        return f"input {' '.join(value.input) or 'none'}, output {' '.join(value.output) or 'none'}"
    if isinstance(value, BridgeSettings):
        return ", ".join(f"{name.replace('_', ' ')} {words(setting)}" for name, setting in plain(value).items())
    if isinstance(value, tuple):
        return _list_of_rules(value)
    return str(value)


def _list_of_rules(value: tuple[object, ...]) -> str:
    if value and isinstance(value[0], AclRule):
        return f"{len(value)} rule(s)"
    return f"({', '.join(words(item) for item in value)})"
