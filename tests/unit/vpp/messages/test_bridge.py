"""Bridge domains and their members, as a VPP tells of them."""

from collections.abc import Mapping

from tests.unit.vpp.stub_vpp import ALL, StubVpp, observed
from vppcfg.operations.request import Value

DEFAULTS: dict[str, Value] = {
    "learn": 1,
    "flood": 1,
    "uu_flood": 1,
    "forward": 1,
    "bvi_sw_if_index": ALL,
    "uu_fwd_sw_if_index": ALL,
}


def stub_with(bridge: Mapping[str, Value], members: list[Mapping[str, Value]]) -> StubVpp:
    stub = StubVpp()
    stub.add_interface(1, "port")
    stub.add_interface(2, "loop0", interface_dev_type="Loopback")
    stub.add_interface(3, "other")
    stub.answers["bridge_domain_dump"] = lambda request: [
        stub.say("bridge_domain_details", request, DEFAULTS | dict(bridge), elements=members)
    ]
    return stub


def test_the_port_for_unknown_unicast_is_a_member_too() -> None:
    stub = stub_with({"bd_id": 7, "uu_fwd_sw_if_index": 3}, [{"sw_if_index": 1, "shg": 0}])
    found = observed(stub).interfaces
    assert {name: one.bridge for name, one in found.items()} == {"port": 7, "loop0": None, "other": 7}


def test_a_vpp_without_bridges_has_none() -> None:
    stub = stub_with({"bd_id": 7}, [{"sw_if_index": 1, "shg": 0}])
    stub.drop("bridge_domain_dump")
    state = observed(stub)
    assert (state.bridges, state.interfaces["port"].bridge) == ({}, None)
