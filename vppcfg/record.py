"""`@record`: frozen data classes with slots and keyword-only arguments, which cost little to define.

They are those of `dataclasses`, and its `fields`, `replace` and `asdict` take them. But dataclasses looks at each field
and compiles six methods of each class when it is defined, which is half of the time that a small plan takes. Here the
classes share theirs; dataclasses looks at a class when its first object is made, compared or described, and compiles
its `__init__` once there are many of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from functools import cache, partial
from itertools import repeat
from operator import attrgetter
from typing import Any, NoReturn, TypeVar, cast, dataclass_transform

T = TypeVar("T")
_WIDE = 10
"""Fields from which on it pays to fill an object before it is frozen: that takes two calls more."""
_FEW = 50
"""Objects of a class that take less time to fill than `__init__` takes to compile."""


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Return the class as a frozen data class: equal to another of its class by its fields, and hashed by them."""
    names = [name for name, annotation in cls.__annotations__.items() if not _is_of_class(annotation)]
    inherited = {name for base in cls.__mro__[1:] for name in vars(base).get("__slots__", ())}
    left_out = {*names, "__dict__", "__weakref__"}
    namespace = {name: value for name, value in vars(cls).items() if name not in left_out}
    namespace |= _SHARED | {name: _WhenUsed(make) for name, make in _OWN.items()}
    namespace |= {name: _WhenUsed(partial(_described, name, cls)) for name in _DESCRIPTION}
    namespace["__slots__"] = tuple(name for name in names if name not in inherited)
    metaclass: Any = type(cls)
    record_class = metaclass(cls.__name__, cls.__bases__, namespace)
    record_class.__qualname__ = cls.__qualname__
    if is_wide(record_class):
        record_class.__new__ = _new
    return record_class  # type: ignore[no-any-return]


def _is_of_class(annotation: object) -> bool:
    return str(annotation).removeprefix("typing.").startswith("ClassVar")


