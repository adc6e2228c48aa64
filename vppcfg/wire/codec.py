"""Packs and reads API messages by the layouts that a VPP gives of them.

A layout is compiled from a VPP's own definitions, so that no offset or size is written down here. Only the fields
that are asked for are converted; what lies between them costs nothing. Nothing here is sent or received.
"""

from __future__ import annotations

import struct
from _socket import AF_INET, AF_INET6, inet_pton  # see common.addresses
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from operator import itemgetter
from typing import Any

from vppcfg.common.addresses import address_text
from vppcfg.errors import DataplaneError
from vppcfg.operations.request import Value
from vppcfg.record import record

FRAME = struct.Struct(">8xI4x")
"""What stands before a message on the socket: its size in bytes (msgbuf_t, vlibmemory/socket_api.c)."""

_HEADERS = ("_vl_msg_id", "client_index", "context")
"""What every request begins with."""

HEAD = struct.Struct(">HI")
"""How every reply begins: message id and the context of its request (vlibapi/api_helper_macros.h)."""

_BYTES = {
    **dict.fromkeys(("bd_tag", "tag", "name", "version", "interface_name", "interface_dev_type"), 0),
    **dict.fromkeys(
        ("host_if_name", "host_namespace", "host_bridge", "netns", "namespace", "sock_filename", "socket_filename"), 0
    ),
    "hostname": 0,
    "client.id": 64,
    **dict.fromkeys(("l2_address", "host_mac_addr", "mac_address", "mac", "src_mac", "src_mac_mask"), 6),
    **dict.fromkeys(
        ("un", "ip", "mgmt_ip6", "nh.address", "path.nh.address", "grp_address", "src_address", "snat_ip6"), 16
    ),
    **dict.fromkeys(("mgmt_ip4", "low", "hi", "local_ip_address", "external_addr", "snat_ip4"), 4),
    **dict.fromkeys(("max_radv_interval", "min_radv_interval", "initial_adverts_interval", "age"), 8),
    **dict.fromkeys(("system_name", "port_desc", "mgmt_oid"), 0),
    **dict.fromkeys(("ip_address", "local_ip_address", "external_ip_address", "address", "addr", "bsid"), 0),
    **dict.fromkeys(("in_addr", "out_addr", "ext_addr"), 4),
    "outputs": 0,
    **dict.fromkeys(("public_key", "private_key", "preshared_key"), 32),
}
"""The fields that are read as bytes, by their path or the last part of it, and how many those must be; 0 for texts and
addresses of any size. All others are whole numbers. A VPP with other definitions is not understood."""

_UNKNOWN_VPP = "this VPP is older or newer than vppcfg knows"

_NUMBERS = frozenset("BbHhIiQq?")
"""The struct codes of whole numbers."""

Packer = Callable[..., bytes]
Reader = Callable[..., tuple[Any, ...]]
"""From a message's bytes, and maybe the place where its values begin, to values."""


@record
class Leaf:
    """One value of a layout: its path, such as prefix.address.un, and its code in a struct format."""

    path: str
    code: str
    limit: int = 0
    """How many bytes fit, for a string in a field of fixed size, whose last one is NUL, or for an array of bytes."""

    @property
    def padding(self) -> str:
        """Return the struct code that steps over the value, or writes it as zeros."""
        return f"{struct.calcsize('>' + self.code)}x"


@record
class Tail:
    """What ends a message of variable size: a string with its length, or elements counted by a field in front."""

    count: str | None
    """The field that counts; None for a string."""
    leaves: tuple[Leaf, ...] = ()


class UnfitValueError(DataplaneError, ValueError):
    """A value does not fit the field of a message that it is meant for."""


