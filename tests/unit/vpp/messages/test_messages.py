"""What each operation says to VPP, field by field."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.operations import every_operation
from tests.unit.vpp.messages import nat44_samples
from tests.unit.vpp.recorder import Recorder, perform
from tests.unit.vpp.stub_vpp import ALL, ALL_PLUGINS
from tests.wireguard_keys import PEERS, PRESHARED, PRIVATE, PUBLIC
from vppcfg.dataplane import Performance
from vppcfg.kinds import sflow as op_sflow
from vppcfg.kinds.address import AddAddress
from vppcfg.kinds.bond.operations import CreateBond, DeleteBond
from vppcfg.kinds.bridge_arp import RemoveBridgeArp, SetBridgeArp
from vppcfg.kinds.det44 import DropDet44Feature, EnableDet44, SetDet44
from vppcfg.kinds.det44_objects import AddDet44Map, RemoveDet44Map, ResetDet44Timeouts, SetDet44Timeouts
from vppcfg.kinds.dhcp_relay import RemoveDhcpRelay, SetDhcpRelay
from vppcfg.kinds.gre import CreateGre, DeleteGre
from vppcfg.kinds.gso import SetGso
from vppcfg.kinds.host_interface import CreateHostInterface, DeleteHostInterface
from vppcfg.kinds.ipfix import SetFlowRecords
from vppcfg.kinds.ipfix_settings import SetFlowParams, SetIpfixExporter
from vppcfg.kinds.ipip import CreateIpip, DeleteIpip
from vppcfg.kinds.l3xc import RemoveL3CrossConnect, SetL3CrossConnect
from vppcfg.kinds.lldp import SetLldp, SetLldpSettings
from vppcfg.kinds.loopback import CreateLoopback, DeleteLoopback
from vppcfg.kinds.memif import CreateMemif, DeleteMemif
from vppcfg.kinds.memif_socket import CreateMemifSocket, DeleteMemifSocket
from vppcfg.kinds.mirror import SetMirror
from vppcfg.kinds.mpls import CreateMplsTable, SetMpls
from vppcfg.kinds.mss_clamp import SetMssClamp
from vppcfg.kinds.nd_proxy import RemoveNdProxy, SetNdProxy
from vppcfg.kinds.path_mtu import AnchorHost, RemovePathMtu, SetPathMtu
from vppcfg.kinds.policy_route_operations import (
    AddPolicyPaths,
    AttachPolicy,
    CreatePolicy,
    DetachPolicy,
    RemovePolicy,
    RemovePolicyPaths,
)
from vppcfg.kinds.proxy_arp import SetProxyArp
from vppcfg.kinds.proxy_arp_ranges import AddProxyArp, RemoveProxyArp
from vppcfg.kinds.punt_redirect import RemovePuntRedirect, SetPuntRedirect
from vppcfg.kinds.qos import (
    RemoveQosMap,
    RemoveQosMark,
    RemoveQosRecord,
    RemoveQosStore,
    SetQosMap,
    SetQosMark,
    SetQosRecord,
    SetQosStore,
)
from vppcfg.kinds.ra_operations import RemoveRaPrefix, ResetRa, SetRa, SetRaPrefix, SilenceRa
from vppcfg.kinds.route import RemoveRoute, SetRoute
from vppcfg.kinds.sflow import SetSflow, SetSflowHeaderBytes, SetSflowPollingInterval, SetSflowSamplingRate
from vppcfg.kinds.sub_interface import DeleteSubInterface
from vppcfg.kinds.tap.operations import CreateTap, DeleteTap
from vppcfg.kinds.tunnel_neighbor import RemoveTunnelNeighbor, SetTunnelNeighbor
from vppcfg.kinds.unnumbered import SetUnnumbered, UnsetUnnumbered
from vppcfg.kinds.urpf import SetUrpf
from vppcfg.kinds.vhost_user import CreateVhostUser, DeleteVhostUser
from vppcfg.kinds.virtual_router_operations import (
    CreateVirtualRouter,
    RemoveVirtualRouter,
    SetVrrpPeers,
    StartVirtualRouter,
    StopVirtualRouter,
    TrackInterface,
)
from vppcfg.kinds.vrf_operations import CreateVrf, DeleteVrf, MarkVrfRoutes, ReleaseTypedVrf, SetTable, SweepVrfRoutes
from vppcfg.kinds.vxlan import CreateVxlan, DeleteVxlan
from vppcfg.kinds.wireguard.operations import AddWireguardPeer, CreateWireguard, DeleteWireguard, RemoveWireguardPeer
from vppcfg.model.acl import AclAction, AclBinding, AclRule, MacipAction, MacipRule
from vppcfg.model.attachment import Attachment, stored_call
from vppcfg.model.bond import BondMode, LoadBalance
from vppcfg.model.bridge import BridgeSettings
from vppcfg.model.bridge_arp import BridgeArp
from vppcfg.model.det44 import Det44Map, Det44Side, Det44Timeouts
from vppcfg.model.dhcp_relay import DhcpRelay
from vppcfg.model.features import DhcpClient, Lldp, MssLimit, RouterAdvertisements, TrafficDirection, UrpfMode
from vppcfg.model.host_interface import HostInterface
from vppcfg.model.interface import Encapsulation, OtherMatch, RxMode, TagRewrite
from vppcfg.model.ipfix import FlowLayer, FlowParams, FlowRecords, FlowVariant, IpfixExporter
from vppcfg.model.l3xc import L3CrossConnect
from vppcfg.model.memif import Memif, MemifMode, MemifRole
from vppcfg.model.nd_proxy import NdProxy
from vppcfg.model.path_mtu import PathMtu
from vppcfg.model.policy_route import LoosePolicy, PolicyRoute
from vppcfg.model.punt_redirect import PuntRedirect
from vppcfg.model.qos import QosMap, QosMark, QosRecord, QosSource, QosStore
from vppcfg.model.route import NextHop, Route, RouteEnd
from vppcfg.model.secret_key import key_bytes
from vppcfg.model.tap import Tap
from vppcfg.model.tunnel import Gre, GreMode, Ipip, Vxlan
from vppcfg.model.tunnel_neighbor import TunnelNeighbor
from vppcfg.model.vhost_user import VhostUser, VhostUserRole
from vppcfg.model.virtual_router import TrackedInterface, VirtualRouter
from vppcfg.model.wireguard import Wireguard, WireguardPeer
from vppcfg.plan import operations as op
from vppcfg.plan.request import Value
from vppcfg.vpp.messages.readable import api_call

VXLAN = Vxlan(local="192.0.2.1", remote="192.0.2.2", vni=77)
GRE = Gre(local="192.0.2.1", remote="192.0.2.2", mode=GreMode.TEB, key=42)
PEER = WireguardPeer(
    allowed_ips=("10.7.0.0/24", "2001:db8::/64"),
    endpoint="192.0.2.2",
    port=51821,
    keepalive_s=25,
    encap_vrf=7,
    preshared=PRESHARED[2],
)
PAIR = op.CreateLcpPair(interface="port", host_name="e0", netns="ns", is_default_netns=False)
RULE = AclRule(
    action=AclAction.PERMIT,
    source="192.0.2.0/24",
    destination="0.0.0.0/0",
    protocol=6,
    source_ports=(1024, 65535),
    destination_ports=(80, 443),
    tcp_flags=(18, 2),
)
RULE6 = AclRule(action=AclAction.PERMIT_REFLECT, source="2001:db8::/32", destination="::/0")

MAC_OF_9 = {"mac": bytes.fromhex("020000000007"), "bd_id": 9, "bvi_mac": False}
MACIP_RULE = MacipRule(action=MacipAction.PERMIT, source="192.0.2.1/32", mac="02:00:00:00:00:01")
ON_PORT = Attachment(
    holder="port",
    kind="service",
    put=stored_call("sw_interface_set_mpls_enable", {"sw_if_index": "@port", "enable": 1}),
    take=stored_call("sw_interface_set_mpls_enable", {"sw_if_index": "@port", "enable": 0}),
)
RECORD = QosRecord(interface="port", source=QosSource.VLAN)
STORE = QosStore(interface="port", value=46)
MARK = QosMark(interface="port", target=QosSource.IP, map_id=4)
ARP = BridgeArp(bd_id=7, address="192.0.2.5", mac="02:00:00:00:00:05")
MTU = PathMtu(address="192.0.2.9", mtu=1400, table_id=7)
BEHIND = TunnelNeighbor(interface="port", peer="fd00::2", next_hop="192.0.2.9", next_hop_table=7)
PROXY = NdProxy(interface="port", address="2001:db8::5")
CROSS = L3CrossConnect(interface="port", is_ipv6=True, hops=(NextHop(interface="other"),))
ROUTER = VirtualRouter(
    interface="port", vr_id=5, is_ipv6=True, addresses=("2001:db8::1",), is_accepting=True, peers=("2001:db8::2",)
)
PUNT = PuntRedirect(interface="port", is_ipv6=True, hop=NextHop(interface="other"))
HOP = NextHop(gateway="192.0.2.9", interface="port", weight=3)
STEERED = PolicyRoute(priority=10, acl="ssh", hops=(HOP,), policy_id=7)
POLICY = LoosePolicy(policy_id=7, acl="ssh", hops=(HOP, NextHop(gateway="192.0.2.8", table_id=5)))
RELAY = DhcpRelay(server="203.0.113.1", source="192.0.2.1", table_id=7, server_table_id=8)
ROUTE = Route(prefix="10.0.0.0/8", table_id=7, hops=(NextHop(gateway="192.0.2.9", interface="port"),))
DET44_MAP = Det44Map(inside="100.64.0.0/16", outside="203.0.113.0/28")
SAID: list[tuple[op.Operation, str, dict[str, Any]]] = [
    (op.SetAdminState(interface="port", is_up=True), "sw_interface_set_flags", {"sw_if_index": 1, "flags": 1}),
    (op.SetAdminState(interface="other", is_up=False), "sw_interface_set_flags", {"sw_if_index": 2, "flags": 0}),
    (
        op.CreateSubInterface(
            interface="port.100", parent="port", sub_id=100, encapsulation=Encapsulation(outer=100, is_exact=True)
        ),
        "create_subif",
        {"sw_if_index": 1, "sub_id": 100, "sub_if_flags": 2 | 16, "outer_vlan_id": 100, "inner_vlan_id": 0},
    ),
    (
        op.CreateSubInterface(
            interface="port.5",
            parent="port",
            sub_id=5,
            encapsulation=Encapsulation(outer=100, inner=200, is_dot1ad=True),
        ),
        "create_subif",
        {"sub_id": 5, "sub_if_flags": 4 | 8, "outer_vlan_id": 100, "inner_vlan_id": 200},
    ),
    (
        op.CreateSubInterface(
            interface="port.4294967295",
            parent="port",
            sub_id=4294967295,
            encapsulation=OtherMatch(flags=132, outer=3),
        ),
        "create_subif",
        {"sub_id": 4294967295, "sub_if_flags": 132, "outer_vlan_id": 3, "inner_vlan_id": 0},
    ),
    (DeleteSubInterface(interface="other"), "delete_subif", {"sw_if_index": 2}),
    (op.SetLinkMtu(interface="port", mtu=9216), "hw_interface_set_mtu", {"sw_if_index": 1, "mtu": 9216}),
    (
        op.SetPacketMtu(interface="port", mtu=1500),
        "sw_interface_set_mtu",
        {"sw_if_index": 1, "mtu.0": 1500, "mtu.1": 0, "mtu.2": 0, "mtu.3": 0},
    ),
    (
        op.SetPacketMtu(interface="port", mtu=1500, protocol_mtus=(1400, 1280, 1300)),
        "sw_interface_set_mtu",
        {"mtu.0": 1500, "mtu.1": 1400, "mtu.2": 1280, "mtu.3": 1300},
    ),
    (
        AddAddress(interface="port", address="192.0.2.1/24"),
        "sw_interface_add_del_address",
        {
            "sw_if_index": 1,
            "is_add": True,
            "del_all": False,
            "prefix.address.af": 0,
            "prefix.address.un": b"\xc0\0\2\1" + bytes(12),
            "prefix.len": 24,
        },
    ),
    (
        op.RemoveAddress(interface="port", address="2001:db8::1/64"),
        "sw_interface_add_del_address",
        {
            "is_add": False,
            "del_all": False,
            "prefix.address.af": 1,
            "prefix.address.un": b"\x20\x01\x0d\xb8" + bytes(11) + b"\1",
            "prefix.len": 64,
        },
    ),
    (
        PAIR,
        "lcp_itf_pair_add_del_v3",
        {
            "is_add": True,
            "sw_if_index": 1,
            "host_if_name": b"e0".ljust(16, b"\0"),
            "host_if_type": 0,
            "netns": b"ns".ljust(32, b"\0"),
        },
    ),
    (
        op.CreateLcpPair(interface="port", host_name="e0", netns="main", is_default_netns=True),
        "lcp_itf_pair_add_del_v3",
        {"netns": b"main".ljust(32, b"\0")},
    ),
    (
        op.CreateLcpPair(interface="port", host_name="e0", netns="", is_default_netns=True, is_tun=True),
        "lcp_itf_pair_add_del_v3",
        {"host_if_type": 1},
    ),
    (op.DeleteLcpPair(interface="other"), "lcp_itf_pair_add_del_v3", {"is_add": False, "sw_if_index": 2}),
    (
        op.SetCrossConnect(interface="port", target="other"),
        "sw_interface_set_l2_xconnect",
        {"rx_sw_if_index": 1, "tx_sw_if_index": 2, "enable": True},
    ),
    (
        op.LeaveL2(interface="other"),
        "sw_interface_set_l2_xconnect",
        {"rx_sw_if_index": 2, "tx_sw_if_index": 0, "enable": False},
    ),
    (
        op.SetTagRewrite(interface="port", tag_rewrite=TagRewrite(operation=6, push_dot1q=1, tag1=5, tag2=6)),
        "l2_interface_vlan_tag_rewrite",
        {"sw_if_index": 1, "vtr_op": 6, "push_dot1q": 1, "tag1": 5, "tag2": 6},
    ),
    (
        op.SetTagRewrite(interface="port", tag_rewrite=None),
        "l2_interface_vlan_tag_rewrite",
        {"sw_if_index": 1, "vtr_op": 0, "push_dot1q": 0, "tag1": 0, "tag2": 0},
    ),
    (
        op.SetTag(interface="port", tag="vppcfg é"),
        "sw_interface_tag_add_del",
        {"sw_if_index": 1, "is_add": True, "tag": "vppcfg é".encode().ljust(64, b"\0")},
    ),
    (op.SetTag(interface="port", tag=""), "sw_interface_tag_add_del", {"is_add": False, "tag": bytes(64)}),
    (
        op.SetMac(interface="port", mac="02:11:22:33:44:55"),
        "sw_interface_set_mac_address",
        {"sw_if_index": 1, "mac_address": b"\x02\x11\x22\x33\x44\x55"},
    ),
    (
        SetUnnumbered(interface="port", donor="other"),
        "sw_interface_set_unnumbered",
        {"sw_if_index": 2, "unnumbered_sw_if_index": 1, "is_add": True},
    ),
    (
        UnsetUnnumbered(interface="port", donor="other"),
        "sw_interface_set_unnumbered",
        {"sw_if_index": 0, "unnumbered_sw_if_index": 1, "is_add": False},
    ),
    (
        CreateLoopback(interface="loop7", instance=7, mac=""),
        "create_loopback_instance",
        {"mac_address": bytes(6), "is_specified": True, "user_instance": 7},
    ),
    (
        CreateLoopback(interface="loop7", instance=7, mac="02:00:00:00:00:07"),
        "create_loopback_instance",
        {"mac_address": b"\x02\0\0\0\0\x07"},
    ),
    (DeleteLoopback(interface="other"), "delete_loopback", {"sw_if_index": 2}),
    (
        CreateBond(
            interface="BondEthernet3",
            instance=3,
            mode=BondMode.LACP,
            load_balance=LoadBalance.L23,
            mac="02:00:00:00:00:03",
            has_gso=True,
        ),
        "bond_create2",
        {
            "id": 3,
            "mode": 5,
            "lb": 2,
            "use_custom_mac": True,
            "mac_address": b"\x02\0\0\0\0\x03",
            "enable_gso": True,
            "numa_only": False,
        },
    ),
    (
        CreateBond(
            interface="BondEthernet0",
            instance=0,
            mode=BondMode.ACTIVE_BACKUP,
            load_balance=None,
            mac="",
            is_numa_only=True,
        ),
        "bond_create2",
        {"id": 0, "mode": 2, "lb": 0, "use_custom_mac": False, "mac_address": bytes(6), "numa_only": True},
    ),
    (DeleteBond(interface="other"), "bond_delete", {"sw_if_index": 2}),
    (
        op.AddBondMember(interface="port", bond="other", is_passive=True),
        "bond_add_member",
        {"sw_if_index": 1, "bond_sw_if_index": 2, "is_passive": True, "is_long_timeout": False},
    ),
    (
        op.AddBondMember(interface="port", bond="other", is_long_timeout=True),
        "bond_add_member",
        {"is_passive": False, "is_long_timeout": True},
    ),
    (
        op.SetBondWeight(interface="port", weight=7),
        "sw_interface_set_bond_weight",
        {"sw_if_index": 1, "weight": 7},
    ),
    (op.RemoveBondMember(interface="port", bond="other"), "bond_detach_member", {"sw_if_index": 1}),
    (
        op.CreateBridge(
            bd_id=9,
            settings=BridgeSettings(learn=False, unicast_forward=False, arp_termination=True, mac_age_minutes=5),
            tag="vppcfg lab",
        ),
        "bridge_domain_add_del_v2",
        {
            "bd_id": 9,
            "is_add": True,
            "learn": False,
            "flood": True,
            "uu_flood": True,
            "forward": False,
            "arp_term": True,
            "arp_ufwd": False,
            "mac_age": 5,
            "bd_tag": b"vppcfg lab".ljust(64, b"\0"),
        },
    ),
    (op.DeleteBridge(bd_id=9), "bridge_domain_add_del_v2", {"bd_id": 9, "is_add": False}),
    *(
        (
            op.SetBridgeFlag(bd_id=9, flag=flag, is_on=flag is op.BridgeFlag.LEARN),
            "bridge_flags",
            {"bd_id": 9, "flags": bit, "is_set": flag is op.BridgeFlag.LEARN},
        )
        for flag, bit in (
            (op.BridgeFlag.LEARN, 1),
            (op.BridgeFlag.UNICAST_FORWARD, 2),
            (op.BridgeFlag.UNICAST_FLOOD, 4),
            (op.BridgeFlag.UNKNOWN_UNICAST_FLOOD, 8),
            (op.BridgeFlag.ARP_TERMINATION, 16),
            (op.BridgeFlag.ARP_UNICAST_FORWARD, 32),
        )
    ),
    (op.SetBridgeMacAge(bd_id=9, minutes=255), "bridge_domain_set_mac_age", {"bd_id": 9, "mac_age": 255}),
    (
        op.SetRxMode(interface="port", mode=RxMode.ADAPTIVE),
        "sw_interface_set_rx_mode",
        {"sw_if_index": 1, "queue_id_valid": False, "queue_id": 0, "mode": 3},
    ),
    (
        op.SetRxPlacement(interface="port", queue=3, thread=2),
        "sw_interface_set_rx_placement",
        {"sw_if_index": 1, "queue_id": 3, "worker_id": 1, "is_main": False},
    ),
    (
        op.SetRxPlacement(interface="port", queue=0, thread=0),
        "sw_interface_set_rx_placement",
        {"sw_if_index": 1, "queue_id": 0, "worker_id": 0, "is_main": True},
    ),
    (
        op.SetTxPlacement(interface="port", queue=1, threads=(0, 2)),
        "sw_interface_set_tx_placement",
        {"sw_if_index": 1, "queue_id": 1, "array_size": 2},
    ),
    (
        op.SetDhcpClient(interface="port", client=DhcpClient(hostname="r1", is_broadcast=False)),
        "dhcp_client_config",
        {"is_add": True, "client.sw_if_index": 1, "client.set_broadcast_flag": False, "client.dscp": 0},
    ),
    (
        op.SetDhcpClient(interface="port", client=None),
        "dhcp_client_config",
        {"is_add": False, "client.sw_if_index": 1},
    ),
    (
        SetProxyArp(interface="port", is_on=True),
        "proxy_arp_intfc_enable_disable",
        {"sw_if_index": 1, "enable": True},
    ),
    (
        AddProxyArp(table_id=7, first="192.0.2.1", last="192.0.2.9"),
        "proxy_arp_add_del",
        {"is_add": True, "proxy.table_id": 7, "proxy.low": b"\xc0\0\2\1", "proxy.hi": b"\xc0\0\2\x09"},
    ),
    (
        RemoveProxyArp(table_id=0, first="192.0.2.1", last="192.0.2.1"),
        "proxy_arp_add_del",
        {"is_add": False, "proxy.table_id": 0, "proxy.low": b"\xc0\0\2\1", "proxy.hi": b"\xc0\0\2\1"},
    ),
    *nat44_samples.SAMPLES,
    (
        SetRoute(item=ROUTE),
        "ip_route_add_del_v2",
        {
            "is_add": True,
            "is_multipath": False,
            "route.table_id": 7,
            "route.prefix.address.un": b"\x0a" + bytes(15),
            "route.prefix.len": 8,
            "route.src": 40,
        },
    ),
    (SetQosMap(item=QosMap(map_id=4, ip=(184, 46))), "qos_egress_map_update", {"map.id": 4}),
    (RemoveQosMap(item=QosMap(map_id=4)), "qos_egress_map_delete", {"id": 4}),
    (SetQosRecord(item=RECORD), "qos_record_enable_disable", {"enable": True, "record.input_source": 1}),
    (RemoveQosRecord(item=RECORD), "qos_record_enable_disable", {"enable": False, "record.sw_if_index": 1}),
    (
        SetQosStore(item=STORE),
        "qos_store_enable_disable",
        {"enable": True, "store.input_source": 3, "store.value": 46},
    ),
    (RemoveQosStore(item=STORE), "qos_store_enable_disable", {"enable": False, "store.sw_if_index": 1}),
    (SetQosMark(item=MARK), "qos_mark_enable_disable", {"enable": True, "mark.output_source": 3, "mark.map_id": 4}),
    (RemoveQosMark(item=MARK), "qos_mark_enable_disable", {"enable": False, "mark.sw_if_index": 1}),
    (
        SetBridgeArp(item=ARP),
        "bd_ip_mac_add_del",
        {"is_add": True, "entry.bd_id": 7, "entry.mac": b"\2\0\0\0\0\5", "entry.ip.un": b"\xc0\0\2\5" + bytes(12)},
    ),
    (RemoveBridgeArp(item=ARP), "bd_ip_mac_add_del", {"is_add": False, "entry.bd_id": 7}),
    (
        SetNdProxy(item=PROXY),
        "ip6nd_proxy_add_del",
        {"is_add": True, "sw_if_index": 1, "ip": b"\x20\x01\x0d\xb8" + bytes(11) + b"\5"},
    ),
    (RemoveNdProxy(item=PROXY), "ip6nd_proxy_add_del", {"is_add": False, "sw_if_index": 1}),
    (SetPathMtu(item=MTU), "ip_path_mtu_update", {"pmtu.table_id": 7, "pmtu.path_mtu": 1400}),
    (
        AnchorHost(item=MTU, is_on=True, turn="x"),
        "ip_route_add_del_v2",
        {
            "is_add": True,
            "route.table_id": 7,
            "route.prefix.len": 32,
            "route.prefix.address.un": b"\xc0\0\2\x09" + bytes(12),
        },
    ),
    (RemovePathMtu(item=MTU), "ip_path_mtu_update", {"pmtu.table_id": 7, "pmtu.path_mtu": 0}),
    (
        SetTunnelNeighbor(item=BEHIND),
        "teib_entry_add_del",
        {
            "is_add": 1,
            "entry.sw_if_index": 1,
            "entry.peer.af": 1,
            "entry.peer.un": b"\xfd" + bytes(14) + b"\2",
            "entry.nh.un": b"\xc0\0\2\x09" + bytes(12),
            "entry.nh_table_id": 7,
        },
    ),
    (RemoveTunnelNeighbor(item=BEHIND), "teib_entry_add_del", {"is_add": 0, "entry.peer.af": 1}),
    (SetL3CrossConnect(item=CROSS), "l3xc_update", {"l3xc.sw_if_index": 1, "l3xc.is_ip6": True}),
    (RemoveL3CrossConnect(item=CROSS), "l3xc_del", {"sw_if_index": 1, "is_ip6": True}),
    (SetPuntRedirect(item=PUNT), "add_del_ip_punt_redirect_v2", {"is_add": True, "punt.rx_sw_if_index": 1}),
    (RemovePuntRedirect(item=PUNT), "add_del_ip_punt_redirect_v2", {"is_add": False, "punt.af": 1}),
    (CreateVirtualRouter(item=ROUTER), "vrrp_vr_add_del", {"is_add": True, "vr_id": 5, "flags": 15, "n_addrs": 1}),
    (RemoveVirtualRouter(item=ROUTER), "vrrp_vr_add_del", {"is_add": False, "sw_if_index": 1, "interval": 100}),
    (StartVirtualRouter(item=ROUTER), "vrrp_vr_start_stop", {"is_start": True, "is_ipv6": True, "vr_id": 5}),
    (StopVirtualRouter(item=ROUTER), "vrrp_vr_start_stop", {"is_start": False, "sw_if_index": 1}),
    (SetVrrpPeers(item=ROUTER, peers=ROUTER.peers), "vrrp_vr_set_peers", {"is_ipv6": True, "n_addrs": 1}),
    (
        TrackInterface(item=ROUTER, tracked=TrackedInterface(interface="other", priority=50), is_on=True),
        "vrrp_vr_track_if_add_del",
        {"is_add": True, "sw_if_index": 1, "n_ifs": 1},
    ),
    (op_sflow.SetSflowDirection(direction=TrafficDirection.BOTH), "sflow_direction_set", {"sampling_D": 3}),
    (op_sflow.SetSflowDrops(has_drops=True), "sflow_drop_monitoring_set", {"drop_M": 1}),
    (
        SetDhcpRelay(item=RELAY),
        "dhcp_proxy_config",
        {
            "is_add": True,
            "rx_vrf_id": 7,
            "server_vrf_id": 8,
            "dhcp_server.af": 0,
            "dhcp_server.un": b"\xcb\x00\x71\x01" + bytes(12),
            "dhcp_src_address.un": b"\xc0\x00\x02\x01" + bytes(12),
        },
    ),
    (RemoveDhcpRelay(item=RELAY), "dhcp_proxy_config", {"is_add": False, "rx_vrf_id": 7}),
    (
        RemoveRoute(item=ROUTE),
        "ip_route_add_del_v2",
        {"is_add": False, "route.table_id": 7, "route.prefix.len": 8, "route.src": 40},
    ),
    (
        CreatePolicy(item=POLICY),
        "abf_policy_add_del",
        {"is_add": True, "policy.policy_id": 7, "policy.acl_index": 7, "policy.n_paths": 2},
    ),
    (
        RemovePolicy(item=LoosePolicy(policy_id=7, acl="ssh", end=RouteEnd.BLACKHOLE)),
        "abf_policy_add_del",
        {"is_add": False, "policy.policy_id": 7, "policy.n_paths": 1},
    ),
    (
        AddPolicyPaths(interface="other", route=STEERED, hops=(NextHop(gateway="192.0.2.8", table_id=5),)),
        "abf_policy_add_del",
        {"is_add": True, "policy.policy_id": 7, "policy.acl_index": 7, "policy.n_paths": 1},
    ),
    (
        RemovePolicyPaths(interface="other", route=STEERED, hops=(HOP,)),
        "abf_policy_add_del",
        {"is_add": False, "policy.policy_id": 7, "policy.n_paths": 1},
    ),
    (
        AttachPolicy(interface="other", route=STEERED),
        "abf_itf_attach_add_del",
        {
            "is_add": True,
            "attach.policy_id": 7,
            "attach.sw_if_index": 2,
            "attach.priority": 10,
            "attach.is_ipv6": False,
        },
    ),
    (
        DetachPolicy(interface="other", route=replace(STEERED, is_ipv6=True)),
        "abf_itf_attach_add_del",
        {"is_add": False, "attach.policy_id": 7, "attach.sw_if_index": 2, "attach.is_ipv6": True},
    ),
    (
        SetLldp(interface="port", lldp=Lldp(description="uplink", ipv4="192.0.2.1")),
        "sw_interface_set_lldp",
        {"sw_if_index": 1, "mgmt_ip4": b"\xc0\x00\x02\x01", "mgmt_ip6": bytes(16), "enable": True},
    ),
    (SetLldp(interface="port", lldp=None), "sw_interface_set_lldp", {"sw_if_index": 1, "enable": False}),
    (SetLldpSettings(system_name="r1", hold=5), "lldp_config", {"tx_hold": 5, "tx_interval": 0}),
    (
        op.SetStaticMac(interface="port", bd_id=9, mac="02:00:00:00:00:07", is_on=True),
        "l2fib_add_del",
        {**MAC_OF_9, "sw_if_index": 1, "is_add": True, "static_mac": True, "filter_mac": False},
    ),
    (
        op.FilterMac(bd_id=9, mac="02:00:00:00:00:07"),
        "l2fib_add_del",
        {**MAC_OF_9, "sw_if_index": 0xFFFFFFFF, "is_add": True, "static_mac": False, "filter_mac": True},
    ),
    (
        op.ForgetMac(bd_id=9, mac="02:00:00:00:00:07"),
        "l2fib_add_del",
        {**MAC_OF_9, "sw_if_index": 0, "is_add": False, "static_mac": False, "filter_mac": False},
    ),
    (
        op.JoinBridge(interface="port", bd_id=9, split_horizon_group=3),
        "sw_interface_set_l2_bridge",
        {"rx_sw_if_index": 1, "bd_id": 9, "port_type": 0, "shg": 3, "enable": True},
    ),
    (
        op.JoinBridge(interface="other", bd_id=9, is_bvi=True),
        "sw_interface_set_l2_bridge",
        {"rx_sw_if_index": 2, "port_type": 1, "shg": 0},
    ),
    (
        CreateVxlan(interface="vxlan_tunnel4", instance=4, tunnel=VXLAN),
        "vxlan_add_del_tunnel_v3",
        {
            "is_add": True,
            "instance": 4,
            "src_address.af": 0,
            "src_address.un": b"\xc0\0\2\1" + bytes(12),
            "dst_address.un": b"\xc0\0\2\2" + bytes(12),
            "src_port": 0,
            "dst_port": 0,
            "mcast_sw_if_index": ALL,
            "encap_vrf_id": 0,
            "decap_next_index": ALL,
            "vni": 77,
            "is_l3": False,
        },
    ),
    (
        CreateVxlan(
            interface="vxlan_tunnel4",
            instance=4,
            tunnel=Vxlan(local="192.0.2.1", remote="192.0.2.2", vni=77, source_port=4790, destination_port=65535),
        ),
        "vxlan_add_del_tunnel_v3",
        {"is_add": True, "src_port": 4790, "dst_port": 65535, "vni": 77},
    ),
    (
        DeleteVxlan(interface="other", instance=4, tunnel=Vxlan(local="2001:db8::1", remote="2001:db8::2", vni=77)),
        "vxlan_add_del_tunnel_v3",
        {
            "is_add": False,
            "src_address.af": 1,
            "dst_address.af": 1,
            "dst_address.un": b"\x20\x01\x0d\xb8" + bytes(11) + b"\2",
            "vni": 77,
        },
    ),
    (
        CreateGre(interface="gre4", instance=4, tunnel=GRE),
        "gre_tunnel_add_del_v2",
        {
            "is_add": True,
            "tunnel.type": 1,
            "tunnel.mode": 0,
            "tunnel.flags": 0,
            "tunnel.session_id": 0,
            "tunnel.instance": 4,
            "tunnel.outer_table_id": 0,
            "tunnel.src.af": 0,
            "tunnel.src.un": b"\xc0\0\2\1" + bytes(12),
            "tunnel.dst.un": b"\xc0\0\2\2" + bytes(12),
            "tunnel.key": 42,
        },
    ),
    (
        DeleteGre(
            interface="other",
            tunnel=Gre(local="2001:db8::1", remote="2001:db8::2", mode=GreMode.ERSPAN, session=1023),
        ),
        "gre_tunnel_add_del_v2",
        {
            "is_add": False,
            "tunnel.type": 2,
            "tunnel.session_id": 1023,
            "tunnel.src.af": 1,
            "tunnel.dst.af": 1,
            "tunnel.dst.un": b"\x20\x01\x0d\xb8" + bytes(11) + b"\2",
            "tunnel.key": 0,
        },
    ),
    (
        CreateIpip(
            interface="ipip4",
            instance=4,
            tunnel=Ipip(local="192.0.2.1", remote="192.0.2.2", dscp=46, flags=9, encap_vrf=10),
        ),
        "ipip_add_tunnel",
        {
            "tunnel.instance": 4,
            "tunnel.src.af": 0,
            "tunnel.src.un": b"\xc0\0\2\1" + bytes(12),
            "tunnel.dst.un": b"\xc0\0\2\2" + bytes(12),
            "tunnel.table_id": 10,
            "tunnel.mode": 0,
            "tunnel.flags": 9,
            "tunnel.dscp": 46,
        },
    ),
    (
        DeleteIpip(interface="other", tunnel=Ipip(local="2001:db8::1", remote="2001:db8::2")),
        "ipip_del_tunnel",
        {"sw_if_index": 2},
    ),
    (
        CreateHostInterface(interface="host-e3", port=HostInterface(device="e3")),
        "af_packet_create_v3",
        {
            "mode": 1,
            "use_random_hw_addr": 1,
            "host_if_name": b"e3" + bytes(62),
            "flags": 3,
            "num_rx_queues": 1,
            "num_tx_queues": 1,
        },
    ),
    (
        DeleteHostInterface(interface="host-e3", port=HostInterface(device="e3")),
        "af_packet_delete",
        {"host_if_name": b"e3" + bytes(62)},
    ),
    (
        CreateMemifSocket(socket_id=3, file="/run/a"),
        "memif_socket_filename_add_del",
        {"is_add": 1, "socket_id": 3, "socket_filename": b"/run/a" + bytes(102)},
    ),
    (DeleteMemifSocket(socket_id=3), "memif_socket_filename_add_del", {"is_add": 0, "socket_id": 3}),
    (
        CreateMemif(interface="memif3/4", port=Memif(role=MemifRole.SLAVE, socket="/run/a", mode=MemifMode.IP)),
        "memif_create_v2",
        {"role": 1, "mode": 1, "rx_queues": 1, "tx_queues": 1, "id": 4, "socket_id": 3, "ring_size": 0},
    ),
    (
        DeleteMemif(interface="other", port=Memif(role=MemifRole.SLAVE)),
        "memif_delete",
        {"sw_if_index": 2},
    ),
    (
        CreateVhostUser(interface="VirtualEthernet0/0/7", port=VhostUser(socket="/run/a", role=VhostUserRole.SERVER)),
        "create_vhost_user_if_v2",
        {"is_server": 1, "sock_filename": b"/run/a" + bytes(250), "renumber": 1, "custom_dev_instance": 7},
    ),
    (
        DeleteVhostUser(interface="other", port=VhostUser(socket="/run/a", role=VhostUserRole.CLIENT)),
        "delete_vhost_user_if",
        {"sw_if_index": 2},
    ),
    (
        CreateWireguard(
            interface="wg4", instance=4, tunnel=Wireguard(local="192.0.2.1", port=51820, public_key=PUBLIC[1])
        ),
        "wireguard_interface_create",
        {
            "interface.user_instance": 4,
            "interface.private_key": PRIVATE[1],
            "interface.public_key": bytes(32),
            "interface.port": 51820,
            "interface.src_ip.af": 0,
            "interface.src_ip.un": b"\xc0\0\2\1" + bytes(12),
            "generate_key": 0,
        },
    ),
    (DeleteWireguard(interface="other"), "wireguard_interface_delete", {"sw_if_index": 2}),
    (
        AddWireguardPeer(interface="other", public_key=PEERS[0], peer=PEER),
        "wireguard_peer_add_v2",
        {
            "peer.sw_if_index": 2,
            "peer.public_key": key_bytes(PEERS[0]),
            "peer.preshared_key_set": 1,
            "peer.preshared_key": PRIVATE[2],
            "peer.port": 51821,
            "peer.persistent_keepalive": 25,
            "peer.table_id": 7,
            "peer.endpoint.af": 0,
            "peer.endpoint.un": b"\xc0\0\2\2" + bytes(12),
            "peer.n_allowed_ips": 2,
        },
    ),
    (
        RemoveWireguardPeer(interface="other", public_key=PEERS[0]),
        "wireguard_peer_remove",
        {"peer_index": 5},
    ),
    (
        CreateTap(interface="tap3", instance=3, tap=Tap(host_name="vpp-tap3")),
        "tap_create_v3",
        {
            "id": 3,
            "use_random_mac": True,
            "num_rx_queues": 1,
            "num_tx_queues": 1,
            "rx_ring_sz": 256,
            "tx_ring_sz": 256,
            "host_if_name_set": True,
            "host_if_name": b"vpp-tap3".ljust(64, b"\0"),
            "host_mtu_set": False,
            "host_mac_addr_set": False,
            "host_namespace_set": False,
            "host_bridge_set": False,
            "tap_flags": 0,
        },
    ),
    (
        CreateTap(
            interface="tap3",
            instance=3,
            tap=Tap(
                host_name="t",
                host_mac="02:00:00:00:00:03",
                host_mtu=1400,
                host_bridge="br0",
                host_netns="blue",
                rx_ring_size=512,
                tx_ring_size=1024,
                flags=64,
            ),
        ),
        "tap_create_v3",
        {
            "rx_ring_sz": 512,
            "tx_ring_sz": 1024,
            "host_mtu_set": True,
            "host_mtu_size": 1400,
            "host_mac_addr_set": True,
            "host_mac_addr": b"\x02\0\0\0\0\x03",
            "host_namespace_set": True,
            "host_namespace": b"blue".ljust(64, b"\0"),
            "host_bridge_set": True,
            "host_bridge": b"br0".ljust(64, b"\0"),
            "tap_flags": 64,
        },
    ),
    (DeleteTap(interface="other"), "tap_delete_v2", {"sw_if_index": 2}),
    (
        op.CreateAcl(acl="web", rules=(RULE, RULE6), tag="vppcfg web"),
        "acl_add_replace",
        {"acl_index": ALL, "tag": b"vppcfg web".ljust(64, b"\0"), "count": 2},
    ),
    (op.ReplaceAcl(acl="ssh", rules=(), tag="vppcfg ssh"), "acl_add_replace", {"acl_index": 7, "count": 0}),
    (op.DeleteAcl(acl="acl:theirs"), "acl_del", {"acl_index": 8}),
    (
        SetFlowRecords(
            interface="port", records=FlowRecords(variant=FlowVariant.IP6, direction=TrafficDirection.OUTPUT)
        ),
        "flowprobe_interface_add_del",
        {"is_add": True, "which": 1, "direction": 1, "sw_if_index": 1},
    ),
    (
        SetFlowParams(params=FlowParams(layers=(FlowLayer.L2, FlowLayer.L4), active_s=7, passive_s=9)),
        "flowprobe_set_params",
        {"record_flags": 5, "active_timer": 7, "passive_timer": 9},
    ),
    (
        SetIpfixExporter(exporter=IpfixExporter(collector="192.0.2.9", source="192.0.2.1", table_id=7)),
        "set_ipfix_exporter",
        {
            "collector_address.un": b"\xc0\0\2\x09".ljust(16, b"\0"),
            "src_address.un": b"\xc0\0\2\1".ljust(16, b"\0"),
            "collector_port": 4739,
            "vrf_id": 7,
            "path_mtu": 512,
            "template_interval": 20,
            "udp_checksum": False,
        },
    ),
    (
        SetIpfixExporter(exporter=IpfixExporter()),
        "set_ipfix_exporter",
        {"collector_address.un": bytes(16), "src_address.un": bytes(16), "vrf_id": ALL},
    ),
    (
        op.CreateMacip(macip="web", rules=(MACIP_RULE,), tag="vppcfg web"),
        "macip_acl_add_replace",
        {"acl_index": ALL, "tag": b"vppcfg web".ljust(64, b"\0"), "count": 1},
    ),
    (
        op.ReplaceMacip(macip="ssh", rules=(), tag="vppcfg ssh"),
        "macip_acl_add_replace",
        {"acl_index": 7, "count": 0},
    ),
    (op.DeleteMacip(macip="macip:theirs"), "macip_acl_del", {"acl_index": 8}),
    (
        op.SetMacip(interface="port", macip="ssh"),
        "macip_acl_interface_add_del",
        {"is_add": True, "sw_if_index": 1, "acl_index": 7},
    ),
    (
        op.SetMacip(interface="port", macip=None),
        "macip_acl_interface_add_del",
        {"is_add": False, "sw_if_index": 1, "acl_index": ALL},
    ),
    (
        op.BindAcls(interface="port", binding=AclBinding(input=("ssh", "acl:theirs"), output=("ssh",))),
        "acl_interface_set_acl_list",
        {"sw_if_index": 1, "count": 3, "n_input": 2},
    ),
    (
        op.BindAcls(interface="port", binding=AclBinding()),
        "acl_interface_set_acl_list",
        {"sw_if_index": 1, "count": 0, "n_input": 0},
    ),
    (
        CreateVrf(table_id=100, is_ipv6=True, name="red"),
        "ip_table_add_del_v2",
        {"table.table_id": 100, "table.is_ip6": True, "table.name": b"red" + bytes(61), "create_mfib": 1, "is_add": 1},
    ),
    (MarkVrfRoutes(table_id=100, is_ipv6=False), "ip_table_replace_begin", {"table.table_id": 100}),
    (SweepVrfRoutes(table_id=100, is_ipv6=True), "ip_table_replace_end", {"table.is_ip6": True}),
    (ReleaseTypedVrf(table_id=100, is_ipv6=True), "cli_inband", {}),
    (
        DeleteVrf(table_id=100, is_ipv6=False),
        "ip_table_add_del_v2",
        {"table.table_id": 100, "table.is_ip6": False, "is_add": 0},
    ),
    (
        SetTable(interface="other", is_ipv6=True, table_id=100),
        "sw_interface_set_table",
        {"sw_if_index": 2, "is_ipv6": True, "vrf_id": 100},
    ),
    (CreateMplsTable(), "mpls_table_add_del", {"mt_is_add": True, "mt_table.mt_table_id": 0}),
    (SetMpls(interface="port", is_on=True), "sw_interface_set_mpls_enable", {"sw_if_index": 1, "enable": True}),
    (SetMpls(interface="port", is_on=False), "sw_interface_set_mpls_enable", {"enable": False}),
    (
        SetSflow(interface="other", is_on=True),
        "sflow_enable_disable",
        {"hw_if_index": 2, "enable_disable": True},
    ),
    (SetSflow(interface="other", is_on=False), "sflow_enable_disable", {"enable_disable": False}),
    (
        op.SetNeighbor(interface="port", address="192.0.2.5", mac="02:00:00:00:00:05"),
        "ip_neighbor_add_del",
        {"is_add": True, "neighbor.sw_if_index": 1, "neighbor.flags": 1, "neighbor.mac_address": b"\2\0\0\0\0\5"},
    ),
    (
        op.RemoveNeighbor(interface="other", address="2001:db8::5", mac="02:00:00:00:00:05"),
        "ip_neighbor_add_del",
        {"is_add": False, "neighbor.sw_if_index": 2, "neighbor.ip_address.af": 1},
    ),
    (op.TakeOff(attachment=ON_PORT), "sw_interface_set_mpls_enable", {"sw_if_index": 1, "enable": False}),
    (op.PutBack(attachment=ON_PORT), "sw_interface_set_mpls_enable", {"sw_if_index": 1, "enable": True}),
    (SetGso(interface="port", is_on=True), "feature_gso_enable_disable", {"sw_if_index": 1, "enable_disable": True}),
    (
        SetUrpf(interface="other", is_ipv6=True, is_output=False, mode=UrpfMode.STRICT),
        "urpf_update_v2",
        {"sw_if_index": 2, "af": 1, "is_input": True, "mode": 2, "table_id": 0xFFFFFFFF},
    ),
    (
        SetUrpf(interface="port", is_ipv6=False, is_output=True, mode=None, table_id=7),
        "urpf_update_v2",
        {"sw_if_index": 1, "af": 0, "is_input": False, "mode": 0, "table_id": 7},
    ),
    (
        SetMssClamp(
            interface="port",
            limits=(MssLimit(mss=1360), MssLimit(mss=1220, is_ipv6=True, direction=TrafficDirection.OUTPUT)),
        ),
        "mss_clamp_enable_disable",
        {"sw_if_index": 1, "ipv4_mss": 1360, "ipv4_direction": 3, "ipv6_mss": 1220, "ipv6_direction": 2},
    ),
    (
        SetMirror(interface="port", target="other", direction=TrafficDirection.OUTPUT, is_l2=True),
        "sw_interface_span_enable_disable",
        {"sw_if_index_from": 1, "sw_if_index_to": 2, "state": 2, "is_l2": True},
    ),
    (
        SetMirror(interface="port", target="DELETED", direction=None),
        "sw_interface_span_enable_disable",
        {"sw_if_index_from": 1, "sw_if_index_to": 0xFFFFFFFF, "state": 0, "is_l2": False},
    ),
    (
        SetRa(
            interface="port",
            settings=RouterAdvertisements(is_managed=True, lifetime_s=0, max_interval_s=60, min_interval_s=20),
        ),
        "sw_interface_ip6nd_ra_config",
        {
            "sw_if_index": 1,
            "managed": 1,
            "other": 0,
            "default_router": 1,
            "lifetime": 0,
            "max_interval": 60,
            "is_no": 0,
        },
    ),
    (
        SetRa(interface="port", settings=RouterAdvertisements(initial_count=2, initial_interval_s=5)),
        "sw_interface_ip6nd_ra_config",
        {"initial_count": 2, "initial_interval": 5, "min_interval": 150, "ll_option": 0, "suppress": 0},
    ),
    (
        ResetRa(interface="other"),
        "sw_interface_ip6nd_ra_config",
        {"sw_if_index": 2, "is_no": 1, "suppress": 0, "managed": 1, "default_router": 1, "initial_interval": 1},
    ),
    (
        SilenceRa(interface="other"),
        "sw_interface_ip6nd_ra_config",
        {"sw_if_index": 2, "suppress": 1, "is_no": 0, "default_router": 0},
    ),
    (
        SetRaPrefix(interface="port", prefix="2001:db8::/56", is_on_link=False, is_autonomous=False),
        "sw_interface_ip6nd_ra_prefix",
        {
            "sw_if_index": 1,
            "prefix.address.af": 1,
            "prefix.len": 56,
            "val_lifetime": 0xFFFFFFFF,
            "no_onlink": True,
            "no_autoconfig": True,
            "no_advertise": False,
            "is_no": False,
        },
    ),
    (
        RemoveRaPrefix(interface="other", prefix="2001:db8::5/64"),
        "sw_interface_ip6nd_ra_prefix",
        {"sw_if_index": 2, "prefix.len": 64, "is_no": True},
    ),
    (
        op.SetLinkLocal(interface="other", address="fe80::1"),
        "sw_interface_ip6_set_link_local_address",
        {"sw_if_index": 2, "ip": bytes.fromhex("fe80" + "00" * 13 + "01")},
    ),
    (op.RenewIpv6(interface="other"), "sw_interface_ip6_enable_disable", {"sw_if_index": 2, "enable": 0}),
    (
        SetMssClamp(interface="other", limits=()),
        "mss_clamp_enable_disable",
        {"sw_if_index": 2, "ipv4_mss": 0, "ipv4_direction": 0, "ipv6_mss": 0, "ipv6_direction": 0},
    ),
    (SetGso(interface="other", is_on=False), "feature_gso_enable_disable", {"sw_if_index": 2}),
    (EnableDet44(), "det44_plugin_enable_disable", {"inside_vrf": 0, "outside_vrf": 0, "enable": True}),
    (
        SetDet44(interface="other", side=Det44Side.INSIDE),
        "det44_interface_add_del_feature",
        {"is_add": True, "is_inside": True, "sw_if_index": 2},
    ),
    (
        SetDet44(interface="port", side=Det44Side.OUTSIDE, is_on=False),
        "det44_interface_add_del_feature",
        {"is_add": False, "is_inside": False, "sw_if_index": 1},
    ),
    (
        DropDet44Feature(interface="port", side=Det44Side.OUTSIDE, turn=1),
        "feature_enable_disable",
        {"sw_if_index": 1, "enable": False},
    ),
    (
        AddDet44Map(item=DET44_MAP),
        "det44_add_del_map",
        {"is_add": True, "in_addr": bytes([100, 64, 0, 0]), "in_plen": 16, "out_addr": bytes([203, 0, 113, 0])},
    ),
    (RemoveDet44Map(item=DET44_MAP), "det44_add_del_map", {"is_add": False, "in_plen": 16, "out_plen": 28}),
    (
        SetDet44Timeouts(item=Det44Timeouts(udp=120)),
        "det44_set_timeouts",
        {"udp": 120, "tcp_established": 7440, "tcp_transitory": 240, "icmp": 60},
    ),
    (ResetDet44Timeouts(item=Det44Timeouts(udp=120)), "det44_set_timeouts", {"udp": 300, "icmp": 60}),
    (SetSflowSamplingRate(sampling_rate=1000), "sflow_sampling_rate_set", {"sampling_N": 1000}),
    (SetSflowPollingInterval(polling_interval_s=5), "sflow_polling_interval_set", {"polling_S": 5}),
    (SetSflowHeaderBytes(header_bytes=64), "sflow_header_bytes_set", {"header_B": 64}),
]


class Told(Recorder):
    """A VPP with every plugin and two access lists."""

    def __init__(self) -> None:
        super().__init__(plugins=ALL_PLUGINS)
        tags = {7: "vppcfg ssh", 8: "theirs"}
        self.answers["macip_acl_dump"] = lambda request: [
            self.say("macip_acl_details", request, {"acl_index": index, "tag": tag}) for index, tag in tags.items()
        ]
        self.answers["acl_dump"] = lambda request: [
            self.say("acl_details", request, {"acl_index": index, "tag": tag}) for index, tag in tags.items()
        ]
        peer: dict[str, Value] = {"peer.peer_index": 5, "peer.sw_if_index": 2, "peer.public_key": key_bytes(PEERS[0])}
        self.tell("wireguard_peers_v2_dump", "wireguard_peers_v2_details", peer)


def test_an_operation_is_one_message() -> None:
    for operation, message, values in SAID:
        stub = Told()
        assert perform(stub, operation) == Performance(done=(0,))
        request, *others = stub.told
        assert (request.message.name, bool(others)) == (message, isinstance(operation, op.RenewIpv6))
        assert {path: request.value(path) for path in values} == values, operation


@pytest.mark.parametrize(("is_ipv6", "line"), [(False, "ip table del 100"), (True, "ip6 table del 100")])
def test_what_the_prompt_holds_of_a_table_is_let_go_by_its_command(is_ipv6: bool, line: str) -> None:
    stub = Told()
    perform(stub, ReleaseTypedVrf(table_id=100, is_ipv6=is_ipv6))
    assert [request.text for request in stub.told] == [line]


def test_every_operation_has_its_message() -> None:
    to_vpp = {kind for kind in every_operation() if kind.needs_vpp}
    assert {type(operation) for operation, _, _ in SAID} == to_vpp


def test_rules_stand_behind_their_list_in_order() -> None:
    stub = Told()
    perform(stub, op.CreateAcl(acl="web", rules=(RULE, RULE6), tag="vppcfg web"))
    (request,) = stub.told
    paths = ("is_permit", "src_prefix.address.af", "src_prefix.address.un", "src_prefix.len", "dst_prefix.address.af")
    assert list(request.message.items(request.data, *paths)) == [
        (1, 0, b"\xc0\0\2\0" + bytes(12), 24, 0),
        (2, 1, b"\x20\x01\x0d\xb8" + bytes(12), 32, 1),
    ]
    numbers = (
        "proto",
        "srcport_or_icmptype_first",
        "srcport_or_icmptype_last",
        "dstport_or_icmpcode_first",
        "dstport_or_icmpcode_last",
        "tcp_flags_mask",
        "tcp_flags_value",
    )
    assert list(request.message.items(request.data, *numbers)) == [
        (6, 1024, 65535, 80, 443, 18, 2),
        (0, 0, 65535, 0, 65535, 0, 0),
    ]


def test_an_interface_applies_inputs_before_outputs_by_index() -> None:
    stub = Told()
    binding = AclBinding(input=("acl:theirs", "ssh"), output=("ssh",))
    perform(stub, op.BindAcls(interface="port", binding=binding))
    (request,) = stub.told
    assert list(request.message.items(request.data, "")) == [(8,), (7,), (7,)]


def test_more_lists_than_vpp_can_count_are_refused_unsent() -> None:
    stub = Told()
    names = [f"list{number}" for number in range(256)]
    stub.answers["acl_dump"] = lambda request: [
        stub.say("acl_details", request, {"acl_index": index, "tag": f"vppcfg {name}"})
        for index, name in enumerate(names)
    ]
    binding = AclBinding(input=tuple(names))
    (refusal,) = perform(stub, op.BindAcls(interface="port", binding=binding)).refusals
    assert (stub.told, refusal.retval) == ([], 0)
    assert "does not fit VPP's message acl_interface_set_acl_list" in refusal.text


@pytest.mark.parametrize(
    ("operation", "newer", "older"),
    [
        (PAIR, ("lcp_itf_pair_add_del_v3",), "lcp_itf_pair_add_del_v2"),
        (op.DeleteBridge(bd_id=9), ("bridge_domain_add_del_v2",), "bridge_domain_add_del"),
        (
            CreateVxlan(interface="vxlan_tunnel4", instance=4, tunnel=VXLAN),
            ("vxlan_add_del_tunnel_v3", "vxlan_add_del_tunnel_v2"),
            "vxlan_add_del_tunnel",
        ),
        (
            CreateGre(interface="gre4", instance=4, tunnel=Gre(local="192.0.2.1", remote="192.0.2.2")),
            ("gre_tunnel_add_del_v2",),
            "gre_tunnel_add_del",
        ),
        (CreateVrf(table_id=5, is_ipv6=False, name="red"), ("ip_table_add_del_v2",), "ip_table_add_del"),
        (CreateTap(interface="tap3", instance=3, tap=Tap(host_name="t")), ("tap_create_v3",), "tap_create_v2"),
    ],
    ids=["pair", "bridge", "vxlan", "gre", "vrf", "tap"],
)
def test_an_older_vpp_is_told_in_its_own_words(operation: op.Operation, newer: tuple[str, ...], older: str) -> None:
    stub = Told()
    stub.drop(*newer)
    assert perform(stub, operation) == Performance(done=(0,))
    assert [request.message.name for request in stub.told] == [older]


def test_a_call_for_people_names_interfaces_and_writes_addresses_as_text() -> None:
    assert api_call(AddAddress(interface="port", address="2001:db8::1/64")) == (
        "sw_interface_add_del_address",
        {
            "sw_if_index": "port",
            "is_add": 1,
            "prefix.address.af": 1,
            "prefix.address.un": "2001:db8::1",
            "prefix.len": 64,
        },
    )
    assert api_call(PAIR)[0] == "lcp_itf_pair_add_del_v3"


def test_a_call_for_people_writes_mac_addresses_as_text() -> None:
    message, arguments = api_call(op.SetMac(interface="port", mac="02:11:22:33:44:55"))
    assert (message, arguments) == (
        "sw_interface_set_mac_address",
        {"sw_if_index": "port", "mac_address": "02:11:22:33:44:55"},
    )


def test_a_call_for_people_has_lists_and_access_lists_by_name() -> None:
    binding = AclBinding(input=("web", "ssh"), output=("web",))
    assert api_call(op.BindAcls(interface="port", binding=binding)) == (
        "acl_interface_set_acl_list",
        {"sw_if_index": "port", "n_input": 2, "acls": ["web", "ssh", "web"]},
    )
    message, arguments = api_call(op.ReplaceAcl(acl="web", rules=(RULE,), tag="vppcfg web"))
    (rule,) = arguments.pop("r")
    assert (message, arguments) == ("acl_add_replace", {"acl_index": "web", "tag": "vppcfg web"})
    assert (rule["is_permit"], rule["src_prefix.address.un"], rule["src_prefix.len"]) == (1, "192.0.2.0", 24)


def test_every_call_for_people_can_be_written_as_json() -> None:
    for operation, _, _ in SAID:
        message, arguments = api_call(operation)
        assert json.loads(json.dumps([message, arguments])) == [message, arguments]
