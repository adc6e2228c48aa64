"""What is wrong with an existing startup.conf: words that no VPP of a release knows, and plugins that are not there."""

from __future__ import annotations

from collections.abc import Container, Iterator

from vppcfg.model.problem import Problem
from vppcfg.model.release import Release
from vppcfg.startup.conf.grammar import PLUGIN_OF, STANZAS, stanza_is_known_to
from vppcfg.startup.conf.tree import Conf, Entry, walk


def review(conf: Conf, release: Release) -> Iterator[Problem]:
    """Yield what stops VPP of that release, each with its line."""
    for stanza in conf.stanzas:
        if stanza.key is None:
            text = f"no stanza of VPP is called {stanza.name}, which stops it; remove it"
            yield _problem("conf-unknown", stanza, text)
        elif not stanza_is_known_to(stanza.name, release):
            yield _problem("conf-removed", stanza, _unknown_to(stanza, release))
    yield from _strangers(conf, release)
    yield from _duplicates(conf)


def lost_plugins(conf: Conf, kept: Container[str], plugins: Container[str]) -> Iterator[Problem]:
    """Yield the stanzas among `kept` whose plugin is not enabled, which stops VPP."""
    for stanza in conf.stanzas:
        plugin = PLUGIN_OF.get(stanza.name)
        if plugin is not None and stanza.name in kept and plugin not in plugins:
            text = f"the stanza {stanza.name} needs the plugin {plugin}, which is not enabled; add it to `plugins`"
            yield _problem("conf-plugin", stanza, f"{text}, or remove the stanza")


def _strangers(conf: Conf, release: Release) -> Iterator[Problem]:
    for above, entry in walk(conf.stanzas):
        if not above:
            continue
        where = " ".join(outer.name for outer in above)
        if entry.key is None:
            text = f"VPP knows no {entry.name} in {where}, which stops it; remove it"
            yield _problem("conf-unknown", entry, text)
        elif not entry.key.is_known_to(release):
            yield _problem("conf-removed", entry, f"{_unknown_to(entry, release)} (in {where})")


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


def _unknown_to(entry: Entry, release: Release) -> str:
    key = entry.key or STANZAS[entry.name]
    if key.until is not None and release >= key.until:
        instead = f"; it is now {key.instead}" if key.instead and key.instead != "nothing" else "; remove it"
        return f"VPP {release} knows {entry.name} no more, which stops it{instead}"
    return f"VPP {release} does not know {entry.name} yet, which stops it; remove it"


def _problem(rule: str, entry: Entry, text: str) -> Problem:
    return Problem(rule=rule, path=(), text=text, line=entry.line, column=1)
