"""Work in proportion to a network: counted in function calls and API messages, so that a busy machine changes nothing.

Growth is held against the size. What one interface costs has a ceiling a quarter above what it takes, so that one more
small function breaks nothing, and one more pass over everything does. Time is measured by `make bench`.
"""

import gc
import socket
import sys
import threading
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from ipaddress import ip_address
from types import FrameType

import pytest

from bench.networks import KINDS, Network
from vppcfg.common.addresses import _canonical, _network_of, address_key
from vppcfg.common.names import natural_key
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.config.valid_dump import write
from vppcfg.dataplane import Performance
from vppcfg.model.state import State
from vppcfg.operations.operation import Operation
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.render.diff_view import diff_lines
from vppcfg.render.impact_text import consequences
from vppcfg.render.plan_text import plan_text
from vppcfg.simulator.fib_entries import FibPath
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import serve_stream
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.simulator.wire import Client
from vppcfg.transaction.planning import plan_on
from vppcfg.transaction.transact import still_different
from vppcfg.vpp.live import LiveDataplane

_CACHES = (_canonical, _network_of, address_key, natural_key)
SMALL, LARGE = 30, 120


def calls_in(work: Callable[[], object]) -> int:
    """Return the number of function calls, those into C too, that some work takes with empty caches."""
    for cache in _CACHES:
        cache.cache_clear()
    calls = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(note)  # of this thread alone; from Python 3.12 on cProfile counts the simulated VPP's, too
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@lru_cache
def network(kind: str, size: int) -> Network:
    """Return a network of bench/."""
    return KINDS[kind](size)


@lru_cache
def states(text: str) -> tuple[State, State]:
    """Return what a VPP with just the ports has, and with what a file wants."""
    configuration = parse_text(text, "file").configuration
    assert configuration is not None
    observed = assumed_state(configuration)
    return observed, make_plan(observed, resolve(configuration, observed).desired).reached


def check(source: Network) -> object:
    return parse_text(source.text, "file")


def plan_from_empty(source: Network) -> Plan:
    return make_plan(*states(source.text))


def plan_to_empty(source: Network) -> Plan:
    observed, desired = states(source.text)
    return make_plan(desired, observed)


def plan_nothing(source: Network) -> Plan:
    configuration = parse_text(source.text, "file").configuration
    assert configuration is not None
    resolution = resolve(configuration, states(source.text)[1])
    return make_plan(resolution.observed, resolution.desired)


def show_plan(source: Network) -> object:
    plan = plan_from_empty(source)
    return plan_text(plan), list(diff_lines(plan)), plan.impact


def impact_of_removal(source: Network) -> object:
    observed, desired = states(source.text)
    return list(consequences(make_plan(desired, observed)))


def dump(source: Network) -> str:
    return write(states(source.text)[1])


def calls_per_object(work: Callable[[Network], object], kind: str) -> tuple[float, float]:
    """Return the calls for each object of a network, and how much more four times as many take."""
    work(network(kind, 10))
    states(network(kind, SMALL).text), states(network(kind, LARGE).text)
    small, large = (calls_in(partial(work, network(kind, size))) for size in (SMALL, LARGE))
    return (large - small) / (LARGE - SMALL), large / small


CEILINGS: dict[Callable[[Network], object], float] = {
    check: 294,
    plan_from_empty: 433,
    plan_to_empty: 342,
    plan_nothing: 450,
    show_plan: 881,
    impact_of_removal: 1105,
    dump: 360,
}
"""Function calls for each sub-interface with two addresses and an LCP pair."""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "sub-interfaces-without-lcp"])
@pytest.mark.parametrize("work", CEILINGS, ids=lambda f: f.__name__)
def test_four_times_as_much_takes_four_times_the_work(work: Callable[[Network], object], kind: str) -> None:
    calls, growth = calls_per_object(work, kind)
    assert growth < 4.3
    if kind == "sub-interfaces":
        assert calls < CEILINGS[work]


def two_tags(size: int) -> str:
    """Return sub-interfaces with the same outer tag on one port, each with an LCP pair."""
    subs = "\n".join(
        f"      {n}: {{ lcp: e0.1.{n}, encapsulation: {{ dot1q: 1, inner-dot1q: {n}, exact-match: true }} }}"
        for n in range(2, size + 2)
    )
    return f"interfaces:\n  eth0:\n    lcp: e0\n    sub-interfaces:\n      1: {{ lcp: e0.1 }}\n{subs}\n"


