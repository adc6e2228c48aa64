"""What NAT44 and DET44 have of a state, indexed by the addresses that packets bear."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv4Network
from typing import TypeVar

from vppcfg.common.packets import TCP, UDP
from vppcfg.model.det44 import Det44Map
from vppcfg.model.nat44 import Nat44, NatAddress, NatExemption, NatLeaks, NatMapping, NatPool, NatProtocol, NatSide
from vppcfg.model.state import State
from vppcfg.probe.frame import Packet
from vppcfg.record import record

_PROTOCOLS = {TCP: NatProtocol.TCP, UDP: NatProtocol.UDP}
_Key = TypeVar("_Key")


@record
class PoolAddress:
    """An address by which hosts inside appear outside."""

    address: str
    table_id: int | None
    """The FIB table of the hosts that it serves before all others; None serves whoever has none of his own."""
    label: str
    """Of the object of the file that gives it."""


class NatIndex:
    """The mappings, exemptions, pools and maps of a state."""

    def __init__(self, state: State) -> None:
        """Take a state."""
        self._state = state
        self.settings = next(iter(state.of(Nat44).values()), Nat44())
        self.leaking = frozenset(each.table_id for each in state.of(NatLeaks).values())
        self.outside = frozenset(
            name for name, each in state.interfaces.items() if each.nat44 in (NatSide.OUTSIDE, NatSide.BOTH)
        )
        self.has_output_side = any(each.nat44 is NatSide.OUTPUT for each in state.interfaces.values())
        self.pool = tuple(self._addresses())
        mappings = [each for each in state.of(NatMapping).values() if not each.is_idle]
        self._by_local = _grouped(((each.table_id, each.local), each) for each in mappings)
        self._by_external = _grouped((outer, each) for each in mappings for outer in self.outer_addresses(each))
        exemptions = [each for each in state.of(NatExemption).values() if not each.is_idle]
        self._exempt = _grouped((own, each) for each in exemptions for own in self.outer_addresses(each))

    def outer_addresses(self, item: NatMapping | NatExemption) -> list[str]:
        """Return the addresses that VPP may have of an object; those of an interface where it names one."""
        own = item.external if isinstance(item, NatMapping) else item.address
        return [own] if own else self._of_interface(item.interface)

    def mappings_from(self, table: int, packet: Packet) -> list[NatMapping]:
        """Return the mapping of the host that a packet comes from, the one of its port first."""
        found = self._by_local.get((table, packet.source), [])
        return [each for each in _fitting(found, packet, at=0) if not each.is_out_to_in_only]

    def mappings_to(self, packet: Packet) -> list[NatMapping]:
        """Return the mapping of the address that a packet goes to, the one of its port first, in whatever table."""
        return _fitting(self._by_external.get(packet.destination, []), packet, at=1)

    def is_mapped(self, address: str) -> bool:
        """Return whether an address, or a port of it, is the outer end of a mapping."""
        return address in self._by_external

    def is_exempt(self, address: str, port: int, protocol: int) -> bool:
        """Return whether an address, or a port of it, is not translated."""
        return any(
            each.protocol is None or (each.protocol is _PROTOCOLS.get(protocol) and each.port == port)
            for each in self._exempt.get(address, [])
        )

    def serving(self, table: int) -> list[PoolAddress]:
        """Return the addresses of which VPP takes one for hosts of a table (nat_ed_alloc_addr_and_port)."""
        own = [each for each in self.pool if each.table_id == table]
        return own or [each for each in self.pool if each.table_id is None]

    def maps_from(self, address: str) -> list[Det44Map]:
        """Return the maps of DET44 for a host inside."""
        host = IPv4Address(address)
        return [each for each in self._state.of(Det44Map).values() if host in IPv4Network(each.inside)]

    def _addresses(self) -> Iterator[PoolAddress]:
        for each in self._state.of(NatAddress).values():
            if not each.is_twice:
                yield PoolAddress(address=each.address, table_id=each.table_id, label=each.label)
        for pool in self._state.of(NatPool).values():
            if not pool.is_twice and not pool.is_empty:
                for address in self._of_interface(pool.interface):
                    yield PoolAddress(address=address, table_id=None, label=pool.label)

    def _of_interface(self, name: str) -> list[str]:
        interface = self._state.interfaces.get(name)
        if interface is None:
            return []
        owner = self._state.interfaces.get(interface.unnumbered or name, interface)
        return [text.partition("/")[0] for text in sorted(owner.addresses) if ":" not in text]


_Item = TypeVar("_Item")


def _grouped(pairs: Iterable[tuple[_Key, _Item]]) -> dict[_Key, list[_Item]]:
    found: dict[_Key, list[_Item]] = defaultdict(list)
    for key, item in pairs:
        found[key].append(item)
    return found


def _fitting(mappings: Iterable[NatMapping], packet: Packet, at: int) -> list[NatMapping]:
    """Return those of the port that a packet comes from (`at` 0) or goes to (1), then those of whole addresses."""
    protocol, port = _PROTOCOLS.get(packet.protocol), packet.ports[at]
    exact = [
        each
        for each in mappings
        if each.protocol is not None
        and each.protocol is protocol
        and port == (each.external_port if at else each.local_port)
    ]
    return exact or [each for each in mappings if each.protocol is None]
