"""What the plugin linux-nl does to a simulated VPP at the kernel's messages (plugins/linux-cp/lcp_router.c).

There is no kernel here: whoever plays it calls `LinuxNl`, and leaves out what is to be lost on the way.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from vppcfg.model.forwarding import Hop
from vppcfg.simulator import interfaces
from vppcfg.simulator.fib_entries import COPIED, DROP, PROHIBIT, UNREACHABLE, FibPath, NetlinkMain, prefix_of
from vppcfg.simulator.kinds import address, fib, neighbor
from vppcfg.simulator.port import mac_bytes
from vppcfg.simulator.tables import FibSource, SwInterface, Tables
from vppcfg.simulator.wire import NONE

_ENDS = {"blackhole": DROP, "unreachable": UNREACHABLE, "prohibit": PROHIBIT}
_STATIC = 1


class LinuxNl:
    """The listener of one simulated VPP; its methods are the kernel's messages."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._main = tables.part(NetlinkMain)
        self._main.is_running = True

    def link(self, name: str, *, mtu: int, is_up: bool) -> None:
        """Give an interface the MTU and the state that its device has."""
        row = self._row(name)
        row.mtus[0] = mtu
        interfaces.set_admin_state(self._tables, row, is_up)

    def address(self, name: str, text: str, *, is_add: bool = True) -> None:
        """Give an interface an address of its device, or take one away. Raise RefusedError as VPP does."""
        each = ipaddress.ip_interface(text)
        change = address.add if is_add else address.remove
        change(self._tables, self._row(name), each.version == 6, int(each.ip), each.network.prefixlen)

    def neighbor(self, name: str, text: str, mac: str, *, is_static: bool = False) -> None:
        """Enter a neighbour that Linux knows. Raise RefusedError as VPP does."""
        flags = _STATIC if is_static else 0
        neighbor.add(self._tables, self._row(name).index, ipaddress.ip_address(text), mac_bytes(mac), flags)

    def route(self, table_id: int, prefix: str, hops: Sequence[Hop], *, source: str = COPIED[0]) -> None:
        """Put a route into a table, which is made when it is not there; its hops are VPP's interfaces by name."""
        is_ipv6 = ":" in prefix
        main = self._tables.fib6 if is_ipv6 else self._tables.fib4
        if table_id not in main.tables:
            fib.hold(self._tables, is_ipv6, table_id, FibSource.LINUX_NL)
        paths = tuple(self._path(hop, is_ipv6) for hop in hops)
        self._main.routes.setdefault((is_ipv6, table_id), {}).setdefault(prefix_of(prefix), {})[source] = paths

    def withdraw(self, table_id: int, prefix: str) -> None:
        """Take a route out of a table, whoever put it there."""
        self._main.routes.get((":" in prefix, table_id), {}).pop(prefix_of(prefix), None)

    def _path(self, hop: Hop, is_ipv6: bool) -> FibPath:
        if hop.end:
            return FibPath(NONE, kind=_ENDS[hop.end], is_ipv6=is_ipv6)
        is_over_ipv6 = len(hop.gateway) == 16 if hop.gateway else is_ipv6
        return FibPath(
            self._row(hop.interface).index, hop.gateway, weight=hop.weight, is_ipv6=is_over_ipv6, labels=hop.labels
        )

    def _row(self, name: str) -> SwInterface:
        row = self._tables.named(name)
        if row is None:
            raise KeyError(name)
        return row
