"""Reads NAT that others set on interfaces: inside, outside, output, pools that follow an address (plugins/nat)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address
from typing import Any

from vppcfg.kinds.nat44.mappings import ADDRESS_ONLY
from vppcfg.model.attachment import Attachment, Layer, Values, index_placeholder, stored_call
from vppcfg.model.nat44 import OF_THE_INSIDE, Nat44
from vppcfg.model.vpp_object import owns_all
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.vpp.unmanaged.simple import DescribedObject, simple_reader
from vppcfg.wire.reading import Replies

_OUTSIDE, _INSIDE = 0x10, 0x20
"""NAT_IS_OUTSIDE and NAT_IS_INSIDE (plugins/nat/lib/nat_types.api)."""
_TWICE = 0x1


def _sides(dump: str, details: str, change: str, kind: str, command: str) -> Reader:
    """Return the reader of a NAT's inside and outside interfaces; one that is both is two objects."""

    def requests(connection: Connection, scope: ReadScope) -> list[bytes]:
        return [connection.request(dump)[1]]

    def read(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
        for flags, index in connection.rows(replies, details, "flags", "sw_if_index"):
            name = scope.name(index)
            for side, word, typed in ((_INSIDE, "inside", "in"), (_OUTSIDE, "outside", "out")):
                if name and flags & side:
                    values: Values = {"flags": side, "sw_if_index": index_placeholder(name)}
                    yield Attachment(
                        holder=name,
                        kind=f"{kind} {word}",
                        layer=Layer.ROUTED,
                        put=stored_call(change, {"is_add": 1, **values}),
                        take=stored_call(change, {"is_add": 0, **values}),
                        lines=(f"{command} {typed} {name}",),
                        removal=f"{command} {typed} {name} del",
                    )

    return Reader((dump, change), requests, read)


def _pools(kind: str, dump: str, details: str, change: str, command: str) -> Reader:
    return simple_reader(
        dump,
        details,
        ("sw_if_index", "flags"),
        (change, "is_add"),
        lambda fields, name: DescribedObject(
            f"{kind} pool",
            "twice-nat" if fields["flags"] & _TWICE else "",
            f"{command} {name}" + (" twice-nat" if fields["flags"] & _TWICE else ""),
        ),
        removal="del",
    )


_OUTPUT = "nat44_ed_output_interface"
_MAPPING = "nat44_static_mapping"
_SET_MAPPING = "nat44_add_del_static_mapping_v2"
_IDENTITY = "nat44_identity_mapping"
_SET_IDENTITY = "nat44_add_del_identity_mapping"
_EXTERNAL = "external_sw_if_index"
_MAPPING_PATHS = (
    *("flags", "local_ip_address", "protocol", "local_port", "external_port", _EXTERNAL, "vrf_id", "tag"),
)
PROTOCOL_WORDS = {1: "icmp", 6: "tcp", 17: "udp"}


def _output_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(f"{_OUTPUT}_get", {"cursor": 0})[1]]


def _read_output(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    for page in connection.pages(replies, f"{_OUTPUT}_get", {}, "NAT44 output interfaces"):
        for (index,) in connection.rows(page, f"{_OUTPUT}_details", "sw_if_index"):
            if name := scope.name(index):
                values = {"sw_if_index": index_placeholder(name)}
                yield Attachment(
                    holder=name,
                    kind="NAT44 output",
                    layer=Layer.ROUTED,
                    put=stored_call("nat44_ed_add_del_output_interface", {"is_add": 1, **values}),
                    take=stored_call("nat44_ed_add_del_output_interface", {"is_add": 0, **values}),
                    lines=(f"set interface nat44 out {name} output-feature",),
                    removal=f"set interface nat44 out {name} output-feature del",
                )


def _mapping_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(f"{_MAPPING}_dump")[1]]


