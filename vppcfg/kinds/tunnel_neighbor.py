"""Neighbours of multipoint tunnels: the key `neighbors` of tunnels with many other ends (vnet/teib).

tunnel0: { local: 192.0.2.1, multipoint: true, neighbors: { 10.0.0.2: 192.0.2.2 } }

VPP distinguishes the packets of tunnels by both outer addresses. A next hop is one of these, once for all neighbours
that are behind it: when one of them goes, VPP knows no packet from there any more (`teib_entry_deleted` of each plugin
of tunnels), and the others are set again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from vppcfg.common.addresses import address_key, canonical_host
from vppcfg.engine.object_kind import VppObjectKind
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig, TunnelConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.owned_section import OwnedSection, vrf_of_table
from vppcfg.entries.section import Section
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.kinds.route_section import DEFAULT_VRF
from vppcfg.kinds.tunnel import TunnelKind
from vppcfg.kinds.tunnel_neighbor_rules import KEY, RULES, NextHopConfig, NextHops, named_vrf, tunnel_of
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.kinds.vrf_section import interface_tables
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.model.tunnel import Tunnel
from vppcfg.model.tunnel_neighbor import TunnelNeighbor
from vppcfg.model.vpp_object import VppObject
from vppcfg.model.vrf import LAST_TYPED, FibTable
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import address_values, text_of_address
from vppcfg.wire.reading import Replies, VppReader

_CHANGE, _DUMP, _DETAILS = "teib_entry_add_del", "teib_dump", "teib_details"


@record
class SetTunnelNeighbor(SetObject):
    """teib_entry_add_del: send to a neighbour by a router, and take what comes from there out of the tunnel."""

    item: TunnelNeighbor

    def _refusal(self, working: WorkingState) -> str | None:
        neighbor = self.item
        interface = working.interfaces.get(neighbor.interface)
        if interface is not None and interface.table_of(neighbor.peer) != neighbor.peer_table:
            return f"{neighbor.interface} is in another FIB table"
        found = working.objects.get(TunnelNeighbor, {}).values()
        others = [each for each in found if isinstance(each, TunnelNeighbor)]
        elsewhere = next((each for each in others if _is_of_another_table(each, neighbor)), None)
        if elsewhere is not None:
            return f"VPP counts neighbours of one FIB table alone, and that of {elsewhere.name} is another one"
        return self._taken(working, others) or SetObject._refusal(self, working)

    def _taken(self, working: WorkingState, others: Iterable[TunnelNeighbor]) -> str | None:
        """Return which other tunnel has the packets that come from the router."""
        own = self.item
        tunnel = working.virtual.get(own.interface)
        if not isinstance(tunnel, Tunnel):
            return None
        end = _as_one_end(tunnel, own)
        for each in others:
            other = working.virtual.get(each.interface)
            if each.interface != own.interface and isinstance(other, Tunnel) and _as_one_end(other, each) == end:
                return f"what comes from {own.next_hop} is of {each.interface}"
        alike = working.virtual_alike(end)
        return f"what comes from {own.next_hop} is of {alike}" if alike else None

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=1)

    def cli(self) -> str | None:
        """Return the command, which takes no higher number of a table than VPP's prompt reads."""
        neighbor = self.item
        if neighbor.next_hop_table > LAST_TYPED:
            return None
        table = f" nh-table-id {neighbor.next_hop_table}" if neighbor.next_hop_table else ""
        return f"create teib {neighbor.interface} peer {neighbor.peer} nh {neighbor.next_hop}{table}"


@record
class RemoveTunnelNeighbor(RemoveObject):
    """teib_entry_add_del: send to a neighbour no more; VPP finds it by the interface and the neighbour."""

    item: TunnelNeighbor

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=0)

    def cli(self) -> str:
        return f"delete teib {self.item.interface} peer {self.item.peer}"


