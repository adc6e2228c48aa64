"""Words the causes of impact: what a step of a plan does to its object, as a clause that completes `because`.

Steps that do the same are one cause: on one object, on the members of one bond, and on objects that hurt only
themselves. What an operation does to its object, `Operation.effect` has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from vppcfg.common.names import natural_key
from vppcfg.kinds.l2_operations import LeaveL2
from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface
from vppcfg.model.vrf import names_of_tables
from vppcfg.operations.change import Action, Change, ObjectKind
from vppcfg.operations.linux_losses import secondaries
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import AddressOperation, LinkOperation, Operation, PairOperation, Predicate
from vppcfg.plan.plan import Plan


class CauseKey(NamedTuple):
    """What makes steps one cause."""

    what: str
    """The words, for one object and with {it}."""
    place: str
    """The object, or the bond of the members, from which others suffer; '' for those who hurt themselves."""


class Causes:
    """The steps of a plan as causes."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._bond_of = {
            member: bond for bond, virtual in plan.observed.virtual_as(Bond).items() for member in virtual.members
        }
        self._interfaces = _changes_of(plan, ObjectKind.INTERFACE)
        self._pairs = _changes_of(plan, ObjectKind.LCP)
        self._leaving = {
            step.operation.subject: position
            for position, step in enumerate(plan.steps)
            if isinstance(step.operation, LeaveL2)
        }
        self._kinds: dict[CauseKey, str] = {}
        """The words before the names of those that are no interfaces."""
        self._owners: dict[str, str] | None = None
        """The interface of each address in the end."""
        self._words: dict[str, Predicate] = {}
        self._subjects: dict[CauseKey, set[str]] = defaultdict(set)
        self._keys: dict[tuple[int, bool], CauseKey] = {}

    def key(self, step: int, sufferer: str) -> CauseKey:
        """Return the cause that a step is for an interface."""
        step = self._own_step(step, sufferer)
        operation = self._plan.steps[step].operation
        subject = operation.subject
        place = self._bond_of.get(subject) or subject
        is_own = sufferer == subject and subject not in self._bond_of
        key = self._keys.get((step, is_own))
        if key is None:
            words = self._words_of(operation, step)
            self._words[words.one] = words
            key = self._keys[step, is_own] = CauseKey(words.one, "" if is_own else place)
        self._subjects[key].add(subject)
        self._kinds[key] = f"{operation.noun} " if operation.noun else ""
        return key

    def _own_step(self, step: int, sufferer: str) -> int:
        """Return the step by which an interface leaves L2 itself, where others that leave before it come first."""
        is_leaving = isinstance(self._plan.steps[step].operation, LeaveL2)
        return self._leaving.get(sufferer, step) if is_leaving else step

    def is_coming_up(self, step: int) -> bool:
        """Return whether a step brings an interface up: what is not whole then has been missing since it went down."""
        operation = self._plan.steps[step].operation
        return isinstance(operation, LinkOperation) and operation.needs_vpp and operation.new_state is True

    def text(self, key: CauseKey, sufferers: Sequence[str]) -> str:
        """Return a cause as a clause; it speaks of `it` and `they` where those who suffer do it to themselves."""
        subjects = sorted(self._subjects[key], key=natural_key)
        words = self._words[key.what]
        if not key.place or subjects == list(sufferers):
            own = words.own or (f"it {words.one}", f"they {words.many}")
            return own[0] if len(sufferers) == 1 else own[1]
        bond = self._plan.observed.virtual_of(key.place, Bond)
        if bond is not None and len(subjects) > 1 and set(subjects) == set(bond.members):
            whose = "" if key.place in sufferers else f" of {key.place}"
            return f"{'both' if len(subjects) == 2 else 'all'} members{whose} {words.many}"
        return f"{self._kinds[key]}{listed(subjects)} {words.one if len(subjects) == 1 else words.many}"

    def _words_of(self, operation: Operation, step: int) -> Predicate:
        if isinstance(operation, SetObject | RemoveObject):
            return operation.effect(self._plan.observed, self._plan.desired)
        change = self._interfaces.get(operation.subject)
        if change is not None and change.action is Action.DELETE:
            return Predicate("is removed", "are removed", ("", ""))
        if change is not None and change.action is Action.REPLACE:
            return _anew("is recreated", "are recreated", change.forced_by)
        if isinstance(operation, PairOperation) and not operation.is_add:
            return self._without_pair(self._pairs.get(operation.subject))
        if isinstance(operation, AddressOperation) and not operation.is_add:
            return self._without_address(operation)
        return operation.effect(self._plan.observed, self._plan.desired)

    def _without_pair(self, change: Change[Any] | None) -> Predicate:
        if change is None or change.action is not Action.REPLACE:
            return Predicate("has no LCP pair any more", "have no LCP pairs any more", ("", ""))
        return _anew("gets another LCP pair", "get other LCP pairs", change.forced_by)

    def _without_address(self, operation: AddressOperation) -> Predicate:
        before, after = (state.interfaces.get(operation.subject) for state in (self._plan.observed, self._plan.desired))
        if before is not None and after is not None and operation.address in after.addresses:
            if operation.address in secondaries(before, before.addresses - after.addresses):
                why = "Linux takes addresses away with the first one of their network"
                return Predicate("sets addresses again", "set addresses again", _alike(why))
            return self._to_another_table(before, after)
        if taker := self._taker(operation):
            return Predicate(f"hands addresses to {taker}", f"hand addresses to {taker}", _alike(f"{taker} takes over"))
        if before is not None and after is not None and after.addresses - before.addresses:
            if ":" not in operation.address and before.name in self._plan.observed.facts.address_followers:
                when = "once the old one has gone, for NAT to follow"
                return Predicate(f"gets another address {when}", f"get other addresses {when}")
            return Predicate("gets another address instead", "get other addresses instead")
        return Predicate("loses an address", "lose addresses", ("", ""))

    def _to_another_table(self, before: Interface, after: Interface) -> Predicate:
        """Return why an interface takes its addresses to another FIB table: with its VRF, or to another VRF."""
        if is_in_same_vrf(before, after, self._plan):
            return Predicate("moves with its VRF", "move with their VRF", _alike("the id of the VRF changes"))
        return Predicate("moves to another VRF", "move to another VRF")

    def _taker(self, operation: AddressOperation) -> str | None:
        """Return the interface that has an address in the end which another one loses."""
        if self._owners is None:
            found = self._plan.desired.interfaces.items()
            self._owners = {address: name for name, interface in found for address in interface.addresses}
        return self._owners.get(operation.address)


