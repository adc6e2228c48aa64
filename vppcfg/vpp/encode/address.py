"""What is said about addresses: those of an interface, and those that it borrows."""

from __future__ import annotations

import socket

from vppcfg.plan import operations as op
from vppcfg.vpp.codec import Value
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode


def address_values(path: str, address: str) -> dict[str, Value]:
    """Return the values of an address of VPP's type `address` at `path`: its family and its bytes."""
    family, raw = _parsed(address)
    return {f"{path}.af": family, f"{path}.un": raw}


def _parsed(address: str) -> tuple[int, bytes]:
    """Return the family (vnet/ip/ip_types.api) and the bytes of an address."""
    is_ip6 = ":" in address
    return int(is_ip6), socket.inet_pton(socket.AF_INET6 if is_ip6 else socket.AF_INET, address)


def prefix_values(path: str, prefix: str) -> dict[str, Value]:
    """Return the values of an address with its length, of VPP's type `prefix` at `path`."""
    text, _, length = prefix.partition("/")
    return {**address_values(f"{path}.address", text), f"{path}.len": int(length)}


@encode.register
def _(operation: op.AddAddress, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _address(indexes.interface(operation.interface), operation.address, is_add=1)


@encode.register
def _(operation: op.RemoveAddress, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _address(indexes.interface(operation.interface), operation.address, is_add=0)


def _address(index: Value, address: str, is_add: int) -> Request:
    text, _, length = address.partition("/")
    family, raw = _parsed(text)
    values: dict[str, Value] = {
        "sw_if_index": index,
        "is_add": is_add,
        "prefix.address.af": family,
        "prefix.address.un": raw,
        "prefix.len": int(length),
    }
    return Request("sw_interface_add_del_address", values)


@encode.register
def _(operation: op.SetUnnumbered, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _unnumbered(indexes.interface(operation.donor), operation.interface, indexes, is_add=1)


@encode.register
def _(operation: op.UnsetUnnumbered, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Name no donor: VPP does not look at it, and it may be gone (vnet/interface_api.c)."""
    return _unnumbered(0, operation.interface, indexes, is_add=0)


def _unnumbered(donor: Value, interface: str, indexes: Indexes, is_add: int) -> Request:
    """Name the donor in sw_if_index, as VPP has it (vnet/interface.api)."""
    values: dict[str, Value] = {
        "sw_if_index": donor,
        "unnumbered_sw_if_index": indexes.interface(interface),
        "is_add": is_add,
    }
    return Request("sw_interface_set_unnumbered", values)
