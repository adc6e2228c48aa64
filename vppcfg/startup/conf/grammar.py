"""The grammar of startup.conf: the stanzas, the keys in them, and which releases and plugins know them.

A word that VPP does not know stops it.

Letters are the forms of arguments: W is a word, N a number, D a decimal number, H a hexadecimal one, S a size such as
2G, P the size of a page, C a list of CPUs such as 2-5, M a mask of CPUs, A a PCI address. `flags` are keys without a
value, `switches` have `on` or `off`, `keys` have arguments of the forms that come first. The block of a key is what may
stand in the braces behind it, by its name in these tables; of an OPAQUE one nothing is checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from vppcfg.common.release import OLDEST, Release
from vppcfg.startup.conf.key import ANY, OPAQUE, A, ArgumentForm, C, D, H, Key, M, N, P, S, W, flags, keys, switches

_DEVICE = (
    *keys((N,), "num-rx-queues", "num-tx-queues", "num-rx-desc", "num-tx-desc", "max-lro-pkt-size"),
    *keys((W,), "devargs"),
    *keys((C,), "rss-queues"),
    *switches("tso"),
    Key(name="rss", block=OPAQUE),
    Key(name="no-rx-interrupts", since=Release(24, 10)),
    *keys((W,), "name"),
    Key(name="tag", arguments=(W,), since=Release(23, 6)),
    Key(name="workers", arguments=(C,)),
)

CORE: Mapping[str, tuple[Key, ...]] = {
    # vlib/unix/main.c
    "unix": (
        *flags("interactive", "nodaemon", "nosyslog", "nocolor", "nobanner", "full-coredump"),
        *flags("cli-line-mode", "cli-no-banner", "cli-no-pager"),
        Key(name="use-current-dir", since=Release(25, 6)),
        *keys((W,), "cli-prompt", "cli-listen", "runtime-dir", "startup-config", "exec", "log", "gid", "pidfile"),
        *keys((N,), "poll-sleep-usec", "cli-pager-buffer-limit", "cli-history-limit"),
        Key(name="coredump-size", arguments=(ArgumentForm.LIMIT,)),
    ),
    # vlibapi, vpp/api/api.c, vlibmemory/socket_api.c
    "api-trace": (*flags("on", "enable"), *keys((N,), "nitems"), *keys((W,), "save-api-table")),
    "api-segment": (
        *keys((W,), "prefix", "uid", "gid", "baseva"),
        *keys((S,), "global-size", "api-size", "global-pvt-heap-size", "api-pvt-heap-size"),
        *keys((N,), "global-pvt-heap-size size", "api-pvt-heap-size size"),
    ),
    "socksvr": (*flags("default"), *keys((W,), "socket-name")),
    # vpp/vnet/main.c
    "memory": (
        Key(name="main-heap-size", arguments=(S,)),
        Key(name="main-heap-page-size", arguments=(P,)),
        Key(name="default-hugepage-size", arguments=(P,), since=Release(22, 2)),
    ),
    # vlib/threads.c
    "cpu": (
        *keys((N,), "main-core", "workers", "skip-cores", "scheduler-priority"),
        Key(name="corelist-workers", arguments=(C,)),
        Key(name="coremask-workers", arguments=(M,)),
        Key(name="scheduler-policy", arguments=(W,), choices=("other", "batch", "idle", "fifo", "rr")),
        *keys((W,), "thread-prefix"),
        Key(name="relative", since=Release(25, 6)),
        Key(name="use-pthreads"),
        Key(name="numa-heap-size", arguments=(S,), ignored_since=Release(26, 2)),
    ),
    # vlib/buffer.c
    "buffers": (
        Key(name="buffers-per-numa", arguments=(N,)),
        Key(name="default data-size", arguments=(N,)),
        Key(name="page-size", arguments=(P,)),
        Key(name="layout", arguments=(W,), choices=("natural", "packed"), since=Release(26, 10)),
        Key(
            name="numa",
            arguments=(N,),
            block="buffers numa",
            must_have_braces=True,
            since=Release(24, 10),
            is_many=True,
        ),
    ),
    "buffers numa": (Key(name="buffers", arguments=(N,)),),
    # vlib/stats/init.c
    "statseg": (
        Key(name="default"),
        Key(name="size", arguments=(S,)),
        Key(name="page-size", arguments=(P,)),
        *keys((W,), "socket-name"),
        *switches("per-node-counters"),
        *keys((D,), "update-interval"),
    ),
    # vlib/unix/plugin.c
    "plugins": (
        *keys((W,), "path", "add-path", "name-filter", "vat-path", "vat-name-filter"),
        Key(name="plugin", arguments=(W,), block="plugin", must_have_braces=True, is_many=True),
    ),
    "plugin": flags("enable", "disable", "skip-version-check"),
    # plugins/dpdk/device/init.c
    "dpdk": (
        Key(name="dev", arguments=(A,), block="device", is_many=True),
        Key(name="dev default", block="device default", must_have_braces=True),
        *flags("no-multi-seg", "no-tx-checksum-offload", "enable-tcp-udp-checksum", "enable-outer-checksum-offload"),
        *flags("enable-lro", "telemetry", "no-pci", "no-vmbus", "no-hugetlb", "decimal-interface-names"),
        *flags("no-shconf", "no-hpet", "no-huge", "vmware-tsc-map", "default"),
        Key(name="enable-mbuf-fast-free", since=Release(26, 6)),
        Key(name="uio-driver", arguments=(W,)),
        Key(name="socket-mem", arguments=(W,), ignored_since=OLDEST),
        Key(name="max-simd-bitwidth", arguments=(W,), choices=("256", "512")),
        Key(name="uio-bind-force", since=Release(23, 2)),
        *keys((D,), "link-state-poll-interval", "stats-poll-interval", since=Release(24, 6)),
        Key(name="blacklist", arguments=(ArgumentForm.DEVICES,), is_many=True),
        *keys((W,), "huge-dir", "proc-type", "file-prefix", "log-level", "iova-mode", "base-virtaddr"),
        *keys((W,), "block", "mem-alloc-request", "force-ranks"),
        Key(name="vdev", arguments=(W,), block=OPAQUE, is_many=True),
        Key(name="trace", arguments=(W,), since=Release(26, 2), is_many=True),
        Key(name="trace-dir", arguments=(W,), since=Release(26, 2)),
        Key(name="trace-bufsz", arguments=(W,), since=Release(26, 6)),
    ),
    "device": _DEVICE,
    "device default": _DEVICE,
    # plugins/linux-cp/lcp_interface.c, lcp_nl.c
    "linux-cp": (
        Key(name="default netns", arguments=(W,)),
        *flags("lcp-sync", "lcp-auto-subint", "del-static-on-link-down", "del-dynamic-on-link-down"),
        *keys((N,), "num-rx-queues", "num-tx-queues", since=Release(24, 6)),
    ),
    "linux-nl": (*keys((N,), "nl-rx-buffer-size", "nl-batch-size", "nl-batch-delay-ms"),),
    # vnet/interface.c, vnet/fib, vnet/ip
    "interface": (Key(name="default-rx-mode", arguments=(W,), choices=("polling", "interrupt", "adaptive")),),
    "ip": (Key(name="default-table-name", arguments=(W,)),),
    "ip6": (
        *keys((N,), "hash-buckets"),
        *keys((S,), "heap-size"),
        *keys((W,), "default-table-name", since=Release(24, 6)),
    ),
    "mpls": keys((W,), "default-table-name"),
    "l3fib": keys((S,), "load-balance-pool-size", "fib-entry-pool-size", "ip4-mtrie-pool-size"),
    # vlib/physmem.c
    "physmem": (Key(name="base-addr", arguments=(H,)), Key(name="max-size", arguments=(S,))),
}
"""The keys of stanzas that vppcfg makes or checks, and of the blocks in them. The comments name VPP's sources."""


