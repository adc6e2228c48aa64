"""All rules that check the entries of a file against each other.

A rule takes the index of the entries and yields problems; it never raises. There is one module per kind of object; a
new rule is a function there and an entry here and in schema/rules.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import translate

from vppcfg.common.addresses import canonical_host
from vppcfg.common.numbers import address_of_interface
from vppcfg.common.resemblance import did_you_mean
from vppcfg.config.rules import dataplane
from vppcfg.config.section_list import SECTIONS
from vppcfg.engine.kind import Rule
from vppcfg.entries.configuration import InterfaceConfig, QueueConfig
from vppcfg.entries.index import Index
from vppcfg.entries.placement import LAST_QUEUE, RX_KEY, TX_KEY
from vppcfg.kinds.kind_list import KINDS, TABLES
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.checks import ArpCheck, PingCheck
from vppcfg.model.dataplane import DataplaneSection, DeviceSection, QueueSection, every_device
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.nat44 import MARK
from vppcfg.model.placement import thread_name
from vppcfg.model.problem import KeyPath, Problem, ProblemList, Severity
from vppcfg.model.vpp_object import Referent
from vppcfg.model.vrf import UNMANAGED_VRF

_WILD = frozenset("*?[")
_MEANT: Mapping[str, str] = {
    **{
        name: f"{section.word}*"
        for section in VIRTUAL_INTERFACES
        if section.word
        for name in (section.word.lower(), section.kind.value, section.key)
    },
    **dict.fromkeys(("bond", "bonds"), "BondEthernet*"),
    **dict.fromkeys(("loop", "loopback", "loopbacks"), "loop*"),
    **dict.fromkeys(("memif", "memifs"), "memif*"),
    **dict.fromkeys(("host-interfaces", "host_interfaces"), "host-*"),
    **{word: kind.unmanaged_pattern for kind in TABLES for word in kind.mistaken_patterns},
    **dict.fromkeys(("vrf", "vrfs", "vrf:"), "vrf:*"),
}
"""Patterns to suggest for the beginning of a name, or the name of a section."""


def unmanaged_configured(index: Index) -> Iterator[Problem]:
    """Find globs that cover an interface, a bridge domain or a VRF that the file configures."""
    configuration = index.configuration
    if not configuration.unmanaged:
        return
    names: Mapping[str, object] = {**configuration.interfaces, **configuration.virtual, **configuration.bridges}
    names = {**names, **{f"{UNMANAGED_VRF}{name}": vrf for name, vrf in configuration.vrfs.items()}}
    for position, pattern in enumerate(configuration.unmanaged):
        covered = _first_covered(pattern, names)
        if covered is not None:
            text = f"`{pattern}` covers {covered}, which this file configures; remove one of them"
            yield Problem(rule="unmanaged-configured", path=("unmanaged", position), text=text)


def _first_covered(pattern: str, names: Mapping[str, object]) -> str | None:
    if _WILD.isdisjoint(pattern):
        return pattern if pattern in names else None
    match = re.compile(translate(pattern)).match
    return next((name for name in names if match(name)), None)


def unmanaged_word(index: Index) -> Iterator[Problem]:
    """Find words for a kind of object, which are the name of none."""
    for position, pattern in enumerate(index.configuration.unmanaged):
        meant = _MEANT.get(pattern.lower())
        if meant is not None:
            text = f"`{pattern}` covers only what has exactly this name; did you mean `{meant}`?"
            path = ("unmanaged", position)
            yield Problem(rule="unmanaged-word", path=path, text=text, severity=Severity.WARNING)


def protected_missing(index: Index) -> Iterator[Problem]:
    """Find names that protect nothing but what VPP may have already."""
    configuration = index.configuration
    nat44 = configuration.nat44
    mappings = {f"{MARK}{each.name}" for each in nat44.static} if nat44 is not None else set()
    for position, name in enumerate(configuration.protected):
        is_mapping = name.startswith(MARK)
        is_there = index.has(name) or name in configuration.virtual or name in mappings
        if not is_there and (index.is_whole or not is_mapping):
            what = "mapping" if is_mapping else "interface"
            text = f"this file has no {what} {name}: only one that VPP has is protected; correct it, or remove it"
            text += did_you_mean(name, mappings if is_mapping else index.names)
            path = ("protected", position)
            yield Problem(rule="protected-missing", path=path, text=text, severity=Severity.WARNING)


def vrf_undefined(index: Index) -> Iterator[Problem]:
    """Find names of VRFs that the file lacks."""
    vrfs = index.configuration.vrfs
    for section in SECTIONS:
        for each in section.references(index.configuration):
            if each.referent is Referent.TABLE and not index.has_entry("vrfs", each.name, vrfs):
                text = f"there is no VRF {each.name} in this file; add it to `vrfs`{did_you_mean(each.name, vrfs)}"
                yield Problem(rule="vrf-undefined", path=each.path, text=text)


def vrf_unused(index: Index) -> Iterator[Problem]:
    """Find VRFs that nothing is in."""
    configuration = index.configuration
    if not configuration.vrfs:
        return
    references = (each for section in SECTIONS for each in section.references(configuration))
    used = {each.name for each in references if each.referent is Referent.TABLE}
    used |= {each.vrf for each in configuration.routes if each.vrf is not None}
    yield from index.unused("vrf-unused", configuration.vrfs, used, "nothing in this file is in the VRF")


def check_interface(index: Index) -> Iterator[Problem]:
    """Find checks on interfaces, and from interfaces, that the file does not have."""
    for place, check in enumerate(index.configuration.checks):
        key, name = "", ""
        if isinstance(check, ArpCheck):
            key, name = "interface", check.interface
        elif isinstance(check, PingCheck) and canonical_host(check.source) is None:
            key, name = "from", check.source
        if name and not index.has(name) and name not in index.configuration.virtual and index.is_whole:
            text = f"{name} is no interface of this file; name one, or add it"
            yield Problem(rule="check-interface", path=("checks", place, key), text=text)


def check_vrf(index: Index) -> Iterator[Problem]:
    """Find checks in VRFs that the file does not have."""
    for place, check in enumerate(index.configuration.checks):
        if isinstance(check, PingCheck) and check.vrf and not _has_vrf(index, check.vrf):
            text = f"VRF {check.vrf} is not in this file; add it below `vrfs`, or remove `vrf`"
            yield Problem(rule="check-vrf", path=("checks", place, "vrf"), text=text)


def _has_vrf(index: Index, name: str) -> bool:
    return index.has_entry("vrfs", name, index.configuration.vrfs)


_AT_CREATION = "gets its queues when it is created, and VPP places them again each time"
_NO_QUEUES = "has no queues of its own"
_WHY_NOT = {
    InterfaceKind.BOND: "uses the queues of its members, which can be placed",
    InterfaceKind.HOST_INTERFACE: _AT_CREATION,
    InterfaceKind.MEMIF: "has queues only while a peer is connected, and VPP places them again each time",
    InterfaceKind.TAP: _AT_CREATION,
    InterfaceKind.VHOST_USER: _AT_CREATION,
}


def placement_on_port(index: Index) -> Iterator[Problem]:
    """Find placements on what the file makes: what has queues of its own is a port."""
    for interface, key, _, path in _entries(index):
        if interface.kind is not InterfaceKind.PHYSICAL:
            text = f"{interface.name} {_WHY_NOT.get(interface.kind, _NO_QUEUES)}; remove `{key}`"
            yield Problem(rule="placement-not-port", path=path[:-1], text=text)


def placement_queue(index: Index) -> Iterator[Problem]:
    """Find keys that are no queues, and threads that stand twice at one."""
    for _, key, entry, path in _entries(index):
        if entry.queue is None:
            text = f"`{entry.key}` is no queue: these are counted from 0, and {LAST_QUEUE} is the last one there can be"
            yield Problem(rule="placement-queue", path=path, text=text)
        elif len(entry.numbers) < len(entry.threads):
            text = f"a thread is twice at queue {entry.queue} of `{key}`; remove one"
            yield Problem(rule="placement-queue", path=path, text=text)


def placement_in_dataplane(index: Index) -> Iterator[Problem]:
    """Find workers and queues that VPP will not have by the section `dataplane`."""
    section = index.configuration.dataplane
    if section is None or "dataplane" in index.broken_entries:
        return
    workers = section.cpu.workers
    count = workers if isinstance(workers, int) or workers is None else len(workers)
    for interface, key, entry, path in _entries(index):
        last = max(entry.numbers, default=0)
        if count is not None and last > count:
            there = "has no workers" if not count else f"has {count} worker{'s' if count > 1 else ''}, counted from 0"
            text = f"by `dataplane.cpu.workers` VPP {there}, and no {thread_name(last)}"
            yield Problem(rule="placement-dataplane", path=path, text=text)
        queues = _queue_count(section, interface, key)
        if queues is not None and entry.queue is not None and entry.queue >= queues:
            kind = "rx-queues" if key == RX_KEY else "tx-queues"
            text = f"by `{kind}` below `dataplane`, {interface.name} has {queues}, counted from 0, and no {entry.queue}"
            yield Problem(rule="placement-dataplane", path=path, text=text)


def _queue_count(section: DataplaneSection, interface: InterfaceConfig, key: str) -> int | None:
    """Return how many queues the section gives to a port, None when that is left to vppcfg or is no device of it."""
    device = _device_of(section, interface)
    if device is None:
        return None
    own, others = device.queues, section.dpdk.default if device.driver is None else QueueSection()
    if key == TX_KEY:
        return own.tx_queues or others.tx_queues
    return own.rx_queues or (len(device.workers) if device.workers else None) or others.rx_queues


def _device_of(section: DataplaneSection, interface: InterfaceConfig) -> DeviceSection | None:
    devices = every_device(section)
    named = next((device for device in devices if device.name == interface.name), None)
    address = address_of_interface(interface.name)
    return named or next((device for device in devices if device.name is None and device.address == address), None)


def _entries(index: Index) -> Iterator[tuple[InterfaceConfig, str, QueueConfig, KeyPath]]:
    """Yield each queue that the file places, with its port, the key and its place; most interfaces have none."""
    for interface in index.interfaces:
        if interface.rx_placement or interface.tx_placement:
            for key, entries in ((RX_KEY, interface.rx_placement), (TX_KEY, interface.tx_placement)):
                yield from ((interface, key, each, (*interface.path, key, each.key)) for each in entries)


RULES: tuple[Rule, ...] = (
    placement_on_port,
    placement_queue,
    placement_in_dataplane,
    check_interface,
    check_vrf,
    vrf_undefined,
    vrf_unused,
    unmanaged_configured,
    unmanaged_word,
    protected_missing,
    dataplane.main_core_is_worker,
    dataplane.poll_sleep_without_workers,
    dataplane.jumbo_without_multi_seg,
    dataplane.device_name_duplicate,
    dataplane.device_with_two_drivers,
    dataplane.native_device_bounds,
    dataplane.device_type_of_driver,
    dataplane.device_without_interface,
    dataplane.interface_without_device,
    dataplane.plugin_missing,
    dataplane.queue_workers,
    *(rule for kind in KINDS for rule in kind.rules),
)


def check_rules(index: Index) -> ProblemList:
    """Return the problems that all rules find, without line and column."""
    found = ProblemList()
    for rule in RULES:
        found.extend(rule(index))
        if found.is_cut:
            break
    return found
