"""VXLAN tunnels, as a VPP tells of them."""

import pytest

from tests.unit.vpp.stub_vpp import ALL, StubVpp, observed
from vppcfg.model.tunnel import Vxlan
from vppcfg.operations.request import Value

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
    stub = StubVpp(plugins=("vxlan",))
    stub.add_interface(TUNNEL, "vxlan_tunnel3", interface_dev_type="VXLAN")
    stub.tell("vxlan_tunnel_v2_dump", "vxlan_tunnel_v2_details", PLAIN | changes)
    return stub


@pytest.mark.parametrize(("field", "value"), [("mcast_sw_if_index", 1), ("decap_next_index", 2)])
def test_what_the_language_cannot_say_is_not_plain(field: str, value: int) -> None:
    (tunnel,) = observed(stub_with(**{field: value})).virtual_as(Vxlan).values()
    assert not tunnel.is_plain


def test_a_tunnel_for_l3_packets_is_not_plain() -> None:
    stub = stub_with()
    stub.rows[0]["l2_address"] = bytes(6)
    assert not observed(stub).virtual_as(Vxlan)["vxlan_tunnel3"].is_plain
