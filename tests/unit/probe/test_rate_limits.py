"""Which policer counts a packet, by its host, its tags and its interface, and what a trace shows of that."""

import pytest

from tests.unit.probe.networks import network_of
from vppcfg.probe import rate_limits
from vppcfg.probe.forwarding import predict
from vppcfg.probe.frame import Frame, Packet, Tag
from vppcfg.probe.outcome import Fate, FrameEnd, Reason
from vppcfg.probe.test_cases import probes_for
from vppcfg.probe.trace import Names, Node, Observation, observe_path
from vppcfg.probe.transients import transient_of, watched_frames
from vppcfg.record import evolve

TEXT = """\
interfaces:
  eth0:
    mtu: 1500
    addresses: [ 192.0.2.1/24, 2001:db8::1/64 ]
    police: slow
    sub-interfaces:
      100:
        addresses: [ 10.0.1.1/24 ]
        police-hosts: { source: { 10.0.1.9: slow, 10.0.0.0/8: { policer: slow, each: 9 } } }
  eth1:
    addresses: [ 198.51.100.1/24, "2001:db8:1::1/64" ]
    neighbors: { 198.51.100.2: "02:00:00:00:00:02" }
    police-hosts: { destination: { 192.0.2.9: marked, "::/0": slow } }
  eth2: { police: slow }
  eth3: {}
bridgedomains: { bd10: { interfaces: [ eth2, eth3 ] } }
policers: { slow: { rate: 64k }, marked: { rate: 10M, excess: { mark: cs1 } } }
"""


@pytest.mark.parametrize(
    ("port", "vlan", "source", "destination", "policer"),
    [
        ("eth0", 0, "192.0.2.9", "198.18.0.1", "slow:eth0"),
        ("eth0", 0, "2001:db8::9", "2001:db8:9::1", "slow:eth0"),
        ("eth0", 100, "10.0.1.9", "198.18.0.1", "slow:eth0.100<10.0.1.9"),
        ("eth0", 100, "10.200.1.9", "198.18.0.1", "slow:eth0.100<10.128.0.0/9"),
        ("eth0", 100, "192.0.2.9", "10.0.1.9", ""),
        ("eth1", 0, "198.51.100.2", "192.0.2.9", "marked:eth1>192.0.2.9"),
        ("eth1", 0, "192.0.2.9", "198.18.0.1", ""),
        ("eth1", 0, "2001:db8:1::9", "2001:db8:9::1", "slow:eth1>::/0"),
        ("eth2", 0, "192.0.2.9", "198.18.0.1", "slow:eth2"),
    ],
)
def test_a_packet_is_counted_by_the_policer_of_its_host(
    port: str, vlan: int, source: str, destination: str, policer: str
) -> None:
    network = network_of(TEXT)
    mac = "02:00:00:00:00:77" if port == "eth2" else network.mac_of(port)
    tags = (Tag(vlan=vlan),) if vlan else ()
    frame = Frame(destination=mac, source="02:00:00:00:00:09", packet=Packet(source=source, destination=destination))
    found = predict(network, port, evolve(frame, tags=tags))
    assert [step.detail for step in found.steps if step.kind == "policed"] == [policer]
    is_dropped = [(end.fate, end.reason) for each in found.others for end, _ in each.ends]
    assert is_dropped == ([(Fate.DROPPED, Reason.RATE)] if policer.startswith("slow") else [])


def test_each_policer_has_a_frame_up_to_a_number_and_the_rest_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    found = probes_for(network_of(TEXT))
    about = {probe.about.subject for probe in found.probes if probe.about.subject.startswith("policer ")}
    assert (len(about), dict(found.untested).get("rate limits")) == (7, None)
    assert dict(found.untested)["traffic above a rate limit"] == 7
    monkeypatch.setattr(rate_limits, "_MOST_POLICERS", 3)
    assert dict(probes_for(network_of(TEXT)).untested)["rate limits"] == 5


def test_a_trace_shows_the_policer_and_a_drop_above_the_rate() -> None:
    names = Names(interfaces={1: "eth0"}, tables={}, access_lists={}, bonds={}, policers={0: "slow:eth0"})
    line = "  POLICER_CLASSIFY: sw_if_index 1 next 0 table 0 offset 1216 policer_index {}"
    drop = "  ip4-policer-classify: Policer classify action drop"
    for number, policer in ((0, "slow:eth0"), (7, "7"), (-1, "")):
        nodes = (Node(name="ip4-policer-classify", text=line.format(number)), Node(name="drop", text=drop))
        observation = observe_path(nodes, names)
        assert observation.steps == (("policed", "eth0", policer),)
        assert observation.ends == {FrameEnd(fate=Fate.DROPPED, reason=Reason.RATE)}


def test_a_rate_that_is_used_up_during_a_change_is_no_loss_where_there_is_a_limit() -> None:
    limited, free = network_of(TEXT), network_of(TEXT.replace("    police: slow\n", ""))
    over = Observation(steps=(), ends=frozenset({FrameEnd(fate=Fate.DROPPED, reason=Reason.RATE)}))
    for before, after, is_wrong in ((limited, limited, False), (free, limited, False), (free, free, True)):
        frames = (each for each in watched_frames(before, after) if each.probe.port == "eth0")
        frame = next(each for each in frames if any(end.fate is Fate.KEPT for end, _ in each.after.ends))
        assert (transient_of(frame, over, 1, ()) is not None) == is_wrong
