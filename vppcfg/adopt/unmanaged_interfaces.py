"""Interfaces that a script creates by commands for which a file has no key: how VPP names them, their drivers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from vppcfg.adopt.excluded_lines import Key
from vppcfg.kinds.virtual_interface_list import VIRTUAL_INTERFACES
from vppcfg.record import record

_MAKERS: Mapping[str, tuple[str, str]] = {
    "create interface rdma": ("rdma-", "RDMA interface"),
    "create interface af_xdp": ("", "AF_XDP interface"),
    "create interface virtio": ("virtio-", "virtio"),
    "create interface vmxnet3": ("vmxnet3-", "VMXNET3 interface"),
    "create interface avf": ("avf-", "Intel AVF interface"),
    "create interface idpf": ("idpf-", "Intel IDPF interface"),
    "create packet-generator": ("pg", "Packet generator"),
    "create packet-generator interface": ("pg", "Packet generator"),
    "packet-generator new": ("pg-", "Packet generator"),
    "gpe iface": ("lisp_gpe", "LISP_GPE"),
    "lisp eid-table map": ("lisp_gpe", "LISP_GPE"),
    "lisp enable": ("lisp_gpe", "LISP_GPE"),
    "one eid-table map": ("lisp_gpe", "LISP_GPE"),
    "one enable": ("lisp_gpe", "LISP_GPE"),
    "create vxlan-gpe tunnel": ("vxlan_gpe_tunnel", "VXLAN_GPE"),
    "create geneve tunnel": ("geneve_tunnel", "GENEVE"),
    "create gtpu tunnel": ("gtpu_tunnel", "GTPU"),
    "create 6rd tunnel": ("ip6ip-6rd", "ip6ip-6rd"),
    "create l2tpv3 tunnel": ("l2tpv3_tunnel", "L2TPv3"),
    "create pppoe session": ("pppoe_session", "PPPoE"),
    "ipsec itf create": ("ipsec", "IPSEC Tunnel"),
    "pipe create": ("pipe", "Pipe"),
    "pvti interface create": ("pvti", "Packet Vectorizer Tunnel"),
    "create nsh map": ("nsh_tunnel", "NSH"),
    "p2p_ethernet": ("", "P2P Ethernet"),
    "mpls tunnel": ("mpls-tunnel", "MPLS tunnel device"),
}
"""How the names begin that each command makes, '' for none of its own, and what drives the interface in VPP."""
_PATTERNS = (
    *(kind.instance_name.pattern for kind in VIRTUAL_INTERFACES),
    *(rf"{re.escape(prefix)}\d.*" for prefix, _ in _MAKERS.values() if prefix),
    r"(?:tun|loop|bvi|BondEthernet)\d+",
    r"(?:pg|tap|tapcli|tuntap)-\d+|(?:l2|nsh)_lisp_gpe\d+",
)
_NUMBERED = frozenset(
    {"create vxlan-gpe tunnel", "create geneve tunnel", "create gtpu tunnel", "create l2tpv3 tunnel"}
    | {"create pppoe session", "ipsec itf create", "mpls tunnel", "pipe create", "pvti interface create"}
)
"""Commands that number what they make, from 0 on, or as their word `instance` says."""
_DOTTED = frozenset({"Pipe", "P2P Ethernet"})
"""What has a dot in its name and is no sub-interface by a tag."""
_TUN = re.compile(r"tun\d+")
"""How VPP calls a TAP that carries packets without Ethernet."""
_MADE = re.compile("|".join(_PATTERNS))
"""The names that VPP gives what a command makes."""
_KINDS = {kind.command: kind for kind in VIRTUAL_INTERFACES if kind.unsupported_words or kind.unreported_words}
"""The kinds whose commands may have more than a file can express."""


def is_made(name: str) -> bool:
    """Return whether a name is one that VPP gives what a command makes, and so no port's."""
    return _MADE.fullmatch(name) is not None


@record
class Maker:
    """A command that makes an interface: what drives that in VPP, and where it stands."""

    device_class: str
    line: Key


class UnmanagedInterfaces:
    """The interfaces of one script that it makes by such commands."""

    def __init__(self) -> None:
        self._patterns: list[tuple[re.Pattern[str], Maker]] = []
        self._made: Counter[str] = Counter()
        self._names: dict[str, Maker] = {}

    def note(self, line: Key, command: str, words: Sequence[str]) -> None:
        """Note a command that is not simulated; it may make an interface, whose name it may have."""
        kind = _KINDS.get(command)
        prefix, device_class = _MAKERS.get(command, ("", ""))
        if kind is not None:
            device_class = kind.unlisted_class or kind.device_class
        maker = Maker(device_class=device_class, line=line)
        if kind is not None:
            pattern = _TUN if command == "create tap" and "tun" in words else kind.instance_name
            self._patterns.append((pattern, maker))
        elif command in _NUMBERED and "del" not in words:
            given = [number for word, number in pairwise(words) if word == "instance"]
            self._names |= {f"{prefix}{number}": maker for number in given or (self._made[command],)}
            self._made[command] += 1
        elif command == "p2p_ethernet":
            named = [f"{words[0]}.{number}" for word, number in pairwise(words) if word == "sub-id"]
            self._names |= dict.fromkeys(named, maker)
        elif prefix == "pg":
            self._names |= {word: maker for word in words if word.startswith(prefix)}
        elif prefix:  # a bus gives the names, or a deletion leaves any of them
            self._patterns.append((re.compile(f"{re.escape(prefix)}.*"), maker))
        if device_class and "name" in words[:-1]:
            name = words[words.index("name") + 1]
            self._names[f"host-{name}" if command == "create host-interface" else name] = maker

    def globs(self) -> dict[str, Key]:
        """Return patterns of the names of what such commands make, each with the line; VPP gives some by a bus."""
        named = {name: maker.line for name, maker in self._names.items()}
        named |= {f"{name}.*": maker.line for name, maker in self._names.items() if maker.device_class == "Pipe"}
        free = {pattern.pattern.removesuffix(".*"): maker.line for pattern, maker in self._patterns}
        known = {re.escape(prefix): prefix for prefix, _ in _MAKERS.values()}
        return named | {f"{known[text]}*": line for text, line in free.items() if text in known}

    def port_of(self, name: str) -> str:
        """Return the port that a name is of: an end of a pipe is one, whose name has a dot as of a sub-interface."""
        maker = self.maker_of(name)
        return name if maker is not None and maker.device_class in _DOTTED else name.partition(".")[0]

    def maker_of(self, name: str) -> Maker | None:
        """Return the first such command that can have made an interface, None when none can."""
        for known in (name, name.partition(".")[0]):
            if known in self._names:
                return self._names[known]
        return next((maker for pattern, maker in self._patterns if pattern.fullmatch(name)), None)
