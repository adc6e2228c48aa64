"""Operations as API calls to read: an operation in, the message and its values by name out. Nothing is sent."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_address

from vppcfg.plan.operations import Operation
from vppcfg.vpp.codec import Value
from vppcfg.vpp.encode import encode


class _Newest:
    """The messages of the newest release that we know."""

    def newest(self, names: Sequence[str]) -> str:
        return names[0]

    def has_field(self, message: str, path: str) -> bool:
        return True


def api_call(operation: Operation) -> tuple[str, dict[str, int | str]]:
    """Return the message of an operation and its values by path: interfaces by name, addresses as text."""
    request = encode(operation, str, _Newest())
    return request.message, {path: _readable(value) for path, value in request.values.items()}


def _readable(value: Value) -> int | str:
    return str(ip_address(value)) if isinstance(value, bytes) else value
