"""Turns a running VPP that others set up into a configuration, a script of what that cannot express, and a report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from vppcfg.adopt.dataplane import Settings, lcp_settings, section_text
from vppcfg.adopt.others import OthersOfKind
from vppcfg.adopt.proof import prove
from vppcfg.adopt.report import AdoptionReport, LineOutcome, SourceLine
from vppcfg.adopt.routes import NOTHING, Takeover
from vppcfg.adopt.unsupported_commands import RestFile, rest_of_others
from vppcfg.common.names import natural_key
from vppcfg.config.dump import StateAsFile
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.config.valid_dump import valid_dump
from vppcfg.kinds.kind_list import TABLES
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.linux_neighbors import left_in_linux
from vppcfg.model.live_state import left_out
from vppcfg.model.policy_route import UnattachedPolicy
from vppcfg.model.problem import Severity
from vppcfg.model.state import State
from vppcfg.model.vpp_object import without_empty
from vppcfg.record import record


@record
class Adoption:
    """A running VPP, or a script, as a configuration and what that cannot express."""

    text: str
    """The configuration."""
    rest: RestFile
    """The commands that it cannot express."""
    report: AdoptionReport
    state: State
    """The state that the configuration describes."""


def adopt_state(
    state: State,
    name: str,
    settings: Settings | None = None,
    lines: Sequence[SourceLine] = (),
    others: tuple[OthersOfKind, ...] = (),
    taken: Takeover = NOTHING,
) -> Adoption:
    """Return the adoption of a running VPP: what `dump` writes, with the `settings` of its startup.conf.

    `others` is what other programs have on it; static routes from vppctl that are `taken` over are in the file.
    Raise AdoptionError when the configuration cannot be proved to mean the same.
    """
    state = taken.into(state)
    known = valid_dump(state)
    whole = {**(settings or {}), **lcp_settings(state, settings or {})}
    text = text_without_contradictions(known, whole, lines)
    state, from_linux = _with_linux_as_meant(text, state)
    state, from_policies = _without_own_policies(state)
    prove(text, state)
    notices = [f"{kind} {key} is unmanaged: {why}" for kind, key, why in _left_in(known)]
    notices += [*from_linux, *from_policies, *left_out(state), *left_in_linux(state), *taken.notices()]
    report = AdoptionReport(
        sources=(name, *dict.fromkeys(line.source for line in lines)),
        release=state.facts.version,
        lines=list(lines),
        notices=tuple(notices),
        others=others,
    )
    return Adoption(text=text, rest=rest_of_others(others), report=report, state=state)


def _with_linux_as_meant(text: str, state: State) -> tuple[State, list[str]]:
    """Return a state with the Linux devices that a file means, and a notice for each that Linux has otherwise."""
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
    """Return a state without the policies that an interrupted change of vppcfg has left, and a notice for each."""
    own = {name for name, policy in state.of(UnattachedPolicy).items() if policy.is_own}
    if not own:
        return state, []
    left = {name: policy for name, policy in state.of(UnattachedPolicy).items() if name not in own}
    text = "of an interrupted change: the first apply removes it"
    notices = [f"no interface has the policy {name} {text}" for name in sorted(own)]
    return replace(state, objects=without_empty({**state.objects, UnattachedPolicy: left})), notices


def _words(device: LinuxDevice) -> str:
    bridge = f", bridge {device.bridge}" if device.bridge else ""
    return f"MTU {device.mtu}, state {'up' if device.is_up else 'down'}{bridge}"


def _left_in(known: StateAsFile) -> Iterator[tuple[str, str, str]]:
    nouns = {"vrfs": "FIB table", **{kind.table: kind.noun for kind in TABLES}}
    tables = {nouns[table]: left for table, left in known.left.tables.items()}
    for kind, left in {"interface": known.left.interfaces, **tables}.items():
        for name in sorted(left, key=natural_key):
            yield kind, name, left[name]
    for path, why in known.left.keys.items():
        yield "key", ".".join(map(str, path)), why


def text_without_contradictions(known: StateAsFile, settings: Settings, lines: Sequence[SourceLine]) -> str:
    """Return the text of a configuration with the section `dataplane`, without a key that the interfaces contradict."""
    text = with_section(known, settings)
    if not lines:
        return text
    for problem in parse_text(text, "the adopted configuration").problems:
        if problem.severity is Severity.ERROR and problem.rule == "multi-seg-mtu" and "multi-seg" in settings["dpdk"]:
            for line in lines:
                if line.path == ("dataplane", "dpdk", "multi-seg"):
                    line.set_outcome(LineOutcome.FAULT, problem.text, problem.rule)
            others = {key: value for key, value in settings["dpdk"].items() if key != "multi-seg"}
            return with_section(known, {**settings, "dpdk": others})
    return text


def with_section(known: StateAsFile, settings: Settings) -> str:
    """Return the text of a configuration, followed by its section `dataplane` when it has one."""
    return "\n".join(part for part in (known.text.strip("\n") and known.text, section_text(settings)) if part)