def _read_mappings(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    """Yield the static mappings whose external address is that of an interface.

    VPP shows each without its flags, and once more with them and the address, while the interface has one.
    """
    rows = [
        dict(zip(_MAPPING_PATHS, row, strict=True))
        for row in connection.rows(replies, f"{_MAPPING}_details", *_MAPPING_PATHS)
    ]
    flags = {_ends(row): row["flags"] for row in rows if row[_EXTERNAL] == ALL_INDEXES}
    for row in rows:
        if row[_EXTERNAL] != ALL_INDEXES and (name := scope.name(row[_EXTERNAL])):
            yield _of_mapping(name, row, flags.get(_ends(row)))


def _ends(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[path] for path in ("local_ip_address", "local_port", "external_port", "protocol", "tag"))


def _of_mapping(name: str, row: Mapping[str, Any], flags: int | None) -> Attachment:
    """Return a mapping; it can be brought back when its `flags` are known."""
    local, tag = str(IPv4Address(row["local_ip_address"])), text_of(row["tag"])
    values = {**row, _EXTERNAL: index_placeholder(name), "tag": tag.encode()}
    protocol = PROTOCOL_WORDS.get(row["protocol"], row["protocol"])
    ports = f"{protocol} {row['external_port']} to {local} {row['local_port']}"
    return Attachment(
        holder=name,
        kind="NAT44 static mapping",
        name=f"{ports if row['external_port'] else f'to {local}'} {tag}".rstrip(),
        layer=Layer.ROUTED,
        put=stored_call(_SET_MAPPING, {"is_add": 1, **values, "flags": flags}) if flags is not None else None,
        take=stored_call(_SET_MAPPING, {"is_add": 0, **values}),
        outlives=True,
    )


def _identity_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(f"{_IDENTITY}_dump")[1]]


def _read_identities(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    """Yield what is left untranslated at the address of an interface; VPP shows it once more at the address."""
    paths = ("flags", "protocol", "port", "sw_if_index", "vrf_id", "tag")
    for flags, protocol, port, index, table_id, tag in connection.rows(replies, f"{_IDENTITY}_details", *paths):
        if index == ALL_INDEXES or not (name := scope.name(index)):
            continue
        is_whole = bool(flags & ADDRESS_ONLY)
        values: Values = {
            "flags": flags,
            "protocol": protocol,
            "port": 0 if is_whole else port,
            "sw_if_index": index_placeholder(name),
            "vrf_id": table_id,
            "tag": text_of(tag).encode(),
        }
        ports = "" if is_whole else f"{PROTOCOL_WORDS.get(protocol, protocol)} {port}"
        what = f"{ports}{in_table('vrf', table_id)}".strip()
        line = f"nat44 add identity mapping external {name} {what}".rstrip()
        yield Attachment(
            holder=name,
            kind="NAT44 identity mapping",
            name=what,
            layer=Layer.ROUTED,
            put=stored_call(_SET_IDENTITY, {"is_add": 1, **values}),
            take=stored_call(_SET_IDENTITY, {"is_add": 0, **values}),
            outlives=True,
            lines=(line,),
            removal=f"{line} del",
        )


def in_table(word: str, table_id: int) -> str:
    """Return the words that name a table; none for the default one, and for that of hosts inside."""
    return f" {word} {table_id}" if table_id not in (0, OF_THE_INSIDE) else ""


def _unless_owned(reader: Reader) -> Reader:
    """Return a reader that has nothing to read where a file decides about NAT44."""

    def requests(connection: Connection, scope: ReadScope) -> Sequence[bytes]:
        return () if owns_all(scope.state.owned, Nat44) else reader.requests(connection, scope)

    def read(connection: Connection, replies: Replies, scope: ReadScope) -> Iterable[Attachment]:
        return () if owns_all(scope.state.owned, Nat44) else reader.read(connection, replies, scope)

    return Reader(reader.messages, requests, read)


_OF_NAT44 = (
    _sides(
        "nat44_interface_dump",
        "nat44_interface_details",
        "nat44_interface_add_del_feature",
        "NAT44",
        "set interface nat44",
    ),
    Reader((f"{_OUTPUT}_get", "nat44_ed_add_del_output_interface"), _output_requests, _read_output),
    _pools(
        "NAT44",
        "nat44_interface_addr_dump",
        "nat44_interface_addr_details",
        "nat44_add_del_interface_addr",
        "nat44 add interface address",
    ),
    Reader((f"{_MAPPING}_dump", _SET_MAPPING), _mapping_requests, _read_mappings),
    Reader((f"{_IDENTITY}_dump", _SET_IDENTITY), _identity_requests, _read_identities),
)
READERS = (
    *map(_unless_owned, _OF_NAT44),
    _sides(
        "nat44_ei_interface_dump",
        "nat44_ei_interface_details",
        "nat44_ei_interface_add_del_feature",
        "NAT44-EI",
        "set interface nat44 ei",
    ),
    _sides(
        "nat64_interface_dump", "nat64_interface_details", "nat64_add_del_interface", "NAT64", "set interface nat64"
    ),
    _sides(
        "nat66_interface_dump", "nat66_interface_details", "nat66_add_del_interface", "NAT66", "set interface nat66"
    ),
)
"""The readers of this module, each with the messages that it needs."""
