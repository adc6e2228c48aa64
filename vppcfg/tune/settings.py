"""The changes that rules propose: values of the section dataplane, as YAML and as what they change in startup.conf."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from vppcfg.common.numbers import MIB
from vppcfg.model.native_driver import NATIVE_DRIVERS, PORT
from vppcfg.tune.finding import Setting
from vppcfg.tune.load import Load, PortLoad
from vppcfg.tune.reading import Hardware, QueueLimits
from vppcfg.tune.thresholds import FRAME

_DPDK_DEFAULT = ("dpdk", "dev default")
_MOST_DESCRIPTORS = 4096
"""More has not been seen to help, and every slot of a receive ring holds a buffer."""
_BUFFERS_PER_PAGE = 840
"""Packet buffers of 2496 bytes in a page of 2 MB (VPP: plugins/dpdk/buffer.c)."""
_LEAST_BUFFERS = 16384
"""VPP's own default (vlib/buffer.c)."""
_BUFFER_MARGIN = 1.25
_CACHED = 512
"""Buffers that a thread keeps for itself (vlib/buffer.h)."""
_TAP_RINGS = 512
LARGEST_PLAIN_MTU = 2000
"""Packets above it need more than one buffer of 2048 bytes."""
SECTION = "dataplane"


def larger_ring(limits: QueueLimits) -> int | None:
    """Return twice the present descriptors, or as many as the NIC takes; None when it takes no more."""
    needed = min(2 * limits.descriptors, limits.max_descriptors, _MOST_DESCRIPTORS)
    needed -= needed % max(limits.align, 1)
    return needed if needed > limits.descriptors else None


def tx_descriptors(count: int, former: int | None) -> Setting:
    """Return the setting for longer transmit rings."""
    return _number(("dpdk", "default", "tx-descriptors"), _DPDK_DEFAULT, "num-tx-desc", count, former)


def rx_descriptors(count: int, former: int | None) -> Setting:
    """Return the setting for longer receive rings."""
    return _number(("dpdk", "default", "rx-descriptors"), _DPDK_DEFAULT, "num-rx-desc", count, former)


def rx_queues(count: int, former: int | None, device: str | None = None) -> Setting:
    """Return the setting for receive queues, of one device or of all."""
    section = ("devices", device) if device else ("default",)
    stanza = ("dpdk", f"dev {device}") if device else _DPDK_DEFAULT
    return _number(("dpdk", *section, "rx-queues"), stanza, "num-rx-queues", count, former)


def is_native(port: PortLoad) -> bool:
    """Return whether a port is one of VPP's own drivers, below `devices` in startup.conf."""
    return port.hardware is not None and bool(port.hardware.native_driver)


def longer_rx_rings(port: PortLoad, ports: Sequence[PortLoad]) -> tuple[Setting, ...]:
    """Return the settings for longer receive rings of a port, of all `ports` with DPDK; none when it takes no more."""
    return _longer_rings(port, ports, "rx", rx_descriptors)


def longer_tx_rings(port: PortLoad, ports: Sequence[PortLoad]) -> tuple[Setting, ...]:
    """Return the settings for longer transmit rings of a port, of all `ports` with DPDK; none when it takes no more."""
    return _longer_rings(port, ports, "tx", tx_descriptors)


def _longer_rings(
    port: PortLoad, ports: Sequence[PortLoad], way: str, with_dpdk: Callable[[int, int], Setting]
) -> tuple[Setting, ...]:
    limits = _ring_limits(port, way)
    more = larger_ring(limits) if limits else None
    if port.hardware is None or limits is None or more is None:
        return ()
    if is_native(port):
        return _native(port.hardware, f"{way}-descriptors", f"{way}-queue-size", more, limits.descriptors)
    # One number is for all: a port with fewer at most would not come up, and none is to lose what it has.
    every = [limits, *(each for other in ports if not is_native(other) and (each := _ring_limits(other, way)))]
    number = min(max(more, *(each.descriptors for each in every)), *(each.max_descriptors for each in every))
    number -= number % max(1, *(each.align for each in every))
    return (with_dpdk(number, limits.descriptors),) if number > limits.descriptors else ()


def _ring_limits(port: PortLoad, way: str) -> QueueLimits | None:
    if port.hardware is None:
        return None
    return port.hardware.rx_limits if way == "rx" else port.hardware.tx_limits


def live_ring(port: PortLoad, way: str, descriptors: int | None) -> tuple[str, ...]:
    """Return the command that makes a ring longer at once; none for VPP's own drivers, which have no such command."""
    if descriptors is None or is_native(port):
        return ()
    return (f"set dpdk interface descriptors {port.name} {way} {descriptors}",)


