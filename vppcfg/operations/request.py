"""The API message of an operation, as plain values by name, and what must be known of a VPP to write one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

Value = int | bytes | str
"""Of a field of a message."""
ALL_INDEXES = 0xFFFFFFFF
"""In a request for details: of every interface, bridge or access list."""
NO_INDEX = 0xFFFFFFFF
"""In any other place: of none."""
NO_MAC = "00:00:00:00:00:00"


class Request(NamedTuple):
    """An API message: its name, its values by path, and the list that ends it, where it has one."""

    message: str
    values: Mapping[str, Value]
    list_name: str = ""
    elements: Sequence[Mapping[str, Value]] = ()
    text: str = ""
    """What ends it instead, where that is a text."""
    text_name: str = "cmd"
    """What the text is called."""


class Known(NamedTuple):
    """What is known of all interfaces, by their index, when their features are read."""

    names: Mapping[int, str]
    tables: Mapping[int, tuple[int, int]]
    """The FIB tables of IPv4 and IPv6."""
    shown: Mapping[str, tuple[int, str]] = {}
    """What commands printed that a kind of object asked for, with VPP's return code."""


class Indexes(Protocol):
    """How VPP numbers what operations name; what the methods raise goes through."""

    def interface(self, name: str) -> Value:
        """Return the sw_if_index of an interface."""

    def mac(self, name: str) -> str:
        """Return the MAC address that an interface, or its port, had before the operations, colon-separated."""

    def number(self, noun: str, name: str) -> Value:
        """Return the number of an object that VPP numbers, by what its kind is called: `Operation.numbered`."""

    def peer(self, public_key: str) -> Value:
        """Return the number of a peer of a tunnel."""

    def source(self, name: str) -> Value:
        """Return the number of the FIB source of that name."""


class Vocabulary(Protocol):
    """What must be known of a VPP's messages, and of what is not in plans, to write one."""

    def secret(self, name: str) -> Value:
        """Return a secret by its name. Raise DataplaneError when it was not given."""

    def newest(self, names: Sequence[str]) -> str:
        """Return the first of the messages `names` that VPP has, or the last when it has none."""

    def has_field(self, message: str, path: str) -> bool:
        """Return whether VPP's `message` has a value at `path`."""
