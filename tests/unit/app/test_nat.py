"""Who has an outside port, and how full the tables are: by maps, mappings and what a real VPP has printed."""

import json
from collections.abc import Iterable
from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.kinds.there_and_back import configuration_of
from vppcfg.app.nat import port_holders_by_file, use_of, who_has
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.model.det44 import Det44Map
from vppcfg.model.nat_session import Certainty, HostSessions, NatSession, ThreadSessions
from vppcfg.model.state import State
from vppcfg.render.nat_text import WIDTH, answer_document, answer_lines, use_document, use_lines
from vppcfg.vpp.nat_sessions import sessions_in

SCHEMA: dict[str, Any] = json.loads((Path(__file__).parents[3] / "docs" / "nat.schema.json").read_text())
SHOWN = """NAT44 ED sessions:
-------- thread 0 vpp_main: 3 sessions --------
    i2o 192.168.1.10 proto ICMP port 77 fib 0
    o2i 203.0.113.2 proto ICMP port 63327 fib 0
       external host 203.0.113.1:77
       i2o flow: match: saddr 192.168.1.10 sport 77 daddr 203.0.113.1 dport 77 proto ICMP fib_idx 0 rewrite: txfib 0
       o2i flow: match: saddr 203.0.113.1 sport 63327 daddr 203.0.113.2 dport 63327 proto ICMP fib_idx 0
       index 2
       last heard 7.05
       timeout in 60.00
       total pkts 1, total bytes 33
       dynamic translation

    i2o 192.168.1.20 proto TCP port 8081 fib 3
    o2i 203.0.113.2 proto TCP port 81 fib 0
       external host o2i 203.0.113.1:5001 i2o 192.168.1.254:11570
       index 4
       last heard 7.05
       timeout in -12.00
       total pkts 9, total bytes 40
       static translation
       twice-nat

    i2o 192.168.1.30 proto 47 fib 0
    o2i 203.0.113.2 proto 47 fib 0
       timeout in 299.99
"""
"""Of a real VPP 26.10, but for the last one and the second one's timeout."""
FILE = """
interfaces:
  eth0: { addresses: [ 203.0.113.2/24 ], nat44: outside }
  eth1: { addresses: [ 192.168.1.1/24 ], nat44: inside }
  eth2: { addresses: [ 192.0.2.1/24 ], det44: outside }
  eth3: { addresses: [ 100.64.0.1/16 ], det44: inside }
nat44:
  pools: [ { interface: eth0 }, 203.0.113.9 ]
  static:
    web: { protocol: tcp, local: "192.168.1.20:8080", external: "eth0:80" }
    all: { local: 192.168.1.40, external: 203.0.113.10 }
det44: { maps: { 100.64.0.0/24: 198.51.100.0/28, 100.65.0.0/27: 198.51.100.16 } }
"""


class Sessions:
    """A VPP with two workers."""

    def __init__(self, on_port: Iterable[NatSession] = (), of_host: Iterable[NatSession] = ()) -> None:
        self.on_port, self.of_host = tuple(on_port), tuple(of_host)
        self.asked: list[str] = []
        self.count: int | None = 999
        self.walks = 0

    def nat44_count(self) -> int | None:
        return self.count

    def nat44_limit(self) -> int | None:
        return 1000

    def nat44_threads(self) -> tuple[ThreadSessions, ...]:
        return ThreadSessions(thread="vpp_wk_0", sessions=999), ThreadSessions(thread="vpp_wk_1", sessions=0)

    def nat44_hosts(self) -> tuple[HostSessions, ...]:
        self.walks += 1
        return HostSessions(host="192.168.1.10", sessions=990), HostSessions(host="192.168.1.20", sessions=9, static=9)

    def nat44_on_port(self, address: str, port: int) -> tuple[NatSession, ...]:
        self.walks += 1
        return self.on_port

    def det44_counts(self) -> dict[tuple[str, str], int]:
        return {("100.64.0.0/24", "198.51.100.0/28"): 7}

    def det44_of(self, host: str) -> tuple[NatSession, ...]:
        return self.of_host

    def det44_hosts(self, hosts: Iterable[str]) -> tuple[HostSessions, ...]:
        self.asked = list(hosts)
        return (HostSessions(host="100.64.0.48", sessions=1000),)


def router() -> State:
    configuration = configuration_of(yaml.safe_load(FILE))
    plain: dict[str, Any] = {f"eth{number}": {} for number in range(4)}
    bare = assumed_state(configuration_of({"interfaces": plain}))
    return resolve(configuration, replace(bare, facts=assumed_state(configuration).facts)).desired


