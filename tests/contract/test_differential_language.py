"""Contract: long runs of random operations on everything that VPP makes itself are answered alike, as ports are."""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from operator import attrgetter
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.contract.conftest import SIMULATED, connected
from tests.contract.subject import ALL, PORTS, Flags
from tests.contract.test_differential import Generator, Name, Operation, Side, _subject
from tests.real_vpp import HOST_DEVICES, running, skip_reason
from tests.wireguard_keys import PEERS, PRIVATE
from vppcfg.model.secret_key import key_bytes
from vppcfg.simulator.api import write_api_dir
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp

pytestmark = pytest.mark.live

OPERATIONS = 500
MACS = ("02:00:00:00:0a:01", "02:00:00:00:0a:02")
ENDS = (("192.0.2.1", "192.0.2.2"), ("192.0.2.3", "192.0.2.2"), ("2001:db8::1", "2001:db8::2"), ("192.0.2.1",) * 2)
GRE_WORDS = ("teb", "erspan 5", "teb key 7", "erspan 5 key 7", "teb key 7 del", "teb del")
IPIP_WORDS = ("", "flags encap-copy-df", "p2mp", "flags encap-set-df flags decap-copy-ecn")
PREFIXES = ("10.0.0.0/8", "10.1.2.3/8", "0.0.0.0/0", "2001:db8::/32", "::/0")
ROUTES = ("10.9.0.0/16", "10.9.1.2/24", "172.16.0.0/12")
NEIGHBORS = ("192.0.2.5", "192.0.2.6", "10.0.0.9", "2001:db8::5", "fe80::5")
ROLES = ("master", "slave", "", "slave mode ip")
RX_MODES = ("polling", "interrupt", "adaptive", "", "sometimes")
NO_FLAGS, STATIC, NO_ROUTE = 0, 1, 2
TYPED = 9
"""The source of what is typed (FIB_SOURCE_CLI)."""
MADE_UP = "02:fe:"


MESSAGES = {
    "loopback": "create_loopback_instance user_instance mac_address is_specified=1",
    "delete_loopback": "delete_loopback sw_if_index",
    "delete_bond": "bond_delete sw_if_index",
    "join": "bond_add_member sw_if_index bond_sw_if_index is_passive",
    "part": "bond_detach_member sw_if_index",
    "weight": "sw_interface_set_bond_weight sw_if_index weight",
    "mac": "sw_interface_set_mac_address sw_if_index mac_address",
    "bridge": "bridge_domain_add_del_v2 bd_id is_add learn mac_age flood=1 bd_tag=vppcfg",
    "bridge_flags": "bridge_flags bd_id is_set flags -> resulting_feature_bitmap",
    "bridge_member": "sw_interface_set_l2_bridge rx_sw_if_index bd_id port_type shg enable",
    "tunnel": "vxlan_add_del_tunnel_v3 instance src_address dst_address vni is_add"
    f" mcast_sw_if_index={ALL} decap_next_index={ALL}",
    "gre": "gre_tunnel_add_del_v2|gre_tunnel_add_del tunnel.instance tunnel.type tunnel.src tunnel.dst"
    " tunnel.session_id tunnel.key is_add tunnel.mode=0 tunnel.flags=0 tunnel.outer_table_id=0"
    f" tunnel.sw_if_index={ALL}",
    "ipip": "ipip_add_tunnel tunnel.instance tunnel.src tunnel.dst tunnel.flags tunnel.mode"
    f" tunnel.dscp=0 tunnel.table_id=0 tunnel.sw_if_index={ALL}",
    "delete_ipip": "ipip_del_tunnel sw_if_index",
    "delete_wireguard": "wireguard_interface_delete sw_if_index",
    "remove_peer": "wireguard_peer_remove peer_index",
    "delete_tap": "tap_delete_v2 sw_if_index",
    "delete_acl": "acl_del acl_index",
    "mpls_table": "mpls_table_add_del mt_is_add=1 mt_table.mt_table_id=0",
    "mpls": "sw_interface_set_mpls_enable sw_if_index enable",
    "sflow": "sflow_enable_disable hw_if_index enable_disable",
    "sflow_header": "sflow_header_bytes_set header_B",
    "urpf": "urpf_update_v2 sw_if_index mode af is_input table_id",
    "clamp": "mss_clamp_enable_disable sw_if_index ipv4_mss ipv4_direction ipv6_mss ipv6_direction",
    "ask": "dhcp_client_config client.sw_if_index client.hostname client.set_broadcast_flag is_add",
    "delete_hosts": "macip_acl_del acl_index",
    "look_at_hosts": "macip_acl_interface_add_del sw_if_index acl_index is_add",
    "export": "set_ipfix_exporter collector_address src_address vrf_id path_mtu"
    " collector_port=4739 template_interval=20",
    "record": "flowprobe_set_params record_flags active_timer passive_timer",
    "probe": "flowprobe_interface_add_del sw_if_index which direction is_add",
    "answer": "proxy_arp_intfc_enable_disable sw_if_index enable",
    "arp_range": "proxy_arp_add_del proxy.table_id proxy.low proxy.hi is_add",
    "mirror": "sw_interface_span_enable_disable sw_if_index_from sw_if_index_to state is_l2",
    "link_local": "sw_interface_ip6_set_link_local_address sw_if_index ip",
    "ipv6": "sw_interface_ip6_enable_disable sw_if_index enable",
    "unnumbered": "sw_interface_set_unnumbered unnumbered_sw_if_index sw_if_index is_add",
    "delete_host_interface": "af_packet_delete host_if_name",
    "memif_socket": "memif_socket_filename_add_del socket_id socket_filename is_add",
    "memif": "memif_create_v2 socket_id id role mode ring_size rx_queues=1 tx_queues=1",
    "delete_memif": "memif_delete sw_if_index",
    "vhost_user": "create_vhost_user_if_v2 sock_filename custom_dev_instance is_server renumber=1",
    "delete_vhost_user": "delete_vhost_user_if sw_if_index",
    "lldp": "sw_interface_set_lldp sw_if_index port_desc mgmt_ip4 enable",
    "lldp_settings": "lldp_config system_name tx_hold tx_interval",
    "neighbor": "ip_neighbor_add_del neighbor.sw_if_index neighbor.ip_address neighbor.mac_address"
    " neighbor.flags is_add",
    "mac_entry": "l2fib_add_del sw_if_index bd_id mac is_add static_mac filter_mac",
}
ROWS = {
    "tunnels": ("vxlan_tunnel_v2_dump sw_if_index", "sw_if_index src_address dst_address vni src_port dst_port"),
    "ipips": ("ipip_tunnel_dump sw_if_index", "tunnel.sw_if_index tunnel.src tunnel.dst tunnel.flags"),
    "checks": ("urpf_interface_dump sw_if_index", "sw_if_index af is_input mode table_id"),
    "exporter": ("ipfix_exporter_dump", "collector_address collector_port src_address vrf_id path_mtu"),
    "probes": ("flowprobe_interface_dump sw_if_index", "sw_if_index which direction"),
    "asking": ("dhcp_client_dump", "client.sw_if_index client.hostname client.set_broadcast_flag"),
    "answering": ("proxy_arp_intfc_dump", "sw_if_index"),
    "ranges": ("proxy_arp_dump", "proxy.table_id proxy.low proxy.hi"),
}
"""What a dump of all interfaces shows in an order of its own."""
SORTED_ROWS = {
    "mpls": ("mpls_interface_dump sw_if_index", "sw_if_index"),
    "borrowers": ("ip_unnumbered_dump sw_if_index", "sw_if_index ip_sw_if_index"),
    "memifs": ("memif_dump", "sw_if_index socket_id id role mode"),
    "vhost-user ports": (
        "sw_interface_vhost_user_dump sw_if_index",
        "sw_if_index interface_name is_server sock_filename",
    ),
}


