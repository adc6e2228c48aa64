"""What another configuration does to BIRD's protocols, by comparing the statements of both.

BIRD restarts a protocol whose settings it cannot change while it runs (nest/proto.c, protos_commit), and each protocol
decides that for itself: whatever has changed of one counts as a restart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from vppcfg.routing_daemons.bird_text import Statement, statements
from vppcfg.routing_daemons.daemon import RoutingImpact, SessionImpact
from vppcfg.routing_daemons.secrets import hide_in_bird

_GLOBAL = frozenset({"router"})
"""The id of the router: every protocol that uses it begins anew."""
_POLICY = frozenset({"filter", "function", "define", "attribute"})
_HARMLESS = frozenset({"log", "debug", "mrtdump", "timeformat", "watchdog", "hostname", "eval"})

_AROUND = "'()[],"
"""What may stand around the name of a constant."""
_KEPT = 16
"""Words of a statement: its kind, its name and what it is made from are among the first seven."""


def impacts_between(before: str, after: str) -> tuple[RoutingImpact, ...]:
    """Return what changes between two configurations, the worst first."""
    old, new = list(_shortened(before)), list(_shortened(after))
    found = {impact.text: impact.level for impact in _impacts(old, new)}
    return tuple(
        RoutingImpact(level=level, text=text)
        for text, level in sorted(found.items(), key=lambda each: (-each[1], each[0]))
    )


def _shortened(text: str) -> Iterator[Statement]:
    """Yield the statements of a text, each equal to another one when it was.

    Of a long one a digest stands for all words; those that are constants, which BIRD wants before they are used, stay.
    """
    constants: set[str] = set()
    for statement in statements(text):
        words = (
            _without_descriptions(statement.words) if statement.kind in {"protocol", "template"} else statement.words
        )
        if statement.kind == "define":
            constants.add(statement.name.strip("'"))
        if len(words) > _KEPT:
            used = (word for word in words[_KEPT:] if word.strip(_AROUND) in constants)
            digest = sha256("\n".join(words).encode(errors="surrogateescape")).hexdigest()
            yield Statement(words=(*words[:_KEPT], *dict.fromkeys(used), digest))
        else:
            yield Statement(words=words)


def _without_descriptions(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return words without descriptions, which restart nothing: BIRD compares what comes behind them (nest/proto.c)."""
    places = {place for place, word in enumerate(words) if word == "description"}
    places |= {place + 1 for place in places}
    return tuple(word for place, word in enumerate(words) if place not in places) if places else words


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
            shown = " ".join(hide_in_bird(" ".join(statement.words)).split()[:4])
            text = f"what `{shown}` does to sessions is not known"
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
    """Return each protocol with a digest of the templates and constants that it uses, by its name or its place."""
    unnamed: Counter[str] = Counter()
    origins = _Origins(found)
    protocols = {}
    for statement in found:
        if statement.kind != "protocol" or len(statement.words) < 2:
            continue
        kind = statement.words[1]
        unnamed[kind] += not statement.name
        name = statement.name or f"{kind}{unnamed[kind]}"
        protocols[name] = (statement, origins.of(statement))
    return protocols


class _Origins:
    """What statements are made from: a digest of each template and constant with all that it uses, computed once."""

    def __init__(self, found: Iterable[Statement]) -> None:
        self._all = {(each.kind, each.name.strip("'")): each for each in found if each.kind in {"template", "define"}}
        self._digests: dict[tuple[str, str], bytes] = {}

    def of(self, statement: Statement) -> bytes:
        """Return the digest of what a statement uses; what uses itself counts once."""
        return sha256(b"".join(map(self._digest, self._used(statement)))).digest()

    def _used(self, statement: Statement) -> list[tuple[str, str]]:
        named = [("template", statement.base), *(("define", word.strip(_AROUND)) for word in statement.words)]
        return [each for each in dict.fromkeys(named) if each in self._all]

    def _digest(self, place: tuple[str, str]) -> bytes:
        stack = [place]
        begun: set[tuple[str, str]] = set()
        while stack:
            last = stack[-1]
            used = self._used(self._all[last])
            missing = (
                [] if last in begun else [each for each in used if each not in self._digests and each not in begun]
            )
            begun.add(last)
            if missing:
                stack += missing
                continue
            words = "\n".join(self._all[last].words).encode(errors="surrogateescape")
            below = (self._digests.get(each, b"") for each in used)
            self._digests.setdefault(last, sha256(b"".join((words, *below))).digest())
            stack.pop()
        return self._digests[place]
