"""Static neighbours of an interface, its key `neighbors` (vnet/ip-neighbor/ip_neighbor.c).

Those that VPP has learnt come with them and are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from vppcfg.common.addresses import canonical_host, canonical_mac, is_station, is_unicast
from vppcfg.common.names import natural_key
from vppcfg.common.numbers import numbered
from vppcfg.engine.kind import FatalLeftover, Kind, taking_index
from vppcfg.entries.configuration import InterfaceConfig, NeighborConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.entry_key import EntryKey
from vppcfg.entries.index import Index
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.interface import Interface
from vppcfg.model.linux_neighbors import with_those_of
from vppcfg.model.nd_proxy import NdProxy
from vppcfg.model.neighbor import Neighbor, OrphanedNeighbor, in_order
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.operations.operation import InterfaceOperation, Operation, Predicate
from vppcfg.operations.pause import NO_PAUSE, Pause, PauseContext, of_awaited, of_routes
from vppcfg.operations.request import ALL_INDEXES, Indexes, Known, Request, Value, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import address_values, mac_bytes, text_of_address
from vppcfg.wire.reading import Replies, VppReader

STATIC, WITHOUT_ROUTE = 1, 2
"""IP_API_NEIGHBOR_FLAG_STATIC, IP_API_NEIGHBOR_FLAG_NO_FIB_ENTRY (vnet/ip-neighbor/ip_neighbor.api)."""
_DUMP = "ip_neighbor_dump"
_FAMILIES = (0, 1)
_MOST = 5
"""Names in a message."""
_PATHS = ("neighbor.sw_if_index", "neighbor.flags", "neighbor.mac_address")
_ADDRESS = ("neighbor.ip_address.af", "neighbor.ip_address.un")


@record
class SetNeighbor(InterfaceOperation):
    """ip_neighbor_add_del: enter a neighbour with its MAC address, or another MAC address for one that is there."""

    address: str
    mac: str
    has_route: bool = True

    def _refusal(self, working: WorkingState) -> str | None:
        known = _known(self.interface, self.address, working)
        if known is None or known.has_route == self.has_route:
            return None
        return f"{self.address} on {self.interface} would stay {'with' if known.has_route else 'without'} a route"

    def apply_to(self, working: WorkingState) -> None:
        others = _others(self.interface, self.address, working)
        entered = Neighbor(address=self.address, mac=self.mac, has_route=self.has_route)
        working.change(self.interface, neighbors=in_order([*others, entered]))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        flags = STATIC if self.has_route else STATIC | WITHOUT_ROUTE
        return Request("ip_neighbor_add_del", {**_neighbor(self, indexes), "is_add": 1, "neighbor.flags": flags})

    def cli(self) -> str:
        line = f"set ip neighbor {self.interface} {self.address} {self.mac} static"
        return line if self.has_route else f"{line} no-fib-entry"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(
            f"gets MAC address {self.mac} for its neighbour {self.address}", "get MAC addresses for neighbours"
        )

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: routes may lead to it already."""
        known = context.observed.interfaces.get(self.interface)
        if known is not None and any(each.address == self.address for each in known.neighbors):
            return NO_PAUSE
        return of_awaited("it sets neighbours on {}", self.interface, context)