def _request(neighbor: TunnelNeighbor, indexes: Indexes, *, is_add: int) -> Request:
    values = {
        "is_add": is_add,
        "entry.sw_if_index": indexes.interface(neighbor.interface),
        **address_values("entry.peer", neighbor.peer),
        **address_values("entry.nh", neighbor.next_hop),
        "entry.nh_table_id": neighbor.next_hop_table,
    }
    return Request(_CHANGE, values)


def _is_of_another_table(other: TunnelNeighbor, neighbor: TunnelNeighbor) -> bool:
    """Return whether VPP would lose a FIB table by both: it locks that of the first, and frees that of the last one.

    Seen on VPP 26.10: a table goes while an interface is in it (teib_adj_fib_add and teib_adj_fib_remove).
    """
    return other.is_ipv6 == neighbor.is_ipv6 and other.peer_table != neighbor.peer_table


def _as_one_end(tunnel: Tunnel, neighbor: TunnelNeighbor) -> Tunnel:
    """Return the tunnel to one router that VPP takes a neighbour for, when packets come from there."""
    ends: dict[str, Any] = {"remote": neighbor.next_hop, "encap_vrf": neighbor.next_hop_table}
    ends |= {"is_multipoint": False} if tunnel.is_multipoint else {}
    return replace(tunnel, **ends)


class TunnelNeighborKind(VppObjectKind[TunnelNeighbor]):
    """The neighbours in VPP."""

    key = KEY
    object_class = TunnelNeighbor
    operations = (SetTunnelNeighbor, RemoveTunnelNeighbor)
    rules = RULES
    api_module = "teib"

    def sections(self) -> tuple[Section, ...]:
        """Return the key `neighbors` of tunnels."""
        return (SECTION,)

    def set(self, item: TunnelNeighbor) -> SetTunnelNeighbor:
        """Return the operation that adds one."""
        return SetTunnelNeighbor(item=item)

    def remove(self, item: TunnelNeighbor) -> RemoveTunnelNeighbor:
        """Return the operation that removes one."""
        return RemoveTunnelNeighbor(item=item)

    def disturbed(self, before: Mapping[str, TunnelNeighbor], after: Mapping[str, TunnelNeighbor]) -> frozenset[str]:
        """Return those that stay behind a router of which another one goes: VPP knows no packet from there then."""
        gone = {_router(each) for name, each in before.items() if after.get(name) != each}
        return frozenset(name for name, each in before.items() if after.get(name) == each and _router(each) in gone)

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[TunnelNeighbor]:
        """Yield the neighbours of interfaces that there are; of one that is gone, VPP lists them too."""
        paths = ("entry.sw_if_index", "entry.peer.af", "entry.peer.un", "entry.nh.af", "entry.nh.un")
        if not connection.offers(_DUMP):
            return
        for index, family, peer, outer, hop, table in connection.rows(replies, _DETAILS, *paths, "entry.nh_table_id"):
            if index in names:
                yield TunnelNeighbor(
                    interface=names[index],
                    peer=text_of_address(family, peer),
                    next_hop=text_of_address(outer, hop),
                    next_hop_table=table,
                )

    def finish(self, state: State) -> State:
        """Return the state with the FIB table of each neighbour, which is that of its interface."""
        found = state.of(TunnelNeighbor)
        if not found:
            return state
        placed = {
            name: replace(each, peer_table=state.interfaces[each.interface].table_of(each.peer))
            for name, each in found.items()
        }
        return replace(state, objects={**state.objects, TunnelNeighbor: placed})


def _router(neighbor: TunnelNeighbor) -> tuple[str, str, int]:
    return neighbor.interface, neighbor.next_hop, neighbor.next_hop_table