class LanguageSide(Side):
    """One of the two VPPs, with everything that it can make."""

    messages: ClassVar = {**Side.messages, **MESSAGES}

    def apply_to(self, operation: Operation) -> object:
        """Run an operation, with names in lists too; say which message of it this release lacks."""
        name, arguments = operation
        try:
            return super().apply_to((name, tuple(arguments)))
        except pytest.skip.Exception as lacking:
            return str(lacking)

    def state(self) -> Any:
        """Return everything that VPP's dumps show, by name."""
        names = {index: name for name, index in self.indexes.items()}
        api = self.subject.api
        shown = super().state()
        shown["macs"] = {name: _mac(row.l2_address) for name, row in self.subject.interfaces().items()}
        shown["bonds"] = {
            names[row.sw_if_index]: (int(row.mode), int(row.lb), row.active_members, self._members(row, names))
            for row in self.subject.rows("sw_bond_interface_dump", sw_if_index=ALL)
        }
        shown["bridges"] = [
            _bridge(row, names) for row in self.subject.rows("bridge_domain_dump", bd_id=ALL, sw_if_index=ALL)
        ]
        shown["gres"] = [
            (
                names[row.tunnel.sw_if_index],
                int(row.tunnel.type),
                str(row.tunnel.src),
                row.tunnel.session_id,
                getattr(row.tunnel, "key", None),
            )
            for row in self.subject.gre_tunnels()
        ]
        shown["wireguards"] = [
            (names[row.interface.sw_if_index], row.interface.port, str(row.interface.src_ip), row.interface.private_key)
            for row in self.subject.rows("wireguard_interface_dump", sw_if_index=ALL, show_private_key=True)
        ]
        shown["peers"] = [_peer(row.peer, names) for row in self._peers()]
        shown["taps"] = [_tap(row) for row in self.subject.rows("sw_interface_tap_v2_dump", sw_if_index=ALL)]
        shown["lists"] = [
            (row.acl_index, row.tag, [_rule(rule) for rule in row.r])
            for row in self.subject.rows("acl_dump", acl_index=ALL)
        ]
        shown["bound"] = {
            names[row.sw_if_index]: (row.n_input, list(row.acls))
            for row in self.subject.rows("acl_interface_list_dump", sw_if_index=ALL)
        }
        shown["sflow"] = self._sflow()
        tables = [
            (row.table.table_id, row.table.is_ip6, row.table.name, self._routes(row.table))
            for row in self.subject.rows("ip_table_dump")
        ]
        shown["tables"] = [row for row in tables if not row[1]]
        # Among these are tables of link-local addresses, which VPP does not show (ip6_ll_table.c).
        shown["IPv6 tables"] = sorted(row for row in tables if row[1])
        shown["bound to"] = {
            name: [api.sw_interface_get_table(sw_if_index=index, is_ipv6=is_ipv6).vrf_id for is_ipv6 in (False, True)]
            for name, index in self.indexes.items()
        }
        shown["limits"] = [
            (row.sw_if_index, row.ipv4_mss, int(row.ipv4_direction), row.ipv6_mss, int(row.ipv6_direction))
            for row in self.subject.pages("mss_clamp_get", sw_if_index=ALL)
        ]
        shown["mirrors"] = [
            (row.sw_if_index_from, row.sw_if_index_to, int(row.state), is_l2)
            for is_l2 in (False, True)
            for row in self.subject.rows("sw_interface_span_dump", is_l2=is_l2)
        ]
        shown["lists of hosts"] = [
            (row.acl_index, row.tag, [str(rule) for rule in row.r])
            for row in self.subject.rows("macip_acl_dump", acl_index=ALL)
        ]
        shown["hosts of"] = [
            (row.sw_if_index, list(row.acls))
            for row in self.subject.rows("macip_acl_interface_list_dump", sw_if_index=ALL)
        ]
        if api.has("flowprobe_get_params"):
            params = api.flowprobe_get_params()
            shown["recorded"] = (int(params.record_flags), params.active_timer, params.passive_timer)
        shown["advertisements"] = self._advertisements()
        shown |= {key: self._rows(*asked) for key, asked in ROWS.items()}
        shown |= {key: sorted(self._rows(*asked)) for key, asked in SORTED_ROWS.items()}
        return shown | self._told_to_ports() | self._told_of_macs()

    def _rows(self, dump: str, fields: str) -> list[Any]:
        """Return the values of some fields of the rows that a dump shows of all there is."""
        message, *keys = dump.split()
        rows = self.subject.rows(message, **dict.fromkeys(keys, ALL))
        values = [[attrgetter(field)(row) for field in fields.split()] for row in rows]
        return [[int(one) if isinstance(one, int) else str(one) for one in row] for row in values]

    def _told_to_ports(self) -> dict[str, Any]:
        """Return what ports are made with and do by themselves, by their indexes."""
        ports = {row.sw_if_index for row in self.subject.interfaces().values() if row.interface_dev_type == "af-packet"}
        return {
            "host-interfaces": sorted(
                (row.host_if_name, row.sw_if_index)
                for row in self.subject.rows("af_packet_dump")
                if row.host_if_name in HOST_DEVICES
            ),
            "memif sockets": sorted(
                (row.socket_id, row.socket_filename)
                for row in self.subject.rows("memif_socket_filename_dump")
                if row.socket_id
            ),
            "lldp": sorted(_lldp(row) for row in self.subject.pages("lldp_dump")) if SIMULATED >= "26.10" else [],
            "rx modes": sorted(
                (row.sw_if_index, row.queue_id, int(row.mode))
                for row in self.subject.rows("sw_interface_rx_placement_dump", sw_if_index=ALL)
                if row.sw_if_index in ports
            ),
        }

    def _told_of_macs(self) -> dict[str, Any]:
        """Return the neighbours and the MAC addresses of bridge domains that were told, not learnt ones."""
        neighbors = [
            row.neighbor
            for family in (0, 1)
            for row in self.subject.rows("ip_neighbor_dump", sw_if_index=ALL, af=family)
        ]
        return {
            "neighbors": sorted(
                (row.sw_if_index, str(row.ip_address), str(row.mac_address), int(row.flags))
                for row in neighbors
                if int(row.flags) & STATIC
            ),
            "MACs": sorted(
                (row.bd_id, _mac(row.mac), row.sw_if_index, row.static_mac, row.filter_mac, row.bvi_mac)
                for row in self.subject.rows("l2_fib_table_dump", bd_id=ALL)
                if row.static_mac or row.filter_mac
            ),
        }

    def _advertisements(self) -> Any:
        """Return what interfaces with IPv6 advertise, by their indexes, and whether their link-local one is chosen.

        One that is to cease does so some time after it was told.
        """
        api = self.subject.api
        return sorted(
            (
                (
                    row.sw_if_index,
                    row.send_radv or row.cease_radv,
                    row.cease_radv,
                    row.adv_managed_flag,
                    row.adv_other_flag,
                ),
                (row.send_unicast, row.adv_link_layer_address, row.adv_router_lifetime),
                (row.max_radv_interval, row.min_radv_interval, row.initial_adverts_count, row.initial_adverts_interval),
                sorted((str(each.prefix), each.onlink_flag, each.autonomous_flag) for each in row.prefixes),
                str(api.sw_interface_ip6_get_link_local_address(sw_if_index=row.sw_if_index).ip).startswith("fe80::7"),
            )
            for row in self.subject.rows("sw_interface_ip6nd_ra_dump", sw_if_index=ALL)
        )

    def _routes(self, table: Any) -> list[str]:
        """Return the prefixes of what somebody typed."""
        asked = {"table_id": table.table_id, "is_ip6": table.is_ip6}
        return sorted(str(row.route.prefix) for row in self.subject.api.ip_route_v2_dump(src=TYPED, table=asked))

    def _sflow(self) -> Any:
        """Return the settings, and the ports by name and by hardware index."""
        lines = self.subject.cli("show sflow")[1].partition("Status")[0].splitlines()
        return lines, [row.hw_if_index for row in self.subject.rows("sflow_interface_dump", hw_if_index=ALL)]

    def _peers(self) -> list[Any]:
        """Return the peers of WireGuard, without preshared keys before 26.06."""
        has_keys = self.subject.api.has("wireguard_peers_v2_dump")
        return self.subject.rows("wireguard_peers_v2_dump" if has_keys else "wireguard_peers_dump", peer_index=ALL)

    def _members(self, bond: Any, names: dict[int, str]) -> list[Any]:
        rows = self.subject.api.sw_member_interface_dump(sw_if_index=bond.sw_if_index)
        return [(names[row.sw_if_index], row.is_passive, row.is_long_timeout, row.weight) for row in rows]

    def bond(self, number: int, mode: int, load_balance: int, mac: str) -> int:
        arguments = {"id": number, "mode": mode, "lb": load_balance, "use_custom_mac": bool(mac)}
        return int(self.subject.api.bond_create2(**arguments, mac_address=mac or MACS[0]).retval)

    def wireguard(self, number: int, key: int, source: str) -> int:
        """Make a WireGuard on a port of its own: VPP writes where it should not when one of two on a port goes."""
        fields = {"user_instance": number, "private_key": PRIVATE[key], "port": 51820 + number, "src_ip": source}
        interface = {**fields, "sw_if_index": ALL, "public_key": bytes(32)}
        return int(self.subject.api.wireguard_interface_create(interface=interface, generate_key=False).retval)

    def peer(self, index: int, key: int, endpoint: str, prefixes: tuple[str, ...], preshared: int) -> int:
        fields = {
            "peer_index": ALL,
            "sw_if_index": index,
            "public_key": key_bytes(PEERS[key]),
            "preshared_key": PRIVATE[preshared],
            "preshared_key_set": bool(preshared),
            "endpoint": endpoint,
            "port": 51820,
            "persistent_keepalive": 5 * key,
            "table_id": 0,
            "flags": 0,
            "n_allowed_ips": len(prefixes),
            "allowed_ips": list(prefixes),
        }
        api = self.subject.api
        add = api.wireguard_peer_add_v2 if api.has("wireguard_peer_add_v2") else api.wireguard_peer_add
        return int(add(peer=fields).retval)

    def tap(self, number: int, name: str, netns: str, size: int) -> int:
        arguments = {"id": number, "host_if_name_set": True, "host_if_name": name, "host_namespace_set": bool(netns)}
        sizes = {"rx_ring_sz": size, "tx_ring_sz": 256, "num_rx_queues": 1, "num_tx_queues": 1}
        reply = self.subject.api.tap_create_v3(**arguments, **sizes, host_namespace=netns, use_random_mac=True)
        return int(reply.retval)

    def acl(self, index: int, source: str, destination: str, ports: tuple[int, int]) -> object:
        rule = {"is_permit": 1, "src_prefix": source, "dst_prefix": destination, "proto": 6}
        rule |= {"srcport_or_icmptype_first": ports[0], "srcport_or_icmptype_last": ports[1]}
        reply = self.subject.api.acl_add_replace(acl_index=index, tag="vppcfg x", count=1, r=[rule])
        return reply.retval, reply.acl_index

    def bind(self, index: int, inputs: tuple[int, ...], outputs: tuple[int, ...]) -> int:
        lists = [*inputs, *outputs]
        arguments = {"sw_if_index": index, "count": len(lists), "n_input": len(inputs), "acls": lists}
        return int(self.subject.api.acl_interface_set_acl_list(**arguments).retval)

    def table(self, number: int, is_ip6: bool, name: str, is_add: bool) -> int:
        table = {"table_id": number, "is_ip6": is_ip6, "name": name}
        api = self.subject.api
        if not api.has("ip_table_add_del_v2"):
            return int(api.ip_table_add_del(table=table, is_add=is_add).retval)
        return int(api.ip_table_add_del_v2(table=table, create_mfib=True, is_add=is_add).retval)

    def sweep(self, number: int, is_ip6: bool) -> object:
        table = {"table_id": number, "is_ip6": is_ip6}
        begun = self.subject.api.ip_table_replace_begin(table=table).retval
        return begun, self.subject.api.ip_table_replace_end(table=table).retval

    def enter(self, index: int, number: int, is_ipv6: bool) -> int:
        if is_ipv6 and self._is_in(index, number):
            return 0
        return int(self.subject.api.sw_interface_set_table(sw_if_index=index, is_ipv6=is_ipv6, vrf_id=number).retval)

    def type_enter(self, index: int, name: str, number: int) -> object:
        return (0, "") if self._is_in(index, number) else self.cli(f"set interface ip6 table {name} {number}")

    def _is_in(self, index: int, number: int) -> bool:
        """Return whether an interface is in an IPv6 table: VPP frees it, and uses it, when its last one enters anew."""
        reply = self.subject.api.sw_interface_get_table(sw_if_index=index, is_ipv6=True)
        return bool(reply.retval == 0 and number == reply.vrf_id)

    def hosts(self, acl: int, tag: str, length: int, is_permit: int) -> int:
        mac = {"src_mac": MACS[0], "src_mac_mask": "ff:ff:ff:00:00:00"}
        rules = [{"is_permit": is_permit, "src_prefix": f"10.0.0.0/{length}", **mac}][: length % 5]
        reply = self.subject.api.macip_acl_add_replace(acl_index=acl, tag=tag, count=len(rules), r=rules)
        return int(reply.retval)

    def advertise(self, index: int, wish: dict[str, int]) -> int:
        return int(self.subject.api.sw_interface_ip6nd_ra_config(sw_if_index=index, **wish).retval)

    def advertise_prefix(self, index: int, prefix: str, wish: dict[str, int]) -> int:
        return int(self.subject.api.sw_interface_ip6nd_ra_prefix(sw_if_index=index, prefix=prefix, **wish).retval)

    def host_interface(self, device: str, mac: str) -> int:
        arguments = {"mode": 1, "flags": 3, "use_random_hw_addr": not mac, "hw_addr": mac or MACS[0]}
        queues = {"num_rx_queues": 1, "num_tx_queues": 1}
        return int(self.subject.api.af_packet_create_v3(host_if_name=device, **arguments, **queues).retval)

    def rx_mode(self, index: int, mode: int, queue: int) -> int:
        arguments = {"sw_if_index": index, "mode": mode, "queue_id_valid": queue >= 0, "queue_id": max(queue, 0)}
        return int(self.subject.api.sw_interface_set_rx_mode(**arguments).retval)

    def gso(self, index: int, is_on: bool) -> object:
        """Switch GSO, off only after on and off: VPP tells the truth once anything of the index had a feature."""
        switch = self.subject.api.feature_gso_enable_disable
        codes = [switch(sw_if_index=index, enable_disable=state).retval for state in (True, False)]
        codes.append(switch(sw_if_index=index, enable_disable=is_on).retval)
        if not self.subject.api.has("feature_is_enabled"):
            return tuple(codes)
        asked = {"arc_name": "ip4-output", "feature_name": "gso-ip4", "sw_if_index": index}
        reply = self.subject.api.feature_is_enabled(**asked)
        return *codes, reply.retval, bool(reply.is_enabled)