class _WhenUsed:
    """An attribute of a record that is made from its class when it is first asked for."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self._make = make

    def __set_name__(self, record_class: Any, name: str) -> None:
        self._record_class, self._name = record_class, name

    def __get__(self, instance: object, owner: Any) -> Any:
        made = self._make(self._record_class)
        setattr(self._record_class, self._name, made)
        bind = getattr(type(made), "__get__", None)
        return bind(made, instance, owner) if bind else made


def _described(name: str, plain: type[Any], record_class: Any) -> Any:
    """Return what dataclasses keeps of the class that the record was made from."""
    if name not in vars(plain):
        dataclass(init=False, repr=False, eq=False, kw_only=True)(plain)
    return vars(plain)[name]


def _eq_of(record_class: type[Any]) -> Callable[[Any, object], bool]:
    values = _values_of(record_class)

    def __eq__(self: Any, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return other is self or bool(values(self) == values(other))

    return __eq__


def _hash_of(record_class: type[Any]) -> Callable[[Any], int]:
    values = _values_of(record_class)
    return lambda self: hash(values(self))


def _values_of(record_class: type[Any]) -> Callable[[Any], Any]:
    """Return what gets from an object whatever makes it equal to another."""
    names = [each.name for each in fields(record_class) if each.compare]
    return attrgetter(*names) if names else lambda self: ()


class _Signature:
    """The signature of a record for inspect, whether an object of it was made already or not."""

    def __get__(self, instance: object, record_class: Any) -> Any:
        from inspect import signature

        of_init = signature(_compiled_init_of(record_class))
        return of_init.replace(parameters=list(of_init.parameters.values())[1:], return_annotation=record_class)


def is_wide(record_class: Any) -> bool:
    """Return whether a class has so many fields that its objects are filled before they are frozen."""
    return sum(len(vars(base).get("__slots__", ())) for base in record_class.__mro__) >= _WIDE


def _init_of(record_class: Any) -> Callable[..., None]:
    """Return an `__init__` that fills the first objects of a class, and then gives way to the compiled one."""
    known = {each.name: each for each in fields(record_class)}
    needed = {each.name for each in known.values() if each.default is each.default_factory is MISSING}
    after = [_freeze] if is_wide(record_class) else []
    after += [record_class.__post_init__] if hasattr(record_class, "__post_init__") else []
    left = _FEW

    def __init__(self: Any, /, *arguments: Any, **named: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0 or arguments or not needed <= named.keys() <= known.keys():
            record_class.__init__ = _compiled_init_of(record_class)
            record_class.__init__(self, *arguments, **named)
            return
        for name, each in known.items():
            make: Any = each.default_factory
            value = named[name] if name in named else each.default if make is MISSING else make()
            object.__setattr__(self, name, value)
        for act in after:
            act(self)

    return __init__


def _compiled_init_of(record_class: Any) -> Callable[..., None]:
    """Return the `__init__` that dataclasses gives a class with the same fields, quicker to compile and to run.

    That of a frozen class of dataclasses calls `object.__setattr__` for each field. This one calls the slots
    themselves, and that of a wide class assigns, which is quicker still.
    """
    known = {each.name: each for each in fields(record_class)}
    defaults = {name: each.default if each.default_factory is MISSING else _TO_MAKE for name, each in known.items()}
    makers = {f"make_{name}": each.default_factory for name, each in known.items() if defaults[name] is _TO_MAKE}
    is_frozen = not is_wide(record_class)
    lines = ["def __init__(self, *, " + ", ".join(known) + "):" if known else "def __init__(self):"]
    lines += (f" if {name} is to_make: {name} = make_{name}()" for name, value in defaults.items() if value is _TO_MAKE)
    lines += (f" set_{name}(self, {name})" if is_frozen else f" self.{name} = {name}" for name in known)
    lines += [] if is_frozen else [" freeze(self)"]
    lines += [" self.__post_init__()"] if hasattr(record_class, "__post_init__") else [" pass"]
    setters = {f"set_{name}": getattr(record_class, name).__set__ for name in known} if is_frozen else {}
    namespace: dict[str, Any] = {**makers, **setters, "to_make": _TO_MAKE, "freeze": _freeze}
    exec("\n".join(lines), namespace)
    init = namespace["__init__"]
    init.__kwdefaults__ = {name: value for name, value in defaults.items() if value is not MISSING}
    init.__annotations__ = {name: each.type for name, each in known.items()} | {"return": None}
    init.__qualname__ = f"{record_class.__qualname__}.__init__"
    return init  # type: ignore[no-any-return]


_TO_MAKE: Any = object()
"""The default of a field whose value is made for each object."""


def _new(kind: Any, /, *arguments: Any, **named: Any) -> Any:
    """Return an object of which the fields can be set, until it is frozen."""
    return object.__new__(_unfrozen(kind))


@cache
def _unfrozen(kind: Any) -> type[Any]:
    """Return the class with the same slots whose objects can be changed."""
    own = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    return type(kind.__name__, (kind,), {"__slots__": (), "__module__": kind.__module__, **own})


def _freeze(self: Any) -> None:
    """Give an object with all of its fields the class of records that it is for."""
    self.__class__ = self.__class__.__base__


def evolve(wide_record: T, **changes: Any) -> T:
    """Return a copy of a wide record with some fields changed: `dataclasses.replace`, in a fraction of its time."""
    kind: Any = wide_record.__class__
    copy = object.__new__(_unfrozen(kind))
    _copier_of(kind)(wide_record, copy)
    deque(map(setattr, repeat(copy), changes, changes.values()), maxlen=0)  # a loop that stays in C
    _freeze(copy)
    if hasattr(copy, "__post_init__"):
        copy.__post_init__()
    return cast(T, copy)


@cache
def _copier_of(kind: Any) -> Callable[[Any, Any], None]:
    """Return what gives an object the fields of another, in a function of its own: a loop takes five times as long."""
    lines = (f" copy.{each.name} = original.{each.name}" for each in fields(kind))
    namespace: dict[str, Any] = {}
    exec("\n".join(("def fill(original, copy):", *lines)), namespace)
    fill: Callable[[Any, Any], None] = namespace["fill"]
    return fill


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
    if is_wide(type(self)):
        self.__class__ = self.__class__.__base__


_SHARED: dict[str, Any] = {
    "__signature__": _Signature(),
    "__repr__": _repr,
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
    "__getstate__": _state,
    "__setstate__": _set_state,
}
_OWN: dict[str, Callable[[Any], Any]] = {"__init__": _init_of, "__eq__": _eq_of, "__hash__": _hash_of}
_DESCRIPTION = ("__dataclass_fields__", "__dataclass_params__")
"""What functions of dataclasses ask a class for."""
