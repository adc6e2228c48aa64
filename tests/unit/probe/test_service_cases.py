"""What a file requires of path MTUs, punt redirects and classes, and which frames prove it."""

import pytest

from tests.unit.probe.networks import network_of
from vppcfg.model.lcp import LcpPair
from vppcfg.probe.forwarding import predict
from vppcfg.probe.frame import UNUSED_PROTOCOL, Frame, Packet
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, Prediction, Reason, UndecidedError
from vppcfg.probe.test_cases import probes_for
from vppcfg.probe.trace import Names, Node, observe_path
from vppcfg.record import evolve

TEXT = """\
interfaces:
  eth0:
    mtu: 1500
    addresses: [ 192.0.2.1/24, 2001:db8::1/64 ]
    neighbors: { 192.0.2.9: "02:00:00:00:00:09" }
    qos: { record: [ ip ], mark: { ip: 1 } }
    punt-redirect: { ipv4: { interface: eth1, gateway: 198.51.100.2 } }
  eth1:
    mtu: 1500
    addresses: [ 198.51.100.1/24, 2001:db8:1::1/64 ]
    neighbors: { 198.51.100.2: "02:00:00:00:00:02", "2001:db8:1::2": "02:00:00:00:00:03" }
    qos: { mark: { ip: 1 } }
  eth2: { mtu: 1500, addresses: [ 203.0.113.1/24 ], qos: { record: [ ip ], store: 32 } }
qos_maps: { 1: { ip: { 184: 40 } } }
routes: { 10.9.0.0/16: 198.51.100.2, 10.8.0.0/16: blackhole }
path-mtu: { 198.51.100.2: 1400, 10.9.0.1: 1300, 10.9.0.2: 9000, 10.8.0.1: 1300, "2001:db8:1::2": 1270 }
punt-redirect: { ipv6: { interface: eth1, gateway: "2001:db8:1::2" } }
"""


@pytest.fixture(scope="module")
def network() -> Network:
    return network_of(TEXT)


def fate(network: Network, destination: str, port: str = "eth0", **more: object) -> Prediction:
    source = {"eth0": ("192.0.2.9", "2001:db8::9"), "eth2": ("203.0.113.9", "")}[port][":" in destination]
    packet = Packet(source=source, destination=destination, **more)  # type: ignore[arg-type]
    return predict(network, port, Frame(destination=network.mac_of(port), source="02:00:00:00:00:09", packet=packet))


def ends(prediction: Prediction) -> list[tuple[Fate, Reason | None, str]]:
    return [(end.fate, end.reason, blame.subject) for end, blame in prediction.ends]


@pytest.mark.parametrize(
    ("destination", "size", "subject"),
    [
        ("198.51.100.2", 1400, ""),
        ("198.51.100.2", 1401, "path MTU to 198.51.100.2"),
        ("10.9.0.7", 1401, "path MTU to 198.51.100.2"),
        ("10.9.0.1", 100, "path MTU to 10.9.0.1"),
        ("10.9.0.2", 1400, ""),
        ("198.51.100.77", 1401, ""),
        ("2001:db8:1::2", 1271, ""),
    ],
)
def test_a_path_mtu_of_a_neighbour_is_that_of_its_packets_and_of_a_far_host_a_refusal(
    network: Network, destination: str, size: int, subject: str
) -> None:
    found = ends(fate(network, destination, size=size, has_df=":" not in destination))
    too_big = [(Fate.ANSWERED, Reason.TOO_BIG, subject)]
    assert (found == too_big) == bool(subject), "IPv6 packets pass where the MTU is below 1280 bytes"


def test_what_may_be_cut_is_not_followed_and_a_route_to_nowhere_counts_before(network: Network) -> None:
    with pytest.raises(UndecidedError, match="cut into pieces"):
        fate(network, "10.9.0.1", size=100)
    assert [end.reason for end, _ in fate(network, "10.8.0.1", size=1400, has_df=True).ends] == [Reason.NO_ROUTE]


def test_no_older_vpp_is_sent_what_it_may_crash_at(network: Network) -> None:
    older = Network(evolve(network.state, facts=evolve(network.state.facts, version="25.10-release")))
    with pytest.raises(UndecidedError, match="may crash"):
        fate(older, "10.9.0.1", size=1401, has_df=True)


