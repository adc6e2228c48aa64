"""All that a simulated VPP holds, as plain values for tests to compare: also what no message and no command shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from vppcfg.simulator.pool import Pool
from vppcfg.simulator.tables import Tables


def content_of(tables: Tables) -> Mapping[type[Any], Any]:
    """Return what each kind has in its tables, by the class of these; kinds that have nothing are left out."""
    found = {kind: _plain(part) for kind, part in tables.parts.items()}
    return {kind: content for kind, content in found.items() if content != _plain(kind())}


def _plain(value: Any) -> Any:
    if isinstance(value, Pool):
        return {index: _plain(value[index]) for index in range(value.end) if value.has(index)}
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    if hasattr(value, "__dict__") and not callable(value):
        return {name: _plain(each) for name, each in vars(value).items()}
    return value
