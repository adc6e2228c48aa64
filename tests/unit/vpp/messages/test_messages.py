"""What operations send to VPP beyond what tests/kinds/KEY.sent has: other indexes, releases and attributes."""

import json
from typing import Any

import pytest

from tests.kinds.operations import sampled_operations
from tests.operations import every_operation
from tests.unit.vpp.recorder import Recorder, perform
from tests.unit.vpp.stub_vpp import ALL_PLUGINS
from tests.wireguard_keys import PEERS
from vppcfg.dataplane import Performance
from vppcfg.kinds.acl_operations import BindAcls, DeleteAcl, ReplaceAcl
from vppcfg.kinds.address import AddAddress
from vppcfg.kinds.bond.operations import CreateBond
from vppcfg.kinds.bridge_operations import DeleteBridge
from vppcfg.kinds.gre import CreateGre
from vppcfg.kinds.interface import SetPacketMtu, SetRxPlacement, SetTag, SetTxPlacement
from vppcfg.kinds.ipfix import SetFlowRecords
from vppcfg.kinds.ipfix_settings import SetIpfixExporter
from vppcfg.kinds.lcp.operations import CreateLcpPair
from vppcfg.kinds.macip import SetMacip
from vppcfg.kinds.macip_acl import DeleteMacip
from vppcfg.kinds.path_mtu import AnchorHost
from vppcfg.kinds.ra_operations import SetRa
from vppcfg.kinds.rate_limit_operations import FreeIndex
from vppcfg.kinds.sub_interface import CreateSubInterface
from vppcfg.kinds.tap.kind import CreateTap
from vppcfg.kinds.urpf import SetUrpf
from vppcfg.kinds.vrf_operations import CreateVrf, ReleaseTypedVrf
from vppcfg.kinds.vxlan import CreateVxlan
from vppcfg.kinds.wireguard.operations import RemoveWireguardPeer
from vppcfg.model.acl import AclAction, AclBinding, AclRule
from vppcfg.model.attachment import Attachment, stored_call
from vppcfg.model.bond import BondMode, LoadBalance
from vppcfg.model.features import RouterAdvertisements, TrafficDirection
from vppcfg.model.interface import OtherMatch
from vppcfg.model.ipfix import FlowRecords, FlowVariant, IpfixExporter
from vppcfg.model.path_mtu import PathMtu
from vppcfg.model.secret_key import key_bytes
from vppcfg.model.tap import Tap
from vppcfg.model.tunnel import Gre, Vxlan
from vppcfg.operations.attachment import RemoveAttachment, RestoreInVpp
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Value
from vppcfg.vpp.messages.readable import api_call

