"""Reads what was configured on devices of the calling thread's namespace, before a plan replaces them (`restoring`).

Left out is what comes back by itself: addresses and routes of the kernel, of DHCP, of router advertisements and of
routing daemons, and neighbours that were learned.
"""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from vppcfg.linux.link import Link, Span, attribute, attributes_of, dump, read_links
from vppcfg.linux.rules import rules_by_device
from vppcfg.linux.sysctl import special_values
from vppcfg.model.linux_setting import OF_INTERFACE, LinuxHop, LinuxKind, LinuxSetting, encoded

_ADDRESS = struct.Struct("=BBBBI")
"""struct ifaddrmsg (linux/if_addr.h): family, prefix length, flags, scope, index."""
_ROUTE = struct.Struct("=BBBBBBBBI")
"""struct rtmsg (linux/rtnetlink.h): family, destination and source length, tos, table, protocol, scope, type, flags."""
_NEIGHBOR = struct.Struct("=B3xiHBB")
"""struct ndmsg (linux/neighbour.h): family, index, state, flags, type."""
_HOP = struct.Struct("=HBBi")
"""struct rtnexthop: length, flags, hops, index."""
_LIFETIME = struct.Struct("=IIII")
"""struct ifa_cacheinfo: preferred and valid lifetime, created, updated."""
_NUMBER, _INDEX = struct.Struct("=I"), struct.Struct("=i")
_GETADDR, _NEWADDR = 22, 20
_GETROUTE, _NEWROUTE = 26, 24
_GETNEIGH, _NEWNEIGH = 30, 28
_TYPE_MASK = 0x3FFF
_FEW = 8
"""Devices that are asked for one by one; for more it is quicker to ask for all."""
_FAMILIES = (socket.AF_INET, socket.AF_INET6)

_IFA_ADDRESS, _IFA_LOCAL, _IFA_LABEL, _IFA_LIFETIME, _IFA_FLAGS, _IFA_PROTO = 1, 2, 3, 6, 8, 11
_IFA_KEPT = frozenset({_IFA_ADDRESS, _IFA_LOCAL, 4, 5, 9, _IFA_PROTO})
"""With the broadcast address, the anycast address and the metric."""
_PERMANENT, _DEPRECATED, _STABLE_PRIVACY = 0x80, 0x20, 0x800
_SETTABLE = 0x02 | 0x10 | 0x100 | 0x200 | 0x400
"""nodad, home, mngtmpaddr, noprefixroute, autojoin: the flags that users set."""
_OF_KERNEL = frozenset({1, 2, 3})
"""IFAPROT_KERNEL_LO, _RA and _LL, which Linux reports from 5.18 on."""
_FOR_EVER = 0xFFFFFFFF

_OIF, _MULTIPATH, _TABLE, _ENCAP_TYPE, _NH_ID, _EXPIRES = 4, 9, 15, 21, 30, 23
_RTA_LEFT_OUT = frozenset({_OIF, _MULTIPATH, _NH_ID, 3, 12, 25})
"""Indexes, which change, what the kernel counts (RTA_CACHEINFO), and who asked (RTA_IIF, RTA_UID)."""
_BY_HAND = (3, 4)
"""RTPROT_BOOT, which `ip` takes unasked, and RTPROT_STATIC."""
_CLONED = 0x200
_DEAD, _ONLINK = 0x1, 0x4
_ENCAPS = frozenset({1, 2, 4, 5})
"""Encapsulations that name no device: MPLS, IPv4, IPv6 and segment routing (linux/lwtunnel.h)."""

_NDA_KEPT = frozenset({1, 2, 12})
"""Address, MAC address and the protocol of who entered it."""
_NDA_IFINDEX = 8
_NUD_PERMANENT = 0x80
_NTF_PROXY, _NTF_EXT_LEARNED, _NTF_ROUTER = 0x08, 0x10, 0x80


class _DeviceNames(NamedTuple):
    """How devices are called, by index."""

    all: Mapping[int, str]
    """`@` and the VPP interface, or the name of a device that belongs to none."""
    requested: Collection[int]
    netns: str

    def foreign(self, *names: str) -> str | None:
        """Return the namespace when one of the names is that of a device which belongs to no interface."""
        return self.netns if any(name and not name.startswith(OF_INTERFACE) for name in names) else None


def read_settings(netns: str, devices: Mapping[str, str], requested: Collection[str]) -> list[tuple[str, LinuxSetting]]:
    """Return the settings of the devices of the interfaces `requested`, each with the interface. Raise OSError.

    `devices` names the interfaces of all devices of this namespace, `netns`, that belong to any. A route with several
    next hops is there once for each interface.
    """
    links = read_links()
    owners = {link.index: devices[link.name] for link in links if link.name in devices}
    names = _DeviceNames(
        all={link.index: OF_INTERFACE + owners[link.index] if link.index in owners else link.name for link in links},
        requested={index for index, name in owners.items() if name in requested},
        netns=netns,
    )
    if not names.requested:
        return []
    labels = {link.index: link.name for link in links if link.index in names.requested}
    found = [
        *_sysctls(names, labels),
        *_masters(links, names),
        *_addresses(names, labels),
        *_neighbors(names),
        *_routes(names),
        *_rules(names, labels),
    ]
    return [(owners[index], setting) for index, setting in found]