def more_rx_queues(ports: Iterable[PortLoad], needed: int) -> tuple[Setting, ...]:
    """Return the settings by which ports get up to `needed` receive queues, where the NICs have them and have fewer.

    One number is for all ports with DPDK; each device of VPP's own drivers has its own.
    """
    with_limits = [port for port in ports if port.hardware and port.hardware.rx_limits]
    dpdk = [port.hardware.rx_limits for port in with_limits if port.hardware and not is_native(port)]
    known = [limits for limits in dpdk if limits]
    settings: list[Setting] = []
    if known:
        most, present = min(each.max_queues for each in known), min(each.queues for each in known)
        if min(needed, most) > present:
            settings.append(rx_queues(min(needed, most), present))
    for port in filter(is_native, with_limits):
        limits = port.hardware.rx_limits if port.hardware else None
        if port.hardware and limits and min(needed, limits.max_queues) > limits.queues:
            most = min(needed, limits.max_queues)
            settings += _native(port.hardware, "rx-queues", "num-rx-queues", most, limits.queues)
    return tuple(settings)


def unknown_native(ports: Iterable[PortLoad]) -> str:
    """Return a remark on ports of VPP's own drivers that no number can be proposed for, '' when there are none."""
    names = [port.name for port in ports if is_native(port) and not _can_be_set(port)]
    if not names:
        return ""
    return f"; queues and rings of {', '.join(names)} are not known, so that none are proposed"


def _can_be_set(port: PortLoad) -> bool:
    hardware = port.hardware
    return hardware is not None and hardware.rx_limits is not None and hardware.pci_address is not None


def _native(hardware: Hardware, key: str, word: str, count: int, former: int) -> tuple[Setting, ...]:
    """Return the settings of one device, with its driver, which the section needs; none when its address is unknown."""
    address, driver = hardware.pci_address, hardware.native_driver
    if address is None or driver not in NATIVE_DRIVERS:
        return ()
    stanza = ("devices", f"dev pci/{address}", f"port {PORT}")
    return (
        Setting(path=("devices", address, "driver"), value=driver, former=driver),
        _number(("devices", address, key), stanza, word, count, former),
    )


def are_plain(ports: Iterable[PortLoad]) -> bool:
    """Return whether no port takes packets of several buffers, which is allowed or forbidden for all of them."""
    return all((port.mtu or 0) <= LARGEST_PLAIN_MTU for port in ports)


def multi_seg(*, is_on: bool) -> Setting:
    """Return the setting that allows packets of several buffers, or forbids them."""
    return _dpdk_switch("multi-seg", is_on=is_on)


def tx_checksum_offload(*, is_on: bool) -> Setting:
    """Return the setting that lets NICs compute checksums, or forbids it."""
    return _dpdk_switch("tx-checksum-offload", is_on=is_on)


def workers(count: int, former: int) -> Setting:
    """Return the setting for the number of workers; startup.conf names their CPUs, which the host decides."""
    return _number(("cpu", "workers"), ("cpu",), "workers", count, former)


def isolate() -> Setting:
    """Return the setting that keeps other programs off the CPUs of workers; it ends on the kernel's command line."""
    return Setting(path=("cpu", "isolate"), value=True)


def buffers(count: int, former: int | None) -> Setting:
    """Return the setting for packet buffers per NUMA node."""
    return _number(("buffers", "per-numa"), ("buffers",), "buffers-per-numa", count, former)


def stat_segment(megabytes: int, former_bytes: int) -> Setting:
    """Return the setting for the size of the stat segment."""
    return _size(("statseg",), ("statseg",), "size", megabytes, former_bytes)


def main_heap(megabytes: int, former_bytes: int) -> Setting:
    """Return the setting for the size of the main heap."""
    return _size(("memory", "main-heap"), ("memory",), "main-heap-size", megabytes, former_bytes)


def _number(path: tuple[str, ...], stanza: tuple[str, ...], word: str, count: int, former: int | None) -> Setting:
    """Return a setting that startup.conf writes as `word count`; a former number of 0 or None had no such word."""
    return Setting(
        path=path,
        value=count,
        former=former,
        stanza=stanza,
        words=f"{word} {count}",
        former_words=f"{word} {former}" if former else "",
    )


def _size(path: tuple[str, ...], stanza: tuple[str, ...], word: str, megabytes: int, former_bytes: int) -> Setting:
    """Return a setting that startup.conf writes as `word size`, the size in megabytes."""
    size, former = f"{megabytes}M", _megabytes(former_bytes)
    return Setting(
        path=path, value=size, former=former, stanza=stanza, words=f"{word} {size}", former_words=f"{word} {former}"
    )