@record
class RemoveNeighbor(InterfaceOperation):
    """ip_neighbor_add_del: take a neighbour out; VPP does not look at the MAC address."""

    address: str
    mac: str

    def _refusal(self, working: WorkingState) -> str | None:
        known = _known(self.interface, self.address, working)
        return f"{self.interface} has no static neighbour {self.address}" if known is None else None

    def apply_to(self, working: WorkingState) -> None:
        working.change(self.interface, neighbors=_others(self.interface, self.address, working))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("ip_neighbor_add_del", {**_neighbor(self, indexes), "is_add": 0})

    def cli(self) -> str:
        return f"set ip neighbor del {self.interface} {self.address} {self.mac}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate(f"loses its neighbour {self.address}", "lose neighbours")

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: routes may lead to it."""
        return of_routes("it removes neighbours from {}", self.interface, context)


def _known(interface: str, address: str, working: WorkingState) -> Neighbor | None:
    return next((each for each in working.interfaces[interface].neighbors if each.address == address), None)


def _others(interface: str, address: str, working: WorkingState) -> tuple[Neighbor, ...]:
    return tuple(each for each in working.interfaces[interface].neighbors if each.address != address)


def _neighbor(operation: SetNeighbor | RemoveNeighbor, indexes: Indexes) -> dict[str, Value]:
    return {
        "neighbor.sw_if_index": indexes.interface(operation.interface),
        "neighbor.mac_address": mac_bytes(operation.mac),
        **address_values("neighbor.ip_address", operation.address),
    }


def neighbor_entry(index: Index) -> Iterator[Problem]:
    """Find neighbours that no host can be: by their address, by their MAC address, or because they are this router.

    VPP takes any address and any MAC address, on any interface.
    """
    for interface, entry in _entries(index):
        if entry.address is None:
            text = f"{entry.key} is no address of a host; write it without a length"
            yield _problem("neighbor-address", interface, entry, text)
        elif not is_unicast(entry.address):
            yield _problem("neighbor-address", interface, entry, f"{entry.address} is not the address of one host")
        elif entry.address in {address.partition("/")[0] for address in interface.addresses}:
            yield _problem(
                "neighbor-own",
                interface,
                entry,
                f"{entry.address} is an address of {interface.name} itself; take that of the neighbour",
            )
        if entry.mac and not is_station(entry.mac):
            yield _problem("neighbor-mac", interface, entry, f"{entry.mac} is not the MAC address of one station")


def neighbor_duplicate(index: Index) -> Iterator[Problem]:
    """Find neighbours that stand on an interface twice, in other spellings."""
    for interface in index.interfaces:
        seen: set[str] = set()
        for entry in interface.neighbors:
            if entry.address in seen:
                yield _problem("neighbor-duplicate", interface, entry, f"{entry.address} is here already; remove one")
            seen |= {entry.address} if entry.address is not None else set()


def neighbor_switched(index: Index) -> Iterator[Problem]:
    """Find neighbours of interfaces that switch; of a bridge domain those stand on its BVI."""
    for interface in index.interfaces:
        if interface.neighbors and (reason := index.why_switched(interface.name)):
            text = f"{interface.name} {reason} and cannot have `neighbors`; remove one of them"
            yield Problem(rule="neighbor-l2", path=(*interface.path, "neighbors"), text=text)


def _entries(index: Index) -> Iterator[tuple[InterfaceConfig, NeighborConfig]]:
    return ((interface, entry) for interface in index.interfaces for entry in interface.neighbors)


def _problem(rule: str, interface: InterfaceConfig, entry: NeighborConfig, text: str) -> Problem:
    return Problem(rule=rule, path=(*interface.path, "neighbors", entry.key), text=text)


_NO_NEIGHBORS: Mapping[str, Any] = {"neighbors": ()}


class NeighborKind(Kind, EntryKey):
    """Static neighbours."""

    key = attribute = "neighbors"
    foreign_keys = ("arp", "static-arp", "nd-static", "neighbor", "neighbour", "neighbours")
    is_read_closely = True
    operations = (SetNeighbor, RemoveNeighbor)
    rules = (neighbor_entry, neighbor_duplicate, neighbor_switched)
    api_module = "ip_neighbor"
    on_interfaces = ("neighbors",)

    def parse(self, raw: Mapping[str | int, Any], path: KeyPath) -> tuple[NeighborConfig, ...]:
        """Return the entries of a map of the right shape; a key that is no address is kept for a rule to find."""
        return tuple(
            NeighborConfig(key=key, address=canonical_host(key), mac=canonical_mac(mac) or "")
            for key, mac in raw.items()
        )

    def from_state(self, interface: Interface, state: State, path: KeyPath) -> tuple[NeighborConfig, ...]:
        """Return the entries for the neighbours that an interface has."""
        return tuple(
            NeighborConfig(key=each.address, address=each.address, mac=each.mac) for each in interface.neighbors
        )

    def yaml_keys(self, config: InterfaceConfig) -> Iterable[KeyValue]:
        """Return the key, where there is a neighbour."""
        if not config.neighbors:
            return ()
        entries = tuple(KeyValue(entry.key, entry.mac) for entry in config.neighbors)
        return (KeyValue(self.key, entries, is_block=True),)

    def unsupported_key(self, interface: Interface, state: State) -> str | None:
        """Return that a neighbour has no route, with which no file can enter one."""
        if not interface.neighbors:
            return None
        odd = next((each.address for each in interface.neighbors if not each.has_route), None)
        return None if odd is None else f"its static neighbour {odd} has no route"

    def to_desired(self, config: InterfaceConfig, base: Interface, desired: DesiredStateBuilder) -> Mapping[str, Any]:
        """Return the neighbours that VPP is to have."""
        if not config.neighbors:
            return _NO_NEIGHBORS
        found = {entry.address: entry.mac for entry in config.neighbors if entry.address is not None}
        return {"neighbors": in_order(Neighbor(address=address, mac=mac) for address, mac in found.items())}

    def resolve_linux(self, desired: DesiredStateBuilder) -> None:
        """Enter those of Linux that the file does not declare, where a pair is to be that linux-nl hears."""
        facts, left = desired.observed.facts, 0
        for name, pair in desired.lcps.items() if facts.linux_neighbors else ():
            there = desired.observed.interfaces.get(name)
            if there is not None and pair.netns == facts.lcp.default_netns:
                desired.interfaces[name] = with_those_of(desired.interfaces[name], there)
                left += sum(each.is_of_linux for each in desired.interfaces[name].neighbors)
        if left:
            text = f"Linux has {numbered(left, 'static neighbour')} on devices of LCP pairs; the file leaves"
            desired.notice("left-alone", (), f"{text} {'it' if left == 1 else 'them'} alone in VPP too")

    def without_entry(self, base: Interface) -> Mapping[str, Any]:
        return _NO_NEIGHBORS

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for all neighbours, one for each family, where VPP takes them."""
        if not connection.offers(_DUMP):
            return []
        survey = connection.survey
        if survey.walks_neighbors:
            indexes = {ALL_INDEXES}
        else:
            survey.leave_out("static neighbours of interfaces that had none when they were last changed")
            indexes = survey.indexes_with(lambda each: bool(each.neighbors)) | survey.indexes_closely()
        return [
            connection.request(_DUMP, {"sw_if_index": index, "af": family})[1]
            for index in sorted(indexes)
            for family in _FAMILIES
        ]

    def read_on_interfaces(
        self, connection: VppReader, replies: Replies, known: Known
    ) -> Mapping[str, Mapping[int, tuple[Neighbor, ...]]]:
        return {"neighbors": _read(connection, replies)}

    def read_facts(
        self, connection: VppReader, replies: Replies, known: Known, found: Mapping[str, Mapping[int, Any]]
    ) -> dict[str, Any]:
        neighbors = found["neighbors"]
        left = (
            OrphanedNeighbor(sw_if_index=index, address=each.address, mac=each.mac)
            for index in sorted(neighbors.keys() - known.names.keys())
            for each in neighbors[index]
        )
        return {"left_neighbors": tuple(left)}

    def interface_steps(self, transition: Transition, name: str) -> Iterator[Step]:
        """Yield the steps that take neighbours out and enter them.

        Those of an interface that is deleted are taken out before it: VPP leaves them to the next one with its index,
        and ends when it meets one before there is such an interface (up to 25.10, vnet/ip-neighbor/ip_neighbor.c).
        """
        before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
        is_deleted = name in transition.to_delete
        old = {each.address: each for each in before.neighbors} if before is not None else {}
        new = {each.address: each for each in after.neighbors} if after is not None else {}
        for address, each in old.items():
            if is_deleted or address not in new or each.has_route != new[address].has_route:
                remove = RemoveNeighbor(interface=name, address=address, mac=each.mac)
                yield Step(stage=Stage.TURN_OFF, operation=remove)
        for address, each in new.items():
            if is_deleted or old.get(address) != each:
                enter = SetNeighbor(interface=name, address=address, mac=each.mac, has_route=each.has_route)
                yield Step(stage=Stage.SET_NEIGHBOR, operation=enter)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that enter neighbours again that VPP forgets with an ND proxy for the same address."""
        for label, proxy in transition.observed.of(NdProxy).items():
            is_removed = transition.desired.of(NdProxy).get(label) != proxy or any(
                each.name in transition.deleted_tables for each in proxy.references()
            )
            after = transition.desired.interfaces.get(proxy.interface)
            before = transition.kept(proxy.interface)
            if not is_removed or before is None or after is None:
                continue
            for each in after.neighbors:
                if each.address == proxy.address and each in before.neighbors:
                    enter = SetNeighbor(
                        interface=proxy.interface, address=each.address, mac=each.mac, has_route=each.has_route
                    )
                    yield Step(stage=Stage.SET_NEIGHBOR, operation=enter)

    def fatal_leftovers(
        self, operations: Sequence[Operation], observed: State, desired: State
    ) -> Iterator[FatalLeftover]:
        """Yield that a plan gives static neighbours of deleted interfaces to new ones.

        VPP up to 25.10 leaves them to the next interface with the index, which may be any that is made, and ends when
        the same address is entered on another interface or taken out there (vnet/ip-neighbor/ip_neighbor.c). VPP takes
        out no neighbour of an interface that is not there.
        """
        left = observed.facts.left_neighbors
        if not left:
            return
        changed = {each.address for each in operations if isinstance(each, SetNeighbor | RemoveNeighbor)}
        fatal = [each for each in left if each.address in changed]
        if fatal:
            yield FatalLeftover(
                f"VPP would end when the static neighbour {fatal[0].address} is entered or taken out, for it has kept "
                f"one of a deleted interface ({_with_indexes(fatal)})",
                _freeing(fatal[0]),
            )
        elif created := sorted(_created_names(observed, desired), key=natural_key):
            yield FatalLeftover(
                f"VPP has kept static neighbours of deleted interfaces ({_with_indexes(left)}), which {created[0]} or "
                f"another new interface would inherit",
                _freeing(left[0]),
            )


def _created_names(observed: State, desired: State) -> set[str]:
    """Return the interfaces that come, and those whose LCP pair does: its device in VPP has an index too.

    What is recreated takes an index that was just freed.
    """
    return {*desired.interfaces.keys() - observed.interfaces.keys(), *desired.lcps.keys() - observed.lcps.keys()}


def _with_indexes(left: Sequence[OrphanedNeighbor]) -> str:
    shown = [f"{each.address} at index {each.sw_if_index}" for each in left[:_MOST]]
    return ", ".join([*shown, *([f"{len(left) - _MOST} more"] if len(left) > _MOST else [])])


def _freeing(left: OrphanedNeighbor) -> str:
    delete = f"set ip neighbor del loopN {left.address} {left.mac}"
    return f"{taking_index(left.sw_if_index)}, and `{delete}` there; then delete these loopbacks"


def rows(connection: VppReader, replies: Replies) -> list[tuple[Any, ...]]:
    """Return the index, flags, MAC address, family, address and age of every neighbour, learnt ones too.

    The age is a number of seconds, packed as VPP does (f64).
    """
    if not connection.offers(_DUMP):
        return []
    return connection.rows(replies, "ip_neighbor_details", *_PATHS, *_ADDRESS, "age")


def _read(connection: VppReader, replies: Replies) -> dict[int, tuple[Neighbor, ...]]:
    """Return the static neighbours by interface index, in the order of their addresses.

    Up to 25.10, some may be of interfaces that are gone (vnet/ip-neighbor/ip_neighbor.c, e5b3666c12f).
    """
    found: dict[int, list[Neighbor]] = {}
    for index, flags, mac, family, raw, _ in rows(connection, replies):
        if flags & STATIC:
            address = text_of_address(family, raw)
            neighbor = Neighbor(address=address, mac=mac.hex(":"), has_route=not flags & WITHOUT_ROUTE)
            found.setdefault(index, []).append(neighbor)
    return {index: in_order(each) for index, each in found.items()}


KIND = NeighborKind()
