"""The changes that rules propose, each as a value of the section `dataplane` and its words in startup.conf."""

from __future__ import annotations

from vppcfg.tune.finding import Setting
from vppcfg.tune.load import Load, PortLoad
from vppcfg.tune.reading import QueueLimits

_DPDK_DEFAULT = ("dpdk", "dev default")
_MOST_DESCRIPTORS = 4096
"""More has not been seen to help, and every slot of a receive ring holds a buffer."""
_BUFFERS_PER_PAGE = 840
"""Packet buffers of 2496 bytes in a page of 2 MB (VPP: plugins/dpdk/buffer.c)."""
_LEAST_BUFFERS = 16384
"""VPP's own default (vlib/buffer.c)."""
_BUFFER_MARGIN = 1.25
_FRAME = 256
_CACHED = 512
"""Buffers that a thread keeps for itself (vlib/buffer.h)."""
_TAP_RINGS = 512
_MB = 1 << 20


def larger_ring(limits: QueueLimits) -> int | None:
    """Return twice the descriptors as far as the NIC takes them, None when there are no more to have."""
    wanted = min(2 * limits.descriptors, limits.max_descriptors, _MOST_DESCRIPTORS)
    wanted -= wanted % max(limits.align, 1)
    return wanted if wanted > limits.descriptors else None


def tx_descriptors(count: int, former: int | None) -> Setting:
    """Return the setting for longer transmit rings."""
    return Setting(
        path=("dpdk", "default", "tx-descriptors"),
        value=count,
        former=former,
        stanza=_DPDK_DEFAULT,
        words=f"num-tx-desc {count}",
        former_words=f"num-tx-desc {former}" if former else "",
    )


def rx_descriptors(count: int, former: int | None) -> Setting:
    """Return the setting for longer receive rings."""
    return Setting(
        path=("dpdk", "default", "rx-descriptors"),
        value=count,
        former=former,
        stanza=_DPDK_DEFAULT,
        words=f"num-rx-desc {count}",
        former_words=f"num-rx-desc {former}" if former else "",
    )


def rx_queues(count: int, former: int | None, device: str | None = None) -> Setting:
    """Return the setting for receive queues, of one device or of all."""
    section = ("devices", device) if device else ("default",)
    return Setting(
        path=("dpdk", *section, "rx-queues"),
        value=count,
        former=former,
        stanza=("dpdk", f"dev {device}") if device else _DPDK_DEFAULT,
        words=f"num-rx-queues {count}",
        former_words=f"num-rx-queues {former}" if former else "",
    )


def multi_seg(*, is_on: bool) -> Setting:
    """Return the setting that allows packets of several buffers, or forbids them."""
    return Setting(
        path=("dpdk", "multi-seg"),
        value=is_on,
        former=not is_on,
        stanza=("dpdk",),
        words="" if is_on else "no-multi-seg",
        former_words="no-multi-seg" if is_on else "",
    )


def tx_checksum_offload(*, is_on: bool) -> Setting:
    """Return the setting that lets NICs compute checksums, or forbids it."""
    return Setting(
        path=("dpdk", "tx-checksum-offload"),
        value=is_on,
        former=not is_on,
        stanza=("dpdk",),
        words="" if is_on else "no-tx-checksum-offload",
        former_words="no-tx-checksum-offload" if is_on else "",
    )


def workers(count: int, former: int) -> Setting:
    """Return the setting for the number of workers; startup.conf names their CPUs, which the host decides."""
    return Setting(
        path=("cpu", "workers"),
        value=count,
        former=former,
        stanza=("cpu",),
        words=f"workers {count}",
        former_words=f"workers {former}" if former else "",
    )


def isolate() -> Setting:
    """Return the setting that keeps other programs off the CPUs of workers; it ends on the kernel's command line."""
    return Setting(path=("cpu", "isolate"), value=True)


def buffers(count: int, former: int | None) -> Setting:
    """Return the setting for packet buffers per NUMA node."""
    return Setting(
        path=("buffers", "per-numa"),
        value=count,
        former=former,
        stanza=("buffers",),
        words=f"buffers-per-numa {count}",
        former_words=f"buffers-per-numa {former}" if former else "",
    )


def stat_segment(megabytes: int, former_bytes: int) -> Setting:
    """Return the setting for the size of the stat segment."""
    return Setting(
        path=("statseg",),
        value=f"{megabytes}M",
        former=_megabytes(former_bytes),
        stanza=("statseg",),
        words=f"size {megabytes}M",
        former_words=f"size {_megabytes(former_bytes)}",
    )


def main_heap(megabytes: int, former_bytes: int) -> Setting:
    """Return the setting for the size of the main heap."""
    return Setting(
        path=("memory", "main-heap"),
        value=f"{megabytes}M",
        former=_megabytes(former_bytes),
        stanza=("memory",),
        words=f"main-heap-size {megabytes}M",
        former_words=f"main-heap-size {_megabytes(former_bytes)}",
    )


def _megabytes(size_bytes: int) -> str:
    return f"{round(size_bytes / _MB)}M"


def doubled_megabytes(size_bytes: int) -> int:
    """Return twice a size, as a power of two of megabytes."""
    wanted = 2 * size_bytes / _MB
    size = 64
    while size < wanted:
        size *= 2
    return size


def buffers_needed(load: Load) -> int:
    """Return the buffers that rings hold and that can be under way at once, with a margin, in whole pages.

    Receive rings hold theirs for good; sent ones stay in transmit rings until these are cleaned; each thread has
    512 at hand and up to a frame per queue in the graph.
    """
    rings = sum(_rings(port) for port in load.ports)
    threads = max(len(load.threads), 1)
    most_queues = max((thread.queues for thread in load.threads), default=0) or 1
    need = rings + threads * (_CACHED + _FRAME * most_queues)
    pages = -int(-_BUFFER_MARGIN * need // _BUFFERS_PER_PAGE)
    return max(_LEAST_BUFFERS, pages * _BUFFERS_PER_PAGE)


def _rings(port: PortLoad) -> int:
    limits = (port.hardware.rx_limits, port.hardware.tx_limits) if port.hardware else (None, None)
    known = sum(limit.queues * limit.descriptors for limit in limits if limit)
    return known or (_TAP_RINGS if port.rx_queues else 0)
