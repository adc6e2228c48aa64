"""L3 cross-connects, the key `l3xc` of interfaces: all packets of one go to fixed next hops (plugins/l3xc/l3xc_api.c).

interfaces: { eth0: { l3xc: { ipv4: { interface: eth1, gateway: 192.0.2.2 } } } }

VPP goes on sending by the old next hops when a cross-connect is updated (l3xc_update does not stack it anew), so that
one that changes is removed and set again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from vppcfg.common.addresses import canonical_host
from vppcfg.common.resemblance import did_you_mean
from vppcfg.engine.object_kind import TrafficImpact, VppObjectKind
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.index import Index
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.entries.section import Section
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.kinds.next_hop import NORMAL, PATH, hop_at, path_of
from vppcfg.model.l3xc import L3CrossConnect
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.route import NextHop, in_order
from vppcfg.model.state import State
from vppcfg.model.vrf import FibTable
from vppcfg.operations.change import Impact
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.request import ALL_INDEXES, Indexes, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

KEY = "l3xc"
_UPDATE, _DELETE, _DUMP, _DETAILS = "l3xc_update", "l3xc_del", "l3xc_dump", "l3xc_details"
_FAMILIES = ("ipv4", "ipv6")
HopsByFamily = Mapping[str, tuple[NextHop, ...]]
"""Next hops by family."""


@record
class SetL3CrossConnect(SetObject):
    """l3xc_update: send all that an interface takes in one way; refused where it has another one already."""

    item: L3CrossConnect

    def _refusal(self, working: WorkingState) -> str | None:
        if self.item.name in working.objects.get(L3CrossConnect, {}):
            return f"{self.item.interface} has a cross-connect, which VPP would go on sending by"
        return SetObject._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"l3xc.sw_if_index": indexes.interface(self.item.interface), "l3xc.is_ip6": int(self.item.is_ipv6)}
        paths = [path_of(hop, indexes, 0, is_ipv6=self.item.is_ipv6) for hop in self.item.hops]
        return Request(_UPDATE, values, "l3xc.paths", paths)

    def cli(self) -> str:
        return _line("add", self.item)


@record
class RemoveL3CrossConnect(RemoveObject):
    """l3xc_del: have packets looked up in the FIB again."""

    item: L3CrossConnect

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.interface(self.item.interface), "is_ip6": int(self.item.is_ipv6)}
        return Request(_DELETE, values)

    def cli(self) -> str:
        """Return the command, for which the prompt needs the next hops."""
        return _line("del", self.item)


def _line(word: str, item: L3CrossConnect) -> str:
    family = ["ip6"] if item.is_ipv6 else []
    return " ".join([f"l3xc {word} {item.interface}", *family, *map(_via, item.hops)])


def _via(hop: NextHop) -> str:
    words = [f"via {hop.gateway} {hop.interface}" if hop.gateway else f"via {hop.interface}"]
    words += [f"weight {hop.weight}"] if hop.weight != 1 else []
    words += [f"preference {hop.preference}"] if hop.preference else []
    return " ".join(words)


def l3xc_interface(index: Index) -> Iterator[Problem]:
    """Find interfaces that packets should leave by and that the file lacks, and those that do not route."""
    for name, entry in index.configuration.owned.get(KEY, {}).items():
        reason = index.why_switched(name)
        if reason is not None and entry.value:
            text = f"{name} {reason}, and a cross-connect of L3 works on routed packets; remove one of both"
            yield Problem(rule="l3xc-switched", path=entry.path, text=text)
        for family, hops in entry.value.items():
            for hop in hops:
                yield from _wrong_hop(index, hop, (*entry.path, family))


def _wrong_hop(index: Index, hop: NextHop, path: KeyPath) -> Iterator[Problem]:
    if not index.has(hop.interface):
        text = f"there is no interface {hop.interface} in this file{did_you_mean(hop.interface, index.names)}"
        yield Problem(rule="l3xc-interface", path=path, text=text)
    elif (reason := index.why_switched(hop.interface)) is not None:
        text = f"{hop.interface} {reason}, so that no routed packet can leave by it"
        yield Problem(rule="l3xc-switched", path=path, text=text)


def _routes(item: L3CrossConnect, state: State) -> bool:
    """Return whether the interface of a cross-connect takes packets of its family."""
    interface = state.interfaces[item.interface]
    donor = state.interfaces.get(interface.unnumbered or interface.name, interface)
    if interface.is_l2:
        return False
    is_on = donor.is_ipv6_on if item.is_ipv6 else donor.has_ipv4 or interface.dhcp_client is not None
    return is_on or any((":" in each.address) == item.is_ipv6 for each in donor.live)


class L3CrossConnectKind(VppObjectKind[L3CrossConnect]):
    """The cross-connects in VPP."""

    nodes = "l3xc"
    key = KEY
    object_class = L3CrossConnect
    operations = (SetL3CrossConnect, RemoveL3CrossConnect)
    rules = (l3xc_interface,)
    api_module = "l3xc"
    capabilities: ClassVar = {"l3xc": _UPDATE}

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def set(self, item: L3CrossConnect) -> SetL3CrossConnect:
        return SetL3CrossConnect(item=item)

    def remove(self, item: L3CrossConnect) -> RemoveL3CrossConnect:
        return RemoveL3CrossConnect(item=item)

    def disturbed(self, before: Mapping[str, L3CrossConnect], after: Mapping[str, L3CrossConnect]) -> frozenset[str]:
        """Return those that change: VPP takes no other next hops."""
        return frozenset(name for name, each in before.items() if name in after and after[name] != each)

    def traffic_impacts(
        self, before: State, after: State, linked: tuple[Collection[str], Collection[str]]
    ) -> Iterator[TrafficImpact]:
        """Yield those that are new on an interface that took packets: none comes to the FIB any more (l3xc_node.c)."""
        for name, item in after.of(L3CrossConnect).items():
            if name not in before.of(L3CrossConnect) and item.interface in linked[0] and _routes(item, before):
                yield TrafficImpact(name, Impact.REMOVE, "takes", frozenset(), frozenset({item.interface}))

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all of them, where VPP has the plugin."""
        return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[L3CrossConnect]:
        """Yield those of which all is in a form that a file can have.

        VPP does not fill in the family (l3xc_send_details): it is that of the next hops.
        """
        for (index,), rows in (
            connection.lists(replies, _DETAILS, ("l3xc.sw_if_index",), *PATH) if connection.offers(_DUMP) else ()
        ):
            paths = [dict(zip(PATH, row, strict=True)) for row in rows]
            hops = [hop_at(path, 0, names) for path in paths]
            is_plain = all(path["type"] == NORMAL for path in paths) and all(hop.interface for hop in hops)
            if index in names and is_plain:
                is_ipv6 = any(path["proto"] for path in paths)
                yield L3CrossConnect(interface=names[index], is_ipv6=is_ipv6, hops=in_order(iter(hops)))


