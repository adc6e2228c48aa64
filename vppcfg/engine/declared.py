"""What follows from the keys that a record declares (`model/keys`): parsing, dumping, lines of the schema, messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vppcfg.entries.yaml.text import KeyValue
from vppcfg.model.keys import YamlKey, keys_of
from vppcfg.operations.request import Value

DESCRIPTION = """description: str(exclude='"\\'', required=False)"""
"""The line of schema/vppcfg.yaml for what every entry may have."""


def parsed(kind: type[Any], raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes that an entry of the right shape sets; those that it leaves out keep their default."""
    return {key.attribute: key.shape.parse(given) for key in keys_of(kind) if (given := raw.get(key.name)) is not None}


def yaml_keys(holder: object) -> Iterator[KeyValue]:
    """Yield the keys of an entry that a record stands for; those at their default are marked as such."""
    for key in keys_of(type(holder)):
        is_written = key.writes(holder)
        if is_written or key.is_default_shown:
            value = key.shape.as_yaml(getattr(holder, key.attribute))
            yield KeyValue(key.name, value, is_default=not is_written)


def unsupported_value(holder: object) -> str | None:
    """Return why no entry can set the values of an observed record, as `its LABEL VALUE is ...`; None when one can."""
    for key in keys_of(type(holder)):
        reason = key.shape.why_unsupported(getattr(holder, key.attribute))
        if reason is not None:
            return f"its {key.label or key.name} {reason}"
    return None


def placeholders(kind: type[Any]) -> dict[str, tuple[Any, Any]]:
    """Return two values of each key, with which the rest of an entry is checked while one is of a wrong form."""
    return {key.name: key.shape.placeholders for key in keys_of(kind)}


def schema_lines(kind: type[Any]) -> Iterator[str]:
    """Yield the lines of schema/vppcfg.yaml for the keys of a record."""
    for key in keys_of(kind):
        yield f"{key.name}: {required_or_not(key.shape.schema, is_required=key.is_required)}"


def required_or_not(word: str, *, is_required: bool) -> str:
    """Return a word of the schema, marked where an entry can do without the key."""
    if is_required:
        return word
    return f"{word[:-1]}required=False)" if word.endswith("()") else f"{word[:-1]}, required=False)"


def message_values(holder: object, *, only_set: Sequence[str] = ()) -> dict[str, Value]:
    """Return the values of a message by path; those of `only_set` attributes where they differ from the default."""
    return {
        key.path: key.shape.encode(getattr(holder, key.attribute))
        for key in keys_of(type(holder))
        if key.path and (key.attribute not in only_set or key.is_set(holder))
    }


def read_back(keys: Sequence[YamlKey], values: Sequence[Any]) -> dict[str, Any]:
    """Return the attributes that the values of a message at the paths of `keys` stand for.

    Raise ValueError for a value that no release of VPP has.
    """
    return {key.attribute: key.shape.decode(value) for key, value in zip(keys, values, strict=True)}
