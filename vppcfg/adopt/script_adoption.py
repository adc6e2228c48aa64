"""Turns scripts of VPP commands into a configuration, a script of what that cannot express, and a report; proved."""

from __future__ import annotations

import fnmatch
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any

from vppcfg.adopt.adoption import Adoption, text_without_contradictions
from vppcfg.adopt.as_applied import as_applied, with_named_tables
from vppcfg.adopt.classify import JOINED_MTU, Classifier
from vppcfg.adopt.command_targets import exceeds_file, is_forgotten
from vppcfg.adopt.common_mtu import with_common_mtus
from vppcfg.adopt.dataplane import Settings, lcp_settings
from vppcfg.adopt.excluded_lines import Exclusions, Key, key_of, lines_about, lines_behind, taken_of
from vppcfg.adopt.grammar import Grammar, grammar_of
from vppcfg.adopt.idle_lines import (
    UNDONE,
    Reruns,
    classify_unproven,
    is_simulated,
    set_aside_undone,
    withdraw_unproved,
)
from vppcfg.adopt.numbered import OF_REST, lists_of_rest, named_by_number, nat44_with_left_mappings
from vppcfg.adopt.places import PLACING, queue_in
from vppcfg.adopt.proof import GAP, DifferentPlanError, InvalidFileError, prove
from vppcfg.adopt.replay import ReadFile, Replay
from vppcfg.adopt.report import AdoptionReport, LineOutcome, SourceLine
from vppcfg.adopt.report_proof import FileContent, assert_in_file, assert_in_rest
from vppcfg.adopt.rest_order import LeftCommand, RestOrder, orders, rest_lines
from vppcfg.adopt.routes import place_lines, takeover
from vppcfg.adopt.second_opinion import AskVpp, Opinion, answers_of, other_opinions
from vppcfg.adopt.simulation import Simulation
from vppcfg.adopt.trial import (
    TOGETHER,
    Correction,
    EndState,
    Name,
    TriedAdoption,
    correction_for,
    is_routed,
    try_out,
)
from vppcfg.adopt.unsupported_commands import RestFile, as_left
from vppcfg.common.addresses import canonical_mac
from vppcfg.common.names import natural_key
from vppcfg.common.release import Release
from vppcfg.config.dump import state_as_file
from vppcfg.entries.names import glob_of
from vppcfg.entries.placement import RX_KEY, TX_KEY
from vppcfg.entries.yaml.reader import read_document
from vppcfg.errors import AdoptionError, ContradictionError, VppcfgError
from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface
from vppcfg.model.lcp import LcpSettings
from vppcfg.model.placement import placed_by_hand
from vppcfg.model.state import State
from vppcfg.record import record

_BESIDE_THE_FILE = "what the script sets so has no place in the file"
_NOT_THE_SAME = "the file and the rest do not bring it about as the source does"
_NOT_TRIED = "it was not tried on a simulated VPP whether the file and the rest bring about what the source does"


_MOST_OPINIONS = 100


class DifferentEndError(AdoptionError):
    """The file and the rest bring a VPP somewhere else than the scripts do."""

    def __init__(self, correction: Correction, goal: _Goal) -> None:
        """Keep what to do about it."""
        super().__init__("the file and the rest do not bring about what the source does", GAP)
        self.correction, self.goal = correction, goal


@record
class Script:
    """A text of commands, and what it is called."""

    name: str
    text: str


@record
class ReplaySetup:
    """The simulated VPP on which scripts are replayed: its release, ports and startup settings."""

    release: Release
    ports: Sequence[Interface] = ()
    """Those that a running VPP has, or that startup.conf names."""
    may_assume: bool = True
    """Whether there are others, so that one which only a script names is taken for one that VPP has."""
    is_running: bool = False
    """Whether the ports are those of a running VPP, whose MAC addresses are known."""
    lcp: LcpSettings = LcpSettings()
    """What startup.conf sets for linux-cp."""
    plugins: tuple[str, ...] | None = None
    """Those that startup.conf enables, None for all."""
    workers: int | None = None
    """How many it has, None for as many as a script names."""
    past_errors: bool = False
    """Whether what stands behind a command that VPP refuses is adopted too."""
    answers: Mapping[Key, tuple[bool, str]] = field(default_factory=dict)
    """Whether a real VPP takes some lines, and what it prints, where the simulated one would answer otherwise."""

    def simulation(self) -> Simulation:
        """Return an unconfigured VPP."""
        return Simulation(str(self.release), self.ports, self.lcp, self.plugins, self.workers)


