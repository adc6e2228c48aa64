"""VXLAN tunnels, as a VPP tells of them."""

from __future__ import annotations

import pytest

from tests.unit.vpp.stub_vpp import ALL, StubVpp, observed
from vppcfg.model.tunnel import Vxlan
from vppcfg.plan.request import Value

TUNNEL = 5
PLAIN: dict[str, Value] = {
    "sw_if_index": TUNNEL,
    "instance": 3,
    "src_address.un": b"\xc0\0\2\1" + bytes(12),
    "dst_address.un": b"\xc0\0\2\2" + bytes(12),
    "src_port": 4789,
    "dst_port": 4789,
    "mcast_sw_if_index": ALL,
    "decap_next_index": 1,
    "vni": 77,
}


def stub_with(**changes: Value) -> StubVpp:
    """Return a VPP with one tunnel, plain but for `changes`."""
    stub = StubVpp(plugins=("vxlan",))
    stub.add_interface(TUNNEL, "vxlan_tunnel3", interface_dev_type="VXLAN")
    stub.tell("vxlan_tunnel_v2_dump", "vxlan_tunnel_v2_details", PLAIN | changes)
    return stub


def test_a_tunnel_is_read_by_name() -> None:
    expected = Vxlan(local="192.0.2.1", remote="192.0.2.2", vni=77)
    assert observed(stub_with()).virtual == {"vxlan_tunnel3": expected}


def test_ipv6_endpoints_are_canonical() -> None:
    ends: dict[str, Value] = {
        "src_address.af": 1,
        "dst_address.af": 1,
        "src_address.un": b"\x20\x01\x0d\xb8" + bytes(11) + b"\1",
        "dst_address.un": b"\x20\x01\x0d\xb8" + bytes(11) + b"\2",
    }
    (tunnel,) = observed(stub_with(**ends)).virtual_as(Vxlan).values()
    assert tunnel == Vxlan(local="2001:db8::1", remote="2001:db8::2", vni=77)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("mcast_sw_if_index", 1),
        ("decap_next_index", 2),
    ],
)
def test_what_the_language_cannot_say_is_not_plain(field: str, value: int) -> None:
    (tunnel,) = observed(stub_with(**{field: value})).virtual_as(Vxlan).values()
    assert not tunnel.is_plain


def test_the_ports_are_read() -> None:
    expected = Vxlan(local="192.0.2.1", remote="192.0.2.2", vni=77, source_port=4790, destination_port=65535)
    assert observed(stub_with(src_port=4790, dst_port=65535)).virtual == {"vxlan_tunnel3": expected}


def test_the_ends_may_be_in_another_table() -> None:
    (tunnel,) = observed(stub_with(encap_vrf_id=10)).virtual_as(Vxlan).values()
    assert (tunnel.encap_vrf, tunnel.needed_table, tunnel.is_plain) == (10, "ipv4-VRF:10", True)


def test_a_tunnel_for_l3_packets_is_not_plain() -> None:
    stub = stub_with()
    stub.rows[0]["l2_address"] = bytes(6)
    assert not observed(stub).virtual_as(Vxlan)["vxlan_tunnel3"].is_plain


def test_a_vpp_without_the_plugin_has_no_tunnels() -> None:
    stub = stub_with()
    stub.drop("vxlan_tunnel_v2_dump")
    assert observed(stub).virtual == {}
