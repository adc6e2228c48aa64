"""Which values the words of the `dataplane` section of schema/vppcfg.yaml stand for; many may also be `auto`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from vppcfg.common.numbers import HIGHEST_CPU, KIB, MIB, bytes_of, cpus_of

AUTO = "auto"
_PATH = re.compile(r"/[A-Za-z0-9/._:@+=~%,-]+")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,31}")
_PLUGIN = re.compile(r"[a-z][a-z0-9_-]{0,63}?(_plugin\.so)?")
_HUGEPAGES = frozenset({64 * KIB, *(number * MIB for number in (1, 2, 16, 32, 256, 512, 1024, 2048, 16384))})


def number_or_auto(lowest: int, highest: int) -> Callable[[Any], bool]:
    """Return what tells whether a value is a whole number within limits, or auto."""
    return lambda value: value == AUTO or _is_number(value, lowest, highest)


def size_or_auto(lowest: str, highest: str) -> Callable[[Any], bool]:
    """Return what tells whether a value is a size between two others in whole pages, or auto."""
    least, most = bytes_of(lowest), bytes_of(highest)

    def is_size(value: Any) -> bool:
        if value == AUTO:
            return True
        try:
            size = bytes_of(str(value)) if isinstance(value, (int, str)) and not isinstance(value, bool) else -1
        except ValueError:
            return False
        return least <= size <= most and size % (4 * KIB) == 0

    return is_size


def is_truth_or_auto(value: Any) -> bool:
    """Return whether a value is true, false or auto."""
    return value == AUTO or isinstance(value, bool)


def is_workers(value: Any) -> bool:
    """Return whether a value is a number of workers, the CPUs for them, or auto."""
    return value == AUTO or _is_number(value, 0, 256) or _is_cpu_list(value)


def is_isolate(value: Any) -> bool:
    """Return whether a value is true, false, or a list of CPUs."""
    return isinstance(value, bool) or _is_cpu_list(value)


def is_hugepage_size(value: Any) -> bool:
    """Return whether a value is a size that hugepages have on some machine, or auto."""
    try:
        return value == AUTO or (isinstance(value, str) and bytes_of(value) in _HUGEPAGES)
    except ValueError:
        return False


def is_file_path(value: Any) -> bool:
    """Return whether a value is an absolute path that can stand in startup.conf."""
    return isinstance(value, str) and _PATH.fullmatch(value) is not None


def is_group_name(value: Any) -> bool:
    """Return whether a value can be the name of a Unix group."""
    return isinstance(value, str) and _WORD.fullmatch(value) is not None


def is_plugin_names(value: Any) -> bool:
    """Return whether a value is a list of different plugins, or auto."""
    return value == AUTO or (
        isinstance(value, list)
        and all(isinstance(name, str) and _PLUGIN.fullmatch(name) for name in value)
        and len(set(value)) == len(value)
    )


def _is_number(value: Any, lowest: int, highest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest


def _is_cpu_list(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_number(item, 0, HIGHEST_CPU) for item in value) and len(set(value)) == len(value) > 0
    try:
        return isinstance(value, str) and cpus_of(value) != ()
    except ValueError:
        return False
