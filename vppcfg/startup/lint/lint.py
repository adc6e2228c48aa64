"""Judges a startup.conf on all levels, for one release of VPP or for several.

A new rule goes into the module of its subject, such as sizes.py, cores.py or dpdk.py, which `_of_tree` calls by way of
its level; its text and examples into schema/rules.yaml.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from vppcfg.common.release import RELEASES, Release
from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.conf.placeholder import placeholders
from vppcfg.startup.conf.plugin_review import plugin_problems, unknown_plugins
from vppcfg.startup.conf.reader import UNCLOSED, closed, is_too_large, read_conf
from vppcfg.startup.conf.review import review
from vppcfg.startup.conf.tree import Conf
from vppcfg.startup.lint.caution import cautions
from vppcfg.startup.lint.consistency import consistency_problems
from vppcfg.startup.lint.finding import ConfFinding, ConfJudgement, ConfSurroundings, Level
from vppcfg.startup.lint.machine import machine_problems
from vppcfg.startup.lint.vpp_defaults import default_problems, unknown_default_problems

_STARTS_NEVERTHELESS = frozenset({"conf-passed-over"})


def judge(text: str, releases: Sequence[Release] = RELEASES, known: ConfSurroundings | None = None) -> ConfJudgement:
    """Return all that is wrong with a file for any of the releases; what is the same for several stands there once."""
    known = known or ConfSurroundings()
    text, unfilled = (text, ()) if is_too_large(text) else placeholders(text)
    lines = {one.line for one in unfilled}
    found: dict[tuple[Problem, Level], list[Release]] = {(one, Level.FORM): list(releases) for one in unfilled}
    is_read = False
    stopped = []
    for release in releases:
        conf, problems = read_conf(text, release)
        is_read |= not problems
        pairs = [(one, Level.FORM) for one in problems] if problems else [*_of_tree(conf, release, known)]
        pairs = [pair for pair in pairs if pair[0].line not in lines]
        if unfilled or _stops(text, release, known, problems, pairs):
            stopped.append(release)
        for pair in pairs:
            about = found.setdefault(pair, [])
            if release not in about:
                about.append(release)
    findings = [ConfFinding(problem=one, level=level, releases=tuple(about)) for (one, level), about in found.items()]
    return ConfJudgement(
        findings=tuple(sorted((_with_releases(one, releases) for one in findings), key=_place)),
        levels=_levels(known) if is_read else (Level.FORM,),
        releases=tuple(releases),
        stopped=tuple(stopped),
    )


def _stops(
    text: str,
    release: Release,
    known: ConfSurroundings,
    problems: Sequence[Problem],
    pairs: Sequence[tuple[Problem, Level]],
) -> bool:
    """Return whether VPP of a release stops at a file.

    VPP reads braces that are never closed as if they were at the end; what they swallow stops it, or is passed over.
    """
    if problems and problems[0].rule == UNCLOSED:
        return bool(judge(closed(text, release), (release,), known).stopped)
    return any(one.severity is Severity.ERROR and one.rule not in _STARTS_NEVERTHELESS for one, _ in pairs)


def _levels(known: ConfSurroundings) -> tuple[Level, ...]:
    return tuple(level for level in Level if level is not Level.MACHINE or known.host is not None)


def _of_tree(conf: Conf, release: Release, known: ConfSurroundings) -> Iterator[tuple[Problem, Level]]:
    odd = unknown_plugins(conf, known.installed)
    for one in review(conf, release, known.allowed, odd):
        yield one, Level.FORM if one.rule == "conf-syntax" else Level.WORDS
    for one in plugin_problems(conf, release, known.installed):
        yield one, Level.WORDS
    for one in consistency_problems(conf, release):
        yield one, Level.SENSE
    if known.host is not None:
        for one in machine_problems(conf, release, known.host, known.folders):
            yield one, Level.MACHINE
    for one in unknown_default_problems(conf) if known.host is None else ():
        yield one, Level.SENSE
    for one in cautions(conf):
        yield one, Level.HABITS
    for one in default_problems(conf, release, known.installed):
        yield one, Level.HABITS


def _with_releases(finding: ConfFinding, asked: Sequence[Release]) -> ConfFinding:
    """Return a finding with its releases, when it is not about all that were asked for."""
    if len(finding.releases) == len(asked):
        return finding
    span = span_text(finding.releases, asked)
    return replace(finding, problem=replace(finding.problem, text=f"{finding.problem.text} (VPP {span})"))


def span_text(releases: Sequence[Release], asked: Sequence[Release]) -> str:
    """Return some of the releases that were asked for in words: until 24.10, from 25.02 on, 24.10 to 25.10."""
    first, last = releases[0], releases[-1]
    if len(releases) != asked.index(last) - asked.index(first) + 1:
        return ", ".join(str(release) for release in releases)
    if first == asked[0]:
        return f"until {last}"
    if last == asked[-1]:
        return f"from {first} on"
    return str(first) if first == last else f"{first} to {last}"


def _place(finding: ConfFinding) -> tuple[int, int, str, str]:
    return finding.problem.line, finding.problem.column, finding.problem.rule, finding.problem.text
