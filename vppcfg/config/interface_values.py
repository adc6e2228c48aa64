"""The keys of an interface whose value VPP gets as the file says it: a field and a row for each.

A row is all that parsing, resolving, restating and writing need. A key that depends on something else, such as `mtu`
or `lcp`, has functions of its own in `sections/`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import Enum
from operator import attrgetter
from typing import Any, NamedTuple

from vppcfg.config.yaml.text import scalar
from vppcfg.model.interface import Interface
from vppcfg.record import record


@record
class InterfaceValues:
    """The plain values of an interface; `Interface` has attributes of the same names."""

    unnumbered: str | None = None
    l2xc: str | None = None
    has_mpls: bool = False
    has_sflow: bool = False


class Value(NamedTuple):
    """One key with a plain value."""

    key: str
    """In the file."""
    attribute: str
    """Of InterfaceValues and of Interface."""
    kind: type[Any]
    """str, int, bool, or an Enum whose values are those of the file."""
    plugin: str | None = None
    """The plugin of VPP without which the value stays as by default."""

    def text(self, value: Any) -> str:
        """Return a value as YAML."""
        if isinstance(value, str):
            return scalar(value)
        return str(value).lower() if isinstance(value, bool) else str(value.value if isinstance(value, Enum) else value)


VALUES = (
    Value(key="unnumbered", attribute="unnumbered", kind=str),
    Value(key="l2xc", attribute="l2xc", kind=str),
    Value(key="mpls", attribute="has_mpls", kind=bool),
    Value(key="sflow", attribute="has_sflow", kind=bool, plugin="sflow"),
)
"""In the order in which they are written."""

WITH_PLUGIN = tuple((value, value.plugin) for value in VALUES if value.plugin is not None)
KEYS = frozenset(value.key for value in VALUES)
_ATTRIBUTES = tuple(value.attribute for value in VALUES)
_GET_ALL = attrgetter(*_ATTRIBUTES)
_DEFAULT_OF = {field.name: field.default for field in fields(InterfaceValues)}
DEFAULTS: Mapping[str, Any] = {attribute: _DEFAULT_OF[attribute] for attribute in _ATTRIBUTES}
"""By attribute."""


def parsed(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return by attribute the values that an entry of the right shape has."""
    return {value.attribute: value.kind(given) for value in VALUES if (given := raw.get(value.key)) is not None}


def values_of(holder: InterfaceValues | Interface) -> dict[str, Any]:
    """Return all values of an interface by attribute, as configured or as observed."""
    return dict(zip(_ATTRIBUTES, _GET_ALL(holder), strict=True))


def lines(holder: InterfaceValues) -> Iterator[str]:
    """Yield the lines of the values that are not as by default."""
    for value, given, default in zip(VALUES, _GET_ALL(holder), DEFAULTS.values(), strict=True):
        if given != default:
            yield f"{value.key}: {value.text(given)}"
