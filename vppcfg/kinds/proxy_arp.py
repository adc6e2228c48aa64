"""Proxy ARP: on which interfaces VPP answers for other hosts (vnet/arp); `proxy_arp_ranges` has their addresses."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.engine.feature_kind import SwitchKind
from vppcfg.entries.configuration import InterfaceConfig
from vppcfg.entries.index import Index
from vppcfg.kinds.proxy_arp_ranges import RANGES
from vppcfg.model.problem import Problem, Severity
from vppcfg.operations.feature import Switch
from vppcfg.operations.request import Indexes, Known, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_DUMP = "proxy_arp_intfc_dump"


@record
class SetProxyArp(Switch):
    """proxy_arp_intfc_enable_disable: answer for other hosts on an interface, or no longer."""

    attribute = "has_proxy_arp"

    def apply_to(self, working: WorkingState) -> None:
        """Set it, and note who answers."""
        working.change(self.interface, has_proxy_arp=self.is_on)
        if self.is_on:
            working.with_proxy_arp.add(self.interface)
        else:
            working.with_proxy_arp.discard(self.interface)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.interface(self.interface), "enable": int(self.is_on)}
        return Request("proxy_arp_intfc_enable_disable", values)

    def cli(self) -> str:
        return f"set interface proxy-arp {self.interface} {'enable' if self.is_on else 'disable'}"


def proxy_arp_address(index: Index) -> Iterator[Problem]:
    """Find interfaces that are to answer for others and have no IPv4 address, without which VPP answers no ARP."""
    for interface in index.interfaces:
        if interface.has_proxy_arp and _lacks_ipv4(interface, index):
            text = f"{interface.name} has no IPv4 address, so VPP answers no ARP there; add one to `addresses`"
            yield Problem(rule="proxy-arp-address", path=(*interface.path, "proxy-arp"), text=text)


def proxy_arp_unused(index: Index) -> Iterator[Problem]:
    """Find interfaces without a range in their VRF, and ranges without an interface in theirs."""
    if not index.is_whole:
        return
    with_ranges = {each.vrf for each in index.configuration.proxy_arps}
    answering = {interface.vrf for interface in index.interfaces if interface.has_proxy_arp}
    for interface in index.interfaces:
        if interface.has_proxy_arp and interface.vrf not in with_ranges:
            text = f"no range of `{RANGES}` is in {_words(interface.vrf)}, so {interface.name} answers for no address"
            path = (*interface.path, "proxy-arp")
            yield Problem(rule="proxy-arp-unused", path=path, text=text, severity=Severity.WARNING)
    for vrf in sorted(with_ranges - answering, key=lambda vrf: vrf or ""):
        path = next(each.path for each in index.configuration.proxy_arps if each.vrf == vrf)
        text = f"no interface in {_words(vrf)} has `proxy-arp`, so VPP does not answer for these addresses"
        yield Problem(rule="proxy-arp-unused", path=path[:-1], text=text, severity=Severity.WARNING)


def _lacks_ipv4(interface: InterfaceConfig, index: Index) -> bool:
    """Return whether neither an interface nor the one whose addresses it borrows has an IPv4 address."""
    if interface.dhcp_client is not None:
        return False
    donor = index.find(interface.unnumbered)
    addresses = interface.addresses if interface.unnumbered is None else donor.addresses if donor else ("unknown",)
    return all(":" in address for address in addresses)


def _words(vrf: str | None) -> str:
    return "the default VRF" if vrf is None else f"the VRF {vrf}"


class ProxyArpKind(SwitchKind):
    """The key `proxy-arp` of interfaces, whose ranges are in `proxy_arp_ranges`."""

    key = "proxy-arp"
    command = "set interface proxy-arp"
    attribute = "has_proxy_arp"
    is_of_bond = True
    is_routing = True
    switch = SetProxyArp
    operations = (SetProxyArp,)
    rules = (proxy_arp_address, proxy_arp_unused)
    api_module = "arp"

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the interfaces, where VPP takes it."""
        return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, bool]:
        """Return the interfaces with proxy ARP, by their indexes."""
        if not connection.offers(_DUMP):
            return {}
        return {index: True for (index,) in connection.rows(replies, "proxy_arp_intfc_details", "sw_if_index")}


KIND = ProxyArpKind()