_ASSIGNMENTS = ("round-robin", "queue-per-thread", "main-thread-only")
_LEVELS = ("emerg", "alert", "crit", "error", "warn", "notice", "info", "debug", "disabled")


def _levels(*names: str, since: Release | None = None) -> tuple[Key, ...]:
    return tuple(Key(name=name, arguments=(W,), choices=_LEVELS, since=since) for name in names)


FURTHER: Mapping[str, tuple[Key, ...]] = {
    # vlib/log.c
    "logging": (
        *keys((N,), "size", "unthrottle-time"),
        *_levels("default-log-level", "default-syslog-log-level"),
        *_levels("default-kmsg-log-level", since=Release(26, 6)),
        *flags("add-to-elog"),
        Key(name="class", arguments=(W,), block="logging class", must_have_braces=True, is_many=True),
    ),
    "logging class": (
        *_levels("level", "syslog-level"),
        *_levels("kmsg-level", since=Release(26, 6)),
        *keys((N,), "rate-limit"),
    ),
    # vlibmemory/vlib_api_cli.c, plugins/unittest/api_fuzz_test.c
    "api-queue": keys((N,), "length", "len"),
    "api-fuzz": flags("off", "disable", "no", "on", "enable", "yes"),
    # vlib/main.c, vlib/trace.c
    "vlib": (
        *flags("memory-trace", "elog-post-mortem-dump"),
        *keys((N,), "elog-events", "buffer-alloc-success-seed"),
        *keys((D,), "buffer-alloc-success-rate"),
    ),
    "trace": (Key(name="timestamp-format", arguments=(W,), choices=("relative", "unix", "datetime")),),
    # vnet/ethernet/interface.c, vnet/l2, vnet/ip/punt.c, vnet/unix/tuntap.c
    "ethernet": keys((N,), "default-mtu"),
    "l2fib": (*keys((S,), "table-size"), *keys((N,), "num-buckets")),
    "l2learn": keys((N,), "limit"),
    "punt": keys((W,), "socket"),
    "tuntap": (
        *flags("enable", "disable", "ethernet", "ether", "have-normal-interface", "have-normal"),
        *keys((N,), "mtu"),
        *keys((W,), "name"),
    ),
    # vnet/crypto/config.c
    "crypto-engines": (
        Key(name="default", block=OPAQUE, must_have_braces=True),
        Key(name=ANY, block="crypto engine", must_have_braces=True, is_many=True),
    ),
    "crypto engine": flags("enable", "disable"),
    # vlib/node_init.c: a name of a graph node, or default
    "node": (Key(name="default", block="node graph"), Key(name=ANY, block="node graph", is_many=True)),
    "node graph": keys((W,), "variant"),
    # vnet/tls/tls.c, plugins/tlsopenssl/tls_openssl.c
    "tls": (
        *flags("use-test-cert-in-ca"),
        *keys((W,), "ca-cert-path"),
        *keys((S,), "first-segment-size", "add-segment-size", "fifo-size"),
        Key(name="openssl", block="tls openssl", must_have_braces=True, since=Release(26, 6)),
    ),
    "tls openssl": keys((W,), "provider"),
    # vnet/ipsec/ipsec.c
    "ipsec": (
        *switches(*(f"ipv{family}-{way}-spd-fast-path" for family in (4, 6) for way in ("inbound", "outbound"))),
        *switches("ipv4-inbound-spd-flow-cache", "ipv4-outbound-spd-flow-cache"),
        *keys((N,), "ipv4-inbound-spd-hash-buckets", "ipv4-outbound-spd-hash-buckets", "spd-fast-path-num-buckets"),
        *keys((N,), "async-handoff-queue-size", since=Release(24, 10)),
        *(Key(name=family, block="ipsec tunnels", must_have_braces=True) for family in ("ip4", "ip6")),
    ),
    "ipsec tunnels": keys((N,), "num-buckets"),
    # vnet/dev/config.c
    "devices": (
        Key(name="dev", arguments=(ArgumentForm.ON_BUS,), block="devices dev", is_many=True),
        Key(
            name="driver",
            arguments=(W,),
            block="devices driver",
            must_have_braces=True,
            since=Release(25, 6),
            is_many=True,
        ),
    ),
    "devices dev": (
        *keys((W,), "driver", "flags"),
        *keys((ArgumentForm.QUOTED,), "args"),
        Key(name="port", arguments=(N,), block="devices port", must_have_braces=True, is_many=True),
    ),
    "devices port": (
        *keys((W,), "name", "flags"),
        *keys((N,), "num-rx-queues", "num-tx-queues", "rx-queue-size", "tx-queue-size"),
        Key(name="rss-key", arguments=(W,), since=Release(25, 10)),
        Key(name="rss-lut", arguments=(W,), since=Release(26, 10)),
        Key(name="rx-queue-assignment", arguments=(W,), choices=_ASSIGNMENTS, since=Release(26, 10)),
        *keys((ArgumentForm.QUOTED,), "args"),
    ),
    "devices driver": keys((ArgumentForm.QUOTED,), "args"),
    # vnet/devices/tap/tap.c
    "tap": keys((N,), "host-mtu"),
    # vnet/session/session_cli.c
    "session": (
        *keys((N,), "wrk-mq-length", "preallocated-sessions", "event-queue-length", "local-endpoints-table-buckets"),
        *keys((S,), "wrk-mqs-segment-size", "evt_qs_seg_size", "local-endpoints-table-memory"),
        *keys((N,), *(f"v{family}-{kind}-table-buckets" for family in (4, 6) for kind in ("session", "halfopen"))),
        *keys((S,), *(f"v{family}-{kind}-table-memory" for family in (4, 6) for kind in ("session", "halfopen"))),
        *keys((N,), "min-src-port", "max-src-port", since=Release(24, 2)),
        Key(name="enable rt-backend", arguments=(W,), choices=("rule-table", "sdl"), since=Release(24, 10)),
        *flags("enable", "poll-main", "use-private-rx-mqs", "no-adaptive", "use-dma"),
        *flags("use-app-socket-api", "evt_qs_memfd_seg"),
        *flags("nat44-original-dst-enable", since=Release(23, 10)),
        *flags("no-dump-segments", "use-bapi-socket-api", since=Release(26, 2)),
        *keys((H,), "segment-baseva"),
    ),
    # vnet/tcp/tcp_cli.c, vnet/udp/udp_cli.c
    "tcp": (
        *keys((N,), "preallocated-connections", "preallocated-half-open-connections", "mtu", "rwnd-min-update-ack"),
        *keys((N,), "initial-cwnd-multiplier", "max-gso-size", "closewait-time", "timewait-time", "finwait1-time"),
        *keys((N,), "finwait2-time", "lastack-time", "closing-time", "alloc-err-timeout", "cleanup-time"),
        *keys((N,), "syn-rcvd-time", since=Release(24, 10)),
        *keys((D,), "buffer-fail-fraction"),
        *keys((S,), "max-rx-fifo", "min-rx-fifo"),
        *flags("no-tx-pacing", "tso", "no-csum-offload"),
        *flags("no-dsack", "byte-tracker", since=Release(26, 10)),
        Key(name="cc-algo", arguments=(W,), choices=("newreno", "cubic")),
        *(Key(name=name, block=OPAQUE, must_have_braces=True) for name in ("newreno", "cubic")),
    ),
    "udp": (*keys((N,), "mtu"), *flags("icmp-unreachable-disabled", "no-csum-offload")),
    # Plugins, each in its folder of plugins/
    "acl-plugin": (
        *keys((N,), "connection hash buckets", "connection count max", "hash lookup hash buckets", "use tuple merge"),
        *keys((N,), "tuple merge split threshold", "reclassify sessions"),
        *keys((S,), "connection hash memory", "main heap size", "hash lookup heap size", "hash lookup hash memory"),
    ),
    "cnat": (
        *keys((N,), "translation-db-buckets", "snat-db-buckets", "snat-if-map-len", "session-max-age", "tcp-max-age"),
        *keys((N,), "maglev-len"),
        *keys((N,), "client-db-buckets", since=Release(23, 10)),
        *keys((N,), "session-max-port-retries", "session-log2-pool-size", since=Release(26, 6)),
        *keys((N,), "session-max", "session-max-per-vrf", since=Release(26, 6)),
        *keys((S,), "translation-db-memory", "snat-db-memory"),
        *keys((S,), "client-db-memory", since=Release(23, 10)),
        Key(name="session-db-buckets", arguments=(N,), until=Release(26, 6)),
        Key(name="session-db-memory", arguments=(S,), until=Release(26, 6)),
        *keys((D,), "session-cleanup-timeout"),
        *switches("scanner"),
    ),
    "crypto_sw_scheduler": keys((N,), "crypto-sw-scheduler-queue-size"),
    "ct6": (
        *keys((N,), "session-hash-buckets"),
        *keys((S,), "session-hash-memory"),
        *keys((D,), "session-timeout"),
    ),
    "dns": keys((N,), "max-cache-size", "max-ttl"),
    "dsa": (Key(name="dev", arguments=(W,), is_many=True),),
    "dslite": flags("ce"),
    "fateshare": keys((W,), "monitor", "logfile", "command"),
    "http": (
        *keys((S,), "first-segment-size", "add-segment-size", "fifo-size"),
        Key(name="http2", block="http2", must_have_braces=True, since=Release(25, 6)),
    ),
    "http2": keys((N,), "initial-window-size", "max-frame-size", "max-header-list-size", "header-table-size"),
    "ikev2": keys((N,), "handoff-thread"),
    "l2tp": flags("lookup-v6-src", "lookup-v6-dst", "lookup-session-id"),
    "mactime": (*keys((N,), "lookup-table-buckets", "timezone_offset"), *keys((S,), "lookup-table-memory")),
    "nsim": flags("poll-main-thread"),
    "pvti": keys((W,), "runs-before"),
    "quic": (
        *keys((S,), "fifo-size"),
        *keys((N,), "conn-timeout", "fifo-prealloc"),
        *keys((S,), "first-segment-size", "add-segment-size", since=Release(26, 6)),
        *flags("no-tx-pacing", "respect-app-limited", "enable-vnet-crypto", since=Release(26, 6)),
    ),
    "selog": keys((W,), "ssvm-name"),
    "sfdp": (
        *keys((N,), "sessions-log2", "sessions-per-thread-cache-log2", "tenants-log2", "eviction-sessions-margin"),
        *keys((D,), "timer-interval", since=Release(26, 6)),
        *flags("no-main"),
    ),
    "vhost-user": (*keys((N,), "coalesce-frames"), *keys((D,), "coalesce-time"), *flags("dont-dump-memory")),
}
"""The keys of stanzas that vppcfg does not make: it keeps them as they are."""


