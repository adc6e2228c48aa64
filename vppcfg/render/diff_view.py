"""What a plan changes, for people: entries of the file that appear, differ and disappear, and the impact on traffic."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from weakref import WeakKeyDictionary

from vppcfg.kinds.kind_list import TABLES
from vppcfg.model.state import State
from vppcfg.operations.change import Action
from vppcfg.operations.operation import InterfaceOperation
from vppcfg.plan.diff import diff
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import Plan
from vppcfg.plan.unmanaged import Survival, unmanaged_changes
from vppcfg.record import record
from vppcfg.render.acl_session_text import acl_session_lines
from vppcfg.render.file_difference import EntryDifference, file_difference
from vppcfg.render.impact_text import impact_lines, impact_summary
from vppcfg.render.nat44_text import nat44_lines
from vppcfg.render.notes import notes

_SIGNS = {Action.CREATE: "+", Action.UPDATE: "~", Action.REPLACE: "!", Action.DELETE: "-"}
_SIGNED = {"+": Action.CREATE, "-": Action.DELETE}
_SHARED = frozenset(kind.key for kind in TABLES) | {"vrfs", "sflow", "lldp", "ipfix", "proxy_arp"}
"""Sections of what is no interface, and what interfaces have in common."""
_NOTE_COLUMN = 40
_FOUND: WeakKeyDictionary[Plan, list[EntryDifference]] = WeakKeyDictionary()
"""The entries of plans that are still at hand: `apply` shows them, and writes their counts into the journal."""


@record
class DiffLine:
    """One line, and what its change does, so that it can be coloured."""

    text: str
    action: Action | None = None


def diff_lines(plan: Plan, most: int | None = None) -> Iterator[DiffLine]:
    """Yield the lines of the view, the counts and the impact last; nothing when nothing changes.

    Of more than `most` entries, those with impact on traffic come before the others, and the rest is counted.
    """
    if not plan.changes and not plan.steps:
        return
    entries, impact_label = plan_difference(plan), _ImpactLabels(plan)
    shown = entries if most is None or len(entries) <= most else _foremost(entries, impact_label, most)
    yield from _lines(shown, impact_label)
    if len(shown) < len(entries):
        yield DiffLine(text=f"… and {len(entries) - len(shown):,} more entries; `vppcfg diff` shows all")
    yield from (DiffLine(text=f"  {line}") for line in impact_lines(plan))
    yield from (DiffLine(text=f"  {line}") for line in notes(plan))
    yield from (DiffLine(text=f"  {line}") for line in (*nat44_lines(plan), *acl_session_lines(plan)))
    for change in unmanaged_changes(plan):
        yield DiffLine(text=f"  {change}", action=None if change.survival is Survival.CARRIED else Action.DELETE)
    yield DiffLine(text=_counts(entries))
    yield DiffLine(text=f"impact: {impact_summary(plan)}")


def difference_lines(before: State, after: State) -> Iterator[DiffLine]:
    """Yield what differs between two states; nothing when they are the same in effect."""
    yield from _lines(file_difference(before, after, diff(before, after)), lambda entry: "")


def plan_difference(plan: Plan) -> list[EntryDifference]:
    """Return the entries of the file that a plan concerns; they are found out once for each plan."""
    if plan not in _FOUND:
        _FOUND[plan] = file_difference(plan.observed, plan.desired, plan.changes)
    return _FOUND[plan]


def summary(plan: Plan) -> str:
    """Return one line: how many entries are created, changed, replaced, removed, and the impact on traffic."""
    return f"{_counts(plan_difference(plan))}; impact: {impact_summary(plan)}"


def _foremost(
    entries: Sequence[EntryDifference], impact_label: Callable[[EntryDifference], str], most: int
) -> list[EntryDifference]:
    """Return so many entries in the order of the file, those with impact on traffic rather than others."""
    order = sorted(range(len(entries)), key=lambda place: not impact_label(entries[place]))
    return [entries[place] for place in sorted(order[:most])]


def _counts(entries: Iterable[EntryDifference]) -> str:
    """Return how many entries are created, changed, replaced and removed."""
    count = Counter(entry.action for entry in entries)
    return (
        f"{count[Action.CREATE]} to create, {count[Action.UPDATE]} to change, "
        f"{count[Action.REPLACE]} to replace, {count[Action.DELETE]} to remove"
    )


class _ImpactLabels:
    """The impact on traffic, by the entries of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._of_interface = plan.impacts
        self._by_shared: dict[str, dict[str, Impact]] = defaultdict(dict)
        for name, effect in plan.effects.items():
            for loss in effect.losses:
                operation = plan.steps[loss.step].operation
                if not isinstance(operation, InterfaceOperation):
                    found = self._by_shared[operation.subject]
                    found[name] = max(loss.impact, found.get(name, Impact.NONE))

    def __call__(self, entry: EntryDifference) -> str:
        """Return the word for an interface, and for what several share the others affected; empty for nothing."""
        is_nested = len(entry.path) > 2  # such as a route of a VRF
        if is_nested or entry.path[0] not in _SHARED:
            impact = self._of_interface.get(entry.name, Impact.NONE)
            return impact.label if impact else ""
        found = self._by_shared.get(entry.name)
        if not found:
            return ""
        worst = max(found.values())
        names = [name for name, impact in found.items() if impact is worst]
        return f"{worst.label} on {names[0] if len(names) == 1 else f'{len(names)} interfaces'}"


def entry_lines(entry: EntryDifference, impact_label: str = "") -> Iterator[DiffLine]:
    """Yield the lines of one entry: its name with the impact on traffic, and what of it differs below."""
    yield DiffLine(text=_heading(entry, impact_label), action=entry.action)
    for line in entry.lines:
        text = f"    {line.sign} {line.text}" if line.sign else f"    {line.text}"
        yield DiffLine(text=text, action=_SIGNED.get(line.sign, entry.action))
    for remark in entry.remarks:
        yield DiffLine(text=f"    # {remark}", action=entry.action)


def entry_name(entry: EntryDifference) -> str:
    """Return the place of an entry in the file, as an operator would write it."""
    return ".".join(str(part) for part in entry.path)


def signed_name(entry: EntryDifference) -> str:
    """Return the place of an entry with the sign of what happens to it."""
    return f"{_SIGNS[entry.action]} {entry_name(entry)}"


def _lines(entries: Iterable[EntryDifference], impact_label: Callable[[EntryDifference], str]) -> Iterator[DiffLine]:
    for entry in entries:
        yield from entry_lines(entry, impact_label(entry))


def _heading(entry: EntryDifference, impact_label: str) -> str:
    name = signed_name(entry)
    note = impact_label or (f"recreated, because {_reason(entry.forced_by)}" if entry.forced_by else "")
    return f"{name:<{_NOTE_COLUMN - 2}}  {note}" if note else name


def _reason(forced_by: str) -> str:
    """Return why something is recreated, as a clause: the planner names an attribute, or gives it."""
    return forced_by if " " in forced_by else f"its {forced_by.replace('_', ' ')} changes"
