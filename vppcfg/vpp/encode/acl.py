"""What is said about access lists."""

from __future__ import annotations

from collections.abc import Sequence

from vppcfg.model.acl import AclAction, AclRule
from vppcfg.plan import operations as op
from vppcfg.vpp.codec import Value
from vppcfg.vpp.encode.address import prefix_values
from vppcfg.vpp.encode.request import Indexes, Request, Vocabulary, encode

_NEW = 0xFFFFFFFF
"""The index that makes acl_add_replace add."""
_ACTIONS = {AclAction.DENY: 0, AclAction.PERMIT: 1, AclAction.PERMIT_REFLECT: 2}
"""acl_action (plugins/acl/acl_types.api)."""


@encode.register
def _(operation: op.CreateAcl, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _add_replace(_NEW, operation.tag, operation.rules)


@encode.register
def _(operation: op.ReplaceAcl, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _add_replace(indexes.acl(operation.acl), operation.tag, operation.rules)


def _add_replace(index: Value, tag: str, rules: Sequence[AclRule]) -> Request:
    return Request("acl_add_replace", {"acl_index": index, "tag": tag}, "r", [_rule(rule) for rule in rules])


def _rule(rule: AclRule) -> dict[str, Value]:
    return {
        "is_permit": _ACTIONS[rule.action],
        **prefix_values("src_prefix", rule.source),
        **prefix_values("dst_prefix", rule.destination),
        "proto": rule.protocol,
        "srcport_or_icmptype_first": rule.source_ports[0],
        "srcport_or_icmptype_last": rule.source_ports[1],
        "dstport_or_icmpcode_first": rule.destination_ports[0],
        "dstport_or_icmpcode_last": rule.destination_ports[1],
        "tcp_flags_mask": rule.tcp_flags[0],
        "tcp_flags_value": rule.tcp_flags[1],
    }


@encode.register
def _(operation: op.DeleteAcl, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("acl_del", {"acl_index": indexes.acl(operation.acl)})


@encode.register
def _(operation: op.BindAcls, indexes: Indexes, vpp: Vocabulary) -> Request:
    binding = operation.binding
    values: dict[str, Value] = {
        "sw_if_index": indexes.interface(operation.interface),
        "n_input": len(binding.input),
    }
    elements = [{"": indexes.acl(name)} for name in (*binding.input, *binding.output)]
    return Request("acl_interface_set_acl_list", values, "acls", elements)
