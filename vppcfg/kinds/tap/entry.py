"""The entries of the section `taps`, and rules about them: rings, the Linux side, what the VPP side may have."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.release import Release
from vppcfg.entries.configuration import VirtualInterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.record import record

DEFAULT_RING_SIZE = 256
MIN_RING, MAX_RING = 8, 32768
"""Largest as in plugins/tap/tap.c; below 8 there is no room for a burst."""
TAP_PLUGIN_SINCE = Release(26, 2)
"""Before, TAPs were part of VPP itself."""


@record
class TapConfig(VirtualInterfaceConfig):
    """One entry below `taps`."""

    host_name: str
    host_mac: str | None = None
    """Canonical; None leaves it as it is."""
    host_mtu: int | None = None
    host_bridge: str | None = None
    creates_bridge: bool = False
    host_netns: str | None = None
    creates_netns: bool = False
    rx_ring_size: int = DEFAULT_RING_SIZE
    tx_ring_size: int = DEFAULT_RING_SIZE

    def macs(self) -> Iterator[tuple[str, KeyPath]]:
        if self.host_mac is not None:
            yield self.host_mac, (*self.path, "host", "mac")

    @property
    def descriptors(self) -> int:
        return self.rx_ring_size + self.tx_ring_size

    def host_keys(self) -> Iterator[KeyValue]:
        """Yield the keys of the Linux side."""
        yield KeyValue("name", self.host_name)
        if self.host_mac is not None:
            yield KeyValue("mac", self.host_mac)
        if self.host_mtu is not None:
            yield KeyValue("mtu", self.host_mtu)
        if self.host_bridge is not None:
            yield KeyValue("bridge", self.host_bridge)
            yield KeyValue("bridge-create", self.creates_bridge, is_default=not self.creates_bridge)
        if self.host_netns is not None:
            yield KeyValue("namespace", self.host_netns)
            yield KeyValue("namespace-create", self.creates_netns, is_default=not self.creates_netns)


def _ring(index: Index) -> Iterator[Problem]:
    """Find ring sizes that are no power of two in range."""
    for tap in index.configuration.virtual_as(TapConfig).values():
        for key, size in (("rx-ring-size", tap.rx_ring_size), ("tx-ring-size", tap.tx_ring_size)):
            if not MIN_RING <= size <= MAX_RING or size & (size - 1):
                text = f"{size} is no power of two from {MIN_RING} to {MAX_RING}"
                yield Problem(rule="tap-ring", path=(*tap.path, key), text=text)


def _create(index: Index) -> Iterator[Problem]:
    """Find TAPs that ask for a bridge or a namespace without a name."""
    for tap in index.configuration.virtual_as(TapConfig).values():
        for key, desired, is_asked, name in (
            ("bridge-create", "bridge", tap.creates_bridge, tap.host_bridge),
            ("namespace-create", "namespace", tap.creates_netns, tap.host_netns),
        ):
            if is_asked and name is None:
                text = f"`{key}` names none; add `{desired}`"
                yield Problem(rule="tap-create-without", path=(*tap.path, "host", key), text=text)


def _interface(index: Index) -> Iterator[Problem]:
    """Find what does not fit between the two sides of a TAP."""
    for tap in index.configuration.virtual_as(TapConfig).values():
        interface = index.find(tap.name)
        if interface is None:
            continue
        if tap.host_mtu is not None and tap.host_mtu != interface.mtu:
            text = f"{tap.name} has an MTU of {interface.mtu} and its host side one of {tap.host_mtu}; make them equal"
            yield Problem(rule="tap-mtu", path=(*interface.path, "mtu"), text=text)
        if interface.lcp is not None:
            text = f"{tap.name} has a device in Linux already and cannot have `lcp`; remove that"
            yield Problem(rule="tap-l3", path=(*interface.path, "lcp"), text=text)


RULES = (_ring, _create, _interface)