class L3CrossConnectSection(OwnedSection[HopsByFamily]):
    """The key `l3xc` of interfaces."""

    key = KEY
    holders = (KeyHolder.INTERFACE,)
    object_classes = (L3CrossConnect,)
    plugin = "l3xc"
    reason = "the file cross-connects packets of an interface"

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> HopsByFamily:
        """Return the next hops by family; note gateways of the other one."""
        found: dict[str, tuple[NextHop, ...]] = {}
        for family in _FAMILIES:
            given = raw.get(family)
            listed = given if isinstance(given, list) else [given] if given is not None else []
            for hop in listed:
                gateway = canonical_host(hop.get("gateway")) or ""
                if gateway and _FAMILIES[":" in gateway] != family:
                    text = f"{gateway} is no gateway of this family"
                    problems.append(Problem(rule="l3xc-family", path=(*path, family), text=text))
                else:
                    found[family] = (*found.get(family, ()), _next_hop(hop, gateway))
        return {family: in_order(iter(hops)) for family, hops in found.items()}

    def next_hops(self, entry: OwnedConfig) -> Iterator[tuple[NextHop, KeyPath]]:
        return ((hop, (*entry.path, family)) for family, hops in entry.value.items() for hop in hops)

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterator[L3CrossConnect]:
        for family, hops in entry.value.items():
            yield L3CrossConnect(interface=entry.name, is_ipv6=family == "ipv6", hops=hops)

    def as_yaml(self, value: HopsByFamily) -> Value:
        return tuple(
            KeyValue(family, hops[0] if len(hops) == 1 else hops)
            for family, ways in value.items()
            if (hops := [tuple(_keys(hop)) for hop in ways])
        )

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, HopsByFamily]]:
        found: dict[str, dict[str, tuple[NextHop, ...]]] = {}
        for each in state.of(L3CrossConnect).values():
            found.setdefault(each.interface, {})[_FAMILIES[each.is_ipv6]] = each.hops
        for name, ways in found.items():
            yield KeyHolder.INTERFACE, name, dict(sorted(ways.items()))


def _next_hop(raw: Mapping[str, Any], gateway: str) -> NextHop:
    return NextHop(
        gateway=gateway,
        interface=raw["interface"],
        weight=raw.get("weight") or 1,
        preference=raw.get("preference") or 0,
    )


def _keys(hop: NextHop) -> Iterator[KeyValue]:
    yield KeyValue("interface", hop.interface)
    yield from [KeyValue("gateway", hop.gateway)] if hop.gateway else []
    yield from [KeyValue("weight", hop.weight)] if hop.weight != 1 else []
    yield from [KeyValue("preference", hop.preference)] if hop.preference else []


SECTION = L3CrossConnectSection()
KIND = L3CrossConnectKind()
