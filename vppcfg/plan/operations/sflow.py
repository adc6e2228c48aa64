"""sFlow."""

from __future__ import annotations

from vppcfg.record import record


@record
class SetSflow:
    """sflow_enable_disable: sample the packets of a port, or no longer."""

    interface: str
    is_on: bool


@record
class SetSflowSamplingRate:
    """sflow_sampling_rate_set: sample one packet in so many."""

    sampling_rate: int


@record
class SetSflowPollingInterval:
    """sflow_polling_interval_set: send counters every so many seconds."""

    polling_interval_s: int


@record
class SetSflowHeaderBytes:
    """sflow_header_bytes_set: how much of a sampled packet is sent."""

    header_bytes: int
