"""Which core a network card hands a flow to: Toeplitz hash, indirection table, interrupts.

Source: Microsoft, RSS hashing types (the check vectors); ethtool(8) -x; Linux Documentation/networking/scaling.rst.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import ip_address

from vppcfg.record import record

_WINDOW_BITS = 32
_KEY_BYTES = 40
"""A shorter key would not do for IPv6 with ports."""
_KEY = re.compile(r"^RSS hash key:\s*\n\s*([0-9a-f]{2}(?::[0-9a-f]{2})+)", re.MULTILINE)
_ROW = re.compile(r"^\s*\d+:((?:\s+\d+)+)\s*$", re.MULTILINE)
_FUNCTION = re.compile(r"^\s+(\w+): on$", re.MULTILINE)
_INTERRUPT = re.compile(r"^\s*(\d+):.*\s(\S+)$", re.MULTILINE)


@record
class FourTuple:
    """A TCP flow in one direction."""

    source: str
    destination: str
    source_port: int
    destination_port: int

    @property
    def packed(self) -> bytes:
        """Return the bytes that are hashed, in network order."""
        ports = self.source_port.to_bytes(2, "big") + self.destination_port.to_bytes(2, "big")
        return ip_address(self.source).packed + ip_address(self.destination).packed + ports


@record
class Rss:
    """How a card spreads flows."""

    key: bytes
    queues: tuple[int, ...]
    """The indirection table: the queue of each remainder of the hash."""

    def queue_of(self, flow: FourTuple) -> int:
        """Return the receive queue of a flow."""
        return self.queues[toeplitz(self.key, flow.packed) % len(self.queues)]


def toeplitz(key: bytes, data: bytes) -> int:
    """Return the hash: for every set bit of `data` the 32 bits of `key` from its place on, combined by exclusive or."""
    stream = int.from_bytes(key, "big")
    key_bits, result = len(key) * 8, 0
    for place in range(len(data) * 8):
        if data[place // 8] & (0x80 >> place % 8):
            shift = key_bits - _WINDOW_BITS - place
            window = stream >> shift if shift >= 0 else stream << -shift
            result ^= window & 0xFFFFFFFF
    return result


def rss_of(text: str) -> Rss | None:
    """Return what `ethtool -x` shows, None when it shows no key or a function other than Toeplitz."""
    key = _KEY.search(text)
    queues = tuple(int(word) for match in _ROW.finditer(text) for word in match[1].split())
    functions = set(_FUNCTION.findall(text))
    if key is None or not queues or (functions and functions != {"toeplitz"}):
        return None
    whole = bytes.fromhex(key[1].replace(":", ""))
    return Rss(key=whole, queues=queues) if len(whole) >= _KEY_BYTES else None


def core_by_queue(interrupts: str, device: str, affinity_of: Callable[[int], str]) -> dict[int, int]:
    """Return the core of each receive queue of a device, from /proc/interrupts and the affinity of each interrupt.

    Drivers name their interrupts DEVICE-rx-N, DEVICE-TxRx-N, DEVICE-N or DRIVER-DEVICE-N. The affinity is a list of
    CPUs, of which the first counts.
    """
    cores = {}
    for match in _INTERRUPT.finditer(interrupts):
        queue = re.search(rf"\b{re.escape(device)}-(?:TxRx-|rx-|Rx-|fp-)?(\d+)$", match[2])
        if queue:
            first = re.match(r"\d+", affinity_of(int(match[1])).strip())
            if first:
                cores[int(queue[1])] = int(first[0])
    return cores