def _dpdk_switch(name: str, *, is_on: bool) -> Setting:
    """Return a setting that is on unless the stanza dpdk has the word `no-NAME`."""
    return Setting(
        path=("dpdk", name),
        value=is_on,
        former=not is_on,
        stanza=("dpdk",),
        words="" if is_on else f"no-{name}",
        former_words=f"no-{name}" if is_on else "",
    )


def _megabytes(size_bytes: int) -> str:
    return f"{round(size_bytes / MIB)}M"


def doubled_megabytes(size_bytes: int) -> int:
    """Return twice a size, as a power of two of megabytes."""
    needed = 2 * size_bytes / MIB
    size = 64
    while size < needed:
        size *= 2
    return size


def buffers_needed(load: Load) -> int:
    """Return how many packet buffers a load needs, with a margin and in whole pages.

    Receive rings hold theirs for good; sent ones stay in transmit rings until these are cleaned; each thread has 512 at
    hand and up to a frame per queue in the graph.
    """
    rings = sum(_rings(port) for port in load.ports)
    threads = max(len(load.threads), 1)
    most_queues = max((thread.queues for thread in load.threads), default=0) or 1
    need = rings + threads * (_CACHED + FRAME * most_queues)
    pages = -int(-_BUFFER_MARGIN * need // _BUFFERS_PER_PAGE)
    return max(_LEAST_BUFFERS, pages * _BUFFERS_PER_PAGE)


def _rings(port: PortLoad) -> int:
    limits = (port.hardware.rx_limits, port.hardware.tx_limits) if port.hardware else (None, None)
    known = sum(limit.queues * limit.descriptors for limit in limits if limit)
    return known or (_TAP_RINGS if port.rx_queues else 0)


def merged(settings: Iterable[Setting]) -> tuple[Setting, ...]:
    """Return one setting per path, in order of appearance: of two numbers the larger one, else the first."""
    chosen: dict[tuple[str, ...], Setting] = {}
    for setting in settings:
        former = chosen.get(setting.path)
        if former is None or _rank(setting) > _rank(former):
            chosen[setting.path] = setting
    return tuple(chosen.values())


def _rank(setting: Setting) -> int:
    """Return the number that a setting has, or -1 for any other value, so that numbers win."""
    return setting.value if isinstance(setting.value, int) and not isinstance(setting.value, bool) else -1


def as_data(settings: Iterable[Setting]) -> dict[str, Any]:
    """Return the settings as nested maps below `dataplane`."""
    root: dict[str, Any] = {}
    for setting in settings:
        place = root
        for key in (SECTION, *setting.path[:-1]):
            place = place.setdefault(key, {})
        place[setting.path[-1]] = setting.value
    return root


def as_yaml(settings: Iterable[Setting]) -> list[str]:
    """Return the settings as lines of YAML, beginning with `dataplane:`; none without settings."""
    return list(_yaml_lines(as_data(settings), ""))


def _yaml_lines(data: dict[str, Any], indent: str) -> Iterator[str]:
    for key, value in data.items():
        name = f'"{key}"' if ":" in key else key
        if isinstance(value, dict):
            yield f"{indent}{name}:"
            yield from _yaml_lines(value, indent + "  ")
        else:
            yield f"{indent}{name}: {_scalar(value)}"


def _scalar(value: int | bool | str | None) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def startup_difference(settings: Iterable[Setting]) -> list[str]:
    """Return what changes in startup.conf, `-` before words that go and `+` before those that come."""
    stanzas: dict[tuple[str, ...], list[Setting]] = {}
    for setting in settings:
        if setting.stanza:
            stanzas.setdefault(setting.stanza, []).append(setting)
    return list(_stanza_lines(stanzas, (), 0))


def _stanza_lines(stanzas: dict[tuple[str, ...], list[Setting]], path: tuple[str, ...], depth: int) -> Iterator[str]:
    """Yield the stanzas below `path`, each once, with their words before the stanzas within."""
    pad = "  " * depth
    for setting in stanzas.get(path, ()):
        if setting.former_words:
            yield f"- {pad}{setting.former_words}"
        if setting.words:
            yield f"+ {pad}{setting.words}"
    children = dict.fromkeys(stanza[depth] for stanza in stanzas if len(stanza) > depth and stanza[:depth] == path)
    for child in children:
        yield f"  {pad}{child} {{"
        yield from _stanza_lines(stanzas, (*path, child), depth + 1)
        yield f"  {pad}}}"
