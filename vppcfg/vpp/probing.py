"""Sends frames into a VPP as if they came in by a port, and returns what its tracer shows of them.

A stream of the packet generator (src/vnet/pg) hands a frame to ethernet-input in the name of an interface; the trace
of pg-input follows it. Frames go in one after the other: VPP traces the first of those that come together. Streams, and
the interface that the packet generator needs for them, have names of their own, so that what is left of them can be
distinguished from what others sent.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from vppcfg.errors import DataplaneError
from vppcfg.model.rate_limit import MARK
from vppcfg.record import record
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.wire.policers import policer_indexes, policer_names, policer_requests
from vppcfg.wire.shell import show

_AT_ONCE = 50
"""Frames between two readings of the trace."""
_TRACED_PER_FRAME = 4
"""How many packets the trace has room for, for each frame."""
_STREAM = "vppcfg-probe-{}"
_OWN_STREAMS = re.compile(rf"^({re.escape(_STREAM.format(''))}\d+)\s", re.MULTILINE)
"""Our streams in `show packet-generator`, whose lines begin with their names."""
_OWN_INTERFACE = "pg5311"
_NOTHING_TRACED = "No packets in trace buffer"
_NOTHING_CAPTURED = "capture disabled"
_ROUTE = re.compile(r"^(\S+/\d+)(?: fib:.*)?$", re.MULTILINE)
"""`10.0.0.0/24 fib:0 index:13 locks:2`, what covers an address in `show ip fib table 0 10.0.0.9`."""
_DROPS = "dpo-drop"
_PATIENCE_S = 5.0
_PAUSE_S = 0.01
_TABLE = re.compile(r"^(\S.*?), fib_index:(\d+),", re.MULTILINE)
"""`ipv4-VRF:7, fib_index:1, flow hash:[...`, the first line of each table in `show ip fib summary`."""
_UP, _LINK = 1, 2
_FIRST_RELEASE = (26, 2)


@record
class Injection:
    """A frame, and the interface by which it is to come in."""

    port: str
    frame: bytes


@record
class Numbers:
    """What VPP's own numbers stand for, which the trace prints."""

    interfaces: Mapping[int, str]
    up: frozenset[str]
    """The interfaces that are up."""
    linked: frozenset[str]
    """Those that have a link."""
    tables: Mapping[tuple[int, str], int]
    """VPP's indexes of FIB tables, by family and name."""
    policers: Mapping[int, str] = field(default_factory=dict)
    """Those of files, without their mark."""

    @property
    def without_link(self) -> frozenset[str]:
        """Return the interfaces that nothing is plugged into."""
        return frozenset(self.interfaces.values()) - self.linked


def require_release(version: str) -> None:
    """Raise DataplaneError for the version of a VPP in which frames cannot be sent in the name of a port.

    Up to 25.10 ethernet-input gets the interface of the generator, whatever port a stream names (pg_generate_packets
    in src/vnet/pg/input.c).
    """
    found = re.match(r"(\d+)\.(\d+)", version)
    if found is not None and (int(found[1]), int(found[2])) < _FIRST_RELEASE:
        raise DataplaneError(
            f"VPP {version} cannot be probed: it takes frames that are sent into it for those of another interface",
            "that is so up to 25.10; --rehearse may name a later one",
        )


def read_numbers(connection: Connection) -> Numbers:
    """Return the numbers of interfaces and tables. Raise DataplaneError."""
    replies = connection.ask([connection.request("sw_interface_dump", {"sw_if_index": 0xFFFFFFFF})[1]])
    rows = connection.rows(replies, "sw_interface_details", "sw_if_index", "flags", "interface_name")
    policers = policer_names(connection, connection.ask(policer_requests(connection)))
    named = [(index, flags, text_of(name)) for index, flags, name in rows]
    return Numbers(
        interfaces={index: name for index, _, name in named},
        up=frozenset(name for _, flags, name in named if flags & _UP),
        linked=frozenset(name for _, flags, name in named if flags & _LINK),
        tables={(family, name): index for family in (4, 6) for name, index in _tables(connection, family)},
        policers={
            index: name.removeprefix(MARK)
            for index, name in policer_indexes(connection, policers).items()
            if name.startswith(MARK)
        },
    )


def _tables(connection: Connection, family: int) -> Iterator[tuple[str, int]]:
    text = _run(connection, f"show ip{'6' if family == 6 else ''} fib summary")
    for found in _TABLE.finditer(text):
        yield found[1], int(found[2])


def inject(connection: Connection, injections: Sequence[Injection], *, is_in_service: bool = False) -> dict[int, str]:
    """Send frames into VPP and return what `show trace` prints of each, by their place.

    The trace is emptied. With `is_in_service`, it is left alone when packets of others are in it, and the interface
    of the packet generator stays until `withdraw`. Raise DataplaneError.
    """
    found: dict[int, str] = {}
    try:
        for start in range(0, len(injections), _AT_ONCE):
            some = injections[start : start + _AT_ONCE]
            found |= _inject_some(connection, start, some, is_in_service=is_in_service)
    finally:
        if not is_in_service:
            show(connection, f"delete packet-generator interface {_OWN_INTERFACE}")
    return found