VXLAN = Vxlan(local="192.0.2.1", remote="192.0.2.2", vni=77)
PAIR = CreateLcpPair(interface="port", host_name="e0", netns="ns", is_default_netns=False)
RULE = AclRule(
    action=AclAction.PERMIT,
    source="192.0.2.0/24",
    destination="0.0.0.0/0",
    protocol=6,
    source_ports=(1024, 65535),
    destination_ports=(80, 443),
    tcp_flags=(18, 2),
)
ON_PORT = Attachment(
    holder="port",
    kind="service",
    put=stored_call("sw_interface_set_mpls_enable", {"sw_if_index": "@port", "enable": 1}),
    take=stored_call("sw_interface_set_mpls_enable", {"sw_if_index": "@port", "enable": 0}),
)
MTU = PathMtu(address="192.0.2.9", mtu=1400, table_id=7)
SAID: list[tuple[Operation, str, dict[str, Any]]] = [
    (
        AnchorHost(item=MTU, is_on=True, turn="x"),
        "ip_route_add_del_v2",
        {"is_add": True, "route.table_id": 7, "route.prefix.len": 32, "route.prefix.address.af": 0},
    ),
    (
        CreateSubInterface(
            interface="port.4294967295", parent="port", sub_id=4294967295, encapsulation=OtherMatch(flags=132, outer=3)
        ),
        "create_subif",
        {"sub_id": 4294967295, "sub_if_flags": 132, "outer_vlan_id": 3, "inner_vlan_id": 0},
    ),
    (
        SetPacketMtu(interface="port", mtu=1500, protocol_mtus=(1400, 1280, 1300)),
        "sw_interface_set_mtu",
        {"mtu.0": 1500, "mtu.1": 1400, "mtu.2": 1280, "mtu.3": 1300},
    ),
    (
        PAIR,
        "lcp_itf_pair_add_del_v3",
        {"host_if_name": b"e0".ljust(16, b"\0"), "host_if_type": 0, "netns": b"ns".ljust(32, b"\0")},
    ),
    (
        CreateLcpPair(interface="port", host_name="e0", netns="main", is_default_netns=True, is_tun=True),
        "lcp_itf_pair_add_del_v3",
        {"host_if_type": 1, "netns": b"main".ljust(32, b"\0")},
    ),
    (
        SetTag(interface="port", tag="vppcfg é"),
        "sw_interface_tag_add_del",
        {"sw_if_index": 1, "is_add": True, "tag": "vppcfg é".encode().ljust(64, b"\0")},
    ),
    (SetTag(interface="port", tag=""), "sw_interface_tag_add_del", {"is_add": False, "tag": bytes(64)}),
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
        {"id": 3, "mode": 5, "lb": 2, "use_custom_mac": True, "mac_address": b"\x02\0\0\0\0\x03", "enable_gso": True},
    ),
    (
        SetRxPlacement(interface="port", queue=3, thread=2),
        "sw_interface_set_rx_placement",
        {"sw_if_index": 1, "queue_id": 3, "worker_id": 1, "is_main": False},
    ),
    (
        SetRxPlacement(interface="port", queue=0, thread=0),
        "sw_interface_set_rx_placement",
        {"sw_if_index": 1, "queue_id": 0, "worker_id": 0, "is_main": True},
    ),
    (
        SetTxPlacement(interface="port", queue=1, threads=(0, 2)),
        "sw_interface_set_tx_placement",
        {"sw_if_index": 1, "queue_id": 1, "array_size": 2},
    ),
    (
        CreateTap(interface="tap3", instance=3, tap=Tap(host_name="t")),
        "tap_create_v3",
        {
            "id": 3,
            "use_random_mac": True,
            "host_if_name": b"t".ljust(64, b"\0"),
            "host_mtu_set": False,
            "host_mac_addr_set": False,
            "host_namespace_set": False,
            "host_bridge_set": False,
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
    (
        SetRa(interface="port", settings=RouterAdvertisements(initial_count=2, initial_interval_s=5)),
        "sw_interface_ip6nd_ra_config",
        {"initial_count": 2, "initial_interval": 5, "min_interval": 150, "ll_option": 0, "suppress": 0},
    ),
    (SetMacip(interface="port", macip="ssh"), "macip_acl_interface_add_del", {"sw_if_index": 1, "acl_index": 7}),
    (DeleteMacip(macip="macip:theirs"), "macip_acl_del", {"acl_index": 8}),
    (ReplaceAcl(acl="ssh", rules=(), tag="vppcfg ssh"), "acl_add_replace", {"acl_index": 7, "count": 0}),
    (DeleteAcl(acl="acl:theirs"), "acl_del", {"acl_index": 8}),
    (RemoveWireguardPeer(interface="other", public_key=PEERS[0]), "wireguard_peer_remove", {"peer_index": 5}),
    (
        SetUrpf(interface="port", is_ipv6=False, is_output=True, mode=None, table_id=7),
        "urpf_update_v2",
        {"sw_if_index": 1, "af": 0, "is_input": False, "mode": 0, "table_id": 7},
    ),
    (
        SetFlowRecords(
            interface="port", records=FlowRecords(variant=FlowVariant.IP6, direction=TrafficDirection.OUTPUT)
        ),
        "flowprobe_interface_add_del",
        {"is_add": True, "which": 1, "direction": 1, "sw_if_index": 1},
    ),
    (
        SetIpfixExporter(exporter=IpfixExporter(collector="192.0.2.9", source="192.0.2.1", table_id=7)),
        "set_ipfix_exporter",
        {"collector_port": 4739, "vrf_id": 7, "path_mtu": 512, "template_interval": 20, "udp_checksum": False},
    ),
    (RemoveAttachment(attachment=ON_PORT), "sw_interface_set_mpls_enable", {"sw_if_index": 1, "enable": False}),
    (RestoreInVpp(attachment=ON_PORT), "sw_interface_set_mpls_enable", {"sw_if_index": 1, "enable": True}),
]
"""What the samples of tests/kinds do not lead to, or a VPP with other indexes shows."""


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
        assert (request.message.name, others) == (message, [])
        assert {path: request.value(path) for path in values} == values, operation


@pytest.mark.parametrize(("is_ipv6", "line"), [(False, "ip table del 100"), (True, "ip6 table del 100")])
def test_what_the_prompt_holds_of_a_table_is_let_go_by_its_command(is_ipv6: bool, line: str) -> None:
    stub = Told()
    perform(stub, ReleaseTypedVrf(table_id=100, is_ipv6=is_ipv6))
    assert [request.text for request in stub.told] == [line]


def test_every_operation_has_its_message() -> None:
    in_a_table = {FreeIndex}  # tests/unit/kinds/test_rate_limit.py sends it to a VPP that has the table
    to_vpp = {kind for kind in every_operation() if kind.needs_vpp} - in_a_table
    assert {type(operation) for operation in (*sampled_operations(), *(row[0] for row in SAID))} >= to_vpp


def test_more_lists_than_vpp_can_count_are_refused_unsent() -> None:
    stub = Told()
    names = [f"list{number}" for number in range(256)]
    stub.answers["acl_dump"] = lambda request: [
        stub.say("acl_details", request, {"acl_index": index, "tag": f"vppcfg {name}"})
        for index, name in enumerate(names)
    ]
    binding = AclBinding(input=tuple(names))
    (refusal,) = perform(stub, BindAcls(interface="port", binding=binding)).refusals
    assert (stub.told, refusal.retval) == ([], 0)
    assert "does not fit VPP's message acl_interface_set_acl_list" in refusal.text


@pytest.mark.parametrize(
    ("operation", "newer", "older"),
    [
        (PAIR, ("lcp_itf_pair_add_del_v3",), "lcp_itf_pair_add_del_v2"),
        (DeleteBridge(bd_id=9), ("bridge_domain_add_del_v2",), "bridge_domain_add_del"),
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
def test_an_older_vpp_is_told_in_its_own_words(operation: Operation, newer: tuple[str, ...], older: str) -> None:
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


def test_a_call_for_people_has_lists_and_access_lists_by_name() -> None:
    binding = AclBinding(input=("web", "ssh"), output=("web",))
    assert api_call(BindAcls(interface="port", binding=binding)) == (
        "acl_interface_set_acl_list",
        {"sw_if_index": "port", "n_input": 2, "acls": ["web", "ssh", "web"]},
    )
    message, arguments = api_call(ReplaceAcl(acl="web", rules=(RULE,), tag="vppcfg web"))
    (rule,) = arguments.pop("r")
    assert (message, arguments) == ("acl_add_replace", {"acl_index": "web", "tag": "vppcfg web"})
    assert (rule["is_permit"], rule["src_prefix.address.un"], rule["src_prefix.len"]) == (1, "192.0.2.0", 24)


def test_every_call_for_people_can_be_written_as_json() -> None:
    for operation in sampled_operations():
        if not operation.needs_vpp:
            continue
        message, arguments = api_call(operation)
        assert json.loads(json.dumps([message, arguments])) == [message, arguments]
