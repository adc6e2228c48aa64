"""The pools of NAT44: addresses one by one, and interfaces that give theirs (plugins/nat/nat44-ed)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Address

from vppcfg.engine.object_kind import VppObjectKind
from vppcfg.kinds.nat44.settings import is_enabled, missing_nat44
from vppcfg.model.nat44 import NatAddress, NatExemption, NatMapping, NatPool
from vppcfg.model.vpp_object import VppObject
from vppcfg.model.vrf import LAST_TYPED, FibTable
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.pause import Pause, PauseContext, of_lost_sessions
from vppcfg.operations.request import NO_INDEX, Indexes, Request, Value, Vocabulary
from vppcfg.operations.transition import own_addresses
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_TWICE = 0x1
"""NAT_IS_TWICE_NAT (plugins/nat/lib/nat_types.api)."""
_ADDRESSES, _ADDRESS = "nat44_address_dump", "nat44_address_details"
_POOLS, _POOL = "nat44_interface_addr_dump", "nat44_interface_addr_details"
_SET_ADDRESS, _SET_POOL = "nat44_add_del_address_range", "nat44_add_del_interface_addr"


@record
class AddNatAddress(SetObject):
    """nat44_add_del_address_range: put one address into a pool.

    Of a range VPP takes addresses until one is there already, and keeps what it has taken: each has its own message.
    """

    item: NatAddress

    def _refusal(self, working: WorkingState) -> str | None:
        if self.item.name in working.objects.get(NatAddress, {}):
            return f"{self.item.address} is in the pool already"
        return missing_nat44(working) or SetObject._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _address_request(self.item, is_add=1)

    def cli(self) -> str | None:
        return _address_line(self.item, "")


@record
class RemoveNatAddress(RemoveObject):
    """nat44_add_del_address_range: take an address out of a pool; the sessions that use it end."""

    item: NatAddress

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _address_request(self.item, is_add=0)

    def cli(self) -> str | None:
        return _address_line(self.item, " del")

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: sessions that use it end."""
        return of_lost_sessions("it takes addresses out of NAT44's pool")


def _address_request(item: NatAddress, is_add: int) -> Request:
    raw = IPv4Address(item.address).packed
    table = NO_INDEX if item.table_id is None else item.table_id
    values: dict[str, Value] = {"first_ip_address": raw, "last_ip_address": raw, "vrf_id": table, "is_add": is_add}
    return Request(_SET_ADDRESS, {**values, "flags": _TWICE if item.is_twice else 0})


def _address_line(item: NatAddress, end: str) -> str | None:
    if item.table_id is not None and item.table_id > LAST_TYPED:
        return None
    table = "" if item.table_id is None else f" tenant-vrf {item.table_id}"
    return f"nat44 add address {item.address}{table}{' twice-nat' if item.is_twice else ''}{end}"


class NatAddressKind(VppObjectKind[NatAddress]):
    """The addresses of pools."""

    key = "nat44"
    object_class = NatAddress
    has_own_steps = True
    operations = (AddNatAddress, RemoveNatAddress)

    def set(self, item: NatAddress) -> AddNatAddress:
        return AddNatAddress(item=item)

    def remove(self, item: NatAddress) -> RemoveNatAddress:
        return RemoveNatAddress(item=item)

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request(_ADDRESSES)[1]] if connection.offers(_ADDRESSES) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[NatAddress]:
        """Yield every address, those that interfaces have given too: `finish` distinguishes them."""
        if is_enabled(connection, replies):
            for raw, flags, table in connection.rows(replies, _ADDRESS, "ip_address", "flags", "vrf_id"):
                table_id = None if table == NO_INDEX else table
                yield NatAddress(address=str(IPv4Address(raw)), table_id=table_id, is_twice=bool(flags & _TWICE))


@record
class AddNatPool(SetObject):
    """nat44_add_del_interface_addr: have the first address of an interface in a pool, now or when it gets one."""

    item: NatPool

    def _refusal(self, working: WorkingState) -> str | None:
        if self.item.name in working.objects.get(NatPool, {}):
            return f"{self.item.interface} gives its address to the pool already"
        return missing_nat44(working) or SetObject._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _pool_request(self.item, indexes, is_add=1)

    def cli(self) -> str:
        return _pool_line(self.item, "")


