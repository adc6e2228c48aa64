"""Traffic profiles of single frames: bench, imix and udp_1pkt of T-Rex, as frames and ratios.

Sources: scripts/stl/bench.py, imix.py and udp_1pkt_simple_bdir.py of trex-core 3.08. Frames are UDP in IPv4 in
Ethernet, built byte by byte (RFC 768, RFC 791, IEEE 802.3).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from ipaddress import IPv4Address

from vppcfg.common.packets import UDP, ipv4_packet, udp_segment
from vppcfg.common.rates import CHECKSUM_BYTES, OVERHEAD_BYTES, SMALLEST_FRAME
from vppcfg.errors import UsageError
from vppcfg.record import record

LARGEST_FRAME = 9238 + CHECKSUM_BYTES
"""T-Rex takes 9238 bytes without the check sequence."""
LARGEST_OFFSET = 255
_PORTS = (1025, 12)
_DNS = (53, 53)
MAC_OF_SINK = bytes.fromhex("000000010000")
MAC_OF_SOURCE = bytes.fromhex("000000020000")
"""What stands in a frame where the generator puts the addresses of its own configuration."""
HEADERS_BYTES = 14 + 20 + 8
IP_OFFSET = 14
SOURCE_OFFSET = 26
DESTINATION_OFFSET = 30
CHECKSUM_OFFSET = 24
_FILL = b"x"


class Variation(Enum):
    """Which addresses of a bench frame vary: one flow, 251 sources, or 251 pairs of both."""

    NONE = "none"
    VAR1 = "var1"
    VAR2 = "var2"


@record
class Variable:
    """A field of a frame that takes every value from `first` to `last`, one more with each packet."""

    name: str
    offset: int
    """Its first byte in the frame."""
    size_bytes: int
    first: int
    last: int


@record
class Stream:
    """Frames of one kind."""

    frame: bytes
    """Without the check sequence; a generator pads it to 60 bytes."""
    share: float = 1.0
    """How many of them go out in relation to those of the other streams."""
    gap_us: float = 0.0
    """How much later than the first stream it starts."""
    variables: tuple[Variable, ...] = ()

    @property
    def frame_bytes(self) -> int:
        """Return the frame's length with its check sequence."""
        return max(len(self.frame) + CHECKSUM_BYTES, SMALLEST_FRAME)


@record
class Profile:
    """The streams of both directions, and how the profile was asked for."""

    name: str
    size: str
    """`imix`, or the frame size in bytes with check sequence."""
    variation: Variation
    offset: int
    there: tuple[Stream, ...]
    back: tuple[Stream, ...]

    def streams(self, *, is_return: bool) -> tuple[Stream, ...]:
        """Return the streams from 16/8 to 48/8, or those of the way back."""
        return self.back if is_return else self.there

    @property
    def label(self) -> str:
        """Return a short name for tables: `bench 64 var2`."""
        words = (self.name, self.size if self.name == "bench" else "", self.variation.value)
        return " ".join(word for word in words if word and word != "none")

    @property
    def mean_frame_bytes(self) -> float:
        """Return the mean frame size with check sequence."""
        whole = sum(stream.share for stream in self.there)
        return sum(stream.share * stream.frame_bytes for stream in self.there) / whole

    @property
    def mean_wire_bits(self) -> float:
        """Return the bits that a packet takes on the wire in the mean, preamble and gap included."""
        return (self.mean_frame_bytes + OVERHEAD_BYTES) * 8


def profile_of(name: str, size: str = "64", variation: str = "none", offset: int = 0) -> Profile:
    """Return a profile by name; a file name of T-Rex's such as stl/imix.py does too. Raise UsageError.

    `offset` is the third octet of all addresses, so that tests can use networks of their own.
    """
    known = _NAMES.get(name.rpartition("/")[2].removesuffix(".py"))
    if known is None:
        raise UsageError(f"there is no traffic profile {name}", "the profiles are: bench, imix, udp_1pkt")
    if not 0 <= offset <= LARGEST_OFFSET:
        raise UsageError(f"an offset of {offset} is none from 0 to {LARGEST_OFFSET}")
    try:
        vary = Variation(variation)
    except ValueError as error:
        choices = ", ".join(choice.value for choice in Variation)
        raise UsageError(f"there is no variation {variation}", f"the variations are: {choices}") from error
    return known(size, vary, offset)


