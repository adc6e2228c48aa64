"""Reads VIPs of the plugin lb, and translations and source addresses of the plugin cnat, none of which a file has.

Neither plugin reports all that makes a VIP or a translation: these can be named, and not be brought back. Before 26.10
VPP reports VIPs and servers of lb without their protocol, and deleted VIPs too (plugins/lb/api.c, db44addb60c).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from vppcfg.model.attachment import Attachment, index_placeholder, stored_call
from vppcfg.operations.request import NO_INDEX
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.reading import Replies

_VIPS, _SERVERS = "lb_vip", "lb_as"
_VIP = tuple(f"vip.{field}" for field in ("pfx.address.af", "pfx.address.un", "pfx.len", "protocol", "port"))
_USED = 1
"""LB_AS_FLAGS_USED (plugins/lb/lb.h): a server that is not used has been deleted."""
_PROTOCOLS = {6: "tcp", 17: "udp"}


def _vip_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(f"{each}_dump")[1] for each in (_VIPS, _SERVERS)]


def _read_vips(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    """Yield VIPs with the numbers of their servers."""
    rows = connection.rows(replies, f"{_SERVERS}_details", *_VIP, "flags")
    servers = Counter(_vip_name(vip) for *vip, flags in rows if flags & _USED)
    for vip in connection.rows(replies, f"{_VIPS}_details", *_VIP):
        name = _vip_name(vip)
        count = servers[name]
        yield Attachment(holder="", kind="LB VIP", name=f"{name} with {count} server{'' if count == 1 else 's'}")


def _vip_name(vip: Any) -> str:
    """Return the prefix with protocol and port; of IPv4, VPP before 26.10 counts the 96 bits before it too."""
    family, address, length, protocol, port = vip
    bits = length if family or length <= 32 else length - 96
    ports = f" {_PROTOCOLS.get(protocol, 'port')} {port}" if port else ""
    return f"{text_of_address(family, address)}/{bits}{ports}"


_TRANSLATIONS = "cnat_translation"
_ENDPOINT = ("sw_if_index", "if_af", "addr.af", "addr.un", "port")
_VIP_ENDPOINT = tuple(f"translation.vip.{field}" for field in _ENDPOINT)
_TARGETS = ("dst_ep.sw_if_index", "src_ep.sw_if_index")


def _translation_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(f"{_TRANSLATIONS}_dump")[1]]


def _translations(
    connection: Connection, replies: Replies, scope: ReadScope, *, are_lone: bool
) -> Iterator[Attachment]:
    """Yield the translations that follow addresses of interfaces, each with one that is asked for, or all others."""
    heads = ("translation.id", "translation.ip_proto", *_VIP_ENDPOINT)
    for (number, protocol, *vip), paths in connection.lists(replies, f"{_TRANSLATIONS}_details", heads, *_TARGETS):
        followed = {index for index in (vip[0], *(index for path in paths for index in path)) if index != NO_INDEX}
        holder = next(filter(None, map(scope.name, sorted(followed))), "")
        if not followed if are_lone else holder:
            yield Attachment(
                holder=holder,
                kind="CNAT translation",
                name=_translation_name(protocol, vip, scope),
                take=stored_call("cnat_translation_del", {"id": number}),
                outlives=True,
                removal=f"cnat translation del {number}",
            )


def _translation_name(protocol: int, vip: list[Any], scope: ReadScope) -> str:
    index, _, family, address, port = vip
    where = scope.names.get(index, "") if index != NO_INDEX else text_of_address(family, address)
    return f"of {_PROTOCOLS.get(protocol, protocol)} {where} port {port}"


_SOURCES, _SET_SOURCES = "cnat_get_snat_addresses", "cnat_set_snat_addresses"
_SET_BY_TABLE = "cnat_set_snat_addresses_v2"
"""What VPP has from 26.06 on: source addresses by FIB table, of which it reports those of one alone."""


def _source_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(_SOURCES)[1]]


def _read_sources(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    for (index,) in connection.rows(replies, f"{_SOURCES}_reply", "sw_if_index"):
        if name := scope.name(index):
            own = {"snat_ip4": bytes(4), "snat_ip6": bytes(16)}
            put = stored_call(_SET_SOURCES, {**own, "sw_if_index": index_placeholder(name)})
            yield Attachment(
                holder=name,
                kind="CNAT source address",
                put=None if connection.offers(_SET_BY_TABLE) else put,
                take=stored_call(_SET_SOURCES, {**own, "sw_if_index": NO_INDEX}),
                outlives=True,
                lines=(f"set cnat snat-policy addr {name}",),
            )


def _read_lone_sources(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    for index, *addresses in connection.rows(replies, f"{_SOURCES}_reply", "sw_if_index", "snat_ip4", "snat_ip6"):
        texts = [text_of_address(int(len(each) == 16), each) for each in addresses if any(each)]
        if index == NO_INDEX and texts:
            lines = tuple(f"set cnat snat-policy addr {text}" for text in texts)
            yield Attachment(holder="", kind="CNAT source address", name=" and ".join(texts), lines=lines)


READERS = (
    Reader((f"{_TRANSLATIONS}_dump",), _translation_requests, partial(_translations, are_lone=False)),
    Reader((_SOURCES, _SET_SOURCES), _source_requests, _read_sources),
)
STANDALONE = (
    Reader((f"{_VIPS}_dump", f"{_SERVERS}_dump"), _vip_requests, _read_vips),
    Reader((f"{_TRANSLATIONS}_dump",), _translation_requests, partial(_translations, are_lone=True)),
    Reader((_SOURCES, _SET_SOURCES), _source_requests, _read_lone_sources),
)
