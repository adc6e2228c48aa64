"""The plugins of VPP that a configuration needs: one entry per key, and one per section of objects of a plugin.

Rules and the generator of startup.conf both read the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vppcfg.common.release import OLDEST, Release
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.entry_key import EntryKey
from vppcfg.entries.interface_key import InterfaceKey
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.entries.virtual_interface_section import Plugin, VirtualInterfaceSection
from vppcfg.kinds.entry_keys import ENTRY_KEYS
from vppcfg.kinds.interface_values import DEFAULTS, WITH_PLUGIN
from vppcfg.kinds.owned_list import OWNED
from vppcfg.kinds.tap.entry import TAP_PLUGIN_SINCE
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.nat44 import SECTION
from vppcfg.model.native_driver import NATIVE_DRIVERS
from vppcfg.model.problem import KeyPath
from vppcfg.record import record

PORT_PLUGINS: Mapping[str, str] = {
    "af-packet": "af_packet",
    "af-xdp": "af_xdp",
    "memif": "memif",
    "rdma": "rdma",
    "vhost-user": "vhost",
    "vmxnet3": "vmxnet3",
}
"""The driver of a port by its `device-type`; virtio's is part of VPP."""


@record
class Need:
    """Why a plugin is needed."""

    plugin: str
    """Without _plugin.so."""
    reason: str
    users: Callable[[Configuration], Iterator[KeyPath]]
    """Yields where the file uses it."""
    is_required: bool = True
    """Whether the file cannot be carried out without it."""
    since: Release = OLDEST
    """Before, what it does was part of VPP itself, or did not exist."""
    is_new: bool = False
    """Whether it did not exist before."""
    until: Release | None = None
    """The first release that does without the plugin."""


def _lcps(configuration: Configuration) -> Iterator[KeyPath]:
    return ((*port.path, "lcp") for port in configuration.interfaces.values() if port.lcp is not None)


def _ports(device_type: str) -> Callable[[Configuration], Iterator[KeyPath]]:
    def users(configuration: Configuration) -> Iterator[KeyPath]:
        ports = configuration.interfaces.values()
        return ((*port.path, "device-type") for port in ports if port.device_type == device_type)

    return users


def _driven_by(driver: str) -> Callable[[Configuration], Iterator[KeyPath]]:
    def users(configuration: Configuration) -> Iterator[KeyPath]:
        section = configuration.dataplane
        devices = (section.native_devices if section is not None else None) or {}
        return ((*device.path, "driver") for device in devices.values() if device.driver == driver)

    return users


def _answering(configuration: Configuration) -> Iterator[KeyPath]:
    """Yield interfaces with an address and no Linux behind it that would answer an echo request."""
    for interface in configuration.interfaces.values():
        if interface.addresses and interface.lcp is None:
            yield (*interface.path, "addresses")


def _with_entry_key(entry_key: EntryKey) -> Callable[[Configuration], Iterator[KeyPath]]:
    def users(configuration: Configuration) -> Iterator[KeyPath]:
        ports = configuration.interfaces.values()
        return ((*port.path, entry_key.key) for port in ports if getattr(port, entry_key.attribute))

    return users


def _with_key(value: InterfaceKey) -> Callable[[Configuration], Iterator[KeyPath]]:
    def users(configuration: Configuration) -> Iterator[KeyPath]:
        for port in configuration.interfaces.values():
            if getattr(port, value.attribute) != DEFAULTS[value.attribute]:
                yield (*port.path, value.key)

    return users


def _objects(
    section: VirtualInterfaceSection[Any, Any], plugin: Plugin
) -> Callable[[Configuration], Iterator[KeyPath]]:
    def users(configuration: Configuration) -> Iterator[KeyPath]:
        entries = section.entries_in(configuration).values()
        return (each.path for each in entries if plugin.is_needed_by(each))

    return users


def _owned(section: OwnedSection[Any]) -> Callable[[Configuration], Iterator[KeyPath]]:
    def users(configuration: Configuration) -> Iterator[KeyPath]:
        return (each.path for each in section.entries_in(configuration).values() if each.value)

    return users


