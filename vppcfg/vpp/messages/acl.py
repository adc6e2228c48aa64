"""Access lists: their rules, the names by which they are known, and the interfaces that apply them.

Lists of allowed EtherTypes are other objects of the plugin and are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from vppcfg.model.acl import Acl, AclAction, AclBinding, AclRule, canonical_rule
from vppcfg.model.ownership import unique_names
from vppcfg.plan.request import ALL_INDEXES
from vppcfg.vpp.address_codec import text_of_address
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.reading import Replies, malformed

_DUMP, _DETAILS, _BINDING = "acl_dump", "acl_details", "acl_interface_list_details"
_ACTIONS = {1: AclAction.PERMIT, 2: AclAction.PERMIT_REFLECT}
"""acl_action (plugins/acl/acl_types.api); everything else drops (plugins/acl/dataplane_node.c)."""
_RULE = (
    "is_permit",
    "src_prefix.address.af",
    "src_prefix.address.un",
    "src_prefix.len",
    "dst_prefix.address.un",
    "dst_prefix.len",
    "proto",
    "srcport_or_icmptype_first",
    "srcport_or_icmptype_last",
    "dstport_or_icmpcode_first",
    "dstport_or_icmpcode_last",
    "tcp_flags_mask",
    "tcp_flags_value",
)


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all access lists, where VPP has the acl plugin."""
    return [connection.request(_DUMP, {"acl_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies) -> dict[int, Acl]:
    """Return the access lists by VPP's index."""
    if not connection.offers(_DUMP):
        return {}
    lists = connection.lists(replies, _DETAILS, ("acl_index", "tag"), *_RULE)
    try:
        return {
            index: Acl(rules=tuple(_rule(*values) for values in rules), tag=text_of(tag), index=index)
            for (index, tag), rules in lists
        }
    except ValueError as error:  # a rule with a prefix that cannot be
        raise malformed(_DETAILS) from error


@lru_cache(maxsize=1 << 14)
def _rule(
    action: int,
    family: int,
    source: bytes,
    source_length: int,
    target: bytes,
    target_length: int,
    protocol: int,
    *numbers: int,
) -> AclRule:
    source_first, source_last, target_first, target_last, mask, value = numbers
    rule = AclRule(
        action=_ACTIONS.get(action, AclAction.DENY),
        source=f"{text_of_address(family, source)}/{source_length}",
        destination=f"{text_of_address(family, target)}/{target_length}",
        protocol=protocol,
        source_ports=(source_first, source_last),
        destination_ports=(target_first, target_last),
        tcp_flags=(mask, value),
    )
    return canonical_rule(rule)


def names_of(acls: Mapping[int, Acl]) -> dict[int, str]:
    """Return the name of every access list by its index: ours by its tag, another by `acl:` and its tag."""
    return unique_names({index: acl.tag for index, acl in acls.items()}, "acl:")


def read_indexes(connection: Connection) -> dict[str, int]:
    """Ask VPP for the index of every access list by its name."""
    acls = read(connection, connection.ask(requests(connection)))
    return {name: index for index, name in names_of(acls).items()}


def binding_requests(connection: Connection, acls: Mapping[int, Acl]) -> list[bytes]:
    """Return the request for the lists that interfaces apply: VPP answers for every interface, so only with lists."""
    return [connection.request("acl_interface_list_dump", {"sw_if_index": ALL_INDEXES})[1]] if acls else []


def read_bindings(connection: Connection, replies: Replies, names: Mapping[int, str]) -> dict[int, AclBinding]:
    """Return what every interface applies that applies anything, by its index; `names` are those of the lists."""
    if not names:
        return {}
    bindings = {}
    for (index, inputs), acls in connection.lists(replies, _BINDING, ("sw_if_index", "n_input"), ""):
        if acls:
            applied = tuple(names.get(acl, f"acl:@{acl}") for (acl,) in acls)
            bindings[index] = AclBinding(input=applied[:inputs], output=applied[inputs:])
    return bindings
