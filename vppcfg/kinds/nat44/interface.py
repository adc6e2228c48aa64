"""The key `nat44` of interfaces: inside, outside, both, or translated on the way out (plugins/nat/nat44-ed)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any, ClassVar

from vppcfg.engine.feature_kind import FeatureKind
from vppcfg.entries.yaml.text import Value
from vppcfg.kinds.nat44.settings import missing_nat44
from vppcfg.model.interface import Interface
from vppcfg.model.nat44 import NatSide
from vppcfg.operations.feature import SetFeature, Switch
from vppcfg.operations.request import Indexes, Known, Request, Vocabulary
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_SIDES, _OUTPUTS = "nat44_interface_dump", "nat44_ed_output_interface_get"
_FLAGS = {NatSide.INSIDE: 0x20, NatSide.OUTSIDE: 0x10}
"""NAT_IS_INSIDE and NAT_IS_OUTSIDE (plugins/nat/lib/nat_types.api)."""


@record
class SetNatSide(Switch):
    """nat44_interface_add_del_feature: have an interface inside, or outside, or no longer; it can be both."""

    attribute = "nat44"
    is_inside: bool

    @property
    def side(self) -> NatSide:
        """Return the side."""
        return NatSide.INSIDE if self.is_inside else NatSide.OUTSIDE

    @property
    def part(self) -> Hashable:
        return self.side

    @property
    def inverse(self) -> SetNatSide:
        """Return the operation that takes it off this side."""
        return SetNatSide(interface=self.interface, is_inside=self.is_inside, is_on=False)

    def applied(self, value: Any) -> Any:
        """Return where it stands then."""
        sides = _parts(value) - {self.side} | ({self.side} if self.is_on else set())
        return NatSide.BOTH if len(sides) == 2 else next(iter(sides), None)

    def _refusal(self, working: WorkingState) -> str | None:
        found = working.interfaces[self.interface].nat44
        if found is NatSide.OUTPUT:
            return f"{self.interface} already translates on output"
        if (self.side in _parts(found)) == self.is_on:
            return f"{self.interface} is {self.side.value} already" if self.is_on else f"it is not {self.side.value}"
        return missing_nat44(working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.interface(self.interface), "flags": _FLAGS[self.side]}
        return Request("nat44_interface_add_del_feature", {**values, "is_add": int(self.is_on)})

    def cli(self) -> str:
        side = "in" if self.is_inside else "out"
        return f"set interface nat44 {side} {self.interface}{'' if self.is_on else ' del'}"


@record
class SetNatOutput(Switch):
    """nat44_ed_add_del_output_interface: translate what leaves an interface, or no longer."""

    attribute = "nat44"

    @property
    def part(self) -> Hashable:
        """Return that it is about all that leaves."""
        return NatSide.OUTPUT

    def applied(self, value: Any) -> Any:
        """Return where it stands then."""
        return NatSide.OUTPUT if self.is_on else None

    def _refusal(self, working: WorkingState) -> str | None:
        found = working.interfaces[self.interface].nat44
        if found is not (None if self.is_on else NatSide.OUTPUT):
            return f"{self.interface} is {found.value if found else 'not translated on output'} already"
        return missing_nat44(working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.interface(self.interface), "is_add": int(self.is_on)}
        return Request("nat44_ed_add_del_output_interface", values)

    def cli(self) -> str:
        return f"set interface nat44 out {self.interface} output-feature{'' if self.is_on else ' del'}"


def _parts(side: NatSide | None) -> set[NatSide]:
    if side is None:
        return set()
    return {NatSide.INSIDE, NatSide.OUTSIDE} if side is NatSide.BOTH else {side}


class NatInterfaceKind(FeatureKind[NatSide | None]):
    """The key `nat44` of interfaces, and where they stand in VPP."""

    nodes = "nat|ip[46]-sv-reassembly"
    key = "nat44"
    attribute = "nat44"
    plugin = "nat"
    reason = "an interface takes part in NAT44"
    is_of_bond = True
    is_routing = may_be_idle = True
    operations = (SetNatSide, SetNatOutput)
    capabilities: ClassVar = {"nat": "nat44_interface_add_del_feature"}

    def parse(self, raw: Any) -> NatSide:
        """Return where an interface is to stand."""
        return NatSide(raw)

    def as_yaml(self, value: NatSide | None) -> Value:
        return value.value if value is not None else ""

    def setters(self, name: str, value: NatSide | None) -> Iterable[SetFeature]:
        if value is NatSide.OUTPUT:
            return [SetNatOutput(interface=name, is_on=True)]
        sides = [side for side in _FLAGS if side in _parts(value)]
        return [SetNatSide(interface=name, is_inside=side is NatSide.INSIDE, is_on=True) for side in sides]

    def is_interrupted(self, transition: Transition, name: str) -> bool:
        """Return whether its IPv4 table changes: VPP takes entries of outside interfaces out of the one it is in."""
        return transition.moved.get(name, (False, False))[0] or transition.resets_nat44

    def is_forgotten(self, transition: Transition, name: str) -> bool:
        """Return whether NAT44 is disabled during the change, which takes all interfaces off."""
        return transition.resets_nat44

    def has_nodes_on(self, interface: Interface) -> bool:
        return interface.nat44 is not None

    def requests(self, connection: VppReader) -> list[bytes]:
        asked = [connection.request(_SIDES)[1]] if connection.offers(_SIDES) else []
        if connection.offers(_OUTPUTS):
            asked.append(connection.request(_OUTPUTS, {"cursor": 0})[1])
        return asked

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, NatSide | None]:
        """Return where interfaces stand."""
        found: dict[int, NatSide | None] = {}
        for flags, index in self._sides(connection, replies):
            sides = {side for side, flag in _FLAGS.items() if flags & flag}
            found[index] = NatSide.BOTH if len(sides) == 2 else next(iter(sides), None)
        if connection.offers(_OUTPUTS):
            for page in connection.pages(replies, _OUTPUTS, {}, "NAT44 output interfaces"):
                rows = connection.rows(page, "nat44_ed_output_interface_details", "sw_if_index")
                found.update({index: NatSide.OUTPUT for (index,) in rows})
        return {index: side for index, side in found.items() if index in known.names}

    @staticmethod
    def _sides(connection: VppReader, replies: Replies) -> Iterator[tuple[int, int]]:
        if connection.offers(_SIDES):
            yield from connection.rows(replies, "nat44_interface_details", "flags", "sw_if_index")

    def output_keys(self, value: NatSide | None) -> Iterator[tuple[str, ...]]:
        """Yield the key where what leaves is translated."""
        if value is NatSide.OUTPUT:
            yield (self.key,)


KIND = NatInterfaceKind()
