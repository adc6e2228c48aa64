"""The state of a VPP by name, read with a plain vpp_papi client and none of our code: what tests compare."""

from __future__ import annotations

from pathlib import Path
from typing import Any

ALL = 0xFFFFFFFF


def read_state(socket_path: Path, api_dir: Path) -> dict[str, Any]:
    """Return interfaces, addresses, cross-connects and LCP pairs; inherited MTUs come out as what is in force."""
    from vpp_papi import VPPApiClient

    client = VPPApiClient(apidir=str(api_dir), server_address=str(socket_path), use_socket=True, read_timeout=30)
    client.connect("second-opinion")
    try:
        return _state(client.api)
    finally:
        client.disconnect()


def _state(api: Any) -> dict[str, Any]:
    rows = {row.sw_if_index: row for row in api.sw_interface_dump(sw_if_index=ALL)}
    pairs = _pairs(api)
    hosts = {pair.host_sw_if_index for pair in pairs}
    shown = [row for row in rows.values() if not hosts & {row.sw_if_index, row.sup_sw_if_index}]
    return {
        "interfaces": {row.interface_name: _interface(api, row, rows) for row in shown},
        "cross-connects": {
            rows[row.rx_sw_if_index].interface_name: rows[row.tx_sw_if_index].interface_name
            for row in api.l2_xconnect_dump()
        },
        "pairs": {
            rows[pair.phy_sw_if_index].interface_name: (pair.host_if_name.strip("\0"), pair.netns.strip("\0"))
            for pair in pairs
        },
    }


def _interface(api: Any, row: Any, rows: dict[int, Any]) -> dict[str, Any]:
    is_sub = row.sub_number_of_tags > 0
    return {
        "is up": bool(int(row.flags) & 1),
        "link MTU": None if is_sub else row.link_mtu,
        "MTUs": [row.mtu[0] or rows[row.sup_sw_if_index].mtu[0], *row.mtu[1:]],
        "match": (
            row.sub_id,
            row.sub_number_of_tags,
            row.sub_outer_vlan_id,
            row.sub_inner_vlan_id,
            int(row.sub_if_flags),
        ),
        "tag rewrite": (row.vtr_op, row.vtr_push_dot1q, row.vtr_tag1, row.vtr_tag2),
        "tag": row.tag,
        "MAC": None if is_sub else str(row.l2_address),
        "addresses": sorted(
            str(address.prefix)
            for is_ipv6 in (False, True)
            for address in api.ip_address_dump(sw_if_index=row.sw_if_index, is_ipv6=is_ipv6)
        ),
    }


def _pairs(api: Any) -> list[Any]:
    found: list[Any] = []
    cursor = 0
    while True:
        reply, rows = api.lcp_itf_pair_get(cursor=cursor)
        found += rows
        if not rows or reply.cursor == ALL:
            return found
        cursor = reply.cursor
