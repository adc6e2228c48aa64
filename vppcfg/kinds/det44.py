"""Deterministic NAT, the key `det44` of interfaces: which are inside, and which outside (plugins/nat/det44).

Whether DET44 is enabled is nowhere to be read: where an interface has it, it is taken for enabled. VPP creates the
process that ends its sessions when DET44 is enabled first, and keeps it (det44_create_expire_walk_process).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from vppcfg.engine.feature_kind import FeatureKind
from vppcfg.entries.yaml.text import Value
from vppcfg.model.det44 import Det44Side
from vppcfg.model.interface import Interface
from vppcfg.operations.feature import SetFeature
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Indexes, Known, Request, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

PLUGIN = "det44"
_ENABLE = "det44_plugin_enable_disable"
_SET = "det44_interface_add_del_feature"
_DUMP, _DETAILS = "det44_interface_dump", "det44_interface_details"
_ENABLED_ALREADY = 1
_NODE, _PROCESS = "get_node_index", "det44-expire-walk"
_ARC = "ip4-unicast"
_NODES = {Det44Side.INSIDE: "det44-in2out", Det44Side.OUTSIDE: "det44-out2in"}


@record
class EnableDet44(Operation):
    """det44_plugin_enable_disable: let sessions end after a time, in the default FIB table on both sides."""

    done_already = frozenset({_ENABLED_ALREADY})
    is_typed: bool = True
    """Whether the plan has the command: where DET44 may be enabled, VPP refuses it, and a script would end there."""

    @property
    def subject(self) -> str:
        return PLUGIN

    def apply_to(self, working: WorkingState) -> None:
        """Change nothing that can be read."""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(_ENABLE, {"inside_vrf": 0, "outside_vrf": 0, "enable": 1})

    def cli(self) -> str:
        """Return the command, as a comment where VPP may refuse it."""
        return "det44 plugin enable" if self.is_typed else "comment { det44 plugin enable }"


@record
class SetDet44(SetFeature):
    """det44_interface_add_del_feature: translate what comes in, from inside or from outside, or note that it ends.

    VPP removes an interface from its list and turns the feature on once more in place of off (det44_interface_add_del,
    from 22.06 to 26.10), so that `DropDet44Feature` follows twice. Others may have used this message alone and left the
    feature on, which nothing reads back: so it comes before, too.
    """

    attribute = "det44"
    side: Det44Side
    is_on: bool = True

    @property
    def inverse(self) -> SetDet44:
        """Return the operation that removes the interface from VPP's list."""
        return replace(self, is_on=False)

    @property
    def undoing(self) -> tuple[SetFeature, ...]:
        """Return the operations after which no packet is translated."""
        return (self.inverse, *_drops(self.interface, self.side))

    def replaces(self, former: SetFeature) -> bool:
        """Return whether it is on that side already."""
        return former == self

    def applied(self, value: Any) -> Det44Side | None:
        """Return the side that there is then."""
        return self.side if self.is_on else None

    def _refusal(self, working: WorkingState) -> str | None:
        before = working.interfaces[self.interface].det44
        if self.is_on and before is not None:
            return f"{self.interface} has DET44 already"
        if not self.is_on and before is not self.side:
            return f"DET44 is not {self.side.value} on {self.interface}"
        return None

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {
            "is_add": int(self.is_on),
            "is_inside": int(self.side is Det44Side.INSIDE),
            "sw_if_index": indexes.interface(self.interface),
        }
        return Request(_SET, values)

    def cli(self) -> str:
        return f"set interface det44 {self.side.value} {self.interface}" + ("" if self.is_on else " del")


