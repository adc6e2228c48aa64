"""CLI commands for TAPs (plugins/tap/cli.c)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.unformat import Input
from vppcfg.simulator.vnet import tap

_STRINGS = {"host-if-name": "host_name", "host-ns": "netns", "host-bridge": "host_bridge"}
_NUMBERS = {
    "id": "number",
    "rx-ring-size": "rx_ring_size",
    "tx-ring-size": "tx_ring_size",
    "host-mtu-size": "host_mtu",
}
_IGNORED = ("num-rx-queues", "num-tx-queues")
_MACS = {"host-mac-addr": "host_mac", "hw-addr": "mac"}
_FLAGS = {"gso": 1, "csum-offload": 2, "persist": 4, "attach": 8, "tun": 16, "gro-coalesce": 32, "packed": 64}


def create(tables: Tables, rest: Input) -> str:
    """`create tap [id <number>] [host-if-name <name>] [host-ns <netns>] ..`."""
    line = rest.line()
    wish = tap.Wish()
    while not line.is_at_end:
        wish = replace(wish, **_option(line, wish.flags))
    _, row = tap.create(tables, wish)
    return f"{tables.name_of(row)}\n"


def _option(line: Input, flags: int) -> dict[str, Any]:
    for word, name in _NUMBERS.items():
        if (number := line.number_after(word)) is not None:
            return {name: number}
    for word, name in _STRINGS.items():
        if line.take(word):
            return {name: line.string() or ""}
    for word, name in _MACS.items():
        if (mac := line.mac_after(word)) is not None:
            return {name: mac}
    if any(line.number_after(word) is not None for word in _IGNORED):
        return {}
    for word, flag in _FLAGS.items():
        if line.take(word):
            return {"flags": flags | flag}
    raise RefusedError(Retval.UNSPECIFIED, "unknown input `'")


def delete(tables: Tables, rest: Input) -> str:
    """`delete tap <interface>`."""
    line = rest.line()
    if line.is_at_end:
        raise RefusedError(Retval.UNSPECIFIED, "Missing <interface>")
    row = line.interface(tables)
    if row is None or not line.is_at_end:
        raise RefusedError(Retval.UNSPECIFIED, "unknown input `'")
    tap.delete(tables, row.index)
    return ""
