"""What a file says becomes of a frame, kind by kind."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from vppcfg.common.packets import ICMP, TCP
from vppcfg.model.acl import AclAction, AclBinding, AclRule, MacipAcl, MacipAction, MacipRule
from vppcfg.model.features import MssLimit, TrafficDirection, UrpfCheck, UrpfMode
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, TagRewrite
from vppcfg.model.ipfix import FlowRecords, FlowVariant
from vppcfg.model.nd_proxy import NdProxy
from vppcfg.model.neighbor import Neighbor
from vppcfg.model.qos import QosStore
from vppcfg.model.state import State
from vppcfg.model.tunnel import Gre, GreMode
from vppcfg.probe.coverage_gaps import untested_in
from vppcfg.probe.filters import matches
from vppcfg.probe.forwarding import predict
from vppcfg.probe.frame import BROADCAST, Frame, Inside, Packet, Tag
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, FrameEnd, Prediction, Reason, UndecidedError
from vppcfg.probe.switching import rewritten_in, rewritten_out

Ends = set[tuple[Fate, str, Reason | None]]
MAC = "02:00:00:00:01:00"
SOMEBODY = "02:00:5e:00:53:77"
Q100, Q300, AD200, Q20 = Tag(vlan=100), Tag(vlan=300), Tag(vlan=200, is_dot1ad=True), Tag(vlan=20)


def frame(mac: str = MAC, *tags: Tag, **packet: object) -> Frame:
    whole: dict[str, object] = {"source": "192.0.2.7", "destination": "192.0.2.9", **packet}
    return Frame(destination=mac, source="02:00:5e:00:00:01", packet=Packet(**whole), tags=tags)  # type: ignore[arg-type]


def foretold(state: State, port: str, sent: Frame) -> Prediction:
    return predict(Network(state), port, sent)


def ends(prediction: Prediction) -> Ends:
    return {(end.fate, end.interface, end.reason) for end, _ in prediction.ends}


def sent_by(name: str) -> Ends:
    return {(Fate.SENT, name, None)}


def asked_on(name: str) -> Ends:
    return {(Fate.ASKED, name, None)}


def dropped(reason: Reason) -> Ends:
    return {(Fate.DROPPED, "", reason)}


ETH = "GigabitEthernet1/0/{}".format
KEPT: Ends = {(Fate.KEPT, "", None)}
CASES: dict[str, tuple[str, Frame, Ends]] = {
    "to a neighbour": (ETH(0), frame(), sent_by(ETH(0))),
    "to somebody unknown": (
        ETH(0),
        replace(frame(), packet=replace(frame().packet, destination="192.0.2.77")),
        asked_on(ETH(0)),
    ),
    "to the router": (ETH(0), replace(frame(), packet=replace(frame().packet, destination="192.0.2.1")), KEPT),
    "to nowhere": (
        ETH(0),
        replace(frame(), packet=replace(frame().packet, destination="203.0.113.1")),
        dropped(Reason.NO_ROUTE),
    ),
    "the last hop": (ETH(0), frame(ttl=1), {(Fate.ANSWERED, "", Reason.EXPIRED)}),
    "as large as the MTU": (ETH(0), frame(size=1500, has_df=True), sent_by(ETH(0))),
    "too large": (ETH(0), frame(size=1501, has_df=True), {(Fate.ANSWERED, "", Reason.TOO_BIG)}),
    "another MAC address": (ETH(0), frame(SOMEBODY), dropped(Reason.OTHER_MAC)),
    "an unknown tag": (ETH(0), frame(MAC, Tag(vlan=7)), dropped(Reason.NO_VLAN)),
    "two tags for one": (ETH(0), frame(MAC, Q100, Q20), dropped(Reason.NO_VLAN)),
    "two tags": (
        ETH(0),
        replace(frame(MAC, AD200, Q20), packet=Packet(source="10.2.0.7", destination="10.2.0.1")),
        KEPT,
    ),
    "two tags of the other kind": (ETH(0), frame(MAC, Q20, Q20), dropped(Reason.NO_VLAN)),
    "from where there is no route to": (ETH(0), frame(MAC, AD200, Q20), dropped(Reason.NO_WAY_BACK)),
    "denied": (ETH(0), frame(ports=(1025, 53)), dropped(Reason.ACL)),
    "permitted": (ETH(0), frame(protocol=TCP, ports=(1025, 53)), sent_by(ETH(0))),
    "a sub-interface that is down": (ETH(1), frame("02:00:00:00:01:01", Tag(vlan=400)), dropped(Reason.DOWN)),
    "no address of the family": (
        ETH(1),
        replace(frame("02:00:00:00:01:01"), packet=Packet(source="10.7.0.1", destination="10.7.0.2")),
        dropped(Reason.NOT_ENABLED),
    ),
    "broadcast in a bridge domain": (
        ETH(1),
        frame(SOMEBODY, Q100),
        {(Fate.SENT, ETH(2), None), (Fate.SENT, ETH(0), None)},
    ),
    "a cross-connect": (ETH(1), frame(SOMEBODY, Q300), sent_by(ETH(3))),
    "a cross-connect back": (ETH(3), frame(SOMEBODY), sent_by(f"{ETH(1)}.300")),
    "a bond, in the table of its VRF": (
        ETH(4),
        replace(frame("02:00:00:00:05:01"), packet=Packet(source="10.5.0.7", destination="10.5.0.1")),
        KEPT,
    ),
    "a bond, in no other table": (ETH(4), frame("02:00:00:00:05:01"), dropped(Reason.NO_ROUTE)),
    "into a tunnel": (
        ETH(0),
        replace(frame(), packet=Packet(source="192.0.2.7", destination="10.9.0.2")),
        sent_by(ETH(0)),
    ),
}


@pytest.mark.parametrize(("port", "sent", "expected"), CASES.values(), ids=CASES)
def test_a_frame_ends_where_the_file_says(state: State, port: str, sent: Frame, expected: Ends) -> None:
    assert ends(foretold(state, port, sent)) == expected


def test_a_tunnel_whose_other_end_is_behind_itself_leads_nowhere_that_is_known(state: State) -> None:
    name = "gre0"
    neighbor = Neighbor(address="192.0.2.5", mac=SOMEBODY)
    around = replace(state.interfaces[name], addresses=frozenset({"192.0.2.130/25"}), neighbors=(neighbor,))
    tunnel = state.virtual_of(name, Gre)
    assert tunnel is not None
    made = replace(tunnel, mode=GreMode.TEB, remote="192.0.2.200")
    changed = replace(state, interfaces={**state.interfaces, name: around}, virtual={**state.virtual, name: made})
    sent = replace(frame(), packet=Packet(source="192.0.2.7", destination="192.0.2.201"))
    with pytest.raises(UndecidedError, match="leads through the tunnel"):
        foretold(replace(changed, virtual={**changed.virtual, name: replace(made, mode=GreMode.L3)}), ETH(0), sent)
    sent = replace(sent, packet=replace(sent.packet, destination="192.0.2.201"))
    with_neighbor = replace(around, neighbors=(Neighbor(address="192.0.2.201", mac=SOMEBODY),))
    changed = replace(changed, interfaces={**changed.interfaces, name: with_neighbor})
    with pytest.raises(UndecidedError, match="leads through the tunnel"):
        foretold(changed, ETH(0), sent)


def end_of(prediction: Prediction) -> FrameEnd:
    ((end, _),) = prediction.ends
    return end


def test_what_leaves_has_the_tags_the_neighbour_and_one_hop_less(state: State) -> None:
    end = end_of(foretold(state, ETH(0), frame()))
    assert (end.tags, end.destination_mac, end.ttl) == ((), "02:00:5e:10:00:09", 63)


def test_a_tunnel_puts_its_own_ends_around_a_packet(state: State) -> None:
    end = end_of(foretold(state, ETH(0), replace(frame(), packet=Packet(source="192.0.2.7", destination="10.9.0.2"))))
    assert (end.source, end.destination) == ("192.0.2.1", "192.0.2.9")


TO_LOOPBACK = replace(frame(), packet=Packet(source="192.0.2.7", destination="10.3.0.9"))
GRE_IN = Packet(
    source="192.0.2.9",
    destination="192.0.2.1",
    protocol=47,
    inside=Inside(packet=Packet(source="10.9.0.2", destination="10.9.0.1")),
)


@pytest.mark.parametrize(
    ("packet", "expected"),
    [
        (GRE_IN, KEPT),
        (replace(GRE_IN, source="192.0.2.8"), dropped(Reason.NO_TUNNEL)),
        (replace(GRE_IN, inside=replace(GRE_IN.inside, key=5)), dropped(Reason.NO_TUNNEL)),  # type: ignore[type-var]
        (replace(GRE_IN, source="203.0.113.9"), KEPT),
    ],
    ids=["its own", "another router", "another key", "no route back"],
)
def test_what_comes_by_a_tunnel_goes_on(state: State, packet: Packet, expected: Ends) -> None:
    assert ends(foretold(state, ETH(0), replace(frame(), packet=packet))) == expected


def with_interface(state: State, name: str, **changes: object) -> State:
    changed = replace(state.interfaces[name], **changes)  # type: ignore[arg-type]
    return replace(state, interfaces={**state.interfaces, name: changed})


def test_a_port_that_is_down_takes_nothing_and_sends_nothing(state: State) -> None:
    down = with_interface(state, ETH(2), is_up=False)
    assert ends(foretold(down, ETH(2), frame(SOMEBODY))) == dropped(Reason.DOWN)
    assert (Fate.DROPPED, "", Reason.DOWN) in ends(foretold(down, ETH(1), frame(SOMEBODY, Q100)))


def test_a_sub_interface_that_is_down_sends_what_is_switched_all_the_same(state: State) -> None:
    down = with_interface(state, f"{ETH(1)}.300", is_up=False)
    assert ends(foretold(down, ETH(3), frame(SOMEBODY))) == {(Fate.SENT, f"{ETH(1)}.300", None)}


def test_nothing_goes_between_members_of_one_split_horizon_group(state: State) -> None:
    grouped = state
    for name in (f"{ETH(1)}.100", ETH(2)):
        grouped = with_interface(grouped, name, split_horizon_group=1)
    assert ends(foretold(grouped, ETH(2), frame(SOMEBODY))) == sent_by(ETH(0))


def test_nobody_knows_what_vpp_does_with_what_goes_where_nothing_is_plugged_in(state: State) -> None:
    network = Network(state, frozenset({ETH(0)}))
    with pytest.raises(UndecidedError, match="nothing is plugged in"):
        predict(network, ETH(0), frame())


TO_GRE = replace(frame(), packet=Packet(source="192.0.2.7", destination="10.9.0.2", size=1400))


def with_frames_in_gre0(state: State, mtu: int, **changes: object) -> State:
    neighbors = (Neighbor(address="10.9.0.2", mac=SOMEBODY),)
    changed = with_interface(state, "gre0", packet_mtu=mtu, mac=MAC, neighbors=neighbors, **changes)
    tunnel = state.virtual_of("gre0", Gre)
    assert tunnel is not None
    return replace(changed, virtual={**changed.virtual, "gre0": replace(tunnel, mode=GreMode.TEB)})


@pytest.mark.parametrize(("mtu", "expected"), [(1400, dropped(Reason.TOO_BIG)), (1414, sent_by(ETH(0)))])
def test_a_gre_tunnel_counts_the_headers_of_the_frames_in_it(state: State, mtu: int, expected: Ends) -> None:
    assert ends(foretold(with_frames_in_gre0(state, mtu), ETH(0), TO_GRE)) == expected


@pytest.mark.parametrize(
    "feature",
    [
        {"has_gso": True},
        {"acls": AclBinding(output=("outside",))},
        {"urpf": (UrpfCheck(mode=UrpfMode.LOOSE, is_output=True),)},
        {"mss_clamp": (MssLimit(mss=1300, direction=TrafficDirection.OUTPUT),)},
        {"flow_records": FlowRecords()},
    ],
    ids=lambda feature: next(iter(feature)),
)
def test_nobody_knows_the_way_behind_a_feature_into_a_gre_tunnel_with_frames(
    state: State, feature: dict[str, object]
) -> None:
    with pytest.raises(UndecidedError, match="behind an output feature"):
        foretold(with_frames_in_gre0(state, 1500, **feature), ETH(0), TO_GRE)


@pytest.mark.parametrize(
    "feature",
    [
        {"acls": AclBinding(input=("outside",))},
        {"urpf": (UrpfCheck(mode=UrpfMode.LOOSE, is_output=True, is_ipv6=True), UrpfCheck(mode=UrpfMode.LOOSE))},
        {"mss_clamp": (MssLimit(mss=1300, direction=TrafficDirection.INPUT), MssLimit(mss=1300, is_ipv6=True))},
        {"flow_records": FlowRecords(direction=TrafficDirection.INPUT)},
        {"flow_records": FlowRecords(variant=FlowVariant.IP6)},
    ],
    ids=str,
)
def test_features_elsewhere_do_not_matter_to_a_gre_tunnel_with_frames(state: State, feature: dict[str, object]) -> None:
    found = foretold(with_frames_in_gre0(state, 1500, **feature), ETH(0), TO_GRE)
    assert ends(found) == sent_by(ETH(0))


def test_which_stations_may_send_through_a_tunnel_is_not_foretold(state: State) -> None:
    hosts = MacipAcl(rules=(MacipRule(action=MacipAction.PERMIT, source="10.9.0.0/30"),))
    changed = replace(with_frames_in_gre0(state, 1500, macip="hosts"), macips={"hosts": hosts})
    inside = Inside(frame=frame(source="10.9.0.2", destination="10.9.0.1"))
    with pytest.raises(UndecidedError, match="the packet around it"):
        foretold(changed, ETH(0), replace(frame(), packet=replace(GRE_IN, inside=inside)))


@pytest.mark.parametrize(
    ("mode", "is_output", "source", "is_dropped"),
    [
        (UrpfMode.STRICT, False, "192.0.2.7", False),
        (UrpfMode.STRICT, False, "198.51.100.7", True),
        (UrpfMode.LOOSE, False, "198.51.100.7", False),
        (UrpfMode.LOOSE, False, "203.0.113.7", True),
        (UrpfMode.STRICT, True, "192.0.2.7", True),
        (UrpfMode.STRICT, True, "198.51.100.7", False),
        (UrpfMode.LOOSE, True, "192.0.2.7", False),
    ],
)
def test_reverse_path_checks_ask_for_another_way_on_the_way_out(
    state: State, mode: UrpfMode, source: str, *, is_output: bool, is_dropped: bool
) -> None:
    checked = with_interface(state, ETH(0), urpf=(UrpfCheck(mode=mode, is_output=is_output),))
    found = ends(foretold(checked, ETH(0), frame(source=source)))
    assert (found == dropped(Reason.NO_WAY_BACK)) == is_dropped


def test_what_nobody_can_know_is_not_foretold(state: State) -> None:
    with pytest.raises(UndecidedError, match="the BVI gets a copy"):
        foretold(state, ETH(2), frame(BROADCAST))
    with pytest.raises(UndecidedError, match="comes back"):
        foretold(state, ETH(0), TO_LOOPBACK)


SUB = Interface(
    name="x.1",
    kind=InterfaceKind.SUB_INTERFACE,
    parent="x",
    encapsulation=Encapsulation(outer=200, inner=20, is_dot1ad=True),
)
REWRITES: dict[str, tuple[TagRewrite | None, Sequence[Tag], Sequence[Tag] | None, Sequence[Tag]]] = {
    "none": (None, [AD200, Q20], [AD200, Q20], [AD200, Q20]),
    "pop 1": (TagRewrite(operation=3), [AD200, Q20], [Q20], [AD200, Q20]),
    "pop 2": (TagRewrite(operation=4), [AD200, Q20], [], [AD200, Q20]),
    "push 1": (TagRewrite(operation=1, push_dot1q=1, tag1=5), [Q20], [Tag(vlan=5), Q20], [Q20]),
    "push 2": (
        TagRewrite(operation=2, push_dot1q=0, tag1=5, tag2=6),
        [],
        [Tag(vlan=5, is_dot1ad=True), Tag(vlan=6)],
        [],
    ),
    "translate 1 to 1": (TagRewrite(operation=5, push_dot1q=1, tag1=5), [AD200, Q20], [Tag(vlan=5), Q20], [AD200, Q20]),
    "translate 1 to 2": (
        TagRewrite(operation=6, push_dot1q=1, tag1=5, tag2=6),
        [AD200, Q20],
        [Tag(vlan=5), Tag(vlan=6), Q20],
        [AD200, Q20],
    ),
    "translate 2 to 1": (TagRewrite(operation=7, push_dot1q=1, tag1=5), [AD200, Q20], [Tag(vlan=5)], [AD200, Q20]),
    "translate 2 to 2": (
        TagRewrite(operation=8, push_dot1q=0, tag1=5, tag2=6),
        [AD200, Q20],
        [Tag(vlan=5, is_dot1ad=True), Tag(vlan=6)],
        [AD200, Q20],
    ),
    "pop 2 of one": (TagRewrite(operation=4), [Q20], None, []),
}


@pytest.mark.parametrize(("rewrite", "outside", "inside", "back"), REWRITES.values(), ids=REWRITES)
def test_tags_are_rewritten_on_the_way_in_and_back_on_the_way_out(
    rewrite: TagRewrite | None, outside: Sequence[Tag], inside: Sequence[Tag] | None, back: Sequence[Tag]
) -> None:
    interface = replace(SUB, tag_rewrite=rewrite)
    taken = rewritten_in(interface, frame(MAC, *outside))
    if inside is None:
        assert taken is None
        return
    assert taken is not None
    assert list(taken.tags) == list(inside)
    given = rewritten_out(interface, taken)
    assert given is not None
    assert list(given.tags) == list(back)


RULE = AclRule(action=AclAction.DENY, source="192.0.2.0/24", destination="0.0.0.0/0", protocol=TCP)
PACKET = Packet(source="192.0.2.7", destination="10.0.0.1", protocol=TCP, ports=(1025, 80), tcp_flags=2)


@pytest.mark.parametrize(
    ("rule", "packet", "is_about"),
    [
        (RULE, PACKET, True),
        (RULE, replace(PACKET, source="192.0.3.7"), False),
        (replace(RULE, destination="10.0.0.0/31"), PACKET, True),
        (replace(RULE, destination="10.0.0.2/31"), PACKET, False),
        (RULE, replace(PACKET, protocol=17), False),
        (replace(RULE, protocol=0), replace(PACKET, protocol=17), True),
        (replace(RULE, destination_ports=(80, 80)), PACKET, True),
        (replace(RULE, destination_ports=(81, 90)), PACKET, False),
        (replace(RULE, source_ports=(0, 1024)), PACKET, False),
        (replace(RULE, tcp_flags=(18, 2)), PACKET, True),
        (replace(RULE, tcp_flags=(18, 16)), PACKET, False),
        (replace(RULE, protocol=ICMP, source_ports=(8, 8), destination_ports=(0, 0)), PACKET, False),
        (
            replace(RULE, protocol=ICMP, source_ports=(8, 8), destination_ports=(0, 0)),
            replace(PACKET, protocol=ICMP, ports=(8, 0)),
            True,
        ),
        (replace(RULE, source="::/0", destination="::/0"), PACKET, False),
    ],
)
def test_a_rule_is_about_what_it_says(rule: AclRule, packet: Packet, *, is_about: bool) -> None:
    assert matches(rule, packet) == is_about


def test_objects_that_no_frame_is_about_are_counted() -> None:
    qos = {item.name: item for item in (QosStore(interface=ETH(0), value=1), QosStore(interface=ETH(1), value=1))}
    proxy = NdProxy(address="2001:db8::5", interface=ETH(0))
    state = State(objects={QosStore: qos, NdProxy: {proxy.name: proxy}})
    assert untested_in(state, (), ()) == (("ND proxies", 1), ("QoS", 2))
