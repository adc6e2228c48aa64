"""The sessions of NAT44 at the prompt: none, for no packets pass here (plugins/nat/nat44-ed/nat44_ed_cli.c)."""

from __future__ import annotations

from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Kind
from vppcfg.simulator.tables import Tables


def _show(tables: Tables, line: Input) -> str:
    """`show nat44 sessions [filter {i2o | o2i} {saddr <ip4-addr> | sport <n> | ...}]`."""
    return "NAT44 ED sessions:\n-------- thread 0 vpp_main: 0 sessions --------\n"


KIND = Kind(plugin="nat", commands={"show nat44 sessions": _show})
