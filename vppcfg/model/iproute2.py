"""Settings of Linux in the words of iproute2's `ip`, or of `sysctl`: what they are, and the command that makes them."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping

from vppcfg.common.addresses import address_text
from vppcfg.model.linux_setting import LinuxKind, LinuxSetting, values_of

_NAME = re.compile(r"[A-Za-z0-9_.:@][A-Za-z0-9_.:@+-]*")
_IPV4, _IPV6, _IPV6_ON_ROUTES = 2, 10, 1024
_TYPE_MASK = 0x3FFF
"""The two bits above it are flags of an attribute."""
_NUMBER = struct.Struct("=I")
_LOCAL, _ADDRESS, _BROADCAST, _IFA_FLAGS, _IFA_PRIORITY, _IFA_LIFETIME = 2, 1, 4, 8, 9, 6
_ADDRESS_FLAGS = {0x02: "nodad", 0x10: "home", 0x100: "mngtmpaddr", 0x200: "noprefixroute", 0x400: "autojoin"}
_SCOPES = {0: "global", 200: "site", 253: "link", 254: "host", 255: "nowhere"}
_DST, _SRC, _GATEWAY, _PRIORITY, _PREFSRC, _METRICS, _TABLE, _VIA, _PREF = 1, 2, 5, 6, 7, 8, 15, 18, 20
_WORDS_KNOWN = frozenset({_DST, _GATEWAY, _PRIORITY, _PREFSRC, _METRICS, _TABLE, _VIA, _PREF})
_TYPES = {1: "", 2: "local ", 3: "broadcast ", 4: "anycast ", 5: "multicast "}
_METRIC_WORDS = {2: "mtu", 3: "window", 8: "advmss", 10: "hoplimit", 11: "initcwnd", 14: "initrwnd"}
"""RTAX_* (linux/rtnetlink.h)."""
_PREFERENCES = {1: "high", 3: "low"}
_MAIN, _BOOT, _ONLINK = 254, 3, 4
_NDA_DST, _NDA_LLADDR = 1, 2
_PROXY, _ROUTER = 0x08, 0x80


def name_of(setting: LinuxSetting) -> str:
    """Return what distinguishes a setting from the others of its kind: an address, a destination and the way there."""
    values = setting.values()
    if setting.kind is LinuxKind.ROUTE:
        gateway = _gateway(values)
        table = _table(setting, values)
        way = f" via {gateway}" if gateway else ""
        return f"{_destination(setting, values)}{way}" + (f" table {table}" if table != _MAIN else "")
    if setting.kind is LinuxKind.NEIGHBOR:
        return address_text(values[_NDA_DST])
    if setting.kind is LinuxKind.ADDRESS:
        return address_of(setting)
    if setting.kind is LinuxKind.SYSCTL:
        return f"{sysctl_folder(setting.family, '*')}/{setting.sysctl}"
    return setting.rule or setting.master


def sysctl_folder(family: int, device: str) -> str:
    """Return where the sysctls of a device are, as `sysctl` takes it, whose name may have dots."""
    return f"net/{'ipv6' if family == _IPV6 else 'ipv4'}/conf/{device}"


def address_of(setting: LinuxSetting) -> str:
    """Return an address with its length."""
    values = setting.values()
    return f"{address_text(values.get(_LOCAL, values.get(_ADDRESS, b'')))}/{setting.fields[0]}"


def subnet_of(setting: LinuxSetting) -> str:
    """Return an address in the network that an address makes reachable, with the length of that."""
    return f"{address_text(setting.values().get(_ADDRESS, b''))}/{setting.fields[0]}"


def needed_hosts(setting: LinuxSetting) -> set[str]:
    """Return the gateways and the source of a route, as far as Linux has to reach or to have them for it."""
    hops = [(values_of(hop.attributes), hop.flags) for hop in setting.hops]
    hops = [*hops, (setting.values(), setting.fields[-1])]
    gateways = {_gateway(values) for values, flags in hops if not flags & _ONLINK}
    source = setting.values().get(_PREFSRC, b"")
    return {host for host in (*gateways, address_text(source) if source else "") if host}


def neighbor_of(setting: LinuxSetting) -> tuple[str, str]:
    """Return the address and the MAC address of a neighbour."""
    values = setting.values()
    return address_text(values[_NDA_DST]), values.get(_NDA_LLADDR, b"").hex(":")


def command(setting: LinuxSetting, netns: str) -> str | None:
    """Return the command that makes a setting on the device that it names.

    None where no words are known for it, and where a name could be read as anything but one word.
    """
    names = filter(None, (netns, setting.label, *setting.devices()))
    if not setting.is_exact or not all(map(_NAME.fullmatch, names)):
        return None
    try:
        if setting.kind is LinuxKind.SYSCTL:
            return (f"ip netns exec {netns} " if netns else "") + _sysctl(setting)
        words = _WORDS[setting.kind](setting)
    except (ValueError, LookupError, OSError, struct.error):
        return None  # attributes that no kernel writes: from a file that was written by hand
    options = [f"-n {netns}"] if netns else []
    options += ["-6"] if setting.family == _IPV6 and setting.kind is LinuxKind.ROUTE else []
    return " ".join(["ip", *options, words]) if words else None


def _sysctl(setting: LinuxSetting) -> str:
    return f"sysctl -w {sysctl_folder(setting.family, setting.device)}/{setting.sysctl}"


def _master(setting: LinuxSetting) -> str:
    return f"link set {setting.device} master {setting.master}"


def _address(setting: LinuxSetting) -> str:
    values = setting.values()
    words = [f"addr add {address_of(setting)}"]
    if values.get(_LOCAL, values.get(_ADDRESS)) != values.get(_ADDRESS):
        words = [f"addr add {address_text(values[_LOCAL])} peer {address_text(values[_ADDRESS])}/{setting.fields[0]}"]
    words += [f"broadcast {address_text(values[_BROADCAST])}"] if _BROADCAST in values else []
    words.append(f"dev {setting.device}")
    words += [f"label {setting.device}{setting.label}"] if setting.label else []
    words += [f"metric {_number(values[_IFA_PRIORITY])}"] if _IFA_PRIORITY in values else []
    words += ["preferred_lft 0"] if _IFA_LIFETIME in values else []
    scope = setting.fields[2]
    words += [f"scope {_SCOPES.get(scope, scope)}"] if scope and setting.family == _IPV4 else []
    flags = _number(values[_IFA_FLAGS]) if _IFA_FLAGS in values else 0
    return " ".join([*words, *(word for bit, word in _ADDRESS_FLAGS.items() if flags & bit)])


def _neighbor(setting: LinuxSetting) -> str:
    address, mac = neighbor_of(setting)
    _, flags, _ = setting.fields
    if flags & _PROXY:
        return f"neigh add proxy {address} dev {setting.device}"
    link = f" lladdr {mac}" if mac else ""
    return f"neigh replace {address}{link} dev {setting.device} nud permanent" + (" router" if flags & _ROUTER else "")


def _route(setting: LinuxSetting) -> str | None:
    """Return the words of a route, None where it has attributes that are not known here."""
    values = setting.values()
    _, source_length, tos, _, protocol, scope, kind, flags = setting.fields
    metrics = _metrics(values.get(_METRICS, b""))
    if not values.keys() <= _WORDS_KNOWN or source_length or kind not in _TYPES or metrics is None:
        return None
    verb = "replace" if setting.hops or setting.family == _IPV6 else "append"
    words = [f"route {verb} {_TYPES[kind]}{_destination(setting, values)}"]
    words += [f"tos {tos}"] if tos else []
    words += [f"table {table}"] if (table := _table(setting, values)) != _MAIN else []
    words += [f"proto {protocol}"] if protocol != _BOOT else []
    words += [f"src {address_text(values[_PREFSRC])}"] if _PREFSRC in values else []
    metric = _number(values[_PRIORITY]) if _PRIORITY in values else 0
    words += [f"metric {metric}"] if metric and (setting.family, metric) != (_IPV6, _IPV6_ON_ROUTES) else []
    words += _way(values, setting.device, flags) if setting.device else []
    words += [f"scope {_SCOPES.get(scope, scope)}"] if scope and setting.family == _IPV4 else []
    words += metrics
    words += [f"pref {_PREFERENCES[pref]}"] if (pref := values.get(_PREF, b"\0")[0]) in _PREFERENCES else []
    for hop in setting.hops:
        own = values_of(hop.attributes)
        if not own.keys() <= {_GATEWAY, _VIA}:
            return None
        words += ["nexthop", *_way(own, hop.device, hop.flags), f"weight {hop.hops + 1}"]
    return " ".join(words)


def _way(values: Mapping[int, bytes], device: str, flags: int) -> list[str]:
    gateway = _gateway(values)
    inet6 = "inet6 " if _VIA in values else ""
    words = [f"via {inet6}{gateway}"] if gateway else []
    return [*words, f"dev {device}", *(["onlink"] if flags & _ONLINK else [])]


def _gateway(values: Mapping[int, bytes]) -> str:
    raw = values.get(_GATEWAY, values.get(_VIA, b"")[2:])
    return address_text(raw) if raw else ""


def _destination(setting: LinuxSetting, values: Mapping[int, bytes]) -> str:
    length = setting.fields[0]
    return f"{address_text(values[_DST])}/{length}" if _DST in values and length else "default"


def _table(setting: LinuxSetting, values: Mapping[int, bytes]) -> int:
    return _number(values[_TABLE]) if _TABLE in values else setting.fields[3]


def _metrics(data: bytes) -> list[str] | None:
    """Return the words for a route's metrics (linux/rtnetlink.h, RTAX_), None where one of them has none here."""
    words: list[str] = []
    for number, value in _nested(data):
        if number not in _METRIC_WORDS or len(value) != _NUMBER.size:
            return None
        words.append(f"{_METRIC_WORDS[number]} {_number(value)}")
    return words


def _nested(data: bytes) -> Iterator[tuple[int, bytes]]:
    start = 0
    while start + 4 <= len(data):
        length, number = struct.unpack_from("=HH", data, start)
        yield number & _TYPE_MASK, data[start + 4 : start + length]
        start += max(length, 4) + 3 & ~3


def _number(value: bytes) -> int:
    return int(_NUMBER.unpack(value)[0])


_WORDS = {
    LinuxKind.MASTER: _master,
    LinuxKind.ADDRESS: _address,
    LinuxKind.NEIGHBOR: _neighbor,
    LinuxKind.ROUTE: _route,
}
