"""Computes the load of every port from the counters of its interface and from what nodes did with its packets."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from vppcfg.common.names import natural_key
from vppcfg.tune.driver_counters import lost_between
from vppcfg.tune.load import ErrorRate, PortLoad, ThreadLoad, frame_size
from vppcfg.tune.reading import Hardware, InterfaceCounters, Reading

RING_FULL = (
    "tx failure", "no free tx slots", "no free slots", "no_free_slots", "txring overrun", "tx ring overrun",
    "no available descriptors",
)  # fmt: skip
"""What drivers call it when a transmit ring has no free slot, in lower case."""
_CUT_NAME = 30
"""VPP prints so many characters of the name of a node in `show runtime`."""
_NO_PORT = re.compile(r"^(?:local\d+|loop\d+|pg-?\d+|pg/.*|bvi\d+)$")
_TX_SUFFIX = "-tx"
_OUTPUT_SUFFIX = "-output"
_BALANCE = 0.01
"""Two ports feed each other when what one receives is what the other is handed, within this share."""


@dataclass(frozen=True, slots=True)
class _Sent:
    handed: int = 0
    sent: int = 0
    handed_pps: float = 0.0
    sent_pps: float = 0.0


def ports_between(
    before: Reading | None,
    after: Reading,
    duration_s: float | None,
    threads: Sequence[ThreadLoad],
    errors: Sequence[ErrorRate],
) -> tuple[PortLoad, ...]:
    """Return the load of every port, in natural order of their names.

    Without `before` or `duration_s` there are no rates of interface counters.
    """
    names = _names(after, threads)
    sent = {name: _sent(name, threads, names) for name in names}
    now = {counters.name: counters for counters in after.interfaces or ()}
    then = {counters.name: counters for counters in (before.interfaces or () if before else ())}
    hardware = {port.name: port for port in after.hardware or ()}
    described = {port.name: port for port in (before.hardware or () if before else ())}
    ports = []
    for name in names:
        port = _counted(PortLoad(name=name), then.get(name), now.get(name), duration_s)
        port = _with_queues(replace(port, hardware=hardware.get(name)), after)
        port = _with_driver(port, described.get(name), duration_s)
        ports.append(_with_sent(port, sent[name], errors, duration_s))
    return _inferred(tuple(ports), threads)


def _names(reading: Reading, threads: Sequence[ThreadLoad]) -> list[str]:
    """Return the names of the ports: interfaces with queues or with a node that sends.

    What is read of the hardware may be of one port alone, so nodes that send name the others. Loopbacks, packet
    generators and sub-interfaces are left out.
    """
    named = {port.name for port in reading.hardware or ()} | {queue.interface for queue in reading.rx_queues or ()}
    nodes = {node.name for thread in threads for node in thread.nodes}
    senders = {node.removesuffix(_TX_SUFFIX) for node in nodes if node.endswith(_TX_SUFFIX)}
    if not named:
        named = {counters.name for counters in reading.interfaces or () if "." not in counters.name}
    cut = {name[:_CUT_NAME] for name in named}
    named |= {sender for sender in senders if sender + _OUTPUT_SUFFIX in nodes and sender not in cut}
    return sorted((name for name in named if not _NO_PORT.match(name)), key=natural_key)


def _names_port(cut: str, port: str, ports: Collection[str]) -> bool:
    """Return whether a port is called so, or is the only one whose name VPP may have cut to it."""
    return cut == port or (len(cut) == _CUT_NAME and [name for name in ports if name.startswith(cut)] == [port])


def _sent(name: str, threads: Sequence[ThreadLoad], ports: Collection[str]) -> _Sent:
    def vectors(thread: ThreadLoad, suffix: str) -> list[int]:
        ends = [node for node in thread.nodes if node.name.endswith(suffix)]
        return [node.vectors for node in ends if _names_port(node.name.removesuffix(suffix), name, ports)]

    handed = sent = 0
    handed_pps = sent_pps = 0.0
    for thread in threads:
        given, left = sum(vectors(thread, _OUTPUT_SUFFIX)), vectors(thread, _TX_SUFFIX)
        if given and left:  # without a row about sending, nothing shows the outcome of the packets
            handed, sent = handed + given, sent + sum(left)
            handed_pps, sent_pps = handed_pps + thread.per_s(given), sent_pps + thread.per_s(sum(left))
    return _Sent(handed, sent, handed_pps, sent_pps)


def _with_queues(port: PortLoad, reading: Reading) -> PortLoad:
    described = port.hardware
    placed = tuple(queue for queue in reading.rx_queues or () if queue.interface == port.name)
    senders = tuple(queue for queue in reading.tx_queues or () if queue.interface == port.name)
    return replace(
        port,
        rx_queues=placed or (described.rx_queues if described else ()),
        tx_queues=senders or (described.tx_queues if described else ()),
    )


def _counted(
    port: PortLoad, before: InterfaceCounters | None, after: InterfaceCounters | None, duration_s: float | None
) -> PortLoad:
    """Return the port with what its interface counted in the interval."""
    if after is None:
        return port
    port = replace(port, mtu=after.mtu, counters=after)
    if before is None or not duration_s:
        return port
    is_whole = before.is_whole and after.is_whole

    def gained(field: str) -> int:
        now: int = getattr(after, field)
        then: int = getattr(before, field)
        return now - then if now >= then else now

    def rate(field: str) -> float | None:
        """Return None where either counter may be 0 only because its line is missing."""
        is_known = is_whole or (getattr(before, field) and getattr(after, field))
        return gained(field) / duration_s if is_known and duration_s else None

    def frame(way: str) -> float | None:
        has_bytes = None not in (getattr(before, f"{way}_bytes"), getattr(after, f"{way}_bytes"))
        if not has_bytes or rate(f"{way}_bytes") is None:
            return None
        return frame_size(gained(f"{way}_packets"), gained(f"{way}_bytes"))

    return replace(
        port,
        rx_pps=rate("rx_packets"),
        tx_pps=rate("tx_packets"),
        rx_frame=frame("rx"),
        tx_frame=frame("tx"),
        rx_miss_pps=rate("rx_miss"),
        no_buf_pps=rate("rx_no_buf"),
        rx_error_pps=rate("rx_error"),
        tx_error_pps=rate("tx_error"),
        drops_pps=rate("drops"),
        punts_pps=rate("punts"),
    )


def _with_driver(port: PortLoad, before: Hardware | None, duration_s: float | None) -> PortLoad:
    """Return the port with what its driver lost in the interval."""
    if before is None or port.hardware is None or not duration_s:
        return port
    lost = lost_between(before.counters, port.hardware.counters)
    return replace(port, driver_lost_pps={way: (name, number / duration_s) for way, (name, number) in lost.items()})


def _with_sent(port: PortLoad, sent: _Sent, errors: Iterable[ErrorRate], duration_s: float | None) -> PortLoad:
    """Return the port with the packets that the graph handed to it, and how many of them were sent.

    Most drivers count in their node only what was sent; all of them count what they dropped as an error.
    """
    node = port.name + _TX_SUFFIX
    rated = [rate for rate in errors if rate.per_s is not None or not duration_s]
    full = sum(rate.count for rate in rated if rate.node == node and is_ring_full(rate.reason))
    counted_pps = full / duration_s if duration_s else 0.0
    if not sent.handed:
        return replace(port, tx_lost=float(full) if duration_s else 0.0, tx_lost_pps=counted_pps)
    missing = max(sent.handed - sent.sent, 0)
    missing_pps = max(sent.handed_pps - sent.sent_pps, 0.0)
    lost_pps = max(missing_pps, counted_pps)
    lost = missing if missing_pps >= counted_pps else full
    return replace(
        port,
        handed_pps=sent.handed_pps,
        tx_pps=max(sent.handed_pps - lost_pps, 0.0),
        tx_lost=float(lost),
        tx_lost_pps=lost_pps,
    )


def is_ring_full(reason: str) -> bool:
    """Return whether a driver's counter shows that a transmit ring was full."""
    return any(words in reason.lower() for words in RING_FULL)


def _inferred(ports: tuple[PortLoad, ...], threads: Sequence[ThreadLoad]) -> tuple[PortLoad, ...]:
    """Return two ports with receive rates computed from each other, where only `show runtime` was read.

    Each of them receives what the other one is handed, as long as that adds up to what was received.
    """
    if len(ports) != 2 or any(port.rx_pps is not None for port in ports):
        return ports
    received = sum(thread.rx_pps for thread in threads)
    handed = [port.handed_pps or 0.0 for port in ports]
    if not received or abs(sum(handed) - received) > _BALANCE * received:
        return ports
    first, second = ports
    return (
        replace(first, rx_pps=handed[1], rx_is_inferred=True),
        replace(second, rx_pps=handed[0], rx_is_inferred=True),
    )


def by_name(ports: Iterable[PortLoad]) -> Mapping[str, PortLoad]:
    """Return the ports by name."""
    return {port.name: port for port in ports}
