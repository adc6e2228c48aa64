"""Plain data from JSON, and frozen dataclasses from plain data: every value is checked against its attribute's type."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from vppcfg.common.bounds import JSON_MEMORY_BYTES

_T = TypeVar("_T")
_PART_BYTES = 1 << 18
_SIZE_BYTES = {"{": 240, "[": 64, ",": 40}
"""What Python keeps of a document, by the signs that begin an object, a list, and one more value."""
_MOST_DIGITS = 300
"""Of a whole number that a float can hold."""
_SHOWN = 60
"""Characters of a wrong value in a message."""

Check = Callable[[str, float], str]
"""From the name of an attribute and a number in it to why the number cannot be, '' when it can."""


def read_at_most(path: Path, most_bytes: int) -> bytes:
    """Return the bytes of a file, of one that has more than `most_bytes` one more than that. Raise OSError.

    The size that a file reports is not asked for: that of a device or a pipe is 0.
    """
    parts: list[bytes] = []
    left = most_bytes + 1
    with path.open("rb") as stream:
        # Python makes room at once for all that is asked for.
        while left and (part := stream.read(min(left, _PART_BYTES))):
            parts.append(part)
            left -= len(part)
    return b"".join(parts)


def parse_json(text: bytes | str, source: str, most_bytes: int, *, may_be_infinite: bool = False) -> Any:
    """Return the plain data in a JSON text. Raise ValueError with the source's name, and the place of what is wrong.

    `NaN` and `Infinity`, which are no JSON, are refused; where numbers `may_be_infinite`, they and all that are beyond
    a float, such as 1e400, are None.
    """
    if len(text) > most_bytes:
        raise ValueError(f"{source} is larger than {most_bytes >> 20} MB")
    try:
        decoded = text.decode() if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        raise ValueError(f"{source} is no text") from error
    if sum(decoded.count(sign) * size for sign, size in _SIZE_BYTES.items()) > JSON_MEMORY_BYTES:
        raise ValueError(f"{source} has more values than are read, {decoded.count(',') + 1:,} in lists and objects")
    try:
        if not may_be_infinite:
            return json.loads(decoded, parse_constant=_refuse_constant)
        return json.loads(decoded, parse_constant=_none_of, parse_float=_float_or_none, parse_int=_int_or_none)
    except json.JSONDecodeError as error:
        raise ValueError(_json_problem(source, decoded, error)) from error
    except RecursionError as error:
        raise ValueError(f"{source}: lists or objects are nested too deeply") from error
    except ValueError as error:
        is_constant = isinstance(error, _ConstantError)
        reason = str(error) if is_constant else "a number has thousands of digits"  # which Python refuses
        raise ValueError(f"{source}: {reason}") from error


class _ConstantError(ValueError):
    """A text has a number that is none."""


def _none_of(name: str) -> None:
    return None


def _float_or_none(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _int_or_none(digits: str) -> int | None:
    return int(digits) if len(digits) < _MOST_DIGITS else None


def _refuse_constant(name: str) -> float:
    raise _ConstantError(f"the number {name} is none that can be reckoned with")


def _json_problem(source: str, text: str, error: json.JSONDecodeError) -> str:
    """Return what is wrong; a document that ends where more must follow was cut off."""
    if not text.strip():
        return f"{source} is empty"
    rest = text[error.pos :].strip()
    is_open_string = error.msg.startswith("Unterminated string")
    if text.lstrip()[0] in "{[" and (not rest or is_open_string or text.rstrip()[-1] not in "]}"):
        return f"{source} is cut off: its JSON ends in line {text.count(chr(10)) + 1}, in the middle of the document"
    return f"{source}:{error.lineno}:{error.colno}: not JSON: {error.msg}"


def build(
    kind: type[_T], data: object, whole: str, path: str = "", check: Check | None = None, *, is_open: bool = False
) -> _T:
    """Return the dataclass `kind` that `data` describes. Raise ValueError with the path of what is wrong.

    `whole` is what a message calls the document itself. Every number is finite, and as `check` requires. Attributes
    that are not known are passed over when the document `is_open`, as those of other programs are.
    """
    built: _T = _Builder(whole, check, is_open=is_open).build(kind, data, path)
    return built


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


class _Builder:
    """The reader of one document."""

    def __init__(self, whole: str, check: Check | None, *, is_open: bool) -> None:
        self._whole = whole
        self._check = check
        self._is_open = is_open

    def build(self, kind: Any, data: object, path: str) -> Any:
        """Return the dataclass `kind` that `data` at `path` describes."""
        if not isinstance(data, Mapping):
            raise ValueError(f"{path or self._whole} is not an object")
        hints = _hints(kind)
        unknown = sorted(str(name) for name in set(data) - {field.name for field in fields(kind)})
        if unknown and not self._is_open:
            raise ValueError(f"{_join(path, unknown[0])} is unknown")
        known = ((name, value) for name, value in data.items() if name in hints)
        values = {name: self._value(hints[name], value, _join(path, name), name) for name, value in known}
        try:
            return kind(**values)
        except TypeError as error:
            raise ValueError(f"{path or self._whole} lacks an attribute: {error}") from error

    def _value(self, hint: Any, value: object, path: str, name: str) -> Any:
        """Return `value` as a type: a scalar, an Enum, one of our classes, a tuple, a mapping, or one of them or None.

        `name` is that of the attribute which it is in.
        """
        origin = get_origin(hint)
        if origin is UnionType:
            return None if value is None else self._value(_first_kind(hint), value, path, name)
        if origin is tuple:
            return self._items(get_args(hint), value, path, name)
        if origin is Mapping:
            if not isinstance(value, Mapping):
                raise ValueError(f"{path} is not an object")
            return value
        if isinstance(hint, type) and issubclass(hint, Enum):
            return _member(hint, value, path)
        if hint in (int, str, bool, float):
            return self._scalar(hint, value, path, name)
        return self.build(hint, value, path)

    def _items(self, kinds: tuple[Any, ...], value: object, path: str, name: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise ValueError(f"{path} is not a list")
        if len(kinds) == 2 and kinds[1] is Ellipsis:
            kinds = (kinds[0],) * len(value)
        if len(kinds) != len(value):
            raise ValueError(f"{path} has {len(value)} entries, not {len(kinds)}")
        return tuple(
            self._value(kind, item, f"{path}[{index}]", name)
            for index, (kind, item) in enumerate(zip(kinds, value, strict=True))
        )

    def _scalar(self, kind: type, value: object, path: str, name: str) -> Any:
        if type(value) is not kind and not (kind is float and type(value) is int):
            raise ValueError(f"{path} is {_shown(value)}, which is no {kind.__name__}")
        if isinstance(value, bool | str):
            return value
        number = value if type(value) is float and math.isfinite(value) else _finite(value)
        reason = "is beyond any number that is counted here" if number is None else ""
        if number is not None and self._check is not None:
            reason = self._check(name, number)
        if reason:
            raise ValueError(f"{path} is {_shown(value)}, which {reason}")
        return number if kind is float else value


def _first_kind(hint: Any) -> Any:
    return next(kind for kind in get_args(hint) if kind is not NoneType)


def _member(kind: type[Enum], value: object, path: str) -> Enum:
    for member in kind:
        if member.value == value:
            return member
    raise ValueError(f"{path} is {_shown(value)}, not one of {', '.join(str(member.value) for member in kind)}")


def _finite(value: Any) -> float | None:
    """Return a number as a float; None when it is none that can be reckoned with."""
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an int of more digits than Python writes
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _join(path: str, name: object) -> str:
    return f"{path}.{name}" if path else str(name)
