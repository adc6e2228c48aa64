"""Contract: reverse path checks are per family and direction, ask a table, and stay behind when an interface goes."""

from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject

OFF, LOOSE, STRICT = 0, 1, 2
NO_TABLE = 0xFFFFFFFF


def check(
    vpp: Subject, index: int, mode: int, *, ipv6: bool = False, output: bool = False, table: int = NO_TABLE
) -> int:
    answer = vpp.api.urpf_update_v2(sw_if_index=index, mode=mode, af=int(ipv6), is_input=not output, table_id=table)
    return int(answer.retval)


def shown(vpp: Subject, index: int = ALL) -> list[tuple[Any, ...]]:
    rows = vpp.api.urpf_interface_dump(sw_if_index=index)
    return [(row.sw_if_index, int(row.af), bool(row.is_input), int(row.mode), row.table_id) for row in rows]


@pytest.fixture
def sub(vpp: Subject, first: int) -> int:
    """Return a sub-interface on which nothing is checked, whatever had its index before."""
    index = vpp.sub(first, 100)
    for ipv6 in (False, True):
        for output in (False, True):
            assert check(vpp, index, OFF, ipv6=ipv6, output=output) == 0
    return index


def test_each_family_and_direction_has_a_check_of_its_own(vpp: Subject, sub: int) -> None:
    assert shown(vpp, sub) == []
    for mode, ipv6, output in ((STRICT, False, False), (LOOSE, True, False), (LOOSE, False, True)):
        assert check(vpp, sub, mode, ipv6=ipv6, output=output) == 0
    assert sorted(shown(vpp, sub)) == [(sub, 0, False, LOOSE, 0), (sub, 0, True, STRICT, 0), (sub, 1, True, LOOSE, 0)]
    assert check(vpp, sub, LOOSE) == check(vpp, sub, OFF, ipv6=True) == 0
    assert sorted(shown(vpp, sub)) == [(sub, 0, False, LOOSE, 0), (sub, 0, True, LOOSE, 0)]
    assert (check(vpp, sub, OFF), check(vpp, sub, OFF), check(vpp, sub, OFF, output=True)) == (0, 0, 0)
    assert shown(vpp, sub) == []
    assert (check(vpp, 4711, STRICT), check(vpp, sub, 3)) == (-2, -7)


def test_it_asks_the_table_of_its_interface_or_one_that_is_named(vpp: Subject, sub: int) -> None:
    vpp.api.ip_table_add_del(is_add=True, table={"table_id": 77, "is_ip6": False, "name": "red"})
    assert check(vpp, sub, STRICT, table=78) == -7
    assert check(vpp, sub, STRICT) == 0
    assert vpp.api.sw_interface_set_table(sw_if_index=sub, is_ipv6=False, vrf_id=77).retval == 0
    assert shown(vpp, sub) == [(sub, 0, True, STRICT, 77)]
    assert check(vpp, sub, STRICT, table=0) == 0
    assert shown(vpp, sub) == [(sub, 0, True, STRICT, 0)]
    assert check(vpp, sub, OFF, table=0) == 0
    assert shown(vpp, sub) == [(sub, 0, True, OFF, 0)]
    assert check(vpp, sub, OFF) == 0
    assert vpp.api.sw_interface_set_table(sw_if_index=sub, is_ipv6=False, vrf_id=0).retval == 0
    vpp.api.ip_table_add_del(is_add=False, table={"table_id": 77, "is_ip6": False, "name": "red"})
    assert shown(vpp, sub) == []


def test_the_first_version_of_the_message_names_table_0(vpp: Subject, sub: int) -> None:
    assert vpp.api.urpf_update(sw_if_index=sub, mode=LOOSE, af=0, is_input=True).retval == 0
    assert vpp.api.urpf_update(sw_if_index=sub, mode=OFF, af=0, is_input=True).retval == 0
    assert shown(vpp, sub) == [(sub, 0, True, OFF, 0)]
    assert check(vpp, sub, OFF) == 0


def test_the_next_interface_with_the_index_is_told_to_have_it(vpp: Subject, first: int, sub: int) -> None:
    assert check(vpp, sub, STRICT) == check(vpp, sub, LOOSE, ipv6=True, output=True) == 0
    vpp.api.delete_subif(sw_if_index=sub)
    assert shown(vpp) == []
    assert vpp.sub(first, 200) == sub
    assert sorted(shown(vpp, sub)) == [(sub, 0, True, STRICT, 0), (sub, 1, False, LOOSE, 0)]
    assert check(vpp, sub, OFF) == check(vpp, sub, OFF, ipv6=True, output=True) == 0
    assert shown(vpp) == []


def test_it_is_typed(vpp: Subject, sub: int) -> None:
    name = f"{PORTS[0]}.100"
    assert vpp.cli(f"set urpf ip4 rx strict {name}") == (0, "")
    assert vpp.cli(f"set urpf ip6 tx loose {name}") == (0, "")
    assert sorted(shown(vpp, sub)) == [(sub, 0, True, STRICT, 0), (sub, 1, False, LOOSE, 0)]
    assert vpp.cli(f"set urpf ip4 rx off {name}") == vpp.cli(f"set urpf ip6 tx off {name}") == (0, "")
    assert shown(vpp, sub) == []
    assert vpp.cli(f"set urpf ip4 rx strict {name} table 78")[0] != 0
