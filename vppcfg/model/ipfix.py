"""IPFIX: records of flows, of which interfaces they are made, and where they are sent (plugins/flowprobe)."""

from __future__ import annotations

from enum import Enum

from vppcfg.model.features import PacketFeature, TrafficDirection
from vppcfg.record import record

GONE_TABLE = -1
"""The id of a FIB table that the exporter is in and that there is not, or is another one by now."""


class FlowVariant(Enum):
    """Which packets of an interface records are about; the values are those of the file."""

    IP4 = "ip4"
    IP6 = "ip6"
    L2 = "l2"


class FlowLayer(Enum):
    """What stands in a record; the values are those of the file."""

    L2 = "l2"
    """MAC addresses and EtherType."""
    L3 = "l3"
    L4 = "l4"


@record
class FlowRecords(PacketFeature):
    """The flows of an interface that are recorded."""

    variant: FlowVariant = FlowVariant.IP4
    direction: TrafficDirection = TrafficDirection.BOTH

    def applies_to(self, *, is_ipv6: bool, is_output: bool) -> bool:
        """Return whether records are made of these packets; those of L2 are of frames."""
        variant = FlowVariant.IP6 if is_ipv6 else FlowVariant.IP4
        return self.variant is variant and self.direction.includes(is_output=is_output)


@record
class IpfixExporter:
    """Where records are sent; the one exporter that flowprobe has."""

    collector: str = ""
    """Canonical IPv4 address; '' sends nothing, and then all else is as by default."""
    source: str = ""
    port: int = 4739
    table_id: int = 0
    """The FIB table that the collector is looked up in."""
    path_mtu: int = 512
    template_interval_s: int = 20
    has_udp_checksum: bool = False


@record
class FlowParams:
    """What is recorded of each flow; VPP refuses to change it while any interface is recorded."""

    layers: tuple[FlowLayer, ...] = ()
    """In the order of FlowLayer."""
    active_s: int = 15
    """A flow that lasts is reported each time that so many seconds have passed; 0 reports packets, not flows."""
    passive_s: int = 120
    """A flow is forgotten after so many seconds without a packet; 0 forgets none."""


@record
class IpfixSettings:
    """What all recorded interfaces share."""

    exporter: IpfixExporter = IpfixExporter()
    params: FlowParams = FlowParams()
