"""What NAT44 leaves untranslated: identity mappings, of an address or of a port of it (plugins/nat/nat44-ed)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from ipaddress import IPv4Address

from vppcfg.engine.object_kind import TrafficImpact, VppObjectKind
from vppcfg.kinds.nat44.mappings import ADDRESS_ONLY, NUMBERS, PROTOCOLS
from vppcfg.kinds.nat44.pools import RemoveByInterface
from vppcfg.kinds.nat44.settings import is_enabled, missing_nat44
from vppcfg.model.nat44 import OF_THE_INSIDE, Nat44, NatExemption
from vppcfg.model.state import State
from vppcfg.model.vrf import LAST_TYPED, FibTable
from vppcfg.operations.change import Impact
from vppcfg.operations.object_operation import SetObject
from vppcfg.operations.request import NO_INDEX, Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader, text_of

_SET = "nat44_add_del_identity_mapping"
_DUMP, _DETAILS = "nat44_identity_mapping_dump", "nat44_identity_mapping_details"
_PATHS = ("flags", "ip_address", "protocol", "port", "sw_if_index", "vrf_id", "tag")


@record
class AddNatExemption(SetObject):
    """nat44_add_del_identity_mapping: leave an address, or a port of it, untranslated."""

    item: NatExemption

    def _refusal(self, working: WorkingState) -> str | None:
        if self.item.name in working.objects.get(NatExemption, {}):
            return f"{self.item.name} is there already"
        return missing_nat44(working) or SetObject._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=1)

    def cli(self) -> str | None:
        """Return the command, which has no word for a tag."""
        return _line(self.item, "")


@record
class RemoveNatExemption(RemoveByInterface):
    """nat44_add_del_identity_mapping: translate an address, or a port of it, like all others."""

    item: NatExemption

    def at_address(self, address: str) -> NatExemption:
        """Return it as VPP has it in effect once the interface has an address."""
        return in_effect(self.item, address)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=0)

    def cli(self) -> str | None:
        return _line(self.item, " del")


def _request(item: NatExemption, indexes: Indexes, is_add: int) -> Request:
    values: dict[str, Value] = {
        "is_add": is_add,
        "flags": 0 if item.protocol else ADDRESS_ONLY,
        "ip_address": IPv4Address(item.address or 0).packed,
        "protocol": NUMBERS[item.protocol] if item.protocol else 0,
        "port": item.port,
        "sw_if_index": indexes.interface(item.interface) if item.interface else NO_INDEX,
        "vrf_id": item.table_id,
        "tag": item.tag,
    }
    return Request(_SET, values)


def _line(item: NatExemption, end: str) -> str | None:
    if item.table_id > LAST_TYPED:
        return None
    port = f" {item.protocol.value} {item.port}" if item.protocol else ""
    what = item.address or f"external {item.interface}"
    return f"nat44 add identity mapping {what}{port} vrf {item.table_id}{end}"


class NatExemptionKind(VppObjectKind[NatExemption]):
    """The exemptions."""

    key = "nat44"
    object_class = NatExemption
    has_own_steps = True
    operations = (AddNatExemption, RemoveNatExemption)

    def set(self, item: NatExemption) -> AddNatExemption:
        return AddNatExemption(item=item)

    def remove(self, item: NatExemption) -> RemoveNatExemption:
        return RemoveNatExemption(item=item)

    def traffic_impacts(
        self, before: State, after: State, linked: tuple[Collection[str], Collection[str]]
    ) -> Iterator[TrafficImpact]:
        """Yield hosts that were translated, and leave with the address that they have inside from now on."""
        new = {name: each for name, each in after.of(NatExemption).items() if name not in before.of(NatExemption)}
        if not new or not before.of(Nat44):
            return
        is_translating = any(before.interfaces[name].nat44 is not None for name in linked[0])
        own = {address.partition("/")[0] for each in before.interfaces.values() for address in each.addresses}
        for name, item in new.items():
            if is_translating and item.address and item.address not in own:
                yield TrafficImpact(name, Impact.POLICY, "untranslated", frozenset())

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[NatExemption]:
        """Yield the exemptions; those by interface stand in the list as they are in effect, too: `finish` drops these.

        VPP lists ports of whole addresses (nat44_ed_api.c), which mean nothing.
        """
        if not is_enabled(connection, replies):
            return
        for flags, raw, number, port, index, table, tag in connection.rows(replies, _DETAILS, *_PATHS):
            is_whole = bool(flags & ADDRESS_ONLY)
            if (index == NO_INDEX or index in names) and (is_whole or number in PROTOCOLS):
                yield NatExemption(
                    address=str(IPv4Address(raw)) if index == NO_INDEX else "",
                    interface=names.get(index, ""),
                    protocol=None if is_whole else PROTOCOLS[number],
                    port=0 if is_whole else port,
                    table_id=table,
                    tag=text_of(tag),
                )


def in_effect(exemption: NatExemption, address: str) -> NatExemption:
    """Return an exemption by interface as VPP lists it with the address that the interface has, and its table."""
    table = 0 if exemption.table_id == OF_THE_INSIDE else exemption.table_id
    return replace(exemption, interface="", address=address, table_id=table, is_idle=False)


KIND = NatExemptionKind()
