"""MACIP access lists: their rules, the names by which they are known, and the interface that applies each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from vppcfg.model.acl import MacipAcl, MacipAction, MacipRule, canonical_macip_rule
from vppcfg.plan import operations as op
from vppcfg.plan.request import ALL_INDEXES, NO_INDEX, Indexes, Known, Messages, Request, Value, Vocabulary
from vppcfg.vpp.address_codec import mac_bytes, prefix_values, text_of_address
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.messages.acl import unique_names
from vppcfg.vpp.reading import Replies, malformed

ATTRIBUTE = "macip"
PARTS: dict[str, str] = {}
_DUMP, _BINDINGS = "macip_acl_dump", "macip_acl_interface_list_dump"
_DETAILS = "macip_acl_details"
_EGRESS = 3
_NUMBERS = {MacipAction.DENY: 0, MacipAction.PERMIT: 1, MacipAction.PERMIT_AND_EGRESS: _EGRESS}
"""What VPP makes of the numbers (plugins/acl/acl.c, macip_permit_also_egress); all others permit."""
_RULE = ("is_permit", "src_mac", "src_mac_mask", "src_prefix.address.af", "src_prefix.address.un", "src_prefix.len")


def _create_macip(operation: op.CreateMacip, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Replace no list, which adds one."""
    return _add_replace(NO_INDEX, operation.tag, operation.rules)


def _replace_macip(operation: op.ReplaceMacip, indexes: Indexes, vpp: Vocabulary) -> Request:
    return _add_replace(indexes.macip(operation.macip), operation.tag, operation.rules)


def _add_replace(index: Value, tag: str, rules: Sequence[MacipRule]) -> Request:
    elements = [_rule_values(rule) for rule in rules]
    return Request("macip_acl_add_replace", {"acl_index": index, "tag": tag}, "r", elements)


def _rule_values(rule: MacipRule) -> dict[str, Value]:
    return {
        "is_permit": _NUMBERS[rule.action],
        "src_mac": mac_bytes(rule.mac),
        "src_mac_mask": mac_bytes(rule.mac_mask),
        **prefix_values("src_prefix", rule.source),
    }


def _delete_macip(operation: op.DeleteMacip, indexes: Indexes, vpp: Vocabulary) -> Request:
    return Request("macip_acl_del", {"acl_index": indexes.macip(operation.macip)})


def _set_macip(operation: op.SetMacip, indexes: Indexes, vpp: Vocabulary) -> Request:
    """Name the list that is applied; VPP does not look at it where it applies none."""
    values: dict[str, Value] = {
        "is_add": int(operation.macip is not None),
        "sw_if_index": indexes.interface(operation.interface),
        "acl_index": NO_INDEX if operation.macip is None else indexes.macip(operation.macip),
    }
    return Request("macip_acl_interface_add_del", values)


MESSAGES: Messages = {
    op.CreateMacip: _create_macip,
    op.ReplaceMacip: _replace_macip,
    op.DeleteMacip: _delete_macip,
    op.SetMacip: _set_macip,
}


def requests(connection: Connection) -> list[bytes]:
    """Return the requests for all lists, and for the interfaces that apply any."""
    if not connection.offers(_DUMP):
        return []
    lists = connection.request(_DUMP, {"acl_index": ALL_INDEXES})[1]
    return [lists, connection.request(_BINDINGS, {"sw_if_index": ALL_INDEXES})[1]]


def read_lists(connection: Connection, replies: Replies) -> dict[int, MacipAcl]:
    """Return the lists by VPP's index."""
    if not connection.offers(_DUMP):
        return {}
    lists = connection.lists(replies, _DETAILS, ("acl_index", "tag"), *_RULE)
    try:
        return {
            index: MacipAcl(rules=tuple(_rule(*values) for values in rules), tag=text_of(tag), index=index)
            for (index, tag), rules in lists
        }
    except ValueError as error:  # a rule with a prefix that cannot be
        raise malformed(_DETAILS) from error


@lru_cache(maxsize=1 << 14)
def _rule(action: int, mac: bytes, mask: bytes, family: int, source: bytes, length: int) -> MacipRule:
    actions = {number: each for each, number in _NUMBERS.items()}
    rule = MacipRule(
        action=actions.get(action, MacipAction.PERMIT),
        source=f"{text_of_address(family, source)}/{length}",
        mac=mac.hex(":"),
        mac_mask=mask.hex(":"),
    )
    return canonical_macip_rule(rule)


def names_of(lists: Mapping[int, MacipAcl]) -> dict[int, str]:
    """Return the name of every list by its index: ours by its tag, another by `macip:` and its tag."""
    return unique_names({index: each.tag for index, each in lists.items()}, "macip:")


def read_indexes(connection: Connection) -> dict[str, int]:
    """Ask VPP for the index of every list by its name."""
    lists = read_lists(connection, connection.ask(requests(connection)))
    return {name: index for index, name in names_of(lists).items()}


def read(connection: Connection, replies: Replies, known: Known) -> dict[int, str]:
    """Return the name of the list that each interface applies, by its index."""
    if not connection.offers(_DUMP):
        return {}
    names = names_of(read_lists(connection, replies))
    found = {}
    for (index,), lists in connection.lists(replies, "macip_acl_interface_list_details", ("sw_if_index",), ""):
        for (macip,) in lists:
            if macip != NO_INDEX:
                found[index] = names.get(macip, f"macip:@{macip}")
    return found