def one_bridge(size: int) -> str:
    """Return sub-interfaces of one port in one bridge domain."""
    subs = "\n".join(f"      {n}: {{ mtu: 1500 }}" for n in range(1, size + 1))
    members = "\n".join(f"      - eth0.{n}" for n in range(1, size + 1))
    bridge = f"bridgedomains:\n  bd1:\n    mtu: 1500\n    interfaces:\n{members}\n"
    return f"interfaces:\n  eth0:\n    mtu: 9000\n    sub-interfaces:\n{subs}\n{bridge}"


def one_donor(size: int) -> str:
    """Return sub-interfaces that all borrow from one loopback and apply the same access lists."""
    subs = "\n".join(f"      {n}: {{ unnumbered: loop0, acls: {{ input: a }} }}" for n in range(1, size + 1))
    loopback = "loopbacks:\n  loop0: { addresses: [ 192.0.2.1/32 ] }\n"
    acl = "acls:\n  a: { terms: [ { action: permit } ] }\n"
    return f"interfaces:\n  eth0:\n    sub-interfaces:\n{subs}\n{loopback}{acl}"


def one_prefix(size: int) -> str:
    """Return one port with many addresses of one prefix."""
    addresses = "\n".join(f"    - 10.0.{n >> 8}.{n & 255}/16" for n in range(1, size + 1))
    return f"interfaces:\n  eth0:\n    addresses:\n{addresses}\n"


def one_policy(size: int) -> str:
    """Return one port with many policy routes."""
    routes = "\n".join(f"      - {{ acl: a{n}, via: 192.0.2.2, priority: {n} }}" for n in range(size))
    acls = "\n".join(f"  a{n}: {{ terms: [ {{ action: permit, destination: 10.0.{n}.0/24 }} ] }}" for n in range(size))
    return f"interfaces:\n  eth0:\n    policy-routes:\n{routes}\nacls:\n{acls}\n"


