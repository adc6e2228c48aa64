"""Host-interfaces (host-DEVICE): ports of VPP on a device that Linux has and keeps, through packet sockets."""

from __future__ import annotations

from vppcfg.model.interface import InterfaceKind
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.record import record

HOST_INTERFACE_PREFIX = "host-"
"""What VPP puts before the name of the device (plugins/af_packet/af_packet.c)."""


@record
class HostInterface(VirtualInterface):
    """What a host-interface is made with; VPP reports nothing else of it."""

    kind = InterfaceKind.HOST_INTERFACE
    noun = "host-interface"
    table = "host_interfaces"
    recreate_on_change = ("device",)
    is_owned_by_mark = True
    link_mtu_as_created = 9000

    device: str
    """In Linux, in the namespace that VPP runs in."""

    @property
    def unique_key(self) -> tuple[object, ...]:
        """Return the device, which has one host-interface at most."""
        return (self.device,)