GRAMMAR: Mapping[str, tuple[Key, ...]] = {**CORE, **FURTHER}
"""The keys of every stanza and block, by its name."""

FORGIVING: Mapping[str, Release] = {"cpu": OLDEST, "memory": Release(26, 2)}
"""Stanzas whose reader does not stop VPP at what it cannot read, from which release on.

In `memory` the word alone is passed over (vpp/vnet/main.c), in `cpu` all that follows it too (vlib/threads.c).
"""
_INNER = frozenset({"plugin", "device", "http2"})
"""Blocks that are no stanzas, though their names are single words; the name of any other block has a space."""
_UNCHECKED = ("calico-policy-plugin", "npol-plugin", "test-proxy", "unix-cli")
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
        *(_stanza(name, block=OPAQUE) for name in _UNCHECKED),
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
    """Return the keys of a block that begin with a word, the longest first, such as `dev default` before `dev`.

    The key for any word, where the block has one, comes last.
    """
    keys = _keys_by_word(block)
    return (*keys.get(word, ()), *keys.get(ANY, ()))


@cache
def _keys_by_word(block: str) -> Mapping[str, list[Key]]:
    found: dict[str, list[Key]] = {}
    for key in sorted(GRAMMAR.get(block, ()), key=lambda key: -key.name.count(" ")):
        found.setdefault(key.name.partition(" ")[0], []).append(key)
    return found