@pytest.mark.parametrize("work", CEILINGS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("text_of", [two_tags, one_bridge, one_donor, one_prefix, one_policy], ids=lambda f: f.__name__)
def test_crowding_around_one_object_takes_no_more_work(
    work: Callable[[Network], object], text_of: Callable[[int], str]
) -> None:
    sources = [Network(size=size, ports=("eth0",), text=text_of(size), edit=("", "")) for size in (SMALL, LARGE)]
    for source in sources:
        states(source.text)
    small, large = (calls_in(partial(work, source)) for source in sources)
    assert large < 4.3 * small


class CountingVpp(SimulatedVpp):
    def __init__(self, ports: tuple[str, ...]) -> None:
        super().__init__(ports=[PhysicalPort(name=name) for name in ports])
        self.counts: Counter[str] = Counter()

    def handle(
        self,
        message: bytes,
        client: Client,
        clients: Mapping[int, Client],
        pause: Callable[[float], None] | None = None,
    ) -> list[tuple[int, bytes]]:
        self.counts[str(self.codec.name_of(message))] += 1
        return super().handle(message, client, clients, pause)


@contextmanager
def running(ports: tuple[str, ...]) -> Iterator[tuple[CountingVpp, LiveDataplane]]:
    vpp, (ours, theirs) = CountingVpp(ports), socket.socketpair()
    server = threading.Thread(target=serve_stream, args=(vpp, theirs))
    server.start()
    try:
        with LiveDataplane.over(ours) as dataplane:
            yield vpp, dataplane
    finally:
        server.join()


def requests(size: int) -> tuple[Counter[str], Counter[str], int]:
    """Return what is asked to read, and to configure, a network of this size, and the number of operations."""
    source = network("sub-interfaces", size)
    observed, desired = states(source.text)
    operations = make_plan(observed, desired).operations
    with running(source.ports) as (vpp, dataplane):
        vpp.counts.clear()
        performance = dataplane.perform(operations)
        configuring = Counter(vpp.counts)
        vpp.counts.clear()
        dataplane.observe()
        reading = Counter(vpp.counts)
    assert performance.done == tuple(range(len(operations)))
    return reading, configuring, len(operations)


def test_a_vpp_is_read_with_two_requests_per_interface_that_stop_no_worker() -> None:
    (small, _, _), (large, _, _) = requests(SMALL), requests(LARGE)
    assert large - small == {"ip_address_dump": 2 * (LARGE - SMALL)}
    assert small["sw_interface_ip6_get_link_local_address"] == SMALL
    assert sum(count for name, count in large.items() if name != "ip_address_dump") < 95


def test_an_operation_is_one_request() -> None:
    (_, small, few), (_, large, many) = requests(SMALL), requests(LARGE)
    assert (large - small).total() == many - few
    assert large.total() - many < 10


def calls_to_talk(size: int, talk: Callable[[LiveDataplane, tuple[Operation, ...]], object]) -> int:
    """Return the function calls that this side makes when it talks to a VPP about a network."""
    source = network("sub-interfaces", size)
    operations = make_plan(*states(source.text)).operations
    with running(source.ports) as (_, dataplane):
        dataplane.observe()
        return calls_in(lambda: talk(dataplane, operations))


def perform(dataplane: LiveDataplane, operations: tuple[Operation, ...]) -> Performance:
    return dataplane.perform(operations)


def perform_and_read(dataplane: LiveDataplane, operations: tuple[Operation, ...]) -> State:
    dataplane.perform(operations)
    return dataplane.observe()


@pytest.mark.parametrize(("talk", "ceiling"), [(perform, 347), (perform_and_read, 485)], ids=["perform", "read"])
def test_talking_to_a_vpp_takes_work_in_proportion(
    talk: Callable[[LiveDataplane, tuple[Operation, ...]], object], ceiling: int
) -> None:
    small, large = (calls_to_talk(size, talk) for size in (SMALL, LARGE))
    assert (large - small) / (LARGE - SMALL) < ceiling
    assert large < 4.3 * small


def test_nothing_is_parsed_twice() -> None:
    calls_in(lambda: check(network("sub-interfaces", SMALL)))
    assert _canonical.cache_info().misses == 2 * SMALL
    assert address_key.cache_info().misses <= 2 * SMALL + 1


def test_memory_grows_with_the_network() -> None:
    peaks = []
    show_plan(network("sub-interfaces", LARGE))  # what is kept from the first time on is no part of the growth
    for size in (SMALL, LARGE):
        source = network("sub-interfaces", size)
        gc.collect()
        tracemalloc.start()
        show_plan(source)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    grown = (peaks[1] - peaks[0]) / (LARGE - SMALL)
    assert grown < 5_250


SAFE = frozenset({"control_ping", "ip_address_dump", "show_version", "sw_interface_dump"})
"""Messages that stop no worker (vl_api_set_msg_thread_safe in VPP's source)."""


def halts_of_a_change(others: Callable[[CountingVpp], str]) -> int:
    """Return how often VPP stops its workers to be read for a plan that changes one MTU, and for the look after it."""
    with running(("eth0",)) as (vpp, dataplane):
        text = others(vpp)
        configuration = parse_text(text, "file").configuration
        assert configuration is not None
        observed = dataplane.observe()
        plan = plan_on(dataplane, observed, resolve(configuration, observed).desired)
        assert dataplane.perform(plan.operations).refusals == ()
        vpp.counts.clear()
        observed = dataplane.observe()
        changed = parse_text(text.replace("mtu: 1500", "mtu: 1400", 1), "file").configuration
        assert changed is not None
        plan = plan_on(dataplane, observed, resolve(changed, observed).desired)
        assert len(plan.operations) == 1
        dataplane.perform(plan.operations)
        assert not still_different(plan, dataplane)
        return sum(count for name, count in vpp.counts.items() if name not in SAFE)


def sub_interfaces(count: int) -> Callable[[CountingVpp], str]:
    def text(_: CountingVpp) -> str:
        subs = "".join(
            f"      {n}: {{ mtu: 1500, addresses: [ 10.{n // 250}.{n % 250}.1/30, 2001:db8:{n:x}::1/64 ] }}\n"
            for n in range(1, count + 1)
        )
        return f"interfaces:\n  eth0:\n    mtu: 9000\n    sub-interfaces:\n{subs}"

    return text


def in_a_vrf(count: int) -> Callable[[CountingVpp], str]:
    def text(vpp: CountingVpp) -> str:
        lines = sub_interfaces(count)(vpp).replace("mtu: 1500,", "mtu: 1500, vrf: red,")
        return f"{lines}vrfs:\n  red: {{ id: 10 }}\n"

    return text


def routes_of_others(count: int) -> Callable[[CountingVpp], str]:
    def text(vpp: CountingVpp) -> str:
        routes, gateway = vpp.tables.fib4.tables[0].routes, ip_address("10.0.1.2").packed.ljust(16, b"\0")
        for n in range(count):
            routes[(20 << 24) + (n << 8), 24] = {8: (FibPath(next_hop=gateway),)}
        return f"{sub_interfaces(50)(vpp)}routes:\n  192.0.2.0/24: 10.0.1.2\n"

    return text


@pytest.mark.parametrize(
    ("others", "few", "many"), [(sub_interfaces, 50, 150), (in_a_vrf, 50, 150), (routes_of_others, 1_100, 2_200)]
)
def test_one_change_stops_the_workers_as_often_whatever_else_there_is(
    others: Callable[[int], Callable[[CountingVpp], str]], few: int, many: int
) -> None:
    small, large = (halts_of_a_change(others(count)) for count in (few, many))
    assert small == large < 150
