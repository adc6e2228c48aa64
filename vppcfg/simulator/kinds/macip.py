"""Simulates MACIP access lists: one per interface, which a deleted list leaves silently (plugins/acl/acl.c)."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from vppcfg.errors import UsageError
from vppcfg.model.acl import MacipAction, MacipRule
from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds.acl import numbered_as
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval, refused_as, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, to_bytes

_IS_TYPED = ReleaseQuirk(span="24.10-", text="the CLI has MACIP access lists (e3469369dab)")
_DENY, _PERMIT, _EGRESS = 0, 1, 3
_NUMBERS = {MacipAction.DENY: _DENY, MacipAction.PERMIT: _PERMIT, MacipAction.PERMIT_AND_EGRESS: _EGRESS}
_NO_MAC, _WHOLE_MAC = bytes(6), b"\xff" * 6

Rule = tuple[int | bytes, ...]
"""A rule as it stands in the API message: action, MAC address, mask, and the prefix."""


@dataclass(slots=True, kw_only=True)
class MacipRow:
    """One list (macip_acl_list_t)."""

    index: int
    tag: bytes = b""
    rules: Sequence[Rule] = ()


@dataclass(slots=True, kw_only=True)
class MacipMain:
    """All lists, and the one that each interface applies (acl_main_t)."""

    lists: Pool[MacipRow] = field(default_factory=Pool)
    applied: dict[int, int] = field(default_factory=dict)


def add_replace(tables: Tables, index: int, tag: bytes, rules: Sequence[Rule]) -> int:
    """Make a list, or give the one with this index other rules and tag; return its index.

    VPP looks at no rule. Raise RefusedError for a list that does not exist.
    """
    lists = tables.part(MacipMain).lists
    if index == NONE:
        return lists.add(lambda index: MacipRow(index=index, tag=tag, rules=rules)).index
    known = required(lists.get(index), retval=Retval.NO_SUCH_ENTRY)
    known.tag, known.rules = tag, rules
    return index


def delete(tables: Tables, index: int) -> None:
    """Delete a list, also where it is applied; raise RefusedError when there is none."""
    main = tables.part(MacipMain)
    if not main.lists.has(index):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    main.lists.remove(index)
    main.applied = {sw_if_index: applied for sw_if_index, applied in main.applied.items() if applied != index}


def apply(tables: Tables, sw_if_index: int, index: int, *, is_add: bool) -> None:
    """Apply a list in place of any other, or take off the one that there is; raise RefusedError without one."""
    main = tables.part(MacipMain)
    if not (main.lists.has(index) if is_add else sw_if_index in main.applied):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    if is_add:
        main.applied[sw_if_index] = index
    else:
        del main.applied[sw_if_index]


def _interface_deleted(tables: Tables, sw_if_index: int) -> None:
    """Apply no list on an interface that goes away."""
    tables.part(MacipMain).applied.pop(sw_if_index, None)


def _answer_add_replace(call: Call, values: Values) -> Outgoing:
    """Make a list or replace one; a refusal repeats the index that was asked for."""
    tag, end, _ = values["tag"].partition(b"\0")
    try:
        if not end:
            raise RefusedError(Retval.INVALID_VALUE)
        return call.reply(acl_index=add_replace(call.tables, values["acl_index"], tag, values["r"]))
    except RefusedError as refusal:
        return call.reply(acl_index=values["acl_index"], retval=refusal.retval)


def _answer_apply(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    apply(call.tables, values["sw_if_index"], values["acl_index"], is_add=values["is_add"])


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    for row in call.tables.part(MacipMain).lists:
        if values["acl_index"] in {NONE, row.index}:
            yield call.details({"acl_index": row.index, "tag": row.tag, "r": row.rules})


def _dump_interfaces(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the list of each interface that applies one."""
    applied = call.tables.part(MacipMain).applied
    for sw_if_index in sorted(applied):
        if values["sw_if_index"] in {NONE, sw_if_index}:
            yield call.details({"sw_if_index": sw_if_index, "acls": [applied[sw_if_index]]})


