"""Reviews an existing startup.conf: words that no VPP of a release knows, and plugins that are not there."""

from __future__ import annotations

import difflib
from collections.abc import Container, Iterator, Mapping

from vppcfg.common.release import Release
from vppcfg.model.problem import Problem
from vppcfg.startup.conf.grammar import GRAMMAR, PLUGIN_OF, STANZAS
from vppcfg.startup.conf.tree import Conf, ConfEntry, walk

_NODES = 32
"""As many as VPP keeps buffers for (vlib/buffer.h)."""


def review(conf: Conf, release: Release) -> list[Problem]:
    """Return what stops VPP of that release, in the order of the file."""
    found = (*_unknown_stanzas(conf, release), *_strangers(conf, release), *_duplicates(conf), *_contradictions(conf))
    return sorted(found, key=lambda problem: problem.line)


def _unknown_stanzas(conf: Conf, release: Release) -> Iterator[Problem]:
    for stanza in conf.stanzas:
        if stanza.key is None:
            text = f"no stanza of VPP is called {stanza.name}, which stops it; remove it"
            yield _problem("conf-unknown", stanza, text)
        elif not stanza.key.is_known_to(release):
            yield _problem("conf-removed", stanza, _unknown_to(stanza, release))


def lost_plugins(conf: Conf, kept: Container[str], plugins: Container[str]) -> Iterator[Problem]:
    """Yield the stanzas among `kept` whose plugin is not enabled, which stops VPP."""
    for stanza in conf.stanzas:
        plugin = PLUGIN_OF.get(stanza.name)
        if plugin is not None and stanza.name in kept and plugin not in plugins:
            text = f"the stanza {stanza.name} needs the plugin {plugin}, which is not enabled; add it to `plugins`"
            yield _problem("conf-plugin", stanza, f"{text}, or remove the stanza")


def _strangers(conf: Conf, release: Release) -> Iterator[Problem]:
    is_known = True
    for above, entry in walk(conf.stanzas):
        was_known, is_known = is_known, entry.key is not None or not above
        if not above:
            continue
        where = " ".join(outer.name for outer in above)
        if entry.key is None and was_known:  # what follows an unknown word may be its value
            yield _problem("conf-unknown", entry, _unknown_text(entry, above[-1], where))
        elif entry.key is not None and not entry.key.is_known_to(release):
            yield _problem("conf-removed", entry, f"{_unknown_to(entry, release)} (in {where})")


def _unknown_text(entry: ConfEntry, outer: ConfEntry, where: str) -> str:
    known = [key.name for key in GRAMMAR.get(outer.key.block or "", ())] if outer.key else []
    close = difflib.get_close_matches(entry.name, known, n=1)
    mend = f"did you mean {close[0]}?" if close else "remove it"
    return f"VPP knows no {entry.name} in {where}, which stops it; {mend}"


def _duplicates(conf: Conf) -> Iterator[Problem]:
    """Yield plugins and devices that are configured twice."""
    for name, what in (("plugins", "plugin"), ("dpdk", "dev")):
        stanza = conf.stanza(name)
        seen: set[tuple[str, ...]] = set()
        for child in (stanza.children if stanza else None) or ():
            if child.name == what and child.identity in seen and child.arguments[0] != "default":
                text = f"{' '.join(child.identity)} is configured twice, which stops VPP; remove one"
                yield _problem("conf-duplicate", child, text)
            seen.add(child.identity)


def _contradictions(conf: Conf) -> Iterator[Problem]:
    """Yield keys that VPP refuses beside, or without, others (vlib/threads.c, vlib/buffer.c)."""
    cpu, buffers = conf.stanza("cpu"), conf.stanza("buffers")
    if cpu is not None:
        has = {child.name: child for child in cpu.children or ()}
        yield from _cpu_contradictions(has)
    for child in (buffers.children if buffers else None) or ():
        if child.name == "numa" and not (child.arguments[0].isdigit() and int(child.arguments[0]) < _NODES):
            yield _problem("conf-contradiction", child, f"VPP knows NUMA nodes 0 to {_NODES - 1} only")


def _cpu_contradictions(has: Mapping[str, ConfEntry]) -> Iterator[Problem]:
    placements = [has[name] for name in ("corelist-workers", "coremask-workers", "workers") if name in has]
    for entry in placements[1:]:
        text = f"{entry.name} stands beside {placements[0].name}, which stops VPP; keep one of them"
        yield _problem("conf-contradiction", entry, text)
    for name in ("corelist-workers", "coremask-workers", "skip-cores"):
        if name in has and "main-core" not in has:
            yield _problem("conf-contradiction", has[name], f"{name} needs main-core beside it")
    policy = has.get("scheduler-policy")
    if "scheduler-priority" in has and (policy is None or policy.arguments[0] not in ("fifo", "rr")):
        text = "scheduler-priority needs the scheduler-policy fifo or rr"
        yield _problem("conf-contradiction", has["scheduler-priority"], text)


def _unknown_to(entry: ConfEntry, release: Release) -> str:
    key = entry.key or STANZAS[entry.name]
    if key.until is not None and release >= key.until:
        instead = f"; it is now {key.instead}" if key.instead else "; remove it"
        return f"VPP {release} has no {entry.name} any more and does not start with it{instead}"
    return f"VPP {release} has no {entry.name} yet and does not start with it; remove it"


def _problem(rule: str, entry: ConfEntry, text: str) -> Problem:
    return Problem(rule=rule, path=(), text=text, line=entry.line, column=1)
