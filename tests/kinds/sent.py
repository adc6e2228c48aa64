"""What a simulated VPP is asked to change, as text: `KEY.sent` beside the samples of a kind.

A line is a message with its fields that are not zero.
"""

from collections.abc import Iterator, Mapping
from ipaddress import ip_address
from typing import Any

from vppcfg.simulator.kinds import KINDS
from vppcfg.simulator.vpp import SimulatedVpp

_CHANGES = frozenset(name for kind in KINDS for name in kind.changes)
_OF_THE_CLIENT = {"client_index", "context"}
_NONE = 0xFFFFFFFF


class ListeningVpp(SimulatedVpp):
    """A simulated VPP that keeps a line for each different message that changes something."""

    heard: frozenset[str] = frozenset()

    def handle(self, message: bytes, *arguments: Any) -> list[tuple[int, bytes]]:
        """Keep the line of a message, and carry it out."""
        name = self.codec.name_of(message)
        if name in _CHANGES:
            values = self.codec.unpack(name, message)
            if not values.get("cmd", b"").startswith(b"show "):
                self.heard |= {" ".join([name, *self._fields(values)])}
        return super().handle(message, *arguments)

    def _fields(self, values: Mapping[str, Any]) -> Iterator[str]:
        for key, value in values.items():
            if "sw_if_index" in key and value and (interface := self.tables.sw.get(value)) is not None:
                yield f"{key}={self.tables.name_of(interface)}"
            elif key not in _OF_THE_CLIENT and (text := _text_of(value)):
                yield f"{key}={text}"


def _text_of(value: Any) -> str:
    """Return a value as text: nothing for zero, an address for 4 or 16 bytes, lists without the zeros at their ends."""
    if isinstance(value, tuple):
        parts = [_text_of(each) or "0" for each in value]
        return f"({','.join(parts)})" if isinstance(value[0] if value else 0, tuple) else ",".join(_trimmed(parts))
    if not isinstance(value, bytes):
        return "" if not value else "none" if value == _NONE else str(int(value))
    if not any(value):
        return ""
    if len(value) in (4, 16):
        return str(ip_address(value if any(value[4:]) or len(value) == 4 else value[:4]))
    bare = value.rstrip(b"\0")
    return (
        bare.decode()
        if bare.isascii() and bare.decode().isprintable()
        else value.hex()
        if len(value) <= 32
        else bare.hex()
    )


def _trimmed(parts: list[str]) -> list[str]:
    while parts and parts[-1] == "0":
        parts = parts[:-1]
    return parts
