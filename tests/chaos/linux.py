"""The Linux around a simulated VPP, kept in a file so that every process of a test sees the same."""

import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypedDict

from vppcfg.errors import DataplaneError, LinuxError
from vppcfg.model.linux import LinkOutcome, LinkSetting, LinuxDevice, LinuxSide
from vppcfg.model.linux_setting import LinuxSetting
from vppcfg.model.question import AskOutcome, LinuxEchoQuestion
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.vpp.live import LiveDataplane, connect


class Kept(TypedDict):
    """What the file has."""

    changes: int
    devices: dict[str, dict[str, Any]]
    namespaces: list[str]
    bridges: list[tuple[str, str]]


class KeptConnection:
    """A connection to a VPP for each process that asks, taken up again when VPP has been restarted."""

    def __init__(self, socket_path: str) -> None:
        self._socket_path = socket_path
        self._vpp: LiveDataplane | None = None
        self._pid = 0

    def observe(self) -> State:
        """Read the whole state."""
        if self._vpp is not None and self._pid == os.getpid():
            try:
                return self._vpp.observe()
            except DataplaneError:
                self._vpp.close()
        self._vpp, self._pid = connect(self._socket_path), os.getpid()
        return self._vpp.observe()

    def close(self) -> None:
        """Say goodbye."""
        if self._vpp is not None and self._pid == os.getpid():
            self._vpp.close()
        self._vpp = None


class FileLinux:
    """Devices that somebody has set, in a file; all others are as linux-cp keeps them: like the interface in VPP."""

    def __init__(self, file: Path, vpp: KeptConnection, on_change: Callable[[int], None] = lambda count: None) -> None:
        self._file = file
        self._vpp = vpp
        self._on_change = on_change

    def begin(self, state: State) -> None:
        """Start with the Linux side of a state."""
        places = {name: (tap.host_netns, tap.host_name) for name, tap in state.virtual_as(Tap).items()}
        places |= {name: (pair.netns, pair.host_name) for name, pair in state.lcps.items()}
        devices = {_key(places[name]): asdict(device) for name, device in state.linux.items()}
        bridges = sorted(state.linux_bridges)
        self._write({"changes": 0, "devices": devices, "namespaces": sorted(state.namespaces), "bridges": bridges})

    def ask_echo(self, question: LinuxEchoQuestion) -> AskOutcome:
        """Ask nobody."""
        return AskOutcome(cannot_ask="this Linux is a file")

    def observe(self, requested: set[tuple[str, str]]) -> LinuxSide:
        """Return the devices; those that VPP has no more are forgotten."""
        data, born = self._read(), self._born()
        data["devices"] = {key: device for key, device in data["devices"].items() if key in map(_key, born)}
        self._write(data)
        devices = {place: self._device(place, data, born) for place in requested if place in born}
        return LinuxSide(
            devices=devices,
            namespaces=frozenset(data["namespaces"]),
            bridges=frozenset((netns, name) for netns, name in data["bridges"]),
        )

    def add_namespace(self, name: str) -> None:
        self._change(lambda data: data["namespaces"].append(name))

    def add_bridge(self, netns: str, name: str) -> None:
        self._change(lambda data: data["bridges"].append((netns, name)))

    def set_links(self, netns: str, settings: Sequence[LinkSetting]) -> LinkOutcome:
        """Set MTU and state of devices."""
        for place, setting in enumerate(settings):
            try:
                self._set((netns, setting.name), mtu=setting.mtu, is_up=setting.is_up)
            except LinuxError as error:
                return LinkOutcome(done=tuple(range(place)), refused={place: error.message})
        return LinkOutcome(done=tuple(range(len(settings))))

    def set_bridge(self, netns: str, name: str, bridge: str) -> None:
        """Make a device a port of a bridge."""
        self._set((netns, name), bridge=bridge)

    def read_settings(
        self, netns: str, devices: Mapping[str, str], requested: Collection[str]
    ) -> Sequence[tuple[str, LinuxSetting]]:
        """Return none: nobody has configured anything."""
        return ()

    def restore(self, netns: str, settings: Sequence[LinuxSetting]) -> LinkOutcome:
        """Make settings, of which there are none."""
        return LinkOutcome(done=tuple(range(len(settings))))

    def _set(self, place: tuple[str, str], **values: object) -> None:
        born = self._born()
        if place not in born:
            raise LinuxError(f"there is no device {place[1]}")

        def change(data: Kept) -> None:
            data["devices"][_key(place)] = asdict(self._device(place, data, born)) | values

        self._change(change)

    def _device(self, place: tuple[str, str], data: Kept, born: dict[tuple[str, str], LinuxDevice]) -> LinuxDevice:
        values = data["devices"].get(_key(place))
        return LinuxDevice(**values) if values else born[place]

    def _born(self) -> dict[tuple[str, str], LinuxDevice]:
        """Return every device that VPP has, as nobody has touched it."""
        state = self._vpp.observe()
        devices = {
            (tap.host_netns, tap.host_name): LinuxDevice(mtu=tap.host_mtu or 1500, is_up=True, bridge=tap.host_bridge)
            for tap in state.virtual_as(Tap).values()
        }
        for name, pair in state.lcps.items():
            interface = state.interfaces[name]
            devices[pair.netns, pair.host_name] = LinuxDevice(mtu=state.packet_mtu(name), is_up=interface.is_up)
        return devices

    def _change(self, change: Callable[[Kept], None]) -> None:
        data = self._read()
        data["changes"] += 1
        self._write(data)
        self._on_change(data["changes"])
        change(data)
        self._write(data)

    def _read(self) -> Kept:
        content: Kept = json.loads(self._file.read_text())
        return content

    def _write(self, data: Kept) -> None:
        temporary = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        temporary.write_text(json.dumps(data))
        temporary.replace(self._file)


def _key(place: tuple[str, str]) -> str:
    return "/".join(place)
