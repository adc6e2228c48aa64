"""The limits of network drivers, queues and descriptors per device; those of DPDK from its sources (drivers/net/).

They are for devices that VPP does not drive yet; for others, what VPP shows counts instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vppcfg.common.release import Release
from vppcfg.model.host import FOR_USERS, Nic
from vppcfg.model.native_driver import NATIVE_DRIVERS
from vppcfg.record import record


@record
class NicLimits:
    """The limits of one kind of device. None means that only the device's firmware has it."""

    driver: str
    """DPDK's, or VPP's own."""
    rx_queues: int | None = None
    tx_queues: int | None = None
    rx_descriptors: tuple[int, int] = (1, 65535)
    tx_descriptors: tuple[int, int] = (1, 65535)
    default_descriptors: int | None = None
    """What fits the device, where that is not what fits others."""
    align: int = 1
    """Descriptors come in multiples of this."""
    is_bifurcated: bool = False
    """Whether the device stays with its Linux driver while VPP uses it."""


def native_limits(name: str, nic: Nic | None) -> NicLimits:
    """Return the limits of a device of one of VPP's own drivers; Linux may report fewer queues."""
    driver = NATIVE_DRIVERS[name]
    known = driver.queues if driver.knows_queues else None
    rx, tx = (nic.rx_queues_max, nic.tx_queues_max) if nic is not None else (None, None)
    return NicLimits(
        driver=name,
        rx_queues=known if rx is None else min(rx, driver.queues),
        tx_queues=known if tx is None else min(tx, driver.queues),
        rx_descriptors=driver.ring,
        tx_descriptors=driver.ring,
        default_descriptors=driver.descriptors,
        align=driver.step,
    )


def _ring(driver: str, queues: int | None, lowest: int, highest: int, align: int) -> NicLimits:
    ring = (lowest, highest)
    return NicLimits(
        driver=driver, rx_queues=queues, tx_queues=queues, rx_descriptors=ring, tx_descriptors=ring, align=align
    )


_I211 = _ring("net_e1000_igb", 2, 32, 4096, 8)
_I210 = _ring("net_e1000_igb", 4, 32, 4096, 8)
_I350 = _ring("net_e1000_igb", 8, 32, 4096, 8)
_82576 = _ring("net_e1000_igb", 16, 32, 4096, 8)
_82574 = _ring("net_e1000_em", 2, 32, 4096, 8)
_IGC = _ring("net_igc", 4, 32, 32768, 8)
_IXGBE = _ring("net_ixgbe", 128, 32, 4096, 8)
_IXGBE_VF = _ring("net_ixgbe_vf", 8, 32, 4096, 8)
_I40E = _ring("net_i40e", 64, 64, 4096, 32)
_ICE = _ring("net_ice", 64, 64, 4096, 32)
_IAVF = _ring("net_iavf", 16, 64, 4096, 32)
_MLX = NicLimits(driver="mlx5_pci", is_bifurcated=True)
_VIRTIO = replace(_ring("net_virtio", None, 1, 32768, 1), default_descriptors=256)
_VMXNET3 = replace(
    NicLimits(driver="net_vmxnet3", rx_queues=16, tx_queues=8), rx_descriptors=(128, 4096), tx_descriptors=(512, 4096)
)
_ENA = _ring("net_ena", None, 128, 65535, 1)
_BNXT = replace(_ring("net_bnxt", None, 16, 8192, 1), tx_descriptors=(16, 4096))
_ATLANTIC = _ring("net_atlantic", 8, 32, 8184, 8)
_R8169 = replace(_ring("net_r8169", 4, 64, 4096, 64), tx_queues=2)


