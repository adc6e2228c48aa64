"""Reviews the words of a startup.conf: those that VPP of a release does not know, cannot read, or passes over."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

from vppcfg import assets
from vppcfg.common.bounds import PROBLEMS
from vppcfg.common.numbers import whole_number
from vppcfg.common.release import OLDEST, Release, release_of
from vppcfg.errors import UsageError
from vppcfg.model.problem import Problem, Severity
from vppcfg.startup.conf.cpu_words import WORKERS, cpu_problems, entries_read
from vppcfg.startup.conf.grammar import FORGIVING, GRAMMAR, STANZAS
from vppcfg.startup.conf.key import Key, W
from vppcfg.startup.conf.problem_text import correction_text, problem, unknown_text
from vppcfg.startup.conf.tree import Conf, ConfEntry, walk
from vppcfg.startup.conf.values import why_unreadable

TABLE = "schema/vpp-old-words.txt"
_INSTEAD: Mapping[tuple[str, str], str] = {
    ("buffers", "memory-size-in-mb"): "write `buffers-per-numa` in its place",
    ("dpdk", "num-mbufs"): "write `buffers { buffers-per-numa }` in its place",
    ("dpdk", "num-crypto-mbufs"): "write `buffers { buffers-per-numa }` in its place",
    ("ip", "heap-size"): "write `memory { main-heap-size }` in its place",
    ("nat", ""): "remove it, and write `nat44 plugin enable` into the script of `unix { startup-config }`",
    ("map", ""): "remove it",
    ("tapcli", ""): "remove it, and write `create tap` into the script of `unix { startup-config }`",
}
"""What takes the place of a word."""


def gone_since(stanza: str, word: str = "") -> Release | None:
    """Return the first release without a word, or without a stanza that is named alone; None if VPP never had it."""
    return _table().get((stanza, word))


def replacement(stanza: str, word: str = "") -> str:
    """Return what to do about a word that is gone."""
    return _INSTEAD.get((stanza, word), "remove it")


@cache
def _table() -> Mapping[tuple[str, str], Release]:
    """Return the releases by stanza and by the first of the words; raise UsageError when the table cannot be read."""
    found: dict[tuple[str, str], Release] = {}
    path = assets.find(TABLE)
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                stanza, words, since = line.split("\t")
                found[stanza, words.partition(" ")[0]] = release_of(since)
    except (OSError, ValueError) as error:
        raise UsageError(f"the table {path} cannot be read: {error}", "install vppcfg again") from error
    return found


_FIRST_PASS = Release(26, 2)
"""First release whose first pass has a loop without an end (VPP's commit 1639bff5421)."""
_ENDLESS: Mapping[str, Release] = {"dslite": OLDEST, "memory": _FIRST_PASS, "unix": _FIRST_PASS}
"""Stanzas that VPP never gets past when they are blank, and since when (vpp/vnet/main.c, nat/dslite/dslite.c)."""
_ONE_BY_ONE: Mapping[str, Release] = {"memory": OLDEST, "unix": _FIRST_PASS}
"""Stanzas that are not strung together, and since when."""
_HARMLESS = frozenset({"calico-policy-plugin", "cpu", "devices", "dpdk", "dsa", "node", "npol-plugin", "unix-cli"})
"""Stanzas whose readers skip white space, stop reading at it, or read nothing."""
_STOPPING_BLOCKS = frozenset({"crypto engine", "ipsec tunnels", "logging class", "plugin"})
"""Blocks in a stanza whose white space stops VPP."""
_LOST_BLOCKS = frozenset({"devices dev", "devices driver", "devices port"})
"""Blocks that VPP reads when it runs already; it goes on without what they stand for (vnet/dev/config.c)."""


def blank_problems(conf: Conf, release: Release) -> Iterator[Problem]:
    """Yield stanzas and blocks with nothing but white space or comments in their braces."""
    for name, same in conf.by_name.items():
        key = STANZAS.get(name)
        if key is None or key.block is None or not key.is_known_to(release) or name in _HARMLESS:
            continue
        blank = [stanza for stanza in same if stanza.is_blank]
        if name in _ONE_BY_ONE and release >= _ONE_BY_ONE[name]:
            yield from (_stanza_problem(stanza, release) for stanza in blank)
        elif blank and not any(map(_has_content, same)):
            yield _stanza_problem(blank[0], release)
    for above, entry in walk(conf.stanzas):
        if above and entry.is_blank:
            yield from _block_problem(entry, above)


def _has_content(stanza: ConfEntry) -> bool:
    return bool(stanza.children or stanza.arguments) or (stanza.verbatim is not None and not stanza.is_blank)


def _stanza_problem(stanza: ConfEntry, release: Release) -> Problem:
    name = stanza.name
    if name in _ENDLESS and release >= _ENDLESS[name]:
        what = "at which VPP hangs for ever, with a busy CPU and without a word"
    else:
        what = "which stops VPP"
    return problem("conf-blank", stanza, f"the braces of `{name}` hold {_inside(stanza)}, {what}; {_correction(name)}")


def _block_problem(entry: ConfEntry, above: tuple[ConfEntry, ...]) -> Iterator[Problem]:
    """Yield what VPP makes of a blank block; `plugin default` may be one (vlib/unix/plugin.c)."""
    block = (entry.key.block if entry.key is not None else None) or ""
    head = " ".join((entry.name, *entry.arguments))
    if block in _LOST_BLOCKS:
        lost = "the devices" if entry.name == "driver" else "this device and those"
        what = f"and VPP starts without {lost} after it"
    elif block in _STOPPING_BLOCKS and head != "plugin default":
        what = "which stops VPP"
    elif block == "node graph":
        what = "which stops VPP" if entry.name == "default" else "which stops a VPP that has this node"
    else:
        return
    where = " ".join(each.name for each in above)
    text = f"the braces of `{head}` (in {where}) hold {_inside(entry)}, {what}; {_correction(head)}"
    yield problem("conf-blank", entry, text)


def _inside(entry: ConfEntry) -> str:
    return "comments alone" if entry.tail else "white space alone"


def _correction(head: str) -> str:
    return f"remove it, or write `{head} {{}}`"


_NODES = 32
"""As many as VPP keeps buffers for (vlib/buffer.h)."""
_ONCE = (("plugins", "plugin"), ("dpdk", "dev"), ("logging", "class"))
"""Stanzas, and what in them VPP refuses to accept twice."""
_NAMED = frozenset({("plugins", "plugin"), ("logging", "class")})
"""Keys with a name before their braces, each with its stanza."""
_DEVICES = "devices"
_LOST_DEVICES = "and starts without this device and those after it"
"""VPP reads the stanza `devices` when it runs already (vnet/dev/config.c)."""
_MAIN_CORE_NEEDED: Mapping[str, Release] = {
    "corelist-workers": Release(24, 10),
    "coremask-workers": Release(24, 10),
    "relative": Release(25, 6),
    "skip-cores": Release(25, 6),
}
"""Keys that VPP refuses without main-core, and since when (vlib/threads.c)."""


def review(
    conf: Conf, release: Release, allowed: Collection[str] = (), unknown_plugins: Sequence[str] = ()
) -> list[Problem]:
    """Return what stops VPP of that release, or counts for nothing, in the order of the file, up to a bound.

    Words in `allowed` are known whatever VPP is; `unknown_plugins` are enabled plugins that upstream VPP does not have,
    which may know a stanza that upstream does not.
    """
    found = islice(_problems(conf, release, allowed, unknown_plugins), PROBLEMS)
    return sorted(found, key=lambda problem: (problem.line, problem.column))


def _problems(
    conf: Conf, release: Release, allowed: Collection[str], unknown_plugins: Sequence[str]
) -> Iterator[Problem]:
    yield from _joined_words(conf)
    for name in conf.names:
        stanza = conf.stanza(name)
        if stanza is not None and name not in allowed:
            yield from _stanza_problems(stanza, release, allowed, unknown_plugins)
    yield from blank_problems(conf, release)
    yield from _duplicates(conf)
    yield from _variants(conf, release)
    yield from _contradictions(conf, release)


def _joined_words(conf: Conf) -> Iterator[Problem]:
    """Find names with a brace right behind them: VPP reads a name up to white space, and takes the brace for a part."""
    for stanza in conf.stanzas:
        named = (child for child in stanza.children or () if (stanza.name, child.name) in _NAMED)
        for entry in (stanza, *named):
            if entry.is_joined and not _is_default_of_plugins(entry):
                word = (entry.name, *entry.arguments)[-1]
                text = f"VPP takes `{word}{{` for one word, and stops; write `{word} {{`"
                yield problem("conf-syntax", entry, text)


def _stanza_problems(
    stanza: ConfEntry, release: Release, allowed: Collection[str], unknown_plugins: Sequence[str]
) -> Iterator[Problem]:
    if stanza.key is None:
        yield _unknown_stanza(stanza, unknown_plugins)
    elif not stanza.key.is_known_to(release):
        yield problem("conf-removed", stanza, _unknown_to(stanza, stanza.key, ""))
    elif stanza.key.block not in GRAMMAR:
        unreadable = why_unreadable(stanza.key, stanza.arguments)
        if stanza.key.arguments == (W,) and stanza.verbatim is not None:
            unreadable = "its value is missing"
        if unreadable:
            words = " ".join((stanza.name, *stanza.arguments, *([stanza.verbatim] if stanza.verbatim else [])))
            yield problem("conf-value", stanza, f"VPP stops at `{words}`: {unreadable}")
    elif stanza.name == "cpu":
        yield from cpu_problems(_words_of(stanza), release, allowed)
    else:
        yield from _block_problems(_words_of(stanza), stanza.key.block or "", stanza.name, release, allowed)


def _unknown_stanza(stanza: ConfEntry, unknown_plugins: Sequence[str]) -> Problem:
    if unknown_plugins:
        text = (
            f"`{stanza.name}` is unknown to upstream VPP: a stanza of {' or '.join(unknown_plugins)}, or a typing error"
        )
        return problem("conf-vendor", stanza, text, Severity.WARNING)
    if (since := gone_since(stanza.name)) is not None:
        return problem("conf-removed", stanza, _gone_text(stanza.name, since, "", replacement(stanza.name)))
    return problem("conf-unknown", stanza, unknown_text(stanza.name, STANZAS, ""))


def _words_of(stanza: ConfEntry) -> tuple[ConfEntry, ...]:
    """Return the entries of a stanza; VPP takes a single word in place of braces too."""
    if stanza.children is not None or not stanza.arguments or stanza.key is None:
        return stanza.children or ()
    word = stanza.arguments[0]
    key = next((key for key in GRAMMAR[stanza.key.block or ""] if key.name == word), None)
    return (ConfEntry(name=word, key=key, line=stanza.line, column=stanza.column),)


def _block_problems(
    entries: Sequence[ConfEntry], block: str, where: str, release: Release, allowed: Collection[str]
) -> Iterator[Problem]:
    unknown_at = 0
    for entry in entries:
        if entry.name in allowed:
            unknown_at = entry.line
            continue
        if entry.key is not None:
            yield from _key_problems(entry, entry.key, where, release, allowed)
        elif entry.line != unknown_at or _gone_word(entry, where) is not None:
            yield _unknown_word(entry, block, where, release)
        unknown_at = 0 if entry.key is not None else entry.line  # what follows on this line may be the word's value


def _key_problems(
    entry: ConfEntry, key: Key, where: str, release: Release, allowed: Collection[str]
) -> Iterator[Problem]:
    unreadable = why_unreadable(key, entry.arguments)
    if not key.is_known_to(release):
        yield problem("conf-removed", entry, _unknown_to(entry, key, where))
    elif len(entry.arguments) < len(key.arguments):
        yield _unreadable(entry, where, release, "its value is missing")
    elif unreadable:
        yield _unreadable(entry, where, release, unreadable)
    elif key.must_have_braces and entry.children is None and entry.verbatim is None:
        words = " ".join((entry.name, *entry.arguments))
        yield problem("conf-syntax", entry, f"braces are missing after `{words}` (in {where}), which stops VPP")
    elif key.is_ignored_by(release):
        text = f"VPP {key.ignored_since} and newer read `{entry.name}` and do nothing with it; remove it"
        yield problem("conf-ignored", entry, f"{text} (in {where})", Severity.WARNING)
    if _is_default_of_plugins(entry):
        yield from _default_problems(entry)
    elif entry.children is not None and key.block is not None:
        yield from _block_problems(entry.children, key.block, f"{where} {entry.name}", release, allowed)


def _is_default_of_plugins(entry: ConfEntry) -> bool:
    return entry.name == "plugin" and entry.arguments == ("default",)


def _default_problems(entry: ConfEntry) -> Iterator[Problem]:
    """Find what stands in `plugin default` and does not count: VPP looks for `disable` alone (vlib/unix/plugin.c)."""
    names = [child.name for child in entry.children or ()]
    if names and names not in (["disable"], ["enable"]):
        close = difflib.get_close_matches(names[0], ("disable", "enable"), n=1)
        mend = f"did you mean `{close[0]}`?" if close else "write `disable` or `enable`"
        text = (
            f"VPP passes over `{' '.join(names)}` in `plugin default` in silence, and loads plugins by default; {mend}"
        )
        if names[0] != "disable":
            yield problem("conf-passed-over", (entry.children or (entry,))[0], text)


def _unknown_word(entry: ConfEntry, block: str, where: str, release: Release) -> Problem:
    known = _names(block, release)
    if (text := _gone_word(entry, where)) is not None:
        return problem("conf-removed", entry, text)
    if block.startswith(_DEVICES):
        text = f"upstream VPP does not know `{entry.name}` {_LOST_DEVICES} (in {where})"
        return problem("conf-unknown", entry, f"{text}; {correction_text(entry.name, known)}")
    if _is_forgiving(block, release):
        text = f"VPP passes over `{entry.name}` in silence, and a default counts (in {where})"
        return problem("conf-passed-over", entry, f"{text}; {correction_text(entry.name, known)}")
    return problem("conf-unknown", entry, unknown_text(entry.name, known, f" (in {where})"))


def _unreadable(entry: ConfEntry, where: str, release: Release, reason: str) -> Problem:
    words = " ".join((entry.name, *entry.arguments))
    if _is_forgiving(where, release):
        text = f"VPP passes over `{words}` in silence, and a default counts (in {where}): {reason}"
        return problem("conf-passed-over", entry, text)
    if where.startswith(_DEVICES):
        return problem("conf-value", entry, f"VPP cannot read `{words}` {_LOST_DEVICES} (in {where}): {reason}")
    return problem("conf-value", entry, f"VPP stops at `{words}` (in {where}): {reason}")


def _is_forgiving(block: str, release: Release) -> bool:
    return block in FORGIVING and release >= FORGIVING[block]


def _names(block: str, release: Release) -> list[str]:
    return [key.name for key in GRAMMAR.get(block, ()) if key.is_known_to(release)]


def _duplicates(conf: Conf) -> Iterator[Problem]:
    """Yield plugins, devices and classes of logging that are configured twice."""
    for name, what in _ONCE:
        stanza = conf.stanza(name)
        seen: set[tuple[str, ...]] = set()
        for child in (stanza.children if stanza else None) or ():
            if child.name == what and child.identity in seen and child.arguments[0] != "default":
                text = f"{' '.join(child.identity)} is configured twice, which stops VPP; remove one"
                yield problem("conf-duplicate", child, text)
            seen.add(child.identity)


def _contradictions(conf: Conf, release: Release) -> Iterator[Problem]:
    """Yield keys that VPP refuses beside, or without, others (vlib/threads.c, vlib/buffer.c, vlib/unix/plugin.c)."""
    cpu, buffers, plugins = conf.stanza("cpu"), conf.stanza("buffers"), conf.stanza("plugins")
    if cpu is not None:
        yield from _cpu_contradictions(entries_read(cpu.children or (), release), release)
    for child in (buffers.children if buffers else None) or ():
        if child.name == "numa" and (whole_number(child.arguments[0]) or 0) >= _NODES:
            yield problem("conf-contradiction", child, f"VPP knows NUMA nodes 0 to {_NODES - 1} only")
    for child in (plugins.children if plugins else None) or ():
        named = {each.name for each in child.children or ()}
        if {"enable", "disable"} <= named and not _is_default_of_plugins(child):
            text = (
                f"`{' '.join((child.name, *child.arguments))}` is both enabled and disabled, which stops VPP; keep one"
            )
            yield problem("conf-contradiction", child, text)


def _cpu_contradictions(entries: Sequence[ConfEntry], release: Release) -> Iterator[Problem]:
    has = {entry.name: entry for entry in entries}
    placements = [entry for entry in entries if entry.name in WORKERS]
    for entry in placements[1:]:
        text = f"{entry.name} and {placements[0].name} together stop VPP; keep one of them"
        yield problem("conf-contradiction", entry, text)
    for name, since in _MAIN_CORE_NEEDED.items():
        if name in has and "main-core" not in has and release >= since:
            yield problem("conf-contradiction", has[name], f"VPP {since} and newer need main-core with {name}")
    policy = has.get("scheduler-policy")
    if "scheduler-priority" in has and (policy is None or policy.arguments[:1] not in (("fifo",), ("rr",))):
        text = "scheduler-priority needs the scheduler-policy fifo or rr"
        yield problem("conf-contradiction", has["scheduler-priority"], text)


_GENERIC_X86 = Release(26, 6)
"""First release whose graph nodes are built for levels of x86-64, not for its processors (756c86b2526)."""
_PROCESSORS = ("hsw", "trm", "skx", "icl", "adl", "spr", "znver3", "znver4", "znver5")
_LEVELS = ("x86_64_v3", "x86_64_v4")
_OTHER_VARIANTS = ("default", "scalar", "octeontx2", "thunderx2t99", "qdf24xx", "cortexa72", "neoversen1", "neoversen2",
                   "neoversev2")  # fmt: skip


def _variants(conf: Conf, release: Release) -> Iterator[Problem]:
    """Find variants of graph nodes that a release is not built with (foreach_march_variant in vppinfra/cpu.h)."""
    known = (*(_LEVELS if release >= _GENERIC_X86 else _PROCESSORS), *_OTHER_VARIANTS)
    node = conf.stanza("node")
    for child in (node.children if node else None) or ():
        entry = child.find("variant")
        name = entry.arguments[0] if entry is not None and entry.arguments else ""
        if entry is None or not name or name in known:
            continue
        if name in _PROCESSORS:
            mend = f"since {_GENERIC_X86} it has {' and '.join(_LEVELS)} in its place"
        elif name in _LEVELS:
            mend = f"it came with VPP {_GENERIC_X86}"
        else:
            mend = correction_text(name, known)
        yield problem(
            "conf-value", entry, f"VPP has no variant `{name}` and stops at it (in node {child.name}); {mend}"
        )


def _unknown_to(entry: ConfEntry, key: Key, where: str) -> str:
    place = f" (in {where})" if where else ""
    if key.until is not None:
        return _gone_text(
            entry.name, key.until, place, f"write `{key.instead}` in its place" if key.instead else "remove it"
        )
    return f"`{entry.name}` came with VPP {key.since}, and an older one stops at it{place}; remove it"


def _gone_word(entry: ConfEntry, where: str) -> str | None:
    """Return what to write for a word that old releases knew in a stanza, None for one that none has known."""
    stanza = where.partition(" ")[0]
    since = gone_since(stanza, entry.name)
    return None if since is None else _gone_text(entry.name, since, f" (in {where})", replacement(stanza, entry.name))


def _gone_text(word: str, since: Release, place: str, mend: str) -> str:
    return f"VPP has had no `{word}` since {since} and stops at it{place}; {mend}"
