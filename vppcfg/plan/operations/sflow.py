"""sFlow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSflow:
    """sflow_enable_disable: sample the packets of a port, or no longer."""

    interface: str
    is_on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSflowSamplingRate:
    """sflow_sampling_rate_set: sample one packet in so many."""

    sampling_rate: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSflowPollingInterval:
    """sflow_polling_interval_set: send counters every so many seconds."""

    polling_interval_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetSflowHeaderBytes:
    """sflow_header_bytes_set: how much of a sampled packet is sent."""

    header_bytes: int
