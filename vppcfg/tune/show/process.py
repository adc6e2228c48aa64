"""Reads what VPP prints about its process: version, processor, threads and the queues they poll, buffers and heaps.

VPP prints these texts in vpp/app/version.c, vlib/cli.c, vlib/threads_cli.c, vnet/interface_cli.c, vlib/buffer.c and
vppinfra/mem_dlmalloc.c.
"""

from __future__ import annotations

import re

from vppcfg.tune.reading import BufferPool, Heap, Processor, RxQueue, ThreadPlace
from vppcfg.tune.show import Unread, clean_lines, whole

_VERSION = re.compile(r"(?:^vpp |Version: )v?(\d+\.\d+\S*)")
_FREQUENCY = re.compile(r"^Base frequency: (\d*\.?\d+) GHz$")
_POLICIES = {"other", "batch", "idle", "fifo", "rr", "deadline", "(nil)"}
"""The last one is what VPP prints of a thread that is not pinned, in a container for one."""
_THREAD = re.compile(r"^Thread (\d+)\b")
_QUEUE = re.compile(r"^(\S+) queue (\d+)(?: \((\w+)\))?$")
"""VPP 17.04 printed no modes."""
_NAME = re.compile(r"^base .*name '([^']*)'$")
_USE = re.compile(r"^total: (\d*\.?\d+)([KMGT]?), used: (\d*\.?\d+)([KMGT]?),", re.IGNORECASE)
_SCALE = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def parse_version(text: str) -> tuple[str | None, Unread]:
    """Return the version, such as 23.06-rc0~35-gaf4046134, None when there is none."""
    for line in clean_lines(text):
        if match := _VERSION.search(line):
            return match[1], ()
    return None, tuple(clean_lines(text))


def parse_cpu(text: str) -> tuple[Processor | None, Unread]:
    """Return the processor, None when the text does not describe one, and what could not be read."""
    model, base_hz = "", None
    unread: list[str] = []
    for line in clean_lines(text):
        if line.startswith("Model name:"):
            model = line.partition(":")[2].strip()
        elif match := _FREQUENCY.match(line):
            base_hz = float(match[1]) * 1e9
        elif not line.startswith(("Microarch", "Flags:", "NUMA", "Cache")):
            unread.append(line)
    return (Processor(model=model, base_hz=base_hz) if model or base_hz else None), tuple(unread)


def parse_threads(text: str) -> tuple[tuple[ThreadPlace, ...], Unread]:
    """Return the threads, of the table up to 26.06 or the newer one, and what could not be read."""
    places: list[ThreadPlace] = []
    unread: list[str] = []
    for line in clean_lines(text):
        tokens = line.split()
        if tokens[0] == "ID":
            continue
        place = _place(tokens)
        if place is None:
            unread.append(line)
        else:
            places.append(place)
    return tuple(places), tuple(unread)


def _place(tokens: list[str]) -> ThreadPlace | None:
    """Return the thread of a row: both tables have the policy and, in brackets, its priority."""
    policy = next((place for place, token in enumerate(tokens) if token in _POLICIES), None)
    if policy is None or not tokens[0].isdecimal() or len(tokens) < policy + 3:
        return None
    before, after = tokens[2:policy], tokens[policy + 2 :]
    if len(before) == 2 and all(token.isdecimal() for token in before):  # LWP, CPU
        return ThreadPlace(index=int(tokens[0]), name=tokens[1], cpu=int(before[1]))
    numbers = [int(token) for token in after if token.isdecimal()]  # lcore, core, socket
    socket = numbers[2] if len(numbers) > 2 else None
    return ThreadPlace(index=int(tokens[0]), name=tokens[1], cpu=numbers[0] if numbers else None, socket=socket)


def parse_placement(text: str) -> tuple[tuple[RxQueue, ...], Unread]:
    """Return the queues, and what could not be read; a thread may come without a line that names the node."""
    queues: list[RxQueue] = []
    unread: list[str] = []
    thread: int | None = None
    for line in clean_lines(text):
        if match := _THREAD.match(line):
            thread = int(match[1])
        elif (match := _QUEUE.match(line)) and thread is not None:
            queues.append(RxQueue(interface=match[1], queue=int(match[2]), thread=thread, mode=match[3] or "unknown"))
        elif not line.startswith("node "):
            unread.append(line)
    return tuple(queues), tuple(unread)


def parse_buffers(text: str) -> tuple[tuple[BufferPool, ...], Unread]:
    """Return the pools as they were last, and what could not be read; rows per thread (`detail`) are passed over."""
    pools: dict[str, BufferPool] = {}
    unread: list[str] = []
    for line in clean_lines(text):
        tokens = line.split()
        if line.startswith(("Pool Name", "Thread", "thread")):
            continue
        try:
            numa, _size, data_size, _total, available, cached, used = (whole(token) for token in tokens[-7:])
        except ValueError:
            unread.append(line)
            continue
        total = available + cached + used  # in its own column VPP cuts what has more than six digits
        pool = BufferPool(
            name=tokens[0], numa=numa, total=total, available=available, cached=cached, used=used, data_size=data_size
        )
        pools[pool.name] = pool
    return tuple(pools.values()), tuple(unread)


def parse_memory(text: str) -> tuple[tuple[Heap, ...], Unread]:
    """Return the heaps; there is much else in the text that nothing here needs, so nothing counts as unread."""
    heaps: list[Heap] = []
    name = ""
    for line in clean_lines(text):
        if match := _NAME.match(line):
            name = match[1]
        elif match := _USE.match(line):
            total, used = _bytes(match[1], match[2]), _bytes(match[3], match[4])
            heaps.append(Heap(name=name or "main heap", total_bytes=total, used_bytes=used))
    return tuple(heaps), ()


def _bytes(figure: str, unit: str) -> int:
    return int(float(figure) * _SCALE[unit.upper()])
