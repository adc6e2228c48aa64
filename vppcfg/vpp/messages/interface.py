"""Ports and sub-interfaces themselves: state, MTU, MAC and tag, and loopbacks, which have nothing else.

All interfaces come as the rows of one dump; `build` makes of them the interfaces of the model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from vppcfg.common.addresses import order_of
from vppcfg.model.interface import RX_MODES, WITHOUT_MTU, Interface, InterfaceKind, RxMode, usual_rx_mode
from vppcfg.model.placement import Placements, QueuePlacement, in_order
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.record import record
from vppcfg.vpp import devclass
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.wire.reading import Replies
from vppcfg.wire.row import ADMIN_UP, Row, name_of, read_interfaces, request_interfaces

_QUEUES = "sw_interface_rx_placement_dump"
_TX_QUEUES = "sw_interface_tx_placement_get"
_THREADS = "show_threads"
_WORKER = re.compile(r"_wk_[0-9]+")
"""What the names of threads that forward packets end in, behind `vpp` or the thread-prefix (vlib/threads.c)."""
_TYPE_SUB = 1
"""IF_API_TYPE_SUB (vnet/interface_types.api)."""
_LOCAL = "local0"
_LINK_UP = 2
"""Beside ADMIN_UP, in the flags of interfaces (vnet/interface_types.api)."""
_NO_FEATURES: Mapping[str, Any] = {}


@record
class Surroundings:
    """What is configured on interfaces, by their index."""

    names: Mapping[int, str]
    addresses: Mapping[int, tuple[str, ...]]
    """In VPP's order."""
    features: Mapping[int, Mapping[str, Any]]
    """Those that are on, and what else kinds have there, by attribute."""
    rx_modes: Mapping[int, RxMode]
    placements: Mapping[int, tuple[Placements, Placements]]
    """The threads that look after the receive and the transmit queues of ports."""


