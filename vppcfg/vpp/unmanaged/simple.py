"""Makes readers of others' objects that one dump reports whole, and one message adds and removes by the same values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from vppcfg.model.attachment import Attachment, Layer, index_placeholder, stored_call
from vppcfg.model.state import State
from vppcfg.operations.request import Value
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.wire.reading import Replies

Fields = Mapping[str, Any]
INDEX = "sw_if_index"


class DescribedObject(NamedTuple):
    """What an attachment is called, and the line for VPP's CLI that brings it back."""

    kind: str
    name: str
    """'' for the only one of its kind on an interface."""
    line: str


def simple_reader(
    dump: str,
    details: str,
    paths: tuple[str, ...],
    change: tuple[str, str],
    describe: Callable[[Fields, str], DescribedObject],
    *,
    prefix: str = "",
    asked: Mapping[str, Value] | None = None,
    outlives: bool = True,
    removal: str = "",
    layer: Layer = Layer.ROUTED,
    is_managed: Callable[[Fields, str, State], bool] | None = None,
) -> Reader:
    """Return the reader of such objects.

    `paths` are the values of `details` behind `prefix`, the interface's index among them; `change` is the message that
    takes the same values, and its field that is 1 to add and 0 to remove; `describe` gets the values and the name of
    the interface; with `removal` behind it, its line removes one. `is_managed` distinguishes those that the observed
    state has.
    """

    def requests(connection: Connection, scope: ReadScope) -> list[bytes]:
        return [connection.request(dump, asked or {})[1]]

    def read(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
        for row in connection.rows(replies, details, *(prefix + path for path in paths)):
            fields = dict(zip(paths, row, strict=True))
            holder = scope.name(fields[INDEX])
            if not holder:
                continue
            if is_managed is not None and is_managed(fields, holder, scope.state):
                continue
            message, switch = change
            values = {prefix + path: value for path, value in fields.items()} | {
                prefix + INDEX: index_placeholder(holder)
            }
            described = describe(fields, holder)
            yield Attachment(
                holder=holder,
                kind=described.kind,
                name=described.name,
                layer=layer,
                put=stored_call(message, {switch: 1, **values}),
                take=stored_call(message, {switch: 0, **values}),
                outlives=outlives,
                lines=(described.line,),
                removal=f"{described.line} {removal}" if removal else "",
            )

    return Reader((dump, change[0]), requests, read)
