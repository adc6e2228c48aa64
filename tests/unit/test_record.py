"""Records are as dataclasses makes frozen classes with slots and keyword-only arguments, in all that can be seen."""

import copy
import importlib
import inspect
import pickle
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any, Generic, TypeVar

import pytest

import vppcfg
from vppcfg.record import _FEW, record

T = TypeVar("T")


def plain(cls: type[T]) -> type[T]:
    return dataclass(frozen=True, slots=True, kw_only=True)(cls)


def point(decorate: Callable[[type[Any]], type[Any]]) -> type[Any]:
    class Point:
        """A point."""

        x: int
        y: int = 2
        tags: dict[str, int] = field(default_factory=dict)
        note: str = field(default="", compare=False)
        hidden: int = field(default=7, repr=False)

        @property
        def sum(self) -> int:
            return self.x + self.y

    return decorate(Point)


Record, Often, Plain = point(record), point(record), point(plain)
for _ in range(_FEW + 1):
    Often(x=1)
both = pytest.mark.parametrize("kind", [Record, Often, Plain], ids=["record", "often", "dataclass"])


@both
def test_what_an_object_has(kind: type[Any]) -> None:
    made = kind(x=1, note="here")
    assert (made.x, made.y, made.tags, made.note, made.hidden, made.sum) == (1, 2, {}, "here", 7, 3)
    assert repr(made).endswith("Point(x=1, y=2, tags={}, note='here')")
    assert [each.name for each in fields(made)] == ["x", "y", "tags", "note", "hidden"]
    assert asdict(made) == {"x": 1, "y": 2, "tags": {}, "note": "here", "hidden": 7}
    assert is_dataclass(kind)
    assert kind.__doc__ == "A point."
    assert not hasattr(made, "__dict__")


@both
def test_a_default_that_can_change_is_made_anew(kind: type[Any]) -> None:
    assert kind(x=1).tags is not kind(x=1).tags


@both
def test_equality_is_by_class_and_compared_fields(kind: type[Any]) -> None:
    assert kind(x=1, note="a") == kind(x=1, note="b")
    assert kind(x=1) != kind(x=2)
    assert kind(x=1) != (1, 2, {}, 7)
    assert kind(x=1) != point(record)(x=1)
    assert kind(x=float("nan")) != kind(x=float("nan"))


@both
def test_nothing_can_be_set_or_deleted(kind: type[Any]) -> None:
    made = kind(x=1)
    with pytest.raises(FrozenInstanceError, match=r"^cannot assign to field 'x'$"):
        made.x = 2
    with pytest.raises(FrozenInstanceError, match=r"^cannot delete field 'x'$"):
        del made.x
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        made.other = 2
    assert made == kind(x=1)


@both
def test_wrong_arguments_are_refused(kind: type[Any]) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match=r"missing 1 required keyword-only argument: 'x'"):
            kind()
        with pytest.raises(TypeError, match=r"unexpected keyword argument 'z'"):
            kind(x=1, z=2)
        with pytest.raises(TypeError, match=r"takes 1 positional argument but 2 were given"):
            kind(1)


@pytest.mark.parametrize("first", ["positional", "missing", "unexpected"])
def test_wrong_arguments_are_refused_for_the_first_object_too(first: str) -> None:
    kind = point(record)
    with pytest.raises(TypeError, match="argument"):
        kind(*([1] if first == "positional" else []), **({"x": 1, "z": 1} if first == "unexpected" else {}))
    assert kind(x=1).x == 1


@pytest.mark.parametrize("is_used", [False, True], ids=["fresh", "used"])
def test_the_signature_is_known_before_the_first_object_is_made(is_used: bool) -> None:
    kind = point(record)
    if is_used:
        kind(x=1)
    shown = [(each.name, each.kind, each.annotation) for each in inspect.signature(kind).parameters.values()]
    assert shown == [(each.name, each.kind, each.annotation) for each in inspect.signature(Plain).parameters.values()]


def test_the_init_is_compiled_for_many_objects_alone() -> None:
    kind = point(record)
    made = [kind(x=number) for number in range(_FEW)]
    first = kind.__init__
    made.append(kind(x=_FEW))
    assert kind.__init__ is not first
    assert made == [kind(x=number) for number in range(_FEW + 1)]


@both
def test_a_copy_is_equal(kind: type[Any]) -> None:
    made = kind(x=1, tags={"a": 1})
    assert replace(made, x=3) == kind(x=3, tags={"a": 1})
    assert copy.copy(made) == made
    assert copy.deepcopy(made).tags is not made.tags


@record
class Kept:
    """One that pickle finds by its name."""

    values: tuple[int, ...]


def test_a_pickled_object_comes_back() -> None:
    kept = Kept(values=(1, 2))
    assert pickle.loads(pickle.dumps(kept)) == kept


def test_equal_objects_have_equal_hashes() -> None:
    assert hash(Kept(values=(1,))) == hash(Kept(values=(1,)))
    assert len({Kept(values=(1,)), Kept(values=(1,)), Kept(values=(2,))}) == 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(Record(x=1))


def test_one_without_fields_is_equal_to_its_like() -> None:
    @record
    class Nothing:
        pass

    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())
    assert re.fullmatch(r".*Nothing\(\)", repr(Nothing()))


def test_what_is_done_after_making_is_done() -> None:
    @record
    class Positive:
        value: int

        def __post_init__(self) -> None:
            if self.value < 0:
                raise ValueError(self.value)

    assert Positive(value=1).value == 1
    with pytest.raises(ValueError, match="-1"):
        Positive(value=-1)


def test_a_generic_one_can_have_a_parameter() -> None:
    @record
    class Box(Generic[T]):
        content: T

    assert Box[int](content=1) == Box(content=1)


def test_a_class_below_has_its_own_fields_and_making() -> None:
    @record
    class Base:
        first: int

    @record
    class Below(Base):
        second: int

    class ChangeResult(Below):
        def __init__(self, number: int) -> None:
            super().__init__(first=number, second=number)

    assert Below(first=1, second=2) != Base(first=1)
    assert Base(first=1).first == 1
    for number in (1, 2):
        assert (ChangeResult(number).first, ChangeResult(number).second) == (number, number)


def records() -> Iterator[type[Any]]:
    """Yield every record of the package."""
    for module in pkgutil.walk_packages(vppcfg.__path__, "vppcfg."):
        if not module.name.endswith("__main__"):
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, type) and is_dataclass(value) and value.__module__ == module.name:
                    yield value


def test_every_record_of_the_package_can_be_made_and_is_frozen() -> None:
    seen = 0
    for kind in records():
        if vars(kind).get("__setattr__") is not vars(Record)["__setattr__"]:
            continue
        seen += 1
        values = {each.name: object() for each in fields(kind)}
        if not hasattr(kind, "__post_init__"):
            made = kind(**values)
            assert {name: getattr(made, name) for name in values} == values
            assert made == kind(**values)
            assert hash(made) == hash(kind(**values))
            for each in fields(kind):
                assert (made == replace(made, **{each.name: object()})) is not each.compare
    assert seen > 200
