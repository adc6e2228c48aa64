"""Rate limits in VPP: policers, the tables that send packets to them, and the interfaces that have the tables.

What the file has for them is in `rate_limit_section`, how VPP is asked in `rate_limit_reading`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from vppcfg.engine.object_kind import InFileForm, TrafficImpact, VppObjectKind
from vppcfg.entries.section import Section
from vppcfg.kinds import rate_limit_reading as reading
from vppcfg.kinds.rate_limit_adoption import in_file_form
from vppcfg.kinds.rate_limit_operations import (
    NUMBERED,
    SETTINGS,
    AddLimitTable,
    AddPolicer,
    FreeIndex,
    FreeInterface,
    LimitInterface,
    LinkLimitTable,
    RemoveLimitTable,
    RemovePolicer,
    RemoveRateLimit,
    SetRateLimit,
    UpdatePolicer,
    settings_in,
)
from vppcfg.kinds.rate_limit_rules import RULES
from vppcfg.kinds.rate_limit_section import (
    HOSTS_SECTION,
    PLUGIN,
    POLICE,
    POLICE_HOSTS,
    POLICE_SECTION,
    POLICERS,
    POLICERS_SECTION,
)
from vppcfg.model.rate_limit import DELETED, LAYERS, MARK, LimitedInterface, LimitTable, Policer, RateLimit, chain
from vppcfg.model.state import State
from vppcfg.model.vpp_object import without_empty
from vppcfg.model.vrf import FibTable
from vppcfg.operations.change import Impact
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.wire.policers import POLICER_DUMP, policer_indexes, policer_names, uses
from vppcfg.wire.reading import Replies, VppReader, text_of

_FRAMES = LAYERS[2]
_POLICERS, _TABLES, _LIMITS, _LINKS_OF_NEW, _LINKS_OF_OLD, _LEFT, _INTERFACES = range(7)
"""The order within a stage: policers, tables, which are looked for where there is a policer, what tables send to
policers, what follows new tables, what follows those that look at packets already, what deleted interfaces have left
on indexes, and then the interfaces: no packet misses a limit that it had."""


def _interfaces_with(numbers: Collection[int], state: State) -> Iterator[str]:
    """Yield the interfaces whose packets come to one of some tables."""
    tables = state.of(LimitTable)
    for use in state.of(LimitedInterface).values():
        if any(table.number in numbers for table in chain(tables, use.number)):
            yield use.interface


def _limited(state: State) -> dict[str, tuple[Policer, str]]:
    """Return the policers that packets come to by their names, each with the interface of these packets."""
    tables, policers = state.of(LimitTable), state.of(Policer)
    interfaces = {
        table.number: each.interface
        for each in state.of(LimitedInterface).values()
        if each.is_on
        for table in chain(tables, each.number)
    }
    return {
        each.policer: (policers[each.policer], interfaces[each.number])
        for each in state.of(RateLimit).values()
        if each.policer in policers and each.number in interfaces
    }


def _loss(before: Policer | None, after: Policer) -> str:
    """Return the key of what packets lose by a policer in effect in `impact_verbs`, '' for nothing."""
    if before is None or not before.is_plain:
        return "limits"
    drops = after.dscp is None
    is_less = after.rate_kbps < before.rate_kbps or after.burst_bytes < before.burst_bytes
    return "less" if is_less or (drops and before.dscp is not None) else ""


class PolicerKind(VppObjectKind[Policer]):
    """The policers, with the sections of all rate limits."""

    key = POLICERS
    object_class = Policer
    operations = (AddPolicer, UpdatePolicer, RemovePolicer)
    rules = RULES
    api_module = "policer"
    numbered = NUMBERED
    capabilities: ClassVar = {PLUGIN: POLICER_DUMP}
    has_own_steps = True
    counts_operations = False

    def sections(self) -> tuple[Section, ...]:
        """Return the section of the rates, and the keys of interfaces."""
        return POLICERS_SECTION, POLICE_SECTION, HOSTS_SECTION

    def set(self, item: Policer) -> AddPolicer:
        """Return the operation that makes a policer."""
        return AddPolicer(item=item)

    def remove(self, item: Policer) -> RemovePolicer:
        """Return the operation that deletes one."""
        return RemovePolicer(item=item)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that make, change and delete policers."""
        before, after = (state.of(Policer) for state in (transition.observed, transition.desired))
        for name, item in after.items():
            if before.get(name) != item:
                operation = UpdatePolicer(item=item) if name in before else AddPolicer(item=item)
                yield Step(stage=Stage.SET_OBJECT, operation=operation, depth=_POLICERS)
        for name, item in before.items():
            if name not in after:
                yield Step(stage=Stage.REMOVE_POLICER, operation=RemovePolicer(item=item))

    def traffic_impacts(
        self, before: State, after: State, linked: tuple[Collection[str], Collection[str]]
    ) -> Iterator[TrafficImpact]:
        """Yield whose packets are limited from now on, or more than before, of interfaces that were there before."""
        old, new = _limited(before), _limited(after)
        for name, (policer, interface) in new.items():
            was = old[name][0] if name in old else None
            if interface in before.interfaces and (what := _loss(was, policer)):
                yield TrafficImpact(name, Impact.DEGRADE, what, frozenset(), frozenset({interface}))

    def restorable(self, state: State) -> State:
        """Return a state whose policers do what those of files do."""
        found = state.of(Policer)
        if all(each.is_plain for each in found.values()):
            return state
        policers = {name: replace(each, is_plain=True) for name, each in found.items()}
        return replace(state, objects=without_empty({**state.objects, Policer: policers}))

    def requests(self, connection: VppReader) -> list[bytes]:
        return reading.requests(connection)

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[Policer]:
        """Yield our policers."""
        if not connection.offers(POLICER_DUMP):
            return
        for raw, *values in connection.rows(replies, "policer_details", "name", *SETTINGS):
            name = text_of(raw)
            policer, _, user = name.removeprefix(MARK).partition(":")
            if name.startswith(MARK) and user:
                yield Policer(policer=policer, user=user, **settings_in(dict(zip(SETTINGS, values, strict=True))))

    def holders(self, items: Collection[Policer], state: State) -> Iterable[str]:
        names = {item.name for item in items}
        return _interfaces_with({each.number for each in state.of(RateLimit).values() if each.policer in names}, state)

    def in_file_form(self, connection: VppReader, state: State, names: Mapping[int, str]) -> InFileForm:
        return in_file_form(connection, state, names)

    def read_indexes(self, connection: VppReader) -> dict[str, int]:
        """Ask VPP for the index of each policer and table."""
        return reading.read_numbers(connection)


