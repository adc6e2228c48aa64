"""The impact of a plan on traffic: compares the services of interfaces before it, at each of its steps, and after it.

The steps are replayed, and only what a step changes, and what depends on that, is looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from vppcfg.kinds.kind_list import OBJECT_KINDS, TABLES
from vppcfg.model.bond import Bond
from vppcfg.model.state import State
from vppcfg.model.vpp_object import VppObject
from vppcfg.operations.change import Impact as Impact
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.working_state import WorkingState
from vppcfg.plan.services import Missing, Service, ServicePart, Services, missing
from vppcfg.record import record

_Host = tuple[int, str]
"""The id of a FIB table, and an address without a length."""


class Links:
    """The links of a working state. `update` must be called with every interface that was changed."""

    def __init__(self, working: WorkingState) -> None:
        self.linked: set[str] = set()
        self.members: dict[int, set[str]] = {}
        """Those in each bridge domain that have link."""
        self._working = working
        self._bridge_of: dict[str, int] = {}
        self._bvi_of: dict[int, str] = {}
        self._source_of: dict[str, _Host] = {}
        self._tunnels: dict[_Host, set[str]] = {}
        """Tunnels by their local address."""
        self._hosts: dict[str, frozenset[str]] = {}
        """The addresses of each interface when it was looked at last."""
        self.update(list(working.interfaces))

    def update(self, names: Iterable[str]) -> set[str]:
        """Look again at changed interfaces, and return those whose link or way through a bridge may change."""
        changed: set[str] = set()
        waiting = dict.fromkeys(names)
        for name in list(waiting):
            waiting.update(dict.fromkeys(self._enter(name, changed)))
        while waiting:
            name = next(iter(waiting))
            del waiting[name]
            has_link = self._has_link(name, ())
            if has_link != (name in self.linked):
                changed.add(name)
                self._flip(name, changed, has_link=has_link)
                waiting.update(dict.fromkeys(self._standing_on(name)))
        return changed

    def _enter(self, name: str, changed: set[str]) -> Iterator[str]:
        """Bring the indexes up to date, and yield whose link may depend on what is new."""
        interface = self._working.interfaces.get(name)
        bridge = interface.bridge if interface is not None else None
        before = self._bridge_of.get(name)
        if bridge != before or (bridge is not None and (self._bvi_of.get(bridge) == name) != _is_bvi(interface)):
            yield from self._move(name, before, bridge, changed, is_bvi=_is_bvi(interface))
        virtual = self._working.virtual.get(name)
        end = virtual.own_end if virtual is not None else None
        source = (virtual.outer_table, end) if virtual is not None and end is not None else None
        if source != self._source_of.get(name):
            self._stand_elsewhere(name, source)
        addresses = interface.addresses if interface is not None else frozenset()
        known = self._hosts.get(name, frozenset())
        if addresses is not known and addresses != known:
            self._hosts[name] = addresses
            yield from self._on_addresses(name, addresses ^ known)

    def _move(
        self, name: str, before: int | None, bridge: int | None, changed: set[str], *, is_bvi: bool
    ) -> Iterator[str]:
        """Note that an interface is in another bridge domain, or in the same one as something else."""
        if before is not None:
            self._count(name, before, changed, has_link=False)
            del self._bridge_of[name]
            if self._bvi_of.get(before) == name:
                del self._bvi_of[before]
            elif before in self._bvi_of:
                yield self._bvi_of[before]
        if bridge is not None:
            self._bridge_of[name] = bridge
            if name in self.linked:
                self._count(name, bridge, changed, has_link=True)
            if is_bvi:
                self._bvi_of[bridge] = name
            elif bridge in self._bvi_of:
                yield self._bvi_of[bridge]

    def _stand_elsewhere(self, name: str, source: _Host | None) -> None:
        former = self._source_of.pop(name, None)
        if former is not None:
            self._tunnels[former].discard(name)
            if not self._tunnels[former]:
                del self._tunnels[former]
        if source is not None:
            self._source_of[name] = source
            self._tunnels.setdefault(source, set()).add(name)

    def _on_addresses(self, name: str, addresses: Iterable[str]) -> Iterator[str]:
        """Yield the tunnels on addresses of an interface, which moves to another FIB table only without any."""
        interface = self._working.interfaces.get(name)
        if self._tunnels and interface is not None:
            for address in addresses:
                yield from self._tunnels.get((interface.table_of(address), address.partition("/")[0]), ())

    def _flip(self, name: str, changed: set[str], *, has_link: bool) -> None:
        if has_link:
            self.linked.add(name)
        else:
            self.linked.discard(name)
        if name in self._bridge_of:
            self._count(name, self._bridge_of[name], changed, has_link=has_link)

    def _count(self, name: str, bridge: int, changed: set[str], *, has_link: bool) -> None:
        """Count a member with link, or no longer; one that is left alone, or gets company, is changed by that."""
        members = self.members.setdefault(bridge, set())
        if has_link:
            members.add(name)
        else:
            members.discard(name)
        if len(members) <= 2:
            changed.update(members)

    def _standing_on(self, name: str) -> Iterator[str]:
        """Yield the interfaces whose link may depend on that of `name`."""
        working = self._working
        yield from working.stacking.on_port(name)
        if name in working.bond_of:
            yield working.bond_of[name]
        bridge = self._bridge_of.get(name)
        if bridge is not None and self._bvi_of.get(bridge, name) != name:
            yield self._bvi_of[bridge]
        if self._tunnels:
            yield from self._on_addresses(name, self._hosts.get(name, ()))

    def _has_link(self, name: str, above: tuple[str, ...]) -> bool:
        """Return whether an interface has link that does not come from one of those `above` it."""
        working = self._working
        interface = working.interfaces.get(name)
        if interface is None or not interface.is_up:
            return False
        if interface.parent is not None:
            return self._holds(interface.parent, (*above, name))
        virtual = working.virtual.get(name)
        if virtual is None:
            return not interface.is_bvi or self._is_bridged(name, above)
        if isinstance(virtual, Bond):
            return any(self._holds(member, (*above, name)) for member in virtual.members)
        if virtual.own_end is not None:
            holders = working.holders(virtual.own_end, virtual.outer_table)
            return any(self._holds(holder, (*above, name)) for holder in sorted(holders))
        return True

    def _is_bridged(self, bvi: str, above: tuple[str, ...]) -> bool:
        members = self.members.get(self._bridge_of.get(bvi, -1), ())
        return any(member != bvi and self._holds(member, (*above, bvi)) for member in members)

    def _holds(self, name: str, above: tuple[str, ...]) -> bool:
        """Return whether an interface has link by itself; without tunnels there are no circles to be looked for."""
        if not self._tunnels:
            return name in self.linked
        return name not in above and self._has_link(name, above)


def _is_bvi(interface: object) -> bool:
    return interface is not None and bool(getattr(interface, "is_bvi", False))


_PASSING = {
    ServicePart.INTERFACE: Impact.RECREATE,
    ServicePart.PAIR: Impact.RECREATE,
    ServicePart.MAC: Impact.FLAP,
    ServicePart.POLICY: Impact.POLICY,
    ServicePart.SIZE: Impact.DEGRADE,
    ServicePart.REDUNDANCY: Impact.DEGRADE,
}
"""What it is to lose a part that comes back, where that is no flap."""
_LASTING = {
    ServicePart.MAC: Impact.FLAP,
    ServicePart.POLICY: Impact.POLICY,
    ServicePart.SIZE: Impact.DEGRADE,
    ServicePart.REDUNDANCY: Impact.DEGRADE,
}
"""What it is to lose a part for good, where that is no removal."""


class Loss(NamedTuple):
    """One part of a service that is not there, or another one, at a step or from it on."""

    impact: Impact
    part: ServicePart | type[VppObject]
    """Of an interface, or the class of an object that is none."""
    what: str
    """Which address; '' for all other parts."""
    step: int
    """Position of the first step at which it is missing."""
    interfaces: frozenset[str] = frozenset()
    """Whose packets suffer, for an object that is none."""


@record
class Effect:
    """What a plan does to one interface."""

    losses: tuple[Loss, ...]
    """At least one; the worst ones first, and of these the earliest."""

    @property
    def impact(self) -> Impact:
        """Return the worst."""
        return self.losses[0].impact


def effects_of(observed: State, steps: Sequence[Step], reached: State) -> dict[str, Effect]:
    """Return what steps, which lead to `reached`, do to each interface, and each route, to which they do anything."""
    objects: dict[str, Loss] = {}
    for name, loss in _object_losses(observed, steps, reached):
        objects[name] = min(loss, objects.get(name, loss), key=_turn)
    effects = {name: Effect(losses=(loss,)) for name, loss in objects.items()}
    return {**_interface_effects(observed, steps), **effects}


def _object_losses(observed: State, steps: Sequence[Step], reached: State) -> Iterator[tuple[str, Loss]]:
    """Yield what happens to objects that traffic used: by their kind's own account, and by what is done to each."""
    lasting = dict(_accounts(observed, steps, reached))
    yield from lasting.items()
    uncounted = {kind.object_class for kind in OBJECT_KINDS if not kind.counts_operations}
    for name, loss in _operation_losses(observed, steps):
        is_passing = loss.impact is Impact.FLAP and isinstance(steps[loss.step].operation, RemoveObject)
        if loss.part not in uncounted or (is_passing and name not in lasting):
            yield name, loss


