"""The state of a VPP by name, read with a plain vpp_papi client and none of our code: what tests compare."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.contract.raw import gre_tunnels
from tests.contract.subject import MORE

ALL = 0xFFFFFFFF


_MAC_OF_THE_FILE = ("Loopback", "bond")
"""Classes whose MAC every configuration here sets; a port keeps the one that it once got."""


def read_state(socket_path: Path, api_dir: Path) -> dict[str, Any]:
    """Return everything that a configuration can say; inherited MTUs come out as what is in force."""
    from vpp_papi import VPPApiClient

    client = VPPApiClient(apidir=str(api_dir), server_address=str(socket_path), use_socket=True, read_timeout=30)
    client.connect("second-opinion")
    try:
        return state_of(client)
    finally:
        client.disconnect()


def differences(found: Any, expected: Any, path: str = "") -> list[str]:
    """Return a line for each place in which two states differ."""
    if not isinstance(found, dict) or not isinstance(expected, dict):
        return [] if found == expected else [f"{path}: {found} instead of {expected}"]
    keys = sorted({*found, *expected}, key=str)
    return [line for key in keys for line in differences(found.get(key), expected.get(key), f"{path}/{key}")]


def _rows(api: Any, message: str, **fields: Any) -> list[Any]:
    """Return what a dump tells, nothing where VPP lacks it."""
    return list(getattr(api, message)(**fields)) if hasattr(api, message) else []


def pages(api: Any, message: str, **fields: Any) -> Iterator[Any]:
    """Yield the rows of a dump of which VPP tells a page at a time, nothing where VPP lacks it."""
    cursor = 0
    while hasattr(api, message):
        reply, rows = getattr(api, message)(cursor=cursor, **fields)
        yield from rows
        if reply.retval != MORE:
            return
        cursor = reply.cursor


def _told(api: Any) -> list[Any]:
    """Return what ports tell by LLDP; older releases do not tell what that is."""
    return [row for row in pages(api, "lldp_dump") if hasattr(row, "port_desc")]


def state_of(client: Any) -> dict[str, Any]:
    """Return what `read_state` does, with a client that is connected."""
    api = client.api
    rows = {row.sw_if_index: row for row in api.sw_interface_dump(sw_if_index=ALL)}
    names = {index: row.interface_name for index, row in rows.items()}
    pairs = pages(api, "lcp_itf_pair_get")
    hosts = {pair.host_sw_if_index for pair in pairs}
    shown = [row for row in rows.values() if not hosts & {row.sw_if_index, row.sup_sw_if_index}]
    return {
        "interfaces": {row.interface_name: _interface(api, row, rows) for row in shown},
        "cross-connects": {names[row.rx_sw_if_index]: names[row.tx_sw_if_index] for row in api.l2_xconnect_dump()},
        "pairs": {
            names[pair.phy_sw_if_index]: (pair.host_if_name.strip("\0"), pair.netns.strip("\0")) for pair in pairs
        },
        "borrowers": {names[row.sw_if_index]: names[row.ip_sw_if_index] for row in api.ip_unnumbered_dump()},
        "tables": {
            (row.table.table_id, row.table.is_ip6): row.table.name for row in api.ip_table_dump() if row.table.table_id
        },
        "neighbors": sorted(
            (names[row.neighbor.sw_if_index], str(row.neighbor.ip_address), str(row.neighbor.mac_address))
            for family in (0, 1)
            for row in api.ip_neighbor_dump(sw_if_index=ALL, af=family)
            if int(row.neighbor.flags) == 1
        ),
        "uRPF": sorted(
            (names[row.sw_if_index], int(row.af), bool(row.is_input), int(row.mode), row.table_id)
            for row in _rows(api, "urpf_interface_dump", sw_if_index=ALL)
        ),
        "mirrors": sorted(
            (
                names.get(row.sw_if_index_from, row.sw_if_index_from),
                names.get(row.sw_if_index_to, row.sw_if_index_to),
                int(row.state),
                l2,
            )
            for l2 in (False, True)
            for row in api.sw_interface_span_dump(is_l2=l2)
        ),
        "advertisements": sorted(
            (
                names[row.sw_if_index],
                (row.send_radv, row.cease_radv, row.adv_managed_flag, row.adv_other_flag, row.send_unicast),
                (row.adv_router_lifetime, row.max_radv_interval, row.min_radv_interval, row.adv_link_layer_address),
                sorted(
                    (str(each.prefix), each.onlink_flag, each.autonomous_flag, each.val_lifetime, each.no_advertise)
                    for each in row.prefixes
                ),
                _link_local(api, row.sw_if_index),
            )
            for row in api.sw_interface_ip6nd_ra_dump(sw_if_index=ALL)
            if row.sw_if_index not in hosts
        ),
        "MSS": sorted(
            (names[row.sw_if_index], row.ipv4_mss, int(row.ipv4_direction), row.ipv6_mss, int(row.ipv6_direction))
            for row in pages(api, "mss_clamp_get", sw_if_index=ALL)
            if row.sw_if_index in names
        ),
        "modes": sorted(
            (names[row.sw_if_index], row.queue_id, int(row.mode))
            for row in api.sw_interface_rx_placement_dump(sw_if_index=ALL)
            if row.sw_if_index not in hosts
        ),
        "receive queues": sorted(
            (names[row.sw_if_index], row.queue_id, row.worker_id)
            for row in api.sw_interface_rx_placement_dump(sw_if_index=ALL)
            if row.sw_if_index not in hosts
        ),
        "transmit queues": sorted(
            (names[row.sw_if_index], row.queue_id, sorted(row.threads))
            for row in pages(api, "sw_interface_tx_placement_get", sw_if_index=ALL)
            if row.sw_if_index not in hosts
        ),
        "flow records": sorted(
            (names[row.sw_if_index], int(row.which), int(row.direction))
            for row in api.flowprobe_interface_dump(sw_if_index=ALL)
        ),
        "IPFIX": _ipfix(api),
        "DHCP": sorted(
            (names[row.client.sw_if_index], row.client.hostname, row.client.set_broadcast_flag, int(row.client.dscp))
            for row in api.dhcp_client_dump()
        ),
        "answering ARP": sorted(names[row.sw_if_index] for row in api.proxy_arp_intfc_dump()),
        "ranges of ARP": sorted(
            (row.proxy.table_id, str(row.proxy.low), str(row.proxy.hi)) for row in api.proxy_arp_dump()
        ),
        "LLDP": sorted(
            (names[row.sw_if_index], (row.port_desc, str(row.mgmt_ip4), str(row.mgmt_ip6), row.mgmt_oid))
            for row in _told(api)
        ),
        "MPLS": sorted(
            names[row.sw_if_index] for row in _rows(api, "mpls_interface_dump") if row.sw_if_index not in hosts
        ),
        **_made(client, names, hosts),
        **_access_lists(api, names),
        "sflow": [
            line.strip()
            for line in api.cli_inband(cmd="show sflow").reply.splitlines()
            if line.startswith(("sflow sampling", "sflow polling", "sflow header", "sflow enable"))
        ],
    }


def _peers(api: Any, sw_if_index: int) -> Iterator[tuple[Any, ...]]:
    """Yield the peers of a WireGuard; older releases have no preshared keys."""
    dump = "wireguard_peers_v2_dump" if hasattr(api, "wireguard_peers_v2_dump") else "wireguard_peers_dump"
    for row in getattr(api, dump)(peer_index=ALL):
        peer = row.peer
        if peer.sw_if_index == sw_if_index:
            keys = peer.public_key, getattr(peer, "preshared_key", bytes(32))
            ends = str(peer.endpoint), peer.port, peer.table_id, peer.persistent_keepalive
            yield *keys, *ends, sorted(str(prefix) for prefix in peer.allowed_ips)


def _made(client: Any, names: dict[int, str], hosts: set[int]) -> dict[str, Any]:
    api = client.api
    return {
        "bonds": {
            bond.interface_name: (
                int(bond.mode),
                int(bond.lb),
                sorted(m.interface_name for m in api.sw_member_interface_dump(sw_if_index=bond.sw_if_index)),
            )
            for bond in api.sw_bond_interface_dump()
        },
        "bridges": {
            bridge.bd_id: (
                (bridge.flood, bridge.uu_flood, bridge.forward, bridge.learn, bridge.arp_term, bridge.arp_ufwd),
                bridge.mac_age,
                names.get(bridge.bvi_sw_if_index),
                sorted((names[member.sw_if_index], member.shg) for member in bridge.sw_if_details),
                sorted(
                    (str(row.mac), names.get(row.sw_if_index, row.sw_if_index), row.static_mac, row.filter_mac)
                    for row in api.l2_fib_table_dump(bd_id=bridge.bd_id)
                    if row.static_mac and not row.bvi_mac
                ),
            )
            for bridge in api.bridge_domain_dump(bd_id=ALL)
            if bridge.bd_id
        },
        "tunnels": {
            names[tunnel.sw_if_index]: (
                str(tunnel.src_address),
                str(tunnel.dst_address),
                tunnel.vni,
                tunnel.encap_vrf_id,
                tunnel.src_port,
                tunnel.dst_port,
            )
            for tunnel in api.vxlan_tunnel_v2_dump(sw_if_index=ALL)
        },
        "gres": {
            names[row.tunnel.sw_if_index]: (
                int(row.tunnel.type),
                str(row.tunnel.src),
                str(row.tunnel.dst),
                row.tunnel.session_id,
                row.tunnel.outer_table_id,
                getattr(row.tunnel, "key", 0),
            )
            for row in gre_tunnels(client)
        },
        "ipips": {
            names[row.tunnel.sw_if_index]: (
                str(row.tunnel.src),
                str(row.tunnel.dst),
                row.tunnel.table_id,
                int(row.tunnel.flags),
                int(row.tunnel.dscp),
            )
            for row in api.ipip_tunnel_dump(sw_if_index=ALL)
        },
        "wireguards": {
            names[row.interface.sw_if_index]: (
                row.interface.port,
                str(row.interface.src_ip),
                row.interface.private_key,
                sorted(_peers(api, row.interface.sw_if_index)),
            )
            for row in api.wireguard_interface_dump(sw_if_index=ALL, show_private_key=True)
        },
        "memifs": {
            names[row.sw_if_index]: (row.id, row.socket_id, int(row.role), int(row.mode)) for row in api.memif_dump()
        },
        "memif sockets": {
            row.socket_id: row.socket_filename for row in api.memif_socket_filename_dump() if row.socket_id
        },
        "vhost-user ports": {
            names[row.sw_if_index]: (bool(row.is_server), row.sock_filename)
            for row in api.sw_interface_vhost_user_dump(sw_if_index=0xFFFFFFFF)
        },
        "host-interfaces": sorted(row.host_if_name for row in api.af_packet_dump() if row.sw_if_index in names),
        "taps": {
            tap.dev_name: (
                tap.host_if_name,
                str(tap.host_mac_addr),
                tap.host_mtu_size,
                tap.host_namespace,
                tap.host_bridge,
                tap.rx_ring_sz,
                tap.tx_ring_sz,
            )
            for tap in api.sw_interface_tap_v2_dump(sw_if_index=ALL)
            if tap.sw_if_index not in hosts
        },
    }


def _ipfix(api: Any) -> Any:
    """Return where flow records go, when anywhere, and what is in them."""
    params = api.flowprobe_get_params()
    return [(int(params.record_flags), params.active_timer, params.passive_timer)] + [
        (
            *(str(row.collector_address), row.collector_port, str(row.src_address), row.vrf_id, row.path_mtu),
            *(row.template_interval, row.udp_checksum),
        )
        for row in api.ipfix_exporter_dump()
        if str(row.collector_address) != "0.0.0.0"
    ]


_RULE = (
    *("is_permit", "src_prefix", "dst_prefix", "proto", "srcport_or_icmptype_first", "srcport_or_icmptype_last"),
    *("dstport_or_icmpcode_first", "dstport_or_icmpcode_last"),
)


def _access_lists(api: Any, names: dict[int, str]) -> dict[str, Any]:
    lists = {row.acl_index: row for row in api.acl_dump(acl_index=ALL)}
    tags = {index: row.tag.strip("\0") for index, row in lists.items()}
    hosts = {row.acl_index: row for row in api.macip_acl_dump(acl_index=ALL)}
    return {
        "lists of hosts": sorted(
            (
                row.tag.strip("\0"),
                [(int(one.is_permit), str(one.src_prefix), str(one.src_mac), str(one.src_mac_mask)) for one in row.r],
            )
            for row in hosts.values()
        ),
        "hosts looked at": {
            names[row.sw_if_index]: [hosts[index].tag.strip("\0") for index in row.acls]
            for row in api.macip_acl_interface_list_dump(sw_if_index=ALL)
        },
        "access lists": {
            tags[index]: [[str(getattr(rule, field)) for field in _RULE] for rule in row.r]
            for index, row in lists.items()
        },
        "applied": {
            names[row.sw_if_index]: (
                [tags[index] for index in row.acls[: row.n_input]],
                [tags[index] for index in row.acls[row.n_input :]],
            )
            for row in api.acl_interface_list_dump(sw_if_index=ALL)
            if row.count
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
        "MAC": str(row.l2_address) if row.interface_dev_type in _MAC_OF_THE_FILE and not is_sub else None,
        "tables": [
            api.sw_interface_get_table(sw_if_index=row.sw_if_index, is_ipv6=is_ipv6).vrf_id for is_ipv6 in (False, True)
        ],
        "addresses": sorted(
            str(address.prefix)
            for is_ipv6 in (False, True)
            for address in api.ip_address_dump(sw_if_index=row.sw_if_index, is_ipv6=is_ipv6)
        ),
    }


def _link_local(api: Any, index: int) -> str:
    """Return a link-local address; one that is made of a MAC address (RFC 4291, appendix A) may be of any."""
    address = api.sw_interface_ip6_get_link_local_address(sw_if_index=index).ip
    return "of a MAC address" if address.packed[11:13] == b"\xff\xfe" else str(address)
