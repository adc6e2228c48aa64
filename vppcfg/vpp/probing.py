"""Frames sent into a VPP as if they came in by a port, and what its tracer tells of them.

A stream of the packet generator (src/vnet/pg) hands a frame to ethernet-input in the name of an interface; the trace
of pg-input follows it. Frames go in one after the other: VPP traces the first of those that come together.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence

from vppcfg.errors import DataplaneError
from vppcfg.record import record
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.shell import show

_AT_ONCE = 50
"""Frames between two readings of the trace."""
_STREAM = "vppcfg-probe-{}"
_OWN_INTERFACE = "pg-1"
"""What VPP makes for the first stream that names no interface of the packet generator."""
_PATIENCE_S = 5.0
_PAUSE_S = 0.01
_TABLE = re.compile(r"^(\S.*?), fib_index:(\d+),", re.MULTILINE)
_UP, _LINK = 1, 2


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

    @property
    def without_link(self) -> frozenset[str]:
        """Return the interfaces that nothing is plugged into."""
        return frozenset(self.interfaces.values()) - self.linked


def read_numbers(connection: Connection) -> Numbers:
    """Return the numbers of interfaces and tables. Raise DataplaneError."""
    replies = connection.ask([connection.request("sw_interface_dump", {"sw_if_index": 0xFFFFFFFF})[1]])
    rows = connection.rows(replies, "sw_interface_details", "sw_if_index", "flags", "interface_name")
    named = [(index, flags, text_of(name)) for index, flags, name in rows]
    return Numbers(
        interfaces={index: name for index, _, name in named},
        up=frozenset(name for _, flags, name in named if flags & _UP),
        linked=frozenset(name for _, flags, name in named if flags & _LINK),
        tables={(family, name): index for family in (4, 6) for name, index in _tables(connection, family)},
    )


def _tables(connection: Connection, family: int) -> Iterator[tuple[str, int]]:
    text = _run(connection, f"show ip{'6' if family == 6 else ''} fib summary")
    for found in _TABLE.finditer(text):
        yield found[1], int(found[2])


def inject(connection: Connection, injections: Sequence[Injection], pause_s: float = 0.0) -> dict[int, str]:
    """Send frames into VPP and return what `show trace` prints of each, by their place.

    With `pause_s` VPP is left alone for so long after each. What was in the trace is gone. Raise DataplaneError.
    """
    found: dict[int, str] = {}
    try:
        for start in range(0, len(injections), _AT_ONCE):
            found |= _inject_some(connection, start, injections[start : start + _AT_ONCE], pause_s)
    finally:
        show(connection, f"delete packet-generator interface {_OWN_INTERFACE}")
    return found


def _inject_some(connection: Connection, start: int, injections: Sequence[Injection], pause_s: float) -> dict[int, str]:
    names = {_STREAM.format(start + place): start + place for place in range(len(injections))}
    refused: set[str] = set()
    _run(connection, "clear trace")
    _run(connection, f"trace add pg-input {4 * len(injections)}")
    try:
        for name, injection in zip(names, injections, strict=True):
            size = len(injection.frame)
            code, _ = show(
                connection,
                f"packet-generator new {{ name {name} limit 1 size {size}-{size} interface {injection.port} "
                f"node ethernet-input data {{ hex 0x{injection.frame.hex()} }} }}",
            )
            if code:
                refused.add(name)
                continue
            _run(connection, f"packet-generator enable-stream {name}")
            if pause_s:
                time.sleep(pause_s)
        return _traced(connection, {name: place for name, place in names.items() if name not in refused})
    finally:
        for name in names.keys() - refused:
            show(connection, f"packet-generator delete {name}")
        show(connection, "clear trace")


def _traced(connection: Connection, names: Mapping[str, int]) -> dict[int, str]:
    """Wait until each frame is in the trace, as it is at once unless workers are busy."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        text = _run(connection, f"show trace max {4 * len(names)}")
        found = {names[name]: part for name, part in _parts(text) if name in names}
        if len(found) == len(names) or time.monotonic() > deadline:
            return found
        time.sleep(_PAUSE_S)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^(?=Packet \d+$)", text, flags=re.MULTILINE)[1:]:
        if stream := re.search(r"^\s*stream (\S+?),", part, re.MULTILINE):
            yield stream[1], part.partition("------------------- Start")[0]


def _run(connection: Connection, line: str) -> str:
    """Return what a command prints. Raise DataplaneError when VPP refuses it."""
    code, text = show(connection, line)
    if code:
        raise DataplaneError(f"VPP refuses `{line[:60]}`: {text.strip() or code}")
    return text