def _accounts(observed: State, steps: Sequence[Step], reached: State) -> Iterator[tuple[str, Loss]]:
    """Yield the impact on traffic for good, by the accounts of the kinds that have one."""
    kinds = [
        kind
        for kind in OBJECT_KINDS
        if kind.object_class.impact_verbs and (observed.of(kind.object_class) or reached.of(kind.object_class))
    ]
    if not kinds:
        return
    linked = (Links(WorkingState(observed)).linked, Links(WorkingState(reached)).linked)
    places = {step.operation.subject: place for place, step in enumerate(steps) if step.stage is not Stage.TAG}
    for kind in kinds:
        for each in kind.traffic_impacts(observed, reached, linked):
            causes = [places[name] for name in each.needs if name in places]
            place = places.get(each.name, max(causes, default=len(steps) - 1))
            yield each.name, Loss(each.impact, kind.object_class, each.what, place, each.interfaces)


def _operation_losses(observed: State, steps: Sequence[Step]) -> Iterator[tuple[str, Loss]]:
    """Yield what happens to objects by what is done to them: removed for good, removed for a while, set otherwise."""
    operations = [
        (place, step.operation, (type(step.operation.item), step.operation.subject))
        for place, step in enumerate(steps)
        if isinstance(step.operation, SetObject | RemoveObject) and step.operation.item.carries_traffic
    ]
    set_again = {which for _, each, which in operations if isinstance(each, SetObject)}
    gone = set()
    for place, each, (kind, name) in operations:
        if isinstance(each, RemoveObject):
            gone.add((kind, name))
            if name in observed.of(kind):
                yield name, Loss(Impact.FLAP if (kind, name) in set_again else Impact.REMOVE, kind, "", place)
        elif (kind, name) not in gone and name in observed.of(kind):
            yield name, Loss(Impact.FLAP, kind, "", place)


