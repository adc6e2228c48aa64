"""Operations on rate limits: policers, tables of the classifier with what they send to policers, and interfaces.

A policer is changed in place, and so is what a table sends to it: there is no moment without a limit. VPP deletes
policers and tables in use, and does nothing, with reply 0, where an interface has a table already.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from vppcfg.common.numbers import DSCP_NAMES
from vppcfg.common.rates import bit_rate
from vppcfg.model.rate_limit import (
    IPV6_BIT,
    LAYERS,
    MARK,
    TABLE_MARK,
    LimitedInterface,
    LimitTable,
    Policer,
    RateLimit,
    chain,
)
from vppcfg.model.state import State
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import InterfaceOperation, Numbering, Predicate
from vppcfg.operations.request import NO_INDEX, Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import family_and_bytes

NUMBERED = "rate limit"
"""Policers and tables by their names; those of tables are numbers, and those of policers have a colon."""
VECTOR_BYTES = 16
ADDRESS_BYTES = (4, 16)
"""Of IPv4 and IPv6."""
_BUCKETS, _MEMORY_BYTES = 4096, 64 << 20
"""Of tables of hosts: enough for all that a file may have, so that none is made anew because it is full, at which VPP
ends. VPP takes the memory as it needs it, and 32 kB of its main heap for the buckets."""
_BUCKETS_FOR_ALL, _MEMORY_FOR_ALL_BYTES = 2, 1 << 20
"""Of a table with one session."""
_MARKS = {number: name.upper() for name, number in DSCP_NAMES.items()}
_TRANSMIT, _DROP, _MARK = 1, 0, 2
"""sse2_qos_action_type (policer_types.api)."""
_NO_SUCH_TABLE = -65
"""VNET_API_ERROR_NO_SUCH_TABLE (vnet/error.h)."""
_UNUSED = ("eir", "eb", "type", "rate_type", "round_type", "color_aware")
"""Settings that are 0 of the policers of files."""
SETTINGS = (
    *("cir", "cb", *_UNUSED),
    *(f"{when}_action.{part}" for when in ("conform", "exceed", "violate") for part in ("type", "dscp")),
)
"""What VPP shows of a policer and packets notice."""


@record
class AddPolicer(SetObject):
    """policer_add: make a policer; VPP picks its index."""

    numbered = NUMBERED
    numbering = Numbering.GIVES
    item: Policer

    def _refusal(self, working: WorkingState) -> str | None:
        return f"there is a {self.item.label}" if self.item.name in working.objects.get(Policer, {}) else None

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("policer_add", {"name": f"{MARK}{self.item.name}", **_settings(self.item)})

    def cli(self) -> str | None:
        return _typed("policer add", self.item)

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return the limit."""
        return _limit(self.item)


@record
class UpdatePolicer(SetObject):
    """policer_update: give a policer another rate, with a full bucket and counters that begin at 0."""

    numbered = NUMBERED
    item: Policer

    def _refusal(self, working: WorkingState) -> str | None:
        return None if self.item.name in working.objects.get(Policer, {}) else f"there is no {self.item.label}"

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        index = indexes.number(NUMBERED, self.item.name)
        return Request("policer_update", {"policer_index": index, **_settings(self.item)})

    def cli(self) -> str | None:
        return _typed("configure policer", self.item)

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return the limit, and what VPP forgets."""
        one, many, _ = _limit(self.item)
        lost = ", and VPP counts its packets from 0 again"
        return Predicate(one + lost, many + lost)


@record
class RemovePolicer(RemoveObject):
    """policer_del: delete a policer that no rate limit names."""

    numbered = NUMBERED
    numbering = Numbering.FREES
    item: Policer

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("policer_del", {"policer_index": indexes.number(NUMBERED, self.item.name)})

    def cli(self) -> None:
        """Return None: the table that has sent packets to it has a number, and must not keep sending them."""


@record
class AddLimitTable(SetObject):
    """classify_add_del_table: make a table; VPP picks its index."""

    numbered = NUMBERED
    numbering = Numbering.GIVES
    item: LimitTable
    """Without a next table, which may come later."""

    def _refusal(self, working: WorkingState) -> str | None:
        return f"there is a {self.item.label}" if self.item.name in working.objects.get(LimitTable, {}) else None

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _table(self.item, {"is_add": 1, "table_index": NO_INDEX})

    def cli(self) -> str | None:
        """Return the command; None for a mask of zeros, which the prompt takes for none."""
        skipped, mask = vectors_of(self.item)
        bits = f"{bytes(skipped * VECTOR_BYTES).hex()}{mask.hex()}"
        size = f"buckets {_BUCKETS} memory-size {_MEMORY_BYTES >> 20}M miss-next {mark_of(self.item)}"
        return f"classify table mask hex {bits} {size}" if self.item.length else None


@record
class LinkLimitTable(SetObject):
    """classify_add_del_table: have another table, or none, look at packets of which a table knows nothing."""

    numbered = NUMBERED
    item: LimitTable

    def _refusal(self, working: WorkingState) -> str | None:
        known = working.objects.get(LimitTable, {})
        wanted = [self.item.number] if self.item.next is None else [self.item.number, self.item.next]
        missing = next((number for number in wanted if str(number) not in known), None)
        return None if missing is None else f"there is no {LimitTable.noun} {missing}"

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        after = NO_INDEX if self.item.next is None else indexes.number(NUMBERED, str(self.item.next))
        table = indexes.number(NUMBERED, self.item.name)
        return _table(self.item, {"is_add": 1, "table_index": table, "next_table_index": after})

    def cli(self) -> None:
        """Return None: the prompt names tables by VPP's numbers, here and below."""


