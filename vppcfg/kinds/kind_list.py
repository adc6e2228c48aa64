"""The kinds of objects that a file configures. Every central table is made from these lists.

A module of `kinds/` has all that is known of its kind: its section of the file, rules, operations with their messages
and lines of VPP's CLI, and how VPP is asked for what there is. A new kind is such a module and a line here.

Tunnels and features of interfaces are models for others: `kinds/gre.py`, `kinds/urpf.py`.
"""

from __future__ import annotations

from vppcfg.kinds import gre, ipfix_settings, ipip, proxy_arp_ranges, vxlan
from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.kinds.kind import Kind
from vppcfg.kinds.virtual_interface import AnyVirtualInterface

VIRTUAL_INTERFACES: tuple[AnyVirtualInterface, ...] = (vxlan.KIND, gre.KIND, ipip.KIND)
"""Interfaces that VPP creates on demand."""

KINDS: tuple[Kind, ...] = (*VIRTUAL_INTERFACES, *FEATURE_KINDS, ipfix_settings.KIND, proxy_arp_ranges.KIND)
"""All of them."""
