"""Virtual routers: the key `vrrp` of interfaces, how VPP is asked for them, and the steps of a change.

vrrp:
  5: { addresses: [ 192.0.2.254 ], priority: 200, track: { eth1: 50 } }
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from vppcfg.common.addresses import canonical_host
from vppcfg.common.numbers import whole_number
from vppcfg.common.release import Release
from vppcfg.engine.object_kind import TrafficImpact, VppObjectKind
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.entries.section import Section
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.kinds.address import AddAddress
from vppcfg.kinds.virtual_router_operations import (
    ACCEPT,
    IPV6,
    PREEMPT,
    UNICAST,
    CreateVirtualRouter,
    RemoveVirtualRouter,
    SetVrrpPeers,
    StartVirtualRouter,
    StopVirtualRouter,
    TrackInterface,
)
from vppcfg.kinds.virtual_router_rules import KEY, RULES, RouterEntry
from vppcfg.model.live_state import configured_on
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.model.virtual_router import OWNER_PRIORITY, TrackedInterface, VirtualRouter, VrrpState, hosts_in_order
from vppcfg.model.vrf import FibTable
from vppcfg.operations.change import Impact
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.reading import Replies, VppReader
from vppcfg.wire.vrrp_peers import RouterKey, read_peers

_DUMP, _TRACKED = "vrrp_vr_dump", "vrrp_vr_track_if_dump"
_CONFIG = ("sw_if_index", "vr_id", "priority", "interval", "flags")
_STATES = {1: VrrpState.BACKUP, 2: VrrpState.MASTER, 3: VrrpState.INTERFACE_DOWN}
"""vrrp_vr_state (plugins/vrrp/vrrp.api)."""
_IPV6_SUFFIX = "-ipv6"
_ASKS_AS_ITSELF = Release(24, 2)
"""VPP's commit 9e5694b405e (vnet/fib/fib_entry_src_interface.c)."""
_NEVER_FOUND = "sends ARP requests from the virtual address, which a second master does not answer: both stay master"


class VirtualRouterKind(VppObjectKind[VirtualRouter]):
    """The virtual routers in VPP."""

    nodes = "vrrp"
    key = KEY
    object_class = VirtualRouter
    operations = (
        CreateVirtualRouter,
        RemoveVirtualRouter,
        StartVirtualRouter,
        StopVirtualRouter,
        SetVrrpPeers,
        TrackInterface,
    )
    rules = RULES
    api_module = "vrrp"
    capabilities: ClassVar[Mapping[str, str]] = {"vrrp": _DUMP}
    has_own_steps = True
    counts_operations = False

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def set(self, item: VirtualRouter) -> CreateVirtualRouter:
        return CreateVirtualRouter(item=item)

    def remove(self, item: VirtualRouter) -> RemoveVirtualRouter:
        return RemoveVirtualRouter(item=item)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for all virtual routers and what they track."""
        if not connection.offers(_DUMP):
            return []
        return [
            connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1],
            connection.request(_TRACKED, {"dump_all": 1})[1],
        ]

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[VirtualRouter]:
        """Yield the virtual routers of interfaces that are there."""
        yield from read_routers(connection, replies, names) if connection.offers(_DUMP) else ()

    def restorable(self, state: State) -> State:
        """Return a state whose virtual routers track nothing that was gone."""
        routers = state.of(VirtualRouter)
        if not any(each.tracks_deleted for each in routers.values()):
            return state
        found = {name: replace(each, tracks_deleted=False) for name, each in routers.items()}
        return replace(state, objects={**state.objects, VirtualRouter: found})

    def traffic_impacts(
        self, before: State, after: State, linked: tuple[Collection[str], Collection[str]]
    ) -> Iterator[TrafficImpact]:
        """Yield the routers that ran on an interface with link, and stop or give addresses up."""
        routers = after.of(VirtualRouter)
        for name, router in before.of(VirtualRouter).items():
            if what := _loss(router, routers.get(name)) if router.interface in linked[0] else "":
                impact = Impact.DEGRADE if what == "backup" else Impact.REMOVE
                yield TrafficImpact(name, impact, what, frozenset({router.interface}))

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps of virtual routers that appear, change and go, or that lose an interface for a while."""
        observed, desired = transition.observed.of(VirtualRouter), transition.desired.of(VirtualRouter)
        for name in dict.fromkeys((*observed, *desired)):
            yield from _steps_of(observed.get(name), desired.get(name), transition)


def _loss(before: VirtualRouter, after: VirtualRouter | None) -> str:
    """Return the key of what hosts lose between two states of a router in `impact_verbs`, '' for nothing."""
    if not before.is_running:
        return ""
    if after is None or not after.is_running:
        return "backup" if before.state is VrrpState.BACKUP else "stopped"
    return "" if set(before.addresses) <= set(after.addresses) else "fewer"


