"""Addresses, routes, neighbours and sysctls that others configured in Linux on the devices of LCP pairs and TAPs.

They are read as attachments, which a plan carries over when it recreates the device; what VPP copies there is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Protocol

from vppcfg.common.addresses import is_link_local
from vppcfg.model.attachment import Attachment
from vppcfg.model.iproute2 import address_of, command, name_of
from vppcfg.model.linux_setting import LinuxKind, LinuxSetting
from vppcfg.model.state import State
from vppcfg.model.tap import Tap


class SettingsReader(Protocol):
    """The Linux around a VPP, as far as it is read here."""

    def read_settings(
        self, netns: str, devices: Mapping[str, str], requested: Collection[str]
    ) -> Sequence[tuple[str, LinuxSetting]]:
        """Return the settings of the devices of some interfaces, each with the interface; raise LinuxError."""


def linux_names(state: State) -> dict[tuple[str, str], str]:
    """Return the interface that each Linux device belongs to, by namespace and name."""
    names = {(tap.host_netns, tap.host_name): name for name, tap in state.virtual_as(Tap).items()}
    return names | {(pair.netns, pair.host_name): name for name, pair in state.lcps.items() if pair.has_host}


def attachments_in_linux(linux: SettingsReader, holders: Collection[str], state: State) -> Iterator[Attachment]:
    """Yield what was configured on the devices of `holders`. Raise LinuxError.

    Nothing is asked where none of them has a device.
    """
    places = linux_names(state)
    for netns in sorted({netns for (netns, _), name in places.items() if name in holders}):
        devices = {device: name for (place, device), name in places.items() if place == netns}
        called = {name: device for device, name in devices.items()}
        requested = {name for name in holders if name in called}
        for name, setting in linux.read_settings(netns, devices, requested):
            if not _is_copied(setting, name, state):
                yield Attachment(
                    holder=name,
                    kind=f"{setting.kind.value} of Linux",
                    name=name_of(setting),
                    linux=setting,
                    in_linux=command(setting.on(called), netns) or "",
                )


def _is_copied(setting: LinuxSetting, name: str, state: State) -> bool:
    """Return whether VPP puts an address on the device by itself (lcp-sync), and on the next one too."""
    if setting.kind is not LinuxKind.ADDRESS or name not in state.lcps or not state.facts.lcp.is_sync:
        return False
    interface, address = state.interfaces[name], address_of(setting)
    is_live = address in {each.address for each in interface.live}
    return address in interface.addresses or is_live or is_link_local(address)
