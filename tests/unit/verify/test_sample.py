"""Which routes have their turn."""

from vppcfg.model.forwarding import Hop, RouteEntry, Routes, TableId, prefix_key
from vppcfg.verify.sample import MOST_NEIGHBORS, VerifySample, room_for

MAIN, OTHER, OF_IPV6 = TableId(False, 0), TableId(False, 7), TableId(True, 0)
WAYS = [RouteEntry((Hop("port0", bytes((192, 0, 2, last))),)) for last in (1, 2)]
Numbers = dict[TableId, dict[int, int]]


def key(table: TableId, number: int) -> bytes:
    return prefix_key(table.is_ipv6, number.to_bytes(4), 24)


def routes(numbers: Numbers) -> dict[TableId, Routes]:
    return {
        table: Routes(entries=WAYS, by_prefix={key(table, number): way for number, way in each.items()})
        for table, each in numbers.items()
    }


def test_so_many_are_looked_up_that_all_have_their_turn_within_a_day_and_vpp_has_its_rest() -> None:
    for total, interval_s, room in ((10, 300, 5000), (10**6, 300, 5000), (2 * 10**6, 300, 6945), (10**6, 3600, 41667)):
        assert room_for(total, interval_s) == room
        assert room * 86400 / interval_s >= total
    assert room_for(10**7, 300) == 15000, "at 20 us each, a thousandth of the time"
    assert (room_for(10**6, 1), room_for(10**6, 0.1)) == (50, 20)


def test_routes_that_come_and_go_do_not_take_the_turn_of_others() -> None:
    sample, seen = VerifySample(interval_s=20), set[bytes]()
    numbers: Numbers = {MAIN: dict.fromkeys(range(20_000), 0), OF_IPV6: dict.fromkeys(range(4_000), 0)}
    for look in range(28):
        numbers[MAIN] = {number: 0 for number in (*numbers[MAIN], 50_000 + look) if number != look}
        for table, prefixes in sample.routes(routes(numbers)).items():
            seen.update(bytes((table.is_ipv6,)) + prefix for prefix in prefixes)
    for table, each in numbers.items():
        assert {bytes((table.is_ipv6,)) + key(table, number) for number in each} <= seen


def chosen(sample: VerifySample, numbers: Numbers) -> dict[TableId, list[bytes]]:
    return sample.routes(routes(numbers))


def test_what_is_new_or_gone_or_leads_elsewhere_comes_first_and_what_was_wrong_before_it() -> None:
    sample = VerifySample(interval_s=0.4)
    numbers: Numbers = {MAIN: dict.fromkeys(range(5000), 0), OTHER: {1: 0}}
    chosen(sample, numbers)
    after: Numbers = {MAIN: {**numbers[MAIN], 3: 1, 6000: 0}}
    del after[MAIN][4]
    sample.come_back_to([(MAIN, key(MAIN, 9))])
    first = chosen(sample, after)
    assert first[MAIN][:4] == [key(MAIN, number) for number in (9, 3, 4, 6000)]
    assert first[OTHER] == [key(OTHER, 1)]
    assert not {key(MAIN, number) for number in (9, 3, 4, 6000)} <= set(chosen(sample, after)[MAIN])


def test_a_flood_of_changes_leaves_half_of_the_look_to_all_others_and_waits() -> None:
    sample, gone = VerifySample(interval_s=1), set[bytes]()
    numbers: Numbers = {MAIN: dict.fromkeys(range(5000), 0)}
    chosen(sample, numbers)
    left: Numbers = {MAIN: dict.fromkeys(range(100, 5000), 0)}
    for _ in range(4):
        found = chosen(sample, left)[MAIN]
        assert len(found) > 30
        gone |= {prefix for prefix in found if prefix < key(MAIN, 100)}
    assert len(gone) == 100


def test_neighbors_have_their_turn_too() -> None:
    sample, seen = VerifySample(interval_s=300), set[tuple[str, str]]()
    known = [("port0", f"10.0.{number >> 8}.{number & 255}") for number in range(3000)]
    for _ in range(7):
        found = sample.neighbors(known)
        assert len(found) < 1.3 * MOST_NEIGHBORS
        seen.update(found)
    assert seen == set(known)
