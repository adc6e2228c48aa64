"""Chooses the settings of Linux that a plan carries over from the device of a pair or TAP to the next one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from socket import AF_INET6

from vppcfg.common.addresses import AddressKey, address_key
from vppcfg.model.attachment import Attachment
from vppcfg.model.iproute2 import address_of, needed_hosts, neighbor_of, subnet_of
from vppcfg.model.linux import LEAST_IPV6_MTU, LinuxDevice
from vppcfg.model.linux_setting import LinuxKind, LinuxSetting
from vppcfg.model.live_state import covers
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.operations.linux_losses import needs_ipv6

LISTENER = "linux_nl"
"""The plugin that listens to Linux, in the default namespace of linux-cp."""


def is_sysctl(attachment: Attachment) -> bool:
    """Return whether it is a sysctl of a device in Linux."""
    return attachment.linux is not None and attachment.linux.kind is LinuxKind.SYSCTL


def place_of(name: str, state: State) -> tuple[str, str] | None:
    """Return the namespace and the name of the Linux device of an interface, None when it has none."""
    pair, tap = state.lcps.get(name), state.virtual_of(name, Tap)
    if pair is not None and pair.has_host:
        return pair.netns, pair.host_name
    return (tap.host_netns, tap.host_name) if tap is not None else None


def missed_device(rule: LinuxSetting, holder: str, before: State, after: State) -> str | None:
    """Return the device of `holder` that a rule of policy routing names, when none has its place in the state after.

    Linux keeps the rule by the name, without effect, until a device is called so again (net/core/fib_rules.c).
    """
    place = place_of(holder, before)
    if rule.kind is not LinuxKind.RULE or place is None:
        return None
    is_there = any(place_of(name, after) == place for name in (holder, *after.lcps, *after.virtual_as(Tap)))
    return None if is_there else place[1]


def place_for(attachment: Attachment, state: State) -> tuple[str, Mapping[str, str]] | None:
    """Return the namespace in which a setting of Linux can be made in a state, and its devices by interface.

    None when one of its devices is missing there, down, too small for IPv6, or in another namespace than the rest.
    """
    setting = attachment.linux
    if setting is None:
        return None
    names = {attachment.holder, *setting.interfaces()}
    places = {name: place for name in names if (place := place_of(name, state)) is not None}
    spaces = {netns for netns, _ in places.values()} | ({setting.netns} if setting.netns is not None else set())
    if len(places) < len(names) or len(spaces) > 1 or not all(_can_have(name, setting, state) for name in names):
        return None
    return places[attachment.holder][0], {name: device for name, (_, device) in places.items()}


def _can_have(name: str, setting: LinuxSetting, state: State) -> bool:
    """Return whether a device is up and large enough; without a setting of its own, it is as its interface."""
    interface = state.interfaces[name]
    device = state.linux.get(name) or LinuxDevice(mtu=state.packet_mtu(name), is_up=interface.is_up)
    is_ready = device.is_up or setting.kind not in (LinuxKind.ROUTE, LinuxKind.NEIGHBOR)
    return is_ready and (device.mtu >= LEAST_IPV6_MTU or not needs_ipv6(setting))


def carried(candidates: Iterable[Attachment], observed: State, desired: State) -> list[Attachment]:
    """Return what a plan can make in Linux on devices that come, in the order in which the former ones had it.

    A route is left out when the plan takes the address away through which its gateway is reached.
    """
    in_linux = [each for each in candidates if each.linux is not None]
    if not in_linux:
        return []
    found = [each for each in in_linux if _is_carried(each, observed, desired)]
    stays = set(desired.unmanaged).difference(in_linux)
    kept = _Subnets((*found, *stays), desired)
    former = _Subnets((*observed.unmanaged, *in_linux), observed)
    return sorted((each for each in found if not _loses_its_path(each, former, kept)), key=_turn)


def _turn(attachment: Attachment) -> tuple[int, int]:
    setting = attachment.linux
    return (_KINDS.index(setting.kind), setting.position) if setting is not None else (0, 0)


_KINDS = list(LinuxKind)


class _Subnets:
    """The networks that the Linux devices of interfaces are in, by the addresses that they have in a state."""

    def __init__(self, attachments: Iterable[Attachment], state: State) -> None:
        self._state = state
        self._of: dict[str, set[str]] = {}
        for each in attachments:
            if each.linux is not None and each.linux.kind is LinuxKind.ADDRESS:
                self._of.setdefault(each.holder, set()).add(subnet_of(each.linux))

    def have(self, name: str, host: str) -> bool:
        """Return whether an interface has an address in whose network a host is."""
        key = address_key(f"{host}/{128 if ':' in host else 32}")
        return any(_covers(address_key(subnet), key) for subnet in self._on(name))

    def is_addressed(self, name: str, family: int) -> bool:
        """Return whether an interface has any address of a family."""
        return any((":" in address) == (family == AF_INET6) for address in self._on(name))

    def own(self, name: str, host: str) -> bool:
        """Return whether a host is an address of an interface itself."""
        return any(address.partition("/")[0] == host for address in self._on(name))

    def _on(self, name: str) -> set[str]:
        interface, found = self._state.interfaces.get(name), self._of.get(name, set())
        if interface is not None and name in self._state.lcps and self._state.facts.lcp.is_sync:
            donor = self._state.interfaces.get(interface.unnumbered or "", interface)
            found = found | interface.addresses | donor.addresses
        return found


def _covers(subnet: AddressKey, host: AddressKey) -> bool:
    return subnet.family == host.family and subnet.network == host.value >> (host.width - subnet.length)


def _loses_its_path(attachment: Attachment, former: _Subnets, kept: _Subnets) -> bool:
    setting = attachment.linux
    if setting is None or setting.kind is not LinuxKind.ROUTE:
        return False
    names = {attachment.holder, *setting.interfaces()}
    is_bare = not any(kept.is_addressed(name, setting.family) for name in names)
    if needed_hosts(setting) and is_bare and any(former.is_addressed(name, setting.family) for name in names):
        return True
    return any(
        any(before(name, host) for name in names) and not any(after(name, host) for name in names)
        for host in needed_hosts(setting)
        for before, after in ((former.have, kept.have), (former.own, kept.own))
    )


def _is_carried(attachment: Attachment, observed: State, desired: State) -> bool:
    """Return whether a plan can make a setting on the next device, and VPP is to have it too where it listens.

    An address that VPP copies to Linux follows the interface that lends it.
    """
    setting = attachment.linux
    if setting is None or not setting.is_exact or place_for(attachment, desired) is None:
        return False
    if is_of_vpp_too(attachment, desired) or attachment.holder not in desired.lcps:
        return True
    is_copied = desired.facts.lcp.is_sync and is_of_vpp_too(attachment, observed)
    return not is_copied and not (_is_reachable(attachment.holder, desired) and _would_differ(attachment, desired))


def _is_reachable(name: str, state: State) -> bool:
    facts = state.facts
    return LISTENER in facts.plugins and state.lcps[name].netns == facts.lcp.default_netns


def _would_differ(attachment: Attachment, desired: State) -> bool:
    """Return whether linux-nl would copy into VPP what the state does not want there.

    Routes are Linux' own, and neighbours, but for the addresses that the file has neighbours for.
    """
    setting, interface = attachment.linux, desired.interfaces[attachment.holder]
    if setting is not None and setting.kind is LinuxKind.ADDRESS:
        return not covers(interface.unmanaged_addresses, address_of(setting))
    if setting is None or setting.kind is not LinuxKind.NEIGHBOR or not neighbor_of(setting)[1]:
        return False
    return neighbor_of(setting)[0] in {each.address for each in interface.neighbors if not each.is_of_linux}


def is_of_vpp_too(attachment: Attachment, state: State) -> bool:
    """Return whether an address or neighbour of Linux is one that VPP has for itself on the interface, or borrows."""
    setting, interface = attachment.linux, state.interfaces.get(attachment.holder)
    if setting is None or interface is None:
        return False
    if setting.kind is LinuxKind.ADDRESS:
        donor = state.interfaces.get(interface.unnumbered or "", interface)
        address = address_of(setting)
        is_chosen = address.partition("/")[0] == interface.link_local
        return address in interface.addresses or address in donor.addresses or is_chosen
    is_neighbor = setting.kind is LinuxKind.NEIGHBOR
    own = ((each.address, each.mac) for each in interface.neighbors if not each.is_of_linux)
    return is_neighbor and neighbor_of(setting) in set(own)
