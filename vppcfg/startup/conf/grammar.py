"""The words of startup.conf: the keys of each stanza, their arguments, and the releases that know them.

They come from VPP's own readers, which the comments name. A word that VPP does not know stops it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from vppcfg.common.release import Release
from vppcfg.record import record


class ArgumentForm(Enum):
    """The form of an argument; it decides when two texts mean the same."""

    WORD = "word"
    NUMBER = "number"
    SIZE = "size"
    PAGE = "page size"
    CPUS = "list of CPUs"
    PCI = "PCI address"


@record
class Key:
    """One key of a stanza or block."""

    name: str
    """Its words with spaces between."""
    arguments: tuple[ArgumentForm, ...] = ()
    block: str | None = None
    """The keys in the braces behind it; a name of GRAMMAR."""
    since: Release | None = None
    until: Release | None = None
    """The first release that does not know it any more."""
    instead: str = ""
    """What replaces a key that is gone; nothing does when it is empty."""
    is_many: bool = False
    """Whether several stand side by side, told apart by their first argument."""

    def is_known_to(self, release: Release) -> bool:
        """Return whether VPP of a release knows the key."""
        return (self.since is None or release >= self.since) and (self.until is None or release < self.until)


OPAQUE = "*"
"""The block of a key whose content nobody looks at."""

_W, _N, _S, _P, _C, _A = (
    ArgumentForm.WORD,
    ArgumentForm.NUMBER,
    ArgumentForm.SIZE,
    ArgumentForm.PAGE,
    ArgumentForm.CPUS,
    ArgumentForm.PCI,
)
_GONE = Release(20, 1)
"""Keys that no release from 21.01 on knows."""


def _flags(*names: str) -> tuple[Key, ...]:
    return tuple(Key(name=name) for name in names)


def _keys(arguments: tuple[ArgumentForm, ...], *names: str, since: Release | None = None) -> tuple[Key, ...]:
    return tuple(Key(name=name, arguments=arguments, since=since) for name in names)


def _gone(instead: str, *names: str, arguments: tuple[ArgumentForm, ...] = (_W,)) -> tuple[Key, ...]:
    return tuple(Key(name=name, arguments=arguments, until=_GONE, instead=instead) for name in names)


_QUEUES = (
    *_keys((_N,), "num-rx-queues", "num-tx-queues", "num-rx-desc", "num-tx-desc", "max-lro-pkt-size"),
    *_keys((_W,), "rss-queues", "devargs", "tso"),
    Key(name="rss", block=OPAQUE),
    Key(name="no-rx-interrupts", since=Release(24, 10)),
    *_gone("", "vlan-strip-offload"),
    *_gone("", "hqos", arguments=()),
)

GRAMMAR: Mapping[str, tuple[Key, ...]] = {
    # vlib/unix/main.c
    "unix": (
        *_flags("interactive", "nodaemon", "nosyslog", "nocolor", "nobanner", "full-coredump"),
        *_flags("cli-line-mode", "cli-no-banner", "cli-no-pager"),
        Key(name="use-current-dir", since=Release(25, 6)),
        *_keys((_W,), "cli-prompt", "cli-listen", "runtime-dir", "startup-config", "exec", "log", "gid", "pidfile"),
        *_keys((_N,), "poll-sleep-usec", "cli-pager-buffer-limit", "cli-history-limit"),
        Key(name="coredump-size", arguments=(_W,)),
    ),
    # vlibapi, vpp/api/api.c, vlibmemory/socket_api.c
    "api-trace": (*_flags("on", "enable"), *_keys((_N,), "nitems"), *_keys((_W,), "save-api-table")),
    "api-segment": (
        *_keys((_W,), "prefix", "uid", "gid", "baseva"),
        *_keys((_S,), "global-size", "api-size", "global-pvt-heap-size", "api-pvt-heap-size"),
    ),
    "socksvr": (*_flags("default"), *_keys((_W,), "socket-name")),
    # vpp/vnet/main.c
    "memory": (
        Key(name="main-heap-size", arguments=(_S,)),
        Key(name="main-heap-page-size", arguments=(_P,)),
        Key(name="default-hugepage-size", arguments=(_P,), since=Release(22, 2)),
    ),
    # vlib/threads.c
    "cpu": (
        *_keys((_N,), "main-core", "workers", "skip-cores", "scheduler-priority"),
        Key(name="corelist-workers", arguments=(_C,)),
        *_keys((_W,), "coremask-workers", "scheduler-policy", "thread-prefix"),
        Key(name="relative", since=Release(25, 6)),
        Key(name="use-pthreads"),
        Key(name="numa-heap-size", arguments=(_S,)),
    ),
    # vlib/buffer.c
    "buffers": (
        Key(name="buffers-per-numa", arguments=(_N,)),
        Key(name="default data-size", arguments=(_N,)),
        Key(name="page-size", arguments=(_P,)),
        Key(name="layout", arguments=(_W,), since=Release(26, 10)),
        Key(name="numa", arguments=(_N,), block="buffers numa", since=Release(24, 10), is_many=True),
        *_gone("buffers-per-numa", "memory-size-in-mb"),
    ),
    "buffers numa": (Key(name="buffers", arguments=(_N,)),),
    # vlib/stats/init.c
    "statseg": (
        Key(name="default"),
        Key(name="size", arguments=(_S,)),
        Key(name="page-size", arguments=(_P,)),
        *_keys((_W,), "socket-name", "per-node-counters", "update-interval"),
    ),
    # vlib/unix/plugin.c
    "plugins": (
        *_keys((_W,), "path", "add-path", "name-filter", "vat-path", "vat-name-filter"),
        Key(name="plugin", arguments=(_W,), block="plugin", is_many=True),
    ),
    "plugin": _flags("enable", "disable", "skip-version-check"),
    # plugins/dpdk/device/init.c
    "dpdk": (
        Key(name="dev", arguments=(_A,), block="device", is_many=True),
        Key(name="dev default", block="device default"),
        *_flags("no-multi-seg", "no-tx-checksum-offload", "enable-tcp-udp-checksum", "enable-outer-checksum-offload"),
        *_flags("enable-lro", "telemetry", "no-pci", "no-vmbus", "no-hugetlb", "decimal-interface-names"),
        Key(name="enable-mbuf-fast-free", since=Release(26, 6)),
        *_keys((_W,), "uio-driver", "max-simd-bitwidth", "socket-mem"),
        Key(name="uio-bind-force", since=Release(23, 2)),
        *_keys((_W,), "link-state-poll-interval", "stats-poll-interval", since=Release(24, 6)),
        Key(name="blacklist", arguments=(_W,), is_many=True),
        *_keys((_W,), "huge-dir", "proc-type", "file-prefix", "log-level", "iova-mode", "base-virtaddr"),
        Key(name="vdev", arguments=(_W,), block=OPAQUE, is_many=True),
        Key(name="trace", arguments=(_W,), since=Release(26, 2), is_many=True),
        Key(name="trace-dir", arguments=(_W,), since=Release(26, 2)),
        Key(name="trace-bufsz", arguments=(_W,), since=Release(26, 6)),
        *_gone("buffers { buffers-per-numa }", "num-mbufs", "num-crypto-mbufs"),
        *_gone("", "num-mem-channels"),
        *_gone("", "no-dsa", "hqos", arguments=()),
    ),
    "device": (
        *_QUEUES,
        *_keys((_W,), "name"),
        Key(name="tag", arguments=(_W,), since=Release(23, 6)),
        Key(name="workers", arguments=(_C,)),
    ),
    "device default": _QUEUES,
    # plugins/linux-cp/lcp_interface.c, lcp_nl.c
    "linux-cp": (
        Key(name="default netns", arguments=(_W,)),
        *_flags("lcp-sync", "lcp-auto-subint", "del-static-on-link-down", "del-dynamic-on-link-down"),
        *_keys((_N,), "num-rx-queues", "num-tx-queues", since=Release(24, 6)),
    ),
    "linux-nl": (
        *_keys((_N,), "nl-rx-buffer-size", "nl-batch-size", "nl-batch-delay-ms"),
        *_gone("nl-rx-buffer-size", "rx-buffer-size"),
    ),
    # vnet/interface.c, vnet/fib, vnet/ip
    "interface": (Key(name="default-rx-mode", arguments=(_W,)),),
    "ip": (
        Key(name="default-table-name", arguments=(_W,)),
        *_gone("memory { main-heap-size }", "heap-size"),
    ),
    "ip6": (*_keys((_N,), "hash-buckets"), *_keys((_S,), "heap-size")),
    "l3fib": _keys((_N,), "load-balance-pool-size", "fib-entry-pool-size", "ip4-mtrie-pool-size"),
    "physmem": (Key(name="base-addr", arguments=(_W,)), Key(name="max-size", arguments=(_S,))),
}

_INSIDE_OPEN = (
    *("acl-plugin", "api-fuzz", "api-queue", "calico-policy-plugin", "cnat", "crypto-engines", "crypto_sw_scheduler"),
    *("ct6", "devices", "dns", "dsa", "dslite", "ethernet", "fateshare", "http", "ikev2", "ipsec", "l2fib", "l2learn"),
    *("l2tp", "logging", "mactime", "mc", "mpls", "node", "npol-plugin", "nsim", "punt", "pvti", "quic", "selog"),
    *("session", "sfdp", "tap", "tcp", "test-proxy", "tls", "trace", "tuntap", "udp", "unix-cli", "vhost-user", "vlib"),
)
"""Stanzas that vppcfg keeps as they are."""

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
        *(_stanza(name, block=name) for name in GRAMMAR if " " not in name and name not in ("plugin", "device")),
        *(_stanza(name, block=OPAQUE) for name in _INSIDE_OPEN),
        _stanza("heapsize", (_S,), instead="memory { main-heap-size }"),
        _stanza("plugin_path", (_W,)),
        _stanza("test_plugin_path", (_W,)),
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


def keys_of(block: str) -> tuple[Key, ...]:
    """Return the keys of a block, those of more words first."""
    return tuple(sorted(GRAMMAR.get(block, ()), key=lambda key: -key.name.count(" ")))
