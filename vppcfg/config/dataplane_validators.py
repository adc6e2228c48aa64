"""The words that the `dataplane` section of schema/vppcfg.yaml has: values that may also be `auto`."""

from __future__ import annotations

import re
from typing import Any

from yamale.validators import Validator

from vppcfg.config.scalar import shown
from vppcfg.model.cpu_list import HIGHEST_CPU, cpus_of
from vppcfg.model.size import KIB, MIB, bytes_of

AUTO = "auto"
_PATH = re.compile(r"/[!-~]+")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,31}")
_PLUGIN = re.compile(r"[a-z][a-z0-9_-]{0,63}?(_plugin\.so)?")
_MARKUP = frozenset("#{}")
"""What would end a value in startup.conf."""


def _is_number(value: Any, lowest: int, highest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest


def _is_cpu_list(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_number(item, 0, HIGHEST_CPU) for item in value) and len(set(value)) == len(value) > 0
    try:
        return isinstance(value, str) and cpus_of(value) != ()
    except ValueError:
        return False


class NumberOrAuto(Validator):  # type: ignore[misc] # yamale has no types
    """A whole number within limits, or `auto`."""

    tag = "number_or_auto"

    def __init__(self, lowest: int, highest: int, **settings: Any) -> None:
        super().__init__(lowest, highest, **settings)
        self._limits = lowest, highest

    def _is_valid(self, value: Any) -> bool:
        return value == AUTO or _is_number(value, *self._limits)

    def fail(self, value: Any) -> str:
        """Say which numbers are meant."""
        return f"{shown(value)} is neither auto nor a whole number from {self._limits[0]} to {self._limits[1]}"


class TruthOrAuto(Validator):  # type: ignore[misc]
    """true, false or `auto`."""

    tag = "truth_or_auto"

    def _is_valid(self, value: Any) -> bool:
        return value == AUTO or isinstance(value, bool)

    def fail(self, value: Any) -> str:
        """Say what may stand here."""
        return f"{shown(value)} is none of true, false and auto"


class Workers(Validator):  # type: ignore[misc]
    """A number of workers, the CPUs for them, or `auto`."""

    tag = "workers"

    def _is_valid(self, value: Any) -> bool:
        return value == AUTO or _is_number(value, 0, 256) or _is_cpu_list(value)

    def fail(self, value: Any) -> str:
        """Say how workers are named."""
        return f"{shown(value)} is neither auto, a number of workers, nor a list of different CPUs such as [ 2, 3 ]"


class Isolate(Validator):  # type: ignore[misc]
    """true, false, or a list of CPUs."""

    tag = "isolate"

    def _is_valid(self, value: Any) -> bool:
        return isinstance(value, bool) or _is_cpu_list(value)

    def fail(self, value: Any) -> str:
        """Say what can be isolated."""
        return f"{shown(value)} is neither true, false, nor a list of different CPUs such as [ 2, 3 ]"


class SizeOrAuto(Validator):  # type: ignore[misc]
    """A size with a unit between two others, or `auto`."""

    tag = "size_or_auto"

    def __init__(self, lowest: str, highest: str, **settings: Any) -> None:
        super().__init__(lowest, highest, **settings)
        self._limits = lowest, highest

    def _is_valid(self, value: Any) -> bool:
        if value == AUTO:
            return True
        try:
            size = bytes_of(str(value)) if isinstance(value, (int, str)) and not isinstance(value, bool) else -1
        except ValueError:
            return False
        return bytes_of(self._limits[0]) <= size <= bytes_of(self._limits[1]) and size % (4 * KIB) == 0

    def fail(self, value: Any) -> str:
        """Say which sizes are meant."""
        return f"{shown(value)} is neither auto nor a size from {self._limits[0]} to {self._limits[1]} such as 512M"


class HugepageSize(Validator):  # type: ignore[misc]
    """A size that hugepages have on some machine, or `auto`."""

    tag = "hugepage_size"
    _KNOWN = frozenset({64 * KIB, *(number * MIB for number in (1, 2, 16, 32, 256, 512, 1024, 2048, 16384))})

    def _is_valid(self, value: Any) -> bool:
        try:
            return value == AUTO or (isinstance(value, str) and bytes_of(value) in self._KNOWN)
        except ValueError:
            return False

    def fail(self, value: Any) -> str:
        """Say what hugepages are like."""
        return f"{shown(value)} is neither auto nor a size of hugepages such as 2M or 1G"


class FilePath(Validator):  # type: ignore[misc]
    """An absolute path that can stand in startup.conf."""

    tag = "file_path"

    def _is_valid(self, value: Any) -> bool:
        return isinstance(value, str) and _PATH.fullmatch(value) is not None and _MARKUP.isdisjoint(value)

    def fail(self, value: Any) -> str:
        """Say what a path is here."""
        return f"{shown(value)} is no absolute path, without spaces, braces and #"


class GroupName(Validator):  # type: ignore[misc]
    """The name of a Unix group."""

    tag = "group_name"

    def _is_valid(self, value: Any) -> bool:
        return isinstance(value, str) and _WORD.fullmatch(value) is not None

    def fail(self, value: Any) -> str:
        """Say what a group is called."""
        return f"{shown(value)} cannot be the name of a group"


class PluginNames(Validator):  # type: ignore[misc]
    """Names of plugins, or `auto`."""

    tag = "plugin_names"

    def _is_valid(self, value: Any) -> bool:
        return value == AUTO or (
            isinstance(value, list)
            and all(isinstance(name, str) and _PLUGIN.fullmatch(name) for name in value)
            and len(set(value)) == len(value)
        )

    def fail(self, value: Any) -> str:
        """Say how plugins are listed."""
        return f"{shown(value)} is neither auto nor a list of different plugins such as [ dpdk, linux_cp ]"


DATAPLANE_VALIDATORS = {
    kind.tag: kind
    for kind in (
        NumberOrAuto,
        TruthOrAuto,
        Workers,
        Isolate,
        SizeOrAuto,
        HugepageSize,
        FilePath,
        GroupName,
        PluginNames,
    )
}
