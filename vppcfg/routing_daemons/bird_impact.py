"""What another configuration does to BIRD's protocols, by comparing the statements of both.

BIRD restarts a protocol whose settings it cannot change while it runs (nest/proto.c, protos_commit), and each protocol
decides that for itself: whatever has changed of one counts as a restart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256

from vppcfg.routing_daemons.bird_text import Statement, statements
from vppcfg.routing_daemons.daemon import RoutingImpact, SessionImpact

_GLOBAL = frozenset({"router"})
"""The id of the router: every protocol that uses it begins anew."""
_POLICY = frozenset({"filter", "function", "define", "attribute"})
_HARMLESS = frozenset({"log", "debug", "mrtdump", "timeformat", "watchdog", "hostname", "eval"})

_KEPT = 16
"""Words of a statement: its kind, its name and what it is made from are among the first seven."""


def impacts_between(before: str, after: str) -> tuple[RoutingImpact, ...]:
    """Return what changes between two configurations, the worst first."""
    old, new = ([_shortened(each) for each in statements(text)] for text in (before, after))
    found = {impact.text: impact.level for impact in _impacts(old, new)}
    return tuple(
        RoutingImpact(level=level, text=text)
        for text, level in sorted(found.items(), key=lambda each: (-each[1], each[0]))
    )


def _shortened(statement: Statement) -> Statement:
    """Return a statement that is equal to another one when it was; of a long one, a digest stands for all words."""
    words = statement.words
    if len(words) <= _KEPT:
        return statement
    return Statement(words=(*words[:_KEPT], sha256("\n".join(words).encode(errors="surrogateescape")).hexdigest()))


def _impacts(old: list[Statement], new: list[Statement]) -> Iterator[RoutingImpact]:
    yield from _of_protocols(old, new)
    changed = (Counter(old) - Counter(new)) + (Counter(new) - Counter(old))
    for statement in changed:
        if statement.kind in {"protocol", "template", *_HARMLESS}:
            continue
        if statement.kind in _GLOBAL:
            yield RoutingImpact(level=SessionImpact.SESSIONS, text="all protocols restart: the router id changes")
        elif statement.kind in _POLICY:
            text = "policy changes: routes pass the filters again"
            yield RoutingImpact(level=SessionImpact.POLICY, text=text)
        else:
            text = f"what `{' '.join(statement.words[:4])}` does to sessions is not known"
            yield RoutingImpact(level=SessionImpact.UNKNOWN, text=text)


def _of_protocols(old: list[Statement], new: list[Statement]) -> Iterator[RoutingImpact]:
    before, after = _protocols(old), _protocols(new)
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield RoutingImpact(level=SessionImpact.SESSIONS, text=f"protocol {name} ends, with its sessions")
        elif name not in before:
            yield RoutingImpact(level=SessionImpact.POLICY, text=f"protocol {name} begins")
        elif before[name] != after[name]:
            text = f"protocol {name} is reconfigured, and restarts where BIRD cannot change it while it runs"
            yield RoutingImpact(level=SessionImpact.SESSIONS, text=text)


def _protocols(found: Sequence[Statement]) -> dict[str, tuple[Statement, bytes]]:
    """Return each protocol with a digest of the templates that it is made from, by its name or its place."""
    templates = {each.name: each for each in found if each.kind == "template"}
    unnamed: Counter[str] = Counter()
    origins = _Origins(templates)
    protocols = {}
    for statement in found:
        if statement.kind != "protocol" or len(statement.words) < 2:
            continue
        kind = statement.words[1]
        unnamed[kind] += not statement.name
        name = statement.name or f"{kind}{unnamed[kind]}"
        protocols[name] = (statement, origins.digest(statement.base))
    return protocols


class _Origins:
    """What templates are made from: a digest of each with all that are above it, computed once."""

    def __init__(self, templates: Mapping[str, Statement]) -> None:
        self._templates = templates
        self._digests: dict[str, bytes] = {}

    def digest(self, name: str) -> bytes:
        """Return the digest of a template, b"" of one that is not there, or is above itself."""
        chain: dict[str, None] = {}
        while name in self._templates and name not in self._digests and name not in chain:
            chain[name] = None
            name = self._templates[name].base
        found = self._digests.get(name, b"")
        for each in reversed(chain):
            words = "\n".join(self._templates[each].words).encode(errors="surrogateescape")
            found = self._digests[each] = sha256(words + found).digest()
        return found
