"""Messages about access lists (plugins/acl/acl.c)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vppcfg.simulator import interfaces as interface
from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing
from vppcfg.simulator.mains.acl import Rule
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.vnet import acl
from vppcfg.simulator.wire import NONE

_MAJOR, _MINOR = 1, 4


def version(_call: Call) -> list[Outgoing]:
    """Show the version of the plugin's API."""
    return [("acl_plugin_get_version_reply", (_MAJOR, _MINOR))]


def add_replace(call: Call, index: int, tag: bytes, _count: int, rules: Sequence[Rule]) -> list[Outgoing]:
    """Make an access list or replace one; a refusal repeats the index that was asked for."""
    text, end, _ = tag.partition(b"\0")
    try:
        if not end:
            raise RefusedError(Retval.INVALID_VALUE)
        return [("acl_add_replace_reply", (acl.add_replace(call.tables, index, text, rules), 0))]
    except RefusedError as refusal:
        return [("acl_add_replace_reply", (index, refusal.retval))]


def delete(call: Call, index: int) -> list[Outgoing]:
    """Delete an access list."""
    acl.delete(call.tables, index)
    return [("acl_del_reply", (0,))]


def dump(call: Call, index: int) -> Iterator[Outgoing]:
    """Show all access lists or one."""
    lists = call.tables.acl.lists
    one = lists.get(index)
    for row in lists if index == NONE else [one] if one is not None else []:
        yield "acl_details", (row.index, row.tag[:63], len(row.rules), row.rules)


def set_lists(call: Call, sw_if_index: int, _count: int, inputs: int, lists: Sequence[int]) -> list[Outgoing]:
    """Set all access lists of an interface: the first are inputs, the rest outputs."""
    indexes = list(lists)
    retval = acl.set_lists(call.tables, sw_if_index, indexes[:inputs], indexes[inputs:])
    return [("acl_interface_set_acl_list_reply", (retval,))]


def add_delete(call: Call, is_add: bool, is_input: bool, sw_if_index: int, index: int) -> list[Outgoing]:
    """Apply one more access list on an interface, or one less."""
    interface.require(call.tables, sw_if_index)
    acl.add_delete(call.tables, sw_if_index, index, is_add=is_add, is_input=is_input)
    return [("acl_interface_add_del_reply", (0,))]


def dump_interfaces(call: Call, sw_if_index: int) -> Iterator[Outgoing]:
    """Show the access lists of all interfaces or one; those without any are shown too."""
    tables = call.tables
    for row in tables.sw:
        if sw_if_index in {NONE, row.index}:
            inputs, outputs = tables.acl.inputs.of(row.index), tables.acl.outputs.of(row.index)
            lists = [(index,) for index in (*inputs, *outputs)]
            yield "acl_interface_list_details", (row.index, len(lists), len(inputs), lists)


def dump_mac_lists(_call: Call, _index: int) -> Iterator[Outgoing]:
    """Show nothing: there are no access lists by MAC here."""
    return iter(())


HANDLERS: Handlers = {
    "acl_plugin_get_version": Handler(answer=version),
    "acl_add_replace": Handler(answer=add_replace, is_change=True),
    "acl_del": Handler(answer=delete, is_change=True),
    "acl_dump": Handler(answer=dump),
    "acl_interface_set_acl_list": Handler(answer=set_lists, is_change=True),
    "acl_interface_add_del": Handler(answer=add_delete, is_change=True),
    "acl_interface_list_dump": Handler(answer=dump_interfaces),
    "macip_acl_dump": Handler(answer=dump_mac_lists),
}