def adopt_scripts(
    scripts: Sequence[Script],
    setup: ReplaySetup,
    read_file: ReadFile,
    settings: Settings | None = None,
    lines: Sequence[SourceLine] = (),
    rest_file: str | None = None,
    ask: AskVpp | None = None,
) -> Adoption:
    """Return what happens to scripts that a VPP runs one after the other.

    Where a real VPP can be asked, its answers count, and the report has as notices where they are others.
    """
    opinions: list[Opinion] = []
    while True:
        adopted = _adopt_or_not_tried(scripts, setup, read_file, settings, lines, rest_file)
        known = {key_of(each.line) for each in opinions}
        ports = [*(port.name for port in setup.ports), *(port.name for port in adopted.report.ports)]
        found = other_opinions(adopted.report.lines, ports, ask) if ask is not None else []
        new = [each for each in found if key_of(each.line) not in known]
        opinions += new
        if not answers_of(new) or len(opinions) > _MOST_OPINIONS:
            break
        setup = replace(setup, answers={**setup.answers, **answers_of(new)})
    notices = (*adopted.report.notices, *(each.notice for each in opinions))
    return replace(adopted, report=replace(adopted.report, notices=notices))


def _adopt_or_not_tried(
    scripts: Sequence[Script],
    setup: ReplaySetup,
    read_file: ReadFile,
    settings: Settings | None,
    lines: Sequence[SourceLine],
    rest_file: str | None,
) -> Adoption:
    """Return an adoption by simulated VPPs alone.

    What is adopted is tried on a simulated VPP, and without that where it fails, which the report has as a notice.
    `settings` are those of the section `dataplane` that another source has, whose `lines` come first in the report;
    VPP runs what is left from `rest_file`, where it can at its start. Commands whose effect the file turns out to lack,
    and lines that no valid file can express, are left, and all is tried again.
    Raise AdoptionError when the configuration cannot be proved to mean what the scripts do.
    """
    adopt = partial(_adopt_until_proved, scripts, setup, read_file, settings, lines, rest_file)
    try:
        return adopt(is_tried=True)
    except (VppcfgError, LookupError, ValueError) as error:  # no adoption depends on a trial
        adopted = adopt(is_tried=False)
        why = error.message if isinstance(error, VppcfgError) else repr(error)
    notices = (*adopted.report.notices, f"{_NOT_TRIED}: {why}")
    return replace(adopted, report=replace(adopted.report, notices=notices))


def _adopt_until_proved(
    scripts: Sequence[Script],
    setup: ReplaySetup,
    read_file: ReadFile,
    settings: Settings | None,
    lines: Sequence[SourceLine],
    rest_file: str | None,
    *,
    is_tried: bool,
) -> Adoption:
    grammar = grammar_of(setup.release)
    left = Exclusions()
    goal: _Goal | None = None
    while True:
        replay = _replay(scripts, setup, read_file, grammar, left)
        if not left.dropped and (useless := dict((*_pairs_of_members(replay), *_rewrites_of_routed(replay)))):
            left = replace(left, dropped=useless)
            continue
        if not left.taken:
            left.taken = taken_of(replay.lines)
        if is_tried and goal is None:
            goal = _goal_of(replay)
        try:
            return _adopt_scripts(replay, setup, grammar, goal, left, settings, lines, rest_file)
        except DifferentPlanError as error:
            commands = {grammar.read(line).command for line in error.commands} - {"", *left.commands}
            if not commands and error.lines.keys() <= left.lines.keys():
                raise
            left = left.with_commands(commands, _BESIDE_THE_FILE) if commands else left.with_lines(error.lines)
        except InvalidFileError as error:
            if error.lines.keys() <= left.lines.keys():
                raise
            left = left.with_lines(error.lines)
        except ContradictionError as error:
            contradicting = _lines_like(error.commands, replay.lines, grammar)
            if contradicting.keys() <= left.lines.keys():
                raise
            left = left.with_lines(contradicting)
        except DifferentEndError as error:
            more = left.with_lines(error.correction.left).with_undone(error.correction.undone)
            goal = replace(error.goal, can_be_met=more != left)
            left = more if goal.can_be_met else replace(left, undone=frozenset())


