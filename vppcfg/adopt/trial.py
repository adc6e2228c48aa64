"""Tests an adoption: a fresh simulated VPP must get by it to the same state as by the original script.

An adoption is a file and "the rest", a script of commands that no file can express. A line of the original script "is
left" when it goes to the rest. Lines about what differs are moved to the rest; what then still differs is reported.

A goal is the end of the original script, a trial the end of one adoption. Both are compared by names: the kind of an
object and which one, such as `("interfaces", "loop0")` or `("NAT44 static mapping", "local 10.0.0.5 external eth1")`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from vppcfg.adopt.as_applied import as_applied, with_named_tables
from vppcfg.adopt.classify import named_objects
from vppcfg.adopt.common_mtu import with_common_mtus
from vppcfg.adopt.excluded_lines import Key, key_of
from vppcfg.adopt.places import Place, place_of
from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.adopt.report_proof import elements_of, keys_of
from vppcfg.adopt.rest_order import RestOrder
from vppcfg.adopt.routes import COMMAND, targets_of
from vppcfg.adopt.simulation import Simulation
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.placement import RX_KEY, TX_KEY
from vppcfg.errors import VppcfgError
from vppcfg.kinds.kind_list import OBJECT_KINDS, TABLES
from vppcfg.model.attachment import Attachment
from vppcfg.model.interface import Interface
from vppcfg.model.nat44 import OF_THE_INSIDE, NatExemption, NatMapping
from vppcfg.model.placement import Placements
from vppcfg.model.problem import Severity
from vppcfg.model.route import Route
from vppcfg.model.state import State
from vppcfg.model.tap import DEFAULT_HOST_MTU, Tap
from vppcfg.model.tunnel import Gre
from vppcfg.model.vpp_object import by_name
from vppcfg.operations.change import ObjectKind
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.record import record

_UNDONE = "undone by the next plan"
_ROUTE, _TABLE = "route of the prompt", "FIB table without a name"
"""Kinds of attachments that `State` has too, once tables have names; "the prompt" is VPP's CLI."""
_FEATURE, _STAYS = "feature", "det44-"
"""Kind and start of the name of an attachment that says nothing.

DET44 enables its feature where it should disable it (det44_interface_add_del); `State` has whether it is on.
"""
_MAPPING = re.compile(r"local \S+ external \S+|\w+ local \S+ \d+ external \S+ \d+|to \S+|\w+ \d+ to \S+ \d+")
"""How the name of what NAT44 maps begins; the tag behind it is what a file calls it.

The four forms are `local 10.0.0.5 external 192.0.2.1`, `tcp local 10.0.0.5 80 external 192.0.2.1 8080`, and, on an
interface that has the external address, `to 10.0.0.5` and `tcp 8080 to 10.0.0.5 80`.
"""
_NAMED = frozenset({"interfaces", "lcps", "virtual", "vrfs", *(kind.table for kind in TABLES)})
"""Tables of `State` whose objects lines name."""
_KEY_OF: Mapping[str, str] = {
    **{kind.object_class.table: kind.key for kind in OBJECT_KINDS},
    **{each: kind.key for kind in OBJECT_KINDS for each in kind.object_class.attachment_kinds},
    **{"proxy_arps": "proxy_arp", "has_mpls_table": "mpls", "NAT44": "nat44"},
}
"""The key of the file that has what a kind is."""
_MADE_LATE = "it needs a port that is made behind the file"
TOGETHER = "the rest has lines that work together with it, and only in their order"
Name = tuple[str, str]
"""What has a value: the kind, and which one."""


@record
class EndState:
    """What a VPP has in the end, without what the first `apply` is known to set beside a script."""

    values: Mapping[Name, Any]

    def differences(self, other: EndState) -> list[Name]:
        """Return what two VPPs do not have alike."""
        names = dict.fromkeys((*self.values, *other.values))
        return [name for name in names if self.values.get(name) != other.values.get(name)]


