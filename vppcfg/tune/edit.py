"""Puts settings into the text of a configuration file; comments, order and indentation stay as they were typed."""

from __future__ import annotations

from collections.abc import Iterable, MutableMapping
from typing import Any

from vppcfg.common.edited_yaml import EditedText, block_map
from vppcfg.errors import UsageError
from vppcfg.tune.finding import Setting
from vppcfg.tune.settings import SECTION


def with_settings(text: str, settings: Iterable[Setting]) -> str:
    """Return the configuration `text` with the settings in its section `dataplane`.

    Raise UsageError when the text cannot be edited.
    """
    edited = EditedText(text)
    data = edited.data
    if data is None:
        return text + ("" if text.endswith("\n") or not text else "\n") + _section_alone(settings)
    if not isinstance(data, MutableMapping):
        raise UsageError("the configuration is not a map of sections, and cannot be edited")
    for setting in settings:
        _set(data, (SECTION, *setting.path), setting.value)
        _overtake_devices(data, setting)
    return edited.text()


def _section_alone(settings: Iterable[Setting]) -> str:
    """Return the section for a file that has nothing but comments."""
    from vppcfg.tune.settings import as_yaml

    return "".join(f"{line}\n" for line in as_yaml(settings))


def _set(data: Any, path: tuple[str, ...], value: int | bool | str | None) -> None:
    """Set a value below maps that are made where they are missing. Raise UsageError when something else is there."""
    for place, key in enumerate(path[:-1]):
        if data.get(key) is None:
            data[key] = type(data)() if place else block_map()
        data = data[key]
        if not isinstance(data, MutableMapping):
            where = ".".join(path[: place + 1])
            raise UsageError(f"{where} is not a map in the configuration, and cannot be edited")
    if value is None:
        data.pop(path[-1], None)
    else:
        data[path[-1]] = value


def _overtake_devices(data: Any, setting: Setting) -> None:
    """Raise the numbers of single devices that would hide a larger one set for all devices."""
    if setting.path[:2] != ("dpdk", "default") or not isinstance(setting.value, int):
        return
    key, devices = setting.path[-1], data[SECTION]["dpdk"].get("devices")
    for device in devices.values() if isinstance(devices, MutableMapping) else ():
        own = device.get(key) if isinstance(device, MutableMapping) else None
        if isinstance(own, int) and own < setting.value:
            device[key] = setting.value
