"""What FRR 8.4.4 and BIRD 2.0.12 have with neighbours, by what they print, and how late they act."""

import pytest

from vppcfg.common.bounded_command import CommandResult
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.routing_daemons import bird, frr
from vppcfg.routing_daemons.bird import Bird
from vppcfg.routing_daemons.daemon import Adjacency
from vppcfg.routing_daemons.frr import Frr

FRR = {
    "show bgp vrf all neighbors json": """{ "default": { "vrfId": 0, "vrfName": "default",
        "10.0.0.2": { "remoteAs": 65002, "bgpState": "Established", "bgpTimerHoldTimeMsecs": 180000 },
        "eth0": { "bgpState": "Established", "bgpTimerHoldTimeMsecs": 9000 },
        "10.0.0.3": { "bgpState": "Active", "bgpTimerHoldTimeMsecs": 180000 },
        "10.0.0.4": { "bgpState": "Established", "bgpTimerHoldTimeMsecs": 0 } } }""",
    "show ip ospf vrf all interface json": """{ "default": { "vrfName": "default", "vrfId": 0, "interfaces": {
        "v1": { "ifUp": true, "state": "Backup", "timerDeadSecs": 40, "nbrCount": 1 } } } }""",
    "show ipv6 ospf6 vrf all interface json": """{ "lo": { "status": "up", "type": "LOOPBACK" },
        "v1": { "status": "up", "internetAddress": [ { "type": "inet" } ], "timerIntervalsConfigDead": 50 } }""",
    "show isis vrf all neighbor detail json": """{ "areas": [ { "area": "A", "circuits": [ { "circuit": 2, "adj": "vm",
        "interface": { "name": "v1", "state": "Up" }, "level": 2, "expires-in": "28s" } ] } ] }""",
}
PROTOCOLS = """\
BIRD 2.0.12 ready.
device1    Device     ---        up     22:42:10.300

up         BGP        ---        up     22:42:14.409  Established
  BGP state:          Established
    Neighbor address: 10.0.0.2
    Neighbor AS:      65002
    Hold timer:       211.148/240
    Keepalive timer:  47.364/80
  Channel ipv4
    State:          UP

idle       BGP        ---        start  22:42:14.595  Idle
  BGP state:          Idle
    Neighbor address: 10.0.0.9

near       BGP        ---        up     22:42:14.595  Established
  BGP state:          Established
    Neighbor address: fe80::2%v1
    Hold timer:       23.238/30

o4         OSPF       master4    up     22:42:10.300  Running
"""
INTERFACES = """\
BIRD 2.0.12 ready.
o4:
Interface v1 (10.0.0.0/24)
\tType: broadcast
\tDead timer: 40
\tRetransmit timer: 5
Interface v2 (10.0.1.0/24)
\tType: ptp
\tDead timer: 8
"""


def printed(text: str) -> CommandResult:
    return CommandResult(output=text.encode(), seconds=0.0, trouble="" if text else "it ended with exit code 1")


def test_frr_has_established_sessions_and_the_neighbours_of_link_state_protocols(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frr, "run_bounded", lambda command, *_, **__: printed(FRR[command[-1]]))
    daemon = Frr(RoutingFile(kind=DaemonKind.FRR, path="", startup=""))
    assert daemon.adjacencies() == [
        Adjacency(text="BGP with 10.0.0.2", hold_s=180.0, peer="10.0.0.2"),
        Adjacency(text="BGP with eth0", hold_s=9.0, device="eth0"),
        Adjacency(text="OSPF on v1", hold_s=40.0, device="v1"),
        Adjacency(text="OSPFv3 on v1", hold_s=50.0, device="v1"),
        Adjacency(text="IS-IS on v1", hold_s=30.0, device="v1"),
    ]


@pytest.mark.parametrize(
    "shown", ["", "[]", "[" * 9999, '{"x": {"bgpState": "Established"}}', '{"a": {"expires-in": 1}}']
)
def test_what_frr_does_not_answer_or_writes_otherwise_is_left_out(monkeypatch: pytest.MonkeyPatch, shown: str) -> None:
    monkeypatch.setattr(frr, "run_bounded", lambda *_, **__: printed(shown))
    assert Frr(RoutingFile(kind=DaemonKind.FRR, path="", startup="")).adjacencies() == []


def test_a_list_of_routes_that_is_too_long_is_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = CommandResult(output=b'{"10.0.0.0/8": [{\n(99 bytes more)\n', seconds=0.0, lost_bytes=99)
    monkeypatch.setattr(frr, "run_bounded", lambda *_, **__: cut)
    routes = Frr(RoutingFile(kind=DaemonKind.FRR, path="", startup="")).routes()
    assert routes == "FRR has so many routes that its list is longer than the 16 MB that are read"


def test_bird_has_established_sessions_and_the_interfaces_of_ospf(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(command: list[str], *_: object, **__: object) -> CommandResult:
        return printed({"show protocols all": PROTOCOLS, "show ospf interface o4": INTERFACES}[" ".join(command[3:])])

    monkeypatch.setattr(bird, "run_bounded", answer)
    assert Bird(RoutingFile(kind=DaemonKind.BIRD, path="", startup="", socket="/run/x.ctl")).adjacencies() == [
        Adjacency(text="BGP with 10.0.0.2", hold_s=240.0, peer="10.0.0.2"),
        Adjacency(text="BGP with fe80::2", hold_s=30.0, peer="fe80::2"),
        Adjacency(text="OSPF on v1", hold_s=40.0, device="v1"),
        Adjacency(text="OSPF on v2", hold_s=8.0, device="v2"),
    ]


def test_frr_acts_by_a_route_map_after_the_longest_of_its_delays() -> None:
    daemon = Frr(RoutingFile(kind=DaemonKind.FRR, path="", startup=""))
    assert daemon.delay_s("router bgp 65001\n") == 5.0
    assert daemon.delay_s("bgp route-map delay-timer 30\nzebra route-map delay-timer 12\n") == 30.0