class TunnelNeighborSection(OwnedSection[NextHops]):
    """The key `neighbors` of multipoint tunnels."""

    key = KEY
    holders = (KeyHolder.TUNNEL,)
    below = tuple(kind.key for kind in VIRTUAL_INTERFACES if isinstance(kind, TunnelKind) and kind.has_multipoint)
    object_classes = (TunnelNeighbor,)
    is_block = True

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> NextHops:
        """Return the next hops by neighbour; note keys that are no addresses or stand there twice."""
        found: dict[str, NextHopConfig] = {}
        for key, given in raw.items():
            peer = canonical_host(key)
            if peer is None or peer in found:
                reason = "is no address of a host" if peer is None else "has a next hop already"
                text = f"{shown(key)} {reason}"
                problems.append(Problem(rule="tunnel-neighbors-address", path=(*path, key), text=text))
                continue
            entry = given if isinstance(given, dict) else {"address": given}
            found[peer] = NextHopConfig(address=canonical_host(entry.get("address")) or "", vrf=entry.get("vrf"))
        return tuple(found.items())

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterator[TunnelNeighbor]:
        tunnel, interface = tunnel_of(entry, configuration), configuration.interfaces.get(entry.name)
        if tunnel is None or not tunnel.tunnel.is_multipoint:
            return
        tables = interface_tables(interface.vrf if interface is not None else None, configuration)
        for peer, hop in entry.value:
            outer = interface_tables(named_vrf(hop, tunnel), configuration)
            yield TunnelNeighbor(
                interface=entry.name,
                peer=peer,
                next_hop=hop.address,
                next_hop_table=outer[":" in hop.address],
                peer_table=tables[":" in peer],
            )

    def objects_for(self, entry: OwnedConfig, desired: DesiredStateBuilder) -> Iterator[VppObject]:
        """Yield the neighbours; a tunnel without an entry below `interfaces` stays in the tables that it is in."""
        there = desired.observed.interfaces.get(entry.name)
        is_left = entry.name not in desired.configuration.interfaces and there is not None
        for each in self.objects_of(entry, desired.configuration):
            yield replace(each, peer_table=there.table_of(each.peer)) if is_left and there is not None else each

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the neighbours of the file, and own those of tunnels that a plan deletes or gives one end.

        VPP 26.10 crashes when a tunnel of a VRF is deleted before its neighbours (teib_walk_table_bind).
        """
        OwnedSection.resolve(self, desired)
        neighbors: Iterable[TunnelNeighbor] = desired.observed.of(TunnelNeighbor).values()
        for name in {each.interface for each in neighbors if each.interface in desired.observed.virtual}:
            config = desired.configuration.virtual_of(name, TunnelConfig)
            if not config.tunnel.is_multipoint if config is not None else name not in desired.interfaces:
                desired.owned.add((TunnelNeighbor.table, name))

    def as_yaml(self, value: NextHops) -> Value:
        return tuple(KeyValue(peer, _as_yaml(hop)) for peer, hop in value)

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, NextHops]]:
        """Yield the neighbours of each multipoint tunnel, in order, as far as a file can name their VRFs."""
        found: dict[str, list[tuple[str, NextHopConfig]]] = {}
        neighbors: Iterable[TunnelNeighbor] = state.of(TunnelNeighbor).values()
        for each in sorted(neighbors, key=lambda each: address_key(f"{each.peer}/0")):
            tunnel = state.virtual.get(each.interface)
            outer = vrf_of_table(each.next_hop_table, state, is_ipv6=":" in each.next_hop)
            if isinstance(tunnel, Tunnel) and tunnel.is_multipoint and outer is not None:
                is_elsewhere = each.next_hop_table != tunnel.encap_vrf
                hop = NextHopConfig(address=each.next_hop, vrf=(outer[1] or DEFAULT_VRF) if is_elsewhere else None)
                found.setdefault(each.interface, []).append((each.peer, hop))
        for name, hops in found.items():
            yield KeyHolder.TUNNEL, name, tuple(hops)


def _as_yaml(hop: NextHopConfig) -> Value:
    return hop.address if hop.vrf is None else (KeyValue("address", hop.address), KeyValue("vrf", hop.vrf))


SECTION = TunnelNeighborSection()
KIND: TunnelNeighborKind = TunnelNeighborKind()
