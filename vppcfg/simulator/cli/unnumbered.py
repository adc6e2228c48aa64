"""The CLI command for borrowed addresses (vnet/interface_cli.c)."""

from __future__ import annotations

from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.unformat import Input
from vppcfg.simulator.vnet import unnumbered


def set_unnumbered(tables: Tables, line: Input) -> str:
    """`set interface unnumbered <interface> use <interface>`, `set interface unnumbered del <interface>`."""
    refusal = RefusedError(Retval.UNSPECIFIED, f"parse error '{line.shown}'")
    if line.take("del"):
        row = line.interface(tables)
        if row is None:
            raise refusal
        unnumbered.stop(tables, row.index)
        return ""
    row = line.interface(tables)
    donor = line.interface_after(tables, "use") if row is not None else None
    if row is None or donor is None:
        raise refusal
    unnumbered.borrow(tables, row, donor.index)
    return ""
