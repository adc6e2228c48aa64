"""A plan for people: what appears, changes, is replaced and disappears, and what that does to traffic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

from vppcfg.model.acl import AclBinding, AclRule
from vppcfg.model.bridge import BridgeSettings
from vppcfg.model.interface import Encapsulation, Interface, OtherMatch, TagRewrite
from vppcfg.model.state_document import attributes_told, plain
from vppcfg.plan.diff import Action, AttributeChange, Change
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan
from vppcfg.record import record
from vppcfg.render.cli_lines import encapsulation_words, rewrite_words
from vppcfg.render.impact_text import impact_lines, impact_summary

SIGNS = {Action.CREATE: "+", Action.UPDATE: "~", Action.REPLACE: "!", Action.DELETE: "-"}
_IDENTITY = {"name", "kind", "device_class", "parent", "sub_id", "mac"}


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
    yield from (DiffLine(text=f"  {line}") for line in impact_lines(plan))
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
    return f"{numbers}; impact: {impact_summary(plan)}"


def _change(change: Change[Any], impact: Impact) -> Iterator[DiffLine]:
    kind = _kind(change)
    note = f"  ({impact.label})" if impact and change.action is not Action.CREATE else ""
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
