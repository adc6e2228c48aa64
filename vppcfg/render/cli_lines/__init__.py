"""Operations as lines of VPP's CLI: an operation in, its line out. Nothing else knows VPP's grammar."""

from __future__ import annotations

from vppcfg.render.cli_lines import (
    acl,
    address,
    bond,
    bridge,
    interface,
    l2,
    lcp,
    linux,
    loopback,
    mpls,
    sflow,
    sub_interface,
    tap,
    vxlan,
)
from vppcfg.render.cli_lines.dispatch import line_of

__all__ = ["line_of"]

FILLERS = (acl, address, bond, bridge, interface, l2, lcp, linux, loopback, mpls, sflow, sub_interface, tap, vxlan)
"""The modules that fill the table, each for one kind of object."""
