"""T-Rex's configuration file, trex_cfg.yaml: ports in pairs, what they send to, and on which CPUs.

Keys as platform_cfg.cpp and dpdk_setup_ports.py of trex-core 3.08 read them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from ipaddress import AddressValueError, IPv4Address

from vppcfg.errors import UsageError
from vppcfg.loadtest.trex.threads import Threads
from vppcfg.record import record

_MAC = re.compile(r"([0-9a-f]{2}:){5}[0-9a-f]{2}")
_MOST_PORTS = 32
_USUAL_GBPS = 10
_USUAL_FLOWS = 1 << 20
_MOST_FLOWS = 100_000_000
_MOST_FLOWS_LOW_END = 1 << 16
"""LOWEND_LIMIT_FLOWNODES; T-Rex cuts what is more without a word."""


@record
class PortAddress:
    """Where a port sends to: an address and a gateway that T-Rex resolves, or MAC addresses as they are."""

    ip: IPv4Address | None = None
    gateway: IPv4Address | None = None
    source_mac: str = ""
    destination_mac: str = ""


@record
class TrexConfiguration:
    """The first and only element of the file."""

    interfaces: tuple[str, ...]
    """PCI addresses without their domain, or Linux names."""
    addresses: tuple[PortAddress, ...]
    threads: Threads | None = None
    """None leaves the choice to T-Rex."""
    is_low_end: bool = False
    """All threads on one CPU and little memory: for ports that are Linux interfaces."""
    speed_gbps: int = _USUAL_GBPS
    prefix: str = ""
    rpc_port: int | None = None
    publish_port: int | None = None
    flows: int | None = None
    """How many connections at once it has room for, in stateful mode; None leaves it to T-Rex."""
    comments: tuple[str, ...] = ()


def addresses_of(
    count: int, ips: Sequence[str], gateways: Sequence[str], source_macs: Sequence[str], destination_macs: Sequence[str]
) -> tuple[PortAddress, ...]:
    """Return the addresses of ports: by MAC when such are given, else by IP. Raise UsageError.

    Without any, port i has the address (i+1).(i+1).(i+1).(i+1) and the port opposite as its gateway; without
    destinations, a port sends to the one opposite, as over a cable between them.
    """
    for what, given in (
        ("--ips", ips), ("--gateways", gateways), ("--src-macs", source_macs), ("--dest-macs", destination_macs)
    ):  # fmt: skip
        if given and len(given) != count:
            raise UsageError(f"{what} has {len(given)} addresses for {count} ports", "give one for each port")
    if source_macs:
        sources = tuple(_mac(text) for text in source_macs)
        targets = tuple(_mac(text) for text in destination_macs) or tuple(sources[place ^ 1] for place in range(count))
        return tuple(
            PortAddress(source_mac=source, destination_mac=target)
            for source, target in zip(sources, targets, strict=True)
        )
    own = tuple(_ip(text) for text in ips) or tuple(_own_ip(place) for place in range(count))
    others = tuple(_ip(text) for text in gateways) or tuple(own[place ^ 1] for place in range(count))
    return tuple(PortAddress(ip=ip, gateway=gateway) for ip, gateway in zip(own, others, strict=True))


def flows_of(wanted: int | None, *, is_low_end: bool) -> int:
    """Return how many connections at once T-Rex is to have room for in stateful mode. Raise UsageError for too many."""
    most = _MOST_FLOWS_LOW_END if is_low_end else _MOST_FLOWS
    if wanted is None:
        return min(_USUAL_FLOWS, most)
    if not 1 <= wanted <= most:
        where = "in software" if is_low_end else "with all of its memory"
        raise UsageError(f"T-Rex has no room for {wanted:,} connections at once", f"{where} it has some for {most:,}")
    return wanted


def require_pairs(ports: Sequence[str]) -> None:
    """Raise UsageError for ports that T-Rex cannot pair."""
    if not ports or len(ports) % 2 or len(ports) > _MOST_PORTS:
        raise UsageError(f"T-Rex takes ports in pairs, {_MOST_PORTS} at most, and {len(ports)} are named")
    if len(set(ports)) != len(ports):
        raise UsageError("a port is named twice", "name each port once")


def yaml_of(configuration: TrexConfiguration) -> str:
    """Return the text of the file."""
    return "\n".join(_lines(configuration)) + "\n"


def _lines(configuration: TrexConfiguration) -> Iterator[str]:
    yield from (f"# {comment}" for comment in configuration.comments)
    names = ", ".join(f'"{name}"' for name in configuration.interfaces)
    yield "- version: 2"
    yield f"  interfaces: [{names}]"
    yield f"  port_limit: {len(configuration.interfaces)}"
    if configuration.speed_gbps > _USUAL_GBPS:
        yield f"  port_bandwidth_gb: {configuration.speed_gbps}"
    if configuration.is_low_end:
        yield "  low_end: true"
    for key, value in (
        ("prefix", configuration.prefix),
        ("zmq_pub_port", configuration.publish_port),
        ("zmq_rpc_port", configuration.rpc_port),
    ):
        if value:
            yield f"  {key}: {value}"
    if configuration.flows is not None:
        yield "  memory:"
        yield f"    dp_flows: {configuration.flows}"
    yield "  port_info:"
    for address in configuration.addresses:
        yield from _address_lines(address)
    if configuration.threads is not None:
        yield from _thread_lines(configuration.threads)


def _address_lines(address: PortAddress) -> Iterator[str]:
    if address.source_mac:
        yield f'    - dest_mac: "{address.destination_mac}"'
        yield f'      src_mac: "{address.source_mac}"'
    else:
        yield f"    - ip: {address.ip}"
        yield f"      default_gw: {address.gateway}"


def _thread_lines(threads: Threads) -> Iterator[str]:
    yield "  platform:"
    yield f"    master_thread_id: {threads.master}"
    yield f"    latency_thread_id: {threads.latency}"
    yield "    dual_if:"
    for pair in threads.pairs:
        yield f"      - socket: {pair.node}"
        yield f"        threads: [{', '.join(str(cpu) for cpu in pair.cpus)}]"


def _mac(text: str) -> str:
    if not _MAC.fullmatch(text.strip().lower()):
        raise UsageError(f"{text!r} is no MAC address", "write 02:00:00:00:00:01")
    return text.strip().lower()


def _ip(text: str) -> IPv4Address:
    try:
        return IPv4Address(text.strip())
    except AddressValueError as error:
        raise UsageError(f"{text!r} is no IPv4 address") from error


def _own_ip(place: int) -> IPv4Address:
    return IPv4Address(bytes([place + 1] * 4))
