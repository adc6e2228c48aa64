"""`@record`: frozen data classes with slots and keyword-only arguments, which cost little to define.

They are those of `dataclasses`, and its `fields`, `replace` and `asdict` take them. But dataclasses compiles six
methods of each class when it is defined, which is half of the time that a small plan takes. Here the classes share
theirs, and `__init__` is compiled, by dataclasses as always, when the first object of its class is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, make_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, cast, dataclass_transform

T = TypeVar("T")
_WIDE = 10
"""Fields from which on it pays to fill an object before it is frozen: that takes two calls more."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Return the class as a frozen data class: equal to another of its class by its fields, and hashed by them."""
    record_class: Any = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=True)(cls)
    values = _values_of(record_class)
    if is_wide(record_class):
        record_class.__new__ = _new
    record_class.__init__ = _init_when_used(record_class)
    record_class.__signature__ = _Signature()
    record_class.__eq__ = _eq_by(values)
    record_class.__hash__ = lambda self: hash(values(self))
    record_class.__repr__ = _repr
    record_class.__setattr__, record_class.__delattr__ = _refuse_to_set, _refuse_to_delete
    record_class.__getstate__, record_class.__setstate__ = _state, _set_state
    return record_class  # type: ignore[no-any-return]


def _values_of(record_class: type[Any]) -> Callable[[Any], Any]:
    """Return what gets from an object whatever makes it equal to another."""
    names = [each.name for each in fields(record_class) if each.compare]
    return attrgetter(*names) if names else lambda self: ()


def _eq_by(values: Callable[[Any], Any]) -> Callable[[Any, object], bool]:
    def __eq__(self: Any, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return other is self or bool(values(self) == values(other))

    return __eq__


def _init_when_used(record_class: Any) -> Callable[..., None]:
    """Return an `__init__` that puts the real one in its place."""

    def __init__(self: Any, /, *arguments: Any, **named: Any) -> None:
        record_class.__init__ = _init_of(record_class)
        record_class.__init__(self, *arguments, **named)

    return __init__


class _Signature:
    """The signature of a record for inspect, whether an object of it was made already or not."""

    def __get__(self, instance: object, record_class: Any) -> Any:
        from inspect import signature

        of_init = signature(_init_of(record_class))
        return of_init.replace(parameters=list(of_init.parameters.values())[1:], return_annotation=record_class)


def is_wide(record_class: Any) -> bool:
    """Return whether a class has so many fields that its objects are filled before they are frozen."""
    return len(fields(record_class)) >= _WIDE


def _init_of(record_class: Any) -> Callable[..., None]:
    """Return the `__init__` that dataclasses gives a class with the same fields, frozen unless it is wide.

    That of a frozen one calls `object.__setattr__` for each field, which takes five times as long as an assignment.
    """
    arguments = [
        (each.name, each.type, field(default=each.default, default_factory=each.default_factory))
        for each in fields(record_class)
    ]
    is_frozen = not is_wide(record_class)
    own = getattr(record_class, "__post_init__", None) if is_frozen else _freeze
    # With a text of its own, dataclasses makes none of the signature, which takes a third of the time.
    after: dict[str, Any] = {"__doc__": record_class.__doc__ or record_class.__qualname__}
    if own is not None:
        after["__post_init__"] = own
    like: Any = make_dataclass(
        record_class.__qualname__, arguments, namespace=after, repr=False, eq=False, frozen=is_frozen, kw_only=True
    )
    init: Callable[..., None] = like.__init__
    return init


def _new(kind: Any, /, *arguments: Any, **named: Any) -> Any:
    """Return an object of which the fields can be set, until it is frozen."""
    return object.__new__(_unfrozen(kind))


@cache
def _unfrozen(kind: Any) -> type[Any]:
    """Return the class with the same slots whose objects can be changed."""
    freeze = _freeze_and_check if hasattr(kind, "__post_init__") else _freeze
    own = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__, "__post_init__": freeze}
    return type(kind.__name__, (kind,), {"__slots__": (), "__module__": kind.__module__, **own})


def _freeze(self: Any) -> None:
    """Give an object with all of its fields the class of records that it is for."""
    self.__class__ = self.__class__.__base__


def _freeze_and_check(self: Any) -> None:
    _freeze(self)
    self.__post_init__()


def evolve(record_class: T, **changes: Any) -> T:
    """Return a copy of a wide record with some fields changed: `dataclasses.replace`, at a third of its time."""
    kind: type[T] = record_class.__class__
    names, values = _fields_of(cast(Any, kind))
    return kind(**{**dict(zip(names, values(record_class), strict=True)), **changes})


@cache
def _fields_of(kind: Any) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """Return the names of the fields, and what gets all of their values."""
    names = tuple(each.name for each in fields(kind))
    return names, attrgetter(*names)


def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse_to_set(self: object, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    """Fill an object that was made without arguments, for a copy or from a pickle."""
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
    if is_wide(self):
        self.__class__ = self.__class__.__base__
