"""What is said about MPLS."""

from __future__ import annotations

from vppcfg.plan import operations as op
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode


@encode.register
def _(operation: op.CreateMplsTable, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("mpls_table_add_del", {"mt_is_add": 1, "mt_table.mt_table_id": 0})


@encode.register
def _(operation: op.SetMpls, indexes: Indexes, vpp: Vocabulary) -> Request:
    values = {"sw_if_index": indexes.interface(operation.interface), "enable": int(operation.is_on)}
    return Request("sw_interface_set_mpls_enable", values)
