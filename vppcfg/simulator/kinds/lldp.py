"""Simulates LLDP (plugins/lldp). VPP notes it by the index of the hardware, which of a port is that of its interface.

Before 26.10 VPP reports which ports speak it and nothing more, which is not asked for here.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass, field

from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, to_bytes

_MOST_HOLD, _MOST_INTERVAL_S = 100, 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class LldpPort:
    """What one port announces (lldp_intf_t)."""

    description: bytes = b""
    ip4: bytes = bytes(4)
    ip6: bytes = bytes(16)
    oid: bytes = b""


@dataclass(slots=True, kw_only=True)
class LldpMain:
    """What each hardware index announces, and what all share (lldp_main_t)."""

    ports: dict[int, LldpPort] = field(default_factory=dict)
    system_name: bytes = b""
    hold: int = 4
    interval_s: int = 30


def set_port(tables: Tables, index: int, announced: LldpPort | None) -> None:
    """Let a port speak or be silent; VPP takes the index of an interface for one of its hardware."""
    port = required(tables.hw.get(index), "invalid argument", Retval.INVALID_VALUE)
    if not port.is_ethernet:
        raise RefusedError(Retval.INVALID_VALUE, "not supported")
    ports = tables.part(LldpMain).ports
    if announced is None:
        ports.pop(port.sw_if_index, None)
    else:
        ports.setdefault(index, announced)


def set_settings(tables: Tables, name: bytes, hold: int, interval_s: int) -> None:
    """Set what is not 0 or empty, up to what is refused."""
    main = tables.part(LldpMain)
    main.system_name = name or main.system_name
    if hold > _MOST_HOLD:
        raise RefusedError(Retval.INVALID_VALUE)
    main.hold = hold or main.hold
    if interval_s > _MOST_INTERVAL_S:
        raise RefusedError(Retval.INVALID_VALUE)
    main.interval_s = interval_s or main.interval_s


def _answer_port(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    announced = LldpPort(
        description=values["port_desc"].split(b"\0", 1)[0],
        ip4=values["mgmt_ip4"],
        ip6=values["mgmt_ip6"],
        oid=values["mgmt_oid"].split(b"\0", 1)[0],
    )
    set_port(call.tables, values["sw_if_index"], announced if values["enable"] else None)


def _answer_settings(call: Call, values: Values) -> None:
    set_settings(call.tables, values["system_name"], values["tx_hold"], values["tx_interval"])


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show who speaks, hardware that is gone too; the cursor counts them."""
    main = call.tables.part(LldpMain)
    for position, (index, announced) in enumerate(main.ports.items()):
        port = call.tables.hw.stale(index)
        if position >= values["cursor"] and port is not None:
            shown = {
                "sw_if_index": port.sw_if_index,
                "system_name": main.system_name[:256],
                "tx_hold": main.hold,
                "tx_interval": main.interval_s,
                "mgmt_ip4": announced.ip4,
                "mgmt_ip6": announced.ip6,
                "mgmt_oid": announced.oid,
                "port_desc": announced.description[:256],
            }
            yield "lldp_details", shown
    yield call.reply(cursor=NONE)


def _command_port(tables: Tables, line: Input) -> None:
    """`set interface lldp <interface> [port-desc <word>] [mgmt-ip4 <a>] [mgmt-ip6 <a>] [mgmt-oid <word>] [disable]`."""
    index, is_on, found = NONE, True, dict[str, bytes]()
    texts, addresses = {"port-desc": "description", "mgmt-oid": "oid"}, {"mgmt-ip4": "ip4", "mgmt-ip6": "ip6"}
    while not line.is_at_end:
        if line.take_field(texts, lambda: to_bytes(line.string() or ""), found):
            continue
        if line.take_field(addresses, line.packed, found):
            continue
        if (row := line.interface(tables)) is not None:
            index = row.index
        elif line.take("disable"):
            is_on = False
        else:
            break
    if index == NONE:
        raise RefusedError(Retval.UNSPECIFIED, "Interface name is invalid!")
    set_port(tables, index, LldpPort(**found) if is_on else None)


def _command_settings(tables: Tables, line: Input) -> None:
    """`set lldp [system-name <word>] [tx-hold <count>] [tx-interval <seconds>]`."""
    name, numbers = b"", {"tx-hold": 0, "tx-interval": 0}
    most = {"tx-hold": _MOST_HOLD, "tx-interval": _MOST_INTERVAL_S}
    while not line.is_at_end:
        if line.take("system-name"):
            name = to_bytes(line.string() or "")
            continue
        word = next((word for word in numbers if line.take_setting(word, numbers)), None)
        if word is None:
            break
        if not 1 <= numbers[word] <= most[word]:
            text = f"invalid {word} `{numbers[word]}' (out of range <1,{most[word]}>)"
            raise RefusedError(Retval.UNSPECIFIED, text)
    set_settings(tables, name, numbers["tx-hold"], numbers["tx-interval"])


def _load(tables: Tables, state: State, rows: Rows) -> None:
    settings = state.lldp
    set_settings(tables, to_bytes(settings.system_name or ""), settings.hold or 0, settings.interval_s or 0)
    for name, row in rows.items():
        lldp = state.interfaces[name].lldp
        if lldp is not None:
            tables.part(LldpMain).ports[row.hw_index] = LldpPort(
                description=to_bytes(lldp.description),
                ip4=ipaddress.ip_address(lldp.ipv4 or "0.0.0.0").packed,
                ip6=ipaddress.ip_address(lldp.ipv6 or "::").packed,
                oid=to_bytes(lldp.oid),
            )


KIND = Kind(
    changes={"sw_interface_set_lldp": _answer_port, "lldp_config": _answer_settings},
    queries={"lldp_dump": _dump},
    commands={"set interface lldp": _command_port, "set lldp": _command_settings},
    plugin="lldp",
    load=_load,
)
