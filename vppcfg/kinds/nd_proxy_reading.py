"""Reads the ND proxies of a VPP from its FIB: the message that lists them cannot be decoded.

That is a fault of send_ip6nd_proxy_details (vnet/ip6-nd/ip6_nd_api.c). Each proxy is an entry of the FIB, of a source
of its own. One is asked for by its prefix; to find all, VPP walks all IPv6 routes for each table, with its workers
stopped: 8 to 14 ms for 100,000 routes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from vppcfg.kinds.route_hidden import hops_of_source
from vppcfg.model.nd_proxy import NdProxy
from vppcfg.model.state import State
from vppcfg.model.vpp_object import OF_DELETED, HiddenObject
from vppcfg.model.vrf import FibTable
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.fib_source import SOURCES, own_source
from vppcfg.wire.reading import VppReader
from vppcfg.wire.shell import Commands, prefix_command

_DUMP = "ip_route_v2_dump"
_SOURCE = "IPv6-proxy-nd"
_SOURCE_ID = 13
"""FIB_SOURCE_IP6_ND_PROXY (vnet/fib/fib_source.h), the same in all releases from 22.06."""


def unlisted_proxies(
    connection: VppReader, items: Sequence[NdProxy], names: Mapping[int, str]
) -> Iterator[HiddenObject]:
    """Yield those of `items` that VPP has, or has kept on a deleted interface; none where no file has set any.

    Raise DataplaneError.

    VPP answers for a host that has an entry of this source, whatever better one its packets are forwarded by.
    `names` are the interfaces by index.
    """
    if not items or not connection.offers(SOURCES):
        return
    if own_source(connection, connection.ask([connection.request(SOURCES)[1]])) is None:
        return
    lines = {each.name: prefix_command(each.table_id, f"{each.address}/128") for each in items}
    commands = Commands(connection, list(dict.fromkeys(lines.values())))
    printed = commands.read(connection, connection.ask(commands.requests))
    for each in items:
        hops = hops_of_source(printed[lines[each.name]][1], _SOURCE, names)
        if any(hop.interface == each.interface for hop in hops):
            yield HiddenObject(item=each, by="", found=each)
        elif not all(hop.interface for hop in hops):
            yield HiddenObject(item=each, by=OF_DELETED, found=None)


def all_proxies(connection: VppReader, state: State, names: Mapping[int, str]) -> Iterator[NdProxy]:
    """Yield the proxies on interfaces of `state`, whoever set them, but for those below a better source.

    Raise DataplaneError.
    """
    if not connection.offers(_DUMP):
        return
    tables = [FibTable(table_id=0, is_ipv6=True), *(each for each in state.vrfs.values() if each.is_ipv6)]
    asked = [
        connection.request(_DUMP, {"src": _SOURCE_ID, "table.table_id": each.table_id, "table.is_ip6": 1})[1]
        for each in connection.survey.walkable(tables, "IPv6 ND proxies")
    ]
    heads = ("route.table_id", "route.prefix.address.un")
    shown = connection.lists(connection.ask(asked), "ip_route_v2_details", heads, "sw_if_index")
    for (table_id, raw), paths in shown:
        for (index,) in paths:
            name = names.get(index, "")
            if name in state.interfaces and state.interfaces[name].tables[1] == table_id:
                yield NdProxy(address=text_of_address(1, raw), interface=name, table_id=table_id)