_FAMILIES: tuple[tuple[NicLimits, int, str], ...] = (
    (_I211, 0x8086, "1539"),
    (_I210, 0x8086, "1533 1534 1536 1537 1538 157b 157c"),
    (_I350, 0x8086, "1521 1522 1523 1524 1f40 1f41 1f45 150e 150f 1510 1511 1516"),
    (_82576, 0x8086, "10c9 10e6 10e7 10e8 1526 150a 1518 150d"),
    (_82574, 0x8086, "10d3 10f6"),
    (_IGC, 0x8086, "15f2 15f3 15f7 15f8 125b 125c 125d 125f 3102"),
    (_IXGBE, 0x8086, "10fb 10fc 10f7 10f8 10f9 151c 1528 1563 1557 154d 1558 15ab 15ac 15ad 15ae"),
    (_IXGBE, 0x8086, "15c2 15c3 15c4 15c6 15c7 15c8 15ce 15e4 15e5"),
    (_IXGBE_VF, 0x8086, "10ed 1515 1565 15a8 15c5"),
    (_I40E, 0x8086, "1572 1580 1581 1583 1584 1585 1586 1589 158a 158b 15ff 37ce 37d0 37d1 37d2 37d3"),
    (_ICE, 0x8086, "1591 1592 1593 1599 159a 159b 1888 188a 188b 188c 124c 124d 124e 124f 12d1 12d2"),
    (_IAVF, 0x8086, "154c 1889 37cd"),
    (_MLX, 0x15B3, "1013 1014 1015 1016 1017 1018 1019 101a 101b 101c 101d 101e 1021 1023 a2d2 a2d6 a2dc"),
    (_VIRTIO, 0x1AF4, "1000 1041"),
    (_ENA, 0x1D0F, "ec20 ec21"),
    (_ATLANTIC, 0x1D6A, "07b1 d107 11b1 14c0 94c0"),
    (_R8169, 0x10EC, "8168 8125 8126"),
    (_VMXNET3, 0x15AD, "07b0"),
)
"""Limits, vendor, device ids."""
_LIMITS: Mapping[tuple[int, int], NicLimits] = {
    (vendor, int(device, 16)): limits for limits, vendor, devices in _FAMILIES for device in devices.split()
}
_BROADCOM = 0x14E4
_DEEPER_RINGS: Mapping[str, tuple[Release, int]] = {
    "net_ixgbe": (Release(25, 2), 8192),
    "net_i40e": (Release(25, 2), 8160),
    "net_ice": (Release(25, 2), 8160),
}
"""Drivers whose rings grew, the first VPP with such a DPDK (build/external/packages/dpdk.mk), and their new end."""


_TAKEN: Mapping[int, Sequence[range]] = {
    0x8086: (range(0x10000),),
    0x1AF4: (range(0x1000, 0x1001), range(0x1041, 0x1042)),
    0x15AD: (range(0x07B0, 0x07B1),),
    0x15B3: (range(0x1003, 0x1005), range(0x1013, 0x1020), range(0x1021, 0x1022), range(0xA2D2, 0xA2DD)),
    0x1137: (range(0x0043, 0x0044), range(0x0071, 0x0072), range(0x02B7, 0x02B8)),
    0x1425: (range(0x4000, 0x6000),),
    0x1D0F: (range(0xEC20, 0xEC22),),
    0x177D: (range(0x9712, 0x9713),),
    0x1077: (range(0x8070, 0x8091),),
    0x14E4: (range(0x1604, 0x1615), range(0x16C0, 0x10000)),
    0x1AE0: (range(0x0042, 0x0043),),
}
"""Vendors and devices that VPP's DPDK plugin takes from their Linux driver, a few of Broadcom's aside, which it does
not (dpdk_bind_devices_to_uio in plugins/dpdk/device/init.c)."""


def is_taken_from_linux(nic: Nic) -> bool:
    """Return whether VPP's DPDK plugin takes a device from its Linux driver, or finds it without."""
    return nic.driver in FOR_USERS or any(nic.device in each for each in _TAKEN.get(nic.vendor, ()))


def limits_of(nic: Nic, release: Release) -> NicLimits | None:
    """Return the limits of a device in a release, None for one that is not in the table.

    Where Linux reports how many queues the device has, that narrows what the driver could do at most.
    """
    limits = _LIMITS.get((nic.vendor, nic.device)) or (_BNXT if nic.vendor == _BROADCOM else None)
    if limits is None:
        return None
    since, highest = _DEEPER_RINGS.get(limits.driver, (release, 0))
    if highest and release >= since:
        ring = (limits.rx_descriptors[0], highest)
        limits = replace(limits, rx_descriptors=ring, tx_descriptors=ring)
    if limits.rx_queues is None:
        limits = replace(limits, rx_queues=nic.rx_queues_max, tx_queues=nic.tx_queues_max)
    return limits
