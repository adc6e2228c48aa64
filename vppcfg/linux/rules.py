"""Reads the rules of policy routing (`ip rule`) of the namespace that the calling thread is in."""

from __future__ import annotations

import socket
import struct
from collections.abc import Collection, Iterator, Mapping

from vppcfg.common.addresses import address_text
from vppcfg.common.printable import printable
from vppcfg.linux.link import attributes_of, dump

_RULE = struct.Struct("=BBBBBBBBI")
"""struct fib_rule_hdr (linux/fib_rules.h): family, destination and source length, tos, table, 2 reserved, action,
flags."""
_GETRULE, _NEWRULE = 34, 32
_NUMBER = struct.Struct("=I")
_TYPE_MASK = 0x3FFF
_DST, _SRC, _IIF, _PRIORITY, _MARK, _TABLE, _OIF, _L3MDEV, _UIDS = 1, 2, 3, 6, 10, 15, 17, 19, 20
_INVERT = 0x2
_ACTIONS = {2: "goto", 3: "nop", 6: "blackhole", 7: "unreachable", 8: "prohibit"}
_EVERY_LINUX = {(0, 255), (32766, 254), (32767, 253)}
"""Priority and table of the rules that the kernel makes: local, main, default."""


def read_rules(devices: Collection[str]) -> list[str]:
    """Return the rules, as `ip rule` shows them, by which Linux would forward what comes in by some devices otherwise.

    Left out are those that every Linux has, that of VRFs, and those for what programs here send. Raise OSError.
    """
    found = []
    for header, values in _rules():
        iif = _name(values, _IIF)
        is_local = _UIDS in values or (iif and iif not in devices)
        if not (is_local or values.get(_L3MDEV, b"\0")[0] or _is_usual(header, values)):
            found.append(" ".join(_words(header, values)))
    return found


def rules_by_device(devices: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield the rules that name devices (`iif`, `oif`), as `ip rule` shows them, each with the device.

    Raise OSError.
    """
    for header, values in _rules():
        text = " ".join(_words(header, values))
        yield from ((name, text) for name in sorted({_name(values, _IIF), _name(values, _OIF)}) if name in devices)


_Values = Mapping[int, bytes]


def _rules() -> list[tuple[tuple[int, ...], _Values]]:
    """Return header and attributes of the rules of IPv4 and then of IPv6, if the kernel has that. Raise OSError."""
    found = []
    for data, (start, end) in dump(_GETRULE, _NEWRULE, bytes(_RULE.size)):
        attributes = attributes_of(data, (start + _RULE.size, end))
        values = {kind & _TYPE_MASK: data[slice(*value)] for kind, value in attributes}
        found.append((_RULE.unpack_from(data, start), values))
    families = (socket.AF_INET, socket.AF_INET6)
    return [rule for family in families for rule in found if rule[0][0] == family]


def _is_usual(header: tuple[int, ...], values: _Values) -> bool:
    has_selector = any(header[1:4]) or header[8] & _INVERT or not values.keys().isdisjoint({_IIF, _OIF, _MARK})
    return not has_selector and (_number(values, _PRIORITY), _number(values, _TABLE)) in _EVERY_LINUX


def _words(header: tuple[int, ...], values: _Values) -> Iterator[str]:
    family, destination_length, source_length, tos, _, _, _, action, flags = header
    yield f"{'-6 ' if family == socket.AF_INET6 else ''}{_number(values, _PRIORITY)}:"
    if flags & _INVERT:
        yield "not"
    yield f"from {address_text(values[_SRC])}/{source_length}" if _SRC in values else "from all"
    if _DST in values:
        yield f"to {address_text(values[_DST])}/{destination_length}"
    if tos:
        yield f"tos {tos:#x}"
    if _MARK in values:
        yield f"fwmark {_number(values, _MARK):#x}"
    for kind, word in ((_IIF, "iif"), (_OIF, "oif")):
        if kind in values:
            yield f"{word} {_name(values, kind)}"
    yield _ACTIONS.get(action) or f"lookup {_number(values, _TABLE)}"


def _number(values: _Values, kind: int) -> int:
    return int(_NUMBER.unpack(values[kind])[0]) if kind in values else 0


def _name(values: _Values, kind: int) -> str:
    return printable(values.get(kind, b"").rstrip(b"\0").decode(errors="replace"))