class Message:
    """One message of one VPP: its id there, and its layout."""

    def __init__(self, name: str, index: int, leaves: Sequence[Leaf], tail: Tail | None) -> None:
        self.name = name
        self.index = index
        self._leaves = {leaf.path: leaf for leaf in leaves}
        self._tail = tail
        self._size = struct.calcsize(">" + "".join(leaf.code for leaf in leaves))
        self._packers: dict[tuple[str, ...], Packer] = {}
        self._readers: dict[tuple[str, ...], Reader] = {}
        self._list_readers: dict[tuple[str, ...], tuple[Reader, int, Reader]] = {}

    def has(self, path: str) -> bool:
        """Return whether the message has a value at `path`."""
        return path in self._leaves

    def start_of(self, path: str) -> int:
        """Return where the value at `path` begins in the message's bytes. Raise DataplaneError when there is none."""
        self._check([path])
        before = takewhile(lambda leaf: leaf.path != path, self._leaves.values())
        return struct.calcsize(">" + "".join(leaf.code for leaf in before))

    def reader(self, *paths: str) -> Reader:
        """Return a function from a message's bytes to its values at `paths`, in that order.

        Strings and byte arrays come as bytes of their full size. The function raises struct.error on a short message.
        """
        known = self._readers.get(paths)
        if known is None:
            known = self._readers[paths] = self._reader(paths)
        return known

    def _reader(self, paths: tuple[str, ...]) -> Reader:
        self._check(paths)
        self._check_kinds(paths)
        unpack = struct.Struct(">" + _codes(self._leaves, paths)).unpack_from
        in_layout = [path for path in self._leaves if path in paths]
        if in_layout == list(paths):
            return unpack
        pick = itemgetter(*(in_layout.index(path) for path in paths))
        return lambda data, start=0: pick(unpack(data, start))

    def items(self, data: bytes, *paths: str) -> Iterator[tuple[Any, ...]]:
        """Return the values at `paths` of every element of the list that ends the message `data`."""
        known = self._list_readers.get(paths)
        if known is None:
            known = self._list_readers[paths] = self._list_reader(paths)
        read_count, size, read = known
        (count,) = read_count(data)
        return (read(data, place) for place in range(self._size, self._size + count * size, size))

    def _list_reader(self, paths: tuple[str, ...]) -> tuple[Reader, int, Reader]:
        """Return what reads the number of elements of the list, their size in bytes, and what reads one."""
        if self._tail is None or self._tail.count is None:
            raise DataplaneError(f"VPP's message {self.name} does not end in a list", _UNKNOWN_VPP)
        element = Message(self.name, 0, self._tail.leaves, None)
        if not element._size:
            raise DataplaneError(f"VPP's message {self.name} ends in a list of nothing", _UNKNOWN_VPP)
        return self.reader(self._tail.count), element._size, element.reader(*paths)

    def text(self, data: bytes) -> bytes:
        """Return the string that ends the message `data`; raise struct.error when the message is too short for it."""
        if self._tail is None or self._tail.count is not None:
            raise DataplaneError(f"VPP's message {self.name} does not end in a string", _UNKNOWN_VPP)
        (length,) = struct.unpack_from(">I", data, self._size)
        (text,) = struct.unpack_from(f"{length}s", data, self._size + 4)
        return text  # type: ignore[no-any-return]

    def pack(
        self,
        client: int,
        context: int,
        values: Mapping[str, Value],
        text: str = "",
        elements: Sequence[Mapping[str, Value]] = (),
    ) -> bytes:
        """Return the framed message of `client` with `values` by path, zeros elsewhere.

        `text` or `elements` are what ends it, where it ends in a string or in a list, whose count follows from them.
        Raise UnfitValueError, a ValueError and a DataplaneError, when a value does not fit its field.
        """
        try:
            end = self._end(text, elements) if self._tail is not None else b""
            if elements and self._tail is not None and self._tail.count:
                values = {**values, self._tail.count: len(elements)}
            paths = tuple(values)
            packer = self._packers.get(paths)
            if packer is None:
                packer = self._packers[paths] = self._packer((*_HEADERS, *paths), FRAME.format)
            return packer(self._size + len(end), self.index, client, context, *values.values()) + end
        except struct.error as error:
            raise UnfitValueError(f"a value does not fit VPP's message {self.name} ({error})", _UNKNOWN_VPP) from error

    def _end(self, text: str, elements: Sequence[Mapping[str, Value]]) -> bytes:
        """Return what ends the message: a string with its length, or the elements of a list."""
        if self._tail is None:
            return b""
        if self._tail.count is None:
            return struct.pack(">I", len(text.encode())) + text.encode()
        if not elements:
            return b""
        element = Message(self.name, 0, self._tail.leaves, None)
        packer = element._packer(tuple(elements[0]), ">")
        return b"".join(packer(*values.values()) for values in elements)

    def _packer(self, paths: tuple[str, ...], frame: str) -> Packer:
        """Return a function from the values that `frame` has, and those at `paths`, to bytes."""
        self._check([path for path in paths if path not in _HEADERS])
        present = [path for path in self._leaves if path in paths]
        pack = struct.Struct(frame + _codes(self._leaves, paths)).pack
        texts = [path for path in present if self._leaves[path].code.endswith("s")]
        if present == list(paths) and not texts:
            return pack
        ahead = frame.count("I")
        order = (*range(ahead), *(ahead + paths.index(path) for path in present))
        pick = itemgetter(*order) if len(order) > 1 else lambda values: (values[order[0]],)
        if not texts:
            return lambda *values: pack(*pick(values))
        fitters = [(ahead + present.index(path), self._leaves[path]) for path in texts]
        return lambda *values: pack(*_fitted(pick(values), fitters))

    def _check(self, paths: Sequence[str]) -> None:
        for path in paths:
            if path not in self._leaves:
                raise DataplaneError(f"VPP's message {self.name} has no field {path}", _UNKNOWN_VPP)

    def _check_kinds(self, paths: Sequence[str]) -> None:
        for path in paths:
            code = self._leaves[path].code
            size = _BYTES.get(path, _BYTES.get(path.rpartition(".")[2]))
            is_known = code in _NUMBERS if size is None else code == f"{size}s" or (not size and code.endswith("s"))
            if not is_known:
                raise DataplaneError(f"VPP's message {self.name} has another kind of field {path}", _UNKNOWN_VPP)


