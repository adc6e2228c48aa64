"""A slow account of what interfaces offer to traffic, told without a word of `plan/`, for the laws about impact.

Every state between two steps is looked at as a whole, and links are found by going round until nothing changes.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.model.tunnel import Gre, Ipip, Vxlan
from vppcfg.model.wireguard import Wireguard

Account = dict[str, dict[str, Any]]
"""By interface, what it offers."""
LEVELS = ("none", "degrade", "policy", "flap", "recreate", "remove")


def interfaces_with_link(state: State) -> set[str]:
    """Return the interfaces that have link, beginning with none and adding until there are no more to add."""
    linked: set[str] = set()
    while more := {name for name in state.interfaces if name not in linked and _has_link(name, state, linked)}:
        linked |= more
    return linked


def _has_link(name: str, state: State, linked: set[str]) -> bool:
    interface, virtual = state.interfaces[name], state.virtual.get(name)
    if not interface.is_up:
        return False
    if interface.parent is not None:
        return interface.parent in linked
    if isinstance(virtual, Bond):
        return any(member in linked for member in virtual.members)
    if isinstance(virtual, Vxlan | Gre | Ipip):
        return any(
            address.split("/")[0] == virtual.local
            and other.tables[":" in address] == virtual.encap_vrf
            and other.name in linked
            for other in state.interfaces.values()
            for address in other.addresses
        )
    if isinstance(virtual, Wireguard):
        tables = {peer.encap_vrf for peer in virtual.peers.values()} or {0}
        return any(
            address.split("/")[0] == virtual.local and {other.tables[":" in address]} == tables and other.name in linked
            for other in state.interfaces.values()
            for address in other.addresses
        )
    if interface.is_bvi:
        return any(
            other.bridge == interface.bridge and other.name in linked and not other.is_bvi
            for other in state.interfaces.values()
        )
    return True


def account_of(state: State) -> Account:
    """Return what every interface offers."""
    linked = interfaces_with_link(state)
    return {name: _offer(interface, state, linked) for name, interface in state.interfaces.items()}


def _offer(interface: Interface, state: State, linked: set[str]) -> dict[str, Any]:
    name = interface.name
    root = state.interfaces[interface.parent] if interface.parent else interface
    offer: dict[str, Any] = {"pair": None, "device": None}
    pair, virtual, device = state.lcps.get(name), state.virtual.get(name), state.linux.get(name)
    if pair is not None and pair.has_host:
        offer["pair"] = (pair.netns, pair.host_name)
    if pair is None and isinstance(virtual, Tap):
        offer["pair"] = (virtual.host_netns, virtual.host_name)
    below = state.linux.get(root.name)
    if device is not None and device.is_up and (below is None or below.is_up):
        offer["device"] = device.bridge
    offer["link"] = name in linked
    if name not in linked:
        return offer
    offer |= {"mac": root.mac, "path": _path(interface, state, linked), "addresses": set(), "redundancy": 0}
    bonds = {member: bond for bond, each in state.virtual_as(Bond).items() for member in each.members}
    if name not in bonds and (interface.is_bvi or (interface.l2xc is None and interface.bridge is None)):
        offer["addresses"] = _in_tables(interface.addresses, interface)
        if interface.unnumbered is not None:
            is_there = interface.unnumbered in linked
            lent = state.interfaces[interface.unnumbered].addresses if is_there else ()
            offer["addresses"] = _in_tables(lent, interface)
        if interface.dhcp_client is not None:
            offer["addresses"].add(("the leased address", interface.tables[0]))
    bond = state.virtual_of(root.name, Bond)
    if bond is not None:
        offer["redundancy"] = len([member for member in bond.members if member in linked])
    offer["policy"] = (
        _rules(interface.acls.input, state),
        _rules(interface.acls.output, state),
        interface.urpf,
        interface.mss_clamp,
        interface.static_macs,
        interface.link_local,
        interface.neighbors,
        interface.has_proxy_arp,
        [
            (each.is_ipv6, each.priority, state.acls[each.acl].rules, each.hops, each.end)
            for each in interface.policy_routes
        ],
        interface.det44,
        state.macips[interface.macip].rules or None if interface.macip is not None else None,
        [each for each in sorted(state.proxy_arps, key=str) if each.table_id == interface.tables[0]]
        if interface.has_proxy_arp
        else [],
    )
    offer["services"] = [
        interface.has_mpls, interface.has_gso, interface.mirrors, interface.ra, interface.dhcp_client
    ]  # fmt: skip
    if isinstance(virtual, Wireguard):
        offer["peers"] = {key: set(peer.allowed_ips) for key, peer in virtual.peers.items()}
    offer["switches"] = _bridge_behaviour(interface, state)
    own = interface.packet_mtu or root.packet_mtu
    protocols = [mtu or own for mtu in interface.protocol_mtus]
    other = state.packet_mtu(interface.l2xc) if interface.l2xc is not None else 0
    offer["sizes"] = [root.link_mtu or 0, own, *protocols, device.mtu if device is not None else 0, other]
    return offer


def _in_tables(addresses: Iterable[str], interface: Interface) -> set[tuple[str, int]]:
    """Return addresses with the FIB tables that they are in on an interface: in another one, it is another address."""
    return {(address, interface.tables[":" in address]) for address in addresses}


def _rules(names: tuple[str, ...], state: State) -> list[object] | None:
    return [rule for name in names for rule in state.acls[name].rules] if names else None


def _bridge_behaviour(interface: Interface, state: State) -> object:
    if interface.bridge is None:
        return None
    is_on = state.bridges[f"bd{interface.bridge}"].settings
    return (
        is_on.learn,
        is_on.unicast_flood,
        is_on.unknown_unicast_flood,
        is_on.arp_termination,
        is_on.arp_unicast_forward,
        state.bridges[f"bd{interface.bridge}"].filtered_macs,
    )


def _path(interface: Interface, state: State, linked: set[str]) -> object:
    if interface.l2xc is not None:
        return ("to", interface.l2xc, interface.tag_rewrite) if interface.l2xc in linked else None
    if interface.bridge is not None:
        others = [o for o in state.interfaces.values() if o.bridge == interface.bridge and o.name in linked]
        if len(others) < 2 or not state.bridges[f"bd{interface.bridge}"].settings.unicast_forward:
            return None
        return interface.bridge, interface.is_bvi, interface.split_horizon_group, interface.tag_rewrite
    for name, bond in state.virtual_as(Bond).items():
        if interface.name in bond.members and name in linked:
            return name, bond.members[interface.name].is_passive, bond.members[interface.name].is_long_timeout
    return None


def missing(before: dict[str, Any], now: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Yield what one interface offered and does not offer now, in the words of JSON documents, with the address."""
    if now is None:
        yield "interface", ""
        now = {"link": False, "pair": None, "device": None}
    if before["pair"] is not None and before["pair"] != now["pair"]:
        yield "lcp", ""
    device, bridge = before["device"], now["device"]
    if device is not None and (bridge is None or (device != "" and bridge != device)):
        yield "linux", ""
    if not before["link"]:
        return
    if not now["link"]:
        yield "link", ""
    else:
        if before["mac"] and now["mac"] and before["mac"] != now["mac"]:
            yield "mac", ""
        stays_bridged = before["switches"] is not None and now["switches"] is not None
        is_less = any(old and old != new for old, new in zip(before["services"], now["services"], strict=True))
        is_switched = stays_bridged and before["switches"] != now["switches"]
        if before["policy"] != now["policy"] or is_less or is_switched:
            yield "policy", ""
        if any(mtu and mtu < former for former, mtu in zip(before["sizes"], now["sizes"], strict=True)):
            yield "size", ""
        if now["redundancy"] < before["redundancy"]:
            yield "redundancy", ""
    if before["path"] is not None and before["path"] != now.get("path"):
        yield "path", ""
    for key, prefixes in before.get("peers", {}).items():
        if key not in now.get("peers", {}):
            yield "peer", key
        for prefix in prefixes - now.get("peers", {}).get(key, prefixes):
            yield "peer", prefix
    for address, _ in before["addresses"] - now.get("addresses", set()):
        yield "address", address