def test_sessions_are_read_as_vpp_prints_them() -> None:
    first, second, third = sessions_in(SHOWN)
    assert first == NatSession(
        host="192.168.1.10",
        host_port=77,
        outside_port=63327,
        protocol="icmp",
        remote="203.0.113.1",
        remote_port=77,
        ends_in_s=60,
        packets=1,
    )
    assert (second.remote, second.remote_port, second.ends_in_s, second.fib_index) == ("203.0.113.1", 5001, -12, 3)
    assert (third.protocol, third.host_port, third.outside_port, third.remote) == ("47", 0, 0, "")
    assert list(sessions_in("")) == list(sessions_in("NAT44 ED sessions:\n")) == []


@pytest.mark.parametrize("inside", ["100.64.0.0/24", "100.65.0.0/27", "100.66.0.0/22"])
def test_each_host_has_ports_that_lead_back_to_it_and_nobody_has_the_others(inside: str) -> None:
    item = Det44Map(inside=inside, outside="198.51.100.16/30")
    seen: set[tuple[IPv4Address, int]] = set()
    first = IPv4Address(inside.partition("/")[0])
    for number in range(item.hosts):
        address, ports = item.ports_of(first + number)
        assert seen.isdisjoint((address, port) for port in (ports[0], ports[-1]))
        seen |= {(address, port) for port in ports}
        assert {item.host_of(address, port) for port in (ports[0], ports[-1])} == {first + number}
    for number in range(4):
        address = IPv4Address("198.51.100.16") + number
        nobodys = {port for port in range(1, 65536) if (address, port) not in seen}
        assert {item.host_of(address, port) for port in nobodys} == {None}


def test_a_map_names_its_host_with_its_sessions() -> None:
    mine = NatSession(host="100.64.0.48", host_port=5000, outside_port=4711, protocol="udp", remote="9.9.9.9")
    sessions = Sessions(of_host=[mine, replace(mine, outside_port=4712)])
    (holder,) = who_has(router(), sessions, "198.51.100.3", 4711).holders
    assert (holder.host, holder.certainty, holder.first_port, holder.last_port) == (
        "100.64.0.48",
        Certainty.CONFIGURED,
        1024,
        5055,
    )
    assert holder.sessions == (mine,)


def test_a_mapping_goes_before_sessions_and_has_its_own() -> None:
    own = NatSession(host="192.168.1.20", host_port=8080, outside_port=80, protocol="tcp", remote="9.9.9.9")
    other = replace(own, host="192.168.1.10", protocol="udp", host_port=4000)
    answer = who_has(router(), Sessions(on_port=[own, other, other]), "203.0.113.2", 80)
    mapping, session = answer.holders
    assert (mapping.host, mapping.port, mapping.protocol, mapping.sessions) == ("192.168.1.20", 8080, "tcp", (own,))
    assert (session.host, session.certainty, session.by) == ("192.168.1.10", Certainty.NOW, "2 sessions of NAT44")
    (whole,) = who_has(router(), Sessions(), "203.0.113.10", 4711).holders
    assert (whole.host, whole.port, whole.protocol) == ("192.168.1.40", 4711, "")


@pytest.mark.parametrize(
    ("address", "port", "note"),
    [
        ("198.51.100.3", 700, "the address is in a DET44 map, which gives the port to no host"),
        ("203.0.113.9", 9, "the address is in the pool of NAT44; VPP keeps no record of who had the port before"),
        (
            "203.0.113.2",
            9,
            "the address is that of eth0; where NAT44 translates to it, VPP keeps no record of who had the port before",
        ),
        ("192.0.2.99", 9, "neither DET44 nor NAT44 has the address"),
    ],
)
def test_what_is_known_of_a_port_that_nobody_has(address: str, port: int, note: str) -> None:
    answer = who_has(router(), Sessions(), address, port)
    assert (answer.holders, answer.note) == ((), note)


def test_a_file_answers_as_the_router_does_that_has_it() -> None:
    configuration = configuration_of(yaml.safe_load(FILE))
    for address, port in (("198.51.100.3", 4711), ("203.0.113.2", 80), ("203.0.113.10", 5)):
        assert port_holders_by_file(configuration, address, port) == who_has(router(), Sessions(), address, port)
    notes = {port_holders_by_file(configuration, address, 9).note for address in ("198.51.100.3", "203.0.113.2")}
    assert notes == {
        "the address is in a DET44 map, which gives the port to no host",
        "no map and no mapping of the file has the port; a session of NAT44 may, which VPP alone knows",
    }


