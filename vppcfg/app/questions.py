"""Turns a check (a ping, or an ARP request) into the request to send: from VPP where it can, else from Linux."""

from __future__ import annotations

from vppcfg.common.addresses import canonical_host
from vppcfg.model.checks import ArpCheck, PingCheck
from vppcfg.model.question import EchoQuestion, LinuxEchoQuestion, NeighborQuestion, Question
from vppcfg.model.state import State


def question_of(check: PingCheck | ArpCheck, state: State) -> Question | str:
    """Return what is to be asked for a check in this state, or why nothing can be."""
    if isinstance(check, ArpCheck):
        return why_cannot_ask(check.interface, check.address, state) or NeighborQuestion(
            interface=check.interface, address=check.address
        )
    if check.source or check.vrf or check.netns:
        return _from_linux(check, state)
    return EchoQuestion(address=check.address)


def through_linux(check: PingCheck | ArpCheck, state: State) -> LinuxEchoQuestion | None:
    """Return how Linux asks what a VPP cannot that lacks the means; None where it has no LCP pair to ask through."""
    if isinstance(check, ArpCheck) or not state.lcps:
        return None
    return LinuxEchoQuestion(address=check.address, netns=state.facts.lcp.default_netns)


def why_cannot_ask(name: str, address: str, state: State) -> str:
    """Return why an interface cannot ask who has an address, '' when it can.

    VPP takes the source from the interface's addresses, and sends nothing without one, and reports no answer then
    (ip4_neighbor_probe_dst, vnet/ip-neighbor).
    """
    interface = state.interfaces.get(name)
    if interface is None:
        return f"VPP has no interface {name}"
    if not interface.is_up:
        return f"{name} is down"
    is_ip6 = ":" in address
    own = (*interface.addresses, *(live.address for live in interface.live))
    if not is_ip6 and not any(":" not in each for each in own):
        return f"{name} has no IPv4 address to ask from"
    if is_ip6 and not any(":" in each for each in own):
        return f"{name} has no IPv6 address to ask from"
    return ""


def _from_linux(check: PingCheck, state: State) -> LinuxEchoQuestion | str:
    table_id = 0
    if check.vrf:
        tables = [table.table_id for table in state.vrfs.values() if table.name == check.vrf]
        if not tables:
            return f"VPP has no VRF {check.vrf}"
        table_id = tables[0]
    netns, device, source = check.netns, "", ""
    if canonical_host(check.source) is not None:
        source = check.source
        netns = netns or _netns_of(source, state)
    elif check.source:
        pair = state.lcps.get(check.source)
        if pair is None:
            return f"{check.source} has no LCP pair, and VPP cannot ping from an interface over its API"
        netns, device = netns or pair.netns, pair.host_name
    elif not netns:
        netns = state.facts.lcp.default_netns
    return LinuxEchoQuestion(address=check.address, netns=netns, device=device, source=source, table_id=table_id)


def _netns_of(address: str, state: State) -> str:
    """Return the namespace of the LCP pair whose interface has an address, else that of LCP pairs by default."""
    for name, pair in state.lcps.items():
        if name in state.interfaces and any(
            own.partition("/")[0] == address for own in state.interfaces[name].addresses
        ):
            return pair.netns
    return state.facts.lcp.default_netns
