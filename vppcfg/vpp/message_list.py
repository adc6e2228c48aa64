"""Everything that is said to VPP and heard from it, in one module per kind of object.

`request_of` is the one way from an operation to the message that carries it out. Nothing is sent or received here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from vppcfg.plan.operations import BindAcls, CreateLcpPair, Operation
from vppcfg.plan.request import Indexes, Messages, Request, Vocabulary
from vppcfg.vpp.messages import (
    acl,
    address,
    attachment,
    bridge,
    interface,
    l2,
    l2fib,
    lcp,
    neighbor,
    sub_interface,
    vrf,
)

FEATURES = (l2fib,)
"""Features of interfaces that one dump tells. Each has `ATTRIBUTE`, that of an interface, `requests`, `read`, and
`PARTS`: the optional parts of VPP that it needs, with the message whose presence shows each."""
_OTHERS = (acl, address, attachment, bridge, interface, l2, lcp, neighbor)
_KINDS = (*_OTHERS, sub_interface, vrf, *FEATURES)
MESSAGES: Messages = {operation: write for kind in _KINDS for operation, write in kind.MESSAGES.items()}
"""How every operation that VPP carries out is written."""
_OBJECTIONS: Mapping[type[Operation], Callable[[Any], str]] = {
    BindAcls: acl.objection,
    CreateLcpPair: lcp.objection,
}


def request_of(operation: Operation, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Return the message that carries out an operation."""
    write = MESSAGES.get(type(operation))
    return operation.request(indexes, vpp) if write is None else write(operation, indexes, vpp)


def objection(operation: Operation) -> str:
    """Return why VPP must not be told to carry out an operation, '' when it may: its answer would mislead."""
    find = _OBJECTIONS.get(type(operation))
    return find(operation) if find is not None else ""