@pytest.mark.parametrize(("taken", "has_port"), [((), "203.0.113.2"), (("203.0.113.4",), "203.0.113.4")])
def test_a_mapping_by_an_interface_has_the_address_that_vpp_has_taken(taken: tuple[str, ...], has_port: str) -> None:
    """Of several, VPP takes the first one, and keeps it when another one becomes the first."""
    text = FILE.replace("[ 203.0.113.2/24 ]", "[ 203.0.113.2/24, 203.0.113.1/24, 203.0.113.4/24 ]")
    configuration = configuration_of(yaml.safe_load(text))
    plain: dict[str, Any] = {f"eth{number}": {} for number in range(4)}
    state = resolve(configuration, assumed_state(configuration_of({"interfaces": plain}))).desired
    state = replace(state, facts=replace(state.facts, followed_addresses=frozenset(taken)))
    hosts = ("203.0.113.1", "203.0.113.2", "203.0.113.4")
    lender = replace(state.interfaces["eth0"], name="loop0")
    borrower = replace(state.interfaces["eth0"], addresses=frozenset(), unnumbered="loop0")
    borrowing = replace(state, interfaces={**state.interfaces, "loop0": lender, "eth0": borrower})
    assert [host for host in hosts if who_has(borrowing, Sessions(), host, 80).holders] == [has_port]
    assert [host for host in hosts if who_has(state, Sessions(), host, 80).holders] == [has_port]
    assert [host for host in hosts if port_holders_by_file(configuration, host, 80).holders] == ["203.0.113.2"]


@pytest.mark.parametrize(("of_all", "asked", "unread"), [(True, 256, 0), (False, 50, 206)])
def test_hosts_of_maps_with_sessions_are_asked_about_as_many_as_wanted(of_all: bool, asked: int, unread: int) -> None:
    sessions = Sessions()
    use = use_of(router(), sessions, of_all_hosts=of_all).det44
    assert use is not None
    assert (len(sessions.asked), use.unread_hosts) == (asked, unread)
    assert [(each.hosts, each.ports_per_host, each.sessions) for each in use.maps] == [(256, 4032, 7), (32, 2016, 0)]


@pytest.mark.parametrize(("count", "walks"), [(None, 1), (1000, 1), (1001, 0)])
def test_vpp_goes_through_its_sessions_where_they_are_few_or_whoever_asks_wants_it(
    count: int | None, walks: int
) -> None:
    session = NatSession(host="10.0.0.1", host_port=5, outside_port=5, protocol="tcp")
    for is_wanted in (False, True):
        sessions = Sessions(on_port=[session])
        sessions.count = count
        answer = who_has(router(), sessions, "203.0.113.9", 5, walks=is_wanted)
        assert (bool(answer.holders), answer.unsearched) == ((True, 0) if walks or is_wanted else (False, 1001))
        use = use_of(router(), sessions, of_all_hosts=is_wanted).nat44
        assert use is not None
        assert use.has_hosts is bool(use.hosts) is bool(walks or is_wanted)
        assert sessions.walks == 2 * bool(walks or is_wanted)


def test_text_is_narrow_and_documents_are_as_described() -> None:
    use = use_of(router(), Sessions(), of_all_hosts=False)
    lines = [*use_lines(use, top=1)]
    crowded = Sessions()
    crowded.count = 300_000
    unread, unsearched = use_of(router(), crowded, of_all_hosts=False), who_has(router(), crowded, "203.0.113.9", 5)
    lines += [*use_lines(unread, top=1), *answer_lines(unsearched)]
    jsonschema.validate(use_document(unread, top=1), SCHEMA)
    assert "the 300,000 sessions of NAT44 were not looked through for 203.0.113.9:5" in lines
    many = [NatSession(host="10.0.0.1", host_port=5, outside_port=5, protocol="tcp", remote="255.255.255.255")] * 12
    answers = [
        who_has(router(), Sessions(on_port=many, of_host=many), address, port)
        for address, port in (("203.0.113.9", 5), ("198.51.100.3", 4711), ("203.0.113.2", 9))
    ]
    for answer in answers:
        lines += answer_lines(answer)
        jsonschema.validate(answer_document(answer), SCHEMA)
    jsonschema.validate(use_document(use, top=1), SCHEMA)
    assert max(map(len, lines)) <= WIDTH
    assert "  vpp_wk_0       999    1 % free" in lines
    assert "  vpp_wk_1         0  100 % free" in lines
    assert "  and 1 host with fewer" in lines
    assert "  100.64.0.48      1000  0 % free" in lines
    assert "  and 2 more" in lines
