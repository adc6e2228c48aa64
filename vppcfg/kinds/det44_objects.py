"""Maps and timeouts of deterministic NAT (plugins/nat/det44)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network

from vppcfg.engine.kind import FatalLeftover, taking_index
from vppcfg.engine.object_kind import VppObjectKind
from vppcfg.entries.section import Section
from vppcfg.kinds.det44 import SetDet44
from vppcfg.kinds.det44_rules import RULES
from vppcfg.kinds.det44_section import SECTION
from vppcfg.model.det44 import DEFAULT_TIMEOUTS, Det44Map, Det44Side, Det44Timeouts
from vppcfg.model.state import State
from vppcfg.model.vrf import FibTable, ForeignRoutes
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import Operation
from vppcfg.operations.pause import Pause, PauseContext, of_hosts
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_KEY = "det44"
_SET_MAP, _MAPS, _MAP = "det44_add_del_map", "det44_map_dump", "det44_map_details"
_ENDS = ("in_addr", "in_plen", "out_addr", "out_plen")
_SET_TIMEOUTS, _TIMEOUTS = "det44_set_timeouts", "det44_get_timeouts"
_FIB_SOURCE = "det44-low"
"""The source of the outside prefixes of maps, in the tables of interfaces outside (det44_add_del_addr_to_fib)."""
_SECONDS = ("udp", "tcp_established", "tcp_transitory", "icmp")


@record
class AddDet44Map(SetObject):
    """det44_add_del_map: give each host of an inside prefix its ports, and take the memory for their sessions."""

    item: Det44Map

    def _refusal(self, working: WorkingState) -> str | None:
        is_there = self.item.name in working.objects.get(Det44Map, {})
        return f"there is a map of {self.item.name} already" if is_there else None

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _of_map(self.item, is_add=1)

    def cli(self) -> str:
        return f"det44 add in {self.item.inside} out {self.item.outside}"

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: it takes memory for each host inside."""
        return of_hosts(IPv4Network(self.item.inside).num_addresses)


@record
class RemoveDet44Map(RemoveObject):
    """det44_add_del_map: remove a map, with all its sessions."""

    item: Det44Map

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _of_map(self.item, is_add=0)

    def cli(self) -> str:
        return f"det44 add in {self.item.inside} out {self.item.outside} del"


def _of_map(item: Det44Map, is_add: int) -> Request:
    inside, outside = IPv4Network(item.inside), IPv4Network(item.outside)
    values: dict[str, Value] = {
        "is_add": is_add,
        "in_addr": inside.network_address.packed,
        "in_plen": inside.prefixlen,
        "out_addr": outside.network_address.packed,
        "out_plen": outside.prefixlen,
    }
    return Request(_SET_MAP, values)


@record
class SetDet44Timeouts(SetObject):
    """det44_set_timeouts: set all of them, from the next packet of each session on."""

    item: Det44Timeouts

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _of_timeouts(self.item)

    def cli(self) -> str:
        return _typed_timeouts(self.item)


@record
class ResetDet44Timeouts(RemoveObject):
    """det44_set_timeouts: set all of them as VPP begins with."""

    item: Det44Timeouts

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _of_timeouts(DEFAULT_TIMEOUTS)

    def cli(self) -> str:
        return _typed_timeouts(DEFAULT_TIMEOUTS)


def _of_timeouts(item: Det44Timeouts) -> Request:
    return Request(_SET_TIMEOUTS, {path: getattr(item, path) for path in _SECONDS})


def _typed_timeouts(item: Det44Timeouts) -> str:
    tcp = f"tcp established {item.tcp_established} tcp transitory {item.tcp_transitory}"
    return f"set det44 timeouts udp {item.udp} {tcp} icmp {item.icmp}"


class Det44MapKind(VppObjectKind[Det44Map]):
    """The maps of the section `det44`."""

    key = _KEY
    object_class = Det44Map
    operations = (AddDet44Map, RemoveDet44Map)
    rules = RULES

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def set(self, item: Det44Map) -> AddDet44Map:
        return AddDet44Map(item=item)

    def remove(self, item: Det44Map) -> RemoveDet44Map:
        return RemoveDet44Map(item=item)

    def removes_routes(self, routes: ForeignRoutes, operations: Sequence[Operation], observed: State) -> bool:
        """Return whether the routes are those of maps, and DET44 leaves the table."""
        outside = {
            name
            for name, each in observed.interfaces.items()
            if each.det44 is Det44Side.OUTSIDE and each.tables[0] == routes.table.table_id
        }
        left = {each.interface for each in operations if isinstance(each, SetDet44) and not each.is_on}
        of_maps = {each.outside for each in observed.of(Det44Map).values()}
        is_ours = routes.source == _FIB_SOURCE and of_maps.issuperset(routes.prefixes)
        return is_ours and bool(outside) and outside <= left

    def fatal_leftovers(
        self, operations: Sequence[Operation], observed: State, desired: State
    ) -> Iterator[FatalLeftover]:
        """Yield that a map is set or removed while DET44 has an outside interface first that is gone."""
        index = observed.facts.left_det44
        if index is not None and any(isinstance(each, AddDet44Map | RemoveDet44Map) for each in operations):
            unset = "`set interface det44 outside loopN del` there; then delete these loopbacks"
            yield FatalLeftover(
                "VPP would end when a map of DET44 is set or removed, for it has kept a deleted interface, "
                f"index {index}",
                f"{taking_index(index)}, and {unset}",
            )

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all maps, where VPP takes it."""
        return [connection.request(_MAPS)[1]] if connection.offers(_MAPS) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[Det44Map]:
        for in_raw, in_length, out_raw, out_length in (
            connection.rows(replies, _MAP, *_ENDS) if connection.offers(_MAPS) else ()
        ):
            inside, outside = f"{IPv4Address(in_raw)}/{in_length}", f"{IPv4Address(out_raw)}/{out_length}"
            yield Det44Map(inside=inside, outside=outside)


class Det44TimeoutsKind(VppObjectKind[Det44Timeouts]):
    """The timeouts of the section `det44`."""

    key = _KEY
    object_class = Det44Timeouts
    operations = (SetDet44Timeouts, ResetDet44Timeouts)

    def set(self, item: Det44Timeouts) -> SetDet44Timeouts:
        """Return the operation that sets the timeouts."""
        return SetDet44Timeouts(item=item)

    def remove(self, item: Det44Timeouts) -> ResetDet44Timeouts:
        """Return the operation that sets the timeouts as VPP begins with."""
        return ResetDet44Timeouts(item=item)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the timeouts, where VPP takes it."""
        return [connection.request(_TIMEOUTS)[1]] if connection.offers(_TIMEOUTS) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[Det44Timeouts]:
        """Yield the timeouts where they are not as VPP begins with."""
        if not connection.offers(_TIMEOUTS):
            return
        for row in connection.rows(replies, f"{_TIMEOUTS}_reply", *_SECONDS):
            timeouts = Det44Timeouts(**dict(zip(_SECONDS, row, strict=True)))
            if timeouts != DEFAULT_TIMEOUTS:
                yield timeouts


KINDS = (Det44MapKind(), Det44TimeoutsKind())
