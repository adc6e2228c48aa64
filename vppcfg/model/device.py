"""What differs between VPP's drivers: how each takes a new link MTU, and what an unconfigured port looks like."""

from __future__ import annotations

from vppcfg.record import record

DEFAULT_MTU = 9000
"""Bytes; link and packet MTU of an Ethernet port that nobody has configured (vnet/ethernet/interface.c)."""

FIXED_LINK_MTU = frozenset({"RDMA interface", "AF_XDP interface"})
"""Driver classes that refuse every change of their link MTU (rdma/device.c, af_xdp/device.c)."""

LINK_MTU_WHILE_UP = frozenset({"af-packet", "memif", "virtio", "tap", "VXLAN"})
"""Driver classes that take a new link MTU while the port is up. Others may answer that the port is running (many
DPDK drivers do, dpdk/device/init.c; so do VPP's own, drivers/iavf/port.c), so these are shut for it."""


@record
class DeviceType:
    """A value of the `device-type` key: what a port of that kind is when nobody has configured it."""

    device_class: str
    link_mtu: int = DEFAULT_MTU
    packet_mtu: int = DEFAULT_MTU


DEVICE_TYPES = {
    "dpdk": DeviceType(device_class="dpdk"),
    "af-packet": DeviceType(device_class="af-packet"),
    "af-xdp": DeviceType(device_class="AF_XDP interface"),
    "rdma": DeviceType(device_class="RDMA interface"),
    "memif": DeviceType(device_class="memif"),
    "vmxnet3": DeviceType(device_class="VMXNET3 interface"),
    "virtio": DeviceType(device_class="virtio"),
    "vhost-user": DeviceType(device_class="vhost-user"),
}
DEFAULT_DEVICE_TYPE = "dpdk"