def _replay(
    scripts: Sequence[Script], setup: ReplaySetup, read_file: ReadFile, grammar: Grammar, left: Exclusions
) -> Replay:
    replay = Replay(
        setup.simulation(),
        grammar,
        read_file,
        past_errors=setup.past_errors,
        may_assume=setup.may_assume,
        left=left,
        answers=setup.answers,
    )
    for script in scripts:
        replay.run(script.name, script.text)
    return replay


def _rewrites_of_routed(replay: Replay) -> Iterator[tuple[Key, tuple[str, str]]]:
    """Yield the lines that have VPP rewrite VLAN tags of what is routed in the end, which it does for no packet."""
    lines = [line for line in replay.lines if line.command == "set interface l2 tag-rewrite" and line.is_carried_out]
    state = replay.state() if lines else State()
    for line in lines:
        known = next((state.interfaces[name] for name in line.subjects[:1] if name in state.interfaces), None)
        if known is not None and known.tag_rewrite is not None and is_routed(known, state):
            why = f"VPP takes it and does nothing: {known.name} is routed, and tags are rewritten of what is bridged"
            yield key_of(line), (why, "adopt-does-nothing")


def _pairs_of_members(replay: Replay) -> Iterator[tuple[Key, tuple[str, str]]]:
    """Yield the lines that pair what is a member of a bond in the end, whose packets the bond has."""
    pairs = [line for line in replay.lines if line.command == "lcp create" and line.is_carried_out]
    if not pairs or all(line.command != "bond add" for line in replay.lines):
        return
    values = replay.end(frozenset()).values.items()
    bonds = {member: name for (_, name), bond in values if isinstance(bond, Bond) for member in bond.members}
    for line in pairs:
        member = next((name for name in line.subjects if name in bonds), None)
        if member is not None:
            why = f"{member} is a member of {bonds[member]}, which has its packets: the pair gets none, and is left out"
            yield key_of(line), (why, "adopt-lcp-before-member")


@record
class _Goal:
    """Where the file and the rest have to bring a VPP."""

    end: EndState
    chosen_mtus: frozenset[str]
    not_simulated: frozenset[Key]
    """Lines whose effect is unknown."""
    can_be_met: bool = True
    """Whether there is more to try; what then still differs is reported."""


def _goal_of(replay: Replay) -> _Goal:
    """Return where a script ends of which nothing is left that the simulated VPP can run."""
    chosen = frozenset(_with_chosen_mtus(replay.lines))
    beyond = frozenset(key_of(line) for line in replay.lines if line.is_left and not is_simulated(line))
    return _Goal(end=replay.end(chosen), chosen_mtus=chosen, not_simulated=beyond)


