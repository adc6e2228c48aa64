"""The stanzas, words, plugins and packages of each VPP release, from schema/vpp-tables.txt."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from vppcfg import assets
from vppcfg.common.release import RELEASES, Release, nearest, release_of
from vppcfg.errors import UsageError
from vppcfg.record import record

TABLE = "schema/vpp-tables.txt"


@record
class ReleaseTable:
    """What one release has."""

    stanzas: frozenset[str]
    keys: Mapping[str, frozenset[str]]
    """The words of each stanza, those in inner braces among them."""
    plugins: Mapping[str, str]
    """The package of each plugin."""
    off: frozenset[str]
    """Plugins that are loaded only when startup.conf enables them."""
    packages: frozenset[str]
    needs: frozenset[tuple[str, str]]
    """A package, and another one that is installed with it."""
    sysctl: frozenset[str]
    """What the package sets of the kernel."""
    dpdk: str
    """The version of DPDK that it is built with."""


@cache
def plugin_spans() -> Mapping[str, tuple[Release | None, Release | None]]:
    """Return the first release that has a plugin, and the first one that has it no more; None where it is in all.

    Raise UsageError when the table of this installation cannot be read.
    """
    return {
        words[0]: (first, None if last is None else RELEASES[RELEASES.index(last) + 1])
        for kind, words, first, last in _rows()
        if kind == "plugin"
    }


@cache
def table_of(release: Release) -> ReleaseTable:
    """Return what a release has; one between two that are known has what the older one has.

    Raise UsageError when the table of this installation cannot be read.
    """
    rows: dict[str, list[list[str]]] = {}
    known = nearest(release)
    for kind, words, first, last in _rows():
        if (first is None or known >= first) and (last is None or known <= last):
            rows.setdefault(kind, []).append(words)
    keys: dict[str, set[str]] = {}
    for stanza, *key in rows["key"]:
        keys.setdefault(stanza, set()).add(" ".join(key))
    return ReleaseTable(
        stanzas=frozenset(name for (name,) in rows["stanza"]),
        keys={name: frozenset(words) for name, words in keys.items()},
        plugins=dict(rows["plugin"]),
        off=frozenset(name for (name,) in rows["off"]),
        packages=frozenset(name for (name,) in rows["package"]),
        needs=frozenset((name, other) for name, other in rows["needs"]),
        sysctl=frozenset(name for (name,) in rows.get("sysctl", ())),
        dpdk=rows["dpdk"][0][0],
    )


@cache
def _rows() -> tuple[tuple[str, list[str], Release | None, Release | None], ...]:
    """Return the kind, the words and the span of every line."""
    found = []
    path = assets.find(TABLE)
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                text, _, span = line.partition("\t")
                kind, *words = text.split()
                first, _, last = span.partition("-")
                found.append((kind, words, _bound(first), _bound(last)))
    except (OSError, ValueError) as error:
        raise UsageError(f"the table {path} cannot be read: {error}", "install vppcfg again") from error
    return tuple(found)


def _bound(text: str) -> Release | None:
    return release_of(text) if text else None