def end_of(simulation: Simulation, chosen_mtus: Collection[str]) -> EndState:
    """Return what a simulated VPP has; `chosen_mtus` are the interfaces whose MTU a script sets."""
    state, attachments = simulation.effects()
    state = _with_placed_queues(state, simulation.placed)
    return end_with(state, attachments, simulation.routes_of_prompt(state), chosen_mtus)


def _with_placed_queues(state: State, placed: Collection[tuple[str, str, int]]) -> State:
    """Return a state with no other queues: on which threads these are depends on the order in which ports are made."""

    def only(name: str, key: str, placements: Placements) -> Placements:
        return tuple(each for each in placements if (name, key, each.queue) in placed)

    interfaces = {
        name: replace(
            each,
            rx_placement=only(name, RX_KEY, each.rx_placement),
            tx_placement=only(name, TX_KEY, each.tx_placement),
        )
        for name, each in state.interfaces.items()
        if each.rx_placement or each.tx_placement
    }
    return replace(state, interfaces={**state.interfaces, **interfaces})


def end_with(
    state: State, attachments: Iterable[Attachment], prompt: Iterable[Route], chosen_mtus: Collection[str]
) -> EndState:
    """Return what a VPP has that was observed in a `state`, with the routes of its `prompt` and what others have."""
    routes = {**by_name(prompt), **state.of(Route)}
    state, _ = with_common_mtus(as_applied(with_named_tables(state)), chosen_mtus)
    return EndState(values={**dict(_in_state(state.with_explicit_mtus())), **dict(_beside(attachments, routes))})


def _in_state(state: State) -> Iterator[tuple[Name, Any]]:
    """Yield each value of a state by its name, without what may differ between a script and a file of equal effect."""
    gre = state.virtual_as(Gre)  # VPP numbers their MAC addresses in the order in which it creates them
    groups = Counter((each.bridge, each.split_horizon_group) for each in state.interfaces.values())
    unmarked = {name: _unmarked(each, groups, state) for name, each in state.interfaces.items()}
    for name in state.virtual.keys() & unmarked.keys():  # VPP is not asked for the queues of what a file makes
        unmarked[name] = replace(unmarked[name], rx_placement=(), tx_placement=())
    state = replace(state, interfaces={**unmarked, **{name: replace(unmarked[name], mac="") for name in gre}})
    state = replace(state, bridges={name: replace(each, tag="") for name, each in state.bridges.items()})
    taps = {
        name: replace(tap, host_mtu=tap.host_mtu or DEFAULT_HOST_MTU) for name, tap in state.virtual_as(Tap).items()
    }
    state = replace(state, virtual={**state.virtual, **taps})
    for field in (each.name for each in fields(state) if each.compare and each.name not in {"objects", "linux"}):
        value = getattr(state, field)
        if isinstance(value, Mapping):
            yield from (((field, name), each) for name, each in value.items())
        else:
            yield (field, ""), value
    for kind, items in state.objects.items():
        if kind is not Route:
            yield from (((kind.table, each.name), each) for each in map(_of_default_table, items.values()))


def _of_default_table(item: Any) -> Any:
    """Return a mapping of NAT44 with the default table, where it has the table of the hosts inside.

    A script types a mapping by an interface without a table, and VPP takes the table of the hosts inside. In each NAT44
    that a file can have this is the default table, so that both mappings do the same.
    """
    is_typed = isinstance(item, (NatMapping, NatExemption)) and item.table_id == OF_THE_INSIDE
    return replace(item, table_id=0) if is_typed else item


def _unmarked(interface: Interface, groups: Mapping[tuple[int | None, int], int], state: State) -> Interface:
    """Return an interface without its tag, its link's MTU, idle rewrites, and the group of a BVI that is alone in it.

    No file has that group, by which VPP keeps frames from others of the group alone (vnet/l2/l2_output.c).
    """
    is_alone = interface.is_bvi and groups[interface.bridge, interface.split_horizon_group] == 1
    group = 0 if is_alone else interface.split_horizon_group
    rewrite = None if is_routed(interface, state) else interface.tag_rewrite
    return replace(interface, tag="", link_mtu=None, split_horizon_group=group, tag_rewrite=rewrite)


