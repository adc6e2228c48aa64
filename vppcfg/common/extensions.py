"""Loads what other installed programs add to vppcfg, by entry points in groups of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

from vppcfg.errors import UsageError

_METADATA = (".dist-info", ".egg-info")
_ENTRY_POINTS = "entry_points.txt"


@cache
def extensions(group: str) -> tuple[tuple[str, Any], ...]:
    """Return what the entry points of a group lead to, each with its name, in order of the names.

    Raise UsageError for one that cannot be imported.
    """
    if not any(f"[{group}]" in text for text in _declared()):
        return ()
    # Slow to import, and hardly ever needed.
    from importlib.metadata import entry_points

    found = sorted(entry_points(group=group), key=lambda each: each.name)
    return tuple((each.name, _loaded(each, group)) for each in found)


def _loaded(entry_point: Any, group: str) -> Any:
    try:
        return entry_point.load()
    except Exception as error:  # whatever a module of somebody else raises while it is imported
        text = f"{entry_point.value}, which another program adds as {group}, cannot be imported: {error!r}"
        raise UsageError(text, "upgrade or remove the package that has it") from error


@cache
def _declared() -> tuple[str, ...]:
    """Return the texts of the entry points of all packages; of packages in archives none."""
    return tuple(_texts())


def _texts() -> Iterator[str]:
    for folder in dict.fromkeys(sys.path):
        try:
            packages = [each.path for each in os.scandir(folder or ".") if each.name.endswith(_METADATA)]
        except OSError:
            continue
        for package in packages:
            try:
                with open(os.path.join(package, _ENTRY_POINTS), encoding="utf-8", errors="replace") as file:
                    yield file.read()
            except OSError:
                continue
