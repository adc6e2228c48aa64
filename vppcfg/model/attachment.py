"""Attachments: what is configured on an interface or in a FIB table although no section of the file manages it.

Routes of the prompt, IPsec protection, NAT, policy routing, virtual routers: others configure them, and a plan that
deletes or recreates the interface takes them away. An attachment holds the API calls that remove it and bring it back,
where VPP reads it back exactly, so that a plan carries it over a recreation and a rollback restores it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from enum import Enum

from vppcfg.common.names import is_typable, natural_key
from vppcfg.model.linux_setting import LinuxSetting
from vppcfg.record import record

INDEX_OF = "@"
"""Before the name of an interface: its index takes the place of the value when the call is sent."""
BYTES = "x"
"""Before hexadecimal digits: the value is these bytes."""


TUNNEL_PROTECTION = "IPsec protection"
"""The kind of what encrypts all that a tunnel sends."""
_WORD = re.compile(r"[A-Za-z0-9/._:-]+")


@record
class ApiCall:
    """An API message in a form that outlives restarts and can be stored: interfaces by name, never by index."""

    message: str
    values: tuple[str, ...] = ()
    """`path=value` each: a whole number, `@` and the name of an interface, or `x` and the bytes in hexadecimal."""
    list_name: str = ""
    """The list that ends the message, where it has one."""
    elements: tuple[str, ...] = ()
    """The elements of that list, each with its `path=value` pairs separated by spaces."""
    text: str = ""
    """What ends it instead: a line for VPP's prompt, where no message does what is needed."""
    needs: tuple[str, ...] = ()
    """Interfaces, FIB tables and bridge domains that must be there beside the interfaces in the values."""

    def refers(self) -> Iterator[str]:
        """Yield the names of the interfaces, FIB tables and bridge domains that the call refers to."""
        yield from self.needs
        for pair in (*self.values, *(pair for element in self.elements for pair in element.split(" "))):
            value = pair.partition("=")[2]
            if value.startswith(INDEX_OF):
                yield value.removeprefix(INDEX_OF)


def index_placeholder(name: str) -> str:
    """Return the value of a call that stands for the index of an interface."""
    return f"{INDEX_OF}{name}"


Values = Mapping[str, int | str | bytes]
"""By path; a text is what `index_placeholder` returns."""


def stored_call(message: str, values: Values, list_name: str = "", elements: Iterable[Values] = ()) -> ApiCall:
    """Return a call with `values`, and the elements of the list that ends the message."""
    written = tuple(" ".join(_pairs(element)) for element in elements)
    return ApiCall(message=message, values=tuple(_pairs(values)), list_name=list_name, elements=written)


def cli_call(line: str, interface: str) -> ApiCall | None:
    """Return the call that runs a line at VPP's prompt, which names an interface.

    None where the name could be read as anything but one word: it comes from whoever created the interface.
    """
    if _WORD.fullmatch(interface) is None:
        return None
    return ApiCall(message="cli_inband", text=line, needs=(interface,))


def _pairs(values: Values) -> list[str]:
    return [f"{path}={_written(value)}" for path, value in values.items()]


def _written(value: int | str | bytes) -> str:
    if isinstance(value, bytes):
        return f"{BYTES}{value.hex()}"
    return value if isinstance(value, str) else str(int(value))


class Layer(Enum):
    """Which packets of an interface an attachment works on."""

    ALL = "all"
    ROUTED = "routed"
    """Without effect as long as the interface is in a bridge domain or a cross-connect."""
    SWITCHED = "switched"
    """Lost when the interface leaves its bridge domain or cross-connect."""


