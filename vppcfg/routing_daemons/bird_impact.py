"""What another configuration does to BIRD's protocols, by comparing the statements of both.

BIRD restarts a protocol whose settings it cannot change while it runs (nest/proto.c, protos_commit), and each protocol
decides that for itself: whatever has changed of one counts as a restart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from vppcfg.routing_daemons.bird_text import Statement, statements
from vppcfg.routing_daemons.daemon import RoutingImpact, SessionImpact
from vppcfg.routing_daemons.secrets import hide_in_bird

_GLOBAL = frozenset({"router"})
"""The id of the router: every protocol that uses it begins anew."""
_POLICY = frozenset({"filter", "function", "define", "attribute"})
_HARMLESS = frozenset({"log", "debug", "mrtdump", "timeformat", "watchdog", "hostname", "eval"})


def impacts_between(before: str, after: str) -> tuple[RoutingImpact, ...]:
    """Return what changes between two configurations, the worst first."""
    old, new = list(statements(before)), list(statements(after))
    found = {impact.text: impact.level for impact in _impacts(old, new)}
    return tuple(
        RoutingImpact(level=level, text=text)
        for text, level in sorted(found.items(), key=lambda each: (-each[1], each[0]))
    )


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


def _protocols(found: Iterable[Statement]) -> dict[str, tuple[Statement, ...]]:
    """Return each protocol with its templates and constants, by its name or its place among its kind."""
    found = list(found)
    templates = {each.name: each for each in found if each.kind == "template"}
    constants = {each.name.strip("'"): each for each in found if each.kind == "define"}
    unnamed: Counter[str] = Counter()
    protocols = {}
    for statement in found:
        if statement.kind != "protocol" or len(statement.words) < 2:
            continue
        kind = statement.words[1]
        unnamed[kind] += not statement.name
        name = statement.name or f"{kind}{unnamed[kind]}"
        chain, base = [statement], statement.base
        while base in templates and templates[base] not in chain:
            chain.append(templates[base])
            base = templates[base].base
        for each in chain:  # which grows by the constants that it names, and by those that they name
            used = (constants.get(word.strip("'()[],")) for word in each.words)
            chain += dict.fromkeys(constant for constant in used if constant is not None and constant not in chain)
        protocols[name] = tuple(chain)
    return protocols
