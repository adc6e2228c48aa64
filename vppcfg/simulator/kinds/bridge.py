"""Simulates bridge domains: their settings, members and ARP entries (vnet/l2/l2_bd.c), and static MAC addresses.

ARP entries go with their domain, MAC addresses outlive it and their interface (vnet/l2/l2_fib.c).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from vppcfg.errors import UsageError
from vppcfg.model.bridge_arp import BridgeArp
from vppcfg.model.state import State
from vppcfg.record import record
from vppcfg.simulator import interfaces, l2
from vppcfg.simulator.command_line import Command, Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.l2 import MacEntry, MacTable
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import DEFAULT_FEATURES, BridgeDomain, BridgeFeature, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, to_bytes

_LAST_ID = (1 << 24) - 1
_LAST_AGE = 255
_TAG_BYTES = 63
_SWITCHES = {
    "flood": BridgeFeature.FLOOD,
    "uu_flood": BridgeFeature.UU_FLOOD,
    "forward": BridgeFeature.FWD,
    "learn": BridgeFeature.LEARN,
    "arp_term": BridgeFeature.ARP_TERM,
    "arp_ufwd": BridgeFeature.ARP_UFWD,
}
"""What can be set, by the fields of the API."""
_SETTABLE = sum(_SWITCHES.values())
_FLAGS = {
    1: BridgeFeature.LEARN,
    2: BridgeFeature.FWD,
    4: BridgeFeature.FLOOD,
    8: BridgeFeature.UU_FLOOD,
    16: BridgeFeature.ARP_TERM,
    32: BridgeFeature.ARP_UFWD,
}
"""bd_flags."""
_NO_DEFAULT = "bridge domain 0 can not be modified"


@record
class BridgeRequest:
    """The bridge domain that is asked for."""

    bd_id: int
    features: int
    mac_age: int = 0
    tag: bytes = b""


def create(tables: Tables, request: BridgeRequest) -> None:
    """Make a bridge domain; raise RefusedError when there is one or the id is too large."""
    if request.bd_id in tables.bridges.by_id:
        retval = Retval.BD_ALREADY_EXISTS
        raise RefusedError(retval, f"bd_add_del returned {retval.value}")
    if request.bd_id > _LAST_ID:
        raise RefusedError(Retval.BD_ID_EXCEED_MAX, "bridge domain ID exceed 16M limit")
    domain = tables.bridges.domains[find_or_add(tables, request.bd_id)]
    domain.features = (domain.features & ~_SETTABLE) | request.features
    domain.mac_age, domain.tag = request.mac_age, request.tag


def find_or_add(tables: Tables, bd_id: int) -> int:
    """Return the index of a bridge domain, made at the lowest free index when there is none.

    The age of MACs there stays that of the domain before.
    """
    main = tables.bridges
    if bd_id not in main.by_id:
        index = next((index for index, domain in enumerate(main.domains) if domain.bd_id is None), len(main.domains))
        age = main.domains[index].mac_age if index < len(main.domains) else 0
        main.domains[index : index + 1] = [BridgeDomain(bd_id=bd_id, features=DEFAULT_FEATURES, mac_age=age)]
        main.by_id[bd_id] = index
    return main.by_id[bd_id]


def _unused_id(tables: Tables) -> int:
    """Return an id that is free; VPP draws one by lot."""
    return next(bd_id for bd_id in range(1, _LAST_ID + 1) if bd_id not in tables.bridges.by_id)


def delete(tables: Tables, bd_id: int) -> None:
    """Delete a bridge domain; raise RefusedError when there is none, or one with members, or VPP's own."""
    index = required(tables.bridges.by_id.get(bd_id), "bridge domain ID does not exist", Retval.NO_SUCH_ENTRY)
    if index == 0:
        raise RefusedError(Retval.BD_NOT_MODIFIABLE, _NO_DEFAULT)
    if tables.bridges.domains[index].members:
        raise RefusedError(Retval.BD_IN_USE, "bridge domain in use - remove members")
    del tables.bridges.by_id[bd_id]
    tables.bridges.domains[index] = BridgeDomain(mac_age=tables.bridges.domains[index].mac_age)


