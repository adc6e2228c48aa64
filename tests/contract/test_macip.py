"""Contract: MACIP access lists: one per interface, which goes with the interface, and with the list without a word."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject

HOST = "02:00:00:00:00:01"
ONE, NO_MAC = "ff:ff:ff:ff:ff:ff", "00:00:00:00:00:00"


def rule(source: str = "192.0.2.1/32", mac: str = HOST, mask: str = ONE, is_permit: int = 1) -> dict[str, Any]:
    return {"is_permit": is_permit, "src_mac": mac, "src_mac_mask": mask, "src_prefix": source}


def add(vpp: Subject, *rules: dict[str, Any], index: int = ALL, tag: str = "vppcfg a") -> tuple[int, int]:
    reply = vpp.api.macip_acl_add_replace(acl_index=index, tag=tag, count=len(rules), r=list(rules))
    return reply.retval, reply.acl_index


def bind(vpp: Subject, index: int, acl: int, *, is_add: bool = True) -> int:
    return int(vpp.api.macip_acl_interface_add_del(is_add=is_add, sw_if_index=index, acl_index=acl).retval)


def delete(vpp: Subject, acl: int) -> int:
    return int(vpp.api.macip_acl_del(acl_index=acl).retval)


def bound(vpp: Subject) -> dict[int, list[int]]:
    rows = vpp.api.macip_acl_interface_list_dump(sw_if_index=ALL)
    return {row.sw_if_index: list(row.acls) for row in rows}


def shown(vpp: Subject) -> dict[int, tuple[str, list[tuple[int, str, str, str]]]]:
    return {
        row.acl_index: (
            row.tag,
            [(one.is_permit, str(one.src_prefix), str(one.src_mac), str(one.src_mac_mask)) for one in row.r],
        )
        for row in vpp.api.macip_acl_dump(acl_index=ALL)
    }


@pytest.fixture
def clean(vpp: Subject) -> Iterator[Subject]:
    """Return the VPP, and take the lists out in the end."""
    yield vpp
    for index in shown(vpp):
        delete(vpp, index)


def test_lists_are_numbered_replaced_and_deleted(clean: Subject) -> None:
    first, second = add(clean, rule())[1], add(clean, rule("2001:db8::/32", NO_MAC, NO_MAC, 0), tag="x" * 63)[1]
    assert add(clean, rule(), rule("10.0.0.0/8", is_permit=0), index=first, tag="vppcfg b") == (0, first)
    assert shown(clean) == {
        first: ("vppcfg b", [(1, "192.0.2.1/32", HOST, ONE), (0, "10.0.0.0/8", HOST, ONE)]),
        second: ("x" * 63, [(0, "2001:db8::/32", NO_MAC, NO_MAC)]),
    }
    assert add(clean, rule(), index=77) == (-6, 77)
    assert [delete(clean, index) for index in (first, first)] == [0, -6]
    assert add(clean, rule()) == (0, first)
    assert add(clean, rule(), rule(), tag="twice")[0] == add(clean, tag="empty")[0] == 0


def test_an_interface_has_one_list_and_a_second_takes_its_place(clean: Subject, first: int) -> None:
    one, two, sub = add(clean, rule())[1], add(clean, rule(is_permit=0))[1], clean.sub(first, 100)
    assert [bind(clean, first, one), bind(clean, sub, one), bind(clean, first, two), bind(clean, first, two)] == [0] * 4
    assert bound(clean) == {first: [two], sub: [one]}
    assert (bind(clean, first, 99), bind(clean, 4711, one)) == (-6, -2)
    assert bind(clean, first, 99, is_add=False) == 0
    assert (bind(clean, first, two, is_add=False), bound(clean)) == (-6, {sub: [one]})


def test_deleting_a_list_in_use_unbinds_it_silently(clean: Subject, first: int) -> None:
    one = add(clean, rule())[1]
    assert (bind(clean, first, one), delete(clean, one), bound(clean)) == (0, 0, {})
    assert (add(clean, rule()), bound(clean)) == ((0, one), {})


def test_a_list_in_use_gets_other_rules(clean: Subject, first: int) -> None:
    one = add(clean, rule())[1]
    assert bind(clean, first, one) == 0
    assert (add(clean, rule(is_permit=0), index=one), bound(clean)) == ((0, one), {first: [one]})
    assert (add(clean, index=one), add(clean, rule(), index=one)) == ((0, one), (0, one))
    assert bind(clean, first, one, is_add=False) == 0


def test_an_interface_that_goes_applies_nothing(clean: Subject, first: int) -> None:
    one, sub = add(clean, rule())[1], clean.sub(first, 100)
    assert bind(clean, sub, one) == clean.api.delete_subif(sw_if_index=sub).retval == 0
    assert (clean.sub(first, 200), bound(clean)) == (sub, {})
    assert bind(clean, sub, one) == 0


def test_it_stays_when_the_interface_switches_and_routes_again(clean: Subject, first: int, second: int) -> None:
    one = add(clean, rule())[1]
    assert (bind(clean, first, one), clean.xconnect(first, second), bound(clean)) == (0, 0, {first: [one]})
    assert (clean.leave_l2(first), bound(clean), bind(clean, first, one, is_add=False)) == (0, {first: [one]}, 0)


def test_a_rule_may_let_out_as_well(clean: Subject, first: int) -> None:
    both = add(clean, rule(is_permit=3), rule(is_permit=0))[1]
    assert [row[0] for row in shown(clean)[both][1]] == [3, 0]
    assert (bind(clean, first, both), bind(clean, first, both, is_add=False)) == (0, 0)


def typed(vpp: Subject, rules: str) -> int:
    retval, text = vpp.cli(f"set acl-plugin macip acl {rules}")
    assert (retval, text[:10]) == (0, "ACL index:")
    return int(text[10:])


def test_lists_are_typed(clean: Subject) -> None:
    if not clean.since("24.10"):
        assert clean.cli("set acl-plugin macip acl deny")[0] != 0
        return
    rules = f"permit ip 192.0.2.1/32 mac {HOST} , deny ip 2001:db8::/32 mac {HOST} mask ff:ff:00:00:00:00, deny"
    one, two = typed(clean, f"{rules} tag {{vppcfg a}}"), typed(clean, "deny ip ::/0")
    assert shown(clean) == {
        one: (
            "vppcfg a",
            [
                (1, "192.0.2.1/32", HOST, ONE),
                (0, "2001:db8::/32", HOST, "ff:ff:00:00:00:00"),
                (0, "0.0.0.0/0", NO_MAC, NO_MAC),
            ],
        ),
        two: ("cli", [(0, "::/0", NO_MAC, NO_MAC)]),
    }
    assert clean.cli(f"delete acl-plugin macip acl index {two}") == (0, f"Deleted ACL index:{two}\n")
    assert clean.cli(f"delete acl-plugin macip acl index {two}")[0] != 0
    assert clean.cli("delete acl-plugin macip acl") == (0, "")


def test_what_an_interface_applies_is_typed_and_no_refusal_is_told(clean: Subject, first: int) -> None:
    if not clean.since("24.10"):
        assert clean.cli(f"set acl-plugin macip interface {PORTS[0]} acl 0")[0] != 0
        return
    one = add(clean, rule())[1]
    assert clean.cli(f"set acl-plugin macip interface {PORTS[0]} acl {one}") == (0, "")
    assert clean.cli(f"set acl-plugin macip interface {PORTS[0]} acl 99") == (0, "")
    assert clean.cli(f"set acl-plugin macip interface {PORTS[0]}") == (0, "")
    assert clean.cli(f"set acl-plugin macip interface nothing acl {one}") == (0, "")
    assert bound(clean) == {first: [one]}
    assert clean.cli(f"set acl-plugin macip interface {PORTS[0]} del acl 99") == (0, "")
    assert clean.cli(f"set acl-plugin macip interface {PORTS[0]} del acl {one}") == (0, "")
    assert bound(clean) == {}