def _codes(leaves: Mapping[str, Leaf], paths: Sequence[str]) -> str:
    """Return the struct codes of a layout in which only the values at `paths` are converted."""
    return "".join(leaf.code if leaf.path in paths else leaf.padding for leaf in leaves.values())


def _fitted(values: tuple[Value, ...], fitters: Sequence[tuple[int, Leaf]]) -> list[Value]:
    """Return the values with the texts among them as bytes. Raise UnfitValueError when one is longer than its field."""
    fitted = list(values)
    for place, leaf in fitters:
        value = fitted[place]
        if isinstance(value, str):
            value = fitted[place] = value.encode()
        if isinstance(value, bytes) and len(value) > leaf.limit:
            shown = value.decode(errors="replace")
            raise UnfitValueError(f"'{shown}' is longer than the {leaf.limit} bytes that VPP takes")
    return fitted


def address_values(path: str, address: str) -> dict[str, Value]:
    """Return the values of an address of VPP's type `address` at `path`: its family and its bytes."""
    family, raw = family_and_bytes(address)
    return {f"{path}.af": family, f"{path}.un": raw}


def family_and_bytes(address: str) -> tuple[int, bytes]:
    """Return the family (vnet/ip/ip_types.api) and the bytes of an address."""
    is_ip6 = ":" in address
    return int(is_ip6), inet_pton(AF_INET6 if is_ip6 else AF_INET, address)


def prefix_values(path: str, prefix: str) -> dict[str, Value]:
    """Return the values of an address with its length, of VPP's type `prefix` at `path`."""
    text, _, length = prefix.partition("/")
    return {**address_values(f"{path}.address", text), f"{path}.len": int(length)}


def text_of_address(family: int, raw: bytes) -> str:
    """Return an address of a message: `family` is 0 for IPv4, for which it has twelve bytes more than are used."""
    return address_text(raw if family else raw[:4])


def text_of_prefix(family: int, raw: bytes, length: int) -> str:
    """Return the prefix of a route in a message: VPP keeps the bits behind the length that were typed at its prompt."""
    address = raw if family else raw[:4]
    behind = 8 * len(address) - length
    network = int.from_bytes(address) >> behind << behind
    return f"{address_text(network.to_bytes(len(address)))}/{length}"


def mac_bytes(mac: str) -> bytes:
    """Return a colon-separated MAC address as VPP's mac_address; '' as zeros."""
    return bytes.fromhex(mac.replace(":", "")) if mac else bytes(6)
