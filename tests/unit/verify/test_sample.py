"""Which routes have their turn."""

from collections.abc import Iterable

from vppcfg.model.forwarding import Hop, RouteEntry, RoutePlace, Routes, TableId, prefix_key
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


def look(sample: VerifySample, numbers: Numbers, wrong: Iterable[RoutePlace] = ()) -> list[RoutePlace]:
    """Return what is looked up; of that, some is `wrong`."""
    chosen = sample.routes(routes(numbers))
    sample.note(set(chosen), wrong)
    return chosen


def test_so_many_are_looked_up_that_all_have_their_turn_within_a_day_and_vpp_has_its_rest() -> None:
    for total, interval_s, room in ((10, 300, 5000), (10**6, 300, 5000), (2 * 10**6, 300, 6945), (10**6, 3600, 41667)):
        assert room_for(total, interval_s) == room
        assert room * 86400 / interval_s >= total
    assert room_for(10**7, 300) == 15000, "no more, though it takes longer than a day"
    assert (room_for(10**6, 1), room_for(10**6, 0.1)) == (50, 20)


def test_routes_that_come_and_go_do_not_take_the_turn_of_others() -> None:
    sample, seen = VerifySample(interval_s=8), set[RoutePlace]()
    numbers: Numbers = {MAIN: dict.fromkeys(range(8_000), 0), OF_IPV6: dict.fromkeys(range(1_600), 0)}
    for turn in range(28):
        numbers[MAIN] = {number: 0 for number in (*numbers[MAIN], 50_000 + turn) if number != turn}
        seen.update(look(sample, numbers))
    for table, each in numbers.items():
        assert {(table, key(table, number)) for number in each} <= seen


def places(*numbers: int) -> list[RoutePlace]:
    return [(MAIN, key(MAIN, number)) for number in numbers]


def test_what_is_new_or_gone_or_leads_elsewhere_comes_first_and_what_was_wrong_before_it() -> None:
    sample = VerifySample(interval_s=1)
    numbers: Numbers = {MAIN: dict.fromkeys(range(5000), 0), OTHER: {1: 0}}
    look(sample, numbers, wrong=places(9))
    after: Numbers = {MAIN: {**numbers[MAIN], 3: 1, 6000: 0}}
    del after[MAIN][4]
    assert look(sample, after)[:5] == [*places(9, 3, 4, 6000), (OTHER, key(OTHER, 1))]
    assert not {*places(9, 3, 4, 6000)} <= set(look(sample, after))


def test_a_flood_of_changes_leaves_half_of_the_look_to_all_others_and_waits() -> None:
    sample, gone = VerifySample(interval_s=1), set[RoutePlace]()
    look(sample, {MAIN: dict.fromkeys(range(5000), 0)})
    for _ in range(4):
        found = look(sample, {MAIN: dict.fromkeys(range(100, 5000), 0)})
        assert len(found) > 30
        gone |= {*found} & {*places(*range(100))}
    assert len(gone) == 100


def test_what_was_chosen_and_not_looked_up_is_chosen_again() -> None:
    sample, numbers = VerifySample(interval_s=1), {MAIN: dict.fromkeys(range(5000), 0)}
    look(sample, numbers, wrong=places(9))
    chosen = sample.routes(routes(numbers))
    sample.note(set(), ())
    assert sample.routes(routes(numbers))[:40] == chosen[:40]
    sample.note(set(chosen[:10]), ())
    assert sample.routes(routes(numbers))[0] == chosen[10]


def test_neighbors_have_their_turn_too() -> None:
    sample, seen = VerifySample(interval_s=300), set[tuple[str, str]]()
    known = [("port0", f"10.0.{number >> 8}.{number & 255}") for number in range(3000)]
    for _ in range(7):
        found = sample.neighbors(known)
        assert len(found) < 1.3 * MOST_NEIGHBORS
        seen.update(found)
    assert seen == set(known)
