"""Messages about bridge domains and their members (vnet/l2/l2_api.c)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator import l2
from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing
from vppcfg.simulator.mains.bridge import LAST_ID, BridgeDomain, Feature
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.vnet import bridge
from vppcfg.simulator.wire import NONE, Value

_SHOWN = (Feature.FLOOD, Feature.UU_FLOOD, Feature.FWD, Feature.LEARN, Feature.ARP_TERM, Feature.ARP_UFWD)
"""In the order of the messages."""
_FLAGS = {
    1: Feature.LEARN,
    2: Feature.FWD,
    4: Feature.FLOOD,
    8: Feature.UU_FLOOD,
    16: Feature.ARP_TERM,
    32: Feature.ARP_UFWD,
}
"""bd_flags (vnet/l2/l2.api)."""


def add_delete(call: Call, bd_id: int, *settings: Value) -> list[Outgoing]:
    """Make or delete a bridge domain."""
    _add_delete(call.tables, bd_id, settings)
    return [("bridge_domain_add_del_reply", (0,))]


def add_delete_v2(call: Call, bd_id: int, *settings: Value) -> list[Outgoing]:
    """Make or delete a bridge domain; ~0 has VPP choose an id."""
    tables = call.tables
    if bd_id == NONE and settings[-1]:
        bd_id = bridge.unused_id(tables)
    try:
        _add_delete(tables, bd_id, settings)
    except RefusedError as refusal:
        return [("bridge_domain_add_del_v2_reply", (refusal.retval, bd_id))]
    return [("bridge_domain_add_del_v2_reply", (0, bd_id))]


def _add_delete(tables: Tables, bd_id: int, settings: tuple[Value, ...]) -> None:
    *switches, mac_age, tag, is_add = settings
    if not is_add:
        bridge.delete(tables, bd_id)
        return
    features = sum(feature for feature, is_on in zip(_SHOWN, switches, strict=True) if is_on)
    text = tag[:-1].split(b"\0", 1)[0] if isinstance(tag, bytes) else b""
    age = mac_age if isinstance(mac_age, int) else 0
    bridge.create(tables, bridge.Wish(bd_id=bd_id, features=features, mac_age=age, tag=text))


def dump(call: Call, bd_id: int, sw_if_index: int) -> Iterator[Outgoing]:
    """Show all bridge domains or one, by their index; VPP's own is not shown, and none is found by a member."""
    tables = call.tables
    if sw_if_index != NONE or bd_id == 0:
        return
    for domain in tables.bridges.domains:
        if domain.bd_id and bd_id in {NONE, domain.bd_id}:
            yield "bridge_domain_details", _details(tables, domain, domain.bd_id)


def _details(tables: Tables, domain: BridgeDomain, bd_id: int) -> tuple[Value, ...]:
    switches = [bool(domain.features & feature) for feature in _SHOWN]
    bvi = NONE if domain.bvi is None else domain.bvi
    uu_fwd = NONE if domain.uu_fwd is None else domain.uu_fwd
    members = [(0, index, tables.l2_of(index).group & 0xFF) for index in domain.members]
    return bd_id, *switches, domain.mac_age, domain.tag[:63], bvi, uu_fwd, len(members), members


def set_mac_age(call: Call, bd_id: int, minutes: int) -> list[Outgoing]:
    """Set how long learned addresses stay."""
    bridge.require(call.tables, bd_id).mac_age = minutes
    return [("bridge_domain_set_mac_age_reply", (0,))]


def set_flags(call: Call, bd_id: int, is_set: bool, flags: int) -> list[Outgoing]:
    """Turn switches of a bridge domain on or off."""
    domain = bridge.require(call.tables, bd_id)
    features = sum(feature for flag, feature in _FLAGS.items() if flags & flag)
    return [("bridge_flags_reply", (0, bridge.set_features(domain, features, is_set)))]


def set_member(call: Call, sw_if_index: int, bd_id: int, kind: int, group: int, is_enable: bool) -> list[Outgoing]:
    """Make an interface a member of a bridge domain, which is made if need be, or return it to L3."""
    tables = call.tables
    row = interface.require(tables, sw_if_index)
    if kind > max(l2.PortType):
        raise RefusedError(Retval.INVALID_VALUE)
    if not is_enable:
        l2.set_l3(tables, sw_if_index)
    elif bd_id > LAST_ID:
        raise RefusedError(Retval.BD_ID_EXCEED_MAX)
    else:
        l2.set_bridge(tables, row, bridge.find_or_add(tables, bd_id), l2.PortType(kind), group)
    return [("sw_interface_set_l2_bridge_reply", (0,))]


HANDLERS: Handlers = {
    "bridge_domain_add_del": Handler(answer=add_delete, is_change=True),
    "bridge_domain_add_del_v2": Handler(answer=add_delete_v2, is_change=True),
    "bridge_domain_dump": Handler(answer=dump),
    "bridge_domain_set_mac_age": Handler(answer=set_mac_age, is_change=True),
    "bridge_flags": Handler(answer=set_flags, is_change=True),
    "sw_interface_set_l2_bridge": Handler(answer=set_member, is_change=True),
}
