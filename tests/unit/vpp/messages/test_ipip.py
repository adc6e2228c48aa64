"""IPIP tunnels, as a VPP tells of them."""

from typing import Any

import pytest

from tests.unit.vpp.stub_vpp import StubVpp, observed
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.tunnel import Ipip
from vppcfg.operations.request import Value

TUNNEL = 5


def stub_with(*, name: str = "ipip3", device_class: str = "IPIP tunnel device", **changes: Any) -> StubVpp:
    stub = StubVpp(plugins=("ipip",))
    stub.add_interface(TUNNEL, name, interface_dev_type=device_class)
    plain: dict[str, Value] = {
        "sw_if_index": TUNNEL,
        "instance": 3,
        "src.un": b"\xc0\0\2\1" + bytes(12),
        "dst.un": b"\xc0\0\2\2" + bytes(12),
    }
    given = {f"tunnel.{key}": value for key, value in (plain | changes).items()}
    stub.tell("ipip_tunnel_dump", "ipip_tunnel_details", given)
    return stub


def test_a_tunnel_to_an_address_has_one_end_whatever_mode_an_old_vpp_has_in_memory() -> None:
    assert observed(stub_with(mode=1)).virtual["ipip3"] == Ipip(local="192.0.2.1", remote="192.0.2.2")


@pytest.mark.parametrize(
    ("name", "device_class"), [("ip6ip-6rd0", "ip6ip-6rd"), ("to-bern", "IPIP tunnel device"), ("ipip3", "dpdk")]
)
def test_6rd_tunnels_and_others_with_the_wrong_name_are_ports(name: str, device_class: str) -> None:
    state = observed(stub_with(name=name, device_class=device_class))
    assert set(state.virtual) == ({name} if name == "to-bern" else set()), "another such tunnel cannot be made"
    assert state.interfaces[name].kind is InterfaceKind.PHYSICAL
