"""Laws of `verify`: every fault between Linux and VPP is found and named, and a healthy router has none."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.linux_forwarding import PORTS, LinuxAround, add_some_route, filled, some_hops
from tests.simulated_vpp import connected
from vppcfg.app.verifying import verify
from vppcfg.model.forwarding import NeighborSeen, TableId, canonical_hops
from vppcfg.verify.mismatch import MismatchKind, Subject
from vppcfg.verify.report import FIRST, VerifyReport
from vppcfg.verify.sample import VerifySample

Expected = tuple[Subject, MismatchKind, str]
"""What is to be found, how, and a text that must stand in its group."""
HEALTHY, FAULTY, MOST_FAULTS = 6, 12, 4
MANY_HEALTHY, MANY_FAULTY = 100, 420
"""In the long tests: a thousand faults."""


class Instant:
    """Lets no time pass."""

    def sleep(self, seconds: float) -> None:
        """Return at once."""


def verified(linux: LinuxAround) -> VerifyReport:
    with connected(linux.vpp) as vpp:
        return verify(vpp, linux, clock=Instant())


def withheld_route(linux: LinuxAround, rng: random.Random) -> Expected:
    """VPP misses the message of a route."""
    _, prefix = add_some_route(linux, rng, 150 + rng.randint(0, 40), is_lost=True)
    linux.broken.add(prefix)
    return Subject.ROUTE, MismatchKind.MISSING, prefix


def unwithdrawn_route(linux: LinuxAround, rng: random.Random) -> Expected:
    """VPP misses the message that a route is gone."""
    table, prefix = whole_route(linux, rng)
    del linux.routes[table][prefix]
    return Subject.ROUTE, MismatchKind.STALE, prefix


def changed_route(linux: LinuxAround, rng: random.Random) -> Expected:
    """VPP misses the message that a route leads elsewhere."""
    table, prefix = whole_route(linux, rng)
    former = linux.routes[table][prefix]
    while (hops := canonical_hops(some_hops(rng, table.is_ipv6))) == former:
        pass
    linux.routes[table][prefix] = hops
    return Subject.ROUTE, MismatchKind.DIFFERENT, prefix


def whole_route(linux: LinuxAround, rng: random.Random) -> tuple[TableId, str]:
    """Return the table and the prefix of a route that no fault has touched yet."""
    table = rng.choice([table for table, routes in linux.routes.items() if routes.keys() - linux.broken])
    prefix = rng.choice(sorted(linux.routes[table].keys() - linux.broken))
    linux.broken.add(prefix)
    return table, prefix


def stale_neighbor(linux: LinuxAround, rng: random.Random) -> Expected:
    """Linux asks for a neighbour in vain, and VPP misses the message of that."""
    name = rng.choice(PORTS)
    address = forgotten(linux, name)
    linux.change(name, failed={**linux.sides[name].failed, address: 0.0})
    return Subject.NEIGHBOR, MismatchKind.STALE, address


def kept_neighbor(linux: LinuxAround, rng: random.Random) -> Expected:
    """Linux forgets a neighbour, and VPP misses the message of that, or has learnt it by itself."""
    return Subject.NEIGHBOR, MismatchKind.VPP_ONLY, forgotten(linux, rng.choice(PORTS))


def forgotten(linux: LinuxAround, name: str) -> str:
    """Let Linux forget a learnt neighbour, and return its address."""
    neighbors = linux.sides[name].neighbors
    address = next(each for each, seen in neighbors.items() if not seen.is_static and each not in linux.broken)
    linux.broken.add(address)
    linux.change(name, neighbors={key: seen for key, seen in neighbors.items() if key != address})
    return address


def lost_neighbor(linux: LinuxAround, rng: random.Random) -> Expected:
    """VPP does not learn of a neighbour."""
    number = rng.randrange(len(PORTS))
    linux.add_neighbor(PORTS[number], f"192.0.{number}.252", "02:00:00:00:00:fc", is_lost=True)
    linux.broken.add(f"192.0.{number}.252")
    return Subject.NEIGHBOR, MismatchKind.MISSING, f"192.0.{number}.252"


def moved_neighbor(linux: LinuxAround, rng: random.Random) -> Expected:
    """VPP does not learn that a neighbour has another MAC address."""
    name = rng.choice(PORTS)
    neighbors = linux.sides[name].neighbors
    address = rng.choice(sorted(neighbors.keys() - linux.broken))
    linux.broken.add(address)
    seen = NeighborSeen(mac="02:99:00:00:00:01", is_static=neighbors[address].is_static)
    linux.change(name, neighbors={**neighbors, address: seen})
    return Subject.NEIGHBOR, MismatchKind.DIFFERENT, address


def own_address(linux: LinuxAround, rng: random.Random) -> Expected:
    """Somebody gives VPP's interface an address by hand."""
    number = rng.randrange(len(PORTS))
    linux.nl.address(PORTS[number], f"198.51.{number}.1/24")
    return Subject.ADDRESS, MismatchKind.STALE, f"198.51.{number}.1/24"


