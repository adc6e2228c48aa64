"""Names and drivers of interfaces that a script creates by commands without a key in the file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_MAKERS: Mapping[str, tuple[str, str]] = {
    "create interface memif": ("memif", "memif"),
    "create host-interface": ("host-", "af-packet"),
    "create tap": ("tap", "virtio"),
    "wireguard create": ("wg", "WireGuard"),
    "create vhost-user": ("VirtualEthernet", "vhost-user"),
    "create interface rdma": ("rdma-", "RDMA interface"),
    "create interface af_xdp": ("", "AF_XDP interface"),
    "create interface virtio": ("virtio-", "virtio"),
    "create interface vmxnet3": ("vmxnet3-", "VMXNET3 interface"),
    "create interface avf": ("avf-", "Intel AVF interface"),
    "create interface idpf": ("idpf-", "Intel IDPF interface"),
    "create packet-generator": ("pg", "Packet generator"),
    "create packet-generator interface": ("pg", "Packet generator"),
    "create vxlan-gpe tunnel": ("vxlan_gpe_tunnel", "VXLAN_GPE"),
    "create geneve tunnel": ("geneve_tunnel", "GENEVE"),
    "create gtpu tunnel": ("gtpu_tunnel", "GTPU"),
    "create l2tpv3 tunnel": ("l2tpv3_tunnel", "L2TPv3"),
    "create pppoe session": ("pppoe_session", "PPPoE"),
    "ipsec itf create": ("ipsec", "IPSEC Tunnel"),
    "pipe create": ("pipe", "Pipe"),
    "mpls tunnel": ("mpls-tunnel", "MPLS tunnel device"),
    "bvi create": ("bvi", "BVI"),
}
"""How the names begin that each command makes, '' for none of its own, and what drives the interface in VPP."""


class UnmanagedInterfaces:
    """The interfaces of one script that it makes by such commands."""

    def __init__(self) -> None:
        self._prefixes: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def note(self, command: str, words: Sequence[str]) -> None:
        """Note a command that is not simulated; it may make an interface, whose name it may have."""
        prefix, device_class = _MAKERS.get(command, ("", ""))
        if not device_class:
            return
        if prefix:
            self._prefixes[prefix] = device_class
        if "name" in words[:-1]:
            name = words[words.index("name") + 1]
            self._names[f"host-{name}" if command == "create host-interface" else name] = device_class

    def device_class_of(self, name: str) -> str | None:
        """Return what drives an interface that such a command has made, None when none can have made it."""
        if name in self._names:
            return self._names[name]
        return next((known for prefix, known in self._prefixes.items() if name.startswith(prefix)), None)