@record
class RemoveLimitTable(RemoveObject):
    """classify_add_del_table: delete a table, with its sessions, that no interface has, nor a table of one."""

    numbered = NUMBERED
    numbering = Numbering.FREES
    item: LimitTable

    def _refusal(self, working: WorkingState) -> str | None:
        tables = cast(Mapping[str, LimitTable], working.objects.get(LimitTable, {}))
        for use in working.objects.get(LimitedInterface, {}).values():
            if any(each.number == self.item.number for each in chain(tables, cast(LimitedInterface, use).number)):
                return f"{use.name} has {self.item.label}"
        return RemoveObject._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _table(self.item, {"is_add": 0, "table_index": indexes.number(NUMBERED, self.item.name)})

    def cli(self) -> None:
        """Return None: the table has a number."""


@record
class SetRateLimit(SetObject):
    """classify_add_del_session: send packets to a policer, in place of another one."""

    numbered = NUMBERED
    item: RateLimit

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        policer = indexes.number(NUMBERED, self.item.policer)
        return _session(self.item, indexes, {"is_add": 1, "hit_next_index": policer})

    def cli(self) -> None:
        """Return None: the table has a number."""


@record
class RemoveRateLimit(RemoveObject):
    """classify_add_del_session: send packets to no policer any more."""

    numbered = NUMBERED
    item: RateLimit

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _session(self.item, indexes, {"is_add": 0})

    def cli(self) -> None:
        """Return None: the table has a number."""


@record
class LimitInterface(SetObject):
    """policer_classify_set_interface: have a table look at what comes in; nothing happens where one does already."""

    numbered = NUMBERED
    item: LimitedInterface

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _on_interface(self.item, indexes, is_add=1)

    def cli(self) -> None:
        """Return None: the table has a number."""


@record
class FreeInterface(RemoveObject):
    """policer_classify_set_interface: have no table look at what comes in any more."""

    numbered = NUMBERED
    item: LimitedInterface

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _on_interface(self.item, indexes, is_add=0)

    def cli(self) -> None:
        """Return None: the table has a number."""