def _steps_of(before: VirtualRouter | None, after: VirtualRouter | None, transition: Transition) -> Iterator[Step]:
    if before is not None:
        gone = after is None or before.interface in transition.to_delete
        if gone or _is_other(before, after):
            loses = any(each.interface in transition.to_delete for each in before.tracked)
            taken = _taken_along(before, transition)
            yield from _removal(before, is_early=bool(gone or loses or taken), taken=taken)
            for address in taken:
                add = AddAddress(interface=before.interface, address=address)
                yield Step(stage=Stage.ADD_ADDRESS, operation=add)
            before = None
    if after is None:
        return
    if before is None:
        before = replace(after, tracked=(), is_running=False, state=None)
        yield Step(stage=Stage.SET_OBJECT, operation=CreateVirtualRouter(item=before))
        if after.peers:
            yield Step(stage=Stage.ATTACH, operation=SetVrrpPeers(item=before, peers=after.peers))
    yield from _adjustment(before, after, transition)


def _is_other(before: VirtualRouter, after: VirtualRouter | None) -> bool:
    """Return whether the virtual router has to be set anew: what it tracks and that it runs can be set any time."""
    return after is None or replace(after, tracked=before.tracked, is_running=before.is_running) != before


def _taken_along(router: VirtualRouter, transition: Transition) -> tuple[str, ...]:
    """Return the addresses that a master takes off its interface when it stops, and the file has there."""
    name = router.interface
    before, after = (state.interfaces.get(name) for state in (transition.observed, transition.desired))
    gives = router.state is VrrpState.MASTER and router.is_accepting and router.priority != OWNER_PRIORITY
    if not gives or before is None or after is None or name in transition.to_delete:
        return ()
    kept = configured_on(after) & before.addresses - transition.replaced_addresses(name)
    return tuple(sorted(each for each in kept if each.partition("/")[0] in router.addresses))


def _removal(router: VirtualRouter, *, is_early: bool, taken: tuple[str, ...]) -> Iterator[Step]:
    if router.is_running:
        stage = Stage.DETACH if is_early else Stage.STOP_ROUTER
        yield Step(stage=stage, operation=StopVirtualRouter(item=router, taken=taken))
    stopped = replace(router, is_running=False)
    stage = Stage.REMOVE_OBJECT if is_early else Stage.REMOVE_ROUTER
    yield Step(stage=stage, operation=RemoveVirtualRouter(item=stopped))


def _adjustment(now: VirtualRouter, after: VirtualRouter, transition: Transition) -> Iterator[Step]:
    """Yield the steps that set what is tracked, and then whether the router runs."""
    for each in now.tracked:
        is_lost = each.interface in transition.to_delete
        if is_lost or each not in after.tracked:
            untrack = TrackInterface(item=now, tracked=each, is_on=False)
            yield Step(stage=Stage.DETACH if is_lost else Stage.UNTRACK, operation=untrack)
            now = untrack.after
    for each in after.tracked:
        if each not in now.tracked:
            track = TrackInterface(item=now, tracked=each, is_on=True)
            yield Step(stage=Stage.TRACK, operation=track)
            now = track.after
    if now.is_running is not after.is_running:
        change = StartVirtualRouter if after.is_running else StopVirtualRouter
        yield Step(stage=Stage.START_ROUTER, operation=change(item=now))


def read_routers(connection: VppReader, replies: Replies, names: Mapping[int, str]) -> Iterator[VirtualRouter]:
    """Yield the virtual routers of a VPP with their states."""
    heads = (*(f"config.{each}" for each in _CONFIG), "runtime.state")
    found = connection.lists(replies, "vrrp_vr_details", heads, "af", "un")
    tracked = _tracked(connection, replies, names)
    unicast = [(index, number, bool(flags & IPV6)) for (index, number, _, _, flags, _), _ in found if flags & UNICAST]
    peers = read_peers(connection, unicast)
    for (index, number, priority, interval, flags, state), hosts in found:
        name, is_ipv6 = names.get(index, ""), bool(flags & IPV6)
        if not name:
            continue
        tracks = tracked.get((index, number, is_ipv6), ())
        yield VirtualRouter(
            interface=name,
            vr_id=number,
            is_ipv6=is_ipv6,
            addresses=hosts_in_order([text_of_address(family, raw) for family, raw in hosts]),
            priority=priority,
            interval_cs=interval,
            is_preempting=bool(flags & PREEMPT),
            is_accepting=bool(flags & ACCEPT),
            tracked=tuple(each for each in tracks if each.interface),
            tracks_deleted=any(not each.interface for each in tracks),
            peers=hosts_in_order([text_of_address(*each) for each in peers.get((index, number, is_ipv6), ())]),
            is_running=bool(state),
            state=_STATES.get(state, VrrpState.STOPPED),
        )


