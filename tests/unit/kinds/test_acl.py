"""Access lists and who applies them, as a VPP tells of them."""

import pytest

from tests.unit.vpp.stub_vpp import StubVpp, observed
from vppcfg.errors import DataplaneError
from vppcfg.model.acl import AclAction, AclRule
from vppcfg.operations.request import Value

ANY: dict[str, Value] = {
    "is_permit": 1,
    "src_prefix.address.af": 0,
    "src_prefix.address.un": bytes(16),
    "src_prefix.len": 0,
    "dst_prefix.address.af": 0,
    "dst_prefix.address.un": bytes(16),
    "dst_prefix.len": 0,
    "proto": 0,
    "srcport_or_icmptype_first": 0,
    "srcport_or_icmptype_last": 65535,
    "dstport_or_icmpcode_first": 0,
    "dstport_or_icmpcode_last": 65535,
    "tcp_flags_mask": 0,
    "tcp_flags_value": 0,
}


def stub_with(tags: dict[int, str], rules: list[dict[str, Value]] | None = None) -> StubVpp:
    """Return a VPP with a port and access lists by index, all with the same rules."""
    stub = StubVpp(plugins=("acl",))
    stub.add_interface(1, "port")
    stub.add_interface(2, "other")
    stub.answers["acl_dump"] = lambda request: [
        stub.say("acl_details", request, {"acl_index": index, "tag": tag}, elements=rules or [])
        for index, tag in tags.items()
    ]
    return stub


def one_rule(changes: dict[str, Value]) -> AclRule:
    """Return what is read from a rule that differs from permitting everything by `changes`."""
    (acl,) = observed(stub_with({0: "vppcfg web"}, [ANY | changes])).acls.values()
    (rule,) = acl.rules
    return rule


@pytest.mark.parametrize(
    ("tags", "names"),
    [
        ({0: "theirs"}, ["acl:theirs"]),
        ({0: "vppcfg-lab"}, ["acl:vppcfg-lab"]),
        ({0: "vppcfg"}, ["acl:vppcfg"]),
        ({0: "vppcfg web", 3: "web"}, ["web", "acl:web"]),
        ({0: ""}, ["acl:@0"]),
        ({0: "", 3: ""}, ["acl:@0", "acl:@3"]),
        ({0: "x", 3: "x", 5: "y"}, ["acl:x@0", "acl:x@3", "acl:y"]),
        ({0: "vppcfg web", 3: "vppcfg web"}, ["web@0", "web@3"]),
        ({0: "x", 1: "vppcfg acl:x"}, ["acl:x@0", "acl:x@1"]),
    ],
)
def test_names_are_unique_whatever_the_tags(tags: dict[int, str], names: list[str]) -> None:
    assert list(observed(stub_with(tags)).acls) == names


def test_bits_behind_a_prefix_say_nothing() -> None:
    rule = one_rule({"src_prefix.address.un": b"\xc0\0\2\x81" + bytes(12), "src_prefix.len": 25})
    assert rule.source == "192.0.2.128/25"


@pytest.mark.parametrize(("number", "action"), [(0, AclAction.DENY), (1, AclAction.PERMIT), (3, AclAction.DENY)])
def test_what_is_no_permission_denies(number: int, action: AclAction) -> None:
    assert one_rule({"is_permit": number}).action is action


def test_interfaces_are_asked_for_only_when_there_are_lists() -> None:
    stub = stub_with({})
    observed(stub)
    assert ("acl_dump" in stub.asked, "acl_interface_list_dump" in stub.asked) == (True, False)


def test_a_list_shorter_than_its_count_is_an_error() -> None:
    stub = stub_with({})
    stub.answers["acl_dump"] = lambda request: [stub.say("acl_details", request, {"count": 2})]
    with pytest.raises(DataplaneError, match="acl_details"):
        observed(stub)