def _mac(address: Any) -> str:
    return MADE_UP if str(address).startswith(MADE_UP) else str(address)


def _lldp(row: Any) -> Any:
    texts = [field.partition(b"\0")[0] for field in (row.system_name, row.port_desc, row.mgmt_oid)]
    return row.sw_if_index, texts, str(row.mgmt_ip4), str(row.mgmt_ip6), row.tx_hold, row.tx_interval


def _bridge(row: Any, names: dict[int, str]) -> Any:
    switches = (row.flood, row.uu_flood, row.forward, row.learn, row.arp_term, row.arp_ufwd, row.mac_age)
    members = [(names[member.sw_if_index], member.shg) for member in row.sw_if_details]
    return row.bd_id, switches, row.bd_tag, names.get(row.bvi_sw_if_index), names.get(row.uu_fwd_sw_if_index), members


def _peer(peer: Any, names: dict[int, str]) -> Any:
    ends = str(peer.endpoint), peer.port, peer.table_id, peer.persistent_keepalive
    prefixes = [str(prefix) for prefix in peer.allowed_ips]
    preshared = getattr(peer, "preshared_key", None)
    return peer.peer_index, names[peer.sw_if_index], peer.public_key, preshared, *ends, prefixes


def _tap(row: Any) -> Any:
    sizes = row.rx_ring_sz, row.tx_ring_sz, row.host_mtu_size
    return row.id, sizes, _mac(row.host_mac_addr), row.dev_name, row.host_if_name, row.host_namespace