def lost_address(linux: LinuxAround, rng: random.Random) -> Expected:
    """VPP does not learn of an address."""
    number = rng.randrange(len(PORTS))
    linux.add_address(PORTS[number], f"203.0.{number}.1/24", is_lost=True)
    return Subject.ADDRESS, MismatchKind.MISSING, f"203.0.{number}.1/24"


def other_mtu(linux: LinuxAround, rng: random.Random) -> Expected:
    """The MTU is changed on one side."""
    name = rng.choice(PORTS)
    linux.change(name, mtu=linux.sides[name].mtu - 100)
    return Subject.MTU, MismatchKind.DIFFERENT, name


def other_state(linux: LinuxAround, rng: random.Random) -> Expected:
    """Somebody sets the device down, and VPP misses that."""
    name = rng.choice(PORTS)
    linux.change(name, is_up=False)
    return Subject.STATE, MismatchKind.DIFFERENT, name


def gone_device(linux: LinuxAround, rng: random.Random) -> Expected:
    """The Linux half of a pair is removed."""
    name = rng.choice(PORTS)
    del linux.sides[name]
    for routes in linux.routes.values():  # the kernel takes its routes with it, and VPP misses that
        for prefix in [each for each, hops in routes.items() if {hop.interface for hop in hops} == {name}]:
            del routes[prefix]
    return Subject.PAIR, MismatchKind.STALE, name


FAULTS: tuple[Callable[[LinuxAround, random.Random], Expected], ...] = (
    *(withheld_route, unwithdrawn_route, changed_route, stale_neighbor, kept_neighbor, lost_neighbor, moved_neighbor),
    *(own_address, lost_address, other_mtu, other_state, gone_device),
)


def texts(report: VerifyReport) -> Iterator[tuple[Subject, MismatchKind, str]]:
    """Yield each group's subject, kind and all that it names."""
    for group in report.groups:
        yield group.subject, group.kind, " ".join((group.interface, *group.first))


def healthy(seed: int) -> None:
    report = verified(filled(seed))
    assert report.groups == ()
    assert report.count == 0
    assert report.compared[Subject.ROUTE] >= 20
    assert report.own["CLI"] == 1


def faulty(seed: int) -> int:
    """Plant faults of several kinds one after the other, find each and nothing else, and return how many there were."""
    rng = random.Random(seed)
    linux = filled(seed)
    planted = 0
    for fault in rng.sample(FAULTS[:-1], rng.randint(1, MOST_FAULTS)):
        before = verified(linux)
        subject, kind, name = fault(linux, rng)
        found = verified(linux)
        grown = {kind: found.counts[kind] - before.counts.get(kind, 0) for kind in found.counts}
        assert {each: number for each, number in grown.items() if number} == {(subject, kind): 1}, fault.__name__
        assert _is_named(subject, kind, name, found), (fault.__name__, name)
        planted += 1
    return planted


def _is_named(subject: Subject, kind: MismatchKind, name: str, report: VerifyReport) -> bool:
    """Return whether a group has what is wrong by its name; a large one names only the first that it has."""
    return any(
        (group.subject, group.kind) == (subject, kind)
        and (name in group.first or name in " ".join((group.interface, *group.first)) or group.count > FIRST)
        for group in report.groups
    )


@pytest.mark.parametrize("seed", range(HEALTHY))
def test_a_healthy_router_has_no_mismatch(seed: int) -> None:
    healthy(seed)