@record
class RemoveNatPool(RemoveObject):
    """nat44_add_del_interface_addr: take the address of an interface out of a pool; the sessions that use it end.

    VPP takes out the first address that the interface has then, whoever has put it there, and answers with an error,
    although the interface is out, where it is not there (nat44_ed_del_interface_address).
    """

    item: NatPool

    def _refusal(self, working: WorkingState) -> str | None:
        if self.item.is_empty and self._taken(working) is None:
            return f"VPP has not taken the address of {self.item.interface}, and would answer that it is not there"
        return RemoveObject._refusal(self, working)

    def apply_to(self, working: WorkingState) -> None:
        """Take the interface out, and its first address where that stands there by itself."""
        if (taken := self._taken(working)) is not None:
            working.remove_object(taken)
        RemoveObject.apply_to(self, working)

    def _taken(self, working: WorkingState) -> VppObject | None:
        """Return the first address of the interface where that stands in the pool by itself."""
        there = working.objects.get(NatAddress, {})
        found = own_addresses(working.interfaces, self.item.interface)[:1]
        names = (NatAddress(address=address, is_twice=self.item.is_twice).name for address in found)
        return next((there[name] for name in names if name in there), None)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _pool_request(self.item, indexes, is_add=0)

    def cli(self) -> str:
        return _pool_line(self.item, " del")

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: sessions that use it end."""
        return of_lost_sessions("it takes addresses out of NAT44's pool")


def _pool_request(item: NatPool, indexes: Indexes, is_add: int) -> Request:
    values = {"is_add": is_add, "sw_if_index": indexes.interface(item.interface)}
    return Request(_SET_POOL, {**values, "flags": _TWICE if item.is_twice else 0})


def _pool_line(item: NatPool, end: str) -> str:
    return f"nat44 add interface address {item.interface}{' twice-nat' if item.is_twice else ''}{end}"


class NatPoolKind(VppObjectKind[NatPool]):
    """The interfaces that give their address to a pool."""

    key = "nat44"
    object_class = NatPool
    has_own_steps = True
    operations = (AddNatPool, RemoveNatPool)

    def set(self, item: NatPool) -> AddNatPool:
        return AddNatPool(item=item)

    def remove(self, item: NatPool) -> RemoveNatPool:
        return RemoveNatPool(item=item)

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request(_POOLS)[1]] if connection.offers(_POOLS) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[NatPool]:
        """Yield the interfaces, but for those that are gone."""
        if is_enabled(connection, replies):
            for index, flags in connection.rows(replies, _POOL, "sw_if_index", "flags"):
                if index in names:
                    yield NatPool(interface=names[index], is_twice=bool(flags & _TWICE))


ADDRESS_KIND = NatAddressKind()
POOL_KIND = NatPoolKind()


@record
class RemoveByInterface(RemoveObject):
    """Remove a mapping or an exemption; one by interface takes along what stands at the address of that by itself."""

    item: NatMapping | NatExemption

    @abstractmethod
    def at_address(self, address: str) -> VppObject:
        """Return what VPP has in effect once the interface has an address."""

    def _refusal(self, working: WorkingState) -> str | None:
        if self.item.is_idle and self._in_effect(working) is None:
            return f"VPP has not taken the address of {self.item.interface}, and would answer that there is none"
        return RemoveObject._refusal(self, working)

    def apply_to(self, working: WorkingState) -> None:
        """Take it out, and what stands at the first address of its interface."""
        if (in_effect := self._in_effect(working)) is not None:
            working.remove_object(in_effect)
        RemoveObject.apply_to(self, working)

    def _in_effect(self, working: WorkingState) -> VppObject | None:
        there = working.objects.get(type(self.item), {})
        addresses = own_addresses(working.interfaces, self.item.interface)[:1] if self.item.interface else []
        names = (self.at_address(address).name for address in addresses)
        return next((there[name] for name in names if name in there), None)
