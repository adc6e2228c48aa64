"""Turns captures into readings: each part is taken from the best source that has it.

What cannot be read is left out, and a remark has the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from vppcfg.common.numbers import numbered
from vppcfg.errors import UsageError
from vppcfg.tune.capture import COMMANDS, Capture
from vppcfg.tune.collected import Parts, interface_names, parts_of_api, parts_of_host, parts_of_stats
from vppcfg.tune.interval import load_of
from vppcfg.tune.load import Load
from vppcfg.tune.reading import Reading, ThreadCounters, ThreadPlace
from vppcfg.tune.show import Unread
from vppcfg.tune.show.hardware import parse_hardware, parse_interface, parse_pci
from vppcfg.tune.show.process import (
    parse_buffers,
    parse_cpu,
    parse_memory,
    parse_placement,
    parse_threads,
    parse_version,
)
from vppcfg.tune.show.runtime import parse_errors, parse_max_vectors, parse_runtime, parse_trace

_TEXTS: tuple[tuple[str, str, Callable[[str], tuple[Any, Unread]]], ...] = (
    ("version", "version", parse_version),
    ("cpu", "cpu", parse_cpu),
    ("runtime-max", "max_vectors", parse_max_vectors),
    ("errors", "errors", parse_errors),
    ("hardware", "hardware", parse_hardware),
    ("interface", "interfaces", parse_interface),
    ("rx-placement", "rx_queues", parse_placement),
    ("buffers", "buffers", parse_buffers),
    ("pci", "pci", parse_pci),
    ("threads", "places", parse_threads),
    ("memory", "heaps", parse_memory),
    ("trace", "is_tracing", parse_trace),
)
"""Name of the text, field of Reading, parser; `show runtime` comes after the CPU, whose rate it may need."""
_Reader = tuple[str, str, Callable[[Any], Parts]]
_DOCUMENTS: tuple[_Reader, ...] = (
    ("api", "VPP's API", parts_of_api),
    ("host", "the kernel", parts_of_host),
)
"""In the order in which they go over what came before; the stats segment comes last."""
_ENDING_OPEN = {"threads", "interfaces", "hardware"}
"""Parts with several lines for each row."""
_PREFERRED_TEXTS = {"buffers", "pci"}
"""`show buffers` prints the NUMA node of pools with any name, `show pci` what VPP itself sees of links."""


def load_of_captures(captures: Sequence[Capture]) -> Load:
    """Return the load between the first and the last capture, or of the time that the only one covers.

    A capture of nothing but a machine is the machine of the others.
    Raise UsageError when a capture has nothing about a VPP.
    """
    machines = [capture for capture in captures if not capture.texts and capture.documents.keys() == {"host"}]
    others = [capture for capture in captures if capture not in machines]
    if machines and others:
        captures = [replace(each, documents={**machines[-1].documents, **each.documents}) for each in others]
    return load_of([reading_of(capture) for capture in captures])


def reading_of(capture: Capture) -> Reading:
    """Return everything in a capture. Raise UsageError when it has nothing about a VPP."""
    parts: Parts = {}
    sources: dict[str, str] = {}
    remarks = list(capture.remarks)
    open_parts: set[str] = set()
    for name, field, parse in _TEXTS:
        if name in capture.texts:
            _take(parts, sources, field, COMMANDS[name], parse(capture.texts[name]), remarks)
            if name not in capture.whole:
                open_parts.add(field)
    if "runtime" in capture.texts:
        cpu = parts.get("cpu")
        parsed = parse_runtime(capture.texts["runtime"], cpu.base_hz if cpu else None)
        _take(parts, sources, "threads", COMMANDS["runtime"], parsed, remarks)
        if "runtime" not in capture.whole:
            open_parts.add("threads")
    for part in _ENDING_OPEN & open_parts & set(parts):
        parts[part] = _ending_open(parts[part])
    printed = parts.get("threads")
    names = interface_names(capture.documents.get("api"))
    stats: _Reader = ("stats", "the stats segment", partial(parts_of_stats, names=names))
    for name, source, read in (*_DOCUMENTS, stats):
        if name in capture.documents:
            open_parts -= _take_document(parts, sources, name, source, read, capture, remarks)
    if not parts:
        raise UsageError(f"nothing in {capture.name} can be read", "; ".join(remarks[:3]))
    reading = Reading(
        taken_s=capture.taken_s,
        remarks=tuple(remarks),
        sources=tuple(sources.items()),
        open_parts=frozenset(open_parts),
        is_debug_build=capture.is_debug_build,
        **parts,
    )
    return replace(reading, threads=_named(reading, printed))


def _ending_open(rows: Any) -> Any:
    """Return rows of a text that may have been cut, the last of which may be incomplete."""
    return (*rows[:-1], replace(rows[-1], is_whole=False)) if rows else rows


def _take(
    parts: Parts, sources: dict[str, str], field: str, command: str, parsed: tuple[Any, Unread], remarks: list[str]
) -> None:
    value, unread = parsed
    if unread:
        remarks.append(
            f"`{command}`: {numbered(len(unread), 'line')} that cannot be read, the first is {unread[0][:60]!r}"
        )
    if value or value is False or (not unread and value is not None):
        parts[field] = value
        sources[field] = f"`{command}`"


def _take_document(
    parts: Parts,
    sources: dict[str, str],
    name: str,
    source: str,
    read: Callable[[Any], Parts],
    capture: Capture,
    remarks: list[str],
) -> set[str]:
    """Take what a document has, and return the names of the parts that it gave."""
    try:
        found = read(capture.documents[name])
    except ValueError as error:
        remarks.append(f"{name}.json is not what vppcfg writes ({error}), and is left out")
        return set()
    taken: set[str] = set()
    for field, value in found.items():
        if field in _PREFERRED_TEXTS and parts.get(field):
            continue
        if field == "interfaces":
            value = _with_mtu(value, parts.get("interfaces") or ())
        parts[field] = value
        sources[field] = source
        taken.add(field)
    return taken


def _with_mtu(counters: Any, printed: Any) -> Any:
    """Return counters of interfaces with their MTU and state, which only the text of `show interface` has."""
    rows = {row.name: row for row in printed}
    return tuple(
        replace(counter, mtu=row.mtu, is_up=row.is_up) if (row := rows.get(counter.name)) else counter
        for counter in counters
    )


def _named(reading: Reading, printed: tuple[ThreadCounters, ...] | None) -> tuple[ThreadCounters, ...] | None:
    """Return the threads with their CPUs and the states of their nodes, from whichever source has them."""
    if reading.threads is None:
        return None
    places: dict[int, ThreadPlace] = {place.index: place for place in reading.places or ()}
    texts = {thread.index: thread for thread in printed or ()}
    return tuple(_completed(thread, places.get(thread.index), texts.get(thread.index)) for thread in reading.threads)


def _completed(thread: ThreadCounters, place: ThreadPlace | None, text: ThreadCounters | None) -> ThreadCounters:
    lcore = thread.lcore if thread.lcore is not None else (place.cpu if place else text.lcore if text else None)
    states = {node.name: node.state for node in text.nodes} if text else {}
    nodes = tuple(node if node.state else replace(node, state=states.get(node.name, "")) for node in thread.nodes)
    name = place.name if place else text.name if text else thread.name
    return replace(thread, lcore=lcore, name=name, nodes=nodes)