@record
class FreeIndex(InterfaceOperation):
    """policer_classify_set_interface: take off the table that a deleted interface may have left on an index.

    VPP would report success for another one, and do nothing.
    """

    numbered = NUMBERED
    done_already = frozenset({_NO_SUCH_TABLE})
    layer: str
    number: int
    """Of the table that was left."""

    def apply_to(self, working: WorkingState) -> None:
        """Change nothing: an interface that is there shows what was left on its index as its own."""

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return what it removes."""
        what = "rate limits that a deleted interface has left on the index"
        return Predicate(f"loses {what}", f"lose {what}")

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        left = LimitedInterface(interface=self.interface, layer=self.layer, number=self.number)
        return _on_interface(left, indexes, is_add=0)

    def cli(self) -> None:
        """Return None: the table has a number."""


def _limit(item: Policer) -> Predicate:
    rate, mark = bit_rate(item.rate_kbps * 1000), f"DSCP {item.dscp} to the rest"
    one, more = ("drops the rest", "drop the rest") if item.dscp is None else (f"gives {mark}", f"give {mark}")
    return Predicate(f"lets {rate} pass and {one}", f"let {rate} pass and {more}")


def _typed(command: str, item: Policer) -> str | None:
    """Return a command with what `_settings` has; None for a DSCP without a name, which the prompt takes in no form."""
    if item.dscp is not None and item.dscp not in _MARKS:
        return None
    excess = "drop" if item.dscp is None else f"mark-and-transmit {_MARKS[item.dscp]}"
    rate = f"cir {item.rate_kbps} cb {item.burst_bytes} rate kbps round closest type 1r2c"
    actions = f"conform-action transmit exceed-action {excess} violate-action {excess}"
    return f"{command} name {MARK}{item.name} {rate} {actions}"


def _settings(item: Policer) -> Mapping[str, Value]:
    excess = {"type": _DROP} if item.dscp is None else {"type": _MARK, "dscp": item.dscp}
    return {
        "infos.cir": item.rate_kbps,
        "infos.cb": item.burst_bytes,
        "infos.conform_action.type": _TRANSMIT,
        **{f"infos.{when}_action.{key}": value for when in ("exceed", "violate") for key, value in excess.items()},
    }


def settings_in(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a policer does by the values that VPP shows of `SETTINGS`, by the fields of `Policer`."""
    conforming, exceeding, violating = (
        (shown[f"{when}_action.type"], shown[f"{when}_action.dscp"]) for when in ("conform", "exceed", "violate")
    )
    is_mark = exceeding == violating and exceeding[0] == _MARK
    is_drop = exceeding[0] == violating[0] == _DROP
    is_plain = not any(shown[key] for key in _UNUSED) and conforming[0] == _TRANSMIT and (is_mark or is_drop)
    dscp = exceeding[1] if is_mark else None
    return {"rate_kbps": shown["cir"], "burst_bytes": shown["cb"], "dscp": dscp, "is_plain": is_plain}


def mark_of(item: LimitTable) -> int:
    """Return what VPP shows as the next node of a table's other packets."""
    return TABLE_MARK | IPV6_BIT * item.is_ipv6 | item.number


def vectors_of(item: LimitTable) -> tuple[int, bytes]:
    """Return how many vectors of 16 bytes a table skips, and its mask."""
    first = item.offset // VECTOR_BYTES
    last = max(item.offset * 8 + item.length - 1, 0) // 8 // VECTOR_BYTES
    bits = (last - first + 1) * VECTOR_BYTES * 8
    behind = bits - (item.offset - first * VECTOR_BYTES) * 8 - item.length
    return first, (((1 << item.length) - 1) << behind).to_bytes(bits // 8)


def _table(item: LimitTable, values: Mapping[str, Value]) -> Request:
    skipped, mask = vectors_of(item)
    shape = {
        "nbuckets": _BUCKETS if item.length else _BUCKETS_FOR_ALL,
        "memory_size": _MEMORY_BYTES if item.length else _MEMORY_FOR_ALL_BYTES,
        "skip_n_vectors": skipped,
        "match_n_vectors": len(mask) // VECTOR_BYTES,
        "next_table_index": NO_INDEX,
        "miss_next_index": mark_of(item),
    }
    return Request("classify_add_del_table", {**shape, **values}, "mask", [{"": each} for each in mask])


def _session(item: RateLimit, indexes: Indexes, values: Mapping[str, Value]) -> Request:
    table: Mapping[str, Value] = {"table_index": indexes.number(NUMBERED, str(item.number)), "opaque_index": NO_INDEX}
    return Request("classify_add_del_session", {**table, **values}, "match", [{"": each} for each in _match(item)])


def _match(item: RateLimit) -> bytes:
    """Return the bytes that a session is for, those that its table skips among them."""
    if not item.prefix:
        return bytes(VECTOR_BYTES)
    address, _, length = item.prefix.partition("/")
    last = (item.offset * 8 + max(int(length), 1) - 1) // 8 // VECTOR_BYTES
    raw = bytes(item.offset) + family_and_bytes(address)[1]
    return raw[: (last + 1) * VECTOR_BYTES].ljust((last + 1) * VECTOR_BYTES, b"\0")


def _on_interface(item: LimitedInterface, indexes: Indexes, *, is_add: int) -> Request:
    table = indexes.number(NUMBERED, str(item.number))
    fields = ("ip4_table_index", "ip6_table_index", "l2_table_index")
    tables = {field: table if layer == item.layer else NO_INDEX for field, layer in zip(fields, LAYERS, strict=True)}
    return Request(
        "policer_classify_set_interface",
        {"sw_if_index": indexes.interface(item.interface), **tables, "is_add": is_add},
    )
