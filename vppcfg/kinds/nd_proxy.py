"""Neighbour proxies of IPv6: the key `nd-proxy` of interfaces (vnet/ip6-nd/ip6_nd_proxy.c).

interfaces: { eth0: { nd-proxy: [ "2001:db8::5", "2001:db8::6" ] } }

VPP's own list of them cannot be decoded, and to find them in the FIB it walks all IPv6 routes with its workers stopped.
So they are asked for one by one: those that were set before, and those of the file. The FIB source of routes of files
is the mark that there are any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from vppcfg.common.addresses import address_key, canonical_host, is_link_local, is_unicast
from vppcfg.engine.kind import FatalLeftover
from vppcfg.engine.object_kind import VppObjectKind
from vppcfg.entries.configuration import Configuration, InterfaceConfig, KeyHolder, OwnedConfig
from vppcfg.entries.index import Index
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.entries.section import Section
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import Value
from vppcfg.kinds.nd_proxy_reading import unlisted_proxies
from vppcfg.kinds.ra import lacks_ipv6
from vppcfg.model.nd_proxy import NdProxy
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.state import State
from vppcfg.model.vpp_object import HiddenObject
from vppcfg.model.vrf import LAST_TYPED, FibTable
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import family_and_bytes
from vppcfg.wire.reading import Replies, VppReader

KEY = "nd-proxy"
_CHANGE = "ip6nd_proxy_add_del"
Hosts = tuple[str, ...]
"""Their addresses, in order."""


@record
class SetNdProxy(SetObject):
    """ip6nd_proxy_add_del: answer for a host; VPP takes one that is there already."""

    needs_fib_source = True
    item: NdProxy

    def _refusal(self, working: WorkingState) -> str | None:
        return SetObject._refusal(self, working) or _elsewhere(self.item, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=1)

    def cli(self) -> None:
        """Return None: what is typed lacks the mark that files set proxies."""


@record
class RemoveNdProxy(RemoveObject):
    """ip6nd_proxy_add_del: answer no more; VPP forgets the neighbour of the address with it, a static one too."""

    item: NdProxy

    def _refusal(self, working: WorkingState) -> str | None:
        return RemoveObject._refusal(self, working) or _elsewhere(self.item, working)

    def apply_to(self, working: WorkingState) -> None:
        RemoveObject.apply_to(self, working)
        neighbors = working.interfaces[self.item.interface].neighbors
        left = tuple(each for each in neighbors if each.address != self.item.address)
        if left != neighbors:
            working.change(self.item.interface, neighbors=left)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _request(self.item, indexes, is_add=0)

    def cli(self) -> str:
        return f"set ip6 nd proxy {self.item.interface} del {self.item.address}"


def _request(item: NdProxy, indexes: Indexes, *, is_add: int) -> Request:
    values = {"sw_if_index": indexes.interface(item.interface), "ip": family_and_bytes(item.address)[1]}
    return Request(_CHANGE, {**values, "is_add": is_add})


def _elsewhere(item: NdProxy, working: WorkingState) -> str | None:
    """Return that VPP would change another table: the message names none, and means that of the interface."""
    table_id = working.interfaces[item.interface].tables[1]
    return None if table_id == item.table_id else f"{item.interface} is in FIB table {table_id}"


def nd_proxy_interface(index: Index) -> Iterator[Problem]:
    """Find ND proxies of interfaces that have no IPv6, or are in a table that the prompt cannot name."""
    for name, entry in _entries(index):
        interface = index.find(name)
        if interface is None or not entry.value:
            continue
        table_id = _table_of(interface, index.configuration)
        if reason := index.why_switched(name):
            text = f"{name} {reason}, and answers no neighbour solicitations; remove one of both"
        elif interface.unnumbered is None and lacks_ipv6(interface, index):
            text = f"{name} has no IPv6 address, so that it finds no neighbours; add one to `addresses`"
        elif table_id > LAST_TYPED:
            text = f"VPP is asked for proxies by tables up to {LAST_TYPED}, and {name} is in {table_id}; renumber it"
        else:
            continue
        yield Problem(rule="nd-proxy-interface", path=entry.path, text=text)


def nd_proxy_taken(index: Index) -> Iterator[Problem]:
    """Find hosts that are this router itself, or stand on two interfaces of a VRF."""
    own = {
        (interface.vrf, address.partition("/")[0]): interface.name
        for interface in index.interfaces
        for address in interface.addresses
    }
    seen: dict[tuple[str | None, str], str] = {}
    for name, entry in _entries(index):
        interface = index.find(name)
        vrf = interface.vrf if interface is not None else None
        for position, host in enumerate(entry.value):
            other = seen.setdefault((vrf, host), name)
            if owner := own.get((vrf, host)):
                text = f"{host} is an address of {owner} itself"
            elif other != name:
                text = f"{host} is on {other} already, and VPP would send its packets to both; remove one"
            else:
                continue
            yield Problem(rule="nd-proxy-taken", path=(*entry.path, position), text=text)


def _entries(index: Index) -> Iterable[tuple[str, OwnedConfig]]:
    return index.configuration.owned.get(KEY, {}).items()


def _table_of(interface: InterfaceConfig, configuration: Configuration) -> int:
    """Return the number of the IPv6 table of an interface."""
    vrf = configuration.vrfs.get(interface.vrf or "")
    return vrf.table_id if vrf is not None and vrf.has_ipv6 else 0


class NdProxyKind(VppObjectKind[NdProxy]):
    """The proxies of files in VPP."""

    key = KEY
    object_class = NdProxy
    operations = (SetNdProxy, RemoveNdProxy)
    rules = (nd_proxy_interface, nd_proxy_taken)
    api_module = "ip6_nd"

    def sections(self) -> tuple[Section, ...]:
        return (SECTION,)

    def set(self, item: NdProxy) -> SetNdProxy:
        return SetNdProxy(item=item)

    def remove(self, item: NdProxy) -> RemoveNdProxy:
        return RemoveNdProxy(item=item)

    def fatal_leftovers(
        self, operations: Sequence[Operation], observed: State, desired: State
    ) -> Iterator[FatalLeftover]:
        """Yield that a proxy is set whose host has one on a deleted interface: VPP ends as with policies."""
        left = observed.facts.left_proxies
        proxies = (each.item for each in operations if left and isinstance(each, SetNdProxy))
        proxy = next((each for each in proxies if each.name in left), None)
        if proxy is not None:
            yield FatalLeftover(
                f"VPP would end when {proxy.interface} answers for {proxy.address}, for it has kept that host on a "
                f"deleted interface",
                f"restart VPP, or take the number N behind `if_index:` in `show ip6 fib table {proxy.table_id} "
                f"{proxy.address}/128`, type `create loopback interface` at its prompt until one has index N in `show "
                f"interface`, and `set ip6 nd proxy loopN del {proxy.address}` there; then delete these loopbacks",
            )

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> tuple[NdProxy, ...]:
        """Return none: all are hidden."""
        return ()

    def hidden(
        self, connection: VppReader, items: Sequence[NdProxy], names: Mapping[int, str]
    ) -> Iterator[HiddenObject]:
        """Yield the proxies that VPP has; none of one in which no file has set any."""
        return unlisted_proxies(connection, items, names)


class NdProxySection(OwnedSection[Hosts]):
    """The key `nd-proxy` of interfaces."""

    key = KEY
    holders = (KeyHolder.INTERFACE,)
    object_classes = (NdProxy,)

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> Hosts:
        """Return the addresses; note those that no host can have, and those that stand there twice."""
        found: list[str] = []
        for position, each in enumerate(raw):
            address = canonical_host(each)
            if address is None or ":" not in address or not is_unicast(address) or is_link_local(address):
                text = f"{shown(each)} is no IPv6 address of a host; link-local ones are not proxied"
            elif address in found:
                text = f"{address} is here already; remove one"
            else:
                found.append(address)
                continue
            problems.append(Problem(rule="nd-proxy-address", path=(*path, position), text=text))
        return _in_order(found)

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterator[NdProxy]:
        table_id = _table_of(configuration.interfaces[entry.name], configuration)
        for address in entry.value:
            yield NdProxy(address=address, interface=entry.name, table_id=table_id)

    def as_yaml(self, value: Hosts) -> Value:
        return list(value)

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, Hosts]]:
        found: dict[str, list[str]] = {}
        for each in state.of(NdProxy).values():
            found.setdefault(each.interface, []).append(each.address)
        for name, hosts in found.items():
            yield KeyHolder.INTERFACE, name, _in_order(hosts)


def _in_order(hosts: Iterable[str]) -> Hosts:
    return tuple(sorted(hosts, key=lambda each: address_key(f"{each}/0")))


SECTION = NdProxySection()
KIND = NdProxyKind()
