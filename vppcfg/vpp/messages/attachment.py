"""What others have on interfaces, taken off and put back by the calls that were written when it was read."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.model.attachment import BYTES, INDEX_OF, ApiCall
from vppcfg.plan import operations as op
from vppcfg.plan.request import Indexes, Messages, Request, Value, Vocabulary


def _take_off(operation: op.TakeOff, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _request(operation.attachment.take, operation, indexes)


def _put_back(operation: op.PutBack, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _request(operation.attachment.put, operation, indexes)


def _request(call: ApiCall | None, operation: op.AttachmentOperation, indexes: Indexes) -> Request:
    """Return the message of a call. Raise ValueError when it refers to an interface that is not there."""
    if call is None:
        raise ValueError(f"VPP has no message for {operation.attachment.label} of {operation.subject}")
    elements = [_values(element.split(" "), indexes) for element in call.elements]
    return Request(call.message, _values(call.values, indexes), call.list_name, elements, call.text)


def _values(pairs: Iterable[str], indexes: Indexes) -> dict[str, Value]:
    return {path: _value(text, indexes) for path, _, text in (pair.partition("=") for pair in pairs)}


def _value(text: str, indexes: Indexes) -> Value:
    if text.startswith(INDEX_OF):
        return indexes.interface(text.removeprefix(INDEX_OF))
    return bytes.fromhex(text.removeprefix(BYTES)) if text.startswith(BYTES) else int(text)


MESSAGES: Messages = {op.TakeOff: _take_off, op.PutBack: _put_back}