@pytest.mark.parametrize("seed", range(FAULTY))
def test_every_fault_is_found_and_named_and_none_invented(seed: int) -> None:
    faulty(seed)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_thousand_faults_are_found_and_none_is_invented_in_a_hundred_healthy_routers() -> None:
    for seed in range(1000, 1000 + MANY_HEALTHY):
        healthy(seed)
    assert sum(faulty(seed) for seed in range(2000, 2000 + MANY_FAULTY)) >= 1000


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_each_fault_alone_is_named(fault: Callable[[LinuxAround, random.Random], Expected]) -> None:
    linux = filled(7)
    subject, kind, name = fault(linux, random.Random(7))
    named = [text for each, found, text in texts(verified(linux)) if (each, found) == (subject, kind)]
    assert any(name in text for text in named), named


SEEN_BY_PARTS = [fault for fault in FAULTS if fault not in (stale_neighbor, kept_neighbor, moved_neighbor)]
"""What is found though VPP is not asked for all: of neighbours, those that it lacks."""


@pytest.mark.parametrize("fault", SEEN_BY_PARTS, ids=lambda fault: fault.__name__)
def test_a_service_that_looks_at_parts_names_each_fault_until_it_is_repaired(
    fault: Callable[[LinuxAround, random.Random], Expected], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.app.verifying.LEAST_S", 100.0)  # the machine may be busy
    linux, sample = filled(7), VerifySample(interval_s=300)

    def look() -> VerifyReport:
        with connected(linux.vpp) as vpp:
            return verify(vpp, linux, sample=sample, clock=Instant())

    assert look().groups == ()
    subject, kind, name = fault(linux, random.Random(7))
    for _ in range(2):
        named = [text for each, found, text in texts(look()) if (each, found) == (subject, kind)]
        assert any(name in text for text in named), named


def test_a_pair_that_is_deleted_in_vpp_leaves_its_routes_behind_and_they_are_stale() -> None:
    """Its device goes with it, and the kernel tells nobody of the IPv4 routes that go with the device."""
    linux = filled(5)
    name = PORTS[2]
    assert linux.vpp.run_line(f"lcp delete {name}") == (0, "")
    del linux.sides[name]
    left = 0
    for routes in linux.routes.values():
        for prefix in [each for each, hops in routes.items() if {hop.interface for hop in hops} == {name}]:
            del routes[prefix]
            left += 1
    report = verified(linux)
    assert left > 0
    assert report.counts == {(Subject.ROUTE, MismatchKind.STALE): left}
    assert all(name in group.vpp for group in report.groups)


def test_a_device_that_is_made_anew_is_not_the_one_of_its_pair() -> None:
    linux = filled(1)
    pair = next(iter(linux.vpp.tables.lcp.pairs))
    with connected(linux.vpp) as vpp:
        facts = vpp.read_forwarding()
        moved = linux.read_forwarding

        class Elsewhere:
            def read_forwarding(self, netns: str, devices: object) -> object:
                found = moved(netns, devices)  # type: ignore[arg-type]
                return replace(found, indexes={**found.indexes, PORTS[0]: pair.vif_index + 40})

        report = verify(vpp, Elsewhere(), clock=Instant())  # type: ignore[arg-type]
    assert facts.pairs[0].device_index == pair.vif_index
    assert [(group.subject, group.kind, group.interface) for group in report.groups] == [
        (Subject.PAIR, MismatchKind.DIFFERENT, PORTS[0])
    ]


def test_a_learnt_neighbor_in_vpp_alone_is_told_and_does_not_count_and_a_static_one_is_its_own() -> None:
    linux = filled(3)
    linux.nl.neighbor(PORTS[1], "192.0.1.253", "02:00:00:00:01:fd", is_static=True)
    assert verified(linux).groups == ()
    linux.nl.neighbor(PORTS[1], "192.0.1.254", "02:00:00:00:01:fe")
    report = verified(linux)
    assert report.count == 0
    assert [(group.subject, group.kind, group.first) for group in report.groups] == [
        (Subject.NEIGHBOR, MismatchKind.VPP_ONLY, ("192.0.1.254 (02:00:00:00:01:fe)",))
    ]