class _ParsedRule:
    """A rule of a CLI line; what the line does not name has VPP's default."""

    def __init__(self) -> None:
        self.action = _PERMIT
        self.mac, self.mask = _NO_MAC, _NO_MAC
        self.source: tuple[int, bytes, int] = (0, bytes(16), 0)

    def rule(self) -> Rule:
        """Return the rule as it stands in the API."""
        return self.action & 0xFF, self.mac, self.mask, *self.source

    def take(self, line: Input) -> bool:
        """Take one word about this rule."""
        return self._action(line) or self._mac(line) or self._source(line)

    def _action(self, line: Input) -> bool:
        if line.take("permit"):
            self.action = _PERMIT
        elif line.take("deny"):
            self.action = _DENY
        elif (number := line.number_after("action")) is not None:
            self.action = number
        else:
            return False
        return True

    def _mac(self, line: Input) -> bool:
        if (mac := line.mac_after("mac")) is not None:
            self.mac, self.mask = mac, _WHOLE_MAC
        elif (mask := line.mac_after("mask")) is not None:
            self.mask = mask
        else:
            return False
        return True

    def _source(self, line: Input) -> bool:
        if line.take("ip") and (prefix := line.prefix()) is not None:
            is_ipv6, address, length = prefix
            self.source = int(is_ipv6), address.to_bytes(16 if is_ipv6 else 4).ljust(16, b"\0"), length
            return True
        return line.take("src")


def _command_set(tables: Tables, rest: Input) -> str:
    """`set acl-plugin macip acl <rule> [, <rule>]... [tag <tag>]`, which makes a list each time."""
    line = rest.line()
    if line.is_at_end:
        return ""
    tag, parsed = "cli", [_ParsedRule()]
    while not line.is_at_end:
        if line.take("tag"):
            tag = line.string() or ""
        elif line.take(","):
            parsed.append(_ParsedRule())
        elif not parsed[-1].take(line):
            break
    return f"ACL index:{add_replace(tables, NONE, to_bytes(tag), [each.rule() for each in parsed])}\n"


def _command_delete(tables: Tables, rest: Input) -> str:
    """`delete acl-plugin macip acl index <n>`."""
    line = rest.line()
    if line.is_at_end:
        return ""
    index = line.number_after("index")
    if index is None or index == NONE:
        raise RefusedError(Retval.UNSPECIFIED, "invalid acl index")
    with refused_as("Failed to delete ACL index"):
        delete(tables, index)
    return f"Deleted ACL index:{index}\n"


def _command_interface(tables: Tables, rest: Input) -> None:
    """Run `set acl-plugin macip interface <interface> [add|del] acl <n>`, which reports no refusal."""
    line = rest.line()
    row, index, is_add = None, None, True
    while not line.is_at_end:
        if (found := line.interface(tables)) is not None:
            row = found
        elif (word := next((word for word in ("add", "del") if line.take(word)), None)) is not None:
            is_add = word == "add"
        elif (number := line.number_after("acl")) is not None:
            index = number
        else:
            break
    if row is not None and index is not None:
        with suppress(RefusedError):
            apply(tables, row.index, index, is_add=is_add)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Make the lists at the indexes that the state gives them, and have interfaces apply them."""
    main, indexes = tables.part(MacipMain), numbered_as(state.macips, "macip")
    names = {index: name for name, index in indexes.items()}
    for index in range(max(names, default=-1) + 1):
        row = main.lists.add(lambda index: MacipRow(index=index))
        if index in names:
            macip = state.macips[names[index]]
            row.tag, row.rules = to_bytes(macip.tag), [_rule(rule) for rule in macip.rules]
    for index in reversed(range(main.lists.end)):
        if index not in names:
            main.lists.remove(index)
    for name, port in rows.items():
        macip_name = state.interfaces[name].macip
        if macip_name is not None and macip_name not in indexes:
            raise UsageError(f"the state has the MACIP access list {macip_name} on {name} but no such list")
        if macip_name is not None:
            main.applied[port.index] = indexes[macip_name]


def _rule(rule: MacipRule) -> Rule:
    source = ipaddress.ip_network(rule.source)
    mac, mask = (bytes.fromhex(text.replace(":", "")) for text in (rule.mac, rule.mac_mask))
    packed = source.network_address.packed.ljust(16, b"\0")
    return _NUMBERS[rule.action], mac, mask, int(source.version == 6), packed, source.prefixlen


KIND = Kind(
    plugin="acl",
    changes={
        "macip_acl_add_replace": _answer_add_replace,
        "macip_acl_del": lambda call, values: delete(call.tables, values["acl_index"]),
        "macip_acl_interface_add_del": _answer_apply,
    },
    queries={"macip_acl_dump": _dump, "macip_acl_interface_list_dump": _dump_interfaces},
    typed=_IS_TYPED,
    quirks=(_IS_TYPED,),
    commands={
        "set acl-plugin macip acl": _command_set,
        "set acl-plugin macip interface": _command_interface,
        "delete acl-plugin macip acl": _command_delete,
    },
    load=_load,
    deleted=_interface_deleted,
)
