"""The frames of a direction as trafgen sends them, one after the other and then again, and its configuration file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from math import gcd, lcm

from vppcfg.common.packets import checksum
from vppcfg.common.rates import CHECKSUM_BYTES, SMALLEST_FRAME
from vppcfg.loadtest.profile import CHECKSUM_OFFSET, IP_OFFSET, Stream

_MOST_FRAMES = 4096
"""Of a file; trafgen takes about a second to read that many."""
_LEAST_RUN = 8
"""Equal bytes in a row that are worth a `fill`."""
_HEADER_BYTES = 20


def sequence(streams: Sequence[Stream], source_mac: bytes, sink_mac: bytes) -> tuple[bytes, ...]:
    """Return the frames in the order in which they go out: the streams mixed by share, every address in its turn.

    Frames are padded to the smallest size, and have no check sequence.
    """
    order = _mixed([round(stream.share * 1000) for stream in streams])
    turns = lcm(*(_period(stream) for stream in streams))
    rounds = max(min(turns, _MOST_FRAMES // len(order)), 1)
    sent = [0] * len(streams)
    frames = []
    for place in order * rounds:
        frames.append(_frame(streams[place], sent[place], source_mac, sink_mac))
        sent[place] += 1
    return tuple(frames)


def configuration(frames: Sequence[bytes]) -> str:
    """Return trafgen's file: a packet in braces per frame, each byte of it written out."""
    return "".join("{ " + ", ".join(_words(frame)) + " }\n" for frame in frames)


def mean_bytes(frames: Sequence[bytes]) -> float:
    """Return the mean length without check sequence."""
    return sum(map(len, frames)) / len(frames)


def _mixed(shares: list[int]) -> list[int]:
    """Return the places of streams in the shortest order that gives each its share, as evenly as can be."""
    divisor = gcd(*shares)
    weights = [share // divisor for share in shares]
    due = [0] * len(weights)
    order = []
    for _ in range(sum(weights)):
        due = [waiting + weight for waiting, weight in zip(due, weights, strict=True)]
        place = due.index(max(due))
        due[place] -= sum(weights)
        order.append(place)
    return order


def _period(stream: Stream) -> int:
    """Return after how many frames a stream begins anew."""
    return lcm(*(variable.last - variable.first + 1 for variable in stream.variables)) if stream.variables else 1


def _frame(stream: Stream, turn: int, source_mac: bytes, sink_mac: bytes) -> bytes:
    frame = bytearray(stream.frame.ljust(SMALLEST_FRAME - CHECKSUM_BYTES, b"\0"))
    frame[:12] = sink_mac + source_mac
    for variable in stream.variables:
        value = variable.first + turn % (variable.last - variable.first + 1)
        frame[variable.offset : variable.offset + variable.size_bytes] = value.to_bytes(variable.size_bytes, "big")
    frame[CHECKSUM_OFFSET : CHECKSUM_OFFSET + 2] = b"\0\0"
    header = bytes(frame[IP_OFFSET : IP_OFFSET + _HEADER_BYTES])
    frame[CHECKSUM_OFFSET : CHECKSUM_OFFSET + 2] = checksum(header).to_bytes(2, "big")
    return bytes(frame)


def _words(frame: bytes) -> Iterator[str]:
    """Yield the bytes of a frame in trafgen's language (trafgen(8)), long runs as one word."""
    for value, run in groupby(frame):
        length = len(list(run))
        if length >= _LEAST_RUN:
            yield f"fill({value:#04x}, {length})"
        else:
            yield from [f"{value:#04x}"] * length