def is_routed(interface: Interface, state: State) -> bool:
    """Return whether an interface is in no bridge domain and at no end of a cross-connect."""
    return not interface.is_l2 and all(each.l2xc != interface.name for each in state.interfaces.values())


def _beside(attachments: Iterable[Attachment], routes: Mapping[str, Route]) -> Iterator[tuple[Name, Any]]:
    """Yield routes whoever owns them, and what no section manages."""
    yield from (((Route.table, name), each) for name, each in routes.items())
    for each in attachments:
        if each.kind == _TABLE or (each.kind == _ROUTE and each.name.partition(" via ")[0] in routes):
            continue
        if each.kind == _FEATURE and each.name.startswith(_STAYS):
            continue
        mapping = _MAPPING.match(each.name) if each.kind == "NAT44 static mapping" else None
        yield (each.kind, f"{each.holder} {mapping[0] if mapping else each.name}".strip()), each.lines


@record
class TriedAdoption:
    """The outcome of a file and a rest in some order."""

    order: RestOrder
    end: EndState
    refused: Collection[Key]
    """The commands that VPP has refused."""
    absent: Collection[str] = ()
    """What the file leaves to others and VPP has not yet when it is applied; empty where it can be applied."""

    def missed(self, goal: EndState) -> list[Name]:
        """Return what is otherwise than at the goal."""
        return goal.differences(self.end)

    @property
    def late_ports(self) -> set[str]:
        """Return what the commands behind the file make."""
        return {*self.absent, *(port.name for each in self.order.last for port in each.ports)}


def try_out(simulation: Simulation, text: str, order: RestOrder, chosen_mtus: Collection[str]) -> TriedAdoption:
    """Give a VPP that has just started a file and a rest, and look at what the next plan of the file would undo."""
    refused = [key_of(each.line) for each in order.first if not each.run_on(simulation)]
    there = simulation.observe().interfaces
    configuration = parse_text(text, "the adopted configuration").configuration
    why = _apply(simulation, configuration)
    refused += [key_of(each.line) for each in order.last if not each.run_on(simulation)]
    end = end_of(simulation, chosen_mtus)
    if why or configuration is None:
        end = EndState(values={**end.values, ("refused", why): why})
        absent = set(configuration.unmanaged) - there.keys() if configuration is not None else ()
        return TriedAdoption(order=order, end=end, refused=refused, absent=absent)
    if order.first or order.last:
        plan = _plan(simulation, configuration)
        changes = () if isinstance(plan, str) else plan.changes
        # Whose an object is, the journal of a router knows, and here there is none.
        undone = {(_UNDONE, each.name): each.action for each in changes if each.kind is not ObjectKind.OBJECT}
        end = EndState(values={**end.values, **undone})
    return TriedAdoption(order=order, end=end, refused=refused)


def _apply(simulation: Simulation, configuration: Configuration | None) -> str:
    """Apply a configuration, and return why it cannot be applied, '' when it is."""
    plan = _plan(simulation, configuration) if configuration is not None else "the file is not valid"
    return plan if isinstance(plan, str) else simulation.perform(plan.operations)


def _plan(simulation: Simulation, configuration: Configuration) -> Plan | str:
    """Return the plan of a configuration, or why there is none."""
    resolution = resolve(configuration, simulation.observe())
    if fault := next((each for each in resolution.problems if each.severity is Severity.ERROR), None):
        return fault.text
    try:
        return make_plan(resolution.observed, resolution.desired)
    except VppcfgError as error:
        return error.message


@record
class Correction:
    """What is done about what the file and the rest do not bring about."""

    left: Mapping[Key, str]
    """Lines that are left too, each with the reason."""
    undone: Collection[Key] = ()
    """Lines that are left and must not run: a later line takes away again what they set."""


