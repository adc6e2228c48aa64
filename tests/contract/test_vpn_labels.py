"""Contract: routes of MPLS labels into FIB tables, by the API and by the prompt."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import Subject
from vppcfg.wire.mpls_label import API, read_label

TABLE, OTHER, MISSING = 77, 78, 79


@pytest.fixture(name="routed")
def vpp_with_tables(vpp: Subject) -> Iterator[Subject]:
    vpp.api.mpls_table_add_del(mt_is_add=True, mt_table={"mt_table_id": 0})
    tables = [
        {"table_id": number, "is_ip6": is_ipv6, "name": f"t{number}"}
        for number in (TABLE, OTHER)
        for is_ipv6 in (False, True)
    ]
    for table in tables:
        vpp.api.ip_table_add_del(is_add=True, table=table)
    yield vpp
    change(vpp, 1000, None, is_add=False)
    for table in tables:
        vpp.api.ip_table_add_del(is_add=False, table=table)


def change(vpp: Subject, label: int, table_id: int | None, *, is_ipv6: bool = False, is_add: bool = True) -> int:
    end = {"sw_if_index": 0xFFFFFFFF, "table_id": table_id, "proto": is_ipv6}
    path: dict[str, Any] = {**end, "weight": 1, "label_stack": [{}] * 16}
    paths = [] if table_id is None else [path]
    head = {"mr_table_id": 0, "mr_label": label, "mr_eos": 1, "mr_eos_proto": is_ipv6}
    body = {**head, "mr_n_paths": len(paths), "mr_paths": paths}
    return int(vpp.api.mpls_route_add_del(mr_is_add=is_add, mr_is_multipath=False, mr_route=body).retval)


def listed(vpp: Subject) -> dict[int, tuple[int, list[tuple[int, int]]]]:
    """Return the family that VPP takes packets for, and family and table of each path, by label."""
    return {
        row.mr_route.mr_label: (
            row.mr_route.mr_eos_proto,
            [(int(path.proto), path.table_id) for path in row.mr_route.mr_paths],
        )
        for row in vpp.rows("mpls_route_dump", table={"mt_table_id": 0})
        if row.mr_route.mr_eos and row.mr_route.mr_label >= 16
    }


def held(vpp: Subject, table_id: int) -> bool:
    return "recursive-resolution" in vpp.cli(f"show ip fib table {table_id} 0.0.0.0/0")[1]


def test_a_label_is_set_replaced_and_removed_again_and_again(routed: Subject) -> None:
    assert change(routed, 1000, MISSING) == -3
    assert [change(routed, 1000, TABLE) for _ in range(2)] == [0, 0]
    assert listed(routed) == {1000: (0, [(0, TABLE)])}
    assert (held(routed, TABLE), held(routed, OTHER)) == (True, False)
    assert change(routed, 1000, OTHER) == 0
    assert listed(routed) == {1000: (0, [(0, OTHER)])}
    assert (held(routed, TABLE), held(routed, OTHER)) == (False, True)
    assert [change(routed, 1000, None, is_add=False) for _ in range(2)] == [0, 0]
    assert listed(routed) == {}
    assert not held(routed, OTHER)


def test_a_route_keeps_the_family_of_its_packets_until_it_is_removed(routed: Subject) -> None:
    assert [change(routed, 1000, TABLE), change(routed, 1000, TABLE, is_ipv6=True)] == [0, 0]
    assert listed(routed) == {1000: (0, [(1, TABLE)])}
    shown = read_label(routed.cli("show mpls fib table 0 1000")[1])
    assert (shown.in_effect, shown.payload, shown.own_table) == (API, "4", None)
    assert [change(routed, 1000, None, is_add=False), change(routed, 1000, TABLE, is_ipv6=True)] == [0, 0]
    shown = read_label(routed.cli("show mpls fib table 0 1000")[1])
    assert shown.payload == "6"
    assert shown.own_table is not None


def test_the_prompt_has_routes_of_its_own_below_those_of_the_api(routed: Subject) -> None:
    line = f"eos 1000 via ip4-lookup-in-table {TABLE}"
    assert routed.cli(f"mpls local-label add {line}") == (0, "")
    assert read_label(routed.cli("show mpls fib table 0 1000")[1]).in_effect == "CLI"
    assert [change(routed, 1000, None, is_add=False), change(routed, 1000, OTHER)] == [0, 0]
    shown = read_label(routed.cli("show mpls fib table 0 1000")[1])
    assert (shown.in_effect, sorted(shown.parts)) == (API, [API, "CLI"])
    assert listed(routed) == {1000: (0, [(0, OTHER)])}
    assert routed.cli(f"mpls local-label del {line}") == (0, "")
    assert sorted(read_label(routed.cli("show mpls fib table 0 1000")[1]).parts) == [API]
