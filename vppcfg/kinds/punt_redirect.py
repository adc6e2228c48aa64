"""Punt redirects: the key `punt-redirect` of the file and of interfaces (vnet/ip/ip_punt_drop.c).

interfaces: { eth0: { punt-redirect: { ipv4: { interface: tap0, gateway: 10.0.0.2 } } } }

linux-cp has a redirect of its own on the interface of each LCP pair, to its Linux device (lcp_itf_pair_add): with
another one Linux gets nothing. VPP counts redirects and turns the feature off for all when the count is 0; it counts
one that takes the place of another, and the removal of one that is not there. So one that changes is removed and set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from vppcfg.common.addresses import canonical_host
from vppcfg.common.resemblance import did_you_mean
from vppcfg.engine.object_kind import VppObjectKind
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.index import Index
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.entries.section import Section
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.kinds.next_hop import NORMAL, PATH, hop_at, path_of
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.punt_redirect import PuntRedirect
from vppcfg.model.route import NextHop
from vppcfg.model.state import State
from vppcfg.model.vrf import FibTable
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.request import ALL_INDEXES, NO_INDEX, Indexes, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

KEY = "punt-redirect"
_CHANGE = "add_del_ip_punt_redirect_v2"
_DUMP, _DETAILS = "ip_punt_redirect_v2_dump", "ip_punt_redirect_v2_details"
_FAMILIES = ("ipv4", "ipv6")
HopsByFamily = Mapping[str, NextHop]
"""Next hops by family."""


@record
class SetPuntRedirect(SetObject):
    """add_del_ip_punt_redirect_v2: redirect packets; refused where there is one, or an LCP pair that has its own."""

    item: PuntRedirect

    def _refusal(self, working: WorkingState) -> str | None:
        if self.item.name in working.objects.get(PuntRedirect, {}):
            return f"there is a {self.item.label}, which VPP would lose"
        if self.item.interface in working.lcps:
            return f"{self.item.interface} has an LCP pair, whose Linux device would get no packets any more"
        return SetObject._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=1)

    def cli(self) -> str:
        return f"{_line('add', self.item)} {_via(self.item.hop)}"


@record
class RemovePuntRedirect(RemoveObject):
    """add_del_ip_punt_redirect_v2: redirect nothing any more."""

    item: PuntRedirect

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=0)

    def cli(self) -> str:
        return _line("del", self.item)


def _request(item: PuntRedirect, indexes: Indexes, *, is_add: int) -> Request:
    rx = indexes.interface(item.interface) if item.interface else NO_INDEX
    values = {"is_add": is_add, "punt.rx_sw_if_index": rx, "punt.af": int(item.is_ipv6)}
    paths = [path_of(item.hop, indexes, 0, is_ipv6=item.is_ipv6)] if is_add else []
    return Request(_CHANGE, values, "punt.paths", paths)


def _line(word: str, item: PuntRedirect) -> str:
    return f"ip{6 if item.is_ipv6 else ''} punt redirect {word} rx {item.interface or 'all'}"


def _via(hop: NextHop) -> str:
    return f"via {hop.gateway} {hop.interface}" if hop.gateway else f"via {hop.interface}"


def punt_redirect_lcp(index: Index) -> Iterator[Problem]:
    """Find redirects on interfaces with an LCP pair, and those to interfaces that the file lacks."""
    for name, entry in index.configuration.owned.get(KEY, {}).items():
        interface = index.find(name) if name else None
        if interface is not None and interface.lcp is not None and entry.value:
            text = f"{name} has `lcp`: a redirect here would take all packets from its Linux device; remove one of both"
            yield Problem(rule="punt-redirect-lcp", path=entry.path, text=text)
        for family, hop in entry.value.items():
            if not index.has(hop.interface):
                text = f"there is no interface {hop.interface} in this file{did_you_mean(hop.interface, index.names)}"
                yield Problem(rule="punt-redirect-interface", path=(*entry.path, family, "interface"), text=text)


class PuntRedirectKind(VppObjectKind[PuntRedirect]):
    """The redirects in VPP, but for those of linux-cp."""

    key = KEY
    object_class = PuntRedirect
    operations = (SetPuntRedirect, RemovePuntRedirect)
    rules = (punt_redirect_lcp,)
    sees_hosts = False

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def set(self, item: PuntRedirect) -> SetPuntRedirect:
        """Return the operation that redirects."""
        return SetPuntRedirect(item=item)

    def remove(self, item: PuntRedirect) -> RemovePuntRedirect:
        """Return the operation that redirects no more."""
        return RemovePuntRedirect(item=item)

    def disturbed(self, before: Mapping[str, PuntRedirect], after: Mapping[str, PuntRedirect]) -> frozenset[str]:
        """Return those that change: VPP leaks the one whose place another one takes."""
        return frozenset(name for name, each in before.items() if name in after and after[name] != each)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for both families."""
        return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES, "af": family})[1] for family in (0, 1)]

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[PuntRedirect]:
        """Yield the redirects to one interface; those of linux-cp lead to interfaces without a name."""
        heads = ("punt.rx_sw_if_index", "punt.af")
        for (rx, family), rows in connection.lists(replies, _DETAILS, heads, *PATH):
            interface = "" if rx == NO_INDEX else names.get(rx)
            if len(rows) != 1 or interface is None:
                continue
            path = dict(zip(PATH, rows[0], strict=True))
            if path["type"] == NORMAL and path["sw_if_index"] in names:
                hop = hop_at({**path, "weight": 1}, 0, names)
                yield PuntRedirect(interface=interface, hop=hop, is_ipv6=bool(family))


class PuntRedirectSection(OwnedSection[HopsByFamily]):
    """The key `punt-redirect`."""

    key = KEY
    holders = (KeyHolder.FILE, KeyHolder.INTERFACE)
    object_classes = (PuntRedirect,)

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> HopsByFamily:
        """Return the next hops by family; note gateways of the other one."""
        found: dict[str, NextHop] = {}
        for family in _FAMILIES:
            if (given := raw.get(family)) is None:
                continue
            gateway = canonical_host(given.get("gateway")) or ""
            if gateway and _FAMILIES[":" in gateway] != family:
                text = f"{gateway} is no gateway of this family"
                problems.append(Problem(rule="punt-redirect-family", path=(*path, family, "gateway"), text=text))
                continue
            found[family] = NextHop(gateway=gateway, interface=given["interface"])
        return found

    def next_hops(self, entry: OwnedConfig) -> Iterator[tuple[NextHop, KeyPath]]:
        return ((hop, (*entry.path, family)) for family, hop in entry.value.items())

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterator[PuntRedirect]:
        for family, hop in entry.value.items():
            yield PuntRedirect(interface=entry.name, hop=hop, is_ipv6=family == "ipv6")

    def as_yaml(self, value: HopsByFamily) -> Value:
        return tuple(KeyValue(family, tuple(_keys(hop))) for family, hop in value.items())

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, HopsByFamily]]:
        """Yield the redirects of each interface, and of all."""
        found: dict[str, dict[str, NextHop]] = {}
        for each in state.of(PuntRedirect).values():
            found.setdefault(each.interface, {})[_FAMILIES[each.is_ipv6]] = each.hop
        for name, ways in found.items():
            yield KeyHolder.INTERFACE if name else KeyHolder.FILE, name, dict(sorted(ways.items()))


def _keys(hop: NextHop) -> Iterator[KeyValue]:
    yield KeyValue("interface", hop.interface)
    yield from [KeyValue("gateway", hop.gateway)] if hop.gateway else []


SECTION = PuntRedirectSection()
KIND = PuntRedirectKind()
