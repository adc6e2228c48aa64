"""`@record`: frozen data classes with slots and keyword-only arguments, which cost little to define.

They are those of `dataclasses`, and its `fields`, `replace` and `asdict` take them. But dataclasses compiles six
methods of each class when it is defined, which is half of the time that a small plan takes. Here the classes share
theirs, and `__init__` is compiled when the first object of its class is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, cast, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Return the class as a frozen data class: equal to another of its class by its fields, and hashed by them."""
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=True)(cls)
    values = _values_of(made)
    made.__init__ = _init_when_used(made)
    made.__signature__ = _Signature()
    made.__eq__ = _eq_by(values)
    made.__hash__ = lambda self: hash(values(self))
    made.__repr__ = _repr
    made.__setattr__, made.__delattr__ = _refuse_to_set, _refuse_to_delete
    made.__getstate__, made.__setstate__ = _state, _set_state
    return made  # type: ignore[no-any-return]


def _values_of(made: type[Any]) -> Callable[[Any], Any]:
    """Return what gets from an object whatever makes it equal to another."""
    names = [each.name for each in fields(made) if each.compare]
    return attrgetter(*names) if names else lambda self: ()


def _eq_by(values: Callable[[Any], Any]) -> Callable[[Any, object], bool]:
    def __eq__(self: Any, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return other is self or bool(values(self) == values(other))

    return __eq__


def _init_when_used(made: Any) -> Callable[..., None]:
    """Return an `__init__` that puts the real one in its place."""

    def __init__(self: Any, /, *arguments: Any, **named: Any) -> None:
        made.__init__ = _init_of(made)
        made.__init__(self, *arguments, **named)

    return __init__


class _Signature:
    """What inspect.signature says of a record, whether an object of it was made already or not."""

    def __get__(self, instance: object, made: Any) -> Any:
        from inspect import signature

        of_init = signature(_init_of(made))
        return of_init.replace(parameters=list(of_init.parameters.values())[1:], return_annotation=made)


def _init_of(made: Any) -> Callable[..., None]:
    """Return the `__init__` that dataclasses would give the class, at a fifth of its time.

    A frozen data class calls `object.__setattr__` for each field. Here an object is of the unfrozen class until it has
    all of its fields, so that each takes a plain assignment.
    """
    every = fields(made)
    names: dict[str, Any] = {
        "_set_class": _SET_CLASS,
        "_unfrozen": _unfrozen,
        "_absent": MISSING,
        **{f"_default_{each.name}": each.default for each in every if each.default is not MISSING},
        **{f"_new_{each.name}": each.default_factory for each in every if each.default_factory is not MISSING},
    }
    lines = [
        f"def __init__({', '.join(['self', *(['*'] if every else []), *map(_parameter, every)])}):",
        "    _kind = self.__class__",
        "    _set_class(self, _unfrozen(_kind))",
        *(f"    self.{each.name} = {_value(each)}" for each in every),
        "    self.__class__ = _kind",
        *(["    self.__post_init__()"] if hasattr(made, "__post_init__") else []),
    ]
    exec("\n".join(lines), names)
    init: Callable[..., None] = names["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    init.__annotations__ = {each.name: each.type for each in every}
    return init


def _parameter(each: Field[Any]) -> str:
    if each.default_factory is not MISSING:
        return f"{each.name}=_absent"
    return each.name if each.default is MISSING else f"{each.name}=_default_{each.name}"


def _value(each: Field[Any]) -> str:
    if each.default_factory is MISSING:
        return each.name
    return f"_new_{each.name}() if {each.name} is _absent else {each.name}"


_SET_CLASS = vars(object)["__class__"].__set__


def evolve(made: T, **changes: Any) -> T:
    """Return a copy of a record with some fields changed: `dataclasses.replace`, at a fifth of its time.

    What `__post_init__` derives or checks stays as it was.
    """
    kind: Any = made.__class__
    copy: Any = _copier(kind)(made)
    for name, value in changes.items():
        setattr(copy, name, value)
    copy.__class__ = kind
    return cast(T, copy)


@cache
def _copier(kind: Any) -> Callable[[Any], Any]:
    """Return what makes a copy that is not frozen yet."""
    names: dict[str, Any] = {"_new": object.__new__, "_unfrozen": _unfrozen(kind)}
    assignments = [f"    copy.{each.name} = made.{each.name}" for each in fields(kind)]
    lines = ["def copier(made):", "    copy = _new(_unfrozen)", *assignments, "    return copy"]
    exec("\n".join(lines), names)
    copier: Callable[[Any], Any] = names["copier"]
    return copier


@cache
def _unfrozen(kind: Any) -> type[Any]:
    """Return a class with the same slots whose objects can be changed; one becomes a record when it gets that class."""
    changeable = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    return type(kind.__name__, (kind,), {"__slots__": (), "__module__": kind.__module__, **changeable})


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
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