def correction_for(trial: TriedAdoption, goal: EndState, lines: Sequence[SourceLine]) -> Correction:
    """Return what to do about each name that has another value than it should.

    No file names a port that a command makes which itself needs the file: lines about such ports are left, and nothing
    else in this correction. Otherwise each name gets the first of these that applies, the smallest one:

    1. Lines that set the same as a line that is left are left too.
    2. Of what is there and should not be, the left lines are not run.
    3. All lines about the name are left.
    4. All lines about its interface, bridge domain or table are left.
    """
    by_late = [line for line in lines if _can_be_left(line) and not trial.late_ports.isdisjoint(_words_of(line))]
    if by_late:
        return Correction(left={key_of(line): _MADE_LATE for line in by_late})
    left: dict[Key, str] = {}
    undone: set[Key] = set()
    needed: set[Key] = set()
    for name in trial.missed(goal):
        about = _lines_about(name, lines)
        kept = [line for line in about if line.is_left]
        if name in goal.values:
            needed |= {key_of(line) for line in kept}
        if same := [line for line in lines if _can_be_left(line) and _is_like(line, about, kept)]:
            left |= {key_of(line): TOGETHER for line in same}
        elif kept and name not in goal.values:
            undone |= {key_of(line) for line in kept if not line.command.startswith("create ")}
        else:
            holders = _holders_of(name, lines)
            around = (line for line in lines if not holders.isdisjoint(_words_of(line)))
            more = list(filter(_can_be_left, about)) or list(filter(_can_be_left, around))
            left |= {key_of(line): TOGETHER for line in more}
    return Correction(left=left, undone=undone - needed)


def _lines_about(name: Name, lines: Sequence[SourceLine]) -> list[SourceLine]:
    """Return the lines about a name: those with all of its addresses, where there are any."""
    about = [line for line in lines if _is_about(line, name, _holders_of(name, lines))]
    elements = set(elements_of(name[1]))
    return [line for line in about if elements <= set(elements_of(line.text))] or about


def _is_like(line: SourceLine, about: Sequence[SourceLine], kept: Sequence[SourceLine]) -> bool:
    """Return whether a line is about the same by the same command as a line that is kept, or sets the same."""
    if line in about and any(line.command == each.command for each in kept):
        return True
    place = _place_of(line)
    return place is not None and any(place == _place_of(each) for each in kept)


def _place_of(line: SourceLine) -> Place | None:
    return place_of(line.command, line.arguments.split())


def _can_be_left(line: SourceLine) -> bool:
    """Return whether a line is not left so far, and may have set something.

    A line that VPP refused (FAULT) may have set something too, before VPP gave up.
    """
    outcomes = {LineOutcome.FILE, LineOutcome.NO_EFFECT, LineOutcome.FAULT}
    return not line.is_left and line.outcome in outcomes and bool(line.subjects or line.path)


def _words_of(line: SourceLine) -> set[str]:
    """Return everything that a line may call an object: its words, its objects, its place in the file."""
    return {*line.subjects, *line.whole.split(), *map(str, line.path), *named_objects(line)}


def _holders_of(name: Name, lines: Sequence[SourceLine]) -> set[str]:
    """Return the interfaces, bridge domains and tables that a name names."""
    if name[0] in _NAMED:
        return {name[1]}
    known = {subject for line in lines for subject in (*line.subjects, *named_objects(line))}
    return known.intersection(name[1].split())


def _is_about(line: SourceLine, name: Name, holders: set[str]) -> bool:
    """Return whether a line is about what has this name: its interface, bridge domain, table or list, or its key."""
    kind, which = name
    if kind == Route.table:
        return line.command == COMMAND and any(route.name == which for route in targets_of(line.text))
    if kind in _NAMED:
        return not holders.isdisjoint(_words_of(line))
    is_of_kind = _KEY_OF.get(kind, kind) in keys_of(line.command)
    return is_of_kind and (not holders or not holders.isdisjoint(_words_of(line)))
