"""The pools of NAT44: addresses one by one, and interfaces that give theirs (plugins/nat/nat44-ed)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from ipaddress import IPv4Address

from vppcfg.kinds.nat44.settings import is_enabled, missing_nat44
from vppcfg.kinds.object_kind import VppObjectKind
from vppcfg.model.interface import Interface
from vppcfg.model.nat44 import NatAddress, NatPool
from vppcfg.model.vrf import LAST_TYPED, FibTable
from vppcfg.plan.object_operation import RemoveObject, SetObject
from vppcfg.plan.request import NO_INDEX, Indexes, Request, Value, Vocabulary
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record
from vppcfg.vpp.reading import Replies, VppReader

_TWICE = 0x1
"""NAT_IS_TWICE_NAT (plugins/nat/lib/nat_types.api)."""
_ADDRESSES, _ADDRESS = "nat44_address_dump", "nat44_address_details"
_POOLS, _POOL = "nat44_interface_addr_dump", "nat44_interface_addr_details"
_SET_ADDRESS, _SET_POOL = "nat44_add_del_address_range", "nat44_add_del_interface_addr"


def own_addresses(interfaces: Mapping[str, Interface], name: str) -> list[str]:
    """Return the IPv4 addresses of an interface, or of the one whose addresses it borrows, leased ones too.

    VPP takes the first one.
    """
    interface = interfaces.get(name)
    if interface is not None and interface.unnumbered is not None:
        interface = interfaces.get(interface.unnumbered)
    if interface is None:
        return []
    found = {*interface.addresses, *(each.address for each in interface.live)}
    return sorted(address.partition("/")[0] for address in found if ":" not in address)


@record
class AddNatAddress(SetObject):
    """nat44_add_del_address_range: put one address into a pool.

    Of a range VPP takes addresses until one is there already, and keeps what it has taken: each has its own message.
    """

    thing: NatAddress

    def _refusal(self, draft: WorkingState) -> str | None:
        if self.thing.name in draft.objects.get(NatAddress, {}):
            return f"{self.thing.address} is in the pool already"
        return missing_nat44(draft) or SetObject._refusal(self, draft)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return _address_request(self.thing, is_add=1)

    def cli(self) -> str | None:
        """Return the command."""
        return _address_line(self.thing, "")


@record
class RemoveNatAddress(RemoveObject):
    """nat44_add_del_address_range: take an address out of a pool; the sessions that use it end."""

    thing: NatAddress

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return _address_request(self.thing, is_add=0)

    def cli(self) -> str | None:
        """Return the command."""
        return _address_line(self.thing, " del")


def _address_request(thing: NatAddress, is_add: int) -> Request:
    raw = IPv4Address(thing.address).packed
    table = NO_INDEX if thing.table_id is None else thing.table_id
    values: dict[str, Value] = {"first_ip_address": raw, "last_ip_address": raw, "vrf_id": table, "is_add": is_add}
    return Request(_SET_ADDRESS, {**values, "flags": _TWICE if thing.is_twice else 0})


def _address_line(thing: NatAddress, end: str) -> str | None:
    if thing.table_id is not None and thing.table_id > LAST_TYPED:
        return None
    table = "" if thing.table_id is None else f" tenant-vrf {thing.table_id}"
    return f"nat44 add address {thing.address}{table}{' twice-nat' if thing.is_twice else ''}{end}"


class NatAddressKind(VppObjectKind[NatAddress]):
    """The addresses of pools."""

    key = "nat44"
    thing = NatAddress
    has_own_steps = True
    operations = (AddNatAddress, RemoveNatAddress)

    def set(self, thing: NatAddress) -> AddNatAddress:
        """Return the operation that adds an address."""
        return AddNatAddress(thing=thing)

    def remove(self, thing: NatAddress) -> RemoveNatAddress:
        """Return the operation that removes one."""
        return RemoveNatAddress(thing=thing)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the addresses."""
        return [connection.request(_ADDRESSES)[1]] if connection.offers(_ADDRESSES) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[NatAddress]:
        """Yield every address, those that interfaces have given too: `finish` tells them apart."""
        if is_enabled(connection, replies):
            for raw, flags, table in connection.rows(replies, _ADDRESS, "ip_address", "flags", "vrf_id"):
                table_id = None if table == NO_INDEX else table
                yield NatAddress(address=str(IPv4Address(raw)), table_id=table_id, is_twice=bool(flags & _TWICE))


@record
class AddNatPool(SetObject):
    """nat44_add_del_interface_addr: have the first address of an interface in a pool, now or when it gets one."""

    thing: NatPool

    def _refusal(self, draft: WorkingState) -> str | None:
        if self.thing.name in draft.objects.get(NatPool, {}):
            return f"{self.thing.interface} gives its address to the pool already"
        return missing_nat44(draft) or SetObject._refusal(self, draft)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return _pool_request(self.thing, indexes, is_add=1)

    def cli(self) -> str:
        """Return the command."""
        return _pool_line(self.thing, "")


@record
class RemoveNatPool(RemoveObject):
    """nat44_add_del_interface_addr: take the address of an interface out of a pool; the sessions that use it end.

    VPP takes out the first address that the interface has then, whoever has put it there, and answers with an error,
    although the interface is out, where it is not there (nat44_ed_del_interface_address).
    """

    thing: NatPool

    def _refusal(self, draft: WorkingState) -> str | None:
        if self.thing.is_empty and not any(each in draft.objects.get(NatAddress, {}) for each in self._taken(draft)):
            return f"VPP has not taken the address of {self.thing.interface}, and would answer that it is not there"
        return RemoveObject._refusal(self, draft)

    def apply_to(self, draft: WorkingState) -> None:
        """Take the interface out, and its address where that stands there by itself."""
        addresses = draft.objects.get(NatAddress, {})
        for name in self._taken(draft):
            if name in addresses:
                draft.remove_object(addresses[name])
        RemoveObject.apply_to(self, draft)

    def _taken(self, draft: WorkingState) -> list[str]:
        """Return the names that the addresses of the interface have in the pool."""
        found = own_addresses(draft.interfaces, self.thing.interface)
        return [NatAddress(address=address, is_twice=self.thing.is_twice).name for address in found]

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return _pool_request(self.thing, indexes, is_add=0)

    def cli(self) -> str:
        """Return the command."""
        return _pool_line(self.thing, " del")


def _pool_request(thing: NatPool, indexes: Indexes, is_add: int) -> Request:
    values = {"is_add": is_add, "sw_if_index": indexes.interface(thing.interface)}
    return Request(_SET_POOL, {**values, "flags": _TWICE if thing.is_twice else 0})


def _pool_line(thing: NatPool, end: str) -> str:
    return f"nat44 add interface address {thing.interface}{' twice-nat' if thing.is_twice else ''}{end}"


class NatPoolKind(VppObjectKind[NatPool]):
    """The interfaces that give their address to a pool."""

    key = "nat44"
    thing = NatPool
    has_own_steps = True
    operations = (AddNatPool, RemoveNatPool)

    def set(self, thing: NatPool) -> AddNatPool:
        """Return the operation that adds an interface."""
        return AddNatPool(thing=thing)

    def remove(self, thing: NatPool) -> RemoveNatPool:
        """Return the operation that removes one."""
        return RemoveNatPool(thing=thing)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the interfaces."""
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