def _adopt_scripts(
    replay: Replay,
    setup: ReplaySetup,
    grammar: Grammar,
    goal: _Goal | None,
    left: Exclusions,
    settings: Settings | None,
    lines: Sequence[SourceLine],
    rest_file: str | None,
) -> Adoption:
    state = replay.finish()
    reruns = Reruns(lambda: _simulation_for(setup, replay), replay.lines)
    withdraw_unproved(reruns, replay.lines, state)
    set_aside_undone(replay.lines, reruns)
    placed = with_named_tables(_with_placed(state, replay.lines))
    described = as_applied(placed, frozenset(_ports_with_more(replay.lines)))
    described, joined = with_common_mtus(described, frozenset(_with_chosen_mtus(replay.lines)))
    written = partial(
        state_as_file,
        chosen_macs=frozenset(_macs_in(replay.lines)),
        with_bond_macs=setup.is_running,
    )
    others = dict.fromkeys(_ports_of_rest(replay, described), TOGETHER)
    seen = {name: each for name, each in described.interfaces.items() if name not in others}
    described = replace(described, interfaces=seen)
    others |= _of_rest(replay, described) | _interfaces_of_rest(goal, described)
    known = written(described, others=others)
    taken = takeover(described, known.configuration, replay.routes)
    if taken.routes:
        described = taken.into(described)
        known = written(described, others=others)
    joined = {**dict.fromkeys(_with_other_link_mtus(described, state), JOINED_MTU), **joined}
    classifier = Classifier(
        described, known, FileContent(read_document(known.text.encode()).data), joined, replay.unfit
    )
    classifier.classify(replay.lines)
    classify_unproven(classifier, reruns)
    place_lines(replay.lines, taken, known.configuration, described)
    set_aside_undone(replay.lines, reruns)
    content = _proved(known.text, described, replay.lines)
    for line in replay.lines:
        if line.is_left and key_of(line) in left.undone:
            line.set_outcome(LineOutcome.NO_EFFECT, UNDONE)
    if goal is not None and (together := named_by_number(replay.lines) | nat44_with_left_mappings(replay.lines)):
        raise DifferentEndError(Correction(left=together), goal)
    unknown = goal.not_simulated if goal is not None else frozenset[Key]()
    possible = orders(
        rest_lines(replay.lines, grammar, replay.made, unknown), known.configuration, _started(setup, replay)
    )
    order, missed = next(possible), list[Name]()
    if goal is not None:
        order, missed = _tried(known.text, replay, setup, (order, *possible), goal)
    rest = RestFile(first=_texts(order.first), last=_texts(order.last))
    whole = {**(settings or {}), **lcp_settings(state, settings or {})}
    if settings is not None and rest_file is not None and rest.first:
        whole = {**whole, "unix": {**whole.get("unix", {}), "exec": rest_file}}
    text = text_without_contradictions(known, whole, lines)
    if text != known.text:
        content = _proved(text, described, replay.lines)
    for line in (*lines, *replay.lines):
        if line.outcome is LineOutcome.DATAPLANE:
            line.path = FileContent(content).nearest(line.path)
    assert_in_file([*lines, *replay.lines], content)
    assert_in_rest(replay.lines, rest.commands)
    report = AdoptionReport(
        sources=tuple(dict.fromkeys(line.source for line in (*lines, *replay.lines))),
        release=str(setup.release),
        lines=[*lines, *replay.lines],
        ports=tuple(replay.ports),
        notices=tuple(f"{_NOT_THE_SAME}: {' '.join(name).rstrip()}" for name in missed),
    )
    return Adoption(text=text, rest=rest, report=report, state=described)


def _tried(
    text: str, replay: Replay, setup: ReplaySetup, possible: Iterable[RestOrder], goal: _Goal
) -> tuple[RestOrder, list[Name]]:
    """Return the order in which the file and the rest bring about the most, and what they do not bring about.

    Raise DifferentEndError as long as something can be done about that.
    """
    unmanaged = {key_of(line) for line in replay.lines if line.outcome is LineOutcome.UNMANAGED}
    best: tuple[int, int, TriedAdoption] | None = None
    for order in possible:
        trial = try_out(_started(setup, replay), text, order, goal.chosen_mtus)
        score = len(trial.missed(goal.end)), len(unmanaged & {*trial.refused})
        if best is None or score < best[:2]:
            best = *score, trial
        if not any(score):
            break
    assert best is not None
    trial = best[-1]
    missed, refused = trial.missed(goal.end), unmanaged & {*trial.refused}
    if missed and goal.can_be_met:
        raise DifferentEndError(correction_for(trial, goal.end, replay.lines), goal)
    if refused and not missed and goal.can_be_met:
        raise DifferentEndError(Correction(left={}, undone=refused), goal)
    return trial.order, missed


def _of_rest(replay: Replay, state: State) -> dict[str, str]:
    """Return what the rest makes and the file leaves to it, as `unmanaged` names it, with the reason."""
    left = {key_of(line) for line in replay.lines if line.is_left}
    ports = {
        glob: OF_REST
        for glob, line in replay.made_apart().items()
        if line in left and not fnmatch.filter(state.interfaces, glob)
    }
    return ports | {glob_of(name): OF_REST for name in lists_of_rest(replay.lines)}


def _interfaces_of_rest(goal: _Goal | None, state: State) -> dict[str, str]:
    """Return the interfaces that only the rest makes: they have no tag, and the next plan would remove them."""
    ends = goal.end.values.items() if goal is not None else ()
    there = state.interfaces.keys()
    made = {name: each for (table, name), each in ends if table == "interfaces" and name not in there}
    return {name: OF_REST for name, each in made.items() if each.parent is None or each.parent in there}


