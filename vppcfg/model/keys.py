"""Keys of the file, declared once, at the attribute of the model that each sets.

    mtu: int = yaml_key(whole(64, 9000), default=1500, path="mtu", text="largest packet in bytes")

From a declaration follow the key's line in schema/vppcfg.yaml, how an entry is parsed and written, which observed
values no file can set, which field of a message carries the value, and whether a change recreates the object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, field, fields
from enum import Enum
from typing import Any, Generic, TypeVar, dataclass_transform

from vppcfg.common.release import Release
from vppcfg.record import record

T = TypeVar("T")
E = TypeVar("E", bound=Enum)
_KEY = "key"


def _unchanged(value: Any) -> Any:
    return value


def _never(value: Any) -> str | None:
    return None


@record
class Shape(Generic[T]):
    """The values that a key takes: in the file, in its schema, in the model and in a message."""

    schema: str
    """The word of schema/vppcfg.yaml with its arguments, such as `int(min=1, max=9)`."""
    placeholders: tuple[Any, Any]
    """Two values of the file, to check the rest of an entry while the value is of a wrong form."""
    parse: Callable[[Any], T] = _unchanged
    """From a value of the file that the schema accepts."""
    as_yaml: Callable[[T], Any] = _unchanged
    encode: Callable[[T], Any] = _unchanged
    """To the value of a field of a message."""
    decode: Callable[[Any], T] = _unchanged
    """From the value of a field. Raise ValueError for a value that no release of VPP has."""
    why_unsupported: Callable[[T], str | None] = _never
    """Return how an observed value leaves the values of the file, as `LABEL ...`; None where it does not."""


@record
class YamlKey:
    """One key: where it stands, what it takes, and what follows from a change."""

    name: str
    """In the file."""
    attribute: str
    """Of the record."""
    shape: Shape[Any]
    default: Any
    """MISSING of a key that every entry needs."""
    text: str
    """What it means, in one sentence without a full stop, for the tables of the documents."""
    label: str = ""
    """What a message calls the value; the name of the key where it is empty."""
    path: str = ""
    """Of its field in messages; '' for a key that the kind itself writes and reads."""
    is_updated: bool = False
    """Whether VPP changes the value in place; otherwise another value takes a new object."""
    must_agree: bool = False
    """Whether the other end of a tunnel needs the same value."""
    is_written: Callable[[Any], bool] | None = None
    """Whether a dump of this record writes the key; None writes every value but the default."""
    is_default_shown: bool = True
    """Whether the difference of a new object shows the key at its default: it means something, and not nothing."""
    since: Release | None = None
    """The first release that takes another value than the default."""
    capability: str = ""
    """The part of VPP whose presence shows this, among those of its facts."""
    needs: str = ""
    """What an object with another value than the default has, as `NAME has ...`."""

    @property
    def is_required(self) -> bool:
        """Return whether every entry has the key."""
        return self.default is MISSING

    def is_set(self, holder: object) -> bool:
        """Return whether a record has another value than the default."""
        return self.is_required or getattr(holder, self.attribute) != self.default

    def agreed_value(self, holder: object) -> object:
        """Return the value in a file that another end must have too; None for a default that means none."""
        is_some = self.is_default_shown or self.is_set(holder)
        return self.shape.as_yaml(getattr(holder, self.attribute)) if is_some else None

    def writes(self, holder: object) -> bool:
        """Return whether a dump of a record writes the key."""
        return self.is_set(holder) if self.is_written is None else self.is_written(holder)


def yaml_key(
    shape: Shape[T],
    *,
    text: str,
    default: T | Any = MISSING,
    name: str = "",
    label: str = "",
    path: str = "",
    is_updated: bool = False,
    must_agree: bool = False,
    is_written: Callable[[Any], bool] | None = None,
    is_default_shown: bool = True,
    since: Release | None = None,
    capability: str = "",
    needs: str = "",
) -> T:
    """Declare the key that sets an attribute of a record; the parameters are those of `YamlKey`."""
    settings = {
        "shape": shape,
        "name": name,
        "text": text,
        "label": label,
        "path": path,
        "is_updated": is_updated,
        "must_agree": must_agree,
        "is_written": is_written,
        "is_default_shown": is_default_shown,
        "since": since,
        "capability": capability,
        "needs": needs,
    }
    declared: T = field(default=default, metadata={_KEY: settings})
    return declared


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field, yaml_key))
def keyed_record(cls: type[T]) -> type[T]:
    """Return a record that declares keys; a checker of types knows those without a default, which an object needs."""
    return record(cls)


_declared: dict[Any, tuple[YamlKey, ...]] = {}
"""The keys of each class that was asked for."""


def keys_of(kind: type[Any]) -> tuple[YamlKey, ...]:
    """Return the keys that a record declares, in the order of its attributes."""
    if kind not in _declared:
        _declared[kind] = tuple(_declarations(kind))
    return _declared[kind]


def _declarations(kind: type[Any]) -> Iterator[YamlKey]:
    for each in fields(kind):
        if (settings := each.metadata.get(_KEY)) is not None:
            name = settings["name"] or each.name.replace("_", "-")
            yield YamlKey(**{**settings, "name": name}, attribute=each.name, default=each.default)


# Shapes


def choice(options: type[E], *, numbers: Mapping[E, int] | None = None) -> Shape[E]:
    """Return the shape of one of several words, the values of an Enum; messages have their numbers."""
    words = [str(option.value) for option in options]
    number_of = dict(numbers) if numbers is not None else {option: number for number, option in enumerate(options)}
    option_of = {number: option for option, number in number_of.items()}

    def decode(number: int) -> E:
        if number not in option_of:
            raise ValueError(f"{number} is none of {options.__name__}")
        return option_of[number]

    return Shape(
        schema=f"enum({', '.join(repr(word) for word in words)})",
        placeholders=(words[0], words[-1]),
        parse=options,
        as_yaml=lambda option: option.value,
        encode=number_of.__getitem__,
        decode=decode,
    )


def whole(
    least: int, most: int, *, placeholders: tuple[int, int] | None = None, unset: int | None = None
) -> Shape[int]:
    """Return the shape of a whole number; `unset` is VPP's number for none, which no file needs to give."""

    def why_unsupported(value: int) -> str | None:
        if value == unset or least <= value <= most:
            return None
        return (
            f"{value} is above {most}"
            if value > most and least in (0, 1)
            else f"{value} is outside of {least} to {most}"
        )

    return Shape(
        schema=f"int(min={least}, max={most})",
        placeholders=placeholders or (least, least + 1),
        why_unsupported=why_unsupported,
    )


