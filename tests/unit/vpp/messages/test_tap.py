"""TAPs, as a VPP tells of them."""

from tests.unit.vpp.stub_vpp import StubVpp, observed
from vppcfg.operations.request import Value

ROW: dict[str, Value] = {
    "sw_if_index": 5,
    "id": 3,
    "tx_ring_sz": 1024,
    "rx_ring_sz": 512,
    "host_mtu_size": 1400,
    "host_mac_addr": b"\2\0\0\0\0\3",
    "tap_flags": 64,
    "dev_name": "tap3",
    "host_if_name": "lab",
    "host_namespace": "blue",
    "host_bridge": "br0",
}


def stub_with(*rows: dict[str, Value]) -> StubVpp:
    """Return a VPP whose interfaces 3, 4 and 5 are TAPs or the like, and `rows` about them."""
    stub = StubVpp(plugins=("linux_cp", "tap"))
    stub.add_interface(1, "port")
    stub.add_interface(3, "tap4096", interface_dev_type="tap")
    stub.add_interface(4, "tun4", interface_dev_type="tap", l2_address=bytes(6))
    stub.add_interface(5, "tap3", interface_dev_type="tap")
    stub.tell("sw_interface_tap_v2_dump", "sw_interface_tap_v2_details", *rows)
    return stub


def test_the_vpp_side_of_a_pair_is_no_tap_of_ours() -> None:
    stub = stub_with(ROW, ROW | {"sw_if_index": 3, "host_if_name": "e0"})
    pair: dict[str, Value] = {"phy_sw_if_index": 1, "host_sw_if_index": 3, "host_if_name": "e0"}
    stub.answers["lcp_itf_pair_get"] = lambda request: [
        stub.say("lcp_itf_pair_details", request, pair),
        stub.say("lcp_itf_pair_get_reply", request),
    ]
    state = observed(stub)
    assert (set(state.virtual), set(state.interfaces)) == ({"tap3"}, {"port", "tun4", "tap3"})


def test_a_tun_is_no_tap() -> None:
    assert observed(stub_with(ROW | {"sw_if_index": 4, "tap_flags": 16})).virtual == {}