def port_requests(connection: Connection) -> list[bytes]:
    """Return the requests for the queues of all ports, and the threads."""
    asked = [connection.request(_QUEUES, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_QUEUES) else []
    return [*asked, *([connection.request(_THREADS)[1]] if connection.offers(_THREADS) else [])]


def read_workers(connection: Connection, replies: Replies) -> int:
    """Return how many threads forward packets beside the main one (vlibmemory/vlib.api)."""
    if not connection.offers(_THREADS):
        return 0
    found = connection.lists(replies, "show_threads_reply", ("retval",), "name")
    return sum(_WORKER.search(text_of(name)) is not None for _, threads in found for (name,) in threads)


def tx_requests(connection: Connection, workers: int) -> list[bytes]:
    """Return the request for the transmit queues of all ports, which without workers are all the main thread's."""
    if not workers or not connection.offers(_TX_QUEUES):
        return []
    return [connection.request(_TX_QUEUES, {"sw_if_index": ALL_INDEXES, "cursor": 0})[1]]


def read_placements(
    connection: Connection, replies: Replies, replied: Replies, workers: int
) -> dict[int, tuple[Placements, Placements]]:
    """Return by the index of each port which threads look after its queues; nothing where there are no workers.

    VPP spreads receive queues over workers, so that one of the main thread was placed by hand.
    """
    found: dict[int, tuple[list[QueuePlacement], list[QueuePlacement]]] = {}
    if workers and connection.offers(_QUEUES):
        paths = ("sw_if_index", "queue_id", "worker_id")
        for index, queue, thread in connection.rows(replies, "sw_interface_rx_placement_details", *paths):
            placed = QueuePlacement(queue=queue, threads=(thread,), is_chosen=thread == 0)
            found.setdefault(index, ([], []))[0].append(placed)
    if tx_requests(connection, workers):
        pages = connection.pages(replied, _TX_QUEUES, {"sw_if_index": ALL_INDEXES}, "transmit queues")
        for page in pages:
            heads = ("sw_if_index", "queue_id")
            for (index, queue), items in connection.lists(page, "sw_interface_tx_placement_details", heads, ""):
                threads = tuple(sorted(thread for (thread,) in items))
                found.setdefault(index, ([], []))[1].append(QueuePlacement(queue=queue, threads=threads))
    return {index: (in_order(received), in_order(sent)) for index, (received, sent) in found.items()}


def macs_of(rows: Sequence[Row]) -> dict[int, bytes]:
    """Return the MAC address of each interface by index; a sub-interface has that of its port."""
    macs = {row.sw_if_index: row.mac for row in rows}
    return {row.sw_if_index: macs.get(row.parent_index, row.mac) for row in rows}


def stale_ra_mtus(rows: Sequence[Row], advertised: Mapping[int, int]) -> dict[int, int]:
    """Return what is `advertised` as the MTU of interfaces, by index, where VPP sends larger or smaller packets."""
    mtus = {
        row.sw_if_index: row.ip6_mtu or row.packet_mtu or WITHOUT_MTU for row in rows if row.sw_if_index in advertised
    }
    return {index: advertised[index] for index, mtu in mtus.items() if advertised[index] not in (0, mtu)}


def read_rx_modes(connection: Connection, replies: Replies) -> dict[int, RxMode]:
    """Return by the index of each port how VPP learns that packets have come."""
    found: dict[int, RxMode] = {}
    if not connection.offers(_QUEUES):
        return found
    for index, number in connection.rows(replies, "sw_interface_rx_placement_details", "sw_if_index", "mode"):
        if number in RX_MODES:
            mode = RX_MODES[number]
            found[index] = mode if found.get(index, mode) is mode else RxMode.MIXED
    return found


def read_names(connection: Connection) -> dict[str, int]:
    """Ask VPP for the index of every interface by its name."""
    replies = connection.ask(request_interfaces(connection))
    rows = connection.rows(replies, "sw_interface_details", "sw_if_index", "sub_id", "interface_name")
    return {name_of(name, sub_id): index for index, sub_id, name in rows}


def read_up(connection: Connection) -> frozenset[str]:
    """Ask VPP for the names of the interfaces that are up."""
    rows = read_interfaces(connection, connection.ask(request_interfaces(connection)))
    return frozenset(row.name for row in rows if row.flags & ADMIN_UP)


def read_without_link(connection: Connection) -> frozenset[str]:
    """Ask VPP for the names of the interfaces that are up without link."""
    rows = read_interfaces(connection, connection.ask(request_interfaces(connection)))
    return frozenset(row.name for row in rows if row.flags & (ADMIN_UP | _LINK_UP) == ADMIN_UP)


def read_macs(connection: Connection) -> dict[str, str]:
    """Ask VPP for the MAC address of every interface by its name; a sub-interface has that of its port."""
    replies = connection.ask(request_interfaces(connection))
    paths = ("sw_if_index", "sup_sw_if_index", "l2_address", "sub_id", "interface_name")
    rows = connection.rows(replies, "sw_interface_details", *paths)
    macs = {row[0]: row[2] for row in rows}
    return {name_of(name, sub_id): macs[port].hex(":") for _, port, _, sub_id, name in rows if any(macs.get(port, b""))}


def without(rows: Sequence[Row], hosts: frozenset[int]) -> list[Row]:
    """Return the rows of what an operator may name: not local0, no LCP host device of `hosts`, nothing upon one."""
    return [
        row for row in rows if row.name != _LOCAL and row.sw_if_index not in hosts and row.parent_index not in hosts
    ]


def build(rows: Sequence[Row], around: Surroundings) -> dict[str, Interface]:
    """Return the interfaces of `rows` by name, with what is on them."""
    return {row.name: _sub_interface(row, around) if row.type == _TYPE_SUB else _port(row, around) for row in rows}


def _port(row: Row, around: Surroundings) -> Interface:
    is_ethernet = any(row.mac)
    has_link_mtu = is_ethernet and devclass.has_link_mtu(row.device_class, row.name)
    kind = devclass.kind_of(row.device_class, row.name, row.tag)
    mode = around.rx_modes.get(row.sw_if_index) if kind is InterfaceKind.PHYSICAL else None
    placements = around.placements.get(row.sw_if_index) if kind is InterfaceKind.PHYSICAL else None
    rx_placement, tx_placement = placements or ((), ())
    return Interface(
        kind=kind,
        rx_mode=None if mode is usual_rx_mode(row.device_class) else mode,
        rx_placement=rx_placement,
        tx_placement=tx_placement,
        device_class=row.device_class,
        mac=row.mac.hex(":") if is_ethernet else "",
        link_mtu=row.link_mtu if has_link_mtu else None,
        **_of_any(row, around),
    )


def _sub_interface(row: Row, around: Surroundings) -> Interface:
    return Interface(
        kind=InterfaceKind.SUB_INTERFACE,
        parent=around.names.get(row.parent_index),
        sub_id=row.sub_id,
        encapsulation=row.encapsulation,
        **_of_any(row, around),
    )


def _of_any(row: Row, around: Surroundings) -> dict[str, Any]:
    """Return what ports and sub-interfaces have alike."""
    index = row.sw_if_index
    addresses = around.addresses.get(index, ())
    return {
        "name": row.name,
        "packet_mtu": row.packet_mtu,
        "protocol_mtus": _protocol_mtus(row),
        "is_up": bool(row.flags & ADMIN_UP),
        "tag": row.tag,
        "addresses": frozenset(addresses),
        "address_order": order_of(addresses),
        "tag_rewrite": row.tag_rewrite,
        **around.features.get(index, _NO_FEATURES),
    }


def _protocol_mtus(row: Row) -> tuple[int, int, int]:
    """Return the MTUs for IPv4, IPv6 and MPLS, 0 where they are that of every packet anyway."""
    own = row.packet_mtu
    ip4, ip6, mpls = row.ip4_mtu, row.ip6_mtu, row.mpls_mtu
    return 0 if ip4 == own else ip4, 0 if ip6 == own else ip6, 0 if mpls == own else mpls
