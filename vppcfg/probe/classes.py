"""Predicts the QoS class that VPP notes for a packet as it comes in, and writes as it goes out (vnet/qos).

A `Journey` collects the predicted way of one frame.
"""

from __future__ import annotations

from vppcfg.model.qos import QosMap, QosMark, QosRecord, QosSource, QosStore
from vppcfg.probe.frame import Packet
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame
from vppcfg.probe.stages import Journey


def note_class(journey: Journey, name: str, packet: Packet) -> None:
    """Note the class that VPP takes a packet to have, which is open where it has several sources, or tags are one."""
    recorded = [each for each in journey.network.state.of(QosRecord).values() if each.interface == name]
    stored = [each for each in journey.network.state.of(QosStore).values() if each.interface == name]
    known = [each for each in recorded if each.source is QosSource.IP]
    for item in known:
        journey.note("recorded", "", Blame(subject=item.label), str(packet.traffic_class))
    for each in stored:
        journey.note("stored", "", Blame(subject=each.label), str(each.value))
    if recorded or stored:
        classes = [*(packet.traffic_class for _ in known), *(each.value for each in stored)]
        journey.packet_class = classes[0] if len(recorded) + len(stored) == len(classes) == 1 else None


def note_marks(journey: Journey, name: str) -> None:
    """Note which class VPP writes into a packet that it routes out of an interface, where it has noted one."""
    if journey.packet_class is None:
        return
    for mark in journey.network.state.of(QosMark).values():
        if mark.interface == name and mark.target in (QosSource.IP, QosSource.VLAN):
            value = written(journey.network, mark, journey.packet_class)
            if value is not None:
                journey.note("marked", "", Blame(subject=mark.label), f"{mark.target.value} {value}")


def written(network: Network, mark: QosMark, packet_class: int) -> int | None:
    """Return what a mark writes for a class that came from IP; None where its map is not there."""
    maps = network.state.of(QosMap).values()
    pairs = next((each.ip for each in maps if each.map_id == mark.map_id), None)
    return None if pairs is None else dict(zip(pairs[::2], pairs[1::2], strict=True)).get(packet_class, 0)