def require(tables: Tables, bd_id: int) -> BridgeDomain:
    """Return a bridge domain that may be changed; raise RefusedError when there is none."""
    if bd_id == 0:
        text = "No operations on the default bridge domain are supported"
        raise RefusedError(Retval.BD_NOT_MODIFIABLE, text)
    index = required(tables.bridges.by_id.get(bd_id), f"No such bridge domain {bd_id}", Retval.NO_SUCH_ENTRY)
    return tables.bridges.domains[index]


def _set_features(domain: BridgeDomain, features: int, is_on: bool) -> int:
    """Turn features on or off and return all."""
    domain.features = domain.features | features if is_on else domain.features & ~features
    return domain.features


def _answer_add_delete(call: Call, values: Values) -> Outgoing:
    """Make or delete a bridge domain; in version 2, ~0 has VPP choose an id, and even a refusal returns it."""
    bd_id, is_v2 = values["bd_id"], call.message.endswith("_v2")
    if is_v2 and bd_id == NONE and values["is_add"]:
        bd_id = _unused_id(call.tables)
    try:
        _add_delete(call.tables, bd_id, values)
    except RefusedError as refusal:
        return call.reply(retval=refusal.retval, bd_id=bd_id)
    return call.reply(bd_id=bd_id)


def _add_delete(tables: Tables, bd_id: int, values: Values) -> None:
    if not values["is_add"]:
        delete(tables, bd_id)
        return
    features = sum(feature for name, feature in _SWITCHES.items() if values[name])
    tag = values["bd_tag"][:-1].split(b"\0", 1)[0]
    create(tables, BridgeRequest(bd_id=bd_id, features=features, mac_age=values["mac_age"], tag=tag))


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show all bridge domains or one, by their index; VPP's own is not shown, and none is found by a member."""
    if values["sw_if_index"] != NONE or values["bd_id"] == 0:
        return
    for domain in call.tables.bridges.domains:
        if domain.bd_id and values["bd_id"] in {NONE, domain.bd_id}:
            yield call.details(_details(call.tables, domain))


def _details(tables: Tables, domain: BridgeDomain) -> Values:
    return {
        "bd_id": domain.bd_id,
        **{name: bool(domain.features & feature) for name, feature in _SWITCHES.items()},
        "mac_age": domain.mac_age,
        "bd_tag": domain.tag[:_TAG_BYTES],
        "bvi_sw_if_index": NONE if domain.bvi is None else domain.bvi,
        "uu_fwd_sw_if_index": NONE if domain.uu_fwd is None else domain.uu_fwd,
        "sw_if_details": [(0, index, tables.l2_of(index).group & 0xFF) for index in domain.members],
    }


def _answer_mac_age(call: Call, values: Values) -> None:
    """Set how long learned addresses stay."""
    require(call.tables, values["bd_id"]).mac_age = values["mac_age"]


def _answer_flags(call: Call, values: Values) -> Outgoing:
    """Turn switches of a bridge domain on or off."""
    domain = require(call.tables, values["bd_id"])
    features = sum(feature for flag, feature in _FLAGS.items() if values["flags"] & flag)
    return call.reply(resulting_feature_bitmap=_set_features(domain, features, values["is_set"]))


def _answer_member(call: Call, values: Values) -> None:
    """Make an interface a member of a bridge domain, which is made if need be, or return it to L3."""
    row = interfaces.require(call.tables, values["rx_sw_if_index"])
    if values["port_type"] > max(l2.PortType):
        raise RefusedError(Retval.INVALID_VALUE)
    if not values["enable"]:
        l2.set_l3(call.tables, row.index)
    elif values["bd_id"] > _LAST_ID:
        raise RefusedError(Retval.BD_ID_EXCEED_MAX)
    else:
        index = find_or_add(call.tables, values["bd_id"])
        l2.set_bridge(call.tables, row, index, l2.PortType(values["port_type"]), values["shg"])


def _command_create(tables: Tables, rest: Input) -> str:
    """`create bridge-domain [<id>] [learn 0|1] .. [mac-age <minutes>] [bd-tag <tag>] [del]`; the rest is ignored."""
    line = rest.line()
    bd_id: int | None = None
    values = {"flood": 1, "uu-flood": 1, "forward": 1, "learn": 1, "arp-term": 0, "arp-ufwd": 0, "mac-age": 0}
    tag, is_add = "", True
    while not line.is_at_end:
        number = line.number()
        word = next((word for word in values if number is None and line.take_setting(word, values)), None)
        if number is not None:
            bd_id = number
        elif line.take("bd-tag"):
            tag = line.string() or ""
        elif line.take("del"):
            is_add = False
        elif word is None:
            break
    return _created(tables, bd_id, values, tag) if is_add else _deleted(tables, bd_id)


