"""Contract: FIB tables, who holds them, what is in them, and what they leave behind."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import Subject

CLI, API = 9, 8


@pytest.fixture(autouse=True)
def no_tables_left(vpp: Subject) -> Iterator[None]:
    yield
    for row in vpp.api.ip_table_dump():
        family, number = ("ip6" if row.table.is_ip6 else "ip"), row.table.table_id
        if number:
            for route in routes(vpp, number, bool(row.table.is_ip6)):
                vpp.cli(f"ip route del {route} table {number}")
            vpp.cli(f"{family} table del {number}")
            add(vpp, number, is_ip6=bool(row.table.is_ip6), is_add=False)


def add(vpp: Subject, number: int, name: str = "", *, is_ip6: bool = False, is_add: bool = True) -> int:
    table = {"table_id": number, "is_ip6": is_ip6, "name": name}
    return int(vpp.api.ip_table_add_del_v2(table=table, create_mfib=True, is_add=is_add).retval)


def tables(vpp: Subject) -> list[tuple[int, bool, str]]:
    return [(row.table.table_id, bool(row.table.is_ip6), row.table.name) for row in vpp.api.ip_table_dump()]


def put(vpp: Subject, index: int, number: int, is_ip6: bool = False) -> int:
    return int(vpp.api.sw_interface_set_table(sw_if_index=index, is_ipv6=is_ip6, vrf_id=number).retval)


def table_of(vpp: Subject, index: int, is_ip6: bool = False) -> int:
    return int(vpp.api.sw_interface_get_table(sw_if_index=index, is_ipv6=is_ip6).vrf_id)


def routes(vpp: Subject, number: int, is_ip6: bool = False, source: int = CLI) -> list[str]:
    rows = vpp.api.ip_route_v2_dump(src=source, table={"table_id": number, "is_ip6": is_ip6})
    assert {row.route.src for row in rows} <= {source}
    return [str(row.route.prefix) for row in rows]


def locks(vpp: Subject, number: int, family: str = "ip") -> str:
    text = vpp.cli(f"show {family} fib summary table {number}")[1]
    return text.partition("locks:[")[2].partition("]")[0]


def test_tables_of_both_families_are_shown_ipv4_first_each_with_its_own_name(vpp: Subject) -> None:
    answers = [add(vpp, 8, "six", is_ip6=True), add(vpp, 7, "red"), add(vpp, 8), add(vpp, 7, "other"), add(vpp, 0, "x")]
    assert answers == [0] * 5
    assert tables(vpp) == [
        (0, False, "ipv4-VRF:0"),
        (7, False, "red"),
        (8, False, "ipv4-VRF:8"),
        (0, True, "ipv6-VRF:0"),
        (8, True, "six"),
    ]
    assert add(vpp, 0, is_add=False) == 0
    assert add(vpp, 4711, is_add=False) == 0
    assert len(tables(vpp)) == 5


def test_what_the_prompt_has_made_the_api_does_not_delete_and_the_reverse(vpp: Subject) -> None:
    assert vpp.cli("ip table add 7 name red") == (0, "")
    assert locks(vpp, 7) == "CLI:1, "
    assert add(vpp, 7, is_add=False) == 0
    assert (7, False, "red") in tables(vpp)
    assert (add(vpp, 7), add(vpp, 7), locks(vpp, 7)) == (0, 0, "API:1, CLI:1, ")
    assert vpp.cli("ip table del 7") == (0, "")
    assert (7, False, "red") in tables(vpp)
    assert add(vpp, 7, is_add=False) == 0
    assert (7, False, "red") not in tables(vpp)
    assert vpp.cli("ip table del 7") == (0, "")
    assert vpp.cli("ip table add 0")[0] != 0


def groups(vpp: Subject, number: int, is_ip6: bool) -> int:
    return len(vpp.api.ip_mroute_dump(table={"table_id": number, "is_ip6": is_ip6}))


@pytest.mark.parametrize("is_ip6", [False, True])
def test_a_table_that_is_let_go_by_who_does_not_hold_it_loses_its_multicast_routes(vpp: Subject, is_ip6: bool) -> None:
    family = "ip6" if is_ip6 else "ip"
    add(vpp, 7, is_ip6=is_ip6)
    own = groups(vpp, 7, is_ip6)
    assert own
    assert vpp.cli(f"{family} table del 7") == (0, "")
    assert ((7, is_ip6), groups(vpp, 7, is_ip6)) == (tables(vpp)[-1 if is_ip6 else 1][:2], 0)
    assert add(vpp, 7, is_ip6=is_ip6) == 0
    assert groups(vpp, 7, is_ip6) == own
    assert vpp.cli(f"{family} table add 7") == (0, "")
    assert vpp.cli(f"{family} table del 7") == (0, "")
    assert groups(vpp, 7, is_ip6) == own
    assert add(vpp, 7, is_ip6=is_ip6, is_add=False) == 0
    assert vpp.cli(f"{family} table add 7") == (0, "")
    assert groups(vpp, 7, is_ip6) == own
    assert add(vpp, 7, is_ip6=is_ip6, is_add=False) == 0
    assert groups(vpp, 7, is_ip6) == 0


def test_interfaces_hold_the_multicast_routes_of_their_table(vpp: Subject, first: int) -> None:
    add(vpp, 7, is_ip6=True)
    assert put(vpp, first, 7, is_ip6=True) == 0
    assert vpp.cli("ip6 table del 7") == (0, "")
    assert groups(vpp, 7, True)
    assert put(vpp, first, 0, is_ip6=True) == 0
    assert ((7, True) in [row[:2] for row in tables(vpp)], groups(vpp, 7, True)) == (True, 0)
    assert put(vpp, first, 7, is_ip6=True) == 0
    assert groups(vpp, 7, True) == 0
    assert put(vpp, first, 0, is_ip6=True) == 0


def test_an_interface_enters_a_table_that_is_there_while_it_has_no_address(vpp: Subject, first: int) -> None:
    add(vpp, 7, "red")
    assert put(vpp, first, 8) == -3
    assert put(vpp, first, 7, is_ip6=True) == -3
    assert vpp.add_address(first, "10.0.0.1/24") == 0
    assert put(vpp, first, 7) == -114
    assert put(vpp, first, 0) == -114
    assert vpp.remove_address(first, "10.0.0.1/24") == 0
    assert vpp.add_address(first, "2001:db8::1/64") == 0
    assert (put(vpp, first, 7), table_of(vpp, first), table_of(vpp, first, True)) == (0, 7, 0)
    assert locks(vpp, 7) == "interface:1, API:1, "
    assert vpp.remove_address(first, "2001:db8::1/64") == 0
    assert put(vpp, first, 0) == 0


def test_the_prompt_shows_a_high_number_of_an_ipv6_table_with_a_sign(vpp: Subject, first: int) -> None:
    for is_ip6, address in ((False, "10.0.0.1/24"), (True, "2001:db8::1/64")):
        add(vpp, 4294967294, is_ip6=is_ip6)
        assert put(vpp, first, 4294967294, is_ip6) == vpp.add_address(first, address) == 0
    lines = vpp.cli("show interface address")[1].splitlines()
    assert [line.partition("table-id ")[2].split()[0] for line in lines if "table-id" in line] == ["4294967294", "-2"]
    for is_ip6, address in ((False, "10.0.0.1/24"), (True, "2001:db8::1/64")):
        assert vpp.remove_address(first, address) == put(vpp, first, 0, is_ip6) == 0


def test_a_table_goes_with_the_last_one_in_it(vpp: Subject, first: int) -> None:
    add(vpp, 7, "red")
    sub = vpp.sub(first, 100)
    assert put(vpp, first, 7) == 0
    assert (table_of(vpp, sub), put(vpp, sub, 7)) == (0, 0)
    assert add(vpp, 7, is_add=False) == 0
    assert (7, False, "red") in tables(vpp)
    vpp.api.delete_subif(sw_if_index=sub)
    assert (7, False, "red") in tables(vpp)
    assert put(vpp, first, 0) == 0
    assert (7, False, "red") not in tables(vpp)


def test_the_last_one_in_a_table_that_enters_it_again_gets_a_new_one(vpp: Subject, first: int) -> None:
    assert add(vpp, 7, "red") == put(vpp, first, 7) == add(vpp, 7, is_add=False) == 0
    assert (7, False, "red") in tables(vpp)
    assert put(vpp, first, 7) == 0
    assert (7, False, "ipv4-VRF:7") in tables(vpp)
    assert (table_of(vpp, first), put(vpp, first, 0)) == (7, 0)
    assert [row for row in tables(vpp) if row[0] == 7] == []


def test_typed_routes_are_told_by_their_source_and_outlive_a_sweep(vpp: Subject, first: int) -> None:
    add(vpp, 7, "red")
    add(vpp, 7, "red", is_ip6=True)
    assert vpp.cli("ip route add 10.9.1.2/16 table 7 via 10.0.0.2") == (0, "")
    assert vpp.cli(f"ip route add 10.8.0.0/16 table 7 via 10.0.0.2 {name_of(vpp, first)}") == (0, "")
    assert vpp.cli("ip route add 2001:db8:9::/48 table 7 via 2001:db8::2") == (0, "")
    for _ in range(2):
        assert sorted(routes(vpp, 7)) == ["10.8.0.0/16", "10.9.0.0/16"]
        assert routes(vpp, 7, is_ip6=True) == ["2001:db8:9::/48"]
        assert routes(vpp, 7, source=API) == routes(vpp, 4711) == []
        table = {"table_id": 7, "is_ip6": False, "name": ""}
        assert vpp.api.ip_table_replace_begin(table=table).retval == 0
        assert vpp.api.ip_table_replace_end(table=table).retval == 0
    assert vpp.cli("ip route add 10.9.0.0/16 table 8 via 10.0.0.2")[0] != 0
    assert vpp.cli("ip route add 10.9.0.0/16 table 7")[0] != 0
    assert vpp.cli("ip route del 10.9.0.0/16 table 7") == (0, "")
    assert routes(vpp, 7) == ["10.8.0.0/16"]


def test_a_table_leaves_its_routes_to_the_next_one(vpp: Subject) -> None:
    add(vpp, 7, "red")
    vpp.cli("ip route add 10.9.0.0/16 table 7 via 10.0.0.2")
    assert add(vpp, 7, is_add=False) == 0
    assert (7, False, "red") not in tables(vpp)
    add(vpp, 8, "blue")
    assert routes(vpp, 8) == ["10.9.0.0/16"]


def test_sources_have_names(vpp: Subject) -> None:
    sources = {row.src.id: (row.src.name, row.src.priority) for row in vpp.api.fib_source_dump()}
    assert (sources[API], sources[CLI], sources[4]) == (("API", 128), ("CLI", 129), ("interface", 3))


NO_INDEX, NORMAL, LOCAL, DROP = 0xFFFFFFFF, 0, 1, 2
NOWHERE = (NO_INDEX, DROP, "")


def entries(vpp: Subject, number: int, *, is_ip6: bool = False) -> dict[str, tuple[str, tuple[int, int, str]]]:
    """Return the source of every route of a table, and where it leads: interface, kind, next hop."""
    names = {row.src.id: row.src.name for row in vpp.api.fib_source_dump()}
    found = {}
    for row in vpp.api.ip_route_v2_dump(src=0, table={"table_id": number, "is_ip6": is_ip6}):
        (path,) = row.route.paths
        hop = str(path.nh.address.ip6 if is_ip6 else path.nh.address.ip4)
        leads = (path.sw_if_index, int(path.type), "" if hop in ("0.0.0.0", "::") else hop)
        found[str(row.route.prefix)] = (names[row.route.src], leads)
    return found


def test_every_route_of_a_table_is_told_with_its_source_whoever_put_it_there(vpp: Subject, first: int) -> None:
    add(vpp, 7, "red")
    add(vpp, 7, "red", is_ip6=True)
    assert [put(vpp, first, 7), put(vpp, first, 7, is_ip6=True)] == [0, 0]
    vpp.up(first)
    assert [vpp.add_address(first, each) for each in ("10.0.0.1/24", "2001:db8::1/64")] == [0, 0]
    name = name_of(vpp, first)
    for host in ("10.0.0.9", "2001:db8::9"):
        assert vpp.cli(f"set ip neighbor {name} {host} 02:00:00:00:00:09 static")[0] == 0
    assert vpp.cli(f"ip route add 10.8.0.0/16 table 7 via 10.0.0.2 {name}") == (0, "")
    assert entries(vpp, 7) == {
        "0.0.0.0/0": ("default-route", NOWHERE),
        "0.0.0.0/32": ("default-route", NOWHERE),
        "224.0.0.0/4": ("special", NOWHERE),
        "240.0.0.0/4": ("special", NOWHERE),
        "255.255.255.255/32": ("default-route", NOWHERE),
        "10.0.0.0/24": ("interface", (first, NORMAL, "")),
        "10.0.0.0/32": ("interface", NOWHERE),
        "10.0.0.255/32": ("interface", NOWHERE),
        "10.0.0.1/32": ("interface", (first, LOCAL, "10.0.0.1")),
        "10.0.0.9/32": ("adjacency", (first, NORMAL, "10.0.0.9")),
        "10.8.0.0/16": ("CLI", (first, NORMAL, "10.0.0.2")),
    }
    assert entries(vpp, 7, is_ip6=True) == {
        "::/0": ("default-route", NOWHERE),
        "fe80::/10": ("special", (NO_INDEX, NORMAL, "")),
        "2001:db8::/64": ("interface", (first, NORMAL, "")),
        "2001:db8::1/128": ("interface", (first, LOCAL, "2001:db8::1")),
        "2001:db8::9/128": ("adjacency", (first, NORMAL, "2001:db8::9")),
    }
    for host in ("10.0.0.9", "2001:db8::9"):
        vpp.cli(f"set ip neighbor del {name} {host} 02:00:00:00:00:09")
    assert [vpp.remove_address(first, each) for each in ("10.0.0.1/24", "2001:db8::1/64")] == [0, 0]
    assert [put(vpp, first, 0), put(vpp, first, 0, is_ip6=True)] == [0, 0]


def name_of(vpp: Subject, index: int) -> Any:
    return next(name for name, row in vpp.interfaces().items() if row.sw_if_index == index)