def _tracked(
    connection: VppReader, replies: Replies, names: Mapping[int, str]
) -> dict[RouterKey, tuple[TrackedInterface, ...]]:
    """Return what is tracked by routers, with '' as the name of an interface that is gone."""
    heads = ("sw_if_index", "vr_id", "is_ipv6")
    rows = connection.lists(replies, "vrrp_vr_track_if_details", heads, "sw_if_index", "priority")
    found: dict[RouterKey, tuple[TrackedInterface, ...]] = {}
    for (index, number, is_ipv6), entries in rows:
        known = [TrackedInterface(interface=names.get(other, ""), priority=less) for other, less in entries]
        found[index, number, bool(is_ipv6)] = tuple(sorted(known, key=lambda each: each.interface))
    return found


class VirtualRouterSection(OwnedSection[tuple[RouterEntry, ...]]):
    """The key `vrrp` of interfaces."""

    key = KEY
    holders = (KeyHolder.INTERFACE,)
    object_classes = (VirtualRouter,)
    plugin = "vrrp"
    reason = "an interface has virtual routers"
    is_block: ClassVar[bool] = True

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> tuple[RouterEntry, ...]:
        """Return the entries; note those whose name is no number of a virtual router."""
        wrong = {key: _wrong_number(key, (*path, key)) for key in raw}
        problems += [problem for problem in wrong.values() if problem is not None]
        return tuple(_entry(key, given, (*path, key)) for key, given in raw.items() if wrong[key] is None)

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterator[VirtualRouter]:
        """Yield a virtual router for each entry and family of its addresses."""
        for each in entry.value:
            yield from each.routers(entry.name)

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter the routers, and warn of masters that an older VPP does not let hear each other."""
        OwnedSection.resolve(self, desired)
        for entry in self.entries_in(desired.configuration).values():
            for each in entry.value:
                if each.router.is_accepting and any(":" not in peer for peer in each.router.peers):
                    desired.risk("vrrp-arp-source", each.path, _ASKS_AS_ITSELF, _NEVER_FOUND)

    def as_yaml(self, value: tuple[RouterEntry, ...]) -> Value:
        return tuple(KeyValue(each.key, tuple(_entry_keys(each.router))) for each in value)

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, tuple[RouterEntry, ...]]]:
        """Yield the entries of each interface; both families of a number share one where all else is alike."""
        found: dict[str, list[RouterEntry]] = {}
        for router in sorted(state.of(VirtualRouter).values(), key=lambda each: (each.vr_id, each.is_ipv6)):
            entries = found.setdefault(router.interface, [])
            entry = RouterEntry(key=router.vr_id, router=replace(router, interface="", is_ipv6=False))
            other = next((each for each in entries if each.router.vr_id == router.vr_id), None)
            if other is not None and entry.may_join(other):
                entries[entries.index(other)] = other.joined_by(entry)
            else:
                key = router.vr_id if other is None else f"{router.vr_id}{_IPV6_SUFFIX}"
                entries.append(replace(entry, key=key))
        for name, routers in found.items():
            yield KeyHolder.INTERFACE, name, tuple(routers)


def _number(key: Any) -> int | None:
    text = str(key).removesuffix(_IPV6_SUFFIX)
    number = whole_number(text)
    return number if number is not None and 1 <= number <= 255 else None


def _wrong_number(key: Any, path: KeyPath) -> Problem | None:
    if _number(key) is not None:
        return None
    text = f"{key} is no number of a virtual router; write one from 1 to 255"
    return Problem(rule="vrrp-number", path=path, text=text)


def _entry(key: Any, given: Mapping[str, Any], path: KeyPath) -> RouterEntry:
    router = VirtualRouter(
        interface="",
        vr_id=_number(key) or 0,
        addresses=tuple(host for text in given["addresses"] if (host := canonical_host(text))),
        priority=given.get("priority") or 100,
        interval_cs=given.get("interval") or 100,
        is_preempting=given.get("preempt") is not False,
        is_accepting=bool(given.get("accept")),
        tracked=tuple(
            TrackedInterface(interface=str(name), priority=less)
            for name, less in sorted((given.get("track") or {}).items())
        ),
        peers=tuple(host for text in given.get("unicast-peers") or () if (host := canonical_host(text))),
        is_running=given.get("state") != "down",
    )
    return RouterEntry(key=key, path=path, router=router)


def _entry_keys(router: VirtualRouter) -> Iterator[KeyValue]:
    yield KeyValue("addresses", list(router.addresses))
    yield KeyValue("priority", router.priority, is_default=router.priority == 100)
    yield KeyValue("interval", router.interval_cs, is_default=router.interval_cs == 100)
    yield KeyValue("preempt", router.is_preempting, is_default=router.is_preempting)
    yield KeyValue("accept", router.is_accepting, is_default=not router.is_accepting)
    if router.tracked:
        yield KeyValue("track", tuple(KeyValue(each.interface, each.priority) for each in router.tracked))
    if router.peers:
        yield KeyValue("unicast-peers", list(router.peers))
    yield KeyValue("state", "up" if router.is_running else "down", is_default=router.is_running)


SECTION = VirtualRouterSection()
KIND = VirtualRouterKind()