@record
class Attachment:
    """One object that no section of the file manages. Two are equal when they configure the same, whatever indexes."""

    holder: str
    """The interface, the key of the FIB table, or the name of the bridge domain."""
    kind: str
    """What it is, in a few words: `NAT44 inside`, `route of the prompt`."""
    name: str = ""
    """Which one it is among several of its kind: a prefix, an address, the number of a policy; '' for the only one."""
    layer: Layer = Layer.ALL
    put: ApiCall | None = None
    """Brings it back exactly; None where VPP cannot be read well enough for that. JSON documents have these names."""
    take: ApiCall | None = None
    """Removes it."""
    linux: LinuxSetting | None = None
    """What it is, where Linux has it on the device of the interface, and not VPP: it goes with the device."""
    outlives: bool = False
    """Whether VPP keeps it when the interface goes, for the next interface with the index."""
    lines: tuple[str, ...] = ()
    """What brings it back, typed at the prompt of VPP's CLI; none where that is not known."""
    in_linux: str = field(default="", compare=False)
    """What brings it back in Linux, on the device as it was called; '' where that is not known."""
    removal: str = ""
    """What removes it, typed likewise."""
    guards: bool = False
    """Whether traffic must not pass the interface without it: IPsec."""

    @property
    def label(self) -> str:
        """Return what an operator calls it."""
        return f"{self.kind} {self.name}".rstrip()

    @property
    def commands(self) -> tuple[str, ...]:
        """Return what an operator types to bring it back."""
        return (self.in_linux,) if self.in_linux else self.typable_lines

    @property
    def typable_lines(self) -> tuple[str, ...]:
        """Return `lines`, none where VPP's prompt cannot read all of them."""
        return self.lines if all(map(is_typable, self.lines)) else ()

    @property
    def protecting(self) -> tuple[int, ...]:
        """Return the numbers of the security associations that protect a tunnel, the outbound one first; else none."""
        if self.kind != TUNNEL_PROTECTION or self.put is None or self.take is None:
            return ()
        out = [pair for pair in self.put.values if pair.startswith("tunnel.sa_out=")]
        return tuple(int(pair.rpartition("=")[2]) for pair in (*out, *self.put.elements))

    @property
    def is_restorable(self) -> bool:
        """Return whether a plan can bring it back exactly."""
        return self.put is not None or (self.linux is not None and self.linux.is_exact)

    def refers(self) -> Iterator[str]:
        """Yield the interfaces, tables and bridge domains that must be there for it beside its holder."""
        for call in (self.put, self.take):
            if call is not None:
                yield from call.refers()

    def needs(self, names: Iterable[str]) -> bool:
        """Return whether it cannot be without one of these interfaces, tables and bridge domains."""
        return not {self.holder, *self.refers()}.isdisjoint(names)


def in_order(attachments: Iterable[Attachment]) -> tuple[Attachment, ...]:
    """Return attachments sorted by holder, kind and name, each once."""
    unique = dict.fromkeys(attachments)
    return tuple(sorted(unique, key=lambda each: (natural_key(each.holder), each.kind, natural_key(each.name))))


def by_holder(attachments: Iterable[Attachment]) -> dict[str, set[Attachment]]:
    """Return attachments by the interface or table that holds them."""
    found: dict[str, set[Attachment]] = {}
    for each in attachments:
        found.setdefault(each.holder, set()).add(each)
    return found


_BY_NAME = frozenset({"feature", "reassembly"})
"""Kinds of things that have little in common but how VPP shows them."""
_MOST_NAMED = 4


def counted(attachments: Iterable[Attachment]) -> str:
    """Return attachments of one holder in few words: `NAT44 inside, 2 routes of CLI`."""
    by_kind: dict[str, list[Attachment]] = {}
    for each in attachments:
        by_kind.setdefault(each.kind, []).append(each)
    return ", ".join(_number_of(kind, same) for kind, same in by_kind.items())


def _number_of(kind: str, same: list[Attachment]) -> str:
    if len(same) == 1:
        return same[0].label
    if kind in _BY_NAME and len(same) <= _MOST_NAMED:
        return f"{_plural(kind)} {' and '.join(each.name for each in same)}"
    first, _, rest = kind.partition(" of ")
    return f"{len(same)} {_plural(first)}" + (f" of {rest}" if rest else "")


def _plural(noun: str) -> str:
    if noun.endswith(("ry", "ly")):
        return f"{noun.removesuffix('y')}ies"
    return f"{noun}{'es' if noun.endswith('s') else 's'}"
