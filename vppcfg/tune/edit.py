"""Puts settings into the text of a configuration file; comments, order and indentation stay as they were typed."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, MutableMapping
from difflib import SequenceMatcher, unified_diff
from typing import Any

from vppcfg.errors import UsageError
from vppcfg.tune.finding import Setting
from vppcfg.tune.settings import SECTION

_STYLES = ((2, 2, 0), (2, 4, 2), (4, 4, 0), (4, 4, 2), (4, 6, 4))
"""Indentations in use: of maps, of lists, and of the dash in it."""
_BRACES = re.compile(r"\{([^{} ][^{}]*)\}")
_COMMENT = re.compile(r"(?<=\}) +#")


def with_settings(text: str, settings: Iterable[Setting]) -> str:
    """Return the configuration `text` with the settings in its section `dataplane`.

    Raise UsageError when the text cannot be edited.
    """
    yaml, data = _loaded(text)
    if data is None:
        return text + ("" if text.endswith("\n") or not text else "\n") + _section_alone(settings)
    if not isinstance(data, MutableMapping):
        raise UsageError("the configuration is not a map of sections, and cannot be edited")
    unchanged = _dumped(yaml, data)
    for setting in settings:
        _set(data, (SECTION, *setting.path), setting.value)
        _overtake_devices(data, setting)
    return _carried_over(text, unchanged, _dumped(yaml, data))


def difference(before: str, after: str, name: str) -> list[str]:
    """Return a unified diff of two texts."""
    old, new = before.splitlines(), after.splitlines()
    return list(unified_diff(old, new, f"{name} (now)", f"{name} (then)", lineterm=""))


def _loaded(text: str) -> tuple[Any, Any]:
    """Return a YAML reader that gives the text back as nearly as can be, and what it read."""
    from ruamel.yaml.error import YAMLError

    best: tuple[int, Any] | None = None
    for style in _STYLES:
        yaml = _yaml(style)
        try:
            data = yaml.load(text)
        except YAMLError as error:
            raise UsageError("the configuration is not YAML, and cannot be edited", str(error)) from error
        if data is None:
            return yaml, None
        changed = len(difference(text, _dumped(yaml, data), ""))
        if best is None or changed < best[0]:
            best = changed, yaml
        if not changed:
            break
    chosen = best[1] if best else _yaml(_STYLES[0])
    return chosen, chosen.load(text)


def _yaml(style: tuple[int, int, int]) -> Any:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.indent(mapping=style[0], sequence=style[1], offset=style[2])
    return yaml


def _dumped(yaml: Any, data: Any) -> str:
    stream = io.StringIO()
    yaml.dump(data, stream)
    return stream.getvalue()


def _carried_over(text: str, unchanged: str, changed: str) -> str:
    """Return `text` with the lines that differ between two dumps of it: every other line stays as it was typed."""
    typed, before, after = text.splitlines(), unchanged.splitlines(), changed.splitlines()
    if len(typed) != len(before):
        return changed
    lines: list[str] = []
    for kind, first, last, start, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += typed[first:last]
        else:
            lines += _styled(typed[first:last], after[start:end])
    return "".join(f"{line}\n" for line in lines)


def _styled(typed: list[str], dumped: list[str]) -> list[str]:
    """Return dumped lines with the spaces inside braces, and before a comment, that the typed ones have."""
    if any('"' in line or "'" in line for line in dumped) or not any("{ " in line for line in typed):
        return dumped
    gap = next((match[0] for line in typed if (match := _COMMENT.search(line))), " #")
    return [_COMMENT.sub(gap, _BRACES.sub(r"{ \1 }", line)) for line in dumped]


def _section_alone(settings: Iterable[Setting]) -> str:
    """Return the section for a file that has nothing but comments."""
    from vppcfg.tune.settings import as_yaml

    return "".join(f"{line}\n" for line in as_yaml(settings))


def _set(data: Any, path: tuple[str, ...], value: int | bool | str | None) -> None:
    """Set a value below maps that are made where they are missing. Raise UsageError when something else is there."""
    for place, key in enumerate(path[:-1]):
        if data.get(key) is None:
            data[key] = type(data)() if place else _block_map()
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


def _block_map() -> Any:
    from ruamel.yaml.comments import CommentedMap

    return CommentedMap()
