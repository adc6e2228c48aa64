"""Contract: proxy ARP: ranges are those of a table, are taken as they come, and who answers outlives its interface."""

from collections.abc import Iterator

import pytest

from tests.contract.subject import PORTS, Subject


def set_range(vpp: Subject, first: str, last: str, table: int = 0, *, is_add: bool = True) -> int:
    proxy = {"table_id": table, "low": first, "hi": last}
    return int(vpp.api.proxy_arp_add_del(is_add=is_add, proxy=proxy).retval)


def ranges(vpp: Subject) -> list[tuple[int, str, str]]:
    return [(row.proxy.table_id, str(row.proxy.low), str(row.proxy.hi)) for row in vpp.api.proxy_arp_dump()]


def answer(vpp: Subject, index: int, *, is_on: bool = True) -> int:
    return int(vpp.api.proxy_arp_intfc_enable_disable(sw_if_index=index, enable=is_on).retval)


def answering(vpp: Subject) -> list[int]:
    return sorted(row.sw_if_index for row in vpp.api.proxy_arp_intfc_dump())


@pytest.fixture
def clean(vpp: Subject) -> Iterator[Subject]:
    """Return the VPP, and take all ranges out in the end."""
    yield vpp
    for table, first, last in ranges(vpp):
        set_range(vpp, first, last, table, is_add=False)
    for index in answering(vpp):
        answer(vpp, index, is_on=False)


def test_ranges_are_had_once_and_taken_out_as_they_were_added(clean: Subject) -> None:
    assert set_range(clean, "192.0.2.10", "192.0.2.20") == set_range(clean, "192.0.2.10", "192.0.2.20") == 0
    assert set_range(clean, "192.0.2.15", "192.0.2.25") == set_range(clean, "192.0.2.9", "192.0.2.1") == 0
    assert ranges(clean) == [
        (0, "192.0.2.10", "192.0.2.20"),
        (0, "192.0.2.15", "192.0.2.25"),
        (0, "192.0.2.9", "192.0.2.1"),
    ]
    assert set_range(clean, "192.0.2.10", "192.0.2.19", is_add=False) == -6
    assert set_range(clean, "192.0.2.10", "192.0.2.20", is_add=False) == 0
    assert set_range(clean, "192.0.2.10", "192.0.2.20", is_add=False) == -6
    assert len(ranges(clean)) == 2


def test_ranges_belong_to_tables_and_outlive_them(clean: Subject) -> None:
    table = {"table_id": 77, "is_ip6": False, "name": "red"}
    assert set_range(clean, "192.0.2.1", "192.0.2.2", 77) == -3
    clean.api.ip_table_add_del(is_add=True, table=table)
    assert set_range(clean, "192.0.2.1", "192.0.2.2", 77) == 0
    told = [(77 if clean.since("25.10") else ranges(clean)[0][0], "192.0.2.1", "192.0.2.2")]
    assert ranges(clean) == told and told[0][0] != 0
    clean.api.ip_table_add_del(is_add=False, table=table)
    assert set_range(clean, "192.0.2.1", "192.0.2.2", 77, is_add=False) == -3
    clean.api.ip_table_add_del(is_add=True, table=table)
    assert ranges(clean) == told
    assert set_range(clean, "192.0.2.1", "192.0.2.2", 77, is_add=False) == 0
    clean.api.ip_table_add_del(is_add=False, table=table)


def test_who_answers_outlives_its_interface(clean: Subject, first: int) -> None:
    sub = clean.sub(first, 100)
    assert answering(clean) == []
    assert (answer(clean, sub), answer(clean, sub), answer(clean, first), answer(clean, 4711)) == (0, 0, 0, -2)
    assert answering(clean) == [first, sub]
    assert clean.api.delete_subif(sw_if_index=sub).retval == 0
    assert answering(clean) == [first, sub]
    assert clean.sub(first, 200) == sub
    assert answer(clean, sub, is_on=False) == answer(clean, sub, is_on=False) == 0
    assert answering(clean) == [first]


def test_it_is_typed(clean: Subject, first: int) -> None:
    assert clean.cli("set arp proxy table-id 0 start 192.0.2.10 end 192.0.2.20") == (0, "")
    assert clean.cli("set arp proxy start 192.0.2.30 end 192.0.2.30") == (0, "")
    assert ranges(clean) == [(0, "192.0.2.10", "192.0.2.20"), (0, "192.0.2.30", "192.0.2.30")]
    assert clean.cli("set arp proxy del table-id 0 start 192.0.2.10 end 192.0.2.20") == (0, "")
    assert clean.cli("set arp proxy del table-id 0 start 192.0.2.10 end 192.0.2.20") == (0, "")
    assert ranges(clean) == [(0, "192.0.2.30", "192.0.2.30")]
    assert clean.cli("set arp proxy table-id 4711 start 192.0.2.10 end 192.0.2.20")[0] != 0
    assert clean.cli(f"set interface proxy-arp {PORTS[0]} enable") == (0, "")
    assert answering(clean) == [first]
    assert clean.cli(f"set interface proxy-arp {PORTS[0]} disable") == (0, "")
    assert answering(clean) == []
    assert clean.cli("set interface proxy-arp nothing enable")[0] != 0