def _rule(rule: Any) -> Any:
    ports = rule.srcport_or_icmptype_first, rule.srcport_or_icmptype_last
    return int(rule.is_permit), str(rule.src_prefix), str(rule.dst_prefix), int(rule.proto), ports


class UnconnectedGenerator(Generator):
    """Draws operations on interfaces, but connects none to another.

    VPP ends at the first frame to an interface that has GSO or filters what goes out, and that is the target of a
    cross-connect without being the source of one; the rule l2xc-one-way keeps files from that.
    """

    def draw(self, names: list[str]) -> Operation:
        """Return the next operation."""
        while (operation := super().draw(names))[0] == "xconnect":
            pass
        return operation


class LanguageGenerator(UnconnectedGenerator):
    """Draws operations on everything that VPP makes itself, and those on ports now and then."""

    def draw(self, names: list[str]) -> Operation:
        """Return the next operation; VPP dies of local0, or of no Ethernet, in a bond, and of the latter as a BVI."""
        pick, number = self._random.choice, self._random.randrange
        if number(4) == 0:
            return super().draw(names)
        known = sorted(name for name in names if not name.startswith(("tap4", "local0")))
        name, other = Name(pick([*known, "missing"])), Name(pick([*known, "missing"]))
        loops = [one for one in known if one.startswith("loop")] or ["loop9"]
        ethernet = [one for one in known if not one.startswith(("ipip", "wg"))]
        # VPP takes a peer for whatever has the index of a WireGuard that is gone, and keeps it in memory that is free.
        wireguards = [one for one in known if one.startswith("wg") and "." not in one]
        bonds = [one for one in known if one.startswith("Bond") and "." not in one] or ["BondEthernet9"]
        lonely = [one for one in bonds if sum(sub.startswith(f"{one}.") for sub in known) < 2] or ["missing"]
        ends = pick(ENDS)
        port, yes = Name(pick(PORTS)), bool(number(3))
        acls = [tuple(number(4) for _ in range(number(3))) for _ in range(2)]
        return pick(
            [
                ("loopback", (number(4), pick([*MACS, "00:00:00:00:00:00"]))),
                ("delete_loopback", (Name(pick(loops)),)),
                ("bond", (number(3), number(1, 6), number(4), pick(["", "", *MACS]))),
                ("delete_bond", (Name(pick(lonely)),)),
                ("join", (pick([port, Name(pick([*ethernet, "missing"]))]), Name(pick(bonds)), yes)),
                ("join", (port, Name(pick(bonds)), yes)),
                ("part", (port,)),
                ("weight", (port, number(5))),
                ("mac", (name, pick(MACS))),
                ("create", (Name(pick([*PORTS, *bonds])), number(1, 4), 18, number(1, 4), 0)),
                ("bridge", (number(4), yes, bool(number(2)), number(9))),
                ("bridge_flags", (number(4), bool(number(2)), number(64))),
                (
                    "bridge_member",
                    (Name(pick([*ethernet, "missing"])), number(4), pick([0, 0, 0, 1, 1, 2, 3]), number(3), yes),
                ),
                ("bridge_member", (other, number(4), 0, 0, True)),
                ("tunnel", (number(3), *pick(ENDS), number(1, 3), yes)),
                ("gre", (number(4), number(1, 3), *pick(ENDS), pick([0, 0, 5]), pick([0, 0, 7]), yes)),
                ("cli", (f"create gre tunnel src {ends[0]} dst {ends[1]} instance {number(4)} {pick(GRE_WORDS)}",)),
                ("ipip", (number(4), *pick(ENDS), number(8), pick([0, 0, 0, 1]))),
                ("delete_ipip", (name,)),
                ("cli", (f"create ipip tunnel src {ends[0]} dst {ends[1]} instance {number(4)} {pick(IPIP_WORDS)}",)),
                ("wireguard", (number(4), number(4), pick(ENDS)[0])),
                ("delete_wireguard", (Name(pick([*(one for one in known if one.startswith("wg")), name])),)),
                (
                    "peer",
                    (
                        Name(pick([*wireguards, "missing", port])),
                        number(4),
                        pick(["198.51.100.1", "0.0.0.0", "2001:db8:9::1"]),
                        tuple(pick(PREFIXES) for _ in range(number(4))),
                        number(3),
                    ),
                ),
                ("remove_peer", (number(5),)),
                ("tap", (number(4), pick(["t1", "t2", "p1", "a/b"]), pick(["", "", "dataplane", "nowhere"]), 256)),
                ("tap", (number(4), pick(["t1", "t2"]), "", pick([100, 512]))),
                ("delete_tap", (name,)),
                ("acl", (pick([ALL, ALL, number(4)]), pick(PREFIXES), pick(PREFIXES), pick([(0, 9), (9, 0)]))),
                ("delete_acl", (number(5),)),
                ("bind", (name, *acls)),
                ("mpls_table", ()),
                ("mpls", (name, yes)),
                ("sflow", (name, yes)),
                ("sflow_header", (number(400),)),
                ("unnumbered", (Name(pick(loops)), port, yes)),
                ("state_of", (name, number(2))),
                ("cli", (f"set interface l2 bridge {name} {number(4)}",)),
                ("cli", (f"bond add {pick(bonds)} {port} long-timeout",)),
                ("cli", (f"create loopback interface instance {number(4)}",)),
                ("cli", ("show bond details",)),
                ("cli", (f"set interface unnumbered {pick(loops)} use {port}",)),
            ]
        )


