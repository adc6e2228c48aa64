"""API messages as people and programs read them: with names in place of indexes, and text in place of bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from typing import Any

from vppcfg.kinds.lcp.operations import HOST
from vppcfg.model.secret_key import KEY_BYTES, key_text
from vppcfg.operations.operation import Operation
from vppcfg.operations.request import NO_MAC, Value

_MAC_BYTES = 6
_ADDRESS_BYTES = (4, 16)


class _Names:
    """Names in the place of indexes."""

    def interface(self, name: str) -> Value:
        """Return the name."""
        return name

    def mac(self, name: str) -> str:
        """Return no MAC address: that of the interface is known when the message is sent."""
        return NO_MAC

    def number(self, noun: str, name: str) -> Value:
        """Return the name; of VPP's side of a Linux device, which has none of its own, `LCP host of` its interface."""
        return f"{noun} {name}" if noun == HOST else name

    def peer(self, public_key: str) -> Value:
        """Return the public key of a peer of a tunnel, which stands for its number."""
        return public_key

    def source(self, name: str) -> Value:
        """Return the name."""
        return name


class _NewestRelease:
    """A VPP that has every message and field that we know."""

    def newest(self, names: Sequence[str]) -> str:
        """Return the newest message."""
        return names[0]

    def secret(self, name: str) -> Value:
        """Return the name of the secret: secrets are not read here."""
        return f"<the key of {name}>"

    def has_field(self, message: str, path: str) -> bool:
        """Return True."""
        return True


def api_call(operation: Operation) -> tuple[str, dict[str, Any]]:
    """Return the message of an operation and its values: objects by name, addresses as text, lists as lists."""
    request = operation.request(_Names(), _NewestRelease())
    arguments: dict[str, Any] = {path: _readable(value) for path, value in request.values.items()}
    if request.list_name:
        arguments[request.list_name] = [_element(element) for element in request.elements]
    if request.text:
        arguments[request.text_name] = request.text
    return request.message, arguments


def _element(element: Mapping[str, Value]) -> Any:
    """Return an element of a list; of one that is a single value, whose path is '', that value."""
    readable = {path: _readable(value) for path, value in element.items()}
    return readable.get("", readable)


def _readable(value: Value) -> int | str:
    """Return bytes as text: their number shows whether they are a key, a MAC address, an IP address or a text."""
    if not isinstance(value, bytes):
        return value
    if len(value) == KEY_BYTES:
        return key_text(value)
    if len(value) == _MAC_BYTES:
        return value.hex(":")
    return str(ip_address(value)) if len(value) in _ADDRESS_BYTES else value.decode(errors="replace")
