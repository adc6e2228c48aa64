"""Simulates router advertisements and link-local addresses (vnet/ip6-nd/ip6_ra.c, vnet/ip/ip_api.c). None is sent.

Addresses by autoconfiguration (vnet/ip6-nd/rd_cp.c) follow from those that tests let in, in place of routers.
"""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from vppcfg.model.state import State
from vppcfg.simulator import interfaces, ip6_link
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import address
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_PART = "ra"
_HOP_LIMIT = 64
_FOREVER = 0xFFFFFFFF
_VALID_S, _PREFERRED_S = 2592000, 604800
_MAX_LIFETIME_S = 9000
_SHORTEST_S = 3
_MOST_INITIAL, _LONGEST_INITIAL_S = 3, 16
_DEFAULT_MAX_S, _DEFAULT_MIN_S, _DEFAULT_LIFETIME_S = 200, 150, 600


@dataclass(slots=True, kw_only=True)
class Prefix:
    """One advertised prefix (ip6_radv_prefix_t)."""

    length: int
    valid_s: int = _VALID_S
    preferred_s: int = _PREFERRED_S
    is_on_link: bool = True
    is_autonomous: bool = True
    is_enabled: bool = True
    is_counted_down: bool = True


@dataclass(slots=True, kw_only=True)
class Advertiser:
    """What an interface advertises (ip6_ra_t)."""

    is_sending: bool = False
    is_managed: bool = False
    is_other: bool = False
    has_link_layer: bool = True
    is_unicast: bool = False
    is_ceasing: bool = False
    lifetime_s: int = _DEFAULT_LIFETIME_S
    max_s: int = _DEFAULT_MAX_S
    min_s: int = _DEFAULT_MIN_S
    initial_count: int = _MOST_INITIAL
    initial_s: int = _LONGEST_INITIAL_S
    prefixes: dict[bytes, Prefix] = field(default_factory=dict)
    """By their address, with all its bits."""


def _advertiser(tables: Tables, sw_if_index: int) -> Advertiser | None:
    """Return what an interface advertises, None where IPv6 is off or there is no Ethernet."""
    link = ip6_link.find(tables, sw_if_index)
    if link is None or not ip6_link.is_on_ethernet(tables, sw_if_index):
        return None
    advertiser = link.parts.setdefault(_PART, Advertiser())
    assert isinstance(advertiser, Advertiser)
    return advertiser


def configure(tables: Tables, sw_if_index: int, wish: Values) -> None:
    """Set what `wish` names, or take it back to its default; raise RefusedError as ip6_ra_config does."""
    ra = required(_advertiser(tables, sw_if_index), retval=Retval.IP6_NOT_ENABLED)
    ra.is_sending = True
    is_no = bool(wish["is_no"])
    longest, shortest = wish["max_interval"], wish["min_interval"]
    if longest and not shortest:
        shortest = longest * 3 // 4
    longest = (_DEFAULT_MAX_S if is_no else longest) if longest else ra.max_s
    shortest = (_DEFAULT_MIN_S if is_no else shortest) if shortest else ra.min_s
    lifetime = (_DEFAULT_LIFETIME_S if is_no else wish["lifetime"]) if wish["default_router"] == 1 else ra.lifetime_s
    lifetime = min(lifetime, _MAX_LIFETIME_S)
    if lifetime and lifetime <= longest:
        raise RefusedError(Retval.INVALID_VALUE)
    if shortest and (shortest * 4 > longest * 3 or shortest < _SHORTEST_S):
        raise RefusedError(Retval.INVALID_VALUE)
    if wish["initial_count"] > _MOST_INITIAL or wish["initial_interval"] > _LONGEST_INITIAL_S:
        raise RefusedError(Retval.INVALID_VALUE)
    if wish["suppress"] == 1:
        ra.is_sending = is_no
    ra.is_managed = not is_no if wish["managed"] == 1 else ra.is_managed
    ra.is_other = not is_no if wish["other"] == 1 else ra.is_other
    ra.has_link_layer = is_no if wish["ll_option"] == 1 else ra.has_link_layer
    ra.is_unicast = not is_no if wish["send_unicast"] == 1 else ra.is_unicast
    ra.is_ceasing = not is_no if wish["cease"] == 1 else ra.is_ceasing
    ra.max_s, ra.min_s, ra.lifetime_s = longest, shortest, lifetime
    if wish["initial_count"]:
        ra.initial_count = _MOST_INITIAL if is_no else wish["initial_count"]
    if wish["initial_interval"]:
        ra.initial_s = _LONGEST_INITIAL_S if is_no else wish["initial_interval"]
    if wish["cease"] == 1 and is_no:
        ra.is_sending = True


