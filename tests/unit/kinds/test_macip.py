"""MACIP access lists as VPP tells them."""

import pytest

from tests.unit.vpp.stub_vpp import StubVpp, observed
from vppcfg.model.acl import MacipAction
from vppcfg.operations.request import Value

HOST, WHOLE = bytes.fromhex("020000000001"), b"\xff" * 6
ONE: dict[str, Value] = {
    "is_permit": 1,
    "src_mac": HOST,
    "src_mac_mask": WHOLE,
    "src_prefix.address.af": 0,
    "src_prefix.address.un": bytes([192, 0, 2, 1]) + bytes(12),
    "src_prefix.len": 32,
}


def stub_with(tags: dict[int, str], applied: dict[int, list[int]], rules: list[dict[str, Value]]) -> StubVpp:
    stub = StubVpp(plugins=("acl",))
    stub.add_interface(1, "port")
    stub.add_interface(2, "other")
    stub.answers["macip_acl_dump"] = lambda request: [
        stub.say("macip_acl_details", request, {"acl_index": index, "tag": tag}, elements=rules)
        for index, tag in tags.items()
    ]
    stub.answers["macip_acl_interface_list_dump"] = lambda request: [
        stub.say("macip_acl_interface_list_details", request, {"sw_if_index": index}, elements=[{"": n} for n in lists])
        for index, lists in applied.items()
    ]
    return stub


def test_an_interface_that_had_a_list_once_has_none() -> None:
    state = observed(stub_with({4: "vppcfg hosts"}, {1: [0xFFFFFFFF], 2: [9]}, [ONE]))
    assert {name: port.macip for name, port in state.interfaces.items()} == {"port": None, "other": "macip:@9"}


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"is_permit": 0}, {"action": MacipAction.DENY}),
        ({"is_permit": 3}, {"action": MacipAction.PERMIT_AND_EGRESS}),
        ({"is_permit": 2}, {}),
        ({"src_prefix.len": 24}, {"source": "192.0.2.0/24"}),
        ({"src_mac_mask": WHOLE[:3] + bytes(3)}, {"mac": "02:00:00:00:00:00", "mac_mask": "ff:ff:ff:00:00:00"}),
        ({"src_mac_mask": bytes(6)}, {"mac": "00:00:00:00:00:00", "mac_mask": "00:00:00:00:00:00"}),
        ({"src_prefix.address.af": 1, "src_prefix.len": 0}, {"source": "::/0"}),
    ],
)
def test_rules_are_read_as_vpp_means_them(changes: dict[str, Value], rule: dict[str, object]) -> None:
    (macip,) = observed(stub_with({0: "vppcfg hosts"}, {}, [ONE | changes])).macips.values()
    whole = {"action": MacipAction.PERMIT, "source": "192.0.2.1/32", "mac": HOST.hex(":"), "mac_mask": WHOLE.hex(":")}
    (told,) = macip.rules
    assert {key: getattr(told, key) for key in whole} == {**whole, **rule}
