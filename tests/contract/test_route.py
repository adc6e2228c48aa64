"""Contract: routes of the API and of the prompt: paths, sources, and what is left when their interface goes."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject

NORMAL, LOCAL, DROP, UNREACHABLE, PROHIBIT = 0, 1, 2, 5, 6
API, CLI = 8, 9
NO_INTERFACE = 4711
Row = tuple[Any, ...]


def path(hop: str = "", index: int = ALL, **values: Any) -> dict[str, Any]:
    """Return a path; `proto`, `type`, `weight`, `preference` and `table_id` may be named."""
    is_ipv6 = ":" in hop
    nh = {"address": {"ip6" if is_ipv6 else "ip4": hop or "0.0.0.0"}}
    fields = {"table_id": 0, "weight": 1, "proto": int(is_ipv6), "type": NORMAL, **values}
    return {"sw_if_index": index, "nh": nh, "n_labels": 0, "label_stack": [{}] * 16, **fields}


def change(
    vpp: Subject,
    prefix: str,
    *paths: dict[str, Any],
    add: bool = True,
    more: bool = False,
    src: int = 0,
    table: int = 0,
) -> int:
    route = {"table_id": table, "prefix": prefix, "n_paths": len(paths), "src": src, "paths": list(paths)}
    return int(vpp.api.ip_route_add_del_v2(is_add=add, is_multipath=more, route=route).retval)


def shown(vpp: Subject, prefix: str, src: int = 0, table: int = 0) -> list[Row]:
    """Return the paths of a route: next hop, interface, table, kind, weight, preference."""
    is_ipv6 = ":" in prefix
    for row in vpp.api.ip_route_v2_dump(src=src, table={"table_id": table, "is_ip6": is_ipv6}):
        if str(row.route.prefix) == prefix:
            return [_row(each) for each in row.route.paths]
    return []


def _row(each: Any) -> Row:
    is_ipv6 = int(each.proto) == 1
    hop = str(each.nh.address.ip6 if is_ipv6 else each.nh.address.ip4)
    hop = "" if hop in ("0.0.0.0", "::") else hop
    return hop, each.sw_if_index, each.table_id, int(each.type), each.weight, each.preference


def source_of(vpp: Subject, prefix: str) -> int:
    rows = vpp.api.ip_route_v2_dump(src=0, table={"table_id": 0, "is_ip6": ":" in prefix})
    return next((int(row.route.src) for row in rows if str(row.route.prefix) == prefix), 0)


@pytest.fixture(autouse=True)
def no_routes_left(vpp: Subject) -> Iterator[None]:
    yield
    for table, is_ipv6 in ((0, False), (0, True), (77, False), (77, True)):
        for row in list(vpp.api.ip_route_v2_dump(src=0, table={"table_id": table, "is_ip6": is_ipv6})):
            if row.route.src == CLI or row.route.src == API or row.route.src > 24:
                change(vpp, str(row.route.prefix), add=False, src=row.route.src, table=table)
                vpp.cli(f"ip route del {row.route.prefix} table {table}")
    for is_ipv6 in (False, True):
        vpp.api.ip_table_add_del(is_add=False, table={"table_id": 77, "is_ip6": is_ipv6, "name": "red"})


@pytest.fixture
def red(vpp: Subject) -> int:
    """Return the id of a table of both families."""
    for is_ipv6 in (False, True):
        vpp.api.ip_table_add_del(is_add=True, table={"table_id": 77, "is_ip6": is_ipv6, "name": "red"})
    return 77


def test_every_kind_of_path_is_read_back(vpp: Subject, first: int, red: int) -> None:
    cases: list[tuple[str, dict[str, Any], Row]] = [
        ("10.1.0.0/16", path("192.0.2.1", first), ("192.0.2.1", first, 0, NORMAL, 1, 0)),
        ("10.2.0.0/16", path("192.0.2.1"), ("192.0.2.1", ALL, 0, NORMAL, 1, 0)),
        ("10.3.0.0/16", path("", first), ("", first, 0, NORMAL, 1, 0)),
        ("10.4.0.0/16", path(table_id=red), ("", ALL, red, NORMAL, 1, 0)),
        ("10.5.0.0/16", path("192.0.2.1", table_id=red), ("192.0.2.1", ALL, red, NORMAL, 1, 0)),
        ("10.6.0.0/16", path(type=DROP), ("", ALL if vpp.since("24.10") else 0, 0, DROP, 1, 0)),
        ("10.7.0.0/16", path(type=UNREACHABLE), ("", ALL, 0, UNREACHABLE, 1, 0)),
        ("10.8.0.0/16", path(type=PROHIBIT), ("", ALL, 0, PROHIBIT, 1, 0)),
        ("10.9.0.0/16", path("2001:db8::1", first), ("2001:db8::1", first, 0, NORMAL, 1, 0)),
        ("10.10.0.0/16", path(type=LOCAL), ("", ALL, 0, LOCAL, 1, 0)),
        ("10.11.0.1/32", path("", first), ("10.11.0.1", first, 0, NORMAL, 1, 0)),
        ("2001:db8:1::/48", path("2001:db8::1", first), ("2001:db8::1", first, 0, NORMAL, 1, 0)),
        ("2001:db8:2::/48", path(proto=1, type=DROP), ("", ALL if vpp.since("24.10") else 0, 0, DROP, 1, 0)),
    ]
    for prefix, given, expected in cases:
        assert change(vpp, prefix, given) == change(vpp, prefix, given) == 0, prefix
        assert shown(vpp, prefix, API) == [expected], prefix
        assert change(vpp, prefix, add=False) == change(vpp, prefix, add=False) == 0, prefix
        assert shown(vpp, prefix) == [], prefix


def test_what_is_not_there_is_refused(vpp: Subject, first: int) -> None:
    assert change(vpp, "10.1.0.0/16", path("192.0.2.1", first), table=78) == -3
    assert change(vpp, "10.1.0.0/16", path("192.0.2.1", table_id=78)) == -3
    assert change(vpp, "10.1.0.0/16", path("192.0.2.1", NO_INTERFACE)) == -54
    assert change(vpp, "10.1.0.0/16") == change(vpp, "10.1.0.0/16", more=True) == -52
    assert change(vpp, "10.1.0.0/16", add=False) == 0


def test_paths_are_added_one_by_one_and_sorted(vpp: Subject, first: int, second: int) -> None:
    assert change(vpp, "10.1.0.0/16", path("192.0.2.2", first, weight=3), more=True) == 0
    assert change(vpp, "10.1.0.0/16", path("192.0.2.1", second), more=True) == 0
    assert change(vpp, "10.1.0.0/16", path("192.0.2.1", first, preference=1), more=True) == 0
    assert shown(vpp, "10.1.0.0/16") == [
        ("192.0.2.1", second, 0, NORMAL, 1, 0),
        ("192.0.2.2", first, 0, NORMAL, 3, 0),
        ("192.0.2.1", first, 0, NORMAL, 1, 1),
    ]
    assert change(vpp, "10.1.0.0/16", path("192.0.2.1", second, weight=9), more=True) == 0
    assert ("192.0.2.1", second, 0, NORMAL, 1, 0) in shown(vpp, "10.1.0.0/16")
    assert change(vpp, "10.1.0.0/16", path("192.0.2.2", first), add=False, more=True) == 0
    assert change(vpp, "10.1.0.0/16", path("192.0.2.9", first), add=False, more=True) == 0
    assert len(shown(vpp, "10.1.0.0/16")) == 2
    assert change(vpp, "10.1.0.0/16", path("192.0.2.7", first)) == 0
    assert shown(vpp, "10.1.0.0/16") == [("192.0.2.7", first, 0, NORMAL, 1, 0)]
    assert change(vpp, "10.1.0.0/16", path("192.0.2.7", first), add=False, more=True) == 0
    assert shown(vpp, "10.1.0.0/16") == []


def test_the_best_source_is_the_one_that_is_shown(vpp: Subject, first: int) -> None:
    ids = [int(vpp.api.fib_source_add(src={"name": "ours", "priority": 0x90}).id) for _ in range(2)]
    assert ids[1] == ids[0] + 1
    named = {row.src.id: (row.src.name, row.src.priority) for row in vpp.api.fib_source_dump()}
    assert named[ids[0]] == named[ids[1]] == ("ours", 0x90)
    for number, src in enumerate((ids[1], ids[0], CLI, API)):
        assert change(vpp, "10.1.0.0/16", path(f"192.0.2.{number + 1}", first), src=src) == 0
        assert source_of(vpp, "10.1.0.0/16") == src
        assert shown(vpp, "10.1.0.0/16", src)[0][0] == f"192.0.2.{number + 1}"
    assert shown(vpp, "10.1.0.0/16", CLI) == []
    for src, left in ((API, CLI), (CLI, ids[0]), (ids[0], ids[1]), (ids[1], 0)):
        assert change(vpp, "10.1.0.0/16", add=False, src=src) == 0
        assert source_of(vpp, "10.1.0.0/16") == left


def test_routes_are_typed(vpp: Subject, first: int, second: int, red: int) -> None:
    one, two = PORTS[0], PORTS[1]
    cases: list[tuple[str, str, list[Row]]] = [
        ("10.1.0.0/16", f"via 192.0.2.1 {one}", [("192.0.2.1", first, 0, NORMAL, 1, 0)]),
        ("10.2.0.0/16", "via 192.0.2.1", [("192.0.2.1", ALL, 0, NORMAL, 1, 0)]),
        ("10.3.0.0/16", f"via {one}", [("", first, 0, NORMAL, 1, 0)]),
        ("10.4.0.0/16", f"via ip4-lookup-in-table {red}", [("", ALL, red, NORMAL, 1, 0)]),
        ("10.4.1.0/24", "via lookup in table 0", [("", ALL, 0, NORMAL, 1, 0)]),  # VPP takes it for an index
        ("10.4.2.0/24", "via lookup in table 1", [("", ALL, red, NORMAL, 1, 0)]),
        ("10.4.3.0/24", f"via ip4 {one}", [("", first, 0, NORMAL, 1, 0)]),
        ("10.5.0.0/16", f"via 192.0.2.1 next-hop-table {red}", [("192.0.2.1", ALL, red, NORMAL, 1, 0)]),
        ("10.6.0.0/16", "via drop", [("", ALL, 0, DROP if vpp.since("24.10") else NORMAL, 1, 0)]),
        ("10.7.0.0/16", "via local", [("", ALL, 0, LOCAL, 1, 0)]),
        ("10.8.0.0/16", f"via 192.0.2.1 {one} weight 3 preference 2", [("192.0.2.1", first, 0, NORMAL, 3, 2)]),
        (
            "10.9.0.0/16",
            f"via 192.0.2.1 {two} via 192.0.2.1 {one} weight 2",
            [("192.0.2.1", first, 0, NORMAL, 2, 0), ("192.0.2.1", second, 0, NORMAL, 1, 0)],
        ),
        ("2001:db8:1::/48", f"via 2001:db8::1 {one}", [("2001:db8::1", first, 0, NORMAL, 1, 0)]),
        ("2001:db8:2::/48", f"via ip6-lookup-in-table {red}", [("", ALL, red, NORMAL, 1, 0)]),
        ("2001:db8:3::/48", f"via {one}", [("", first, 0, NORMAL, 1, 0)]),
    ]
    for prefix, words, expected in cases:
        assert vpp.cli(f"ip route add {prefix} {words}") == (0, ""), words
        assert shown(vpp, prefix, CLI) == expected, words
        assert vpp.cli(f"ip route del {prefix} {words}") == (0, ""), words
        assert shown(vpp, prefix) == [], words
    for words in (f"10.1.0.0/16 via 192.0.2.1 {one} nonsense", "10.1.0.0/16 via ip4-lookup-in-table 78", "via drop"):
        assert vpp.cli(f"ip route add {words}")[0] != 0, words
    assert vpp.cli(f"ip route add 10.1.0.0/16 via 192.0.2.1 {one}") == (0, "")
    assert vpp.cli(f"ip route add 10.1.0.0/16 via 192.0.2.2 {one}") == (0, "")
    assert len(shown(vpp, "10.1.0.0/16")) == 2
    assert vpp.cli(f"ip route add 10.1.0.0/16 table {red} via 192.0.2.1 {one}") == (0, "")
    assert shown(vpp, "10.1.0.0/16", table=red) == [("192.0.2.1", first, 0, NORMAL, 1, 0)]


def test_a_route_keeps_the_index_of_an_interface_that_is_gone(vpp: Subject, first: int) -> None:
    index = vpp.sub(first, 100)
    assert change(vpp, "10.1.0.0/16", path("192.0.2.1", index)) == 0
    assert vpp.cli(f"ip route add 10.2.0.0/16 via {PORTS[0]}.100") == (0, "")
    before = shown(vpp, "10.1.0.0/16"), shown(vpp, "10.2.0.0/16")
    vpp.api.delete_subif(sw_if_index=index)
    assert (shown(vpp, "10.1.0.0/16"), shown(vpp, "10.2.0.0/16")) == before
    assert vpp.sub(first, 200) == index
    assert (shown(vpp, "10.1.0.0/16"), shown(vpp, "10.2.0.0/16")) == before


def test_a_replacement_takes_away_what_the_api_does_not_add_again(vpp: Subject, first: int, red: int) -> None:
    for number in (1, 2):
        assert change(vpp, f"10.{number}.0.0/16", path("192.0.2.1", first), table=red) == 0
    assert vpp.cli(f"ip route add 10.3.0.0/16 table {red} via 192.0.2.1 {PORTS[0]}") == (0, "")
    table = {"table_id": red, "is_ip6": False, "name": "red"}
    assert vpp.api.ip_table_replace_begin(table=table).retval == 0
    assert change(vpp, "10.2.0.0/16", path("192.0.2.1", first), table=red) == 0
    assert vpp.api.ip_table_replace_end(table=table).retval == 0
    assert [bool(shown(vpp, f"10.{number}.0.0/16", table=red)) for number in (1, 2, 3)] == [False, True, True]


def test_a_gateway_with_the_address_of_the_prefix_drops(vpp: Subject, first: int, red: int) -> None:
    """In whatever table, and host bits count (fib_table_route_path_fixup); before 24.10 the gateway is shown."""

    def drop(hop: str, weight: int = 1) -> list[Row]:
        return [("" if vpp.since("24.10") else hop, ALL, 0, DROP, weight, 0)]

    prefixes = ("10.1.0.7/24", "10.1.0.0/24", "10.1.0.7"), ("10.2.0.1/32", "10.2.0.1/32", "10.2.0.1")
    for prefix, shown_as, hop in prefixes:
        for is_typed in (False, True):
            if is_typed:
                assert vpp.cli(f"ip route add {prefix} table {red} via {hop} next-hop-table 0 weight 3") == (0, "")
            else:
                assert change(vpp, prefix, path(hop, weight=3), table=red) == 0
            assert shown(vpp, shown_as, CLI if is_typed else API, table=red) == drop(hop, 3)
            assert vpp.cli(f"ip route del {prefix} table {red}")[0] == 0
            assert change(vpp, prefix, table=red, add=False) == 0
    assert change(vpp, "10.3.0.0/16", path("10.3.0.0"), path("192.0.2.1", first)) == 0
    assert shown(vpp, "10.3.0.0/16") == [("192.0.2.1", first, 0, NORMAL, 1, 0), *drop("10.3.0.0")]
    assert change(vpp, "10.4.0.1/32", path("10.4.0.1", first)) == change(vpp, "0.0.0.0/0", path("10.0.0.9")) == 0
    assert shown(vpp, "10.4.0.1/32") == [("10.4.0.1", first, 0, NORMAL, 1, 0)]
    assert change(vpp, "2001:db8::1/64", path("2001:db8::1")) == 0
    assert shown(vpp, "2001:db8::/64") == drop("2001:db8::1")
    assert vpp.cli("ip route add 10.5.0.9/24 count 2 via 10.5.0.9")[0] == 0
    assert shown(vpp, "10.5.0.0/24", CLI) == drop("10.5.0.9")
    assert shown(vpp, "10.5.1.0/24", CLI) == drop("10.5.0.9")
    assert vpp.cli(f"ip route add 10.6.0.1/32 count 2 via {PORTS[0]}")[0] == 0
    assert shown(vpp, "10.6.0.2/32", CLI) == [("", first, 0, NORMAL, 1, 0)]


def test_the_prompt_leaves_out_a_prefix_that_is_longer_than_an_address(vpp: Subject) -> None:
    if vpp.api.show_version().version >= "24":  # before, VPP reads beyond its masks
        assert vpp.cli("ip route add 10.0.0.0/40 via 192.0.2.2") == (0, "Invalid prefix len: 40\n")
