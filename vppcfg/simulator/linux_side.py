"""The Linux around a simulated VPP, as far as linux-cp deals with it: namespaces, TAPs and VLAN devices."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

_MAX_NAME = 15
_LAST_VLAN = 4094
"""Linux keeps 4095 for itself (net/8021q)."""


@dataclass(slots=True, kw_only=True)
class Device:
    """A network device; `vlan` is its parent's index, its id and whether it is 802.1ad."""

    name: str
    index: int
    vlan: tuple[int, int, bool] | None = None
    taps: int = 0
    """How many TAPs of VPP have it."""
    is_tun: bool = False
    addresses: set[str] = field(default_factory=set)
    """Those that linux-cp has copied from VPP."""


class _Namespace:
    def __init__(self) -> None:
        self.devices: dict[str, Device] = {}
        self.vlans: dict[int, dict[tuple[int, bool], Device]] = {}
        """VLAN devices by their parent's index, for every device."""
        self._next_index = 1

    def add(self, name: str, vlan: tuple[int, int, bool] | None = None) -> Device:
        device = Device(name=name, index=self._next_index, vlan=vlan)
        self._next_index += 1
        self.devices[name] = device
        self.vlans[device.index] = {}
        if vlan is not None:
            self.vlans[vlan[0]][vlan[1:]] = device
        return device

    def remove(self, device: Device) -> None:
        for child in list(self.vlans.pop(device.index).values()):
            self.remove(child)
        if device.vlan is not None and device.vlan[0] in self.vlans:
            del self.vlans[device.vlan[0]][device.vlan[1:]]
        del self.devices[device.name]


class LinuxSide:
    """Network namespaces by name; '' is the one that VPP runs in.

    Without a list of `namespaces` every one that is asked for exists. `devices` exist before VPP, in ''. Without
    `has_vlans` the kernel lacks 802.1Q.
    """

    def __init__(
        self, namespaces: Collection[str] | None = None, devices: Collection[str] = (), *, has_vlans: bool = True
    ) -> None:
        self._has_vlans = has_vlans
        self._has_all = namespaces is None
        self._namespaces: dict[str, _Namespace] = {}
        for name in ("", *(namespaces or ())):
            self._namespaces[name] = _Namespace()
            self._namespaces[name].add("lo")
        for name in devices:
            self._namespaces[""].add(name)

    def has(self, netns: str) -> bool:
        """Return whether a namespace can be entered."""
        if self._has_all and netns not in self._namespaces:
            self._namespaces[netns] = _Namespace()
            self._namespaces[netns].add("lo")
        return netns in self._namespaces

    def has_device(self, name: str) -> bool:
        """Return whether VPP's own namespace has a device that was there before VPP.

        Without a list of namespaces nothing is known of Linux, and every device that is asked for exists.
        """
        return name in self._namespaces[""].devices or (self._has_all and _is_valid(name))

    def device(self, netns: str, name: str) -> Device | None:
        """Return the device called `name`, None when there is none."""
        return self._namespaces[netns].devices.get(name)

    def add_tap(self, netns: str, name: str, *, is_tun: bool = False, is_shared: bool = False) -> Device | None:
        """Make a TAP; return None when Linux refuses, because the name is taken or is no name (TUNSETIFF).

        With `is_shared` one of the same sort that is there gets another queue and is returned.
        """
        namespace = self._namespaces[netns]
        known = namespace.devices.get(name)
        if is_shared and known is not None and known.taps and known.is_tun == is_tun:
            known.taps += 1
            return known
        if not name:
            name = next(f"tap{n}" for n in range(len(namespace.devices) + 1) if f"tap{n}" not in namespace.devices)
        if known is not None or not _is_valid(name):
            return None
        device = namespace.add(name)
        device.taps, device.is_tun = 1, is_tun
        return device

    def add_vlan(self, netns: str, name: str, parent_index: int, vlan: int, is_dot1ad: bool) -> Device | None:
        """Make a VLAN device.

        Return None when Linux refuses: the name or the id is bad, there is no parent, or it has such a VLAN.
        """
        namespace = self._namespaces[netns]
        siblings = namespace.vlans.get(parent_index)
        is_refused = not self._has_vlans or not _is_valid(name) or name in namespace.devices or vlan > _LAST_VLAN
        if is_refused or siblings is None or (vlan, is_dot1ad) in siblings:
            return None
        return namespace.add(name, (parent_index, vlan, is_dot1ad))

    def remove(self, netns: str, name: str) -> None:
        """Remove a device and the VLAN devices on it when it is there and no other TAP has it."""
        device = self._namespaces[netns].devices.get(name) if netns in self._namespaces else None
        if device is None:
            return
        device.taps -= 1
        if device.taps <= 0:
            self._namespaces[netns].remove(device)


def _is_valid(name: str) -> bool:
    return 0 < len(name) <= _MAX_NAME and name not in {".", ".."} and not any(c in "/:" or c.isspace() for c in name)