@record
class DropDet44Feature(SetFeature):
    """feature_enable_disable: have packets pass the node of DET44 once less; nothing happens where they do not."""

    attribute = "det44"
    side: Det44Side
    turn: int
    """The first or the second time."""

    @property
    def part(self) -> Hashable:
        """Return which time it is."""
        return self.turn

    @property
    def inverse(self) -> DropDet44Feature:
        """Return the operation itself: it leaves nothing to undo."""
        return self

    @property
    def undoing(self) -> tuple[SetFeature, ...]:
        return ()

    def applied(self, value: Any) -> Det44Side | None:
        """Return the side, as it is."""
        side: Det44Side | None = value
        return side

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {
            "sw_if_index": indexes.interface(self.interface),
            "enable": 0,
            "arc_name": _ARC,
            "feature_name": _NODES[self.side],
        }
        return Request("feature_enable_disable", values)

    def cli(self) -> str:
        return f"set interface feature {self.interface} {_NODES[self.side]} arc {_ARC} disable"


def _drops(interface: str, side: Det44Side) -> tuple[DropDet44Feature, DropDet44Feature]:
    return (
        DropDet44Feature(interface=interface, side=side, turn=1),
        DropDet44Feature(interface=interface, side=side, turn=2),
    )


class Det44Kind(FeatureKind[Det44Side | None]):
    """The key `det44` of interfaces, and the sides in VPP."""

    nodes = "det44|ip4-sv-reassembly"
    key = "det44"
    attribute = "det44"
    plugin = PLUGIN
    reason = "an interface has deterministic NAT"
    is_of_bond = True
    is_routing = True
    turn_on = Stage.TURN_NAT_ON
    operations = (EnableDet44, SetDet44, DropDet44Feature)
    api_module = "det44"
    capabilities: ClassVar = {PLUGIN: _SET}

    def is_interrupted(self, transition: Transition, name: str) -> bool:
        """Return whether it must bring back the outside prefixes of maps, which another interface takes out of the FIB.

        VPP removes them with any outside interface, and adds them with any (det44_add_del_addr_to_fib).
        """
        return name == transition.det44_restorer

    def parse(self, raw: str) -> Det44Side:
        return Det44Side(raw)

    def as_yaml(self, value: Det44Side | None) -> Value:
        return () if value is None else value.value

    def setters(self, name: str, value: Det44Side | None) -> Iterable[SetFeature]:
        """Return the operations that put the interface on a side."""
        return [] if value is None else [*_drops(name, value), SetDet44(interface=name, side=value)]

    def has_nodes_on(self, interface: Interface) -> bool:
        return interface.det44 is not None

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all interfaces, where VPP takes it."""
        if not connection.offers(_DUMP):
            return []
        return [connection.request(_DUMP)[1], connection.request(_NODE, {"node_name": _PROCESS.encode()})[1]]

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, Det44Side | None]:
        """Return the sides by interface index; VPP keeps those of interfaces that are gone."""
        if not connection.offers(_DUMP):
            return {}
        rows = connection.rows(replies, _DETAILS, "is_inside", "sw_if_index")
        return {
            index: Det44Side.INSIDE if is_inside else Det44Side.OUTSIDE
            for is_inside, index in rows
            if index in known.names
        }

    def read_facts(
        self, connection: VppReader, replies: Replies, known: Known, found: Mapping[str, Mapping[int, Any]]
    ) -> dict[str, Any]:
        """Return whether DET44 was enabled since VPP was started, and whether its first outside interface is gone."""
        if not connection.offers(_DUMP):
            return {}
        outside = (
            i for is_inside, i in connection.rows(replies, _DETAILS, "is_inside", "sw_if_index") if not is_inside
        )
        first = next(outside, None)
        return {
            "has_had_det44": any(retval == 0 for (retval,) in connection.rows(replies, f"{_NODE}_reply", "retval")),
            "left_det44": None if first in known.names else first,
        }

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the step that enables DET44, before its first interface."""
        before, after = (
            any(each.det44 for each in state.interfaces.values()) for state in (transition.observed, transition.desired)
        )
        if after and not before:
            is_typed = not transition.observed.facts.has_had_det44
            yield Step(stage=Stage.TURN_FEATURE_ON, operation=EnableDet44(is_typed=is_typed))


KIND = Det44Kind()
