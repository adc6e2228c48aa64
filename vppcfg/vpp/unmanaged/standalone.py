"""Reads what other programs have configured on no interface: policers, policies, tables, relays, keys by number.

Of most of it a message reads back all that a command needs. Of the rest only that it is there is known or may be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from vppcfg.common.numbers import DSCP_NAMES
from vppcfg.model.attachment import Attachment
from vppcfg.model.rate_limit import MARK
from vppcfg.model.vrf import table_key
from vppcfg.operations.request import ALL_INDEXES, NO_INDEX, Value
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.unmanaged import standalone_nat
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.policers import tables_of_ours
from vppcfg.wire.reading import Replies


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
    standalone_nat.READER,
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
