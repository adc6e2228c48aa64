"""Proxy ARP: the interfaces that answer for others, and the ranges for which they do (vnet/arp/arp.api)."""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import IPv4Address

from vppcfg.common.release import Release, is_older
from vppcfg.model.features import ProxyArp
from vppcfg.model.vrf import table_key
from vppcfg.plan import operations as op
from vppcfg.plan.request import Indexes, Known, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.reading import Replies

_TELLS_TABLES = Release(25, 10)
"""Before, VPP told the index of a range's table (89bbec8df64)."""
ATTRIBUTE = "has_proxy_arp"
PARTS: dict[str, str] = {}
_DUMP, _RANGES = "proxy_arp_intfc_dump", "proxy_arp_dump"
_PATHS = ("proxy.table_id", "proxy.low", "proxy.hi")


def _set_proxy_arp(operation: op.SetProxyArp, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {"sw_if_index": indexes.interface(operation.interface), "enable": int(operation.is_on)}
    return Request("proxy_arp_intfc_enable_disable", values)


def _add_proxy_arp(operation: op.AddProxyArp, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _range(operation, is_add=True)


def _remove_proxy_arp(operation: op.RemoveProxyArp, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _range(operation, is_add=False)


def _range(operation: op.AddProxyArp | op.RemoveProxyArp, *, is_add: bool) -> Request:
    ends = (operation.table_id, IPv4Address(operation.first).packed, IPv4Address(operation.last).packed)
    values: dict[str, Value] = dict(zip(_PATHS, ends, strict=True))
    return Request("proxy_arp_add_del", {**values, "is_add": int(is_add)})


MESSAGES: Messages = {
    op.SetProxyArp: _set_proxy_arp,
    op.AddProxyArp: _add_proxy_arp,
    op.RemoveProxyArp: _remove_proxy_arp,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the requests for the interfaces and for the ranges."""
    return [connection.request(name)[1] for name in (_DUMP, _RANGES) if connection.offers(name)]


def read(connection: Connection, replies: Replies, known: Known) -> dict[int, bool]:
    """Return the interfaces that answer for others, by their indexes."""
    if not connection.offers(_DUMP):
        return {}
    return {index: True for (index,) in connection.rows(replies, "proxy_arp_intfc_details", "sw_if_index")}


def read_ranges(connection: Connection, replies: Replies, tables: Collection[str], version: str) -> frozenset[ProxyArp]:
    """Return the ranges of the default table and of those that go by `tables`.

    A range of a table that is gone cannot be removed, and one without an address does nothing: both are left out. So is
    one of another table than the default one before 25.10: VPP tells the index of the table (vnet/arp/arp_api.c).
    """
    if not connection.offers(_RANGES):
        return frozenset()
    tells_tables = not is_older(version, _TELLS_TABLES)
    found = set()
    for table_id, low, high in connection.rows(replies, "proxy_arp_details", *_PATHS):
        is_there = not table_id or (tells_tables and table_key(table_id, is_ipv6=False) in tables)
        if is_there and low <= high:
            found.add(ProxyArp(first=str(IPv4Address(low)), last=str(IPv4Address(high)), table_id=table_id))
    return frozenset(found)
