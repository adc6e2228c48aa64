"""sFlow: how packets are sampled, and on which ports (plugins/sflow/sflow.h)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum


class Direction(IntEnum):
    """sflow_direction_t."""

    UNDEFINED = 0
    RX = 1
    TX = 2
    BOTH = 3


@dataclass(slots=True, kw_only=True)
class SflowMain:
    """The settings, and the ports by hardware index; these outlive the port that stood there."""

    sampling_rate: int = 10000
    polling_interval_s: int = 20
    header_bytes: int = 128
    direction: int = Direction.RX
    has_drop_monitoring: int = 0
    enabled: dict[int, bool] = field(default_factory=dict)
