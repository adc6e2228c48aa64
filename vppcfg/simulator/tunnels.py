"""The base of simulated tunnels of all kinds: a pool of them, found by a key, by interface, and by number."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address
from typing import Generic, Protocol, TypeVar

from vppcfg.simulator import interfaces
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import SwInterface, Tables
from vppcfg.simulator.wire import NONE, Values

Address = IPv4Address | IPv6Address
TunnelKey = tuple[int | Address, ...]
ENDS = {"src": "source", "dst": "destination"}
"""The words of the ends of a tunnel at the prompt, and their fields."""


class TunnelRequest(Protocol):
    """The tunnel that is asked for, as far as it is alike for all kinds."""

    @property
    def source(self) -> Address:
        """Return the local end."""

    @property
    def table(self) -> int:
        """Return the id of the FIB table that the ends are in."""

    @property
    def number(self) -> int:
        """Return the number that the name is to end in, NONE for any."""

    @property
    def key(self) -> TunnelKey:
        """Return what VPP finds a tunnel by."""


_Request = TypeVar("_Request", bound=TunnelRequest)


@dataclass(slots=True, kw_only=True)
class Tunnel(Generic[_Request]):
    """One tunnel."""

    index: int
    number: int
    """The N of the name."""
    request: _Request
    sw_if_index: int = 0


@dataclass(slots=True, kw_only=True)
class TunnelMain(Generic[_Request]):
    """All tunnels of a kind, which is a subclass."""

    tunnels: Pool[Tunnel[_Request]] = field(default_factory=Pool)
    by_key: dict[TunnelKey, int] = field(default_factory=dict)
    by_sw: dict[int, int] = field(default_factory=dict)
    numbers: set[int] = field(default_factory=set)

    def add(self, request: _Request) -> Tunnel[_Request]:
        """Make a tunnel, of which the caller has looked that there is none like it, but not its interface.

        Raise RefusedError when its number is taken.
        """
        tunnel = self.tunnels.add(lambda index: Tunnel(index=index, number=_number(request, index), request=request))
        if tunnel.number in self.numbers:
            self.tunnels.remove(tunnel.index)
            raise RefusedError(Retval.INSTANCE_IN_USE, "Instance is in use")
        self.numbers.add(tunnel.number)
        self.by_key[request.key] = tunnel.index
        return tunnel

    def enter(self, tunnel: Tunnel[_Request], row: SwInterface) -> SwInterface:
        """Note the interface of a tunnel, and return it."""
        tunnel.sw_if_index = row.index
        self.by_sw[row.index] = tunnel.index
        return row

    def remove(self, tables: Tables, key: TunnelKey) -> Tunnel[_Request] | None:
        """Remove the tunnel with a key and its interface, and return it; None when there is none."""
        index = self.by_key.pop(key, None)
        if index is None:
            return None
        tunnel = self.tunnels[index]
        del self.by_sw[tunnel.sw_if_index]
        interfaces.delete_port(tables, tables.hw_of(tables.sw[tunnel.sw_if_index]).index)
        self.numbers.discard(tunnel.number)
        self.tunnels.remove(index)
        return tunnel

    def shown(self, sw_if_index: int) -> list[Tunnel[_Request]]:
        """Return the tunnels that a dump asks for: that of one interface, or with NONE all."""
        return [tunnel for tunnel in self.tunnels if sw_if_index in {NONE, tunnel.sw_if_index}]

    @classmethod
    def let_link_follow(cls, tables: Tables, sw_if_index: int) -> None:
        """Bring the link of a tunnel up or down with its interface, that of one without Ethernet too."""
        if sw_if_index in tables.part(cls).by_sw:
            row = tables.sw[sw_if_index]
            tables.hw_of(row).is_link_up = row.is_up


def _number(request: TunnelRequest, index: int) -> int:
    return index if request.number == NONE else request.number


def address_of(values: Values, name: str) -> Address:
    """Return the address in a field of a message."""
    packed = values[f"{name}.un"]
    return IPv6Address(packed) if values[f"{name}.af"] else IPv4Address(packed[:4])


def address_values(name: str, address: Address) -> Values:
    """Return the fields of an address in a message."""
    return {f"{name}.af": address.version == 6, f"{name}.un": address.packed}


def has_table(tables: Tables, request: TunnelRequest) -> bool:
    """Return whether there is the FIB table that the ends of a tunnel are in."""
    return request.table in (tables.fib6 if request.source.version == 6 else tables.fib4).tables
