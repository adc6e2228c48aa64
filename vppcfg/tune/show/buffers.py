"""`show buffers` in, the pools out (VPP: vlib/buffer.c)."""

from __future__ import annotations

from vppcfg.tune.reading import BufferPool
from vppcfg.tune.show.lines import Unread, clean_lines, whole


def parse_buffers(text: str) -> tuple[tuple[BufferPool, ...], Unread]:
    """Return the pools, and what could not be read; rows per thread (`detail`) are passed over."""
    pools: list[BufferPool] = []
    unread: list[str] = []
    for line in clean_lines(text):
        tokens = line.split()
        if line.startswith(("Pool Name", "Thread", "thread")):
            continue
        try:
            numa, _size, _data, total, available, cached, used = (whole(token) for token in tokens[-7:])
        except ValueError:
            unread.append(line)
            continue
        pools.append(BufferPool(name=tokens[0], numa=numa, total=total, available=available, cached=cached, used=used))
    return tuple(pools), tuple(unread)
