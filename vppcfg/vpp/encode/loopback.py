"""What is said about loopbacks."""

from __future__ import annotations

from vppcfg.plan import operations as op
from vppcfg.vpp.codec import Value
from vppcfg.vpp.encode.interface import mac_bytes
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode


@encode.register
def _(operation: op.CreateLoopback, indexes: Indexes, vpp: Vocabulary) -> Request:
    values: dict[str, Value] = {
        "mac_address": mac_bytes(operation.mac),
        "is_specified": 1,
        "user_instance": operation.instance,
    }
    return Request("create_loopback_instance", values)


@encode.register
def _(operation: op.DeleteLoopback, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("delete_loopback", {"sw_if_index": indexes.interface(operation.interface)})
