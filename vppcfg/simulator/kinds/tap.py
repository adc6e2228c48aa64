"""Simulates TAPs, those that are asked for and those of LCP pairs (plugins/tap, vnet/devices/tap before 26.02)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.tap import Tap
from vppcfg.record import record
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.linux_side import Device
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, cstring, fixed

_BORN_MTU = 9000
_MAX_DEVICE_NAME = 15
_DEFAULT_RING_SIZE = 256
_MTUS = range(68, 65522)
"""MTUs in bytes that Linux lets a TAP have."""
_FLAGS = {"gso": 1, "csum-offload": 2, "persist": 4, "attach": 8, "tun": 16, "gro-coalesce": 32, "packed": 64}
"""tap_flags by their words in the CLI."""
_GSO, _ATTACH, TUN = _FLAGS["gso"], _FLAGS["attach"], _FLAGS["tun"]
_HAS_MANY = ReleaseQuirk(span="24.10-", text="numbers of TAPs go up to 8192, not 1024 (2a5bb3b5ab3)")
_HAS_ITS_OWN_CLASS = ReleaseQuirk(span="26.02-", text="TAPs are of the device class tap, not virtio (cb19c526dd1)")
_HAS_A_DEFAULT_MTU = ReleaseQuirk(
    span="-25.10", text="a TAP without an MTU for Linux gets that of `tap { host-mtu }` in startup.conf (cb19c526dd1)"
)
_SHARES_DEVICES = ReleaseQuirk(
    span="-26.06", text="a TAP whose Linux device another TAP of this VPP has shares it with that (5267f34c29d)"
)


@dataclass(slots=True, kw_only=True)
class TapRow:
    """One TAP or TUN (tap_if_t): what it was asked to be, and the Linux device that came of it."""

    index: int
    number: int
    """The N of tapN."""
    device_name: str
    netns: str
    """Where the Linux device is."""
    host_name: str
    """As asked for; Linux cuts it to 15 characters."""
    host_mac: bytes
    host_mtu: int
    host_bridge: str
    rx_ring_size: int
    tx_ring_size: int
    flags: int
    sw_if_index: int = 0


@dataclass(slots=True, kw_only=True)
class TapMain:
    """All TAPs, those of LCP pairs included (tap_main_t)."""

    taps: Pool[TapRow] = field(default_factory=Pool)
    by_hw: dict[int, int] = field(default_factory=dict)
    """Index of a TAP by its port."""
    numbers: set[int] = field(default_factory=set)
    default_host_mtu: int = 0
    """What startup.conf sets (`tap { host-mtu }`); 0 when it sets nothing."""


@record
class TapRequest:
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
    rx_queues: int = 1
    tx_queues: int = 1
    flags: int = 0

    @property
    def is_tun(self) -> bool:
        """Return whether it is to carry packets without Ethernet."""
        return bool(self.flags & TUN)


def create(tables: Tables, request: TapRequest, packet_mtu: int = _BORN_MTU) -> tuple[Device, SwInterface]:
    """Make tapN and its Linux device; raise RefusedError when the number is taken or Linux refuses."""
    main = tables.part(TapMain)
    if not request.host_mtu and tables.release.has(_HAS_A_DEFAULT_MTU):
        request = replace(request, host_mtu=main.default_host_mtu)
    number = _number(tables, request)
    device = _create_device(tables, request)
    try:
        _check_sizes(request)
    except RefusedError:
        tables.linux.remove(request.netns, device.name)
        raise
    tap = main.taps.add(lambda index: _tap_at(index, number, request, device))
    main.numbers.add(number)
    port = _port(tables, tap, request)
    row = interfaces.create_port(tables, port, packet_mtu)
    tap.sw_if_index = row.index
    main.by_hw[port.index] = tap.index
    return device, row


def _number(tables: Tables, request: TapRequest) -> int:
    number, taken = request.number, tables.part(TapMain).numbers
    if number == NONE:
        number = request.first_number
        while number in taken:
            number += 1
    elif number in taken:
        raise RefusedError(Retval.INVALID_INTERFACE, "interface already exists")
    if number > (8192 if tables.release.has(_HAS_MANY) else 1024):
        raise RefusedError(Retval.UNSPECIFIED, "cannot find free interface id")
    return number


def _create_device(tables: Tables, request: TapRequest) -> Device:
    if request.flags & _ATTACH and not request.host_name:
        raise RefusedError(Retval.SYSCALL_ERROR_3, "host_if_name is not provided")
    if not tables.linux.has(request.netns):
        text = f"clib_netns_open '{request.netns}': No such file or directory"
        raise RefusedError(Retval.SYSCALL_ERROR_2, text)
    name = request.host_name[:_MAX_DEVICE_NAME]
    is_shared = tables.release.has(_SHARES_DEVICES)
    device = tables.linux.add_tap(request.netns, name, is_tun=request.is_tun, is_shared=is_shared)
    if device is None:
        other = tables.linux.device(request.netns, name)
        is_busy = other is not None and other.taps > 0 and other.is_tun == request.is_tun
        reason = "Device or resource busy" if is_busy else "Invalid argument"
        raise RefusedError(Retval.SYSCALL_ERROR_3, f"ioctl(TUNSETIFF): {reason}")
    return device


def _check_sizes(request: TapRequest) -> None:
    if request.host_mtu and request.host_mtu not in _MTUS:
        text = "set link mtu vnet_netlink_msg_send: netlink error -22"
        raise RefusedError(Retval.NETLINK_ERROR, text)
    if any(size & (size - 1) for size in (request.rx_ring_size, request.tx_ring_size)):
        raise RefusedError(Retval.INIT_FAILED, "ring size must be power of 2")


def _tap_at(index: int, number: int, request: TapRequest, device: Device) -> TapRow:
    is_mac_given = request.is_tun or any(request.host_mac)
    return TapRow(
        index=index,
        number=number,
        device_name=device.name,
        netns=request.netns,
        host_name=request.host_name or device.name,
        host_mac=request.host_mac if is_mac_given else interfaces.generated_mac(0x40000000 | number),
        host_mtu=request.host_mtu,
        host_bridge=request.host_bridge,
        rx_ring_size=request.rx_ring_size or _DEFAULT_RING_SIZE,
        tx_ring_size=request.tx_ring_size or _DEFAULT_RING_SIZE,
        flags=request.flags,
    )


def _port(tables: Tables, tap: TapRow, request: TapRequest) -> HwInterface:
    """Make the port."""

    return HwInterface(
        name=f"{'tun' if request.is_tun else 'tap'}{tap.number}",
        device_class="tap" if tables.release.has(_HAS_ITS_OWN_CLASS) else "virtio",
        is_ethernet=not request.is_tun,
        mac=bytes(6) if request.is_tun else request.mac or interfaces.generated_mac(tap.number),
        link_mtu=_BORN_MTU,
        is_link_up=True,
        has_gso=bool(request.flags & _GSO),
        rx_queues=request.rx_queues or 1,
        tx_queues=request.tx_queues or 1,
    )


def delete(tables: Tables, sw_if_index: int) -> None:
    """Delete a TAP and its Linux device; raise RefusedError for anything else."""
    main = tables.part(TapMain)
    row = tables.sw.get(sw_if_index)
    port = tables.hw_of(row) if row is not None else None
    if port is None or port.index not in main.by_hw:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX, "not a tap interface")
    tap = main.taps[main.by_hw.pop(port.index)]
    interfaces.delete_port(tables, port.index)
    main.numbers.discard(tap.number)
    tables.linux.remove(tap.netns, tap.device_name)
    main.taps.remove(tap.index)


def _answer_create(call: Call, values: Values) -> Outgoing:
    """Make a TAP; addresses and gateways of the Linux device are not kept."""
    request = TapRequest(
        number=values["id"],
        mac=b"" if values["use_random_mac"] else values["mac_address"],
        tx_ring_size=values["tx_ring_sz"],
        rx_ring_size=values["rx_ring_sz"],
        rx_queues=values["num_rx_queues"],
        tx_queues=values.get("num_tx_queues", 1),
        host_mtu=values["host_mtu_size"] if values["host_mtu_set"] else 0,
        host_mac=values["host_mac_addr"] if values["host_mac_addr_set"] else bytes(6),
        flags=values["tap_flags"],
        netns=_text(values, "host_namespace"),
        host_name=_text(values, "host_if_name"),
        host_bridge=_text(values, "host_bridge"),
    )
    _, row = create(call.tables, request)
    if values["tag"]:
        row.tag = values["tag"]
    return call.reply(sw_if_index=row.index)


def _text(values: Values, name: str) -> str:
    return cstring(values[name]) if values[f"{name}_set"] else ""


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show all TAPs or one, those of LCP pairs too; they are shown as they were asked for."""
    for row in call.tables.part(TapMain).taps:
        if values["sw_if_index"] in {NONE, row.sw_if_index}:
            yield call.details(
                {
                    "sw_if_index": row.sw_if_index,
                    "id": row.number,
                    "tx_ring_sz": row.tx_ring_size,
                    "rx_ring_sz": row.rx_ring_size,
                    "host_mtu_size": row.host_mtu,
                    "host_mac_addr": row.host_mac,
                    "tap_flags": row.flags,
                    "dev_name": fixed(call.tables.name_of(call.tables.sw[row.sw_if_index]), 64),
                    "host_if_name": fixed(row.host_name, 64),
                    "host_namespace": fixed(row.netns, 64),
                    "host_bridge": fixed(row.host_bridge, 64),
                }
            )


