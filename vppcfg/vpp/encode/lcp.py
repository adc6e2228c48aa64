"""What is said about Linux Control Plane pairs."""

from __future__ import annotations

from vppcfg.plan import operations as op
from vppcfg.vpp.codec import Value
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode

_LCP_PAIR = ("lcp_itf_pair_add_del_v3", "lcp_itf_pair_add_del_v2", "lcp_itf_pair_add_del")
"""Newest first: 24.06, 22.02, before. They differ in what the reply tells."""
_HOST_TAP = 0


@encode.register
def _(operation: op.CreateLcpPair, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Write the namespace out, the default one too, unless it is VPP's own, whose name is empty."""
    message = vpp.newest(_LCP_PAIR)
    values: dict[str, Value] = {
        "is_add": 1,
        "sw_if_index": indexes.interface(operation.interface),
        "host_if_name": operation.host_name,
        "host_if_type": _HOST_TAP,
        "netns" if vpp.has_field(message, "netns") else "namespace": operation.netns,
    }
    return Request(message, values)


@encode.register
def _(operation: op.DeleteLcpPair, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request(vpp.newest(_LCP_PAIR), {"is_add": 0, "sw_if_index": indexes.interface(operation.interface)})