class TableGenerator(Generator):
    """Draws operations on FIB tables, who is in them and what is typed into them; those on ports now and then."""

    def draw(self, names: list[str]) -> Operation:
        """Return the next operation; only loopbacks borrow, and get no addresses.

        VPP puts an address of a borrower on the interface that it borrows from, and its route into the table that the
        borrower is in. The route stays when the address goes, and VPP ends when that table is freed. Tables of a VPP
        before 24.10 stay: who lets go of one that only others hold ends its multicast half (ff570d3d07e).
        """
        pick, number = self._random.choice, self._random.randrange
        deletes = SIMULATED >= "24.10"
        if number(3) == 0:
            while _gives_a_loopback_an_address(operation := super().draw(names)):
                pass
            return operation
        name, yes = Name(pick([*sorted(names), "missing"])), bool(number(3))
        verb = pick(["add", "del"]) if deletes else "add"
        return pick(
            [
                ("table", (number(4), bool(number(2)), pick(["", "red", "blue"]), yes or not deletes)),
                ("table", (number(1, 4), bool(number(2)), "red", True)),
                ("enter", (name, number(4), bool(number(2)))),
                ("enter", (name, number(4), bool(number(2)))),
                ("sweep", (number(5), bool(number(2)))),
                ("cli", (f"ip table {verb} {number(4)}",)),
                ("cli", (f"ip6 table {verb} {number(1, 4)}",)),
                ("cli", (f"set interface ip table {name} {number(4)}",)),
                ("type_enter", (name, str(name), number(4))),
                ("cli", (f"ip route {pick(['add', 'add', 'del'])} {pick(ROUTES)} table {number(4)} via 192.0.2.77",)),
                ("loopback", (number(4), pick(MACS))),
                ("delete_loopback", (Name(f"loop{number(4)}"),)),
                ("unnumbered", (Name(pick([f"loop{number(4)}", "missing"])), Name(pick(PORTS)), yes)),
            ]
        )


