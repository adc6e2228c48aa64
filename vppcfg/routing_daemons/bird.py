"""Checks BIRD's configuration by `bird -p`, and loads it by `birdc configure`, which BIRD undoes unless confirmed."""

from __future__ import annotations

import difflib
import os
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from hashlib import sha256

from vppcfg.model.routing import RoutingFile
from vppcfg.routing_daemons.bird_text import IncludeError, Statement, kernel_tables, statements, with_includes
from vppcfg.routing_daemons.daemon import (
    NOTHING_WAITS,
    Adjacency,
    DaemonRoute,
    RoutingDifference,
    RoutingImpact,
    RunningText,
    SessionImpact,
    run_bounded,
    staged,
    why_failed,
)
from vppcfg.routing_daemons.secrets import hide_in_bird, hide_in_message

_GLOBAL = frozenset({"router"})
"""The id of the router: every protocol that uses it begins anew."""
_POLICY = frozenset({"filter", "function", "define", "attribute"})
_HARMLESS = frozenset({"log", "debug", "mrtdump", "timeformat", "watchdog", "hostname", "eval"})

_SYMBOL = re.compile(r"'[^']*'|[^\W\d]\w*")
"""A name within a word, as `BASE` in `(BASE+1)` (conf/cf-lex.l)."""
_WORDS_KEPT = 16
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
    """Yield the statements of a text, cut short: two are equal when they were, or differ in a description alone.

    A long one keeps its first words, and those that are constants, by which is found what depends on a constant. A
    digest stands for all of it. BIRD wants constants to be defined before they are used, so that one pass finds them.
    """
    constants: set[str] = set()
    for statement in statements(text):
        words = (
            _without_descriptions(statement.words) if statement.kind in {"protocol", "template"} else statement.words
        )
        if statement.kind == "define":
            constants.add(_bare(statement.name))
        if len(words) > _WORDS_KEPT:
            used = (name for word in words[_WORDS_KEPT:] for name in _SYMBOL.findall(word) if _bare(name) in constants)
            digest = sha256("\n".join(words).encode(errors="surrogateescape")).hexdigest()
            yield Statement(words=(*words[:_WORDS_KEPT], *dict.fromkeys(used), digest))
        else:
            yield Statement(words=words)


def _bare(name: str) -> str:
    """Return a name without its quotes."""
    return name.strip("'")


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
        self._all = {(each.kind, _bare(each.name)): each for each in found if each.kind in {"template", "define"}}
        self._digests: dict[tuple[str, str], bytes] = {}

    def of(self, statement: Statement) -> bytes:
        """Return the digest of what a statement uses; what uses itself counts once."""
        return sha256(b"".join(map(self._digest, self._used(statement)))).digest()

    def _used(self, statement: Statement) -> list[tuple[str, str]]:
        names = (name for word in statement.words for name in _SYMBOL.findall(word))
        named = [("template", statement.base), *(("define", _bare(name)) for name in names)]
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


_QUICK_S = 20.0
"""For commands that change nothing; loading has the time of the file."""
_SLACK_S = 60
"""How much longer BIRD waits for a confirmation than vppcfg does, which then brings everything back together."""
_LOADED = re.compile(r"^(Reconfigured|Reconfiguration in progress|Reconfiguration already in progress)", re.MULTILINE)
_CONFIRMED = re.compile(r"^Reconfiguration confirmed", re.MULTILINE)
_MOMENT = r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)"
_NOW = re.compile(rf"^Current server time is {_MOMENT}", re.MULTILINE)
_LAST = re.compile(rf"^Last reconfiguration on {_MOMENT}", re.MULTILINE)
_ZONE_STEP_S = 900
"""Time zones differ by multiples of that."""
_ROUTE = re.compile(r"^(?P<prefix>[0-9a-fA-F:.]+/\d+)\s")
_HOP = re.compile(r"^\s+(?:via \S+ on|dev) (\S+)")
"""Both lines of `show route export kernel1`::

    10.99.0.0/16         unicast [uplink 15:08:37.672] * (100) [AS65002i]
            via 192.0.2.2 on e0
"""
_BGP = re.compile(
    r"^    Neighbor address: ([0-9a-fA-F:.]+).*\n(?:(?!\w).*\n)*?    Hold timer: +[\d.]+/(\d+)$", re.MULTILINE
)
"""Lines of a protocol in `show protocols all`; only one that is established has a timer::

        Neighbor address: 10.0.0.2
        Neighbor AS:      65002
        Hold timer:       211.148/240
"""
_OSPF = re.compile(r"^(\S+) +OSPF ", re.MULTILINE)
"""`o4         OSPF       master4    up     22:42:10.300  Running`, in the same output."""
_DEAD = re.compile(r"^Interface (\S+) .*\n(?:\t.*\n)*?\tDead timer: (\d+)$", re.MULTILINE)
"""Lines of an interface in `show ospf interface o4`::

    Interface v1 (10.0.0.0/24)
            Type: broadcast
            Dead timer: 40
"""
_REFEED_S = 5.0


