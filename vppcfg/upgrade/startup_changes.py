"""Finds what another release does with the same startup.conf: words that stop it, plugins not loaded, packages."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from vppcfg.adopt.grammar import grammar_of
from vppcfg.common.release import Release
from vppcfg.config.plugins import NEEDS, Need
from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.conf.release_table import table_of
from vppcfg.startup.lint.finding import ConfSurroundings
from vppcfg.startup.lint.lint import judge
from vppcfg.upgrade.finding import ReleaseChange, UpgradeFinding, Weight, listed
from vppcfg.upgrade.subject import UpgradeSubject

_PASSED_OVER, _IGNORED, _NO_PLUGIN = "conf-passed-over", "conf-ignored", "conf-plugin-unknown"
_COMMITS: Mapping[tuple[str, Release], tuple[str, ...]] = {
    ("crypto-engines", Release(25, 6)): ("f479eeb76b4",),
    ("heapsize", Release(26, 2)): ("1639bff5421",),
    ("hsw", Release(26, 6)): ("756c86b2526",),
    ("icl", Release(26, 6)): ("756c86b2526",),
    ("ikev2", Release(26, 6)): ("a46639a1db5",),
    ("numa-heap-size", Release(26, 2)): ("0bbad0fc924",),
    ("skx", Release(26, 6)): ("756c86b2526",),
    ("tap", Release(26, 2)): ("cb19c526dd1",),
    ("unix", Release(26, 2)): ("1639bff5421",),
}
"""What VPP's commits did to words, where it is known by hand."""
_MEMORY = ("1639bff5421",)
PLUGIN_COMMITS: Mapping[str, tuple[Release, str]] = {
    "srmpls": (Release(24, 6), "182d8b2ddba"),
    "osi": (Release(24, 10), "8629336fa50"),
    "ppp": (Release(25, 2), "72bd2e585d7"),
    "vxlan-gpe": (Release(25, 6), "bb4858cdfe7"),
    "tap": (Release(26, 2), "cb19c526dd1"),
    "avf": (Release(26, 2), "71ee9cf880a"),
    "policer": (Release(26, 6), "68c2966f169"),
    "ipip": (Release(26, 10), "11c5a0d6ec1"),
}
"""What became a plugin or went away, and when."""
_COMMANDS_OF: Mapping[str, tuple[str, ...]] = {
    "srmpls": ("sr mpls",),
    "osi": ("osi",),
    "ppp": ("ppp",),
    "vxlan-gpe": ("create vxlan-gpe tunnel", "set interface ip vxlan-gpe", "set interface ip6 vxlan-gpe"),
    "tap": ("create tap", "lcp create"),
    "policer": ("policer", "configure policer", "ip punt policer", "ip6 punt policer"),
    "ipip": ("create ipip tunnel", "create 6rd tunnel"),
}
"""How commands begin that parts which became plugins have, or need."""


