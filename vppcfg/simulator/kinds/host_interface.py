"""Simulates host-interfaces: ports on devices of Linux, through packet sockets (plugins/af_packet)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from vppcfg.model.host_interface import HostInterface
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import HwInterface, SwInterface, Tables
from vppcfg.simulator.wire import Outgoing, Values, cstring, fixed

_DEVICE_CLASS = "af-packet"
_MTU = 9000
_IP = 2
"""AF_PACKET_API_MODE_IP."""
_VALUES = ("rx-size", "tx-size", "rx-per-block", "tx-per-block", "num-rx-queues", "num-tx-queues")
_SWITCHES = ("qdisc-bypass-disable", "cksum-gso-disable", "v2")


@dataclass(slots=True)
class HostInterfaceMain:
    """All host-interfaces, by the name of their device (af_packet_main_t)."""

    by_device: dict[str, int] = field(default_factory=dict)
    """sw_if_index."""


def create(tables: Tables, device: str, mac: bytes = b"", *, is_ip: bool = False) -> SwInterface:
    """Make host-DEVICE; raise RefusedError when it is there, or Linux has no such device."""
    main = tables.part(HostInterfaceMain)
    if device in main.by_device:
        raise RefusedError(Retval.IF_ALREADY_EXISTS, "Interface elready exists")
    if not tables.linux.has_device(device):
        raise RefusedError(Retval.INVALID_INTERFACE, "Invalid interface name")

    name = f"host-{device}"
    port = HwInterface(
        name=name,
        device_class=_DEVICE_CLASS,
        is_ethernet=not is_ip,
        mac=bytes(6) if is_ip else mac or interfaces.generated_mac_of(name),
        link_mtu=_MTU,
        is_link_up=True,
    )
    row = interfaces.create_port(tables, port, _MTU)
    main.by_device[device] = row.index
    return row


def delete(tables: Tables, device: str) -> None:
    """Delete host-DEVICE; raise RefusedError when there is none."""
    main = tables.part(HostInterfaceMain)
    if device not in main.by_device:
        raise RefusedError(Retval.SYSCALL_ERROR_1, "")
    row = tables.sw[main.by_device.pop(device)]
    interfaces.delete_port(tables, tables.hw_of(row).index)


def _answer_create(call: Call, values: Values) -> Outgoing:
    """Make a port; sizes and numbers of queues are not kept."""
    device = cstring(values["host_if_name"])
    main = call.tables.part(HostInterfaceMain)
    if device in main.by_device:
        return call.reply(retval=Retval.IF_ALREADY_EXISTS, sw_if_index=main.by_device[device])
    mac = b"" if values["use_random_hw_addr"] else values["hw_addr"]
    return call.reply(sw_if_index=create(call.tables, device, mac, is_ip=values["mode"] == _IP).index)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    for device, sw_if_index in call.tables.part(HostInterfaceMain).by_device.items():
        yield call.details({"sw_if_index": sw_if_index, "host_if_name": fixed(device, 64)})


def _command_create(tables: Tables, rest: Input) -> str:
    """`create host-interface [v2] name <ifname> [hw-addr <mac-addr>] [num-rx-queues <n>] ..`."""
    line = rest.line()
    if line.is_at_end:
        return ""
    device, mac, is_ip = "", b"", False
    while not line.is_at_end:
        if line.take("name"):
            device = line.string() or ""
        elif (found := line.mac_after("hw-addr")) is not None:
            mac = found
        elif line.take("mode", "ip"):
            is_ip = True
        elif not any(line.take(word) for word in _SWITCHES) and all(
            line.number_after(word) is None for word in _VALUES
        ):
            raise line.unknown_word()
    if not device:
        raise RefusedError(Retval.UNSPECIFIED, "missing host interface name")
    main = tables.part(HostInterfaceMain)
    row = tables.sw[main.by_device[device]] if device in main.by_device else create(tables, device, mac, is_ip=is_ip)
    return f"{tables.name_of(row)}\n"


def _takes_switch(line: Input) -> bool:
    return any(line.take(word) for word in _SWITCHES)


def _command_delete(tables: Tables, rest: Input) -> None:
    """`delete host-interface name <ifname>`."""
    line = rest.line()
    if line.is_at_end:
        return
    device = ""
    while not line.is_at_end:
        if not line.take("name"):
            raise line.unknown_word()
        device = line.string() or ""
    if not device:
        raise RefusedError(Retval.UNSPECIFIED, "missing host interface name")
    if device in tables.part(HostInterfaceMain).by_device:
        delete(tables, device)


def _create(tables: Tables, port: HostInterface, desired: Interface, number: int) -> SwInterface:
    return create(tables, port.device, mac_bytes(desired.mac) if desired.mac else b"")


KIND = Kind(
    plugin="af_packet",
    changes={
        "af_packet_create_v3": _answer_create,
        "af_packet_delete": lambda call, values: delete(call.tables, cstring(values["host_if_name"])),
    },
    queries={"af_packet_dump": _dump},
    commands={"create host-interface": _command_create, "delete host-interface": _command_delete},
    interface=InterfaceKind.HOST_INTERFACE,
    create=_create,
)