def read_ipv6_addresses(device: str, index: int) -> list[LinuxSetting]:
    """Return the IPv6 addresses that are configured permanently on one device. Raise OSError."""
    names = _DeviceNames(all={index: device}, requested={index}, netns="")
    found = _addresses(names, {index: device})
    return [setting for _, setting in found if setting.family == socket.AF_INET6]


_Found = Iterator[tuple[int, LinuxSetting]]
"""Settings, each with the index of the device that it is on."""


def _sysctls(names: _DeviceNames, labels: Mapping[int, str]) -> _Found:
    for index, device in labels.items():
        for family in _FAMILIES:
            for text in special_values(family, device):
                setting = LinuxSetting(kind=LinuxKind.SYSCTL, device=names.all[index], family=family, sysctl=text)
                yield index, setting


def _masters(links: Sequence[Link], names: _DeviceNames) -> _Found:
    for link in links:
        if link.index in names.requested and (master := names.all.get(link.master)):
            device = names.all[link.index]
            netns = names.foreign(master)
            yield link.index, LinuxSetting(kind=LinuxKind.MASTER, device=device, master=master, netns=netns)


def _rules(names: _DeviceNames, labels: Mapping[int, str]) -> _Found:
    indexes = {device: index for index, device in labels.items()}
    for device, text in rules_by_device(indexes):
        index = indexes[device]
        yield index, LinuxSetting(kind=LinuxKind.RULE, device=names.all[index], rule=text, is_exact=False)


def _addresses(names: _DeviceNames, labels: Mapping[int, str]) -> _Found:
    for family in _FAMILIES:
        bodies = [_ADDRESS.pack(family, 0, 0, 0, index) for index in _asked_for(names)]
        found = list(_messages(_GETADDR, _NEWADDR, bodies))
        if family == socket.AF_INET6:
            found.reverse()  # the kernel puts a new one before the others
        for position, (data, span) in enumerate(found):
            index = _ADDRESS.unpack_from(data, span[0])[4]
            if index in names.requested and (
                setting := _address(data, span, names.all[index], labels[index], position)
            ):
                yield index, setting


def _address(data: bytes, span: Span, device: str, label: str, position: int) -> LinuxSetting | None:
    """Return an address that is configured permanently, None for any other."""
    family, length, flags, scope, _ = _ADDRESS.unpack_from(data, span[0])
    values = _values(data, (span[0] + _ADDRESS.size, span[1]))
    flags = _NUMBER.unpack(values[_IFA_FLAGS])[0] if _IFA_FLAGS in values else flags
    raw = values.get(_IFA_LOCAL, values.get(_IFA_ADDRESS, b""))
    is_automatic = values.get(_IFA_PROTO, b"\0")[0] in _OF_KERNEL or _is_of_kernel(raw, flags)
    if not flags & _PERMANENT or is_automatic or family not in _FAMILIES:
        return None
    kept = {number: value for number, value in values.items() if number in _IFA_KEPT}
    if flags & _SETTABLE:
        kept[_IFA_FLAGS] = _NUMBER.pack(flags & _SETTABLE)
    if flags & _DEPRECATED:
        kept[_IFA_LIFETIME] = _LIFETIME.pack(0, _FOR_EVER, 0, 0)
    text = values.get(_IFA_LABEL, b"").rstrip(b"\0").decode(errors="replace")
    return LinuxSetting(
        kind=LinuxKind.ADDRESS,
        device=device,
        family=family,
        fields=(length, flags & _SETTABLE & 0xFF, scope),
        attributes=encoded(kept),
        label=text.removeprefix(label) if text.startswith(label) else "",
        position=position,
    )


def _is_of_kernel(raw: bytes, flags: int) -> bool:
    """Return whether an address is a link-local one that the kernel has made, or VPP, of a MAC address or a secret."""
    is_link_local = len(raw) == 16 and raw[0] == 0xFE and raw[1] & 0xC0 == 0x80
    return is_link_local and (raw[11:13] == b"\xff\xfe" or bool(flags & _STABLE_PRIVACY))


