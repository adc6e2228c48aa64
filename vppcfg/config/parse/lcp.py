"""The `lcp` key: a name, or a name and a namespace."""

from __future__ import annotations

from typing import Any

from vppcfg.model.configuration import LcpConfig


def parse_lcp(raw: Any) -> LcpConfig | None:
    """Parse the value of an `lcp` key, None when it is absent."""
    if raw is None:
        return None
    if isinstance(raw, str):
        return LcpConfig(host_name=raw)
    return LcpConfig(host_name=raw["name"], netns=raw.get("netns"))
