"""Simulates what interfaces of every kind have: list, state, MTUs, tag, MAC, events (vnet/interface_api.c)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from vppcfg.model.vrf import LAST_TYPED
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.kinds.tag_rewrite import rewrite_of
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Flag, SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, fixed, to_bytes

_ADMIN_UP, _LINK_UP = 1, 2
_TYPE_SUB = 1
_VISIBLE_FLAGS = 0xFE
_MTUS = ("mtu[0]", "mtu[1]", "mtu[2]", "mtu[3]")
"""L3, IPv4, IPv6 and MPLS."""
_ONE_TAG, _TWO_TAGS = int(Flag.ONE_TAG), int(Flag.TWO_TAGS)
"""As numbers, which are quicker: many interfaces are shown at once."""


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show one interface, or all whose name holds a text; index 0 and ~0 stand for all."""
    tables, sw_if_index = call.tables, values["sw_if_index"]
    if not values["name_filter_valid"] and sw_if_index not in {0, NONE}:
        only = tables.sw.get(sw_if_index)
        if only is not None:
            yield call.details(_details(tables, only))
        return
    desired = ""
    if values["name_filter_valid"]:
        desired = values["name_filter"].decode(errors="surrogateescape").split("\0")[0].lower()
    for row in tables.sw:
        if not desired or desired in tables.name_of(row).lower():
            yield call.details(_details(tables, row))


def _details(tables: Tables, row: SwInterface) -> Values:
    port, mtus = tables.hw_of(row), row.mtus
    details = {
        "sw_if_index": row.index,
        "sup_sw_if_index": row.sup_index,
        "flags": (_ADMIN_UP if row.is_up else 0) | (_LINK_UP if port.is_link_up else 0),
        "link_mtu": port.link_mtu & 0xFFFF,
        "mtu[0]": mtus[0],
        "mtu[1]": mtus[1],
        "mtu[2]": mtus[2],
        "mtu[3]": mtus[3],
        "interface_name": fixed(tables.name_on(port, row), 64),
        "interface_dev_type": fixed(port.device_class, 64),
        "tag": row.tag[:63],
    }
    if row.sup_index == row.index and port.is_ethernet:
        details["l2_address"] = port.mac
    if row.is_sub:
        details |= _encapsulation(row)
    if row.index in tables.l2:
        rewrite, is_dot1q, tag1, tag2 = rewrite_of(tables, row)
        details |= {"vtr_op": rewrite, "vtr_push_dot1q": is_dot1q, "vtr_tag1": tag1, "vtr_tag2": tag2}
    return details


def _encapsulation(row: SwInterface) -> Values:
    flags = row.flags
    return {
        "type": _TYPE_SUB,
        "sub_id": row.sub_id,
        "sub_number_of_tags": (1 if flags & _ONE_TAG else 0) + (2 if flags & _TWO_TAGS else 0),
        "sub_outer_vlan_id": row.outer_vlan,
        "sub_inner_vlan_id": row.inner_vlan,
        "sub_if_flags": flags & _VISIBLE_FLAGS,
    }


def _answer_flags(call: Call, values: Values) -> None:
    """Bring an interface up or down."""
    row = interfaces.require(call.tables, values["sw_if_index"])
    interfaces.set_admin_state(call.tables, row, bool(values["flags"] & _ADMIN_UP))


def _answer_mtu(call: Call, values: Values) -> None:
    """Set the L3, IPv4, IPv6 and MPLS MTUs."""
    row = interfaces.require(call.tables, values["sw_if_index"])
    interfaces.set_packet_mtus(call.tables, row, [values[name] for name in _MTUS])


def _answer_link_mtu(call: Call, values: Values) -> None:
    """Set a port's link MTU."""
    row = interfaces.require(call.tables, values["sw_if_index"])
    if row.is_sub:
        raise RefusedError(Retval.INVALID_VALUE)
    port = call.tables.hw_of(row)
    if not port.is_ethernet:
        raise RefusedError(Retval.FEATURE_DISABLED)
    interfaces.set_link_mtu(call.tables, port, values["mtu"])


def _answer_tag(call: Call, values: Values) -> None:
    """Set or clear a tag; an empty one cannot be set."""
    row, tag = interfaces.require(call.tables, values["sw_if_index"]), values["tag"]
    if values["is_add"] and not tag[0]:
        raise RefusedError(Retval.INVALID_VALUE)
    row.tag = tag[:-1].split(b"\0", 1)[0] if values["is_add"] else b""


def _answer_name(call: Call, values: Values) -> None:
    """Give a port another name; for a sub-interface VPP takes port 0, which is local0."""
    row, name = interfaces.require(call.tables, values["sw_if_index"]), values["name"].split(b"\0", 1)[0]
    if not name:
        raise RefusedError(Retval.INVALID_VALUE)
    interfaces.rename(call.tables, call.tables.hw[row.hw_index], name.decode(errors="surrogateescape"))


def _answer_set_mac(call: Call, values: Values) -> None:
    row = interfaces.require(call.tables, values["sw_if_index"])
    interfaces.set_mac(call.tables, row, values["mac_address"])


def _answer_get_mac(call: Call, values: Values) -> Outgoing:
    """Show the MAC address of an interface, of its parent for a sub-interface."""
    row = interfaces.require(call.tables, values["sw_if_index"])
    return call.reply(mac_address=call.tables.hw_of(row).mac)


