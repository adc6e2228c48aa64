"""CLI commands for bridge domains and their members (vnet/l2/l2_bd.c, l2_input.c)."""

from __future__ import annotations

from vppcfg.simulator import l2
from vppcfg.simulator.mains.bridge import LAST_ID, Feature
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.unformat import Input
from vppcfg.simulator.vnet import bridge
from vppcfg.simulator.wire import to_bytes

_SETTINGS = {
    "flood": Feature.FLOOD,
    "uu-flood": Feature.UU_FLOOD,
    "forward": Feature.FWD,
    "learn": Feature.LEARN,
    "arp-term": Feature.ARP_TERM,
    "arp-ufwd": Feature.ARP_UFWD,
}
_LAST_AGE = 255
_TAG_BYTES = 63


def create(tables: Tables, rest: Input) -> str:
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
    return _create_delete(tables, bd_id, values, tag) if is_add else _delete(tables, bd_id)


def _create_delete(tables: Tables, wanted: int | None, values: dict[str, int], tag: str) -> str:
    bd_id = bridge.unused_id(tables) if wanted is None else wanted
    _check_default(bd_id)
    if values["mac-age"] > _LAST_AGE:
        raise RefusedError(Retval.UNSPECIFIED, "mac age must be less than 256")
    if len(to_bytes(tag)) > _TAG_BYTES:
        raise RefusedError(Retval.UNSPECIFIED, "bd-tag cannot be longer than 63")
    features = sum(feature for word, feature in _SETTINGS.items() if values[word])
    bridge.create(tables, bridge.Wish(bd_id=bd_id, features=features, mac_age=values["mac-age"], tag=to_bytes(tag)))
    return f"bridge-domain {bd_id}\n"


def _delete(tables: Tables, bd_id: int | None) -> str:
    if bd_id is None:
        raise RefusedError(Retval.UNSPECIFIED, "bridge-domain-id not specified")
    _check_default(bd_id)
    bridge.delete(tables, bd_id)
    return ""


def _check_default(bd_id: int) -> None:
    if bd_id == 0:
        raise RefusedError(Retval.UNSPECIFIED, "bridge domain 0 can not be modified")


def _set_feature(tables: Tables, line: Input, feature: int) -> str:
    domain = bridge.require(tables, _bd_id(line))
    bridge.set_features(domain, feature, not line.take("disable"))
    return ""


def _bd_id(line: Input) -> int:
    whole = line.unknown("expecting bridge-domain id but got")
    bd_id = line.number()
    if bd_id is None:
        raise whole
    return bd_id


def set_learn(tables: Tables, line: Input) -> str:
    """`set bridge-domain learn <id> [disable]`."""
    return _set_feature(tables, line, Feature.LEARN)


def set_forward(tables: Tables, line: Input) -> str:
    """`set bridge-domain forward <id> [disable]`."""
    return _set_feature(tables, line, Feature.FWD)


def set_flood(tables: Tables, line: Input) -> str:
    """`set bridge-domain flood <id> [disable]`."""
    return _set_feature(tables, line, Feature.FLOOD)


def set_uu_flood(tables: Tables, line: Input) -> str:
    """`set bridge-domain uu-flood <id> [disable]`."""
    return _set_feature(tables, line, Feature.UU_FLOOD)


def set_arp_term(tables: Tables, line: Input) -> str:
    """`set bridge-domain arp term <id> [disable]`."""
    return _set_feature(tables, line, Feature.ARP_TERM)


def set_arp_ufwd(tables: Tables, line: Input) -> str:
    """`set bridge-domain arp-ufwd <id> [disable]`."""
    return _set_feature(tables, line, Feature.ARP_UFWD)


def set_mac_age(tables: Tables, line: Input) -> str:
    """`set bridge-domain mac-age <id> <minutes>`."""
    domain = bridge.require(tables, _bd_id(line))
    whole = line.unknown("expecting ageing time in minutes but got")
    minutes = line.number()
    if minutes is None:
        raise whole
    if minutes > _LAST_AGE:
        raise RefusedError(Retval.UNSPECIFIED, "mac aging time cannot be bigger than 255")
    domain.mac_age = minutes
    return ""


def set_member(tables: Tables, line: Input) -> str:
    """`set interface l2 bridge <interface> <id> [bvi|uu-fwd] [<group>]`."""
    row = line.require_interface(tables)
    whole = line.unknown("expected bridge domain ID")
    bd_id = line.number()
    if bd_id is None:
        raise whole
    if bd_id > LAST_ID:
        raise RefusedError(Retval.BD_ID_EXCEED_MAX, "bridge domain ID exceed 16M limit")
    index = bridge.find_or_add(tables, bd_id)
    port_type = l2.PortType.BVI if line.take("bvi") else l2.PortType.NORMAL
    port_type = l2.PortType.UU_FWD if line.take("uu-fwd") else port_type
    l2.set_bridge(tables, row, index, port_type, line.number() or 0)
    return ""
