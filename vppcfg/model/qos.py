"""Quality of service: where VPP takes the class of packets from, and where it writes it (vnet/qos)."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from vppcfg.model.vpp_object import Reference, Referent, VppObject
from vppcfg.record import record


class QosSource(Enum):
    """A field of a packet with a class; the values are those of the file, in the order of VPP's numbers."""

    EXT = "ext"
    """No field: a class that a feature of VPP gives."""
    VLAN = "vlan"
    """The priority of the outer VLAN tag, 0 to 7."""
    MPLS = "mpls"
    """The traffic class of the outer label, 0 to 7."""
    IP = "ip"
    """The whole byte that has DSCP in its upper six bits."""


SOURCES = tuple(QosSource)
"""By VPP's number (qos_source_t, vnet/qos/qos_types.h)."""


@record
class QosMap(VppObject):
    """What is written, by where the class comes from and what it is there; what is not named becomes 0."""

    noun = "QoS map"
    table = "qos_maps"
    carries_traffic = False
    attachment_kinds = ("QoS map",)

    map_id: int
    ext: tuple[int, ...] = ()
    """Pairs of the class and what happens to it, one behind the other, in order and without those that become 0."""
    vlan: tuple[int, ...] = ()
    mpls: tuple[int, ...] = ()
    ip: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return str(self.map_id)


@record
class QosRecord(VppObject):
    """An interface of whose packets VPP notes the class as they come in."""

    noun = "QoS record"
    table = "qos_records"
    carries_traffic = False
    attachment_kinds = ("QoS record",)

    interface: str
    source: QosSource

    @property
    def name(self) -> str:
        """Return where the class comes from."""
        return f"{self.source.value} on {self.interface}"

    @property
    def scope(self) -> str:
        return self.interface

    def references(self) -> Iterator[Reference]:
        yield Reference(Referent.INTERFACE, self.interface)


@record
class QosStore(VppObject):
    """An interface whose packets have one class, whatever they bear."""

    noun = "QoS store"
    table = "qos_stores"
    carries_traffic = False
    attachment_kinds = ("QoS store",)

    interface: str
    value: int

    @property
    def name(self) -> str:
        """Return the class too: VPP counts a second one, so that the first must go before."""
        return f"{self.value} on {self.interface}"

    @property
    def scope(self) -> str:
        return self.interface

    def references(self) -> Iterator[Reference]:
        yield Reference(Referent.INTERFACE, self.interface)


@record
class QosMark(VppObject):
    """An interface on whose packets VPP writes the class as they go out."""

    noun = "QoS mark"
    table = "qos_marks"
    carries_traffic = False
    attachment_kinds = ("QoS mark",)

    interface: str
    target: QosSource
    map_id: int | None
    """None for a map that is deleted: VPP marks by whatever map gets its place."""

    @property
    def name(self) -> str:
        """Return where the class is written."""
        return f"{self.target.value} on {self.interface}"

    @property
    def scope(self) -> str:
        return self.interface

    def references(self) -> Iterator[Reference]:
        yield Reference(Referent.INTERFACE, self.interface)
        if self.map_id is not None:
            yield Reference(Referent.OBJECT, QosMap(map_id=self.map_id).label)
