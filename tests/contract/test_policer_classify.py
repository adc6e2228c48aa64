"""Contract: tables of the classifier that send packets to policers, what VPP shows of them, and what outlives what."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject
from vppcfg.kinds.rate_limit_operations import AddLimitTable, AddPolicer, UpdatePolicer
from vppcfg.model.rate_limit import MARK, TABLE_MARK, LimitTable, Policer
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.live import connect
from vppcfg.wire.policers import policer_indexes

IP4, IP6, L2 = range(3)
NO_SUCH_TABLE = -65


def add_policer(vpp: Subject, name: str, cir: int = 8000) -> int:
    infos: dict[str, Any] = {"cir": cir, "eir": 0, "cb": 150_000, "eb": 0, "rate_type": 0, "round_type": 0, "type": 0}
    actions = {"conform_action": {"type": 1}, "exceed_action": {"type": 0}, "violate_action": {"type": 0}}
    reply = vpp.api.policer_add(name=name, infos={**infos, "color_aware": False, **actions})
    assert reply.retval == 0
    return int(reply.policer_index)


def add_table(vpp: Subject, mask: bytes = bytes(16), skip: int = 0, mark: int = TABLE_MARK) -> int:
    size = len(mask) // 16
    values = {"nbuckets": 2, "memory_size": 1 << 20, "skip_n_vectors": skip, "match_n_vectors": size}
    after = {"next_table_index": ALL, "miss_next_index": mark, "mask_len": 16 * size, "mask": mask}
    reply = vpp.api.classify_add_del_table(is_add=True, table_index=ALL, **values, **after)
    assert reply.retval == 0
    return int(reply.new_table_index)


def delete_table(vpp: Subject, table: int) -> int:
    values = {"is_add": False, "table_index": table, "match_n_vectors": 1, "mask_len": 16, "mask": bytes(16)}
    return int(vpp.api.classify_add_del_table(**values).retval)


def session(vpp: Subject, table: int, policer: int, match: bytes = bytes(16), *, is_add: bool = True) -> int:
    values = {"hit_next_index": policer, "opaque_index": ALL, "match_len": len(match), "match": match}
    return int(vpp.api.classify_add_del_session(is_add=is_add, table_index=table, **values).retval)


def sessions(vpp: Subject, table: int) -> list[tuple[int, bytes]]:
    return [(row.hit_next_index, bytes(row.match)) for row in vpp.api.classify_session_dump(table_id=table)]


def put(vpp: Subject, index: int, table: int, *layers: int, is_add: bool = True) -> int:
    names = ("ip4_table_index", "ip6_table_index", "l2_table_index")
    tables = {name: table if layer in layers else ALL for layer, name in enumerate(names)}
    return int(vpp.api.policer_classify_set_interface(sw_if_index=index, **tables, is_add=is_add).retval)


def shown(vpp: Subject, layer: int, asked: int = 0) -> dict[int, int]:
    rows = vpp.api.policer_classify_dump(type=layer, sw_if_index=asked)
    return {row.sw_if_index: row.table_index for row in rows}


def is_on(vpp: Subject, index: int) -> bool:
    values = {"arc_name": "ip4-unicast", "feature_name": "ip4-policer-classify", "sw_if_index": index}
    return bool(vpp.api.feature_is_enabled(**values).is_enabled)


@pytest.fixture
def clean(vpp: Subject) -> Iterator[Subject]:
    """Return the VPP, and take out in the end what the test has left."""
    known = set(vpp.api.classify_table_ids().ids)
    yield vpp
    for layer in (IP4, IP6, L2):
        for index, table in shown(vpp, layer).items():
            put(vpp, index, table, layer, is_add=False)
    for table in set(vpp.api.classify_table_ids().ids) - known:
        delete_table(vpp, table)
    for number in range(20):
        vpp.api.policer_del(policer_index=number)


def test_a_table_is_shown_with_what_becomes_of_other_packets(clean: Subject) -> None:
    table = add_table(clean, bytes(14) + b"\xff\xff" + b"\xff\xff" + bytes(14), skip=1, mark=TABLE_MARK + 7)
    assert table in clean.api.classify_table_ids().ids
    info = clean.api.classify_table_info(table_id=table)
    assert (info.skip_n_vectors, info.match_n_vectors, info.miss_next_index) == (1, 2, TABLE_MARK + 7)
    assert bytes(info.mask) == bytes(14) + b"\xff" * 4 + bytes(14)
    assert session(clean, table, 0, b"\x01" * 48) == 0
    assert sessions(clean, table) == [(0, bytes(14) + b"\x01" * 4 + bytes(14))]
    assert clean.api.classify_table_info(table_id=table).active_sessions == 1


SANE, HOST = "conform-action transmit", "match l3 ip4 src 192.0.2.9"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("policer add name gold cir 1 cb 1", "Policer already exists"),
        ("policer add name lead cir 8000", "Config failed sanity check"),
        ("policer add name lead cir 8000 cb 100 rate foo", "unknown input `rate foo'"),
        ("policer add name lead cir 8000 cb 100 exceed-action mark-and-transmit CS1", ""),
        ("policer add name lead cir 4294967295 cb 90000", ""),
        ("configure policer name gold cir 9000 cb 90000", ""),
        ("configure policer name lead cir 9000 cb 90000", "Update policer failure"),
        ("policer del name lead", "No such policer"),
        ("policer del", ""),
        ("classify table", "Mask required"),
        ("classify table mask hex 00", "vnet_classify_add_del_table returned -7"),
        ("classify table mask l3 ip4 dst buckets 0", "vnet_classify_add_del_table returned -7"),
        ("classify table mask l3 ip6 dst next-table 0 memory-size 4M", ""),
        (f"classify session {HOST} table-index 0", "Table index required"),
        (f"classify session table-index 77 {HOST}", "Match value required"),
        ("classify session table-index 0", "Match value required"),
        (f"classify session del table-index 0 {HOST}", "vnet_classify_add_del_session returned -6"),
        (f"set policer classify interface {PORTS[0]}", "Table index should be specified."),
        (f"set policer classify interface {PORTS[0]} ip4-table 77", ""),
        ("set policer classify ip4-table 0", "Interface must be specified."),
    ],
)
def test_a_line_at_the_prompt_is_answered(clean: Subject, line: str, answer: str) -> None:
    assert clean.cli(f"policer add name gold cir 8000 cb 90000 {SANE}") == (0, "")
    index = add_table(clean, bytes(10) + b"\xff" * 4 + bytes(2), skip=1)
    code, text = clean.cli(line.replace("table-index 0", f"table-index {index}"))
    if answer == "Update policer failure" and not clean.since("25.02"):
        answer = ""
    assert (bool(code), text.strip().removeprefix(" ".join(line.split()[: 3 if line[0] == "s" else 2]) + ": ")) == (
        bool(answer),
        answer,
    )


def test_what_the_prompt_sets_is_what_messages_show(clean: Subject) -> None:
    assert clean.cli(f"policer add name gold cir 8000 cb 90000 {SANE} violate-action mark-and-transmit EF") == (0, "")
    assert clean.cli("classify table mask l3 ip4 src buckets 64 memory-size 4M") == (0, "")
    table = max(clean.api.classify_table_ids().ids)
    assert clean.cli(f"classify session policer-hit-next gold exceed-color table-index {table} {HOST}") == (0, "")
    assert clean.cli(f"set policer classify interface {PORTS[0]} ip4-table {table}") == (0, "")
    (row,) = clean.api.policer_dump_v2(policer_index=ALL)
    assert (row.cir, row.cb, int(row.conform_action.type), int(row.exceed_action.type)) == (8000, 90_000, 1, 0)
    assert (int(row.violate_action.type), row.violate_action.dscp) == (2, 46)
    info = clean.api.classify_table_info(table_id=table)
    assert (info.skip_n_vectors, bytes(info.mask)) == (1, bytes(10) + b"\xff" * 4 + bytes(2))
    (session,) = clean.api.classify_session_dump(table_id=table)
    assert (session.opaque_index, bytes(session.match)) == (1, bytes(10) + bytes([192, 0, 2, 9]) + bytes(2))
    assert list(shown(clean, IP4).values()) == [table]
    assert clean.cli(f"set policer classify interface {PORTS[0]} ip4-table {table} del") == (0, "")
    assert shown(clean, IP4) == {}


GOLD = Policer(policer="gold", user="eth0>198.51.100.0/24", rate_kbps=8000, burst_bytes=90_000)


def shape(row: Any) -> dict[str, Any]:
    """Return what an answer shows, but for the index, what a bucket holds, and what VPP makes of its clock.

    Before 25.10 it measures the clock for each message anew (834bb74b156).
    """
    left_out = {"context", "table_id", "current_bucket", "last_update_time", "cir_tokens_per_period"}
    return {name: value for name, value in row._asdict().items() if name not in left_out}


@pytest.mark.parametrize("policer", [GOLD, replace(GOLD, dscp=8), replace(GOLD, rate_kbps=100_000_000, dscp=46)])
def test_a_line_of_a_plan_does_to_a_policer_what_its_message_does(clean: Subject, policer: Policer) -> None:
    found = []
    for is_typed in (False, True):
        with connect(clean.client.server_address, json_dir=str(clean.client.apidir)) as plane:
            for operation in (AddPolicer(item=policer), UpdatePolicer(item=replace(policer, burst_bytes=95_000))):
                line = operation.cli()
                assert line is not None
                assert clean.cli(line) == (0, "") if is_typed else not plane.perform([operation]).refusals
                found += [shape(row) for row in clean.api.policer_dump_v2(policer_index=ALL)]
        assert clean.cli(f"policer del name {MARK}{policer.name}") == (0, "")
        assert clean.api.policer_dump_v2(policer_index=ALL) == []
    assert found[:2] == found[2:] and found[0] != found[1]


@pytest.mark.parametrize("offset, length, is_ipv6", [(30, 32, False), (26, 9, False), (38, 56, True)])
def test_a_line_of_a_plan_makes_the_table_that_its_message_makes(
    clean: Subject, offset: int, length: int, is_ipv6: bool
) -> None:
    operation = AddLimitTable(item=LimitTable(number=7, is_ipv6=is_ipv6, offset=offset, length=length))
    known, line = set(clean.api.classify_table_ids().ids), operation.cli()
    with connect(clean.client.server_address, json_dir=str(clean.client.apidir)) as plane:
        assert not plane.perform([operation]).refusals
    assert line is not None and clean.cli(line) == (0, "")
    made = set(clean.api.classify_table_ids().ids) - known
    one, other = (shape(clean.api.classify_table_info(table_id=index)) for index in made)
    assert one == other


def test_a_session_is_replaced_in_place(clean: Subject) -> None:
    table = add_table(clean)
    assert session(clean, table, 1) == 0 and session(clean, table, 2) == 0
    assert sessions(clean, table) == [(2, bytes(16))]
    assert session(clean, table, 0, is_add=False) == 0 and sessions(clean, table) == []


def test_tables_of_interfaces_are_shown_for_the_first_interface_and_none_for_all(clean: Subject, first: int) -> None:
    table = add_table(clean)
    assert put(clean, first, table, IP4, IP6) == 0
    assert shown(clean, IP4) == shown(clean, IP6) == {first: table} and shown(clean, L2) == {}
    assert shown(clean, IP4, ALL) == {}


def test_a_second_table_changes_nothing_and_another_one_is_not_taken_off(clean: Subject, first: int) -> None:
    table, other = add_table(clean), add_table(clean)
    assert put(clean, first, table, IP4) == 0 and put(clean, first, other, IP4) == 0
    assert shown(clean, IP4) == {first: table}
    assert put(clean, first, other, IP4, is_add=False) == NO_SUCH_TABLE
    assert put(clean, first, table, IP4, is_add=False) == 0 and shown(clean, IP4) == {}


def test_a_table_outlives_its_interface_and_looks_at_nothing_of_the_next_one(clean: Subject, first: int) -> None:
    table, name = add_table(clean), clean.sub(first, 100)
    assert put(clean, name, table, IP4) == 0 and is_on(clean, name)
    assert clean.api.delete_subif(sw_if_index=name).retval == 0
    assert clean.sub(first, 200) == name
    assert shown(clean, IP4) == {name: table} and not is_on(clean, name)
    assert put(clean, name, table, IP4) == 0 and not is_on(clean, name)
    assert put(clean, name, table, IP4, is_add=False) == 0
    assert put(clean, name, table, IP4) == 0 and is_on(clean, name)


def test_a_policer_changes_in_place_and_goes_while_it_is_in_use(clean: Subject) -> None:
    policer, table = add_policer(clean, "vppcfg:a:eth0"), add_table(clean)
    assert session(clean, table, policer) == 0
    infos = {"cir": 16000, "cb": 99_000, "conform_action": {"type": 1}}
    assert clean.api.policer_update(policer_index=policer, infos=infos).retval == 0
    (row,) = clean.api.policer_dump_v2(policer_index=policer)
    assert (row.name, row.cir, row.cb) == ("vppcfg:a:eth0", 16000, 99_000)
    assert clean.api.policer_del(policer_index=policer).retval == 0
    assert sessions(clean, table) == [(policer, bytes(16))]
    assert add_policer(clean, "other") == policer


def test_indexes_of_policers_are_found_where_some_are_deleted(clean: Subject) -> None:
    added = {name: add_policer(clean, name) for name in ("a", "b", "c", "d", "e")}
    for name in ("b", "d"):
        assert clean.api.policer_del(policer_index=added.pop(name)).retval == 0
    with connect(clean.client.server_address, json_dir=str(clean.client.apidir)) as plane:
        connection: Connection = plane._connection
        names = [row.name for row in clean.api.policer_dump_v2(policer_index=ALL)]
        assert policer_indexes(connection, names) == {index: name for name, index in added.items()}
