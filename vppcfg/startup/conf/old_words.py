"""Words of startup.conf that upstream VPP had before the oldest supported release, from schema/vpp-old-words.txt."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from vppcfg import assets
from vppcfg.common.release import Release, release_of
from vppcfg.errors import UsageError

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