def set_prefix(tables: Tables, sw_if_index: int, address: bytes, length: int, wish: Values) -> None:
    """Name a prefix, change one or take it out; raise RefusedError as ip6_ra_prefix does."""
    ra = required(_advertiser(tables, sw_if_index), retval=Retval.IP6_NOT_ENABLED)
    known = ra.prefixes.get(address)
    if known is None and wish["is_no"]:
        raise RefusedError(Retval.INVALID_VALUE)
    if known is not None and known.length != length:
        raise RefusedError(Retval.INVALID_VALUE_2)
    if wish["is_no"]:
        del ra.prefixes[address]
        return
    if known is None:
        known = ra.prefixes[address] = Prefix(length=length)
        if wish["use_default"]:
            return
    if _FOREVER in (wish["val_lifetime"], wish["pref_lifetime"]):
        known.valid_s = known.preferred_s = _FOREVER
        known.is_counted_down = False
    else:
        known.valid_s, known.preferred_s = wish["val_lifetime"], wish["pref_lifetime"]
    known.is_enabled = not wish["no_advertise"]
    known.is_on_link = not (wish["off_link"] or wish["no_onlink"])
    known.is_autonomous = not wish["no_autoconfig"]


def _answer_config(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    configure(call.tables, values["sw_if_index"], values)


def _answer_prefix(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    set_prefix(call.tables, values["sw_if_index"], values["prefix.address.un"], values["prefix.len"], values)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    desired = values["sw_if_index"]
    for index in sorted(call.tables.part(ip6_link.Ip6LinkMain).links):
        ra = _advertiser(call.tables, index) if desired in (NONE, index) else None
        if ra is not None:
            yield call.details(_details(index, ra, call.tables.part(ip6_link.Ip6LinkMain).links[index].mtu))


def _details(sw_if_index: int, ra: Advertiser, mtu: int) -> Values:
    return {
        "sw_if_index": sw_if_index,
        "cur_hop_limit": _HOP_LIMIT,
        "adv_managed_flag": ra.is_managed,
        "adv_other_flag": ra.is_other,
        "adv_router_lifetime": ra.lifetime_s,
        "adv_link_mtu": mtu,
        "send_radv": ra.is_sending,
        "cease_radv": ra.is_ceasing,
        "send_unicast": ra.is_unicast,
        "adv_link_layer_address": ra.has_link_layer,
        "max_radv_interval": _real(ra.max_s),
        "min_radv_interval": _real(ra.min_s),
        "initial_adverts_count": ra.initial_count,
        "initial_adverts_interval": _real(ra.initial_s),
        "prefixes": [_row(address, prefix) for address, prefix in ra.prefixes.items()],
    }


def _row(address: bytes, prefix: Prefix) -> tuple[int | bytes, ...]:
    return (
        *(1, address, prefix.length, prefix.is_on_link, prefix.is_autonomous, prefix.valid_s, prefix.preferred_s),
        *(_real(0), _real(0), prefix.is_counted_down, not prefix.is_enabled),
    )


def _real(number: int) -> bytes:
    return struct.pack("<d", number)


_WORDS = {
    "ra-managed-config-flag": "managed",
    "ra-other-config-flag": "other",
    "ra-suppress": "suppress",
    "ra-surpress": "suppress",
    "ra-send-unicast": "send_unicast",
    "ra-cease": "cease",
}
_PREFIX_WORDS = {
    "no-advertise": "no_advertise",
    "off-link": "off_link",
    "no-autoconfig": "no_autoconfig",
    "no-onlink": "no_onlink",
}
_NOTHING: dict[str, int] = dict.fromkeys(
    (
        *("suppress", "managed", "other", "ll_option", "send_unicast", "cease", "is_no", "default_router", "lifetime"),
        *("max_interval", "min_interval", "initial_count", "initial_interval", "val_lifetime", "pref_lifetime"),
        *("use_default", "no_advertise", "off_link", "no_autoconfig", "no_onlink"),
    ),
    0,
)


def _nd_command(tables: Tables, rest: Input) -> None:
    """`ip6 nd <interface> [no] [ra-...] | [no] prefix <address>/<length> [...]`; VPP does not report what it refuses.

    Only what the end of a prefix cannot read is an error; elsewhere VPP stops reading there.
    """
    line = rest.line()
    if line.is_at_end:
        return
    row = required(line.interface(tables), f"invalid interface name {line.shown}'")
    if not ip6_link.is_on_ethernet(tables, row.index):
        raise RefusedError(Retval.UNSPECIFIED, "Interface must be of ethernet type")
    if ip6_link.find(tables, row.index) is None:
        raise RefusedError(Retval.UNSPECIFIED, f"IP6 nt enabler interface {line.shown}'")
    wish = dict(_NOTHING)
    prefix = _read_wish(line, wish)
    try:
        if prefix is None:
            configure(tables, row.index, wish)
        else:
            _read_prefix(line, wish)
            set_prefix(tables, row.index, prefix[1].to_bytes(16), prefix[2], wish)
    except RefusedError as refusal:
        if refusal.retval is Retval.UNSPECIFIED:
            raise


def _read_wish(line: Input, wish: dict[str, int]) -> tuple[bool, int, int] | None:
    """Read what follows the interface, and return the prefix that stands there."""
    prefix = None
    while not line.is_at_end:
        word = next((word for word in _WORDS if line.take(word)), None)
        if word is not None:
            wish[_WORDS[word]] = 1
        elif line.take("no"):
            wish["is_no"] = 1
        elif line.next_word == "prefix" and line.take("prefix"):
            prefix = line.prefix()
            if prefix is None or not prefix[0]:
                return None
            if line.next_word in ("infinite", "default", *_PREFIX_WORDS) or line.next_word.isdecimal():
                break
        elif (seconds := line.number_after("ra-lifetime")) is not None:
            wish["default_router"], wish["lifetime"] = 1, seconds
        elif (count := line.number_after("ra-initial")) is not None:
            wish["initial_count"], wish["initial_interval"] = count, line.number() or 0
        elif (longest := line.number_after("ra-interval")) is not None:
            wish["max_interval"], wish["min_interval"] = longest, line.number() or 0
        else:
            break
    return prefix


def _read_prefix(line: Input, wish: dict[str, int]) -> None:
    """Read the lifetimes and the rest of a prefix; raise RefusedError for what is neither."""
    if line.take("default"):
        wish["use_default"] = 1
        return
    if line.take("infinite"):
        wish["val_lifetime"] = wish["pref_lifetime"] = _FOREVER
    elif (valid := line.number()) is not None:
        wish["val_lifetime"], wish["pref_lifetime"] = valid, line.number() or 0
    while not line.is_at_end:
        word = next((word for word in _PREFIX_WORDS if line.take(word)), None)
        if word is None:
            raise line.unknown_word("parse error")
        wish[_PREFIX_WORDS[word]] = 1


def _answer_enable(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    if not values["enable"]:
        ip6_link.disable(call.tables, values["sw_if_index"])
        return call.reply()
    was_on = ip6_link.find(call.tables, values["sw_if_index"]) is not None
    ip6_link.enable(call.tables, values["sw_if_index"])
    return call.reply(retval=Retval.VALUE_EXIST if was_on else 0)


def _answer_set_local(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    ip6_link.set_local(call.tables, values["sw_if_index"], values["ip"])


def _answer_get_local(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    link = ip6_link.find(call.tables, values["sw_if_index"])
    return call.reply(retval=Retval.IP6_NOT_ENABLED) if link is None else call.reply(ip=link.address)


def _interface(tables: Tables, line: Input) -> SwInterface:
    """Take the name of an interface; what VPP reports of one that is missing ends in a quote of its own."""
    return required(line.interface(tables), "unknown interface\n'")


def _enable_command(tables: Tables, line: Input) -> None:
    """`enable ip6 interface <interface>`."""
    row = _interface(tables, line)
    was_on = ip6_link.find(tables, row.index) is not None
    ip6_link.enable(tables, row.index)
    if was_on:
        raise RefusedError(Retval.UNSPECIFIED, "Failed")


def _disable_command(tables: Tables, line: Input) -> None:
    """`disable ip6 interface <interface>`."""
    row = _interface(tables, line)
    if ip6_link.find(tables, row.index) is None:
        raise RefusedError(Retval.UNSPECIFIED, "Failed")
    ip6_link.disable(tables, row.index)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for name, row in rows.items():
        interface = state.interfaces[name]
        if interface.link_local is not None:
            ip6_link.set_local(tables, row.index, ipaddress.IPv6Address(interface.link_local).packed)
        desired, link = interface.ra, ip6_link.find(tables, row.index)
        if link is None and desired is not None:
            link = ip6_link.enable(tables, row.index)
        if link is not None:
            link.mtu = interface.ra_mtu or interface.ipv6_mtu
        if desired is None:
            continue
        ra = _advertiser(tables, row.index)
        if ra is None:
            continue
        ra.is_sending, ra.is_managed, ra.is_other = desired.is_sent, desired.is_managed, desired.has_other
        ra.has_link_layer, ra.is_unicast = desired.has_link_layer_address, desired.is_unicast
        ra.is_ceasing, ra.lifetime_s = desired.is_ending, desired.lifetime_s
        ra.max_s, ra.min_s = desired.max_interval_s, desired.min_interval_s
        ra.initial_count, ra.initial_s = desired.initial_count, desired.initial_interval_s
        for each in desired.prefixes:
            parsed = ipaddress.IPv6Interface(each.prefix)
            prefix = Prefix(length=parsed.network.prefixlen, is_on_link=each.is_on_link, is_enabled=each.is_named)
            prefix.is_autonomous, prefix.is_counted_down = each.is_autonomous, not each.is_lasting
            if each.is_lasting:
                prefix.valid_s = prefix.preferred_s = _FOREVER
            ra.prefixes[parsed.ip.packed] = prefix


_HALF = 64


@dataclass(slots=True, kw_only=True)
class AutoconfigMain:
    """Where it is on, and what it has made (rd_cp_main_t)."""

    enabled: set[int] = field(default_factory=set)
    created: dict[tuple[int, int], int] = field(default_factory=dict)
    """Addresses by interface and prefix."""


def receive_advertisement(tables: Tables, sw_if_index: int, prefix: int) -> None:
    """Let an interface receive a router advertisement with a /64 that hosts are to make addresses in."""
    main = tables.part(AutoconfigMain)
    if sw_if_index not in main.enabled or (sw_if_index, prefix) in main.created:
        return
    identifier = int.from_bytes(ip6_link.automatic(tables, sw_if_index)[8:])
    main.created[sw_if_index, prefix] = prefix | identifier
    address.add(tables, tables.sw[sw_if_index], True, prefix | identifier, _HALF)


def switch_autoconfig(tables: Tables, sw_if_index: int, *, is_on: bool) -> None:
    """Turn it on or off. VPP then takes the addresses of all interfaces away, and leaves IPv6 on."""
    main = tables.part(AutoconfigMain)
    if is_on and sw_if_index not in main.enabled:
        ip6_link.enable(tables, sw_if_index)
        main.enabled.add(sw_if_index)
    elif not is_on and sw_if_index in main.enabled:
        main.enabled.discard(sw_if_index)
        for (index, _), value in main.created.items():
            row = tables.sw.get(index)
            if row is not None and tables.ip6.find(tables.ip6.table_of(index), value) is not None:
                address.remove(tables, row, True, value, _HALF)
        main.created.clear()


def _answer_autoconfig(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    switch_autoconfig(call.tables, values["sw_if_index"], is_on=bool(values["enable"]))


def _command_autoconfig(tables: Tables, line: Input) -> None:
    """`ip6 nd address autoconfig <interface> [default-route|disable]`."""
    row = required(line.interface(tables), "Missing sw_if_index")
    line.take("default-route")
    switch_autoconfig(tables, row.index, is_on=not line.take("disable"))


KIND = Kind(
    changes={
        "sw_interface_ip6nd_ra_config": _answer_config,
        "sw_interface_ip6nd_ra_prefix": _answer_prefix,
        "sw_interface_ip6_enable_disable": _answer_enable,
        "sw_interface_ip6_set_link_local_address": _answer_set_local,
        "ip6_nd_address_autoconfig": _answer_autoconfig,
    },
    queries={
        "sw_interface_ip6nd_ra_dump": _dump,
        "sw_interface_ip6_get_link_local_address": _answer_get_local,
    },
    commands={
        "ip6 nd": _nd_command,
        "enable ip6 interface": _enable_command,
        "disable ip6 interface": _disable_command,
        "ip6 nd address autoconfig": _command_autoconfig,
    },
    load=_load,
)
