"""Answers that are whole, each by itself, and cannot be of one VPP."""

import pytest

from tests.unit.vpp.stub_vpp import StubVpp, observed
from vppcfg.errors import DataplaneError
from vppcfg.operations.request import Value

Rows = list[tuple[int, str, dict[str, Value]]]


def stub_with(rows: Rows) -> StubVpp:
    stub = StubVpp(plugins=("linux_cp", "gre", "vxlan"))
    for index, name, values in rows:
        stub.add_interface(index, name, **values)
    return stub


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(1, "port1", {}), (2, "port1", {})], "2 interfaces have the name 'port1'"),
        ([(1, "port1", {}), (1, "port2", {})], "2 interfaces have the index 1"),
        ([(1, "", {})], "an interface has no name"),
        (
            [(1, "port1.100", {"type": 1, "sup_sw_if_index": 9, "sub_id": 100})],
            "the sub-interface port1.100 is upon an interface that is not there",
        ),
        ([(1, "BondEthernet0", {"interface_dev_type": "bond"})], "BondEthernet0 is a bond, and not in the list"),
        ([(1, "gre0", {"interface_dev_type": "GRE tunnel device"})], "gre0 is a gre, and not in the list of them"),
        ([(1, "vxlan_tunnel0", {"interface_dev_type": "VXLAN"})], "vxlan_tunnel0 is a vxlan, and not in the list"),
        ([(1, "port1", {"vtr_op": 9})], "port1 has a tag rewrite of an unknown kind"),
    ],
)
def test_a_vpp_that_contradicts_itself_is_an_error(rows: Rows, said: str) -> None:
    with pytest.raises(DataplaneError) as caught:
        observed(stub_with(rows))
    assert said in caught.value.message
    assert "try again" in caught.value.hint


def test_a_pair_on_what_is_no_interface_is_an_error() -> None:
    stub = stub_with(
        [
            (0, "local0", {"interface_dev_type": "local"}),
            (1, "port1", {}),
            (3, "tap3", {"interface_dev_type": "virtio"}),
        ]
    )
    pair: dict[str, Value] = {"phy_sw_if_index": 0, "host_sw_if_index": 3, "host_if_name": "e0"}
    stub.answers["lcp_itf_pair_get"] = lambda request: [
        stub.say("lcp_itf_pair_details", request, pair),
        stub.say("lcp_itf_pair_get_reply", request),
    ]
    with pytest.raises(DataplaneError, match="local0 has an LCP pair, and is not in the list of interfaces"):
        observed(stub)


def test_mpls_without_a_table_is_an_error() -> None:
    stub = stub_with([(1, "port1", {})])
    stub.tell("mpls_interface_dump", "mpls_interface_details", {"sw_if_index": 1})
    with pytest.raises(DataplaneError, match="port1 has MPLS, and there is no MPLS table"):
        observed(stub)
    stub.tell("mpls_table_dump", "mpls_table_details", {"mt_table.mt_table_id": 0})
    assert observed(stub).interfaces["port1"].has_mpls
