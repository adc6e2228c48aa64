"""Static mappings of NAT44: a host inside behind an address outside (plugins/nat/nat44-ed).

VPP lists a mapping by interface twice: without its address and with some flags left out, and once more as it is in
effect, while the interface has an address. A tag that bears these flags always has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from ipaddress import IPv4Address
from typing import Any

from vppcfg.engine.object_kind import VppObjectKind
from vppcfg.kinds.nat44.pools import RemoveByInterface
from vppcfg.kinds.nat44.settings import is_enabled, missing_nat44
from vppcfg.model.nat44 import NatMapping, NatProtocol, TwiceNat
from vppcfg.model.vrf import LAST_TYPED, FibTable
from vppcfg.operations.object_operation import SetObject
from vppcfg.operations.pause import Pause, PauseContext, of_sessions_looked_at
from vppcfg.operations.request import NO_INDEX, Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader, text_of

_SET = "nat44_add_del_static_mapping_v2"
_DUMP, _DETAILS = "nat44_static_mapping_dump", "nat44_static_mapping_details"
_TWICE, _SELF, _OUT_TO_IN, ADDRESS_ONLY = 0x1, 0x2, 0x4, 0x8
"""nat_config_flags (plugins/nat/lib/nat_types.api)."""
NUMBERS = {NatProtocol.ICMP: 1, NatProtocol.TCP: 6, NatProtocol.UDP: 17}
PROTOCOLS = {number: protocol for protocol, number in NUMBERS.items()}
_LOST = {"|out2in": _OUT_TO_IN, "|self": _SELF}
"""At the end of the tag of a mapping by interface: flags that VPP does not list of it."""
_PATHS = (
    *("flags", "local_ip_address", "external_ip_address", "protocol", "local_port", "external_port"),
    *("external_sw_if_index", "vrf_id", "tag"),
)


@record
class AddNatMapping(SetObject):
    """nat44_add_del_static_mapping_v2: map a host inside to an address outside."""

    item: NatMapping

    def _refusal(self, working: WorkingState) -> str | None:
        if self.item.name in working.objects.get(NatMapping, {}):
            return f"{self.item.name} is mapped already"
        return missing_nat44(working) or SetObject._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=1)

    def cli(self) -> str | None:
        """Return the command, which has no word for a tag."""
        return _line(self.item, "")


@record
class RemoveNatMapping(RemoveByInterface):
    """nat44_add_del_static_mapping_v2: remove a mapping, with its sessions.

    VPP requires the flags that it was added with: by those it finds what else it has noted.
    """

    item: NatMapping

    def at_address(self, address: str) -> NatMapping:
        """Return it as VPP has it in effect once the interface has an address."""
        return in_effect(self.item, address)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=0)

    def cli(self) -> str | None:
        return _line(self.item, " del")

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: VPP looks for its sessions."""
        return of_sessions_looked_at("it removes NAT44 mappings")


def _flags(item: NatMapping) -> int:
    twice = {TwiceNat.NO: 0, TwiceNat.YES: _TWICE, TwiceNat.SELF: _SELF}[item.twice]
    return twice | (_OUT_TO_IN if item.is_out_to_in_only else 0) | (0 if item.protocol else ADDRESS_ONLY)


def full_tag(item: NatMapping) -> str:
    """Return what VPP notes beside a mapping: its name in the file, and the flags that it would not list."""
    lost = _flags(item) if item.interface else 0
    return item.tag + "".join(word for word, flag in _LOST.items() if lost & flag)


def _request(item: NatMapping, indexes: Indexes, is_add: int) -> Request:
    values: dict[str, Value] = {
        "is_add": is_add,
        "flags": _flags(item),
        "local_ip_address": IPv4Address(item.local).packed,
        "external_ip_address": IPv4Address(item.external or 0).packed,
        "protocol": NUMBERS[item.protocol] if item.protocol else 0,
        "local_port": item.local_port,
        "external_port": item.external_port,
        "external_sw_if_index": indexes.interface(item.interface) if item.interface else NO_INDEX,
        "vrf_id": item.table_id,
        "tag": full_tag(item),
    }
    return Request(_SET, values)


def _line(item: NatMapping, end: str) -> str | None:
    if item.table_id > LAST_TYPED or full_tag(item) != item.tag:
        return None  # without the tag, flags could not be read back
    outside = item.external or item.interface
    ends = f"local {item.local} external {outside}"
    if item.protocol is not None:
        local = f"local {item.local} {item.local_port}"
        ends = f"{item.protocol.value} {local} external {outside} {item.external_port}"
    twice = {TwiceNat.NO: "", TwiceNat.YES: " twice-nat", TwiceNat.SELF: " self-twice-nat"}[item.twice]
    only = " out2in-only" if item.is_out_to_in_only else ""
    return f"nat44 add static mapping {ends} vrf {item.table_id}{twice}{only}{end}"


class NatMappingKind(VppObjectKind[NatMapping]):
    """The static mappings."""

    key = "nat44"
    object_class = NatMapping
    has_own_steps = True
    operations = (AddNatMapping, RemoveNatMapping)

    def set(self, item: NatMapping) -> AddNatMapping:
        return AddNatMapping(item=item)

    def remove(self, item: NatMapping) -> RemoveNatMapping:
        return RemoveNatMapping(item=item)

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[NatMapping]:
        """Yield the mappings; those by interface stand in the list as they are in effect, too: `finish` drops these."""
        if not is_enabled(connection, replies):
            return
        for row in connection.rows(replies, _DETAILS, *_PATHS):
            values = dict(zip(_PATHS, row, strict=True))
            index = values["external_sw_if_index"]
            is_known = values["protocol"] in PROTOCOLS or values["flags"] & ADDRESS_ONLY
            if is_known and (index == NO_INDEX or index in names):
                yield _mapping(values, names.get(index, ""))


def _mapping(values: Mapping[str, Any], interface: str) -> NatMapping:
    flags, tag = values["flags"], text_of(values["tag"])
    for word in reversed(_LOST):
        if interface and tag.endswith(word):
            tag, flags = tag.removesuffix(word), flags | _LOST[word]
    is_whole = bool(flags & ADDRESS_ONLY)
    return NatMapping(
        local=str(IPv4Address(values["local_ip_address"])),
        external="" if interface else str(IPv4Address(values["external_ip_address"])),
        interface=interface,
        protocol=None if is_whole else PROTOCOLS[values["protocol"]],
        local_port=0 if is_whole else values["local_port"],
        external_port=0 if is_whole else values["external_port"],
        table_id=values["vrf_id"],
        twice=TwiceNat.YES if flags & _TWICE else TwiceNat.SELF if flags & _SELF else TwiceNat.NO,
        is_out_to_in_only=bool(flags & _OUT_TO_IN),
        tag=tag,
    )


def in_effect(mapping: NatMapping, address: str) -> NatMapping:
    """Return a mapping by interface as VPP lists it with the address that the interface has."""
    return replace(mapping, interface="", external=address, tag=full_tag(mapping), is_idle=False)


KIND = NatMappingKind()
