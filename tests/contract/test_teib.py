"""Contract: multipoint tunnels and what is behind them, as VPP takes and shows it."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import ALL, Subject


@pytest.fixture
def gre(vpp: Subject) -> Iterator[int]:
    """Return a GRE tunnel to many routers, which is gone in the end."""
    index = tunnel(vpp)
    yield index
    for row in vpp.api.teib_dump():
        vpp.api.teib_entry_add_del(is_add=False, entry=row.entry._asdict())
    tunnel(vpp, is_add=False)


def tunnel(vpp: Subject, *, is_add: bool = True) -> int:
    ends = {"src": "172.16.0.1", "dst": "0.0.0.0", "mode": 1, "type": 0, "instance": 7}
    reply = vpp.api.gre_tunnel_add_del(is_add=is_add, tunnel=ends)
    assert reply.retval == 0
    return int(reply.sw_if_index)


def entry(vpp: Subject, index: int, peer: str, nh: str, table: int = 0, *, is_add: bool = True) -> int:
    values = {"sw_if_index": index, "peer": peer, "nh": nh, "nh_table_id": table}
    return int(vpp.api.teib_entry_add_del(is_add=is_add, entry=values).retval)


def entries(vpp: Subject) -> list[tuple[int, str, str, int]]:
    rows = (row.entry for row in vpp.api.teib_dump())
    return sorted((each.sw_if_index, str(each.peer), str(each.nh), each.nh_table_id) for each in rows)


def test_a_multipoint_tunnel_is_shown_without_another_end(vpp: Subject, gre: int) -> None:
    (shown,) = vpp.gre_tunnels(sw_if_index=gre)
    assert (int(shown.tunnel.mode), str(shown.tunnel.src), str(shown.tunnel.dst)) == (1, "172.16.0.1", "0.0.0.0")
    ends: dict[str, Any] = {"src": "172.16.0.1", "dst": "172.16.0.2", "mode": 1, "type": 0, "instance": ALL}
    assert vpp.api.gre_tunnel_add_del(is_add=True, tunnel=ends).retval == -58


def test_peers_of_both_families_are_behind_one_router(vpp: Subject, gre: int) -> None:
    assert (entry(vpp, gre, "10.50.0.2", "172.16.0.9"), entry(vpp, gre, "2001:db8::2", "172.16.0.9")) == (0, 0)
    assert entry(vpp, gre, "10.50.0.2", "172.16.0.8") == -116
    shown = [(gre, "10.50.0.2", "172.16.0.9", 0), (gre, "2001:db8::2", "172.16.0.9", 0)]
    assert entries(vpp) == shown
    assert entry(vpp, gre, "10.50.0.2", "0.0.0.0", is_add=False) == 0
    assert entries(vpp) == shown[1:]


def test_the_router_is_in_a_table_of_its_own(vpp: Subject, gre: int) -> None:
    assert entry(vpp, gre, "10.50.0.3", "172.16.0.9", 88) == -3
    for is_ipv6 in (False, True):
        table = {"table_id": 88, "is_ip6": is_ipv6, "name": "under"}
        assert vpp.api.ip_table_add_del_v2(is_add=True, table=table).retval == 0
    assert (entry(vpp, gre, "10.50.0.3", "172.16.0.9", 88), entry(vpp, gre, "10.50.0.4", "2001:db8::9", 88)) == (0, 0)
    assert entries(vpp) == [(gre, "10.50.0.3", "172.16.0.9", 88), (gre, "10.50.0.4", "2001:db8::9", 88)]
    for row in vpp.api.teib_dump():
        vpp.api.teib_entry_add_del(is_add=False, entry=row.entry._asdict())
    for is_ipv6 in (False, True):
        vpp.api.ip_table_add_del_v2(is_add=False, table={"table_id": 88, "is_ip6": is_ipv6})


def test_the_prompt_adds_and_deletes(vpp: Subject, gre: int) -> None:
    name = "gre7"
    lines = (
        (f"create teib {name} peer 10.50.0.2 nh 172.16.0.9 nh-table-id 0", 0, ""),
        (f"create teib {name} peer 10.50.0.2 nh 172.16.0.9", -1, "create teib: TEIB error"),
        (f"create teib {name} peer 10.50.0.5 nh 172.16.0.9 nh-table-id 4711", -1, "create teib: TEIB error"),
        (f"delete teib {name} peer 10.50.0.2", 0, ""),
        (f"delete teib {name} peer 10.50.0.2", -1, "delete teib: TEIB error"),
    )
    for line, retval, text in lines:
        found = vpp.cli(line)
        assert (found[0], found[1].strip()) == (retval, text), line
    assert entries(vpp) == []


def set_table(vpp: Subject, number: int, *, is_add: bool) -> None:
    vpp.api.ip_table_add_del(is_add=is_add, table={"table_id": number, "is_ip6": False, "name": ""})


def put(vpp: Subject, index: int, number: int) -> int:
    return int(vpp.api.sw_interface_set_table(sw_if_index=index, is_ipv6=False, vrf_id=number).retval)


def has_table(vpp: Subject, number: int) -> bool:
    return number in {row.table.table_id for row in vpp.api.ip_table_dump()}


def test_neighbours_move_with_their_tunnel_and_hold_its_table(vpp: Subject, gre: int) -> None:
    set_table(vpp, 90, is_add=True)
    assert entry(vpp, gre, "10.50.0.2", "172.16.0.9") == put(vpp, gre, 90) == 0
    set_table(vpp, 90, is_add=False)
    assert has_table(vpp, 90)
    assert (put(vpp, gre, 0), has_table(vpp, 90)) == (0, False)


def test_the_table_of_the_first_neighbour_is_held_until_the_last_one_of_any_table_goes(vpp: Subject, gre: int) -> None:
    ends = {"src": "172.16.0.2", "dst": "0.0.0.0", "mode": 1, "type": 0, "instance": 8}
    other = vpp.api.gre_tunnel_add_del(is_add=True, tunnel=ends).sw_if_index
    for number, index in ((89, gre), (91, other)):
        set_table(vpp, number, is_add=True)
        assert put(vpp, index, number) == entry(vpp, index, "10.50.0.2", "172.16.0.9") == 0
    assert entry(vpp, gre, "10.50.0.2", "0.0.0.0", is_add=False) == put(vpp, gre, 0) == 0
    set_table(vpp, 89, is_add=False)
    assert has_table(vpp, 89), "nothing is in it, and nobody else holds it"
    assert entry(vpp, other, "10.50.0.2", "0.0.0.0", is_add=False) == 0
    assert (has_table(vpp, 89), has_table(vpp, 91)) == (True, True)
    assert (put(vpp, other, 0), has_table(vpp, 91)) == (0, False), "one lock less, whoever holds it"
    assert has_table(vpp, 89)
    assert vpp.api.gre_tunnel_add_del(is_add=False, tunnel=ends).retval == 0