def _created(tables: Tables, desired: int | None, values: dict[str, int], tag: str) -> str:
    bd_id = _unused_id(tables) if desired is None else desired
    _check_default(bd_id)
    if values["mac-age"] > _LAST_AGE:
        raise RefusedError(Retval.UNSPECIFIED, "mac age must be less than 256")
    if len(to_bytes(tag)) > _TAG_BYTES:
        raise RefusedError(Retval.UNSPECIFIED, "bd-tag cannot be longer than 63")
    features = sum(feature for name, feature in _SWITCHES.items() if values[name.replace("_", "-")])
    create(tables, BridgeRequest(bd_id=bd_id, features=features, mac_age=values["mac-age"], tag=to_bytes(tag)))
    return f"bridge-domain {bd_id}\n"


def _deleted(tables: Tables, bd_id: int | None) -> str:
    bd_id = required(bd_id, "bridge-domain-id not specified")
    _check_default(bd_id)
    delete(tables, bd_id)
    return ""


def _check_default(bd_id: int) -> None:
    if bd_id == 0:
        raise RefusedError(Retval.UNSPECIFIED, _NO_DEFAULT)


def _switch(feature: int) -> Command:
    """Return the command `set bridge-domain <switch> <id> [disable]`."""

    def command(tables: Tables, line: Input) -> None:
        domain = require(tables, _bd_id(line))
        _set_features(domain, feature, not line.take("disable"))

    return command


def _bd_id(line: Input) -> int:
    whole = line.unknown("expecting bridge-domain id but got")
    bd_id = line.number()
    if bd_id is None:
        raise whole
    return bd_id


def _command_mac_age(tables: Tables, line: Input) -> None:
    """`set bridge-domain mac-age <id> <minutes>`."""
    domain = require(tables, _bd_id(line))
    whole = line.unknown("expecting ageing time in minutes but got")
    minutes = line.number()
    if minutes is None:
        raise whole
    if minutes > _LAST_AGE:
        raise RefusedError(Retval.UNSPECIFIED, "mac aging time cannot be bigger than 255")
    domain.mac_age = minutes


def _command_member(tables: Tables, line: Input) -> None:
    """`set interface l2 bridge <interface> <id> [bvi|uu-fwd] [<group>]`."""
    row = line.require_interface(tables)
    whole = line.unknown("expected bridge domain ID")
    bd_id = line.number()
    if bd_id is None:
        raise whole
    if bd_id > _LAST_ID:
        raise RefusedError(Retval.BD_ID_EXCEED_MAX, "bridge domain ID exceed 16M limit")
    index = find_or_add(tables, bd_id)
    port_type = l2.PortType.BVI if line.take("bvi") else l2.PortType.NORMAL
    port_type = l2.PortType.UU_FWD if line.take("uu-fwd") else port_type
    l2.set_bridge(tables, row, index, port_type, line.number() or 0)


