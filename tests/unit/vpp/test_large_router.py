"""A VPP with large tables: what is read without a walk, what is left out and named, and what is read again."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from ipaddress import ip_address

import pytest

from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.kinds.acl_operations import BindAcls, CreateAcl
from vppcfg.kinds.address import AddAddress
from vppcfg.kinds.interface import SetPacketMtu, SetTag
from vppcfg.kinds.link_local import SetLinkLocal
from vppcfg.kinds.route import RemoveRoute, SetRoute
from vppcfg.model.acl import AclBinding
from vppcfg.model.nat44 import NatPool
from vppcfg.model.ownership import tag_for
from vppcfg.model.route import NextHop, Route
from vppcfg.model.state import State
from vppcfg.plan.plan import make_plan
from vppcfg.render.notes import notes
from vppcfg.simulator.fib_entries import FibPath
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.planning import plan_on
from vppcfg.vpp.live import LiveDataplane

API = 8
"""FIB_SOURCE_API (vnet/fib/fib_source.h)."""
HERE = Route(prefix="192.0.2.0/24", hops=(NextHop(gateway="10.0.1.2"),))
MANY = 60
LAST = f"eth0.{MANY}"
OF_OTHERS = "routes of the prompt and of the API in table 0 of IPv4"


@contextmanager
def connected(vpp: SimulatedVpp, *formerly: State, reads_all: bool = False) -> Iterator[LiveDataplane]:
    ours, theirs = socket.socketpair()
    with SimulatorServer(vpp) as server:
        server.add_client(theirs)
        with LiveDataplane.over(ours, formerly=lambda: formerly, reads_all=reads_all) as plane:
            yield plane


def file_of(*, vrf: str = "", extra: str = "") -> str:
    subs = "".join(
        f"      {n}: {{{vrf} addresses: [ 10.0.{n}.1/24, 2001:db8:{n}::1/64 ] }}\n" for n in range(1, MANY + 1)
    )
    return f"interfaces:\n  eth0:\n    mtu: 1500\n    sub-interfaces:\n{subs}{extra}"


def desired_on(observed: State, text: str) -> State:
    configuration = parse_text(text, "file").configuration
    assert configuration is not None
    return resolve(configuration, observed).desired


def router(text: str) -> SimulatedVpp:
    """Return a VPP that a file was applied to."""
    vpp = SimulatedVpp(ports=[PhysicalPort(name="eth0")])
    with connected(vpp) as plane:
        observed = plane.observe()
        assert plane.perform(make_plan(observed, desired_on(observed, text)).operations).refusals == ()
    return vpp


def add_routes(vpp: SimulatedVpp, count: int = 1_100, sw_if_index: int = 2) -> None:
    """Give it routes of the API through an interface, as another program would."""
    path = FibPath(sw_if_index=sw_if_index, next_hop=ip_address("10.0.1.2").packed.ljust(16, b"\0"))
    for n in range(count):
        vpp.tables.fib4.tables[0].routes[(20 << 24) + (n << 8), 24] = {API: (path,)}


def test_routes_of_the_file_are_looked_up_where_the_table_is_large() -> None:
    vpp = router(file_of(extra="routes: { 192.0.2.0/24: 10.0.1.2 }\n"))
    add_routes(vpp)
    journaled = State(objects={Route: {HERE.name: HERE}})
    with connected(vpp, journaled) as plane:
        assert plane.observe().of(Route) == {HERE.name: HERE}
        assert plane.perform([RemoveRoute(item=HERE)]).refusals == ()
        assert plane.observe().of(Route) == {}
        assert plane.perform([SetRoute(item=HERE)]).refusals == ()
        assert plane.observe().of(Route) == {HERE.name: HERE}


def test_a_route_of_the_file_that_no_journal_knows_is_not_set_again() -> None:
    text = file_of(extra="routes: { 192.0.2.0/24: 10.0.1.2 }\n")
    vpp = router(text)
    add_routes(vpp)
    with connected(vpp) as plane:
        observed = plane.observe()
        assert observed.of(Route) == {}
        assert "routes of files that neither the journal nor the file names" in observed.facts.left_out
        assert plan_on(plane, observed, desired_on(observed, text)).operations == ()


@pytest.mark.parametrize("reads_all", [False, True])
def test_routes_of_others_through_an_interface_that_goes_are_read_or_named(*, reads_all: bool) -> None:
    text = file_of()
    vpp = router(text)
    add_routes(vpp)
    with connected(vpp, State(), reads_all=reads_all) as plane:
        observed = plane.observe()
        plan = plan_on(plane, observed, desired_on(observed, text.replace("      1: {", "      999: {")))
        held = [each for each in plan.observed.unmanaged if each.kind == "route of the API"]
        assert len(held) == (1_100 if reads_all else 0)
        assert (OF_OTHERS in plan.observed.facts.left_out) != reads_all
        assert any(OF_OTHERS in line and "--read-all" in line for line in notes(plan)) != reads_all


def test_what_few_interfaces_have_is_read_where_it_was_or_is_to_be_changed() -> None:
    text = file_of()
    vpp = router(text)
    with connected(vpp) as plane:
        assert plane.perform([SetLinkLocal(interface=LAST, address="fe80::7")]).refusals == ()
        observed = plane.observe()
        assert observed.interfaces[LAST].link_local is None
        assert f"link-local addresses and router advertisements of {MANY + 1} interfaces" in observed.facts.left_out
        plan = plan_on(
            plane, observed, desired_on(observed, text.replace(f"      {MANY}: {{", f"      {MANY}: {{ mtu: 1400,"))
        )
        assert [type(each) for each in plan.operations] == [SetLinkLocal, SetPacketMtu], "what is found is put right"
        assert plane.look_closer({LAST}, plan.desired).interfaces[LAST].link_local == "fe80::7"
    known = replace(observed.interfaces[LAST], link_local="fe80::7")
    with connected(vpp, State(interfaces={LAST: known})) as plane:
        assert plane.observe().interfaces[LAST].link_local == "fe80::7"
    with connected(vpp, reads_all=True) as plane:
        assert plane.observe().interfaces[LAST].link_local == "fe80::7"


def test_what_is_read_together_is_read_again_together() -> None:
    """An address that DHCP brings meanwhile is NAT44's too, which had none: its pool is not taken for empty."""
    vpp = router(
        "interfaces: { eth0: { dhcp-client: true, nat44: output } }\nnat44: { pools: [ { interface: eth0 } ] }\n"
    )
    with connected(vpp) as plane, connected(vpp) as other:
        whole = plane.observe()
        other.observe()
        assert other.perform([AddAddress(interface="eth0", address="203.0.113.2/24")]).refusals == ()
        again = plane.observe_again([], {"eth0"}, whole)
        assert again.of(NatPool) == whole.of(NatPool)
        assert again == plane.observe()


