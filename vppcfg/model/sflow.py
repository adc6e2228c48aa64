"""sFlow: the settings of the whole VPP. On which ports it runs is an attribute of the interface."""

from __future__ import annotations

from vppcfg.record import record


@record
class SflowSettings:
    """How packets are sampled (plugins/sflow)."""

    sampling_rate: int = 10000
    """One packet in so many."""
    polling_interval_s: int = 20
    header_bytes: int = 128