def _answer_want_events(call: Call, values: Values) -> None:
    """Subscribe a client to sw_interface_event or end that; asking twice is refused (pub_sub_handler)."""
    is_wanted = bool(values["enable_disable"])
    if is_wanted == call.client.is_subscribed:
        raise RefusedError(Retval.INVALID_REGISTRATION)
    call.client.is_subscribed = is_wanted
    call.client.pid = values["pid"]


_PACKET_MTUS = ("packet", "ip4", "ip6", "mpls")


def _command_state(tables: Tables, line: Input) -> None:
    """`set interface state <interface> up|down|punt|enable`, a set of flags: the last two set it down too."""
    row = line.require_interface(tables)
    if line.take("up"):
        interfaces.set_admin_state(tables, row, True)
    elif line.take("punt"):
        interfaces.punt(tables, row)
    elif line.take("down") or line.take("enable"):
        interfaces.set_admin_state(tables, row, False)
    else:
        raise line.unknown("unknown flags")


def _command_mtu(tables: Tables, line: Input) -> None:
    """`set interface mtu [packet|ip4|ip6|mpls] <bytes> <interface>`; without a word it is the link MTU."""
    whole = line.unknown()
    kind = next((kind for kind in _PACKET_MTUS if line.take(kind)), None)
    mtu = line.number()
    row = line.interface(tables)
    if mtu is None or row is None or (kind is None and row.is_sub):
        raise whole
    if kind is not None:
        interfaces.set_packet_mtus(tables, row, [mtu if kind == other else 0 for other in _PACKET_MTUS])
    elif not tables.hw_of(row).is_ethernet:
        raise RefusedError(Retval.UNSPECIFIED, "not supported")
    else:
        interfaces.set_link_mtu(tables, tables.hw_of(row), mtu)


def _command_mac(tables: Tables, line: Input) -> None:
    """`set interface mac address <interface> <mac>`."""
    row = line.require_interface(tables)
    mac = line.mac_after("")
    if mac is None:
        raise line.unknown("expected mac address")
    interfaces.set_mac(tables, row, mac)


def _command_name(tables: Tables, line: Input) -> None:
    """`set interface name <port> <name>`; VPP reads on, and takes the last pair."""
    line = line.line()
    found = None
    while not line.is_at_end:
        line.skip_space()
        refusal = RefusedError(Retval.UNSPECIFIED, f"parse error: '{line.shown}'")
        port, name = line.port(tables), line.string()
        if port is None or name is None:
            raise refusal
        found = port, name
    if found is not None:
        interfaces.rename(tables, *found)


def _command_tag(tables: Tables, line: Input) -> None:
    """`set interface tag <interface> <tag>`."""
    whole = line.unknown()
    row = line.interface(tables)
    tag = line.string()
    if row is None or tag is None:
        raise whole
    row.tag = to_bytes(tag)


def _command_clear_tag(tables: Tables, line: Input) -> None:
    """`clear interface tag <interface>`."""
    line.require_interface(tables, "unknown input").tag = b""


_HEADER = "              Name               Idx    State  MTU (L3/IP4/IP6/MPLS)     Counter          Count     "


def _command_show(tables: Tables, line: Input) -> str:
    """`show interface [<interface>...] [address]`."""
    rows: list[SwInterface] = []
    is_address = False
    while not line.is_at_end:
        if line.take("address") or line.take("addr"):
            is_address = True
        elif (row := line.interface(tables)) is not None:
            rows.append(row)
        else:
            raise line.unknown_word()
    rows = rows or sorted(tables.sw, key=lambda row: (tables.hw_of(row).name, row.index))
    if is_address:
        return "".join(_addresses(tables, row) for row in rows)
    return f"{_HEADER}\n" + "".join(_summary(tables, row) for row in rows)


def _summary(tables: Tables, row: SwInterface) -> str:
    state = _centered("up" if row.is_up else "down", 10)
    mtus = _centered("/".join(map(str, row.mtus)), 21)
    return f"{tables.name_of(row):<32}{_centered(str(row.index), 5)}{state}{mtus}\n"


def _centered(text: str, width: int) -> str:
    left = (width - len(text) + 1) // 2
    return " " * left + text + " " * (width - len(text) - left)


def _addresses(tables: Tables, row: SwInterface) -> str:
    lines = [f"{tables.name_of(row)} ({'up' if row.is_up else 'dn'}):\n"]
    for family, book, address in ((4, tables.ip4, ipaddress.IPv4Address), (6, tables.ip6, ipaddress.IPv6Address)):
        table = book.table_of(row.index)
        if family == 6 and table > LAST_TYPED:  # VPP prints that with %d
            table -= 1 << 32
        place = f" ip{family} table-id {table} fib-idx 1" if table else ""
        lines += [f"  L3 {address(each.address)}/{each.length}{place}\n" for each in book.of(row.index)]
    return "".join(lines)


KIND = Kind(
    changes={
        "sw_interface_set_flags": _answer_flags,
        "sw_interface_set_mtu": _answer_mtu,
        "hw_interface_set_mtu": _answer_link_mtu,
        "sw_interface_tag_add_del": _answer_tag,
        "sw_interface_set_interface_name": _answer_name,
        "sw_interface_set_mac_address": _answer_set_mac,
    },
    queries={
        "sw_interface_dump": _dump,
        "sw_interface_get_mac_address": _answer_get_mac,
        "want_interface_events": _answer_want_events,
    },
    commands={
        "set interface state": _command_state,
        "set interface mtu": _command_mtu,
        "set interface mac address": _command_mac,
        "set interface name": _command_name,
        "set interface tag": _command_tag,
        "clear interface tag": _command_clear_tag,
        "show interface": _command_show,
    },
)
