"""What an encoded operation is, and what must be known of a VPP to encode one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import NamedTuple, Protocol

from vppcfg.plan import operations as op
from vppcfg.vpp.codec import Value


class Request(NamedTuple):
    """An API message: its name, its values by path, and the list that ends it, where it has one."""

    message: str
    values: Mapping[str, Value]
    list_name: str = ""
    elements: Sequence[Mapping[str, Value]] = ()


class Indexes(Protocol):
    """How VPP numbers what operations name; what the methods raise goes through."""

    def interface(self, name: str) -> Value:
        """Return the sw_if_index of an interface."""

    def acl(self, name: str) -> Value:
        """Return the index of an access list."""


class Vocabulary(Protocol):
    """What must be known of a VPP's messages to write one."""

    def newest(self, names: Sequence[str]) -> str:
        """Return the first of the messages `names` that VPP has, or the last when it has none."""

    def has_field(self, message: str, path: str) -> bool:
        """Return whether VPP's `message` has a value at `path`."""


@singledispatch
def encode(operation: op.Operation, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Return the message that carries out `operation`."""
    raise TypeError(f"no API message for {type(operation).__name__}")


def objection(operation: op.Operation) -> str:
    """Return why VPP must not be told to carry out `operation`, '' when it may.

    An empty namespace means the default one to linux-cp, and has no other name for VPP's own (lcp_itf_pair_create in
    linux-cp/lcp_interface.c). A list twice in one direction is refused after the other direction has been changed
    (acl_interface_set_acl_list in plugins/acl/acl.c).
    """
    if isinstance(operation, op.CreateLcpPair) and not operation.netns and not operation.is_default_netns:
        return "VPP cannot be told to make a pair in its own namespace while it has a default one"
    if isinstance(operation, op.BindAcls):
        for direction in (operation.binding.input, operation.binding.output):
            if len(direction) > len(set(direction)):
                return "VPP applies an access list only once in a direction"
    return ""