class Bird:
    """One BIRD."""

    def __init__(self, file: RoutingFile) -> None:
        self._file = file

    def check(self, text: str) -> list[str]:
        """Return the output of `bird -p`; no BIRD has to run."""
        with staged(text, self._file.startup) as (path, trouble):
            if trouble:
                return [trouble]
            ran = run_bounded(["bird", "-p", "-c", path], self._file.within_s)
        return [why_failed(ran)] if ran.trouble else []

    def why_unfit(self, text: str) -> str:
        """Return why no BIRD answers commands, '' when one does."""
        trouble, _ = self._ask("show", "status", within_s=_QUICK_S)
        return trouble

    def running(self) -> RunningText:
        """Return the startup file, with what it includes: BIRD does not report what it runs.

        What was written since BIRD last read its configuration, it may not run.
        """
        trouble, output = self._ask("show", "status", within_s=_QUICK_S)
        if trouble:
            return RunningText(trouble=trouble)
        try:
            text = with_includes(self._file.startup)
            written_s = os.stat(self._file.startup).st_mtime
        except OSError as error:
            return RunningText(trouble=f"{self._file.startup} cannot be read: {error.strerror}")
        except IncludeError as error:
            return RunningText(trouble=str(error))
        last = _LAST.search(output)
        if last is None:
            return RunningText(
                text=text, trouble="BIRD does not report when it read its configuration (`timeformat base`)"
            )
        if datetime.fromisoformat(last[1]).timestamp() - _zone_s(output) < written_s:
            read = f"{self._file.startup} was written since, at {datetime.fromtimestamp(written_s):%Y-%m-%d %H:%M:%S}"
            return RunningText(text=text, trouble=f"BIRD read its configuration last at {last[1]}, and {read}")
        return RunningText(text=text)

    def difference(self, text: str, loaded: str = "") -> RoutingDifference | str:
        """Return how a configuration differs from what was loaded last, or else from the startup file."""
        running = self.running()
        if running.trouble and not running.text:
            return running.trouble
        former = loaded or running.text
        if former == text:
            return RoutingDifference()
        return RoutingDifference(lines=tuple(_lines(former, text)), impacts=impacts_between(former, text))

    def load(self, text: str, confirm_s: float | None) -> str:
        """Load a configuration, with BIRD's own timeout where it must be confirmed."""
        with staged(text, self._file.startup) as (path, trouble):
            if trouble:
                return trouble
            words = ["configure", f'"{path}"']
            if confirm_s is not None:
                words += ["timeout", str(round(confirm_s) + _SLACK_S)]
            trouble, output = self._ask(*words, within_s=self._file.within_s)
        if trouble or not _LOADED.search(output):
            return f"BIRD did not take its configuration: {trouble or _last_line(output)}"
        return ""

    def confirm(self) -> str:
        trouble, output = self._ask("configure", "confirm", within_s=_QUICK_S)
        return trouble or ("" if _CONFIRMED.search(output) else NOTHING_WAITS)

    def routes(self) -> list[DaemonRoute] | str:
        """Return what protocol kernel exports, by its table in Linux."""
        trouble, output = self._ask("show", "protocols", "all", within_s=self._file.within_s)
        if trouble:
            return trouble
        found: list[DaemonRoute] = []
        tables = kernel_tables(self.running().text)
        for name in _kernels(output):
            if tables and name not in tables:  # a change that is not accepted yet has brought it
                return f"{self._file.startup} does not have the kernel protocol {name} that BIRD runs"
            table_id = tables.get(name, 0)
            if table_id is None:
                return f"the table of Linux that {name} of BIRD writes to is no plain number"
            trouble, routes = self._ask("show", "route", "export", name, within_s=self._file.within_s)
            if trouble:
                return trouble
            found += _routes(routes, table_id)
        return found

    def adjacencies(self) -> list[Adjacency]:
        """Return the BGP sessions that are established, and the interfaces with OSPF."""
        _, protocols = self._ask("show", "protocols", "all", within_s=_QUICK_S)
        found = [
            Adjacency(text=f"BGP with {peer}", hold_s=float(hold_s), peer=peer)
            for peer, hold_s in _BGP.findall(protocols)
        ]
        for name in _OSPF.findall(protocols):
            _, interfaces = self._ask("show", "ospf", "interface", name, within_s=_QUICK_S)
            found += [
                Adjacency(text=f"OSPF on {device}", hold_s=float(dead_s), device=device)
                for device, dead_s in _DEAD.findall(interfaces)
            ]
        return found

    def delay_s(self, text: str) -> float:
        """Return how long BIRD may need to pass its routes through new filters, which it does in small parts."""
        return _REFEED_S

    def _ask(self, *words: str, within_s: float) -> tuple[str, str]:
        """Return why birdc failed, '' when it did not, and what it printed."""
        ran = run_bounded(["birdc", "-s", self._file.socket, *words], within_s)
        output = ran.output.decode(errors="replace")
        if ran.trouble:
            return f"BIRD does not answer at {self._file.socket}: {why_failed(ran)}", output
        return "", output