def _bench(size: str, variation: Variation, offset: int) -> Profile:
    mixes = ((68, 28.0, 0.0), (590, 16.0, 0.1), (1514, 4.0, 0.2)) if size == "imix" else ((_bytes(size), 1.0, 0.0),)
    there, back = (
        tuple(
            Stream(
                frame=udp_frame((source, _PORTS[0]), (destination, _PORTS[1]), length - CHECKSUM_BYTES),
                share=share,
                gap_us=gap_us,
                variables=_variables(variation, source, destination),
            )
            for length, share, gap_us in mixes
        )
        for source, destination in _both_ways(4, offset)
    )
    size = size if size == "imix" else str(_bytes(size))
    return Profile(name="bench", size=size, variation=variation, offset=offset, there=there, back=back)


def _imix(size: str, variation: Variation, offset: int) -> Profile:
    there, back = (
        tuple(
            Stream(
                frame=udp_frame((source, _DNS[0]), (destination, _DNS[1]), length),
                share=share,
                gap_us=gap_us,
                variables=_variables(Variation.VAR2, source, destination),
            )
            for length, share, gap_us in ((60, 28.0, 0.0), (590, 16.0, 0.1), (1514, 4.0, 0.2))
        )
        for source, destination in _both_ways(1, offset)
    )
    return Profile(name="imix", size="imix", variation=Variation.VAR2, offset=offset, there=there, back=back)


def _one_packet(size: str, variation: Variation, offset: int) -> Profile:
    there, back = (
        (Stream(frame=udp_frame((source, _PORTS[0]), (destination, _PORTS[1]), 52, has_checksum=True)),)
        for source, destination in _both_ways(1, offset)
    )
    return Profile(name="udp_1pkt", size="64", variation=Variation.NONE, offset=offset, there=there, back=back)


_NAMES: dict[str, Callable[[str, Variation, int], Profile]] = {
    "bench": _bench,
    "imix": _imix,
    "udp_1pkt": _one_packet,
    "udp_1pkt_simple_bdir": _one_packet,
}


def _both_ways(last_octet: int, offset: int) -> tuple[tuple[IPv4Address, IPv4Address], ...]:
    near, far = (IPv4Address((network << 24) + (offset << 8) + last_octet) for network in (16, 48))
    return (near, far), (far, near)


def _variables(variation: Variation, source: IPv4Address, destination: IPv4Address) -> tuple[Variable, ...]:
    """Return what varies: each address runs to .254."""
    both = (("src", SOURCE_OFFSET, source), ("dst", DESTINATION_OFFSET, destination))
    chosen = both[: {Variation.NONE: 0, Variation.VAR1: 1, Variation.VAR2: 2}[variation]]
    return tuple(
        Variable(name=name, offset=offset, size_bytes=4, first=int(first), last=int(first) // 256 * 256 + 254)
        for name, offset, first in chosen
    )


def _bytes(size: str) -> int:
    if not (size.isascii() and size.isdecimal()) or not SMALLEST_FRAME <= int(size) <= LARGEST_FRAME:
        raise UsageError(
            f"{size!r} is no frame size",
            f"write imix, or {SMALLEST_FRAME} to {LARGEST_FRAME} bytes with check sequence",
        )
    return int(size)


def udp_frame(
    source: tuple[IPv4Address, int], destination: tuple[IPv4Address, int], length: int, *, has_checksum: bool = False
) -> bytes:
    """Return a frame of `length` bytes without its check sequence, between two addresses with ports.

    Without a UDP checksum addresses can be changed on the way out. A frame is never shorter than its headers.
    """
    payload = _FILL * max(length - HEADERS_BYTES, 0)
    udp = udp_segment(source, destination, payload)
    udp = udp if has_checksum else udp[:6] + b"\0\0" + udp[8:]
    return MAC_OF_SINK + MAC_OF_SOURCE + b"\x08\x00" + ipv4_packet(source[0], destination[0], UDP, udp)
