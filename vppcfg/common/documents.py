"""Frozen dataclasses from plain data, such as JSON holds: every value is checked against the type of its attribute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

_T = TypeVar("_T")


def build(kind: type[_T], data: object, whole: str, path: str = "") -> _T:
    """Return the dataclass `kind` that `data` describes. Raise ValueError with the path of what is wrong.

    `whole` is what a message calls the document itself.
    """
    if not isinstance(data, Mapping):
        raise ValueError(f"{path or whole} is not an object")
    hints = _hints(kind)  # type: ignore[arg-type]  # a class is hashable
    unknown = sorted(set(data) - {field.name for field in fields(kind)})  # type: ignore[arg-type]
    if unknown:
        raise ValueError(f"{_join(path, unknown[0])} is unknown")
    values = {name: _value(hints[name], value, _join(path, name)) for name, value in data.items()}
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(f"{path or whole} lacks an attribute: {error}") from error


def plain(value: Any) -> Any:
    """Return a dataclass as plain data that `build` takes: objects, lists, scalars; an Enum as its value."""
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value


@cache
def _hints(kind: type[Any]) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _value(hint: Any, value: object, path: str) -> Any:
    """Return `value` as a type: a scalar, an Enum, one of our classes, a tuple, a mapping, or one of them or None."""
    origin = get_origin(hint)
    if origin is UnionType:
        return None if value is None else _value(_first_kind(hint), value, path)
    if origin is tuple:
        return _items(get_args(hint), value, path)
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise ValueError(f"{path} is not an object")
        return value
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _member(hint, value, path)
    if hint in (int, str, bool, float):
        return _scalar(hint, value, path)
    return build(hint, value, path, path)


def _first_kind(hint: Any) -> Any:
    return next(kind for kind in get_args(hint) if kind is not NoneType)


def _items(kinds: tuple[Any, ...], value: object, path: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{path} is not a list")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(value)
    if len(kinds) != len(value):
        raise ValueError(f"{path} has {len(value)} entries, not {len(kinds)}")
    return tuple(
        _value(kind, item, f"{path}[{index}]") for index, (kind, item) in enumerate(zip(kinds, value, strict=True))
    )


def _member(kind: type[Enum], value: object, path: str) -> Enum:
    for member in kind:
        if member.value == value:
            return member
    raise ValueError(f"{path} is {value!r}, not one of {', '.join(str(member.value) for member in kind)}")


def _scalar(kind: type, value: object, path: str) -> Any:
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise ValueError(f"{path} is {value!r}, which is no {kind.__name__}")
    return value


def _join(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)
