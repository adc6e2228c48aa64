"""The interface (protocol) through which kinds of objects read a VPP's state; `vpp/connection` implements it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from vppcfg.errors import DataplaneError
from vppcfg.operations.request import Value
from vppcfg.wire.codec import Message
from vppcfg.wire.survey import Survey

R = TypeVar("R")
Replies = Mapping[int, Sequence[bytes]]
"""Messages by message id, in the order in which they came."""
OTHER_DEFINITIONS = "name the directory with the *.api.json files that came with this very VPP: --vpp-json-dir DIR"


class VppReader(Protocol):
    """A VPP that answers requests; every method raises DataplaneError when it stops to."""

    @property
    def survey(self) -> Survey:
        """Return what may be asked in this reading."""

    def has(self, name: str) -> bool:
        """Return whether this VPP has the message `name`, in the version that its definitions describe."""

    def offers(self, name: str) -> bool:
        """Return whether this VPP has the message `name` in any version: the part of VPP that has it is there."""

    def newest(self, names: Sequence[str]) -> str:
        """Return the first of the messages `names` that this VPP has, or the last when it has none."""

    def has_field(self, message: str, path: str) -> bool:
        """Return whether this VPP's `message` has a value at `path`."""

    def message(self, name: str) -> Message:
        """Return how this VPP lays out the message `name`."""

    def request(
        self,
        name: str,
        values: Mapping[str, Value] | None = None,
        text: str = "",
        elements: Sequence[Mapping[str, Value]] = (),
    ) -> tuple[int, bytes]:
        """Return a new request's context and its framed bytes."""

    def ask(self, requests: Sequence[bytes]) -> Replies:
        """Send all `requests` at once and return all that VPP answers."""

    def rows(self, replies: Replies, name: str, *paths: str) -> list[tuple[Any, ...]]:
        """Return the values at `paths` of every message `name` among `replies`."""

    def lists(
        self, replies: Replies, name: str, heads: Sequence[str], *paths: str
    ) -> list[tuple[tuple[Any, ...], list[tuple[Any, ...]]]]:
        """Return the values at `heads` of every message `name` among `replies`, and its list: the values at `paths`."""

    def texts(self, replies: Replies, name: str) -> list[bytes]:
        """Return the string at the end of every message `name` among `replies`."""

    def pages(self, replies: Replies, name: str, values: Mapping[str, Value], what: str) -> Iterator[Replies]:
        """Yield `replies`, which have the first page of an answer to `name`, and the further ones."""


def malformed(name: str) -> DataplaneError:
    """Return the error for a message that is shorter than its definition, or has a value that no VPP sends."""
    return DataplaneError(
        f"VPP's {name} does not match its definition", "is it the API socket of a VPP? " + OTHER_DEFINITIONS
    )


def text_of(field: bytes) -> str:
    """Return the text of a string field of fixed size, which ends at its first NUL."""
    return field.partition(b"\0")[0].decode(errors="replace")


def tagged_lists(
    connection: VppReader, replies: Replies, details: str, fields: Sequence[str], rule_of: Callable[..., R]
) -> dict[int, tuple[str, tuple[R, ...]]]:
    """Return access lists by VPP's index: the tag, and the rules that `rule_of` makes of their `fields`.

    Raise DataplaneError for a rule with a value that no VPP sends.
    """
    try:
        return {
            index: (text_of(tag), tuple(rule_of(*values) for values in rules))
            for (index, tag), rules in connection.lists(replies, details, ("acl_index", "tag"), *fields)
        }
    except ValueError as error:  # a rule with a prefix that cannot be
        raise malformed(details) from error