_OF_SETTINGS = {
    "learn": BridgeFeature.LEARN,
    "unicast_flood": BridgeFeature.FLOOD,
    "unknown_unicast_flood": BridgeFeature.UU_FLOOD,
    "unicast_forward": BridgeFeature.FWD,
    "arp_termination": BridgeFeature.ARP_TERM,
    "arp_unicast_forward": BridgeFeature.ARP_UFWD,
}
"""Features by the settings of a state."""


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Make the bridge domains and their members."""
    for model in sorted(state.bridges.values(), key=lambda model: model.bd_id):
        settings = model.settings
        request = BridgeRequest(
            bd_id=model.bd_id,
            features=sum(feature for name, feature in _OF_SETTINGS.items() if getattr(settings, name)),
            mac_age=settings.mac_age_minutes,
            tag=to_bytes(model.tag),
        )
        try:
            create(tables, request)
        except RefusedError as refusal:
            raise UsageError(f"VPP cannot have bridge domain {model.bd_id} ({refusal.retval})", refusal.text) from None
    for name, row in rows.items():
        desired = state.interfaces[name]
        if desired.bridge is not None:
            port_type = l2.PortType.BVI if desired.is_bvi else l2.PortType.NORMAL
            l2.set_bridge(tables, row, find_or_add(tables, desired.bridge), port_type, desired.split_horizon_group)


def set_arp(tables: Tables, bd_id: int, address: bytes, mac: bytes, *, is_add: bool) -> None:
    """Enter an address, or take it out with its MAC address; raise RefusedError for another one, or none."""
    entries = require(tables, bd_id).arp
    if is_add:
        entries[address] = mac
    elif entries.get(address) != mac:
        raise RefusedError(Retval.UNSPECIFIED, "MAC del for IP failed")
    else:
        del entries[address]


def _answer_arp(call: Call, values: Values) -> None:
    address = values["entry.ip.un"][: 16 if values["entry.ip.af"] else 4]
    set_arp(call.tables, values["entry.bd_id"], address, values["entry.mac"], is_add=bool(values["is_add"]))


def _dump_arp(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the entries of one bridge domain or of all, IPv4 first."""
    asked = values["bd_id"]
    for domain in call.tables.bridges.domains[1:]:
        if domain.bd_id is None or asked not in (NONE, domain.bd_id):
            continue
        for address in sorted(domain.arp, key=len):
            shown = {"entry.bd_id": domain.bd_id, "entry.ip.af": len(address) == 16, "entry.mac": domain.arp[address]}
            yield call.details({**shown, "entry.ip.un": address.ljust(16, b"\0")})


def _command_arp(tables: Tables, line: Input) -> None:
    """`set bridge-domain arp entry <id> <address> <mac> [del]`, or `... <id> del-all`."""
    bd_id = line.number()
    if bd_id is None:
        raise line.unknown("expecting bridge-domain id but got")
    domain = require(tables, bd_id)
    address = line.address()
    if address is None and line.take("del-all"):
        domain.arp.clear()
        return
    mac = line.mac_after("")
    if address is None or mac is None:
        raise line.unknown(f"expecting {'IP' if address is None else 'MAC'} address but got")
    set_arp(tables, bd_id, address.packed, mac, is_add=not line.take("del"))


def _load_arp(tables: Tables, state: State, rows: Rows) -> None:
    for entry in state.of(BridgeArp).values():
        set_arp(tables, entry.bd_id, ipaddress.ip_address(entry.address).packed, mac_bytes(entry.mac), is_add=True)


def _answer_mac(call: Call, values: Values) -> None:
    tables, mac, index = call.tables, values["mac"], values["sw_if_index"]
    bd_index = required(tables.bridges.by_id.get(values["bd_id"]), retval=Retval.NO_SUCH_ENTRY)
    if values["is_add"]:
        tables.part(MacTable).entries[bd_index, mac] = _entry(tables, index, values)
    elif not tables.part(MacTable).delete(bd_index, mac, index):
        raise RefusedError(Retval.NO_SUCH_ENTRY)


def _entry(tables: Tables, sw_if_index: int, values: Values) -> MacEntry:
    """Return the entry that is asked for; the interface must be in a bridge domain, in whatever one."""
    if values["filter_mac"]:
        return _FILTER
    interfaces.require(tables, sw_if_index)
    config = tables.l2.get(sw_if_index)
    if config is None or config.bridge is None:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)
    return MacEntry(sw_if_index=sw_if_index, is_static=bool(values["static_mac"]), is_bvi=bool(values["bvi_mac"]))


_FILTER = MacEntry(sw_if_index=NONE, is_static=True, is_filter=True)


