"""Reads Linux Control Plane pairs, which VPP reports in pages, and the switches of the plugin, from its CLI."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vppcfg.kinds.lcp.operations import HOST_TUN
from vppcfg.model.lcp import LcpPair, LcpSettings
from vppcfg.wire.reading import Replies, VppReader, text_of
from vppcfg.wire.row import Row, read_interfaces, request_interfaces
from vppcfg.wire.shell import Shown, show

PAIRS = "lcp_itf_pair_get"
"""Not its successor: lcp_itf_pair_get_v2 answers a question for all pairs with the reply of the first version, and
filters by interface, which is of no use here (linux-cp/lcp_api.c, 24.06 to 26.10)."""
_SHOW = "show lcp phy local0"
"""The plugin's switches, and the pair of an interface that never has one: without a name, all pairs are printed."""
SHOW_PLUGINS = "show plugins"
"""For plugins without messages."""
_TAP_CLASSES = ("tap", "virtio")
"""Device classes of TAPs from 26.02 (plugins/tap/tap.c), and before (vnet/devices/tap/tap.c)."""
_HOST_NAME = re.compile(r"(tap|tun)\d+")


class PairRow(NamedTuple):
    """One pair in lcp_itf_pair_details."""

    sw_if_index: int
    host_index: int
    host_name: str
    netns: str
    is_tun: bool = False
    device_index: int = 0
    """Of the Linux device when the pair was made; whoever makes another device of that name changes nothing here."""


def is_present(connection: VppReader) -> bool:
    """Return whether VPP runs the linux-cp plugin."""
    return connection.has(PAIRS)


def requests(connection: VppReader) -> list[bytes]:
    """Return the request for the first page of pairs."""
    return [connection.request(PAIRS, {"cursor": 0})[1]] if is_present(connection) else []


def commands(connection: VppReader) -> list[str]:
    """Return the commands that show the plugin's switches, and whether its companion linux-nl runs."""
    return [_SHOW, SHOW_PLUGINS] if is_present(connection) else []


def runs(plugin: str, shown: Shown) -> bool:
    """Return whether `SHOW_PLUGINS` has shown a plugin."""
    _, text = shown.get(SHOW_PLUGINS, (0, ""))
    return f" {plugin}_plugin.so" in text


def read_pairs(connection: VppReader, replies: Replies) -> list[PairRow]:
    """Return the pairs of the first page in `replies`, and of all pages behind it, which are asked for here.

    Raise DataplaneError when the pages do not end.
    """
    if not is_present(connection):
        return []
    pages = connection.pages(replies, PAIRS, {}, "LCP pairs")
    return [pair for page in pages for pair in _page(connection, page)]


def read_settings(connection: VppReader, shown: Shown) -> LcpSettings:
    """Return the plugin's switches, as `show lcp` prints them in every release (linux-cp/lcp_interface.c)."""
    if not is_present(connection):
        return LcpSettings()
    retval, text = shown[_SHOW]
    if retval:  # local0 was given another name
        _, text = show(connection, "show lcp")
    switches = dict(line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("lcp "))
    netns = switches.get("lcp default netns", "").strip("'")
    return LcpSettings(
        default_netns="" if netns == "<unset>" else netns,
        is_sync=switches.get("lcp lcp-sync") == "on",
        is_auto_subint=switches.get("lcp lcp-auto-subint") == "on",
    )


def find_hosts(pairs: Sequence[PairRow], rows: Sequence[Row]) -> dict[int, int]:
    """Return, by the index of the VPP interface, the index of the VPP side of its Linux device where that exists.

    When the pair of a port is deleted, those of its sub-interfaces go on naming an index that VPP may give to another
    interface, a new TAP of linux-cp among them. So the host of a port must be a TAP or TUN, and that of a
    sub-interface a sub-interface upon one, with the same id.
    """
    by_index = {row.sw_if_index: row for row in rows}
    return {
        pair.sw_if_index: pair.host_index
        for pair in pairs
        if (row := by_index.get(pair.sw_if_index)) and (host := by_index.get(pair.host_index))
        if _is_host_of(row, host, by_index.get(host.parent_index, host))
    }


def read_hosts(connection: VppReader) -> dict[str, int]:
    """Ask VPP for the index of its side of each Linux device, by the name of the interface that has it."""
    if not is_present(connection):
        return {}
    replies = connection.ask([*requests(connection), *request_interfaces(connection)])
    rows = read_interfaces(connection, replies)
    hosts = find_hosts(read_pairs(connection, replies), rows)
    return {row.name: hosts[row.sw_if_index] for row in rows if row.sw_if_index in hosts}


def _is_host_of(row: Row, host: Row, tap: Row) -> bool:
    return (row.type, row.sub_id) == (host.type, host.sub_id) and may_be_lcp_host(tap.device_class, tap.name)


def may_be_lcp_host(device_class: str, name: str) -> bool:
    """Return whether an interface can be the VPP side of a Linux device that linux-cp made."""
    return device_class in _TAP_CLASSES and _HOST_NAME.fullmatch(name) is not None


def build(pairs: Sequence[PairRow], rows: Sequence[Row], hosts: Mapping[int, int]) -> dict[str, LcpPair]:
    """Return the pairs by the name of their VPP interface."""
    by_index = {row.sw_if_index: row for row in rows}
    return {
        row.name: LcpPair(
            host_name=pair.host_name,
            netns=pair.netns,
            is_tun=pair.is_tun,
            has_host=pair.sw_if_index in hosts,
            host_mtu=by_index[hosts[pair.sw_if_index]].packet_mtu if pair.sw_if_index in hosts else None,
        )
        for pair in pairs
        if (row := by_index.get(pair.sw_if_index)) is not None
    }


def _page(connection: VppReader, replies: Replies) -> list[PairRow]:
    netns = "netns" if connection.message("lcp_itf_pair_details").has("netns") else "namespace"  # until 22.06
    paths = ("phy_sw_if_index", "host_sw_if_index", "host_if_name", netns, "host_if_type", "vif_index")
    rows = connection.rows(replies, "lcp_itf_pair_details", *paths)
    return [
        PairRow(index, host, text_of(name), text_of(space), is_tun=kind == HOST_TUN, device_index=device)
        for index, host, name, space, kind, device in rows
    ]