class LimitTableKind(VppObjectKind[LimitTable]):
    """The tables."""

    key = POLICE
    object_class = LimitTable
    operations = (AddLimitTable, LinkLimitTable, RemoveLimitTable)
    api_module = "classify"
    has_own_steps = True

    def set(self, item: LimitTable) -> AddLimitTable:
        """Return the operation that makes a table."""
        return AddLimitTable(item=item)

    def remove(self, item: LimitTable) -> RemoveLimitTable:
        """Return the operation that deletes one."""
        return RemoveLimitTable(item=item)

    def holders(self, items: Collection[LimitTable], state: State) -> Iterable[str]:
        return _interfaces_with({item.number for item in items}, state)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that make and delete tables."""
        before, after = (state.of(LimitTable) for state in (transition.observed, transition.desired))
        for name, item in after.items():
            old = before.get(name)
            if old is None:
                alone = replace(item, next=None)
                yield Step(stage=Stage.SET_OBJECT, operation=AddLimitTable(item=alone), depth=_TABLES)
            if item.next != (old.next if old is not None else None):
                depth = _LINKS_OF_NEW if old is None else _LINKS_OF_OLD
                yield Step(stage=Stage.SET_OBJECT, operation=LinkLimitTable(item=item), depth=depth)
        for name, item in before.items():
            if name not in after:
                yield Step(stage=Stage.REMOVE_LIMIT_TABLE, operation=RemoveLimitTable(item=item))

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[LimitTable]:
        """Yield our tables."""
        return (each.table for each in reading.tables(connection, replies))


class RateLimitKind(VppObjectKind[RateLimit]):
    """What tables send to policers."""

    key = POLICE_HOSTS
    object_class = RateLimit
    operations = (SetRateLimit, RemoveRateLimit)
    has_own_steps = True

    def set(self, item: RateLimit) -> SetObject:
        """Return the operation that sends packets to a policer."""
        return SetRateLimit(item=item)

    def remove(self, item: RateLimit) -> RemoveObject:
        """Return the operation that sends them to none."""
        return RemoveRateLimit(item=item)

    def holders(self, items: Collection[RateLimit], state: State) -> Iterable[str]:
        return _interfaces_with({item.number for item in items}, state)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that send packets to policers and to none; another policer comes in place of the former."""
        before, after = (state.of(RateLimit) for state in (transition.observed, transition.desired))
        for name, item in after.items():
            if before.get(name) != item:
                yield Step(stage=Stage.SET_OBJECT, operation=SetRateLimit(item=item), depth=_LIMITS)
        for name, item in before.items():
            if name not in after:
                yield Step(stage=Stage.REMOVE_RATE_LIMIT, operation=RemoveRateLimit(item=item))

    def restorable(self, state: State) -> State:
        """Return a state without limits whose policer is deleted: VPP would take the next one with its index."""
        policers, limits = state.of(Policer), state.of(RateLimit)
        kept = {name: each for name, each in limits.items() if each.policer in policers}
        whole = len(kept) == len(limits)
        return state if whole else replace(state, objects=without_empty({**state.objects, RateLimit: kept}))

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[RateLimit]:
        """Yield what our tables send to policers, those that are deleted too."""
        found = reading.tables(connection, replies)
        if not found:
            return
        policers = policer_indexes(connection, policer_names(connection, replies))
        for table, prefix, index in reading.sessions(connection, found):
            policer = policers.get(index, f"{index}").removeprefix(MARK)
            offset = table.offset if prefix else 0
            yield RateLimit(number=table.number, prefix=prefix, policer=policer, offset=offset)