def test_only_what_the_router_has_no_use_for_is_redirected_with_its_ttl(network: Network) -> None:
    for own, port, gateway in (("192.0.2.1", "eth0", "198.51.100.2"), ("2001:db8::1", "eth0", "2001:db8:1::2")):
        redirected = fate(network, own, port, protocol=UNUSED_PROTOCOL, ttl=1)
        (end,) = (end for end, _ in redirected.ends)
        assert (end.fate, end.interface, end.ttl) == (Fate.SENT, "eth1", 1), gateway
        assert "redirected" in {step.kind for step in redirected.steps}
    assert [end.fate for end, _ in fate(network, "192.0.2.1").ends] == [Fate.KEPT]
    unused = fate(network, "203.0.113.1", "eth2", protocol=UNUSED_PROTOCOL)
    assert [end.fate for end, _ in unused.ends] == [Fate.KEPT], "eth2 has no redirect, and the section none of IPv4"


@pytest.mark.parametrize(("bits", "written"), [(184, "ip 40"), (8, "ip 0")])
def test_a_class_is_noted_and_written_by_the_map_of_the_interface_by_which_it_leaves(
    network: Network, bits: int, written: str
) -> None:
    steps = {step.seen for step in fate(network, "198.51.100.2", traffic_class=bits).steps}
    assert {("recorded", "", str(bits)), ("marked", "", written)} <= steps


def test_of_two_sources_none_is_written(network: Network) -> None:
    kinds = {step.kind for step in fate(network, "198.51.100.2", "eth2", traffic_class=184).steps}
    assert "marked" not in kinds


def test_frames_are_about_each_of_them_and_what_has_none_is_counted(network: Network) -> None:
    found = probes_for(network)
    about = {probe.about.subject for probe in found.probes} | {each.about.subject for each in found.unproved}
    assert {
        "path MTU to 198.51.100.2",
        "path MTU to 10.9.0.1",
        "punt redirect of IPv4 from eth0",
        "punt redirect of IPv6 from all interfaces",
        "QoS mark ip on eth1",
        "QoS record ip on eth0",
    } <= about
    assert "path MTUs" not in dict(found.untested)
    assert dict(found.untested)["QoS"] == 1, "the store of eth2, whose frame is that of its record"


def test_what_vpp_has_no_use_for_goes_to_linux_where_its_interface_has_a_pair(network: Network) -> None:
    paired = Network(evolve(network.state, lcps={"eth2": LcpPair(host_name="e2")}))
    assert [end.fate for end, _ in fate(paired, "203.0.113.1", "eth2").ends] == [Fate.PUNTED]
    with pytest.raises(UndecidedError, match="with linux-cp"):
        fate(paired, "192.0.2.1")
    unpaired = Network(evolve(network.state, lcps={"eth2": LcpPair(host_name="e2", has_host=False)}))
    assert [end.fate for end, _ in fate(unpaired, "203.0.113.1", "eth2").ends] == [Fate.KEPT]
    assert ("LCP pairs", 1) not in probes_for(paired).untested
    assert ("LCP pairs", 1) in probes_for(unpaired).untested


def test_a_trace_shows_what_goes_to_linux() -> None:
    nodes = (
        Node(name="ip4-receive", text=""),
        Node(name="ip4-punt", text=""),
        Node(name="ip4-punt-redirect", text="  via redirect:0"),
        Node(name="tap4096-output", text="  tap4096 flags 0xc3190001\n  IP4: 02:00:00:00:00:09 -> 02:00:00:00:01:01"),
        Node(name="tap4096-tx", text=""),
    )
    names = Names(interfaces={}, tables={}, access_lists={}, bonds={}, hosts=frozenset({"tap4096"}))
    assert [end.fate for end in observe_path(nodes, names).ends] == [Fate.PUNTED]


def test_a_trace_shows_classes_and_redirects() -> None:
    names = Names(interfaces={}, tables={}, access_lists={}, bonds={})
    nodes = (
        Node(name="ip4-qos-record", text="  qos:184"),
        Node(name="ip4-receive", text=""),
        Node(name="ip4-punt-redirect", text="  via redirect:0"),
        Node(name="vlan-ip4-qos-mark", text="  source:IP qos:5 used:yes"),
        Node(name="ip4-qos-mark", text="  source:IP qos:7 used:no"),
    )
    observation = observe_path(nodes, names)
    assert observation.steps == (
        ("recorded", "", "184"),
        ("received", "", ""),
        ("redirected", "", ""),
        ("marked", "", "vlan 5"),
    )
    assert observation.ends == frozenset()
    ignored = observe_path((*nodes[:2], Node(name="ip4-punt-redirect", text="  ignore")), names)
    assert [end.fate for end in ignored.ends] == [Fate.KEPT]