def startup_findings(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[UpgradeFinding]:
    """Yield what the target does differently with startup.conf."""
    if subject.startup is None:
        return
    yield from _words(subject, subject.startup.text, change)
    yield from _plugins(subject, change)
    yield from _plugins_of_scripts(subject, change)


def _words(subject: UpgradeSubject, text: str, change: ReleaseChange) -> Iterator[UpgradeFinding]:
    today = judge(text, (change.old,), subject.surroundings)
    known = {_place(problem) for problem in today.problems}
    judgement = judge(text, (change.new,), subject.surroundings)
    places = _PlacesByRelease(text, subject.surroundings)
    for problem in judgement.problems:
        is_known = _place(problem) in known
        if (is_known and not today.stopped) or (weight := _weight(problem, is_fatal=bool(judgement.stopped))) is None:
            continue
        since = None if change.is_back or is_known else _first(places, problem, change)
        today_too = f"; so does {change.old}: `--allow WORD` is for what a patched VPP takes" if is_known else ""
        yield UpgradeFinding(
            rule=_RULES.get(problem.rule, "up-startup"),
            weight=weight,
            text=f"{subject.startup.name if subject.startup else ''}:{problem.line}: {problem.text}{today_too}",
            objects=(f"startup.conf:{problem.line}",),
            since=since,
            commits=_commits_of(problem, since),
        )


_RULES = {_PASSED_OVER: "up-passed-over", _IGNORED: "up-ignored", _NO_PLUGIN: "up-no-plugin"}


def _place(problem: Problem) -> tuple[str, int, int]:
    return problem.rule, problem.line, problem.column


def _weight(problem: Problem, *, is_fatal: bool) -> Weight | None:
    if problem.severity is Severity.NOTICE:
        return None
    if problem.rule in (_IGNORED, _NO_PLUGIN):
        return Weight.NOTICE
    is_stopped = problem.severity is Severity.ERROR and problem.rule != _PASSED_OVER
    return Weight.STOPS if is_stopped and is_fatal else Weight.CHANGES


class _PlacesByRelease(dict[Release, frozenset[tuple[str, int, int]]]):
    """Where a file has problems, by release; each is judged when it is asked for."""

    def __init__(self, text: str, surroundings: ConfSurroundings) -> None:
        super().__init__()
        self._text = text
        self._surroundings = surroundings

    def __missing__(self, release: Release) -> frozenset[tuple[str, int, int]]:
        self[release] = frozenset(map(_place, judge(self._text, (release,), self._surroundings).problems))
        return self[release]


def _first(
    places: Mapping[Release, Collection[tuple[str, int, int]]], problem: Problem, change: ReleaseChange
) -> Release:
    """Return the first release on the way that has a problem."""
    return next((release for release in change.passed() if _place(problem) in places[release]), change.new)


def _commits_of(problem: Problem, since: Release | None) -> tuple[str, ...]:
    if since is None:
        return ()
    if problem.rule == _PASSED_OVER and "(in memory)" in problem.text and since == Release(26, 2):
        return _MEMORY
    return next(
        (commits for (word, first), commits in _COMMITS.items() if first == since and f"`{word}`" in problem.text), ()
    )


def _plugins(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[UpgradeFinding]:
    """Yield plugins that the file needs and the target does not load, though the release that runs can do without."""
    has_found: set[str] = set()
    for need in NEEDS:
        users = [".".join(map(str, path[:2])) for path in need.users(subject.configuration)]
        is_needed = need.since <= change.new and (need.until is None or change.new < need.until)
        is_lacking = is_needed and not _has(subject, need, change.new)
        if need.plugin in has_found or not users or not is_lacking or not _has(subject, need, change.old):
            continue
        has_found.add(need.plugin)
        since, commit = PLUGIN_COMMITS.get(need.plugin, (None, ""))
        yield UpgradeFinding(
            rule="up-plugin",
            weight=Weight.STOPS if need.is_required else Weight.CHANGES,
            text=f"the plugin {need.plugin} is not loaded by VPP {change.new} with this startup.conf: {need.reason} "
            f"({listed(users)})",
            objects=tuple(users),
            since=since if since is not None and change.crosses(since) else None,
            commits=(commit,) if commit and since is not None and change.crosses(since) else (),
            mend=f"`vppcfg startup --vpp-version {change.new}` writes it, or `plugin {need.plugin}_plugin.so "
            "{ enable }` in `plugins`",
        )


def _has(subject: UpgradeSubject, need: Need, release: Release) -> bool:
    """Return whether VPP of a release can do what a plugin is needed for: by itself, or because it loads that."""
    if release < need.since:
        return not need.is_new
    if need.until is not None and release >= need.until:
        return True
    return need.plugin in table_of(release).plugins and subject.loads(need.plugin, release)


def _plugins_of_scripts(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[UpgradeFinding]:
    grammar = grammar_of(change.old)
    meant = [(place, grammar.read(command).command or command) for place, command in subject.commands()]
    for plugin, beginnings in _COMMANDS_OF.items():
        since, commit = PLUGIN_COMMITS[plugin]
        places = tuple(place for place, command in meant if command.startswith(beginnings))
        if places and change.crosses(since) and not change.is_back and not subject.loads(plugin, change.new):
            yield UpgradeFinding(
                rule="up-plugin",
                weight=Weight.STOPS,
                text=f"{listed(places)}: the commands need the plugin {plugin}, which was part of VPP and is not "
                "loaded with this startup.conf",
                objects=places,
                since=since,
                commits=(commit,),
                mend=f"`plugin {plugin}_plugin.so {{ enable }}` in `plugins`",
            )