def _dump_macs(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the entries of one bridge domain, or of all, deleted ones included."""
    for (bd_index, mac), entry in sorted(call.tables.part(MacTable).entries.items(), key=lambda item: item[0]):
        bd_id = call.tables.bridges.domains[bd_index].bd_id
        if values["bd_id"] in (NONE, bd_id):
            yield call.details(
                {
                    "bd_id": NONE if bd_id is None else bd_id,
                    "mac": mac,
                    "sw_if_index": entry.sw_if_index,
                    "static_mac": entry.is_static,
                    "filter_mac": entry.is_filter,
                    "bvi_mac": entry.is_bvi,
                }
            )


def _named(tables: Tables, line: Input) -> tuple[int, bytes]:
    """Return the bridge domain, by its index, and the MAC address that a command begins with."""
    whole = line.unknown("expected mac address")
    mac = line.mac_after("")
    if mac is None:
        raise whole
    whole = line.unknown("expected bridge domain ID")
    bd_id = line.number()
    if bd_id is None:
        raise whole
    if bd_id not in tables.bridges.by_id:
        raise RefusedError(Retval.UNSPECIFIED, f"bridge domain ID {bd_id} invalid")
    return tables.bridges.by_id[bd_id], mac


def _command_add_mac(tables: Tables, line: Input) -> None:
    """`l2fib add <mac> <id> {filter | <interface> [static | bvi]}`; of the interface it asks no more than an index."""
    key = _named(tables, line)
    if line.take("filter"):
        tables.part(MacTable).entries[key] = _FILTER
        return
    row = line.require_interface(tables)
    is_static = line.take("static")
    is_bvi = not is_static and line.take("bvi")
    if row.index >= tables.l2_length:
        raise RefusedError(Retval.UNSPECIFIED, f"Interface sw_if_index {row.index} not in L2 mode")
    entry = MacEntry(sw_if_index=row.index, is_static=is_static or is_bvi, is_bvi=is_bvi)
    tables.part(MacTable).entries[key] = entry


def _command_delete_mac(tables: Tables, line: Input) -> None:
    """`l2fib del <mac> <id>`."""
    if not tables.part(MacTable).delete(*_named(tables, line), 0):
        raise RefusedError(Retval.UNSPECIFIED, "mac entry not found")


def _command_clear_macs(tables: Tables, line: Input) -> None:
    """`clear l2fib`, which forgets what was typed, too (l2fib_clear_table)."""
    tables.part(MacTable).entries.clear()


def _load_macs(tables: Tables, state: State, rows: Rows) -> None:
    entries = tables.part(MacTable).entries
    for bridge in state.bridges.values():
        for mac in bridge.filtered_macs:
            entries[tables.bridges.by_id[bridge.bd_id], mac_bytes(mac)] = _FILTER
        for mac in bridge.stray_macs:
            gone = MacEntry(sw_if_index=_GONE, is_static=True)
            entries[tables.bridges.by_id[bridge.bd_id], mac_bytes(mac)] = gone
    for name, row in rows.items():
        for each in state.interfaces[name].static_macs:
            entry = MacEntry(sw_if_index=row.index, is_static=True)
            entries[tables.bridges.by_id[each.bd_id], mac_bytes(each.mac)] = entry


_GONE = 1 << 20
"""The index of an interface that is gone; none ever gets one so large."""


KIND = Kind(
    changes={
        "bridge_domain_add_del": _answer_add_delete,
        "bridge_domain_add_del_v2": _answer_add_delete,
        "bridge_domain_set_mac_age": _answer_mac_age,
        "bridge_flags": _answer_flags,
        "sw_interface_set_l2_bridge": _answer_member,
    },
    queries={"bridge_domain_dump": _dump},
    commands={
        "create bridge-domain": _command_create,
        "set bridge-domain learn": _switch(BridgeFeature.LEARN),
        "set bridge-domain forward": _switch(BridgeFeature.FWD),
        "set bridge-domain flood": _switch(BridgeFeature.FLOOD),
        "set bridge-domain uu-flood": _switch(BridgeFeature.UU_FLOOD),
        "set bridge-domain arp term": _switch(BridgeFeature.ARP_TERM),
        "set bridge-domain arp-ufwd": _switch(BridgeFeature.ARP_UFWD),
        "set bridge-domain mac-age": _command_mac_age,
        "set interface l2 bridge": _command_member,
    },
    load=_load,
)

ARP = Kind(
    changes={"bd_ip_mac_add_del": _answer_arp},
    queries={"bd_ip_mac_dump": _dump_arp},
    commands={"set bridge-domain arp entry": _command_arp},
    load=_load_arp,
)

MACS = Kind(
    changes={"l2fib_add_del": _answer_mac},
    queries={"l2_fib_table_dump": _dump_macs},
    commands={
        "clear l2fib": _command_clear_macs,
        "l2fib add": _command_add_mac,
        "l2fib del": _command_delete_mac,
    },
    load=_load_macs,
)