_BY_KEY = (
    *(Need(plugin=key.plugin, reason=key.reason, users=_with_entry_key(key)) for key in ENTRY_KEYS if key.plugin),
    Need(plugin="linux_nl", reason="what Linux does to an LCP follows into VPP", users=_lcps, is_required=False),
    Need(plugin="ping", reason="an interface without an LCP answers pings", users=_answering, is_required=False),
    Need(plugin="tap", reason="an LCP is a TAP in Linux", users=_lcps, since=TAP_PLUGIN_SINCE),
)


def _nat44(configuration: Configuration) -> Iterator[KeyPath]:
    if configuration.nat44 is not None:
        yield (SECTION,)


_BY_SERVICE = (Need(plugin="nat", reason="the file configures NAT44", users=_nat44),)
_BY_VALUE = (
    Need(
        plugin=plugin,
        reason=value.reason,
        users=_with_key(value),
        since=value.plugin_since,
        is_new=value.plugin_since > OLDEST,
    )
    for value, plugin in WITH_PLUGIN
)
_BY_SECTION = (
    Need(plugin=plugin.name, reason=plugin.reason, users=_objects(section, plugin), since=plugin.since)
    for section in VIRTUAL_INTERFACES
    if (plugin := section.plugin) is not None
)
_BY_OWNING_KEY = (
    Need(
        plugin=section.plugin,
        reason=section.reason,
        users=_owned(section),
        since=max(section.since, section.plugin_since),
        is_new=section.since > OLDEST,
    )
    for section in OWNED
    if section.plugin
)
_BY_DRIVER = (
    Need(plugin=plugin, reason=f"a port is of device-type {name}", users=_ports(name))
    for name, plugin in PORT_PLUGINS.items()
)
_BY_NATIVE_DRIVER = (
    Need(
        plugin=driver.plugin,
        reason=f"a device has the driver {driver.name}",
        users=_driven_by(driver.name),
        since=driver.since,
        until=driver.plugin_until,
    )
    for driver in NATIVE_DRIVERS.values()
    if driver.plugin
)
NEEDS_OF_PLUGINS: tuple[tuple[str, str, Release], ...] = (
    ("abf", "acl", OLDEST),
    ("ikev2", "ipip", Release(26, 10)),
    ("ioam", "vxlan-gpe", Release(25, 6)),
    ("linux_nl", "linux_cp", OLDEST),
    ("nsh", "gre", Release(23, 10)),
    ("nsh", "vxlan", OLDEST),
    ("nsh", "vxlan-gpe", Release(25, 6)),
    ("osi", "ppp", Release(25, 2)),
)
"""Plugins that stop VPP at its start without another one, and since when.

acl_plugin_exports_init of abf/abf_itf_attach.c, ikev2_init, ioam_vxlan_gpe_init, lcp_interface_init, whose node is in
linux_cp, nsh_init, and osi_input_init, all below plugins/.
"""
_BY_FILE = (*_BY_KEY, *_BY_SERVICE, *_BY_VALUE, *_BY_SECTION, *_BY_OWNING_KEY)
_BY_PLUGIN = (
    replace(need, plugin=other, reason=f"the plugin {plugin} needs it", since=max(since, need.since))
    for need in _BY_FILE
    for plugin, other, since in NEEDS_OF_PLUGINS
    if need.plugin == plugin
)
NEEDS: tuple[Need, ...] = (
    *sorted((*_BY_FILE, *_BY_PLUGIN), key=lambda need: need.plugin),
    *_BY_DRIVER,
    *_BY_NATIVE_DRIVER,
)


def needed_plugins(configuration: Configuration, release: Release) -> Iterator[tuple[Need, KeyPath]]:
    """Yield what the file needs and the first place that needs it."""
    found: set[str] = set()
    for need in NEEDS:
        if release < need.since or (need.until is not None and release >= need.until) or need.plugin in found:
            continue
        place = next(need.users(configuration), None)
        if place is not None:
            found.add(need.plugin)
            yield need, place