def flag() -> Shape[bool]:
    """Return the shape of true and false."""
    return Shape(schema="bool()", placeholders=(True, False), encode=int, decode=bool)


def text_of(word: str, placeholders: tuple[str, str], *, accepts: Callable[[str], bool]) -> Shape[str]:
    """Return the shape of a text that a word of entries/words.py describes and `accepts` checks."""
    return Shape(
        schema=f"{word}()",
        placeholders=placeholders,
        why_unsupported=lambda value: None if accepts(value) else f"{value!r} cannot stand in a configuration",
    )


def file_path(*placeholders: str) -> Shape[str]:
    """Return the shape of the path of a file."""
    first, second = placeholders
    return Shape(schema="file_path()", placeholders=(first, second))


def any_number_of(words: Sequence[str]) -> Shape[int]:
    """Return the shape of a list of words, a bit each, from the lowest."""
    return Shape(
        schema=f"list(enum({', '.join(repr(word) for word in words)}))",
        placeholders=([], [words[0]]),
        parse=lambda given: sum(1 << words.index(word) for word in frozenset(given)),
        as_yaml=lambda bits: list(words_of(bits, words)),
    )


def words_of(bits: int, words: Iterable[str]) -> tuple[str, ...]:
    """Return the words of the bits that are set, from the lowest."""
    return tuple(word for bit, word in enumerate(words) if bits & 1 << bit)