def _zone_s(status: str) -> float:
    """Return how much later BIRD's times are than those of this process, whose time zone may be another one."""
    now = _NOW.search(status)
    ahead_s = datetime.fromisoformat(now[1]).timestamp() - time.time() if now is not None else 0.0
    return _ZONE_STEP_S * round(ahead_s / _ZONE_STEP_S)


def _lines(before: str, after: str) -> Iterator[str]:
    """Yield the lines that go and those that come, compared with their secrets and shown without."""
    before, after = before.removesuffix("\n"), after.removesuffix("\n")
    old, new = hide_in_bird(before, after).split("\n"), hide_in_bird(after, before).split("\n")
    compared = difflib.SequenceMatcher(None, before.split("\n"), after.split("\n"))
    for tag, old_start, old_end, new_start, new_end in compared.get_opcodes():
        if tag != "equal":
            yield from (f"- {line}" for line in old[old_start:old_end])
            yield from (f"+ {line}" for line in new[new_start:new_end])


def _last_line(output: str) -> str:
    return hide_in_message(next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "no answer"))


def _kernels(output: str) -> list[str]:
    """Return the protocols of kind Kernel that are up."""
    rows = [line.split() for line in output.splitlines()]
    return [row[0] for row in rows if len(row) > 3 and row[1] == "Kernel" and row[3] == "up"]


def _routes(output: str, table_id: int) -> list[DaemonRoute]:
    """Return the routes of `show route`, whose next hops stand below them; connected ones have no `via`."""
    found: dict[str, set[str]] = {}
    prefix = ""
    for line in output.splitlines():
        if route := _ROUTE.match(line):
            prefix = route["prefix"]
            found[prefix] = set()
        elif prefix and (hop := _HOP.match(line)):
            found[prefix].add(hop[1])
    return [DaemonRoute(prefix=each, table_id=table_id, devices=frozenset(by)) for each, by in found.items()]
