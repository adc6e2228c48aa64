"""Reads others' NAT apart from interfaces: whether it is enabled, its addresses and its mappings (plugins/nat)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vppcfg.kinds.nat44.mappings import ADDRESS_ONLY
from vppcfg.model.attachment import Attachment
from vppcfg.model.nat44 import Nat44
from vppcfg.model.vpp_object import owns_all
from vppcfg.operations.request import NO_INDEX
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.unmanaged.nat import PROTOCOL_WORDS, in_table
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.wire.codec import text_of_address
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