def _gives_a_loopback_an_address(operation: Operation) -> bool:
    name, arguments = operation
    lines = {"add_address": "loop", "cli": "set interface ip address loop"}
    return name in lines and str(arguments[0]).startswith(lines[name])


class FeatureGenerator(Generator):
    """Draws operations on what looks at packets, and on the interfaces that come and go below it."""

    def draw(self, names: list[str]) -> Operation:
        """Return the next operation; the target of a mirror never goes, because VPP would send frames to nobody."""
        pick, number = self._random.choice, self._random.randrange
        if number(2) == 0:
            return super().draw(names)
        name, port = Name(pick([*sorted(names), "missing"])), Name(pick(PORTS))
        sub = Name(pick([one for one in sorted(names) if "." in one and not one.startswith("tap")] or [PORTS[0]]))
        words = (pick(["ip4", "ip6"]), pick(["rx", "tx"]), pick(["strict", "loose", "off"]))
        hosts = (
            f"{pick(['deny', 'permit', 'action 3'])} ip 10.0.0.0/{number(33)} mac {pick(MACS)}{pick(['', ' , deny'])}"
        )
        clamped = [pick(["disable", "enable", "rx", "tx"]) for _ in range(2)]
        clamp, span = "set interface tcp-mss-clamp", f"set interface span {sub} {pick(['', 'l2 '])}"
        return pick(
            [
                ("urpf", (name, number(4), number(2), bool(number(2)), pick([ALL, ALL, 0, 7]))),
                ("urpf", (sub, number(3), number(2), bool(number(2)), ALL)),
                ("clamp", (name, number(1400), number(4), number(1400), number(4))),
                ("clamp", (sub, 1360, 3, 0, 0)),
                ("hosts", (pick([ALL, ALL, number(4)]), pick(["", "vppcfg a", "x"]), number(33), number(4))),
                ("delete_hosts", (number(4),)),
                ("export", (pick(["0.0.0.0", "192.0.2.9"]), "192.0.2.1", pick([ALL, 0, 7]), pick([67, 512, 1451]))),
                ("record", (number(8), pick([5, 15, ALL]), pick([0, 10, 120]))),
                ("probe", (pick([name, sub]), number(4), number(4), bool(number(2)))),
                ("cli", (f"flowprobe params record {pick(['', 'l3', 'l2 l4'])} active {pick([5, 15])} passive 10",)),
                (
                    "cli",
                    (f"flowprobe feature add-del {pick([sub, port])} {words[0]} {words[1]}{pick(['', ' disable'])}",),
                ),
                ("cli", (f"set ipfix exporter{pick(['', ' collector 192.0.2.9'])}{pick(['', ' src 192.0.2.1'])}",)),
                ("look_at_hosts", (name, number(4), bool(number(4)))),
                ("cli", (f"set acl-plugin macip interface {pick([sub, port])} {pick(['', 'del '])}acl {number(4)}",)),
                ("cli", (f"set acl-plugin macip acl {hosts}",)),
                ("cli", (f"delete acl-plugin macip acl index {number(4)}",)),
                ("answer", (name, bool(number(2)))),
                ("ask", (name, pick(["", "r1"]), bool(number(2)), bool(number(2)))),
                ("cli", (f"set dhcp client {pick(['', 'del '])}intfc {pick([sub, port])} hostname r2",)),
                ("arp_range", (pick([0, 7]), f"192.0.2.{number(2)}", f"192.0.2.{number(2)}", bool(number(2)))),
                ("cli", (f"set interface proxy-arp {pick([sub, port])} {pick(['enable', 'off', ''])}",)),
                ("cli", (f"set arp proxy {pick(['', 'del '])}table-id {pick([0, 7])} start 192.0.2.1 end 192.0.2.1",)),
                ("mirror", (sub, port, number(5), bool(number(2)))),
                ("mirror", (port, Name(pick(PORTS)), number(4), bool(number(2)))),
                ("cli", (f"set urpf {' '.join(words)} {pick([sub, port])}",)),
                ("cli", (f"set urpf {words[2]} {words[0]} {port} table {pick([0, 7])}",)),
                ("cli", (f"{clamp} {sub} ip4 {clamped[0]} ip4-mss 1300 ip6 {clamped[1]} ip6-mss 9",)),
                ("cli", (f"{clamp} {port} ip4 {clamped[0]} ip6 {clamped[1]} ip6-mss 70000",)),
                ("cli", (f"{span}destination {port} {pick(['rx', 'both', 'none'])}",)),
                ("cli", (f"{span}disable",)),
            ]
        )


class AdvertisementGenerator(Generator):
    """Draws operations on what interfaces tell their links over IPv6, and on the addresses that keep it there."""

    def draw(self, names: list[str]) -> Operation:
        """Return the next operation."""
        pick, number = self._random.choice, self._random.randrange
        if number(3) == 0:
            return super().draw(names)
        name = Name(pick([*sorted(names), "missing"]))
        flags = {word: number(3) for word in ("managed", "other", "ll_option", "send_unicast", "cease", "suppress")}
        times = {"max_interval": pick([0, 0, 4, 60, 700]), "min_interval": pick([0, 0, 3, 45, 50])}
        rest = {"lifetime": pick([0, 60, 1800, 9001]), "initial_count": number(5), "initial_interval": number(19)}
        prefix = f"2001:db8:{number(2)}::{number(2)}/{pick([56, 64])}"
        flag = pick(["ra-managed-config-flag", "ra-suppress", "ra-suppress-link-layer", "ra-cease", "ra-send-unicast"])
        numbers = pick(["ra-interval 60", "ra-interval 60 20", "ra-lifetime 0", "ra-initial 2 5", "", "x"])
        switches = {word: number(2) for word in ("is_no", "use_default", "no_onlink")}
        ends = pick(["", "infinite", "default", "3600 1800 off-link", "infinite no-autoconfig no-advertise", "x"])
        own = f"2001:db8:{names.index(name) if name in names else 77:x}::1/64"
        return pick(
            [
                ("advertise", (name, {**flags, "is_no": number(2), "default_router": number(2), **times, **rest})),
                ("advertise", (name, {pick(sorted(flags)): 1, "is_no": number(2)})),
                ("advertise_prefix", (name, prefix, switches)),
                ("advertise_prefix", (name, prefix, {"val_lifetime": ALL, "off_link": number(2)})),
                ("link_local", (name, f"fe80::7{number(3)}")),
                ("ipv6", (name, bool(number(2)))),
                ("cli", (f"ip6 nd {name} {pick(['', 'no '])}{flag} {numbers}",)),
                ("cli", (f"ip6 nd {name} {pick(['', 'no '])}prefix {prefix} {ends}",)),
                ("cli", (f"{pick(['enable', 'disable'])} ip6 interface {name}",)),
                ("cli", (f"set interface ip address {pick(['', 'del '])}{name} {own}",)),
                ("cli", (f"set interface ip address {name} fe80::7{number(3)}/{pick([128, 64])}",)),
            ]
        )


