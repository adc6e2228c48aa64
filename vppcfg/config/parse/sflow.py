"""The `sflow` section: how packets are sampled, in values that VPP keeps as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.model.sflow import SflowSettings

_STEP, _MIN = 32, 64
"""Of the header bytes: VPP rounds up to whole steps (plugins/sflow/sflow.c, sflow_header_bytes)."""


def parse_sflow(raw: Mapping[str, Any] | None) -> SflowSettings:
    """Parse the value of the `sflow` section."""
    default = SflowSettings()
    given = raw or {}
    rate, interval, header = (given.get(key) for key in ("sampling-rate", "polling-interval", "header-bytes"))
    return SflowSettings(
        sampling_rate=default.sampling_rate if rate is None else rate,
        polling_interval_s=default.polling_interval_s if interval is None else interval,
        header_bytes=default.header_bytes if header is None else max(_MIN, -(-header // _STEP) * _STEP),
    )
