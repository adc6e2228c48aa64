"""sFlow: its settings, and the ports whose packets are sampled (plugins/sflow/sflow.c)."""

from __future__ import annotations

from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables

_STEP, _LEAST, _MOST = 32, 64, 256
"""Bytes of a packet's header."""
_NOT_A_PORT = "Invalid interface, only works on physical ports"


def set_enabled(tables: Tables, sw_if_index: int, is_on: bool) -> None:
    """Sample a port, or no longer; raise RefusedError for no port, or one that is so already.

    VPP remembers it by the hardware index, and does not forget it when the port goes.
    """
    row = tables.sw.get(sw_if_index)
    if row is None or row.is_sub:
        raise RefusedError(Retval.INVALID_SW_IF_INDEX, _NOT_A_PORT)
    if tables.sflow.enabled.get(row.hw_index, False) == is_on:
        retval = Retval.VALUE_EXIST
        raise RefusedError(retval, f"sflow_enable_disable returned {retval.value}")
    tables.sflow.enabled[row.hw_index] = is_on


def set_header_bytes(tables: Tables, size: int) -> None:
    """Set how much of a packet is told: whole steps, between VPP's limits."""
    rounded = (((size + _STEP - 1) & 0xFFFFFFFF) // _STEP) * _STEP
    tables.sflow.header_bytes = min(max(rounded, _LEAST), _MOST)


def ports(tables: Tables) -> list[int]:
    """Return the hardware indexes whose packets are sampled."""
    return sorted(index for index, is_on in tables.sflow.enabled.items() if is_on)