def foreign_traces(connection: Connection) -> str:
    """Return what another user traces or captures, '' for nothing. Raise DataplaneError."""
    parts = _run(connection, "show trace max 1").split("------------------- Start of thread")
    if any(part.strip() and _NOTHING_TRACED not in part for part in parts):
        return "packets are in the trace of VPP"
    if _NOTHING_CAPTURED not in _run(connection, "pcap trace status"):
        return "packets are being captured (pcap trace)"
    return ""


def withdraw(connection: Connection, stations: Iterable[tuple[str, int]]) -> None:
    """Remove all streams and the interface that frames were sent by, whoever left them, and what was traced of them.

    `stations` are MAC addresses that bridge domains have learnt, each with the number of the domain. Safe to call when
    nothing is left. Raise DataplaneError.
    """
    code, text = show(connection, "show packet-generator")
    if code:
        raise DataplaneError(
            "this VPP has no packet generator, so no frame can be sent into it",
            "a simulated VPP has none; --rehearse starts a real one",
        )
    streams = _OWN_STREAMS.findall(text)
    if streams and not _of_others(_run(connection, "show trace max 1000")):
        _run(connection, "clear trace")
    for name in streams:
        show(connection, f"packet-generator delete {name}")
    if _OWN_INTERFACE in _run(connection, "show interface").split():
        _run(connection, f"delete packet-generator interface {_OWN_INTERFACE}")
    for mac, bd_id in stations:
        show(connection, f"l2fib del {mac} {bd_id}")


def read_ways(connection: Connection, asked: Iterable[tuple[int, str]]) -> dict[tuple[int, str], str]:
    """Return by which prefix VPP finds each address in its table, '' where it drops what goes there or has no table.

    Raise DataplaneError.
    """
    found = {}
    for table, address in asked:
        family = "ip6" if ":" in address else "ip"
        code, text = show(connection, f"show {family} fib table {table} {address}")
        prefix = _ROUTE.search(text)
        found[table, address] = "" if code or prefix is None or _DROPS in text else prefix[1]
    return found


def _of_others(trace: str) -> bool:
    """Return whether a trace has packets of others."""
    packets = re.split(r"^(?=Packet \d+$)", trace, flags=re.MULTILINE)[1:]
    return any(f"stream {_STREAM.format('')}" not in packet for packet in packets)


def _inject_some(
    connection: Connection, start: int, injections: Sequence[Injection], *, is_in_service: bool
) -> dict[int, str]:
    """Send frames, the first of which has the place `start`, and return their traces by place, but for refused ones.

    Each frame has a stream of its own, so that the name of the stream in a trace shows which frame it is.
    """
    names = {_STREAM.format(start + place): start + place for place in range(len(injections))}
    refused: set[str] = set()
    _clear(connection, is_in_service=is_in_service)
    _run(connection, f"trace add pg-input {_TRACED_PER_FRAME * len(injections)}")
    try:
        for name, injection in zip(names, injections, strict=True):
            size = len(injection.frame)
            code, _ = show(
                connection,
                f"packet-generator new {{ name {name} limit 1 size {size}-{size} source {_OWN_INTERFACE} "
                f"interface {injection.port} "
                f"node ethernet-input data {{ hex 0x{injection.frame.hex()} }} }}",
            )
            if code:
                refused.add(name)
                continue
            _run(connection, f"packet-generator enable-stream {name}")
        found = _traced(connection, {name: place for name, place in names.items() if name not in refused})
        _clear(connection, is_in_service=is_in_service)  # while there are streams that show whose packets are in it
    finally:
        for name in names.keys() - refused:
            show(connection, f"packet-generator delete {name}")
    return found


def _clear(connection: Connection, *, is_in_service: bool) -> None:
    """Empty the trace. Raise DataplaneError when packets of others are in it and VPP is in service."""
    if is_in_service and _of_others(_run(connection, "show trace max 1000")):
        raise DataplaneError(
            "another user started to trace packets in this VPP; no more frames are sent",
            "`clear trace` at VPP's prompt ends that trace; then try again",
        )
    _run(connection, "clear trace")


def _traced(connection: Connection, names: Mapping[str, int]) -> dict[int, str]:
    """Wait until each frame is in the trace, as it is at once unless workers are busy."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        text = _run(connection, f"show trace max {_TRACED_PER_FRAME * len(names)}")
        found = {names[name]: part for name, part in _parts(text) if name in names}
        if len(found) == len(names) or time.monotonic() > deadline:
            return found
        time.sleep(_PAUSE_S)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the stream and the text of each packet in `show trace` that a stream has sent.

    Each begins with lines such as::

        Packet 1

        00:00:01:735767: pg-input
          stream vppcfg-probe-0, 60 bytes, sw_if_index 1, next_node ethernet-input
    """
    for part in re.split(r"^(?=Packet \d+$)", text, flags=re.MULTILINE)[1:]:
        if stream := re.search(r"^\s*stream (\S+?),", part, re.MULTILINE):
            yield stream[1], part.partition("------------------- Start")[0]


def _run(connection: Connection, line: str) -> str:
    """Return what a command prints. Raise DataplaneError when VPP refuses it."""
    code, text = show(connection, line)
    if code:
        raise DataplaneError(f"VPP refuses `{line[:60]}`: {text.strip() or code}")
    return text
