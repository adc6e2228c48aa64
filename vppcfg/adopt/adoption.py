"""Turns a VPP that others set up into a configuration, commands that it cannot express, and a report; all proved."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from vppcfg.adopt.account import FileContent, assert_in_file, assert_in_rest
from vppcfg.adopt.classify import JOINED_MTU, Classifier
from vppcfg.adopt.command_targets import PLACING, exceeds_file, queue_in
from vppcfg.adopt.common_mtu import with_common_mtus
from vppcfg.adopt.dataplane import Settings, lcp_settings, section_text
from vppcfg.adopt.grammar import Grammar, grammar_of
from vppcfg.adopt.misfits import Key, Left, lines_about, lines_behind, taken_of
from vppcfg.adopt.others import OthersOfKind
from vppcfg.adopt.replay import ReadFile, Replay
from vppcfg.adopt.report import AdoptionReport, LineOutcome, SourceLine
from vppcfg.adopt.routes import NOTHING, Takeover, place_lines, takeover
from vppcfg.adopt.script import without_uncomment
from vppcfg.adopt.simulation import Simulation
from vppcfg.adopt.unsupported_commands import RestFile, rest_of, rest_of_others
from vppcfg.common.addresses import canonical_mac
from vppcfg.common.names import natural_key
from vppcfg.common.release import Release
from vppcfg.config.dump import Written, written
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.config.section_list import VIRTUAL_SECTION_OF
from vppcfg.config.sections.placement import RX_KEY, TX_KEY
from vppcfg.config.yaml.reader import read_document
from vppcfg.errors import AdoptionError
from vppcfg.kinds.kind_list import TABLES
from vppcfg.model.interface import FIXED_LINK_MTU, Interface, InterfaceKind
from vppcfg.model.lcp import LcpSettings
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.live_state import left_out
from vppcfg.model.ownership import CREATED_MARK, description_of, is_foreign, tag_for
from vppcfg.model.placement import placed_by_hand
from vppcfg.model.policy_route import LoosePolicy
from vppcfg.model.problem import Problem, Severity
from vppcfg.model.state import State
from vppcfg.model.vpp_object import without_empty
from vppcfg.model.vrf import MAX_TABLE, table_key
from vppcfg.plan.plan import make_plan
from vppcfg.record import record

_WITHOUT_EFFECT = "VPP ends the same without it"
_AS_BEFORE = "it is so by itself: VPP ends the same without it"
_BESIDE_THE_FILE = "what the script sets so has no place in the file"
_IN_NO_KEY = "no key of the file has what it sets"
_GAP = "this is a gap in vppcfg, never your fault: please report it with the source"


class DifferentPlanError(AdoptionError):
    """The plan of an adopted configuration is not empty."""

    def __init__(self, message: str, commands: Sequence[str], subjects: Collection[str]) -> None:
        """Keep the `commands` that the plan would have VPP run, and its `subjects`, whose `lines` are found later."""
        super().__init__(message, _GAP)
        self.commands, self.subjects = commands, subjects
        self.lines: dict[Key, str] = {}


class InvalidFileError(AdoptionError):
    """No file can express all that a source sets."""

    def __init__(self, message: str, problems: Sequence[Problem], data: Any) -> None:
        """Keep the errors, and the file as plain `data`; the `lines` behind them are found later."""
        super().__init__(message, _GAP)
        self.problems, self.data = problems, data
        self.lines: dict[Key, str] = {}


@record
class Script:
    """A text of commands, and what it is called."""

    name: str
    text: str


@record
class Adoption:
    """What came of a source."""

    text: str
    """The configuration."""
    rest: RestFile
    """The commands that it cannot express."""
    report: AdoptionReport
    state: State
    """What the configuration describes."""


@record
class Ground:
    """What a script is replayed on."""

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

    def simulation(self) -> Simulation:
        """Return an unconfigured VPP."""
        return Simulation(str(self.release), self.ports, self.lcp, self.plugins, self.workers)


def adopt_scripts(
    scripts: Sequence[Script],
    ground: Ground,
    read_file: ReadFile,
    settings: Settings | None = None,
    lines: Sequence[SourceLine] = (),
    rest_file: str | None = None,
) -> Adoption:
    """Return what becomes of scripts that a VPP runs one after the other.

    `settings` are those of the section `dataplane` that another source has, whose `lines` come first in the report;
    VPP runs what is left from `rest_file`, where it can at its start. Commands whose effect the file turns out to lack,
    and lines that no valid file can express, are left, and all is tried again.
    Raise AdoptionError when the configuration cannot be proved to mean what the scripts do.
    """
    grammar = grammar_of(ground.release)
    left = Left()
    while True:
        replay = _replay(scripts, ground, read_file, grammar, left)
        left.taken = left.taken or taken_of(replay.lines)
        try:
            return _adopt_scripts(replay, ground, grammar, settings, lines, rest_file)
        except DifferentPlanError as error:
            more = {grammar.read(line).command for line in error.commands} - {"", *left.commands}
            if not more and error.lines.keys() <= left.lines.keys():
                raise
            left = left.with_commands(more, _BESIDE_THE_FILE) if more else left.with_lines(error.lines)
        except InvalidFileError as error:
            if error.lines.keys() <= left.lines.keys():
                raise
            left = left.with_lines(error.lines)


def _replay(scripts: Sequence[Script], ground: Ground, read_file: ReadFile, grammar: Grammar, left: Left) -> Replay:
    replay = Replay(
        ground.simulation(), grammar, read_file, past_errors=ground.past_errors, may_assume=ground.may_assume, left=left
    )
    for script in scripts:
        replay.run(script.name, script.text)
    return replay


def _adopt_scripts(
    replay: Replay,
    ground: Ground,
    grammar: Grammar,
    settings: Settings | None,
    lines: Sequence[SourceLine],
    rest_file: str | None,
) -> Adoption:
    state = replay.finish()
    _withdraw_unproved(replay, state, ground, grammar)
    placed = _with_named_tables(_with_placed(state, replay.lines))
    described = as_applied(placed, frozenset(_ports_with_more(replay.lines)))
    described, joined = with_common_mtus(described, frozenset(_with_chosen_mtus(replay.lines)))
    known = written(described, chosen_macs=frozenset(_macs_in(replay.lines)), with_bond_macs=ground.is_running)
    taken = takeover(described, known.configuration, replay.routes)
    if taken.routes:
        described = taken.into(described)
        known = written(described, chosen_macs=frozenset(_macs_in(replay.lines)), with_bond_macs=ground.is_running)
    joined = {**dict.fromkeys(_with_other_link_mtus(described, state), JOINED_MTU), **joined}
    classifier = Classifier(described, known, FileContent(read_document(known.text.encode()).data), joined)
    classifier.classify(replay.lines)
    _settle(classifier, replay, ground, grammar)
    place_lines(replay.lines, taken, {vrf.table_id: name for name, vrf in known.configuration.vrfs.items()})
    rest = rest_of(replay.lines, known.configuration, lambda: _simulation_for(ground, replay), grammar)
    whole = {**(settings or {}), **lcp_settings(state, settings or {})}
    if settings is not None and rest_file is not None and rest.commands and not rest.needs_the_file:
        whole = {**whole, "unix": {**whole.get("unix", {}), "exec": rest_file}}
    text = _agreeing(known, whole, lines)
    content = _proved(text, described, replay.lines)
    for line in (*lines, *replay.lines):
        if line.outcome is LineOutcome.DATAPLANE:
            line.path = FileContent(content).nearest(line.path)
    assert_in_file([*lines, *replay.lines], content)
    assert_in_rest(replay.lines, rest.commands)
    report = AdoptionReport(
        sources=tuple(dict.fromkeys(line.source for line in (*lines, *replay.lines))),
        release=str(ground.release),
        lines=[*lines, *replay.lines],
        ports=tuple(replay.ports),
    )
    return Adoption(text=text, rest=rest, report=report, state=described)


def adopt_state(
    state: State,
    name: str,
    settings: Settings | None = None,
    lines: Sequence[SourceLine] = (),
    others: tuple[OthersOfKind, ...] = (),
    taken: Takeover = NOTHING,
) -> Adoption:
    """Return what becomes of a running VPP: what `dump` writes, the `settings` of its startup.conf, and what is left.

    `others` are what others have on it; routes of the prompt that are `taken` over become those of the file.
    Raise AdoptionError when the configuration cannot be proved to mean the same.
    """
    state = taken.into(state)
    known = written(state)
    whole = {**(settings or {}), **lcp_settings(state, settings or {})}
    text = _agreeing(known, whole, lines)
    state, from_linux = _with_linux_as_meant(text, state)
    state, from_policies = _without_own_policies(state)
    prove(text, state)
    notices = [f"{kind} {key} is unmanaged: {why}" for kind, key, why in _left_in(known)]
    notices += [*from_linux, *from_policies, *left_out(state), *taken.notices()]
    report = AdoptionReport(
        sources=(name, *dict.fromkeys(line.source for line in lines)),
        release=state.facts.version,
        lines=list(lines),
        notices=tuple(notices),
        others=others,
    )
    return Adoption(text=text, rest=rest_of_others(others), report=report, state=state)


def _with_linux_as_meant(text: str, state: State) -> tuple[State, list[str]]:
    """Return a state with the Linux devices of a file, and what Linux has beside them, which no file can express."""
    configuration = parse_text(text, "the adopted configuration").configuration
    if configuration is None:
        return state, []
    desired = resolve(configuration, state).desired.linux
    other = [name for name in sorted(desired, key=natural_key) if state.linux.get(name, desired[name]) != desired[name]]
    notices = [
        f"the Linux device of {name} has {_words(state.linux[name])}, and {name} in VPP means {_words(desired[name])}: "
        "the first apply sets that, `vppcfg plan` shows it"
        for name in other
    ]
    return replace(state, linux={**state.linux, **{name: desired[name] for name in other}}), notices


def _without_own_policies(state: State) -> tuple[State, list[str]]:
    """Return a state without the policies that an interrupted change of vppcfg has left, and what becomes of them."""
    own = {name for name, policy in state.of(LoosePolicy).items() if policy.is_own}
    if not own:
        return state, []
    left = {name: policy for name, policy in state.of(LoosePolicy).items() if name not in own}
    text = "of an interrupted change: the first apply removes it"
    notices = [f"no interface has the policy {name} {text}" for name in sorted(own)]
    return replace(state, objects=without_empty({**state.objects, LoosePolicy: left})), notices


def _words(device: LinuxDevice) -> str:
    bridge = f", bridge {device.bridge}" if device.bridge else ""
    return f"MTU {device.mtu}, state {'up' if device.is_up else 'down'}{bridge}"


def _left_in(known: Written) -> Iterator[tuple[str, str, str]]:
    nouns = {"vrfs": "FIB table", **{kind.table: kind.noun for kind in TABLES}}
    tables = {nouns[table]: left for table, left in known.left.tables.items()}
    for kind, left in {"interface": known.left.interfaces, **tables}.items():
        for name in sorted(left, key=natural_key):
            yield kind, name, left[name]


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


def _with_named_tables(state: State) -> State:
    """Return a state whose FIB tables all have a name, as VRFs of a file must; a script may give a number alone."""
    taken = {table.name for table in state.vrfs.values()}
    vrfs = dict(state.vrfs)
    for key, table in state.vrfs.items():
        twin = state.vrfs.get(table_key(table.table_id, is_ipv6=not table.is_ipv6))
        name = twin.name if twin is not None and not twin.is_unnamed else f"vrf{table.table_id}"
        is_free = name not in taken or (twin is not None and name == twin.name)
        if table.is_unnamed and is_free and 0 < table.table_id <= MAX_TABLE:
            vrfs[key] = replace(table, name=name)
    return replace(state, vrfs=vrfs)


def _macs_in(lines: Sequence[SourceLine]) -> Iterator[str]:
    """Yield the MAC addresses that a script names, which no hardware has by itself."""
    for line in lines:
        if line.outcome in {LineOutcome.FILE, LineOutcome.FAULT} and ":" in line.text:
            yield from (mac for word in line.text.split() if (mac := canonical_mac(word)) is not None)


def _agreeing(known: Written, settings: Settings, lines: Sequence[SourceLine]) -> str:
    """Return the text of a configuration with the section `dataplane`, without a key that the interfaces contradict."""
    text = with_section(known, settings)
    if not lines:
        return text
    for problem in parse_text(text, "the adopted configuration").problems:
        if problem.severity is Severity.ERROR and problem.rule == "multi-seg-mtu" and "multi-seg" in settings["dpdk"]:
            for line in lines:
                if line.path == ("dataplane", "dpdk", "multi-seg"):
                    line.become(LineOutcome.FAULT, problem.text, problem.rule)
            others = {key: value for key, value in settings["dpdk"].items() if key != "multi-seg"}
            return with_section(known, {**settings, "dpdk": others})
    return text


def with_section(known: Written, settings: Settings) -> str:
    """Return the text of a configuration with the section `dataplane` behind it, when there is one."""
    return "\n".join(part for part in (known.text.strip("\n") and known.text, section_text(settings)) if part)


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


def as_applied(state: State, made_by_scripts: Collection[str] = ()) -> State:
    """Return a state as the first `apply --adopt` leaves it, which sets a little more than most scripts do.

    What people wrote into tags is a description; the MTU of a port is that of its packets and of its link; and a port
    that a file can make is one that it makes, but for those that are left to scripts to be made.
    """
    interfaces = {name: _as_applied(each) for name, each in state.interfaces.items()}
    for name, virtual in state.virtual.items():
        if virtual.is_ours_by_mark and name not in made_by_scripts and interfaces[name].kind is InterfaceKind.PHYSICAL:
            tag = tag_for(description_of(interfaces[name].tag), CREATED_MARK)
            if (
                not is_foreign(interfaces[name].tag)
                and VIRTUAL_SECTION_OF[type(virtual)].unsupported_reason(virtual) is None
            ):
                interfaces[name] = replace(interfaces[name], kind=virtual.kind, tag=tag)
    return replace(state, interfaces=interfaces)


def _as_applied(interface: Interface) -> Interface:
    if is_foreign(interface.tag) and can_describe(interface.tag):
        interface = replace(interface, tag=tag_for(interface.tag))
    is_free = interface.kind is InterfaceKind.PHYSICAL and interface.device_class not in FIXED_LINK_MTU
    if is_free and interface.link_mtu is not None and interface.link_mtu != interface.packet_mtu:
        interface = replace(interface, link_mtu=interface.packet_mtu)
    return interface


def can_describe(tag: str) -> bool:
    """Return whether a tag can be a description that VPP keeps as it is."""
    return tag.isprintable() and not set("'\"") & set(tag) and description_of(tag_for(tag)) == tag


def _proved(text: str, state: State, lines: Sequence[SourceLine]) -> Any:
    try:
        return prove(text, state)
    except InvalidFileError as error:
        error.lines = lines_behind(error.problems, lines, error.data)
        raise
    except DifferentPlanError as error:
        error.lines = lines_about(error.subjects, lines, _BESIDE_THE_FILE)
        raise


def prove(text: str, state: State) -> Any:
    """Return the data of the YAML `text`.

    Raise AdoptionError unless it is a valid configuration with which a VPP in this state has nothing to do.
    """
    loaded = parse_text(text, "the adopted configuration")
    data = loaded.document.data if loaded.document is not None else None
    errors = [each for each in loaded.problems if each.severity is Severity.ERROR]
    if loaded.configuration is None:
        where = f"line {errors[0].line}: {errors[0].text} [{errors[0].rule}]" if errors else "it is not valid"
        raise InvalidFileError(f"the equivalent configuration is not valid: {where}", errors, data)
    resolution = resolve(loaded.configuration, state)
    errors = [each for each in resolution.problems if each.severity is Severity.ERROR]
    if errors:
        text = f"{errors[0].text} [{errors[0].rule}]"
        raise InvalidFileError(f"the configuration does not go with its source: {text}", errors, data)
    steps = make_plan(resolution.observed, resolution.desired).steps
    if steps:
        raise DifferentPlanError(
            f"the configuration is not equivalent to its source: its plan has {len(steps)} steps, "
            f"the first changes {steps[0].operation.subject} ({type(steps[0].operation).__name__})",
            [line for step in steps if (line := step.operation.cli()) is not None],
            {str(step.operation.subject) for step in steps},
        )
    return data


def _withdraw_unproved(replay: Replay, state: State, ground: Ground, grammar: Grammar) -> None:
    """Say of no line that it has no effect, unless a VPP ends the same without all of these lines."""
    idle = [line for line in replay.lines if line.outcome is LineOutcome.NO_EFFECT and line.subjects]
    if not idle:
        return
    if _run_without(idle, replay, ground, grammar).observe() != state:
        for line in idle:
            line.become(LineOutcome.FILE, "")
            line.subjects = tuple(name for name in line.subjects if name in state.interfaces)


def _settle(classifier: Classifier, replay: Replay, ground: Ground, grammar: Grammar) -> None:
    """Find what became of lines that are not in the file: they have no effect, or are left to a script."""
    if not classifier.unproven and not classifier.implied:
        return
    whole = _run_without((), replay, ground, grammar).effects()
    for lines, why in ((classifier.unproven, _WITHOUT_EFFECT), (classifier.implied, _AS_BEFORE)):
        is_idle = bool(lines) and _run_without(lines, replay, ground, grammar).effects() == whole
        for line in lines:
            if is_idle:
                line.become(LineOutcome.NO_EFFECT, why)
            elif lines is classifier.unproven:
                line.become(LineOutcome.UNMANAGED, _IN_NO_KEY, "adopt-rest")


def _run_without(left_out: Sequence[SourceLine], replay: Replay, ground: Ground, grammar: Grammar) -> Simulation:
    """Return a VPP that has run what counts, but for some lines."""
    simulation = _simulation_for(ground, replay)
    skipped = {id(line) for line in left_out}
    running = (LineOutcome.FILE, LineOutcome.DATAPLANE, LineOutcome.UNMANAGED, LineOutcome.FAULT)
    for line in replay.lines:
        counts = line.outcome in running and id(line) not in skipped
        if counts and line.command in simulation.commands and line.rule != "adopt-refused":
            is_whole = line.text.startswith(f"{line.command} ")
            meant = None if is_whole else grammar.read(without_uncomment(line.text))
            simulation.run(line.text if meant is None else f"{meant.command} {meant.rest}")
    return simulation


def _simulation_for(ground: Ground, replay: Replay) -> Simulation:
    simulation = ground.simulation()
    for name, device_class in replay.added:
        simulation.add_port(name, device_class)
    return simulation
