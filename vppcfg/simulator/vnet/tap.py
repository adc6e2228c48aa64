"""TAPs, those that are asked for and those of LCP pairs (plugins/tap/tap.c)."""

from __future__ import annotations

from vppcfg.record import record
from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.linux_side import Device
from vppcfg.simulator.mains.tap import TapRow
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables
from vppcfg.simulator.wire import NONE

_BORN_MTU = 9000
_MAX_DEVICE_NAME = 15
_DEFAULT_RING_SIZE = 256
_MTUS = range(68, 65522)
"""MTUs in bytes that Linux lets a TAP have."""
_GSO, _ATTACH, _TUN = 1, 8, 16
"""tap_flags (plugins/tap/tapv2.api)."""


@record
class Wish:
    """The TAP that is asked for."""

    number: int = NONE
    first_number: int = 0
    """Where to look for a number when none is given."""
    host_name: str = ""
    netns: str = ""
    mac: bytes = b""
    host_mac: bytes = bytes(6)
    host_mtu: int = 0
    host_bridge: str = ""
    rx_ring_size: int = _DEFAULT_RING_SIZE
    tx_ring_size: int = _DEFAULT_RING_SIZE
    flags: int = 0

    @property
    def is_tun(self) -> bool:
        """Return whether it is to carry packets without Ethernet."""
        return bool(self.flags & _TUN)


def create(tables: Tables, wish: Wish, packet_mtu: int = _BORN_MTU) -> tuple[Device, SwInterface]:
    """Make tapN and its Linux device; raise RefusedError when the number is taken or Linux refuses."""
    number = _number(tables, wish)
    device = _create_device(tables, wish)
    try:
        _check_sizes(wish)
    except RefusedError:
        tables.linux.remove(wish.netns, device.name)
        raise
    tap = tables.taps.taps.add(lambda index: _tap_at(index, number, wish, device))
    tables.taps.numbers.add(number)
    port = _port(tables, tap, wish)
    row = interface.create_port(tables, port, packet_mtu)
    tap.sw_if_index = row.index
    tables.taps.by_hw[port.index] = tap.index
    return device, row


def _number(tables: Tables, wish: Wish) -> int:
    number = wish.number
    if number == NONE:
        number = wish.first_number
        while number in tables.taps.numbers:
            number += 1
    elif number in tables.taps.numbers:
        raise RefusedError(Retval.INVALID_INTERFACE, "interface already exists")
    if number > (8192 if tables.release.is_in("24.10-") else 1024):
        raise RefusedError(Retval.UNSPECIFIED, "cannot find free interface id")
    return number


def _create_device(tables: Tables, wish: Wish) -> Device:
    if wish.flags & _ATTACH and not wish.host_name:
        raise RefusedError(Retval.SYSCALL_ERROR_3, "host_if_name is not provided")
    if not tables.linux.has(wish.netns):
        text = f"clib_netns_open '{wish.netns}': No such file or directory"
        raise RefusedError(Retval.SYSCALL_ERROR_2, text)
    name = wish.host_name[:_MAX_DEVICE_NAME]
    device = tables.linux.add_tap(wish.netns, name)
    if device is None:
        is_taken = tables.linux.device(wish.netns, name) is not None
        reason = "Device or resource busy" if is_taken else "Invalid argument"
        raise RefusedError(Retval.SYSCALL_ERROR_3, f"ioctl(TUNSETIFF): {reason}")
    return device


def _check_sizes(wish: Wish) -> None:
    if wish.host_mtu and wish.host_mtu not in _MTUS:
        text = "set link mtu vnet_netlink_msg_send: netlink error -22"
        raise RefusedError(Retval.NETLINK_ERROR, text)
    if any(size & (size - 1) for size in (wish.rx_ring_size, wish.tx_ring_size)):
        raise RefusedError(Retval.INIT_FAILED, "ring size must be power of 2")


def _tap_at(index: int, number: int, wish: Wish, device: Device) -> TapRow:
    return TapRow(
        index=index,
        number=number,
        device_name=device.name,
        netns=wish.netns,
        host_name=wish.host_name or device.name,
        host_mac=_host_mac(number, wish),
        host_mtu=wish.host_mtu,
        host_bridge=wish.host_bridge,
        rx_ring_size=wish.rx_ring_size or _DEFAULT_RING_SIZE,
        tx_ring_size=wish.tx_ring_size or _DEFAULT_RING_SIZE,
        flags=wish.flags,
    )


def _host_mac(number: int, wish: Wish) -> bytes:
    if wish.is_tun or any(wish.host_mac):
        return wish.host_mac
    return interface.made_up_mac(0x40000000 | number)


def _port(tables: Tables, tap: TapRow, wish: Wish) -> HwInterface:
    def port_at(index: int) -> HwInterface:
        return HwInterface(
            index=index,
            name=f"{'tun' if wish.is_tun else 'tap'}{tap.number}",
            device_class="tap" if tables.release.is_in("26.02-") else "virtio",
            is_ethernet=not wish.is_tun,
            mac=bytes(6) if wish.is_tun else wish.mac or interface.made_up_mac(tap.number),
            link_mtu=_BORN_MTU,
            is_link_up=True,
            has_gso=bool(wish.flags & _GSO),
        )

    return tables.hw.add(port_at)


def delete(tables: Tables, sw_if_index: int) -> None:
    """Delete a TAP and its Linux device; raise RefusedError for anything else."""
    row = tables.sw.get(sw_if_index)
    port = tables.hw_of(row) if row is not None else None
    if port is None or port.index not in tables.taps.by_hw:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX, "not a tap interface")
    tap = tables.taps.taps[tables.taps.by_hw.pop(port.index)]
    interface.delete_port(tables, port.index)
    tables.taps.numbers.discard(tap.number)
    tables.linux.remove(tap.netns, tap.device_name)
    tables.taps.taps.remove(tap.index)