def _changes_of(plan: Plan, kind: ObjectKind) -> dict[str, Change[Any]]:
    return {change.name: change for change in plan.changes if change.kind is kind}


def is_in_same_vrf(before: Interface, after: Interface, plan: Plan) -> bool:
    """Return whether an interface is in VRFs of the same names before and after a plan."""
    names = names_of_tables(before.tables, plan.observed.vrfs)
    return names == names_of_tables(after.tables, plan.desired.vrfs)


def _alike(clause: str) -> tuple[str, str]:
    """Return a clause that speaks of neither `it` nor `they`."""
    return clause, clause


_ATTRIBUTES = {
    "host_name": "name in Linux",
    "netns": "namespace",
    "is_tun": "kind of Linux device",
    "has_host": "Linux device",
    "mac": "MAC address",
    "is_numa_only": "key `numa-only`",
}


def _anew(one: str, many: str, forced_by: str | None) -> Predicate:
    """Return the words for what is replaced, with what forces that: a clause, or the name of an attribute."""
    if not forced_by:
        return Predicate(one, many, ("", ""))
    if " " in forced_by:
        return Predicate(f"{one} ({forced_by})", f"{many} ({forced_by})", (forced_by, forced_by))
    attribute = _ATTRIBUTES.get(forced_by, forced_by.replace("_", " "))
    its, their = f"its {attribute} changes", f"their {attribute} changes"
    return Predicate(f"{one} ({its})", f"{many} ({their})", (its, their))


def shortened(lines: Sequence[str], most: int, rest: str) -> Iterator[str]:
    """Yield the first `most` lines and, where there are more, `rest` with their number in place of `{}`."""
    yield from lines[:most]
    if len(lines) > most:
        yield rest.format(f"{len(lines) - most:,}")


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return names as they stand in a sentence; of many, the first ones and how many more there are."""
    words = [*names[:most], *([f"{len(names) - most} more"] if len(names) > most else [])]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
