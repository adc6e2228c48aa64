"""What is said about sFlow."""

from __future__ import annotations

from vppcfg.plan import operations as op
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode


@encode.register
def _(operation: op.SetSflow, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Put the sw_if_index where a hw_if_index is named: VPP reads it as that (plugins/sflow/sflow.c)."""
    values = {"hw_if_index": indexes.interface(operation.interface), "enable_disable": int(operation.is_on)}
    return Request("sflow_enable_disable", values)


@encode.register
def _(operation: op.SetSflowSamplingRate, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("sflow_sampling_rate_set", {"sampling_N": operation.sampling_rate})


@encode.register
def _(operation: op.SetSflowPollingInterval, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("sflow_polling_interval_set", {"polling_S": operation.polling_interval_s})


@encode.register
def _(operation: op.SetSflowHeaderBytes, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("sflow_header_bytes_set", {"header_B": operation.header_bytes})