_STRINGS = {"host-if-name": "host_name", "host-ns": "netns", "host-bridge": "host_bridge"}
_NUMBERS = {
    "id": "number",
    "rx-ring-size": "rx_ring_size",
    "tx-ring-size": "tx_ring_size",
    "host-mtu-size": "host_mtu",
    "num-rx-queues": "rx_queues",
    "num-tx-queues": "tx_queues",
}
_MACS = {"host-mac-addr": "host_mac", "hw-addr": "mac"}


def _command_create(tables: Tables, rest: Input) -> str:
    """`create tap [id <number>] [host-if-name <name>] [host-ns <netns>] ..`."""
    line = rest.line()
    found: dict[str, Any] = {"flags": 0}
    while not line.is_at_end:
        _option(line, found)
    _, row = create(tables, TapRequest(**found))
    return f"{tables.name_of(row)}\n"


def _option(line: Input, found: dict[str, Any]) -> None:
    if (
        line.take_field(_NUMBERS, line.number, found)
        or line.take_field(_STRINGS, lambda: line.string() or "", found)
        or line.take_field(_MACS, lambda: line.mac_after(""), found)
    ):
        return
    flag = line.choice_after("", _FLAGS)
    found["flags"] |= required(flag, "unknown input `'")


def _command_delete(tables: Tables, rest: Input) -> None:
    """`delete tap <interface>`."""
    line = rest.line()
    if line.is_at_end:
        raise RefusedError(Retval.UNSPECIFIED, "Missing <interface>")
    row = line.interface(tables)
    if row is None or not line.is_at_end:
        raise RefusedError(Retval.UNSPECIFIED, "unknown input `'")
    delete(tables, row.index)


def _create(tables: Tables, tap: Tap, desired: Interface, number: int) -> SwInterface:
    request = TapRequest(
        number=number,
        host_name=tap.host_name,
        netns=tap.host_netns,
        mac=mac_bytes(desired.mac) if desired.mac else b"",
        host_mac=mac_bytes(tap.host_mac),
        host_mtu=tap.host_mtu,
        host_bridge=tap.host_bridge,
        rx_ring_size=tap.rx_ring_size,
        tx_ring_size=tap.tx_ring_size,
        flags=tap.flags,
    )
    return create(tables, request)[1]


KIND = Kind(
    plugin="tap",
    plugin_releases="26.02-",
    quirks=(_HAS_MANY, _HAS_ITS_OWN_CLASS, _SHARES_DEVICES),
    changes={
        "tap_create_v2": _answer_create,
        "tap_create_v3": _answer_create,
        "tap_delete_v2": lambda call, values: delete(call.tables, values["sw_if_index"]),
    },
    queries={"sw_interface_tap_v2_dump": _dump},
    commands={"create tap": _command_create, "delete tap": _command_delete},
    interface=InterfaceKind.TAP,
    create=_create,
)