def test_tables_of_many_interfaces_are_known_with_and_without_addresses() -> None:
    bare = "      900: { vrf: red }\n      901: { mtu: 1400 }\n"
    text = file_of(vrf=" vrf: red,", extra=f"{bare}vrfs: {{ red: {{ id: 10 }} }}\n")
    vpp = router(text)
    with connected(vpp) as plane:
        interfaces = plane.observe().interfaces
    in_red = {name for name, each in interfaces.items() if each.tables == (10, 10)}
    assert in_red == {*(f"eth0.{n}" for n in range(1, MANY + 1)), "eth0.900"}
    assert interfaces["eth0.901"].tables == (0, 0)


def test_after_a_change_what_it_touched_and_what_there_was_is_read_again() -> None:
    vpp = router(file_of())
    create = CreateAcl(acl="web", rules=(), tag=tag_for("web"))
    with connected(vpp) as plane, connected(vpp) as other:
        whole = plane.observe()
        done = [SetPacketMtu(interface=LAST, mtu=1400), SetTag(interface="eth0.1", tag="of others")]
        assert plane.perform(done[:1]).refusals == ()
        other.observe()
        assert other.perform([*done[1:], create]).refusals == ()
        again = plane.observe_again(done[:1], {LAST}, whole)
        assert (again.interfaces[LAST].packet_mtu, again.interfaces["eth0.1"].tag) == (1400, "of others")
        assert again.acls == {}, "the first list of all is another's, and is found when all is read"
        bind = BindAcls(interface=LAST, binding=AclBinding(input=("web",)))
        assert plane.perform([bind]).refusals == ()
        assert plane.observe_again([bind], {LAST}, whole).interfaces[LAST].acls == bind.binding
        whole = plane.observe()
        assert whole.interfaces[LAST].acls == bind.binding
        assert plane.observe_again([], set(), whole) == whole
