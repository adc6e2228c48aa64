"""TAPs (tapN): VPP interfaces with a Linux device at the other end."""

from __future__ import annotations

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.record import record

DEFAULT_HOST_MTU = 1500
"""Bytes; what Linux gives the device of a TAP that was made without an MTU for it, if startup.conf sets no other."""


@record
class Tap(VirtualInterface):
    """What a TAP is made with; nothing of it can be changed in place."""

    kind = InterfaceKind.TAP
    noun = "TAP"
    table = "taps"
    recreate_on_change = (
        "host_name",
        "host_mac",
        "host_mtu",
        "host_bridge",
        "host_netns",
        "rx_ring_size",
        "tx_ring_size",
        "flags",
    )
    link_mtu_as_created = 9000

    host_name: str
    host_mac: str = ""
    """Colon-separated lower case."""
    host_mtu: int = 0
    """Bytes; 0 when neither the maker nor startup.conf (`tap { host-mtu }`, up to 25.10) set one."""
    host_bridge: str = ""
    """Linux bridge that the device is a port of; '' for none."""
    host_netns: str = ""
    rx_ring_size: int = 256
    tx_ring_size: int = 256
    flags: int = 0
    """VPP's tap_flags (plugins/tap/tapv2.api); the configuration has none of them, so they are read and kept."""

    def device_as_created(self) -> LinuxDevice:
        """Return the Linux device in the moment in which VPP has made both."""
        return LinuxDevice(mtu=self.host_mtu or DEFAULT_HOST_MTU, is_up=True, bridge=self.host_bridge)
