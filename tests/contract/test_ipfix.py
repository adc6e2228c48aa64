"""Contract: IPFIX: where flow records go, what is in them, and the interfaces that they are made of."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject

IP4, IP6, L2 = 0, 1, 2
RX, TX, BOTH = 0, 1, 2
NONE = "0.0.0.0"


def exporter(vpp: Subject, collector: str = "192.0.2.9", source: str = "192.0.2.1", **others: Any) -> int:
    given = {
        "collector_address": collector,
        "src_address": source,
        "collector_port": 4739,
        "vrf_id": ALL,
        "path_mtu": 512,
        "template_interval": 20,
        **others,
    }
    return int(vpp.api.set_ipfix_exporter(**given).retval)


def row_of(row: Any) -> tuple[Any, ...]:
    ends = (str(row.collector_address), row.collector_port, str(row.src_address))
    return (*ends, row.vrf_id, row.path_mtu, row.template_interval, row.udp_checksum)


def first_exporter(vpp: Subject) -> tuple[Any, ...]:
    (row,) = vpp.api.ipfix_exporter_dump()
    return row_of(row)


def params(vpp: Subject, flags: int, active: int = ALL, passive: int = ALL) -> int:
    return int(vpp.api.flowprobe_set_params(record_flags=flags, active_timer=active, passive_timer=passive).retval)


def told(vpp: Subject) -> tuple[int, int, int]:
    reply = vpp.api.flowprobe_get_params()
    return int(reply.record_flags), reply.active_timer, reply.passive_timer


def probe(vpp: Subject, index: int, which: int = IP4, direction: int = BOTH, *, is_add: bool = True) -> int:
    given = {"which": which, "direction": direction, "sw_if_index": index}
    return int(vpp.api.flowprobe_interface_add_del(is_add=is_add, **given).retval)


def probed(vpp: Subject) -> dict[int, tuple[int, int]]:
    rows = vpp.api.flowprobe_interface_dump(sw_if_index=ALL)
    return {row.sw_if_index: (int(row.which), int(row.direction)) for row in rows}


@pytest.fixture
def clean(vpp: Subject) -> Iterator[Subject]:
    """Return the VPP without records, and take out in the end what was set."""
    _clean(vpp)
    yield vpp
    _clean(vpp)


def _clean(vpp: Subject) -> None:
    for index, (which, direction) in probed(vpp).items():
        probe(vpp, index, which, direction, is_add=False)
    params(vpp, 0)
    exporter(vpp, NONE, NONE)


def test_the_exporter_is_always_there_and_is_set_as_a_whole(clean: Subject) -> None:
    assert exporter(clean, udp_checksum=True, path_mtu=1450, template_interval=3, collector_port=9) == 0
    assert first_exporter(clean) == ("192.0.2.9", 9, "192.0.2.1", ALL, 1450, 3, True)
    assert (exporter(clean, path_mtu=ALL, template_interval=ALL, collector_port=65535), exporter(clean, vrf_id=0)) == (
        0,
        0,
    )
    assert first_exporter(clean) == ("192.0.2.9", 4739, "192.0.2.1", 0, 512, 20, False)
    assert [exporter(clean, path_mtu=mtu) for mtu in (1451, 67)] == [-7, -7]
    assert exporter(clean, source=NONE) == exporter(clean, "2001:db8::9", "2001:db8::1") == -7
    assert exporter(clean, vrf_id=77) == -3
    assert first_exporter(clean) == ("192.0.2.9", 4739, "192.0.2.1", 0, 512, 20, False)
    assert (exporter(clean, NONE, NONE), first_exporter(clean)[0]) == (0, NONE)


def test_the_exporter_does_not_hold_its_table_and_gets_the_next_one(clean: Subject) -> None:
    for table_id, is_add in ((10, True), (10, False)):
        assert clean.api.ip_table_add_del(is_add=is_add, table={"table_id": table_id}).retval == 0
        assert not is_add or exporter(clean, vrf_id=10) == 0
        assert first_exporter(clean)[3] == 10
    assert clean.api.ip_table_add_del(is_add=True, table={"table_id": 11}).retval == 0
    assert first_exporter(clean)[3] == 11
    assert exporter(clean) == clean.api.ip_table_add_del(is_add=False, table={"table_id": 11}).retval == 0


def test_what_is_recorded_is_set_while_nothing_is(clean: Subject, first: int) -> None:
    assert (probe(clean, first), params(clean, 7), told(clean)) == (-100, 0, (7, 15, 120))
    assert [params(clean, *wrong) for wrong in ((1, 30, 20), (1, ALL, 30))] == [-7, -7]
    assert (params(clean, 8, 30, 0), told(clean)) == (0, (0, 30, 0))
    assert (params(clean, 6, 10, ALL), told(clean)) == (0, (6, 10, 120))
    assert (probe(clean, first), params(clean, 6, 10, 120)) == (0, -126)
    assert (probe(clean, first, is_add=False), params(clean, 2, 10, 120), told(clean)) == (0, 0, (2, 10, 120))


def test_an_interface_has_one_variant_and_one_direction(clean: Subject, first: int) -> None:
    assert params(clean, 2) == probe(clean, first, IP6, RX) == 0
    assert (probe(clean, first, IP6, RX), probe(clean, first, IP4, RX), probe(clean, first, IP6, TX)) == (-116,) * 3
    assert (probe(clean, first, IP4, RX, is_add=False), probed(clean)) == (-116, {first: (IP6, RX)})
    assert (probe(clean, first, IP6, TX, is_add=False), probed(clean)) == (0, {})
    assert (probe(clean, first, IP6, is_add=False), probe(clean, 4711), probe(clean, first, 3)) == (-6, -2, -7)


def test_records_outlive_their_interface(clean: Subject, first: int) -> None:
    sub = clean.sub(first, 100)
    assert params(clean, 2) == probe(clean, sub, L2, RX) == clean.api.delete_subif(sw_if_index=sub).retval == 0
    assert (probed(clean), probe(clean, sub, L2, RX, is_add=False)) == ({sub: (L2, RX)}, -2)
    assert (clean.sub(first, 200), probe(clean, sub, L2, RX)) == (sub, -116)
    assert (probe(clean, sub, L2, RX, is_add=False), probed(clean)) == (0, {})


def test_it_is_typed(clean: Subject, first: int) -> None:
    line = "set ipfix exporter collector 192.0.2.9 port 4740 src 192.0.2.1"
    told_back = "Collector 192.0.2.9, src address 192.0.2.1, fib index 0, path MTU 1000, template resend interval 30s"
    more = "fib-id 0 path-mtu 1000 template-interval 30 udp-checksum"
    assert clean.cli(f"{line} {more}") == (0, f"{told_back}, udp checksum enabled\n")
    assert first_exporter(clean) == ("192.0.2.9", 4740, "192.0.2.1", 0, 1000, 30, True)
    for wrong in ("fib-id 99", "path-mtu 2000"):
        assert clean.cli(f"{line} {wrong}")[0] != 0
    assert clean.cli("set ipfix exporter collector 192.0.2.9")[0] != 0
    assert clean.cli("set ipfix exporter") == (0, "IPFIX Collector is disabled\n")
    add = f"flowprobe feature add-del {PORTS[0]}"
    assert (clean.cli(add)[0] != 0, clean.cli("flowprobe params record l3 l4 active 10 passive 20")) == (True, (0, ""))
    assert (told(clean), clean.cli("flowprobe params record l2 active 30 passive 20")[0] != 0) == ((6, 10, 20), True)
    assert (clean.cli(f"{add} ip6 rx"), probed(clean)) == ((0, ""), {first: (IP6, RX)})
    for line in (f"{add} ip6 rx", f"{add} l2 rx", "flowprobe params record l2", "flowprobe feature add-del"):
        assert clean.cli(line)[0] != 0
    assert (clean.cli(f"{add} ip6 rx disable"), probed(clean)) == ((0, ""), {})
    assert clean.cli(f"{add} ip6 rx disable")[0] != 0
    assert (clean.cli("flowprobe params record active 15 passive 120"), told(clean)) == ((0, ""), (0, 15, 120))