def _neighbors(names: _DeviceNames) -> _Found:
    chosen = [attribute(_NDA_IFINDEX, _NUMBER.pack(index)) if index else b"" for index in _asked_for(names)]
    bodies = [_NEIGHBOR.pack(0, 0, 0, proxy, 0) + each for proxy in (0, _NTF_PROXY) for each in chosen]
    for position, (data, span) in enumerate(_messages(_GETNEIGH, _NEWNEIGH, bodies)):
        family, index, state, flags, kind = _NEIGHBOR.unpack_from(data, span[0])
        is_ours = flags & _NTF_PROXY or (state & _NUD_PERMANENT and not flags & _NTF_EXT_LEARNED)
        if index not in names.requested or family not in _FAMILIES or not is_ours:
            continue
        values = _values(data, (span[0] + _NEIGHBOR.size, span[1]))
        yield (
            index,
            LinuxSetting(
                kind=LinuxKind.NEIGHBOR,
                device=names.all[index],
                family=family,
                fields=(state & _NUD_PERMANENT, flags & (_NTF_PROXY | _NTF_ROUTER), kind),
                attributes=encoded({number: value for number, value in values.items() if number in _NDA_KEPT}),
                position=position,
            ),
        )


def _routes(names: _DeviceNames) -> _Found:
    asked = [attribute(_OIF, _NUMBER.pack(index)) if index else b"" for index in _asked_for(names)]
    bodies = [
        _ROUTE.pack(family, 0, 0, 0, 0, protocol, 0, 0, 0) + each
        for family in _FAMILIES
        for protocol in _BY_HAND
        for each in asked
    ]
    for position, (data, span) in enumerate(_messages(_GETROUTE, _NEWROUTE, bodies)):
        found = _route(data, span, names, position)
        for index in found[0] if found is not None else ():
            if index in names.requested and found is not None:
                yield index, found[1]


def _route(data: bytes, span: Span, names: _DeviceNames, position: int) -> tuple[Collection[int], LinuxSetting] | None:
    """Return a route that is configured permanently, and the devices that it leads through; None for any other."""
    family, length, source_length, tos, table, protocol, scope, kind, flags = _ROUTE.unpack_from(data, span[0])
    raw = _values(data, (span[0] + _ROUTE.size, span[1]), mask=0xFFFF)
    values = {number & _TYPE_MASK: value for number, value in raw.items()}
    if family not in _FAMILIES or protocol not in _BY_HAND or flags & _CLONED or _EXPIRES in values:
        return None
    hops = _hops(values.get(_MULTIPATH, b""), names)
    index = _INDEX.unpack(values[_OIF])[0] if _OIF in values and not hops else 0
    device = names.all.get(index, "")
    indexes = {*(own for own, _ in hops.values()), *([index] if index else [])}
    encapsulation = values.get(_ENCAP_TYPE)
    is_exact = _NH_ID not in values and (encapsulation is None or _short(encapsulation) in _ENCAPS)
    setting = LinuxSetting(
        kind=LinuxKind.ROUTE,
        device=device,
        family=family,
        fields=(length, source_length, tos, table, protocol, scope, kind, flags & _ONLINK),
        attributes=encoded(
            {number: value for number, value in raw.items() if number & _TYPE_MASK not in _RTA_LEFT_OUT}
        ),
        hops=tuple(hops),
        netns=names.foreign(device, *(hop.device for hop in hops)),
        is_exact=is_exact and not any(is_dead or _ENCAP_TYPE in _numbers(hop) for hop, (_, is_dead) in hops.items()),
        position=position,
    )
    return indexes, setting


def _hops(data: bytes, names: _DeviceNames) -> dict[LinuxHop, tuple[int, bool]]:
    """Return the next hops of a route, each with the index of its device and whether that is down."""
    found: dict[LinuxHop, tuple[int, bool]] = {}
    start = 0
    while start + _HOP.size <= len(data):
        length, flags, hops, index = _HOP.unpack_from(data, start)
        if length < _HOP.size:
            break
        raw = _values(data, (start + _HOP.size, start + length), mask=0xFFFF)
        hop = LinuxHop(device=names.all.get(index, ""), hops=hops, flags=flags & _ONLINK, attributes=encoded(raw))
        found[hop] = index, bool(flags & _DEAD)
        start += length + 3 & ~3
    return found


def _numbers(hop: LinuxHop) -> set[int]:
    return {int(pair.partition("=")[0]) & _TYPE_MASK for pair in hop.attributes}


def _asked_for(names: _DeviceNames) -> list[int]:
    """Return the indexes to ask for, 0 for all at once."""
    return sorted(names.requested) if len(names.requested) <= _FEW else [0]


def _messages(request: int, answer: int, bodies: Sequence[bytes]) -> list[tuple[bytes, Span]]:
    """Return the messages of several dumps in order, each once: an old kernel sends all of them in every dump."""
    found: dict[bytes, None] = {}
    for body in bodies:
        try:
            found.update((data[slice(*span)], None) for data, span in dump(request, answer, body, is_filtered=True))
        except OSError as error:
            if error.errno not in (errno.ENODEV, errno.ENOENT):
                raise  # the device has gone since, or the kernel knows nothing of this kind
    return [(message, (0, len(message))) for message in found]


def _values(data: bytes, span: Span, mask: int = _TYPE_MASK) -> dict[int, bytes]:
    return {kind & mask: data[slice(*value)] for kind, value in attributes_of(data, span)}


def _short(value: bytes) -> int:
    return int(struct.unpack_from("=H", value)[0])