class PortGenerator(UnconnectedGenerator):
    """Draws operations on ports that a file makes, on what ports do by themselves, and on neighbours."""

    def draw(self, names: list[str]) -> Operation:
        """Return the next operation.

        A port that is made has one sub-interface at most: VPP gives back the indexes of several, when their port goes,
        in the order of a hash (vnet_delete_hw_interface), which depends on all that was in it before. The number of a
        vhost-user port is no place among them: VPP first calls a new port by its place, and so forgets the name of one
        that is called like that (vnet_interface_name_renumber). LLDP is for ports that stay: VPP leaves it to the next
        hardware with the index, and ends when that is a memif without Ethernet that goes up or down (lldp_output.c).
        """
        pick, number = self._random.choice, self._random.randrange
        if number(4) == 0:
            return super().draw(names)
        known = sorted(name for name in names if not name.startswith(("tap4", "local0")))
        made = [one for one in known if one.startswith(("host-", "memif", "Virtual")) and "." not in one] or ["missing"]
        bare = [one for one in made if not any(sub.startswith(f"{one}.") for sub in known)] or ["missing"]
        name, port, new = (Name(pick(among)) for among in ([*known, "missing"], PORTS, made))
        device, yes = pick([*HOST_DEVICES, *HOST_DEVICES, "nowhere"]), bool(number(3))
        where = f"id {number(3)} socket-id {number(4)}"
        socket, vm = number(4), number(20, 23)
        vm_file = f"/tmp/differential-vm{vm}.sock"  # of one number, so that no two ports have the same name
        file = f"/tmp/differential-{socket}{pick('ab')}.sock"  # of one socket: a second master at a file is refused
        lldp, rx = f"set interface lldp {port}", f"set interface rx-mode {pick([name, port, new])}"
        told = f"{pick([port, new])} {pick(NEIGHBORS)} {pick(MACS)}"
        return pick(
            [
                ("host_interface", (device, pick(["", "", *MACS]))),
                ("host_interface", (device, "")),
                ("delete_host_interface", (device,)),
                ("cli", (f"create host-interface name {device} {pick(['', 'num-rx-queues 1', 'speed 5'])}",)),
                ("cli", (f"delete host-interface name {device}",)),
                ("memif_socket", (socket, pick([file, file, ""]), yes)),
                ("cli", (f"create memif socket id {socket} filename {file}",)),
                ("cli", (f"delete memif socket id {number(4)}",)),
                ("memif", (number(4), number(3), number(2), number(2), pick([0, 0, 1024, 1000]))),
                ("memif", (0, number(3), 0, 0, 0)),
                ("cli", (f"create interface memif {where} {pick(ROLES)}",)),
                ("delete_memif", (pick([new, name]),)),
                ("cli", (f"delete interface memif {pick([new, name])}",)),
                ("vhost_user", (vm_file, vm, yes)),
                ("delete_vhost_user", (pick([new, name]),)),
                ("cli", (f"create vhost-user socket {vm_file} {pick(['', 'server '])}renumber {vm}",)),
                ("cli", (f"delete vhost-user {pick([new, name])}",)),
                ("create", (Name(pick(bare)), number(1, 4), Flags.ONE_TAG | Flags.EXACT, number(1, 4), 0)),
                ("add_address", (new, f"10.{number(9)}.0.1/24")),
                ("add_pair", (new, f"m{number(3)}", "")),
                ("delete_pair", (new,)),
                ("state_of", (new, number(2))),
                ("link_mtu", (new, pick([1500, 9000, 65535]))),
                ("packet_mtu", (new, pick([0, 1500]))),
                ("mac", (new, pick(MACS))),
                ("lldp", (port, pick(["", "uplink"]), pick(["0.0.0.0", "192.0.2.1"]), yes)),
                ("lldp_settings", (pick(["", "r1"]), number(9), pick([0, 30, 3601]))),
                ("cli", (f"{lldp} {pick(['', 'disable', 'port-desc x', 'mgmt-ip6 2001:db8::1 mgmt-oid 1.3'])}",)),
                ("cli", (f"set lldp {pick(['', 'system-name r2', 'tx-hold 5 tx-interval 20', 'tx-hold 101'])}",)),
                ("rx_mode", (pick([name, port, new]), number(1, 5), pick([-1, -1, 0, 7]))),
                ("cli", (f"{rx} {pick(['', '', 'queue 0 '])}{pick(RX_MODES)}",)),
                ("gso", (pick([name, port, new]), bool(number(2)))),
                ("cli", (f"set interface feature gso {name} {pick(['', 'enable', 'disable'])}",)),
                ("neighbor", (name, pick(NEIGHBORS), pick(MACS), pick([STATIC, STATIC, STATIC | NO_ROUTE]), yes)),
                ("cli", (f"set ip neighbor {pick(['', 'del '])}{told} {pick(['static', 'static no-fib-entry'])}",)),
            ]
        )