class LimitedInterfaceKind(VppObjectKind[LimitedInterface]):
    """The interfaces with tables."""

    key = POLICE
    object_class = LimitedInterface
    nodes = "policer-classify"
    operations = (LimitInterface, FreeInterface, FreeIndex)
    has_own_steps = True

    def set(self, item: LimitedInterface) -> LimitInterface:
        """Return the operation that gives an interface a table."""
        return LimitInterface(item=item)

    def remove(self, item: LimitedInterface) -> FreeInterface:
        """Return the operation that takes it from the interface."""
        return FreeInterface(item=item)

    def is_of_others(self, item: LimitedInterface) -> bool:
        """Return whether the table is that of another program, or left by an interface that is gone."""
        return item.number is None or item.is_deleted

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that give interfaces tables, and take them off.

        VPP looks at no frame any more of an interface that is put into L2 mode, and still shows its table.
        """
        before, after = (state.of(LimitedInterface) for state in (transition.observed, transition.desired))
        left = [each for each in before.values() if each.is_deleted]
        for name in dict.fromkeys((*before, *after)):
            old, new = before.get(name), after.get(name)
            if self._is_foreign(old) or self._is_foreign(new):
                continue
            is_broken = old is not None and self._is_broken(old, transition)
            if old is not None and (new is None or is_broken):
                yield Step(stage=Stage.REMOVE_OBJECT, operation=FreeInterface(item=old), depth=1)
            elif old is not None and new != old:
                yield Step(stage=Stage.SET_OBJECT, operation=FreeInterface(item=old), depth=_INTERFACES)
            if old is None and new is not None:
                for number in (each.number for each in left if each.layer == new.layer and each.number is not None):
                    free = FreeIndex(interface=new.interface, layer=new.layer, number=number)
                    yield Step(stage=Stage.SET_OBJECT, operation=free, depth=_LEFT)
            if new is not None and (new != old or is_broken):
                yield Step(stage=Stage.SET_OBJECT, operation=LimitInterface(item=new), depth=_INTERFACES)

    def _is_foreign(self, item: LimitedInterface | None) -> bool:
        return item is not None and self.is_of_others(item)

    def _is_broken(self, item: LimitedInterface, transition: Transition) -> bool:
        is_reset = item.layer == _FRAMES and transition.puts_into_l2(item.interface)
        return is_reset or item.interface in transition.to_delete

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[LimitedInterface]:
        """Yield the interfaces that have a table, of any program."""
        if not reading.is_in_use(connection, replies):
            return
        numbers = {each.at: each.table.number for each in reading.tables(connection, replies)}
        found = uses(connection)
        off = reading.switched_off(connection, [use for use in found if use.sw_if_index in names])
        for use in found:
            number, is_there = numbers.get(use.table), use.sw_if_index in names
            if is_there or number is not None:
                yield LimitedInterface(
                    interface=names.get(use.sw_if_index, f"{DELETED}{use.sw_if_index}"),
                    layer=use.layer,
                    number=number,
                    is_on=is_there and use not in off,
                )


KINDS: tuple[VppObjectKind[Any], ...] = (PolicerKind(), LimitTableKind(), RateLimitKind(), LimitedInterfaceKind())
