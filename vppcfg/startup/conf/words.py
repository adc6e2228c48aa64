"""The grammar of startup.conf for VPP itself, DPDK and linux-cp: the keys of each stanza, by the name of the stanza.

Letters are the forms of values: W a word, N a number, D one with a fraction, S a size, P a page size, C a list of CPUs,
M a mask, A a PCI address, H a hexadecimal number. `since` names the first release that knows a key. All are from the
readers in VPP's source that the comments name.
"""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.common.release import OLDEST, Release
from vppcfg.startup.conf.key import OPAQUE, A, ArgumentForm, C, D, H, Key, M, N, P, S, W, flags, keys, switches

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
