"""What differs is read again before it counts, and what cannot be compared is told."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

import pytest

from vppcfg.app.verifying import PAUSE_S, READINGS, verify
from vppcfg.errors import DataplaneError, LinuxError
from vppcfg.model.forwarding import (
    Hop,
    LinuxForwarding,
    NeighborSeen,
    PairSide,
    RouteEntry,
    RoutePlace,
    Routes,
    TableId,
    VppForwarding,
    VppPair,
    prefix_key,
)
from vppcfg.verify.mismatch import MismatchKind, Subject
from vppcfg.verify.report import VerifyReport
from vppcfg.verify.sample import VerifySample

SIDE = PairSide(mtu=1500, is_up=True)
PAIR = VppPair(interface="port0", host_name="e0", netns="", device_index=7, side=SIDE)
MAIN = TableId(False, 0)
FACTS = VppForwarding(pairs=(PAIR,), tables=(MAIN,), has_linux_cp=True, has_linux_nl=True)


def way(last: int, source: str = "") -> RouteEntry:
    return RouteEntry((Hop("port0", bytes((192, 0, 2, last))),), source=source)


def key(number: int) -> bytes:
    return prefix_key(False, bytes((10, number, 0, 0)), 16)


class Both:
    """A VPP and its Linux, which are otherwise at each reading: the numbers of the routes that VPP lacks."""

    def __init__(self, *lacks: set[int], facts: VppForwarding = FACTS, routes: int = 5) -> None:
        self._lacks = list(lacks)
        self._facts = facts
        self._routes = routes
        self.sleeps: list[float] = []
        self.readings = 0
        self.limits: dict[str, int] = {}
        self.rules: tuple[str, ...] = ()
        self.table = MAIN
        self.gateways: dict[int, int] = {}
        self.looked_up: list[list[bytes]] = []
        self.took_s = 0.0
        self.unknown: set[str] = set()
        """Neighbours that VPP lacks."""
        self.withdrawn: set[int] = set()
        """Routes that Linux has no more."""
        self.own: Counter[int] = Counter()
        """Prefixes that Linux never had, by length."""
        self.side = SIDE
        self.walks = 0

    def sleep(self, seconds: float) -> None:
        self.sleeps += [seconds] if seconds else []

    def read_forwarding(self, *, is_all: bool = True) -> VppForwarding:
        self.readings += 1
        return self._facts

    def read_routes(self, table: TableId, around: VppForwarding) -> Iterator[tuple[bytes, RouteEntry]]:
        self.walks += 1
        return self.routes_now()

    def routes_now(self) -> Iterator[tuple[bytes, RouteEntry]]:
        lacks = self._lacks[min(self.readings, len(self._lacks)) - 1] if self._lacks else set()
        for number in range(self._routes):
            if number not in lacks:
                yield key(number), way(self.gateways.get(number, 1), "lcp-rt")

    def find_routes(
        self, places: Collection[RoutePlace], around: VppForwarding, rest: Callable[[float], bool]
    ) -> Iterator[tuple[RoutePlace, RouteEntry | None]]:
        self.looked_up.append([prefix for _, prefix in places])
        known = dict(self.routes_now())
        for table, prefix in places:
            yield (table, prefix), known.get(prefix) if table in self._facts.tables else None
            if not rest(self.took_s):
                return

    def find_neighbors(
        self, asked: Collection[tuple[str, str]], around: VppForwarding, rest: Callable[[float], bool]
    ) -> Mapping[tuple[str, str], bool]:
        return {each: each[1] not in self.unknown for each in asked}

    def count_prefixes(self, table: TableId) -> Mapping[int, int]:
        return self.own + Counter(prefix[-1] for prefix, _ in self.routes_now())

    def linux(self) -> "Linux":
        return Linux(self)

    def linux_routes(self) -> Routes:
        left = sorted({*range(self._routes)} - self.withdrawn)
        return Routes(entries=[way(1)], by_prefix={key(number): 0 for number in left})


OF_FILES = replace(FACTS, has_linux_nl=False, sources={27: "vppcfg"})


class WithFiles(Both):
    """A VPP without linux-nl that has routes of a file, and its Linux."""

    def __init__(self, *vpp: Hop, facts: VppForwarding = OF_FILES) -> None:
        super().__init__(facts=facts)
        self._hops = vpp

    def routes_now(self) -> Iterator[tuple[bytes, RouteEntry]]:
        yield key(0), RouteEntry(self._hops, source="vppcfg")
        yield key(1), way(9, "API")
        yield key(99), way(9, "vppcfg")


@pytest.mark.parametrize(
    ("hops", "count"),
    [
        ((Hop("port0", bytes((192, 0, 2, 1))),), 0),
        ((Hop("", bytes((192, 0, 2, 1))),), 0),
        ((Hop("port1", bytes((192, 0, 2, 1))),), 1),
        ((Hop("", bytes((192, 0, 2, 7))),), 1),
        ((Hop("", end="blackhole"),), 1),
    ],
)
def test_routes_of_files_are_held_against_those_of_linux_without_linux_nl(hops: tuple[Hop, ...], count: int) -> None:
    both = WithFiles(*hops)
    report = verify(both, both.linux(), clock=both)
    assert report.counts.get((Subject.ROUTE, MismatchKind.DIFFERENT), 0) == report.count == count
    assert report.compared[Subject.ROUTE] == 1


def test_without_routes_of_files_and_linux_nl_no_route_is_read() -> None:
    both = WithFiles(Hop("port1"), facts=replace(OF_FILES, sources={9: "CLI"}))
    assert verify(both, both.linux(), clock=both).count == 0


class Linux:
    def __init__(self, both: Both) -> None:
        self._both = both
        self.asked: list[tuple[str, Mapping[str, str]]] = []

    def read_forwarding(self, netns: str, devices: Mapping[str, str]) -> LinuxForwarding:
        self.asked.append((netns, devices))
        return LinuxForwarding(
            sides=dict.fromkeys(devices.values(), self._both.side),
            indexes=dict.fromkeys(devices.values(), 7),
            tables={self._both.table: self._both.linux_routes()},
            limits=self._both.limits,
            rules=self._both.rules,
        )


def verified(both: Both) -> VerifyReport:
    return verify(both, both.linux(), clock=both)


def missing(report: VerifyReport) -> int:
    return report.counts.get((Subject.ROUTE, MismatchKind.MISSING), 0)


def test_what_is_alike_is_read_once() -> None:
    both = Both()
    report = verified(both)
    assert (report.count, report.compared[Subject.ROUTE], both.readings, both.sleeps) == (0, 5, 1, [])
    assert not report.is_moving


def test_what_differs_twice_counts() -> None:
    both = Both({1, 2})
    report = verified(both)
    assert (missing(report), both.readings, both.sleeps) == (2, 2, [PAUSE_S])
    assert [group.first for group in report.groups] == [("10.1.0.0/16", "10.2.0.0/16")]


def test_what_is_gone_the_second_time_does_not_count() -> None:
    both = Both({1, 2}, set())
    report = verified(both)
    assert (report.count, both.readings, report.is_moving) == (0, 2, True)


def test_what_comes_between_two_readings_does_not_count_yet() -> None:
    both = Both({1}, {1, 2}, {1, 2})
    assert missing(verified(both)) == 1
    assert both.looked_up == [[key(1)]], "what was alike is not read again"


def test_it_is_read_again_as_long_as_there_are_fewer() -> None:
    both = Both({1, 2, 3}, {1, 2}, {1}, {1})
    assert (missing(verified(both)), both.readings) == (1, 4)


def test_a_vpp_that_never_comes_to_rest_is_not_read_for_ever() -> None:
    both = Both(*({*range(number, 50)} for number in range(40)), routes=60)
    report = verified(both)
    assert both.readings == READINGS
    assert missing(report) == 50 - (READINGS - 1)


def test_a_route_that_leads_elsewhere_each_time_does_not_count() -> None:
    both = Both()
    both.gateways[3] = 5
    found = iter((5, 6, 6, 6))

    class Restless(Both):
        def read_forwarding(self, *, is_all: bool = True) -> VppForwarding:
            self.gateways[3] = next(found)
            return super().read_forwarding(is_all=is_all)

    restless = Restless()
    assert verified(restless).count == 0
    assert verified(both).count == 1


def test_a_table_that_vpp_lacks_has_none_of_linuxs_routes() -> None:
    both = Both()
    both.table = TableId(False, 77)
    report = verified(both)
    assert [(group.kind, group.table, group.count) for group in report.groups] == [
        (MismatchKind.MISSING, both.table, 5),
        (MismatchKind.STALE, MAIN, 5),
    ]


def test_of_many_routes_a_part_is_looked_up_at_a_time_and_all_within_a_day() -> None:
    both, sample, seen = Both(routes=250), VerifySample(interval_s=1, start=0.9), set[bytes]()
    for _ in range(10):
        report = verify(both, both.linux(), sample=sample, clock=both)
        assert report.compared[Subject.ROUTE] == len(both.looked_up[-1]) < 100
        assert (report.count, report.in_linux[Subject.ROUTE]) == (0, 250)
        seen.update(both.looked_up[-1])
    assert seen == {key(number) for number in range(250)}
    assert 450 < sum(map(len, both.looked_up)) < 550
    assert not both.walks


def test_a_vpp_that_takes_long_to_answer_is_asked_for_less_and_all_have_their_turn_all_the_same() -> None:
    """A thousandth of 190 seconds is 190 ms, and they lie within twenty seconds."""
    both, sample, seen = Both(routes=250), VerifySample(interval_s=190), set[bytes]()
    both.took_s = 0.02
    for _ in range(25):
        both.sleeps.clear()
        progress: list[int] = []
        report = verify(both, both.linux(), sample=sample, on_progress=progress.append, clock=both)
        assert progress == [0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 100]
        assert (report.count, report.compared[Subject.ROUTE]) == (0, 10)
        assert both.sleeps == pytest.approx([2.0] * 9)
        seen.update(both.looked_up[-1][:10])
    assert seen == {key(number) for number in range(250)}


def test_what_changes_in_linux_is_looked_up_at_the_next_look_and_found_stale_when_it_is_gone() -> None:
    both, sample = Both(routes=250), VerifySample(interval_s=1)
    verify(both, both.linux(), sample=sample, clock=both)
    both.withdrawn = {7}
    report = verify(both, both.linux(), sample=sample, clock=both)
    assert [(group.kind, group.first) for group in report.groups] == [(MismatchKind.STALE, ("10.7.0.0/16",))]
    for _ in range(2):
        assert verify(both, both.linux(), sample=sample, clock=both).count == 1, "until it is repaired"
    both.withdrawn = set()
    assert verify(both, both.linux(), sample=sample, clock=both).count == 0


def test_prefixes_that_vpp_has_less_than_linux_are_missing_though_not_all_were_looked_up() -> None:
    both = Both(set(range(100, 103)), routes=250)
    report = verify(both, both.linux(), sample=VerifySample(interval_s=1), clock=both)
    assert (missing(report), report.count) == (3, 3)
    counted = {group.linux: group.count for group in report.groups}
    assert counted.pop("with /16, as their number shows") == 3 - sum(counted.values())


def test_prefixes_that_vpp_has_beside_those_of_linux_are_told_and_count_for_nothing() -> None:
    both = Both(routes=201)
    both.withdrawn, both.own = {3}, Counter({16: 1, 24: 1, 32: 1})
    report = verify(both, both.linux(), sample=VerifySample(interval_s=300), clock=both)
    assert (report.count, [*report.unread.values()], both.walks) == (0, [3], 0)
    assert "`verify --all` shows" in next(iter(report.unread))


@pytest.mark.parametrize("withdrawn", [{3}, {*range(200)}])
def test_a_small_table_is_read_where_it_has_more_than_linux_and_what_is_stale_counts(withdrawn: set[int]) -> None:
    both = Both(routes=200)
    report = verify(both, both.linux(), sample=VerifySample(interval_s=300), clock=both)
    assert (report.count, both.walks) == (0, 0)
    both.withdrawn = withdrawn
    report = verify(both, both.linux(), sample=VerifySample(interval_s=300), clock=both)
    assert report.counts == {(Subject.ROUTE, MismatchKind.STALE): len(withdrawn)}
    assert not report.unread


def test_of_a_vpp_with_many_neighbors_those_of_linux_are_looked_up() -> None:
    side = replace(SIDE, neighbors={host: NeighborSeen(mac="02:00:00:00:00:09") for host in ("192.0.2.9", "192.0.2.8")})
    both = Both(facts=replace(FACTS, has_neighbors=False))
    both.side, both.unknown = side, {"192.0.2.8"}
    report = verify(both, both.linux(), sample=VerifySample(interval_s=300), clock=both)
    assert report.counts == {(Subject.NEIGHBOR, MismatchKind.MISSING): 1}
    assert report.compared[Subject.NEIGHBOR] == report.in_linux[Subject.NEIGHBOR] == 2


def test_a_vpp_without_linux_cp_is_an_error_that_says_so() -> None:
    with pytest.raises(DataplaneError, match="without the linux-cp plugin") as caught:
        verified(Both(facts=VppForwarding()))
    assert "startup.conf" in caught.value.hint


def test_without_linux_nl_no_route_is_compared_and_how_many_there_are_is_told() -> None:
    report = verified(Both(facts=replace(FACTS, has_linux_nl=False)))
    assert (report.count, report.compared[Subject.ROUTE]) == (0, 0)
    assert report.limits == {"routes, for VPP runs without linux-nl": 5}


def test_rules_of_linux_are_named_for_vpp_does_not_follow_them() -> None:
    both = Both()
    both.rules = tuple(f"{number}: from 10.{number}.0.0/16 lookup 77" for number in range(7))
    report = verified(both)
    assert report.count == 0
    assert report.limits["the rule (`ip rule`) 0: from 10.0.0.0/16 lookup 77, which VPP does not follow"] == 1
    assert report.limits["further rules, which VPP does not follow"] == 2


def test_a_pair_in_a_namespace_of_its_own_is_read_there_and_its_routes_are_told() -> None:
    pair = replace(PAIR, interface="port1", host_name="e1", netns="customer")
    both = Both(facts=replace(FACTS, pairs=(PAIR, pair)))
    linux = both.linux()
    report = verify(both, linux, clock=both)
    assert linux.asked == [("", {"e0": "port0"}), ("customer", {"e1": "port1"})]
    assert report.limits == {"routes in a namespace that linux-nl does not listen in": 5}
    assert report.count == 0


def test_pairs_in_a_namespace_that_cannot_be_read_are_left_out_and_told(caplog: pytest.LogCaptureFixture) -> None:
    """VPP takes a path and the number of a process for the name of a namespace."""
    pair = replace(PAIR, interface="port1", host_name="e1", netns="pid:7")
    both = Both(facts=replace(FACTS, pairs=(PAIR, pair)))

    class Refusing(Linux):
        def read_forwarding(self, netns: str, devices: Mapping[str, str]) -> LinuxForwarding:
            if netns == "pid:7":
                raise LinuxError("'pid:7' is not the name of a network namespace")
            return super().read_forwarding(netns, devices)

    report = verify(both, Refusing(both), clock=both)
    assert (report.count, report.compared[Subject.PAIR]) == (0, 1)
    assert report.limits == {"LCP pairs in a namespace that cannot be read": 1}
    assert "pid:7 are left out" in caplog.text


def test_the_namespace_that_linux_nl_listens_in_must_be_readable() -> None:
    both = Both()

    class Refusing(Linux):
        def read_forwarding(self, netns: str, devices: Mapping[str, str]) -> LinuxForwarding:
            raise LinuxError("no permission to enter VPP's network namespace")

    with pytest.raises(LinuxError):
        verify(both, Refusing(both), clock=both)


def test_routes_that_linux_nl_copies_otherwise_are_told() -> None:
    both = Both()
    both.limits = {"multicast routes, which go to multicast tables": 3}
    assert verified(both).limits == {"multicast routes, which go to multicast tables": 3}
