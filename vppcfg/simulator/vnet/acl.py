"""Access lists, and which of them interfaces apply (plugins/acl/acl.c)."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from vppcfg.simulator.mains.acl import AclRow, Rule
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE

_IPV6 = 1
_DUPLICATE = 1
"""What acl_interface_set_acl_list answers to a list that is named twice: the truth value of a refusal, not its code."""


def add_replace(tables: Tables, index: int, tag: bytes, rules: Sequence[Rule]) -> int:
    """Make an access list, or give the one with this index other rules and tag; return its index.

    Raise RefusedError for bad rules or a list that does not exist.
    """
    for rule in rules:
        _check(rule)
    if index == NONE:
        return tables.acl.lists.add(lambda index: AclRow(index=index, tag=tag, rules=rules)).index
    known = tables.acl.lists.get(index)
    if known is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    known.tag, known.rules = tag, rules
    return index


def _check(rule: Rule) -> None:
    _, source_family, source, source_length, family, destination, length, _, *ranges = rule
    if not _is_prefix(source_family, source, source_length):
        raise RefusedError(Retval.INVALID_SRC_ADDRESS)
    if not _is_prefix(family, destination, length):
        raise RefusedError(Retval.INVALID_DST_ADDRESS)
    if family != source_family:
        raise RefusedError(Retval.INVALID_SRC_ADDRESS)
    source_first, source_last, first, last = [int(number) for number in ranges[:4]]
    if source_first > source_last or first > last:
        raise RefusedError(Retval.INVALID_VALUE_2)


def _is_prefix(family: int | bytes, packed: int | bytes, length: int | bytes) -> bool:
    """Return whether host bits are zero and the length fits (ip_prefix_decode2)."""
    if family not in (0, _IPV6) or not isinstance(packed, bytes) or not isinstance(length, int):
        return False
    try:
        ipaddress.ip_network((packed if family == _IPV6 else packed[:4], length))
    except ValueError:
        return False
    return True


def delete(tables: Tables, index: int) -> None:
    """Delete an access list; raise RefusedError when there is none or an interface applies it."""
    if not tables.acl.lists.has(index):
        raise RefusedError(Retval.NO_SUCH_ENTRY, "failed")
    if tables.acl.inputs.is_used(index):
        raise RefusedError(Retval.ACL_IN_USE_INBOUND, "failed")
    if tables.acl.outputs.is_used(index):
        raise RefusedError(Retval.ACL_IN_USE_OUTBOUND, "failed")
    tables.acl.lists.remove(index)


def set_lists(tables: Tables, sw_if_index: int, inputs: Sequence[int], outputs: Sequence[int]) -> int:
    """Set all access lists that an interface applies and return VPP's code.

    Outputs are set first: a list that is named twice among the inputs leaves them changed. Raise RefusedError for an
    interface or a list that does not exist.
    """
    if not tables.sw.has(sw_if_index):
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)
    if not all(tables.acl.lists.has(index) for index in (*inputs, *outputs)):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    for wanted, bound in ((outputs, tables.acl.outputs), (inputs, tables.acl.inputs)):
        if len(set(wanted)) < len(wanted):
            return _DUPLICATE
        bound.set(sw_if_index, wanted)
    return 0


def add_delete(tables: Tables, sw_if_index: int, index: int, *, is_add: bool, is_input: bool) -> None:
    """Apply one more list, at the end, or one less; raise RefusedError with VPP's code."""
    bound = tables.acl.inputs if is_input else tables.acl.outputs
    lists = list(bound.of(sw_if_index))
    if not is_add:
        if index not in lists:
            raise RefusedError(Retval.NO_SUCH_ENTRY)
        lists.remove(index)
    elif index in lists:
        raise RefusedError(Retval.ACL_IN_USE_INBOUND if is_input else Retval.ACL_IN_USE_OUTBOUND)
    elif not tables.acl.lists.has(index):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    else:
        lists.append(index)
    bound.set(sw_if_index, lists)


def interface_deleted(tables: Tables, sw_if_index: int) -> None:
    """Apply no lists on an interface that goes away."""
    tables.acl.inputs.set(sw_if_index, ())
    tables.acl.outputs.set(sw_if_index, ())
