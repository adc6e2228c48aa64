"""The grammar of startup.conf: the stanzas, the keys in them, and which releases and plugins know them.

A word that VPP does not know stops it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from vppcfg.common.release import OLDEST, Release
from vppcfg.startup.conf.key import ANY, OPAQUE, ArgumentForm, Key, S, W
from vppcfg.startup.conf.more_words import FURTHER
from vppcfg.startup.conf.words import CORE

GRAMMAR: Mapping[str, tuple[Key, ...]] = {**CORE, **FURTHER}
"""The keys of every stanza and block, by its name."""

FORGIVING: Mapping[str, Release] = {"cpu": OLDEST, "memory": Release(26, 2)}
"""Stanzas whose reader does not stop VPP at what it cannot read, from which release on.

In `memory` the word alone is passed over (vpp/vnet/main.c), in `cpu` all that follows it too (vlib/threads.c).
"""
_INNER = frozenset({"plugin", "device", "http2"})
"""Blocks that are no stanzas, though their names are single words."""
_INSIDE_OPEN = ("calico-policy-plugin", "npol-plugin", "test-proxy", "unix-cli")
"""Stanzas that vppcfg keeps as they are, and does not look into."""

_SPANS: Mapping[str, tuple[Release | None, Release | None]] = {
    "calico-policy-plugin": (Release(26, 2), Release(26, 10)),
    "crypto-engines": (Release(25, 6), None),
    "crypto_sw_scheduler": (Release(25, 2), None),
    "devices": (Release(24, 2), None),
    "fateshare": (Release(23, 10), None),
    "heapsize": (None, Release(26, 2)),
    "ikev2": (Release(24, 10), Release(26, 6)),
    "interface": (Release(26, 6), None),
    "ip": (Release(24, 6), None),
    "l3fib": (Release(25, 6), None),
    "mpls": (Release(24, 6), None),
    "npol-plugin": (Release(26, 10), None),
    "pvti": (Release(24, 10), None),
    "selog": (Release(26, 2), None),
    "sfdp": (Release(26, 2), None),
    "tap": (None, Release(26, 2)),
    "test-proxy": (Release(26, 6), None),
    "trace": (Release(26, 6), None),
}
"""From which release on, and until which, VPP has a stanza; the others are in every release from 23.06 on."""


def _stanza(name: str, arguments: tuple[ArgumentForm, ...] = (), block: str | None = None, instead: str = "") -> Key:
    since, until = _SPANS.get(name, (None, None))
    return Key(name=name, arguments=arguments, block=block, since=since, until=until, instead=instead)


STANZAS: Mapping[str, Key] = {
    stanza.name: stanza
    for stanza in (
        *(_stanza(name, block=name) for name in GRAMMAR if " " not in name and name not in _INNER),
        *(_stanza(name, block=OPAQUE) for name in _INSIDE_OPEN),
        _stanza("heapsize", (S,), instead="memory { main-heap-size }"),
        _stanza("plugin_path", (W,)),
        _stanza("test_plugin_path", (W,)),
    )
}
"""Every stanza by name."""

PLUGIN_OF: Mapping[str, str] = {
    **{name: name for name in ("cnat", "ct6", "dns", "dslite", "fateshare", "http", "l2tp", "mactime", "nsim")},
    **{name: name for name in ("pvti", "quic", "selog", "dpdk", "crypto_sw_scheduler", "ikev2")},
    "acl-plugin": "acl",
    "dsa": "dma_intel",
    "linux-cp": "linux_cp",
    "linux-nl": "linux_nl",
    "npol-plugin": "npol",
    "test-proxy": "hs_apps",
    "vhost-user": "vhost",
}
"""Stanzas that only VPP with this plugin knows."""


def keys_of(block: str, word: str) -> tuple[Key, ...]:
    """Return the keys of a block that begin with a word, those of more words first and one for any word last."""
    keys = _keys_by_word(block)
    return (*keys.get(word, ()), *keys.get(ANY, ()))


@cache
def _keys_by_word(block: str) -> Mapping[str, list[Key]]:
    found: dict[str, list[Key]] = {}
    for key in sorted(GRAMMAR.get(block, ()), key=lambda key: -key.name.count(" ")):
        found.setdefault(key.name.partition(" ")[0], []).append(key)
    return found
