"""Contract: access lists and the interfaces that apply them."""

from typing import Any

import pytest

from tests.contract.subject import ALL, Subject


def rule(source: str = "10.0.0.0/8", destination: str = "0.0.0.0/0", **more: Any) -> dict[str, Any]:
    ports = {"srcport_or_icmptype_last": 65535, "dstport_or_icmpcode_last": 65535}
    return {"is_permit": 1, "src_prefix": source, "dst_prefix": destination, "proto": 6, **ports, **more}


def add(vpp: Subject, *rules: dict[str, Any], index: int = ALL, tag: str = "vppcfg a") -> tuple[int, int]:
    reply = vpp.api.acl_add_replace(acl_index=index, tag=tag, count=len(rules), r=list(rules))
    return reply.retval, reply.acl_index


def bind(vpp: Subject, index: int, inputs: list[int], outputs: list[int]) -> int:
    lists = {"count": len(inputs) + len(outputs), "n_input": len(inputs), "acls": inputs + outputs}
    return int(vpp.api.acl_interface_set_acl_list(sw_if_index=index, **lists).retval)


def bound(vpp: Subject) -> dict[int, tuple[int, list[int]]]:
    rows = vpp.api.acl_interface_list_dump(sw_if_index=ALL)
    return {row.sw_if_index: (row.n_input, list(row.acls)) for row in rows if row.count}


def shown(vpp: Subject) -> dict[int, tuple[str, list[str]]]:
    rows = vpp.api.acl_dump(acl_index=ALL)
    return {row.acl_index: (row.tag, [str(one.src_prefix) for one in row.r]) for row in rows}


def test_lists_are_numbered_replaced_and_deleted(vpp: Subject) -> None:
    first, second = add(vpp, rule())[1], add(vpp, rule("2001:db8::/32", "::/0"), tag="x" * 63)[1]
    assert add(vpp, rule(), rule("192.0.2.0/24"), index=first, tag="vppcfg b") == (0, first)
    assert shown(vpp) == {first: ("vppcfg b", ["10.0.0.0/8", "192.0.2.0/24"]), second: ("x" * 63, ["2001:db8::/32"])}
    assert add(vpp, rule(), index=77) == (-6, 77)
    assert [vpp.api.acl_del(acl_index=index).retval for index in (first, first)] == [0, -6]
    assert add(vpp, rule()) == (0, first)


@pytest.mark.parametrize(
    ("wrong", "retval"),
    [
        (rule("10.0.0.0/8", "::/0"), -57),
        (rule("10.1.2.3/8"), -57),
        (rule("10.0.0.0/8", "10.1.2.3/8"), -58),
        (rule("10.0.0.0/33"), -57),
        (rule(srcport_or_icmptype_first=9, srcport_or_icmptype_last=8), -8),
        (rule(dstport_or_icmpcode_first=9, dstport_or_icmpcode_last=8), -8),
    ],
)
def test_rules_are_checked(vpp: Subject, wrong: dict[str, Any], retval: int) -> None:
    assert add(vpp, rule(), wrong) == (retval, ALL)
    assert shown(vpp) == {}


def test_lists_are_applied_in_order(vpp: Subject, first: int, second: int) -> None:
    one, two = add(vpp, rule())[1], add(vpp, rule())[1]
    assert [bind(vpp, first, [two, one], [one]), bind(vpp, second, [], [two])] == [0, 0]
    assert bound(vpp) == {first: (2, [two, one, one]), second: (0, [two])}
    assert [bind(vpp, first, [99], []), bind(vpp, 4711, [], [])] == [-6, -2]


def test_a_list_named_twice_is_refused_after_the_other_direction_is_set(vpp: Subject, first: int) -> None:
    one = add(vpp, rule())[1]
    assert bind(vpp, first, [one, one], [one]) == 1
    assert bound(vpp) == {first: (0, [one])}
    assert bind(vpp, first, [one], [one, one]) == 1
    assert bound(vpp) == {first: (0, [one])}


def test_a_list_that_is_applied_is_not_deleted(vpp: Subject, first: int) -> None:
    one, two = add(vpp, rule())[1], add(vpp, rule())[1]
    bind(vpp, first, [one], [two])
    assert [vpp.api.acl_del(acl_index=index).retval for index in (one, two)] == [-142, -143]


def test_an_interface_that_goes_applies_nothing(vpp: Subject, first: int) -> None:
    one, sub = add(vpp, rule())[1], vpp.sub(first, 100)
    bind(vpp, sub, [one], [])
    vpp.api.delete_subif(sw_if_index=sub)
    assert (bound(vpp), vpp.api.acl_del(acl_index=one).retval) == ({}, 0)