Found = dict[tuple[str, str, str], tuple[str, int]]
"""By interface, part and address: the level, and the first step without it."""


def found_on_the_way(states: Sequence[State]) -> Found:
    """Return what traffic loses on the way through states, the first of which is the one before the plan."""
    accounts = [account_of(state) for state in states]
    before, end = accounts[0], accounts[-1]
    found: Found = {}
    for name, offer in before.items():
        if not offer["link"] and offer["pair"] is None:
            continue
        lasting = set(missing(offer, end.get(name)))
        for step, account in enumerate(accounts[1:]):
            for part, what in missing(offer, account.get(name)):
                level = _level(part, is_lasting=(part, what) in lasting)
                found.setdefault((name, part, what), (level, step))
    return found


def _level(part: str, *, is_lasting: bool) -> str:
    if part in {"size", "redundancy"}:
        return "degrade"
    if part == "policy":
        return "policy"
    if part == "mac":
        return "flap"
    if is_lasting:
        return "remove"
    return "recreate" if part in {"lcp", "interface"} else "flap"


def worst(found: Found, names: Sequence[str] | None = None) -> str:
    """Return the worst level of all, or of some interfaces."""
    levels = [LEVELS.index(level) for (name, _, _), (level, _) in found.items() if names is None or name in names]
    return LEVELS[max(levels, default=0)]
