"""The grammar of startup.conf for logging, the host stack and plugins: the keys of each stanza, by its name.

Letters are the forms of values: W a word, N a number, D one with a fraction, S a size, P a page size, C a list of CPUs,
M a mask, A a PCI address, H a hexadecimal number. `since` names the first release that knows a key. All are from the
readers in VPP's source that the comments name.
"""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.common.release import Release
from vppcfg.startup.conf.key import ANY, OPAQUE, ArgumentForm, D, H, Key, N, S, W, flags, keys, switches

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
"""The keys of stanzas that are not made by vppcfg but kept."""
