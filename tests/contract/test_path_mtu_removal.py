"""Contract: a path MTU that is removed leaves an entry in the FIB, unless it is lifted or its host anchored before."""

from collections.abc import Iterator, Sequence

import pytest

from tests.contract.subject import Subject
from vppcfg.kinds.path_mtu import KIND
from vppcfg.model.path_mtu import PathMtu
from vppcfg.operations.operation import Operation
from vppcfg.vpp.live import connect

HOST, HOST6 = "203.0.113.7", "2001:db8:7::7"
HOSTS = pytest.mark.parametrize("host", [HOST, HOST6])


def perform(vpp: Subject, operations: Sequence[Operation]) -> None:
    with connect(vpp.client.server_address, json_dir=str(vpp.client.apidir)) as plane:
        assert plane.perform(operations).refusals == ()


def entries(vpp: Subject, host: str, table: int) -> list[str]:
    """Return the entries that path MTUs have in a table, as VPP lists them by their source."""
    (source,) = [each.src.id for each in vpp.api.fib_source_dump() if each.src.name == "path-mtu"]
    rows = vpp.api.ip_route_v2_dump(src=source, table={"table_id": table, "is_ip6": ":" in host})
    return [str(row.route.prefix) for row in rows]


@pytest.fixture
def table(vpp: Subject) -> Iterator[int]:
    """Return a table of both families without any route, which is gone in the end."""
    for is_ip6 in (False, True):
        assert vpp.api.ip_table_add_del(table={"table_id": 77, "is_ip6": is_ip6}, is_add=True).retval == 0
    yield 77
    for is_ip6 in (False, True):
        vpp.api.ip_table_add_del(table={"table_id": 77, "is_ip6": is_ip6}, is_add=False)


def test_nothing_is_left_of_a_path_mtu_where_a_route_leads_to_the_host(vpp: Subject, first: int) -> None:
    assert vpp.add_address(first, "192.0.2.1/24") == 0
    assert vpp.api.sw_interface_set_flags(sw_if_index=first, flags=1).retval == 0
    assert vpp.cli("ip route add 203.0.113.0/24 via 192.0.2.9")[0] == 0
    item = PathMtu(address=HOST, mtu=1400)
    perform(vpp, [KIND.set(item), *KIND.removal(item, with_table=False)])
    assert "pmtu" not in vpp.cli(f"show ip fib {HOST}/32")[1]
    assert entries(vpp, HOST, 0) == []
    assert vpp.cli("ip route del 203.0.113.0/24 via 192.0.2.9")[0] == 0


@HOSTS
def test_an_entry_is_left_where_no_route_leads_and_goes_once_its_host_is_anchored(
    vpp: Subject, table: int, host: str
) -> None:
    item = PathMtu(address=host, mtu=1400, table_id=table)
    perform(vpp, [KIND.set(item), *KIND.removal(item, with_table=False)])
    assert entries(vpp, host, table) == [f"{host}/{128 if ':' in host else 32}"]
    perform(vpp, [KIND.set(item), *KIND.removal(item, with_table=True)])
    assert entries(vpp, host, table) == []


@HOSTS
def test_a_path_mtu_keeps_its_table(vpp: Subject, table: int, host: str) -> None:
    if not vpp.since("26.02"):
        pytest.skip("before 330bcafc56d, VPP ends when a table with a path MTU goes")
    item = PathMtu(address=host, mtu=1400, table_id=table)
    place = {"table_id": table, "is_ip6": ":" in host}
    perform(vpp, [KIND.set(item)])
    assert vpp.api.ip_table_add_del(table=place, is_add=False).retval == 0
    assert (table, place["is_ip6"]) in tables(vpp)
    assert vpp.api.ip_table_add_del(table=place, is_add=True).retval == 0
    perform(vpp, KIND.removal(item, with_table=True))
    assert vpp.api.ip_table_add_del(table=place, is_add=False).retval == 0
    assert (table, place["is_ip6"]) not in tables(vpp)


def tables(vpp: Subject) -> set[tuple[int, bool]]:
    return {(row.table.table_id, bool(row.table.is_ip6)) for row in vpp.api.ip_table_dump()}
