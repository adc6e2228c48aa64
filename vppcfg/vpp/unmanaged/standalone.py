"""Reads what other programs have configured on no interface: policers, policies, tables, relays, keys by number.

Of most of it a message reads back all that a command needs. Of the rest only that it is there is known or may be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from vppcfg.common.numbers import DSCP_NAMES
from vppcfg.kinds.nat44.mappings import ADDRESS_ONLY
from vppcfg.model.attachment import Attachment
from vppcfg.model.nat44 import Nat44
from vppcfg.model.rate_limit import MARK
from vppcfg.model.vpp_object import owns_all
from vppcfg.model.vrf import table_key
from vppcfg.operations.request import ALL_INDEXES, NO_INDEX, Value
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.unmanaged.nat import PROTOCOL_WORDS, in_table
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.policers import tables_of_ours
from vppcfg.wire.reading import Replies

_CONFIG = "nat44_show_running_config"
_POOLS = "nat44_interface_addr"
_ADDRESSES = "nat44_address"
_MAPPINGS = "nat44_static_mapping"
_IDENTITIES = "nat44_identity_mapping"
_FLAGS = {0x1: "twice-nat", 0x2: "self-twice-nat", 0x4: "out2in-only"}
"""NAT_IS_TWICE_NAT and so on (plugins/nat/lib/nat_types.api), as the prompt takes them."""
_TIMEOUTS = {"udp": 300, "tcp_established": 7440, "tcp_transitory": 240, "icmp": 60}
"""Seconds by default (plugins/nat/lib/lib.h)."""


def _requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    if owns_all(scope.state.owned, Nat44):
        return []
    dumps = (f"{each}_dump" for each in (_POOLS, _ADDRESSES, _MAPPINGS, _IDENTITIES))
    return [connection.request(name)[1] for name in (_CONFIG, *dumps)]


def _read(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    if owns_all(scope.state.owned, Nat44):
        return
    yield from _itself(connection, replies)
    pools = [index for (index,) in connection.rows(replies, f"{_POOLS}_details", "sw_if_index")]
    followed = {address for index in pools for address in _addresses_of(scope, index)}
    yield from _addresses(connection, replies, followed)
    yield from _mappings(connection, replies, scope)
    yield from _identities(connection, replies, scope)


def _itself(connection: Connection, replies: Replies) -> Iterator[Attachment]:
    places = ("inside_vrf", "outside_vrf")
    timeouts = tuple(f"timeouts.{name}" for name in _TIMEOUTS)
    paths = ("retval", "sessions", "forwarding_enabled", *places, *timeouts)
    for retval, sessions, is_forwarding, inside, outside, *seconds in connection.rows(
        replies, f"{_CONFIG}_reply", *paths
    ):
        if retval or not sessions:
            continue
        vrfs = "".join(
            f" {word} {number}" for word, number in (("inside-vrf", inside), ("outside-vrf", outside)) if number
        )
        other = [
            f"{name.replace('_', '-')} {value}"
            for (name, usual), value in zip(_TIMEOUTS.items(), seconds, strict=True)
            if value != usual
        ]
        lines = [f"nat44 plugin enable sessions {sessions}{vrfs}"]
        lines += ["nat44 forwarding enable"] if is_forwarding else []
        lines += [f"set nat timeout {each}" for each in other]
        yield Attachment(holder="", kind="NAT44", name=f"with {sessions} sessions", lines=tuple(lines))


def _addresses(connection: Connection, replies: Replies, followed: set[str]) -> Iterator[Attachment]:
    for raw, flags, table in connection.rows(replies, f"{_ADDRESSES}_details", "ip_address", "flags", "vrf_id"):
        address = text_of_address(0, raw)
        if address not in followed:
            line = f"nat44 add address {address}{in_table('tenant-vrf', table)}{_words(flags)}"
            yield Attachment(holder="", kind="NAT44 address", name=address, lines=(line,))


def _mappings(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    """Yield static mappings; one by interface is listed a second time with the address that it has."""
    ends = ("local_ip_address", "external_ip_address", "protocol", "local_port", "external_port")
    paths = ("flags", *ends, "external_sw_if_index", "vrf_id", "tag")
    rows = [dict(zip(paths, row, strict=True)) for row in connection.rows(replies, f"{_MAPPINGS}_details", *paths)]
    by_interface = {
        (*_ends(row), address) for row in rows for address in _addresses_of(scope, row["external_sw_if_index"])
    }
    for row in rows:
        index, external = row["external_sw_if_index"], text_of_address(0, row["external_ip_address"])
        if index == NO_INDEX and (*_ends(row), external) in by_interface:
            continue
        outside = external if index == NO_INDEX else scope.names.get(index, "")
        if outside:
            yield _mapping(row, outside)


def _mapping(row: Mapping[str, Any], outside: str) -> Attachment:
    inside, protocol = text_of_address(0, row["local_ip_address"]), PROTOCOL_WORDS.get(row["protocol"], "")
    is_whole = bool(row["flags"] & ADDRESS_ONLY)
    ends = f"local {inside} external {outside}"
    if not is_whole:
        ends = f"{protocol} local {inside} {row['local_port']} external {outside} {row['external_port']}"
    line = f"nat44 add static mapping {ends}{in_table('vrf', row['vrf_id'])}{_words(row['flags'])}"
    can_be_said = is_whole or bool(protocol)
    return Attachment(
        holder="",
        kind="NAT44 static mapping",
        name=f"{ends} {text_of(row['tag'])}".strip(),
        lines=(line,) if can_be_said else (),
    )


def _identities(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    paths = ("flags", "ip_address", "protocol", "port", "sw_if_index", "vrf_id")
    for flags, raw, number, port, index, table in connection.rows(replies, f"{_IDENTITIES}_details", *paths):
        protocol = PROTOCOL_WORDS.get(number, "")
        is_whole = bool(flags & ADDRESS_ONLY)
        what = text_of_address(0, raw) if index == NO_INDEX else f"external {scope.names.get(index, '')}"
        rest = "" if is_whole else f" {protocol} {port}"
        line = f"nat44 add identity mapping {what}{rest}{in_table('vrf', table)}"
        yield Attachment(
            holder="",
            kind="NAT44 identity mapping",
            name=f"{what}{rest}",
            lines=(line,) if is_whole or protocol else (),
        )


def _ends(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[path] for path in ("local_ip_address", "protocol", "local_port", "external_port"))


def _addresses_of(scope: ReadScope, index: int) -> list[str]:
    interface = scope.state.interfaces.get(scope.names.get(index, ""))
    return [each.partition("/")[0] for each in interface.addresses] if interface is not None else []


def _words(flags: int) -> str:
    return "".join(f" {word}" for flag, word in _FLAGS.items() if flags & flag)


READER = Reader(
    (_CONFIG, f"{_POOLS}_dump", f"{_ADDRESSES}_dump", f"{_MAPPINGS}_dump", f"{_IDENTITIES}_dump"), _requests, _read
)


class _Counted(NamedTuple):
    """Objects of which only that they are there is known."""

    kind: str
    dump: str
    details: str
    name: str
    """The path of the key of each: a number or a text."""
    asked: Mapping[str, Value] = {}
    newer: str = ""
    """The message that is asked in its place where VPP has it."""


_COUNTED = (
    _Counted("IPsec SA", "ipsec_sa_v5_dump", "ipsec_sa_v5_details", "entry.sad_id", {"sa_id": ALL_INDEXES}),
    _Counted(
        *("IPsec SA", "ipsec_sa_v3_dump", "ipsec_sa_v3_details", "entry.sad_id", {"sa_id": ALL_INDEXES}),
        newer="ipsec_sa_v5_dump",
    ),
    _Counted("IKEv2 profile", "ikev2_profile_dump", "ikev2_profile_details", "profile.name"),
    _Counted("BFD key", "bfd_auth_keys_dump", "bfd_auth_keys_details", "conf_key_id"),
    _Counted(
        "NAT44 mapping with load balancing",
        "nat44_lb_static_mapping_dump",
        "nat44_lb_static_mapping_details",
        "external_port",
    ),
    _Counted("NAT44-EI address", "nat44_ei_address_dump", "nat44_ei_address_details", "ip_address"),
    _Counted(
        "NAT44-EI static mapping", "nat44_ei_static_mapping_dump", "nat44_ei_static_mapping_details", "local_ip_address"
    ),
    _Counted("NAT64 pool address", "nat64_pool_addr_dump", "nat64_pool_addr_details", "address"),
    _Counted("NAT66 static mapping", "nat66_static_mapping_dump", "nat66_static_mapping_details", "local_ip_address"),
    _Counted("deterministic NAT map", "det44_map_dump", "det44_map_details", "in_addr"),
    _Counted("SRv6 local SID", "sr_localsids_dump", "sr_localsids_details", "addr"),
    _Counted("SRv6 policy", "sr_policies_dump", "sr_policies_details", "bsid"),
)


def _counted(each: _Counted) -> Reader:
    def requests(connection: Connection, scope: ReadScope) -> list[bytes]:
        return [] if connection.offers(each.newer) else [connection.request(each.dump, each.asked)[1]]

    def read(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
        for (value,) in connection.rows(replies, each.details, each.name):
            yield Attachment(holder="", kind=each.kind, name=_name(value))

    return Reader((each.dump,), requests, read)


def _name(value: Any) -> str:
    if not isinstance(value, bytes):
        return str(value)
    return text_of_address(int(len(value) == 16), value) if len(value) in (4, 16) else text_of(value)


_CLASSIFY = "classify_table_ids"
_SPDS = "ipsec_spds"
_MAPS = "qos_egress_map"
_SOURCES = ("ext", "vlan", "mpls", "ip")
"""qos_source_t (vnet/qos/qos_types.h)."""


def _classify_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(_CLASSIFY)[1]]


def _read_classify(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    for _, found in connection.lists(replies, f"{_CLASSIFY}_reply", ("retval",), ""):
        ours = tables_of_ours(connection, [number for (number,) in found])
        for (number,) in found:
            if number not in ours:
                yield Attachment(holder="", kind="classifier table", name=str(number))


def _spd_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(f"{_SPDS}_dump")[1]]


def _read_spds(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    for number, policies in connection.rows(replies, f"{_SPDS}_details", "spd_id", "npolicies"):
        name = f"{number} with {policies} polic{'y' if policies == 1 else 'ies'}"
        yield Attachment(holder="", kind="IPsec SPD", name=name, lines=(f"ipsec spd add {number}",))


def _map_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(f"{_MAPS}_dump")[1]]


def _read_maps(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    rows = tuple(f"map.rows.{place}.outputs" for place in range(len(_SOURCES)))
    for number, *outputs in connection.rows(replies, f"{_MAPS}_details", "map.id", *rows):
        cells = [
            f"[{source}][{place}]={value}"
            for source, row in zip(_SOURCES, outputs, strict=True)
            for place, value in enumerate(row)
            if value
        ]
        line = " ".join([f"qos egress map id {number}", *cells])
        yield Attachment(holder="", kind="QoS map", name=str(number), lines=(line,))


_RATES = ("kbps", "pps")
_ROUNDS = ("closest", "up", "down")
_TYPES = ("1r2c", "1r3c", "2r3c-2698", "2r3c-4115", "2r3c-mef5cf1")
_ACTIONS = ("drop", "transmit", "mark-and-transmit")
"""vnet/policer/policer_types.api."""
_POLICERS = "policer_dump_v2"


def _policer_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(_POLICERS, {"policer_index": ALL_INDEXES})[1]]


def _read_policers(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    actions = ("conform", "exceed", "violate")
    verdicts = tuple(f"{action}_action.{part}" for action in actions for part in ("type", "dscp"))
    paths = ("name", "type", "cir", "eir", "cb", "eb", "rate_type", "round_type", "color_aware", *verdicts)
    for row in connection.rows(replies, "policer_details", *paths):
        fields = dict(zip(paths, row, strict=True))
        name = text_of(fields["name"])
        if name.startswith(MARK):
            continue
        words = [f"policer add name {name} type {_TYPES[fields['type']]}"]
        words += [f"{key} {fields[key]}" for key in ("cir", "eir", "cb", "eb") if fields[key]]
        words += [f"rate {_RATES[fields['rate_type']]} round {_ROUNDS[fields['round_type']]}"]
        words += [f"{each}-action {_action(fields, each)}" for each in actions]
        words += ["color-aware"] if fields["color_aware"] else []
        yield Attachment(holder="", kind="policer", name=name, lines=(" ".join(words),))


def _action(fields: Mapping[str, Any], which: str) -> str:
    action = _ACTIONS[fields[f"{which}_action.type"]]
    names = {number: name.upper() for name, number in DSCP_NAMES.items()}
    number = fields[f"{which}_action.dscp"]
    return f"{action} {names.get(number, number)}" if action == "mark-and-transmit" else action


_HOPS = ("sw_if_index", "table_id", "proto", "type", "nh.address")


def _way(hop: tuple[Any, ...], scope: ReadScope) -> str:
    """Return where a path leads, as the prompt takes it; '' when this is not known to be all of it."""
    index, table, family, kind, raw = hop
    if kind or family not in (0, 1):
        return ""
    name = scope.names.get(index, "")
    if not any(raw):
        return f"via {name}" if name else f"via ip{6 if family else 4}-lookup-in-table {table}"
    return f"via {text_of_address(family, raw)} {name}".rstrip()


_ABF = "abf_policy"


def _abf_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(f"{_ABF}_dump")[1]]


def _read_abf(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    heads = ("policy.policy_id", "policy.acl_index")
    managed = {each.policy_id for interface in scope.state.interfaces.values() for each in interface.policy_routes}
    for (number, acl), hops in connection.lists(replies, f"{_ABF}_details", heads, *_HOPS):
        if number in managed:
            continue
        ways = [_way(hop, scope) for hop in hops]
        lines = [f"abf policy add id {number} acl {acl} {way}" for way in ways]
        yield Attachment(holder="", kind="policy of ABF", name=str(number), lines=tuple(lines) if all(ways) else ())


_PUNTS = "ip_punt_redirect_v2"


def _punt_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(f"{_PUNTS}_dump", {"sw_if_index": ALL_INDEXES, "af": family})[1] for family in (0, 1)]


def _read_punts(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    for (index, family), hops in connection.lists(
        replies, f"{_PUNTS}_details", ("punt.rx_sw_if_index", "punt.af"), *_HOPS
    ):
        if index == NO_INDEX:
            ways = [_way(hop, scope) for hop in hops]
            command = f"ip{6 if family else ''} punt redirect add rx all"
            lines = (f"{command} {ways[0]}",) if len(ways) == 1 and ways[0] else ()
            yield Attachment(holder="", kind="punt redirect", name="of all", lines=lines)


_DHCP = "dhcp_proxy"


def _dhcp_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(f"{_DHCP}_dump", {"is_ip6": family})[1] for family in (0, 1)]


def _read_dhcp(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    heads = ("rx_vrf_id", "is_ipv6", "dhcp_src_address.un")
    servers = ("server_vrf_id", "dhcp_server.un")
    for (table, is_ipv6, source), found in connection.lists(replies, f"{_DHCP}_details", heads, *servers):
        family = int(bool(is_ipv6))
        for server_table, raw in found:
            address = text_of_address(family, raw)
            tables = (f" server-fib-id {server_table}" if server_table else "") + (
                f" rx-fib-id {table}" if table else ""
            )
            command = f"set dhcp{'v6' if family else ''} proxy server {address}"
            line = f"{command} src-address {text_of_address(family, source)}{tables}"
            holder = table_key(table, is_ipv6=bool(is_ipv6))
            yield Attachment(holder=holder, kind="DHCP relay", name=f"to {address}", lines=(line,))


READERS = (
    READER,
    Reader((_POLICERS,), _policer_requests, _read_policers),
    Reader((f"{_MAPS}_dump",), _map_requests, _read_maps),
    Reader((f"{_ABF}_dump",), _abf_requests, _read_abf),
    Reader((f"{_PUNTS}_dump",), _punt_requests, _read_punts),
    Reader((f"{_DHCP}_dump",), _dhcp_requests, _read_dhcp),
    Reader((f"{_SPDS}_dump",), _spd_requests, _read_spds),
    Reader((_CLASSIFY,), _classify_requests, _read_classify),
    *map(_counted, _COUNTED),
)


def unnamed_tables(scope: ReadScope) -> Iterator[Attachment]:
    """Yield FIB tables without a name, which VPP's prompt or another program has made."""
    for table in scope.state.vrfs.values():
        if table.is_unnamed:
            line = f"ip{6 if table.is_ipv6 else ''} table add {table.table_id}"
            yield Attachment(holder="", kind="FIB table without a name", name=table.key, lines=(line,))
