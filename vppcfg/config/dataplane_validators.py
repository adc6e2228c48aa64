"""The words that the `dataplane` section of schema/vppcfg.yaml has: values that may also be `auto`."""

from __future__ import annotations

from typing import Any

from yamale.validators import Validator

from vppcfg.config.dataplane_words import (
    is_file_path,
    is_group_name,
    is_hugepage_size,
    is_isolate,
    is_plugin_names,
    is_truth_or_auto,
    is_workers,
    number_or_auto,
    size_or_auto,
)
from vppcfg.config.yaml.errors import shown


class NumberOrAuto(Validator):  # type: ignore[misc] # yamale has no types
    """A whole number within limits, or `auto`."""

    tag = "number_or_auto"

    def __init__(self, lowest: int, highest: int, **settings: Any) -> None:
        super().__init__(lowest, highest, **settings)
        self._limits = lowest, highest

    def _is_valid(self, value: Any) -> bool:
        return number_or_auto(*self._limits)(value)

    def fail(self, value: Any) -> str:
        """Say which numbers are meant."""
        return f"{shown(value)} is neither auto nor a whole number from {self._limits[0]} to {self._limits[1]}"


class TruthOrAuto(Validator):  # type: ignore[misc]
    """true, false or `auto`."""

    tag = "truth_or_auto"

    def _is_valid(self, value: Any) -> bool:
        return is_truth_or_auto(value)

    def fail(self, value: Any) -> str:
        """Say what may stand here."""
        return f"{shown(value)} is none of true, false and auto"


class Workers(Validator):  # type: ignore[misc]
    """A number of workers, the CPUs for them, or `auto`."""

    tag = "workers"

    def _is_valid(self, value: Any) -> bool:
        return is_workers(value)

    def fail(self, value: Any) -> str:
        """Say how workers are named."""
        return f"{shown(value)} is neither auto, a number of workers, nor a list of different CPUs such as [ 2, 3 ]"


class Isolate(Validator):  # type: ignore[misc]
    """true, false, or a list of CPUs."""

    tag = "isolate"

    def _is_valid(self, value: Any) -> bool:
        return is_isolate(value)

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
        return size_or_auto(*self._limits)(value)

    def fail(self, value: Any) -> str:
        """Say which sizes are meant."""
        return f"{shown(value)} is neither auto nor a size from {self._limits[0]} to {self._limits[1]} such as 512M"


class HugepageSize(Validator):  # type: ignore[misc]
    """A size that hugepages have on some machine, or `auto`."""

    tag = "hugepage_size"

    def _is_valid(self, value: Any) -> bool:
        return is_hugepage_size(value)

    def fail(self, value: Any) -> str:
        """Say what hugepages are like."""
        return f"{shown(value)} is neither auto nor a size of hugepages such as 2M or 1G"


class FilePath(Validator):  # type: ignore[misc]
    """An absolute path that can stand in startup.conf."""

    tag = "file_path"

    def _is_valid(self, value: Any) -> bool:
        return is_file_path(value)

    def fail(self, value: Any) -> str:
        """Say what a path is here."""
        return f"{shown(value)} is no absolute path of letters, digits and ._:@+=~%,-"


class GroupName(Validator):  # type: ignore[misc]
    """The name of a Unix group."""

    tag = "group_name"

    def _is_valid(self, value: Any) -> bool:
        return is_group_name(value)

    def fail(self, value: Any) -> str:
        """Say what a group is called."""
        return f"{shown(value)} cannot be the name of a group"


class PluginNames(Validator):  # type: ignore[misc]
    """Names of plugins, or `auto`."""

    tag = "plugin_names"

    def _is_valid(self, value: Any) -> bool:
        return is_plugin_names(value)

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
