"""Proves the report of an adoption line by line, or raises AdoptionError.

A line that is reported as in the file must set something that the written file has, and one that is left must stand in
the script of all commands that no file can express, the rest.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from vppcfg.adopt.places import PLACING
from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.common.redaction import without_secrets
from vppcfg.errors import AdoptionError
from vppcfg.kinds.feature_list import FEATURE_KINDS
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.model.problem import KeyPath
from vppcfg.simulator.command_line import mac_in

_GAP = "this is a gap in vppcfg, never your fault: please report it with the source"
_KEYS: Mapping[str, tuple[str, ...]] = {
    "abf attach": ("policy-routes",),
    "abf policy": ("policy-routes",),
    "clear interface tag": ("",),
    "create teib": ("neighbors",),
    "disable ip6 interface": ("IPv6", ""),
    "enable ip6 interface": ("IPv6",),
    "ip punt redirect": ("punt-redirect",),
    "ip6 nd": ("ra", "link-local"),
    "ip6 punt redirect": ("punt-redirect",),
    "l3xc": ("l3xc",),
    "lcp create": ("lcp",),
    "mpls local-label": ("label",),
    "qos mark": ("qos",),
    "qos record": ("qos",),
    "qos store": ("qos",),
    "set acl-plugin interface": ("acls",),
    "set acl-plugin macip interface": ("macip",),
    "set bridge-domain arp entry": ("arp-entries",),
    "set dhcp client": ("dhcp-client",),
    "set interface bond": ("weights",),
    "set interface det44": ("det44",),
    "set interface ip address": ("addresses", "link-local"),
    "set interface ip table": ("vrf", ""),
    "set interface ip6 table": ("vrf", ""),
    "set interface l2 tag-rewrite": ("tag-rewrite", ""),
    "set interface l2 xconnect": ("l2xc",),
    "set interface l3": ("",),
    "set interface mac address": ("mac",),
    "set interface mtu": ("mtu", ""),
    "set interface nat44": ("nat44",),
    "set interface rx-mode": ("rx-mode", ""),
    "set interface state": ("state", ""),
    "set interface tag": ("description",),
    "set interface unnumbered": ("unnumbered",),
    "set ip neighbor": ("neighbors",),
    "set ip6 nd proxy": ("nd-proxy",),
    "set policer classify": ("police-hosts",),
    "vrrp peers": ("vrrp",),
    "vrrp proto": ("vrrp",),
    "vrrp vr add": ("vrrp",),
    "vrrp vr del": ("vrrp",),
    "vrrp vr track-if": ("vrrp",),
    **{command: (key,) for command, key in PLACING.items()},
    **{kind.command: (kind.key,) for kind in FEATURE_KINDS if kind.command},
}
"""The keys of an entry that hold what a command sets; '' where the entry itself, or a default, does.