class MacGenerator(Generator):
    """Draws operations on bridge domains, on what they are told of MAC addresses, and on the tags of their members."""

    def draw(self, names: list[str]) -> Operation:
        """Return the next operation; no port has a MAC address that domains are told of, for they would learn it."""
        pick, number = self._random.choice, self._random.randrange
        if number(6) == 0:
            return super().draw(names)
        known = sorted(name for name in names if not name.startswith(("tap4", "local0")))
        subs = [one for one in known if "." in one and not one.startswith("tap")] or ["missing"]
        loops = [one for one in known if one.startswith("loop")] or ["loop9"]
        name, sub, port, loop = (Name(pick(among)) for among in ([*known, "missing"], subs, PORTS, loops))
        member, yes, mac = pick([name, sub, sub, port]), bool(number(3)), pick(MACS)
        told = pick(["filter", f"{member}", f"{member} static", f"{member} bvi"])
        tags = f"{pick(['push', 'translate 1-1', 'translate 1-2'])} {pick(['dot1q', 'dot1ad'])} {number(1, 9)}"
        rewrites = ["disable", "pop 1", "pop 2", tags, f"{tags} {number(1, 9)}"]
        return pick(
            [
                ("create", (port, number(1, 4), Flags.ONE_TAG | Flags.EXACT, number(1, 4), 0)),
                ("create", (port, number(4, 6), Flags.TWO_TAGS | Flags.EXACT, number(1, 4), number(1, 3))),
                ("delete", (sub,)),
                ("loopback", (number(3), pick(MACS))),
                ("delete_loopback", (loop,)),
                ("mac", (loop, mac)),
                ("bridge", (number(4), yes, bool(number(2)), number(9))),
                ("bridge", (number(1, 4), yes, False, 0)),
                ("bridge_member", (member, number(4), 0, number(3), yes)),
                ("bridge_member", (member, number(1, 4), 0, 0, True)),
                ("bridge_member", (loop, number(1, 4), 1, 0, yes)),
                ("leave_l2", (member,)),
                ("mac_entry", (member, number(4), mac, yes, bool(number(2)), not number(4))),
                ("mac_entry", (member, number(1, 4), mac, True, True, False)),
                ("mac_entry", (member, number(1, 4), mac, False, True, False)),
                ("cli", (f"l2fib add {mac} {number(4)} {told}",)),
                ("cli", (f"l2fib del {mac} {number(4)}",)),
                ("cli", (f"set interface l2 bridge {member} {number(1, 4)} {pick(['', '1', 'bvi'])}",)),
                ("cli", (f"set interface l3 {member}",)),
                ("cli", (f"create bridge-domain {number(1, 4)} {pick(['', 'learn 0', 'del'])}",)),
                ("rewrite", (member, number(10), number(2), number(1, 8), number(1, 8))),
                ("cli", (f"set interface l2 tag-rewrite {member} {pick(rewrites)}",)),
                ("state_of", (member, number(2))),
            ]
        )


GENERATORS = (LanguageGenerator, TableGenerator, FeatureGenerator, AdvertisementGenerator, PortGenerator, MacGenerator)


def _differences(simulated: dict[str, Any], real: dict[str, Any]) -> dict[str, Any]:
    return {key: (simulated[key], real[key]) for key in real if simulated[key] != real[key]}


@contextmanager
def both_sides(folder: Path) -> Iterator[tuple[LanguageSide, LanguageSide]]:
    """Start a real VPP and a simulated one, whose definitions and socket go into `folder`."""
    write_api_dir(folder / "api", SIMULATED)
    with running(PORTS) as process, ExitStack() as stack:
        process.add_netns("dataplane")
        real = LanguageSide(_subject("real", connected(process.socket_path, process.api_dir, stack), process))
        vpp = SimulatedVpp(
            release=SIMULATED,
            ports=[PhysicalPort(name=name, device_class="af-packet") for name in PORTS],
            namespaces=["dataplane"],
            host_devices=HOST_DEVICES,
            has_vlan_devices=process.knows_vlan_devices,
        )
        stack.enter_context(SimulatorServer(vpp, folder / "api.sock"))
        yield real, LanguageSide(_subject("simulator", connected(folder / "api.sock", folder / "api", stack), None))


def compare(real: LanguageSide, simulated: LanguageSide, generator: Generator, operations: int) -> int:
    """Carry out random operations on both, until VPP ends; return how many it took, and fail where the two differ."""
    history: list[tuple[Operation, object]] = []
    for number in range(operations):
        operation = generator.draw(list(simulated.indexes))
        try:
            expected = real.apply_to(operation)
        except OSError:  # VPP has ended; the simulated one knows which operations do that
            try:
                answer = simulated.apply_to(operation)
            except OSError:
                break
            raise AssertionError(("VPP ended", operation, answer, history[-60:])) from None
        history.append((operation, expected))
        try:
            answer = simulated.apply_to(operation)
        except OSError:
            assert _ends(real), ("the simulated VPP ended", history[-12:])
            break
        assert answer == expected, (answer, history[-12:])
        assert simulated.indexes == real.indexes, history[-12:]
        if number % 50 == 49:
            differences = _differences(simulated.state(), real.state())
            assert differences == {}, (differences, history[-60:])
    return sum(answer in {0, (0, "")} for _, answer in history)


def _ends(real: LanguageSide) -> bool:
    """Return whether VPP ends soon: at a packet that it sends, it does so after its answer."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            real.subject.cli("show version")
        except OSError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", GENERATORS)
def test_random_operations_on_everything_are_answered_alike(tmp_path: Path, kind: type[Generator], seed: int) -> None:
    reason = skip_reason()
    if reason is not None:
        pytest.skip(reason)
    with both_sides(tmp_path) as (real, simulated):
        accepted = compare(real, simulated, kind(seed), OPERATIONS)
    assert OPERATIONS // 4 < accepted < OPERATIONS


def main() -> int:
    """Compare as many random operations as one likes, each kind of them in turn, and say how long they took."""
    parser = argparse.ArgumentParser(prog="python -m tests.contract.test_differential_language", description=__doc__)
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=1000, help="the first seed; each run has the next one")
    parser.add_argument("--kind", choices=[kind.__name__ for kind in GENERATORS], action="append")
    args = parser.parse_args()
    kinds = [kind for kind in GENERATORS if not args.kind or kind.__name__ in args.kind]
    done, differing, start = 0, 0, time.monotonic()
    for seed in count(args.first):
        if done >= args.operations:
            return 1 if differing else 0
        kind = kinds[seed % len(kinds)]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "api").mkdir()
            try:
                with both_sides(Path(folder)) as (real, simulated):
                    compare(real, simulated, kind(seed), OPERATIONS)
            except (AssertionError, OSError) as difference:
                differing += 1
                sys.stdout.write(f"{kind.__name__} {seed}: {type(difference).__name__} {difference}\n")
        done += OPERATIONS
        if done % 10_000 == 0:
            sys.stdout.write(f"{done} operations, {differing} runs differ, {time.monotonic() - start:.0f} s\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