def _interface_effects(observed: State, steps: Iterable[Step]) -> dict[str, Effect]:
    walk = _Walk(observed)
    if walk.is_anything_there:
        for position, step in enumerate(steps):
            walk.go(position, step)
    return walk.effects()


_Value = TypeVar("_Value")


class _Noting(dict[str, _Value]):
    """A table that notes which of its entries are set and taken out."""

    def __init__(self, content: Mapping[str, _Value], noted: set[str]) -> None:
        super().__init__(content)
        self._noted = noted

    def __setitem__(self, key: str, value: _Value) -> None:
        self._noted.add(key)
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        self._noted.add(key)
        super().__delitem__(key)

    def pop(self, key: str, *default: Any) -> Any:
        self._noted.add(key)
        return super().pop(key, *default)


class _RecordingState(WorkingState):
    """A working state that notes what an operation changes, so that no operation has to declare it."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.changed: set[str] = set()
        """Interfaces."""
        self._changed_in: dict[str, set[str]] = {kind.table: set() for kind in TABLES}
        self._known_proxy_arps = self.proxy_arps
        self.interfaces = _Noting(self.interfaces, self.changed)
        self.lcps = _Noting(self.lcps, self.changed)
        self.virtual = _Noting(self.virtual, self.changed)
        self.linux = _Noting(self.linux, self.changed)
        for table, changed in self._changed_in.items():
            setattr(self, table, _Noting(getattr(self, table), changed))

    def change(self, name: str, **attributes: object) -> None:
        """Note the interface, also where it is changed in place."""
        self.changed.add(name)
        super().change(name, **attributes)

    def take_changed(self) -> set[str]:
        """Return the interfaces that were changed since the last call, with those that apply or are in what was."""
        names = set(self.changed)
        self.changed.clear()
        for kind in TABLES:
            for name in self._changed_in[kind.table]:
                names.update(kind.users(name, self))
            self._changed_in[kind.table].clear()
        if self.proxy_arps is not self._known_proxy_arps:
            self._known_proxy_arps = self.proxy_arps
            names |= self.with_proxy_arp
        return names


class _Walk:
    """A replay of steps, and what is missing on the way."""

    def __init__(self, observed: State) -> None:
        self._draft = _RecordingState(observed)
        self._links = Links(self._draft)
        links, bond_of = self._links, self._draft.bond_of
        self._now = Services(self._draft, links.linked, links.members, bond_of)
        self._before = Services(
            observed,
            frozenset(links.linked),
            {bridge: frozenset(members) for bridge, members in links.members.items()},
            dict(bond_of),
        )
        self.is_anything_there = bool(links.linked or observed.lcps or observed.virtual)
        self._first: dict[str, Service] = {}
        self._last: dict[str, Service] = {}
        """What was seen last of interfaces that others depend on."""
        self._present: dict[str, Service] = {}
        """What was there before the plan, without the addresses that have been missing: those are noted once."""
        self._missing: dict[str, dict[Missing, int]] = {}
        """By interface, what was missing, and the step at which it was so first."""

    def go(self, position: int, step: Step) -> None:
        """Carry a step out, and note what is missing then."""
        step.operation.apply_to(self._draft)
        names = self._draft.take_changed()
        names |= self._links.update(names)
        names.update([self._draft.bond_of[name] for name in names if name in self._draft.bond_of])
        for name in list(names):
            names.update(self._hanging_on(name))
        for name in names:
            before = self.before(name)
            if not before.is_nothing:
                self._note(name, before, position)

    def before(self, name: str) -> Service:
        """Return the service of an interface before the plan."""
        service = self._first.get(name)
        if service is None:
            service = self._first[name] = self._before.of(name)
        return service

    def _note(self, name: str, before: Service, position: int) -> None:
        now = self._now.of(name)
        gone = list(missing(self._present.get(name, before), now))
        if name not in self._draft.interfaces:
            gone.append((ServicePart.INTERFACE, ""))
        if gone:
            known = self._missing.setdefault(name, {})
            for each in gone:
                known.setdefault(each, position)
            if before.addresses:
                there = self._present.get(name, before)
                self._present[name] = there._replace(addresses=there.addresses & now.addresses)

    def _hanging_on(self, name: str) -> Iterator[str]:
        """Yield those whose service depends on what is another one about an interface."""
        working = self._draft
        below, referring = working.stacking.on_port(name), working.references.to(name)
        virtual = working.virtual.get(name)
        members = virtual.members if isinstance(virtual, Bond) else ()
        if not (below or referring or members):
            return
        last, now = self._last.get(name) or self.before(name), self._now.of(name)
        self._last[name] = now
        if (last.mac, last.sizes, last.device, last.redundancy) != (now.mac, now.sizes, now.device, now.redundancy):
            yield from below
        if (last.has_link, last.addresses, last.sizes) != (now.has_link, now.addresses, now.sizes):
            yield from referring
        if last.has_link != now.has_link:
            yield from members

    def effects(self) -> dict[str, Effect]:
        """Return the outcome of what was missing, by interface."""
        return {name: Effect(losses=tuple(sorted(self._losses(name), key=_turn))) for name in self._missing}

    def _losses(self, name: str) -> Iterator[Loss]:
        still = set(missing(self.before(name), self._now.of(name)))
        if name not in self._draft.interfaces:
            still.add((ServicePart.INTERFACE, ""))
        for (part, what), step in self._missing[name].items():
            levels, other = (_LASTING, Impact.REMOVE) if (part, what) in still else (_PASSING, Impact.FLAP)
            yield Loss(levels.get(part, other), part, what, step)


def part_name(part: ServicePart | type[VppObject]) -> str:
    """Return the word of JSON documents for what is lost."""
    return part.value if isinstance(part, ServicePart) else part.noun


def _turn(loss: Loss) -> tuple[int, int, str, str]:
    return -loss.impact, loss.step, part_name(loss.part), loss.what
