"""The entries of the section `taps`: TAPs, and the Linux devices at their other ends."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.release import Release
from vppcfg.entries.configuration import VirtualInterfaceConfig
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.problem import KeyPath
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
        """Yield the MAC address of the Linux side."""
        if self.host_mac is not None:
            yield self.host_mac, (*self.path, "host", "mac")

    @property
    def descriptors(self) -> int:
        """Return how many buffers its two rings hold."""
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
