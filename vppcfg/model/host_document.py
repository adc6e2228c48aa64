"""A Host as plain data for JSON, and back: what `vppcfg host` writes and `vppcfg startup --host` reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from vppcfg.model.host import Host

FORMAT_VERSION = 1
"""Grows when a reader of the former one would misread the document."""

_T = TypeVar("_T")


def host_document(host: Host) -> dict[str, Any]:
    """Return a host as plain data."""
    return {"format_version": FORMAT_VERSION, **asdict(host)}


def host_of(document: object) -> Host:
    """Return the host that plain data describes. Raise ValueError when it does not describe one."""
    if not isinstance(document, Mapping) or "format_version" not in document:
        raise ValueError("this is no inventory of a machine; `vppcfg host` writes one")
    if document["format_version"] != FORMAT_VERSION:
        version = document["format_version"]
        raise ValueError(f"an inventory of format_version {version!r} cannot be read, only {FORMAT_VERSION}")
    host = _build(Host, {key: value for key, value in document.items() if key != "format_version"}, "")
    for complaint in _complaints(host):
        raise ValueError(complaint)
    return host


def _build(kind: type[_T], data: object, path: str) -> _T:
    if not isinstance(data, Mapping):
        raise ValueError(f"{path or 'the inventory'} is not an object")
    hints = get_type_hints(kind)
    unknown = sorted(set(data) - {field.name for field in fields(kind)})  # type: ignore[arg-type]
    if unknown:
        raise ValueError(f"{_join(path, unknown[0])} is unknown")
    try:
        return kind(**{name: _value(hints[name], value, _join(path, name)) for name, value in data.items()})
    except TypeError as error:
        raise ValueError(f"{path or 'the inventory'} lacks an attribute: {error}") from error


def _value(hint: Any, value: object, path: str) -> Any:
    """Return `value` as the type `hint`, which is a scalar, one of our classes, a tuple of one kind, or one or None."""
    if get_origin(hint) is UnionType:
        return (
            None
            if value is None
            else _value(next(kind for kind in get_args(hint) if kind is not NoneType), value, path)
        )
    if get_origin(hint) is tuple:
        if not isinstance(value, (list, tuple)):
            raise ValueError(f"{path} is not a list")
        return tuple(_value(get_args(hint)[0], item, f"{path}[{index}]") for index, item in enumerate(value))
    if hint is float and type(value) is int:
        return float(value)
    if hint in (int, str, bool, float):
        if type(value) is not hint:
            raise ValueError(f"{path} is {value!r}, which is no {hint.__name__}")
        return value
    return _build(hint, value, path)


def _complaints(host: Host) -> Iterator[str]:
    """Yield what no machine can be."""
    for what, ids in (("cpus", [cpu.id for cpu in host.cpus]), ("nics", [nic.address for nic in host.nics])):
        if len(set(ids)) != len(ids):
            yield f"{what} has an entry twice"
    if not host.usable_cpus:
        yield "no CPU of this inventory is online and allowed"
    if any(cpu.id < 0 or cpu.node < 0 for cpu in host.cpus) or any(node.id < 0 for node in host.nodes):
        yield "an id of a CPU or node is negative"


def _join(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)