def _ports_of_rest(replay: Replay, state: State) -> Iterator[str]:
    """Yield the ports of which a file would undo what the rest sets: all lines about them are left, for their order."""
    about: defaultdict[str, list[SourceLine]] = defaultdict(list)
    for line in replay.lines:
        for name in line.subjects if line.outcome is not LineOutcome.NO_EFFECT else ():
            about[name].append(line)
    for name in sorted(about.keys() & state.interfaces.keys() - state.virtual.keys(), key=natural_key):
        are_left = all(line.is_left or is_forgotten(line.command, line.arguments.split()) for line in about[name])
        if are_left and any(line.why == TOGETHER for line in about[name]):
            yield name


def _texts(lines: Iterable[LeftCommand]) -> tuple[str, ...]:
    return tuple(as_left(each.line) for each in lines)


def _lines_like(commands: Sequence[str], lines: Sequence[SourceLine], grammar: Grammar) -> dict[Key, str]:
    """Return the lines of the same commands about the same interfaces, with why they are left."""
    meant = [grammar.read(command) for command in commands]
    return {
        key_of(line): _BESIDE_THE_FILE
        for line in lines
        for each in meant
        if line.command == each.command and not set(line.subjects).isdisjoint(each.rest.split())
    }


def _started(setup: ReplaySetup, replay: Replay) -> Simulation:
    """Return a VPP that has just started, with the ports and the settings that the scripts give it.

    It has none of the ports that their commands make.
    """
    simulation = setup.simulation()
    made = {port.name for ports in replay.made.values() for port in ports}
    for port in (port for name, port in replay.added.items() if name not in made):
        simulation.have(port)
    for line in replay.lines:
        if line.outcome is LineOutcome.DATAPLANE:
            simulation.run(line.whole)
        elif line.command in PLACING:
            simulation.ensure_queue(line.whole)
    return simulation


def _with_placed(state: State, lines: Sequence[SourceLine]) -> State:
    """Return a state in which the queues that a script places, and no others, are known to be placed by an operator."""
    placed: dict[tuple[str, str], set[int]] = {}
    for line in lines:
        key = PLACING.get(line.command)
        if key is not None and line.outcome is LineOutcome.FILE and line.subjects:
            placed.setdefault((line.subjects[0], key), set()).add(queue_in(line.text.split()))
    if not placed:
        return state
    interfaces = dict(state.interfaces)
    for name in {name for name, _ in placed} & interfaces.keys():
        rx, tx = (placed.get((name, key), set()) for key in (RX_KEY, TX_KEY))
        port = interfaces[name]
        interfaces[name] = replace(
            port, rx_placement=placed_by_hand(port.rx_placement, rx), tx_placement=placed_by_hand(port.tx_placement, tx)
        )
    return replace(state, interfaces=interfaces)


def _macs_in(lines: Sequence[SourceLine]) -> Iterator[str]:
    """Yield the MAC addresses that a script names, which no hardware has by itself."""
    for line in lines:
        if line.outcome in {LineOutcome.FILE, LineOutcome.FAULT} and ":" in line.text:
            yield from (mac for word in line.text.split() if (mac := canonical_mac(word)) is not None)


def _ports_with_more(lines: Sequence[SourceLine]) -> Iterator[str]:
    """Yield the ports that a script makes with something that no file can express."""
    for line in lines:
        if exceeds_file(line.command, line.text):
            yield from line.subjects


def _with_chosen_mtus(lines: Sequence[SourceLine]) -> Iterator[str]:
    """Yield the interfaces whose MTU a script sets."""
    for line in lines:
        if line.command == "set interface mtu" and line.outcome in {LineOutcome.FILE, LineOutcome.FAULT}:
            yield from line.subjects[-1:]


def _with_other_link_mtus(described: State, state: State) -> Iterator[str]:
    """Yield the interfaces whose link MTU is another one in the file than in the state."""
    for name, each in described.interfaces.items():
        if each.link_mtu != state.interfaces[name].link_mtu:
            yield name


def _proved(text: str, state: State, lines: Sequence[SourceLine]) -> Any:
    try:
        return prove(text, state)
    except InvalidFileError as error:
        error.lines = lines_behind(error.problems, lines, error.data)
        raise
    except DifferentPlanError as error:
        error.lines = lines_about(error.subjects, lines, _BESIDE_THE_FILE)
        raise


def _simulation_for(setup: ReplaySetup, replay: Replay) -> Simulation:
    simulation = setup.simulation()
    for port in replay.added.values():
        simulation.have(port)
    return simulation