No file has a key for IPv6 alone: an interface with an address has it.
"""
_SECTIONS: Mapping[str, KeyPath] = {
    "classify session": ("policers",),
    "classify table": ("policers",),
    "configure policer": ("policers",),
    "det44 add": ("det44", "maps"),
    "det44 plugin": ("det44",),
    "flowprobe params": ("ipfix",),
    "ip punt redirect": ("punt-redirect", "ipv4"),
    "ip6 punt redirect": ("punt-redirect", "ipv6"),
    "lcp osi-proto enable": ("lcp-osi",),
    "nat mss-clamping": ("nat44", "mss"),
    "nat44 add address": ("nat44", "pools"),
    "nat44 add identity mapping": ("nat44", "exempt"),
    "nat44 add interface address": ("nat44", "pools"),
    "nat44 add static mapping": ("nat44", "static"),
    "nat44 forwarding": ("nat44", "forwarding"),
    "nat44 plugin": ("nat44",),
    "nat44 vrf route": ("nat44", "leaks"),
    "nat44 vrf table": ("nat44", "leaks"),
    "policer add": ("policers",),
    "policer del": ("policers",),
    "qos egress map": ("qos_maps",),
    "set arp proxy": ("proxy_arp",),
    "set det44 timeouts": ("det44", "timeouts"),
    "set dhcp proxy": ("dhcp-relay", "ipv4"),
    "set dhcpv6 proxy": ("dhcp-relay", "ipv6"),
    "set ip neighbor-config": ("neighbor-table",),
    "set ipfix exporter": ("ipfix",),
    "set lldp": ("lldp",),
    "set nat timeout": ("nat44", "timeouts"),
    "sflow direction": ("sflow",),
    "sflow drop-monitoring": ("sflow",),
    "sflow header-bytes": ("sflow",),
    "sflow polling-interval": ("sflow",),
    "sflow sampling-rate": ("sflow",),
}
"""The part of a section that holds what a command sets."""
_IN_VRFS = frozenset({"set dhcp proxy", "set dhcpv6 proxy"})
"""Commands whose part may stand below a VRF too."""
_WITH_ELEMENTS = frozenset(
    {
        *("create teib", "det44 add", "ip punt redirect", "ip6 punt redirect", "l2fib add", "l3xc"),
        *("nat44 add address", "nat44 add identity mapping"),
        *("nat44 add interface address", "nat44 add static mapping", "set arp proxy", "set bridge-domain arp entry"),
        *("set interface ip address", "set ip neighbor", "set ip6 nd proxy", "vrrp peers", "vrrp vr add"),
    }
)
"""Commands whose addresses all stand in the file."""
_SET_BY_PRESENCE = (
    *("bvi ", "create ", "delete ", "loopback ", "set bridge-domain ", "ip table", "ip6 table"),
    *(f"{kind.command.partition(' ')[0]} " for kind in VIRTUAL_INTERFACES if kind.command),
)
"""How commands begin that create an entry or set one of its keys."""
_SET_BY_ENTRY = frozenset(
    {
        *("bond add", "bond del", "clear l2fib", "l2fib add", "l2fib del", "lcp delete", "mpls table"),
        *("set acl-plugin acl", "set acl-plugin macip acl", "set interface l2 bridge"),
    }
)
"""Further commands whose effect an entry has, or a key of one that is not looked for by its name."""
_IMPLIED = frozenset(
    {"set interface ip table", "set interface ip6 table", "set interface mtu", "set interface rx-mode"}
)
"""Commands that may set what VPP has by itself."""


def keys_of(command: str) -> frozenset[str]:
    """Return the keys of the file that have something of what a command sets."""
    return frozenset(map(str, (*_KEYS.get(command, ()), *_SECTIONS.get(command, ())))) - {""}


def has_place(command: str) -> bool:
    """Return whether a file has something of what a command sets, by keys, a section or an entry."""
    return command in {*_KEYS, *_SECTIONS, *_SET_BY_ENTRY} or command.startswith(_SET_BY_PRESENCE)


class FileContent:
    """A written file, as plain data."""

    def __init__(self, data: Any) -> None:
        self._data = data if isinstance(data, dict) else {}
        self._texts: dict[KeyPath, str] = {}
        """What stands at a path, in one text: of a large section many lines ask for it."""

    def has(self, path: KeyPath) -> bool:
        """Return whether a path exists."""
        return bool(path) and self._at(path) is not _NOWHERE

    def nearest(self, path: KeyPath) -> KeyPath:
        """Return as much of a path as exists: a default stands for what the file leaves out."""
        return next((path[:end] for end in range(len(path), 0, -1) if self.has(path[:end])), ())

    def place_of(self, line: SourceLine, entries: Sequence[KeyPath]) -> KeyPath | None:
        """Return where the file sets what a line sets, None when it does not.

        `entries` are those that the line is about.
        """
        elements = list(elements_of(line.text)) if line.command in _WITH_ELEMENTS and not line.takes_away else []
        for path in self._candidates(line.command, entries):
            value = self._at(path)
            if value is not _NOWHERE and all(_mentions(self._text(path, value), each) for each in elements):
                return path
        whole = next(iter(entries), self.nearest(_SECTIONS.get(line.command, ())))
        return whole if line.takes_away and self.has(whole) else None

    def is_implied(self, line: SourceLine) -> bool:
        """Return whether an entry alone sets what a line sets, because VPP may have it so without the line."""
        return line.command in _IMPLIED and line.path[-1:] != (_KEYS[line.command][0],)

    def _candidates(self, command: str, entries: Sequence[KeyPath]) -> Iterator[KeyPath]:
        section = _SECTIONS.get(command)
        if section is not None:
            yield section
            if command in _IN_VRFS:
                yield from (("vrfs", name, *section) for name in self._data.get("vrfs") or ())
        for entry in entries:
            for key in _KEYS.get(command, ()):
                yield (*entry, key) if key else entry
                if key:  # a tunnel has keys in its own section too
                    yield from ((section, entry[-1], key) for section in self._data)
            if command not in _KEYS and (command.startswith(_SET_BY_PRESENCE) or command in _SET_BY_ENTRY):
                yield entry

    def _text(self, path: KeyPath, value: Any) -> str:
        if path not in self._texts:
            self._texts[path] = f"{path} {value}"
        return self._texts[path]

    def _at(self, path: KeyPath) -> Any:
        at: Any = self._data
        for key in path:
            if not isinstance(at, dict) or key not in at:
                return _NOWHERE
            at = at[key]
        return at


_NOWHERE = object()
_GOES_ON = re.compile(r"[\w.]|:[0-9a-f]*:")
_MARKED = re.compile(r"[\s,\[\]{}]+")


def elements_of(text: str) -> Iterator[str]:
    """Yield the addresses, prefixes and MAC addresses of a command, as the file has them."""
    for word in _MARKED.split(text):
        if mac := mac_in(word):
            yield mac.hex(":")
        elif "." in word or ":" in word:
            try:
                yield str(ipaddress.ip_interface(word) if "/" in word else ipaddress.ip_address(word))
            except ValueError:
                continue


def mentions(value: Any, path: KeyPath, element: str) -> bool:
    """Return whether an address stands in a value, or is a part of its path."""
    return _mentions(f"{path} {value}", element)


def _mentions(shown: str, element: str) -> bool:
    forms = [element]
    if "/" in element:
        interface = ipaddress.ip_interface(element)
        forms += [str(interface.network), *([str(interface.ip)] if interface.ip.is_link_local else [])]
    return any(_stands_in(shown, form) for form in forms)


def _stands_in(shown: str, form: str) -> bool:
    """Return whether an address stands in a text, and not only as a part of a longer one."""
    at = shown.find(form)
    while at >= 0:
        is_start = not at or not (shown[at - 1].isalnum() or shown[at - 1] in "_:.")
        if is_start and not _GOES_ON.match(shown, at + len(form)):
            return True
        at = shown.find(form, at + 1)
    return False


def assert_in_file(lines: Collection[SourceLine], data: Any) -> None:
    """Raise AdoptionError unless each line that counts as in the file names a path that exists there.

    Keys of a startup.conf that `vppcfg startup` writes in any case need none.
    """
    content = FileContent(data)
    for line in lines:
        counts = line.outcome is LineOutcome.FILE or (line.outcome is LineOutcome.DATAPLANE and line.path)
        if counts and not content.has(line.path):
            where = ".".join(map(str, line.path)) or "no place"
            command = f"{line.source}, line {line.number}: `{without_secrets(line.text)}`"
            raise AdoptionError(f"{command} is counted as in the file, at {where}", _GAP)


def assert_in_rest(lines: Collection[SourceLine], rest: Sequence[str]) -> None:
    """Raise AdoptionError unless each command that is left is in the rest, where a vhost-user port gets its number."""
    left = Counter(" ".join(command.split()) for command in rest)
    for line in lines:
        if line.outcome is LineOutcome.UNMANAGED:
            text = " ".join(line.text.split())
            known = text if left[text] else next((each for each in left if left[each] and each.startswith(text)), None)
            if known is None:
                where = f"{line.source}, line {line.number}"
                raise AdoptionError(f"{where}: `{without_secrets(line.text)}` is left, and is not in the rest", _GAP)
            left[known] -= 1
