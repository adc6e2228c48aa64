"""Simulates access lists, and the interfaces that apply them (plugins/acl)."""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from vppcfg.errors import UsageError
from vppcfg.model.acl import Acl, AclAction, AclRule, MacipAcl
from vppcfg.model.state import State
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.retval import RefusedError, Retval, required
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, to_bytes

_MAJOR, _MINOR = 1, 4
_IPV6 = 1
_DUPLICATE = 1
"""What acl_interface_set_acl_list answers to a list that is named twice: the truth value of a refusal, not its code."""
_ACTIONS = {AclAction.DENY: 0, AclAction.PERMIT: 1, AclAction.PERMIT_REFLECT: 2}

Rule = tuple[int | bytes, ...]
"""A rule as it stands in the API message: action, two prefixes, protocol, two ranges, TCP flags."""


@dataclass(slots=True, kw_only=True)
class AclRow:
    """One access list (acl_list_t)."""

    index: int
    tag: bytes = b""
    rules: Sequence[Rule] = ()


class Bindings:
    """The access lists that interfaces apply in one direction, in order, and how many apply each list."""

    def __init__(self) -> None:
        self._by_sw: dict[int, list[int]] = {}
        self._users: Counter[int] = Counter()

    def of(self, sw_if_index: int) -> list[int]:
        """Return the lists of an interface."""
        return self._by_sw.get(sw_if_index, [])

    def set(self, sw_if_index: int, lists: Sequence[int]) -> None:
        """Set the lists of an interface."""
        self._users.subtract(self._by_sw.pop(sw_if_index, ()))
        self._users.update(lists)
        if lists:
            self._by_sw[sw_if_index] = list(lists)

    def is_used(self, index: int) -> bool:
        """Return whether any interface applies a list."""
        return self._users[index] > 0


@dataclass(slots=True, kw_only=True)
class AclMain:
    """All access lists, and those that interfaces apply (acl_main_t)."""

    lists: Pool[AclRow] = field(default_factory=Pool)
    inputs: Bindings = field(default_factory=Bindings)
    outputs: Bindings = field(default_factory=Bindings)
    looked_up: Counter[int] = field(default_factory=Counter)
    """How often other plugins look packets up in each list (lc_index_vec_by_acl)."""


def add_replace(tables: Tables, index: int, tag: bytes, rules: Sequence[Rule]) -> int:
    """Make an access list, or give the one with this index other rules and tag; return its index.

    Raise RefusedError for bad rules or a list that does not exist.
    """
    lists = tables.part(AclMain).lists
    for rule in rules:
        _check(rule)
    if index == NONE:
        return lists.add(lambda index: AclRow(index=index, tag=tag, rules=rules)).index
    known = required(lists.get(index), retval=Retval.NO_SUCH_ENTRY)
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
    main = tables.part(AclMain)
    if not main.lists.has(index):
        raise RefusedError(Retval.NO_SUCH_ENTRY, "failed")
    if main.inputs.is_used(index):
        raise RefusedError(Retval.ACL_IN_USE_INBOUND, "failed")
    if main.outputs.is_used(index):
        raise RefusedError(Retval.ACL_IN_USE_OUTBOUND, "failed")
    if main.looked_up[index]:
        raise RefusedError(Retval.ACL_IN_USE_BY_LOOKUP_CONTEXT, "failed")
    main.lists.remove(index)


def set_lists(tables: Tables, sw_if_index: int, inputs: Sequence[int], outputs: Sequence[int]) -> int:
    """Set all access lists that an interface applies and return VPP's code.

    Outputs are set first, so that a refusal of inputs that name a list twice leaves the outputs changed. Raise
    RefusedError for an interface or a list that does not exist.
    """
    main = tables.part(AclMain)
    if not tables.sw.has(sw_if_index):
        raise RefusedError(Retval.INVALID_SW_IF_INDEX)
    if not all(main.lists.has(index) for index in (*inputs, *outputs)):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    for wanted, bound in ((outputs, main.outputs), (inputs, main.inputs)):
        if len(set(wanted)) < len(wanted):
            return _DUPLICATE
        bound.set(sw_if_index, wanted)
    if inputs:
        tables.extend_l2_config(sw_if_index)
    return 0


def add_delete(tables: Tables, sw_if_index: int, index: int, *, is_add: bool, is_input: bool) -> None:
    """Apply one more list, behind the others, or one less; raise RefusedError with VPP's code."""
    main = tables.part(AclMain)
    bound = main.inputs if is_input else main.outputs
    lists = list(bound.of(sw_if_index))
    if not is_add:
        if index not in lists:
            raise RefusedError(Retval.NO_SUCH_ENTRY)
        lists.remove(index)
    elif index in lists:
        raise RefusedError(Retval.ACL_IN_USE_INBOUND if is_input else Retval.ACL_IN_USE_OUTBOUND)
    elif not main.lists.has(index):
        raise RefusedError(Retval.NO_SUCH_ENTRY)
    else:
        lists.append(index)
    bound.set(sw_if_index, lists)
    if is_input:
        tables.extend_l2_config(sw_if_index)


def _interface_deleted(tables: Tables, sw_if_index: int) -> None:
    """Apply no lists on an interface that goes away."""
    main = tables.part(AclMain)
    main.inputs.set(sw_if_index, ())
    main.outputs.set(sw_if_index, ())


def _answer_add_replace(call: Call, values: Values) -> Outgoing:
    """Make an access list or replace one; a refusal repeats the index that was asked for."""
    text, end, _ = values["tag"].partition(b"\0")
    try:
        if not end:
            raise RefusedError(Retval.INVALID_VALUE)
        return call.reply(acl_index=add_replace(call.tables, values["acl_index"], text, values["r"]))
    except RefusedError as refusal:
        return call.reply(acl_index=values["acl_index"], retval=refusal.retval)


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show all access lists or one."""
    lists, index = call.tables.part(AclMain).lists, values["acl_index"]
    one = lists.get(index)
    for row in lists if index == NONE else [one] if one is not None else []:
        yield call.details({"acl_index": row.index, "tag": row.tag[:63], "r": row.rules})


def _answer_set_lists(call: Call, values: Values) -> Outgoing:
    """Set all access lists of an interface: the first are inputs, the rest outputs."""
    lists, inputs = values["acls"], values["n_input"]
    return call.reply(retval=set_lists(call.tables, values["sw_if_index"], lists[:inputs], lists[inputs:]))


def _answer_add_delete(call: Call, values: Values) -> None:
    """Apply one more access list on an interface, or one less."""
    sw_if_index, index = values["sw_if_index"], values["acl_index"]
    interfaces.require(call.tables, sw_if_index)
    add_delete(call.tables, sw_if_index, index, is_add=values["is_add"], is_input=values["is_input"])


def _dump_interfaces(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the access lists of all interfaces or one; those without any are shown too."""
    main = call.tables.part(AclMain)
    for row in call.tables.sw:
        if values["sw_if_index"] in {NONE, row.index}:
            inputs, outputs = main.inputs.of(row.index), main.outputs.of(row.index)
            yield call.details({"sw_if_index": row.index, "n_input": len(inputs), "acls": [*inputs, *outputs]})


_ANY = (0, bytes(16), 0)
_WORDS = {"permit+reflect": 2, "permit": 1, "deny": 0}


class _ParsedRule:
    """A rule of a CLI line; what the line does not name has VPP's default."""

    def __init__(self) -> None:
        self.action = 1
        self.source: tuple[int, bytes, int] = _ANY
        self.destination: tuple[int, bytes, int] = _ANY
        self.protocol = 0
        self.source_ports = (0, 0xFFFF)
        self.destination_ports = (0, 0xFFFF)
        self.tcp_flags = (0, 0)

    def rule(self) -> Rule:
        """Return the rule as it stands in the API."""
        ends = (*self.source, *self.destination)
        ports = (*self.source_ports, *self.destination_ports)
        return self.action, *ends, self.protocol & 0xFF, *ports, *self.tcp_flags

    def take(self, line: Input) -> bool:
        """Take one word about this rule."""
        readers: tuple[Callable[[Input], bool], ...] = (self._action, self._ends, self._ports, self._others)
        return any(reader(line) for reader in readers)

    def _action(self, line: Input) -> bool:
        word = next((word for word in _WORDS if line.take(word)), None)
        if word is not None:
            self.action = _WORDS[word]
        return word is not None

    def _ends(self, line: Input) -> bool:
        if line.take("src") and (prefix := line.prefix()) is not None:
            self.source = _network(*prefix)
            return True
        if line.take("dst") and (prefix := line.prefix()) is not None:
            self.destination = _network(*prefix)
            return True
        return False

    def _ports(self, line: Input) -> bool:
        if line.take("sport") and (ports := line.range()) is not None:
            self.source_ports = ports
            return True
        if line.take("dport") and (ports := line.range()) is not None:
            self.destination_ports = ports
            return True
        return False

    def _others(self, line: Input) -> bool:
        if (value := line.number_after("tcpflags")) is not None:
            line.take("mask")
            self.tcp_flags = ((line.number() or 0) & 0xFF, value & 0xFF)
            return True
        if (protocol := line.number_after("proto")) is not None:
            self.protocol = protocol
            return True
        return False


def _network(is_ipv6: bool, address: int, length: int) -> tuple[int, bytes, int]:
    """Return a prefix without host bits, as the CLI reads it."""
    packed = address.to_bytes(16 if is_ipv6 else 4)
    with suppress(ValueError):
        packed = ipaddress.ip_network((packed, length), strict=False).network_address.packed
    return int(is_ipv6), packed.ljust(16, b"\0"), length


def _command_set(tables: Tables, rest: Input) -> str:
    """`set acl-plugin acl [index <n>] <rule> [, <rule>]... [tag <tag>]`; a refusal prints nothing."""
    line = rest.line()
    if line.is_at_end:
        return ""
    index, tag, parsed = NONE, "cli", [_ParsedRule()]
    has_rules = False
    while not line.is_at_end:
        if (number := line.number_after("index")) is not None:
            index = number
        elif line.take("tag"):
            tag = line.string() or ""
        elif line.take(","):
            parsed.append(_ParsedRule())
        elif parsed[-1].take(line):
            has_rules = True
        else:
            break
    rules = [each.rule() for each in parsed] if has_rules or len(parsed) > 1 else []
    with suppress(RefusedError):
        return f"ACL index:{add_replace(tables, index, to_bytes(tag), rules)}\n"
    return ""


def _command_delete(tables: Tables, rest: Input) -> str:
    """`delete acl-plugin acl index <n>`."""
    line = rest.line()
    if line.is_at_end:
        return ""
    index = line.number_after("index")
    delete(tables, NONE if index is None else index)
    return f"Deleted ACL index:{index}\n"


def _command_interface(tables: Tables, rest: Input) -> None:
    """Run `set acl-plugin interface <interface> input|output acl <n> [del]`, which reports no refusal."""
    line = rest.line()
    row, index, is_add, is_input = None, None, True, True
    while not line.is_at_end:
        if (found := line.interface(tables)) is not None:
            row = found
        elif (number := line.number_after("acl")) is not None:
            index = number
        elif (word := next((word for word in ("add", "del", "input", "output") if line.take(word)), None)) is not None:
            is_add = word == "add" if word in {"add", "del"} else is_add
            is_input = word == "input" if word in {"input", "output"} else is_input
        else:
            break
    if row is not None and index is not None:
        with suppress(RefusedError):
            add_delete(tables, row.index, index, is_add=is_add, is_input=is_input)


_INDEX_IN_NAME = re.compile(r"(acl|macip):.*@(\d+)$")


def _load(tables: Tables, state: State, rows: Rows) -> None:
    """Make the access lists at the indexes that the state gives them, and have interfaces apply them."""
    main, indexes = tables.part(AclMain), _load_lists(tables, state.acls)
    for name, row in rows.items():
        binding = state.interfaces[name].acls
        unknown = sorted({*binding.input, *binding.output} - indexes.keys())
        if unknown:
            raise UsageError(f"the state has the access list {unknown[0]} on {name} but no such list")
        main.inputs.set(row.index, [indexes[acl] for acl in binding.input])
        main.outputs.set(row.index, [indexes[acl] for acl in binding.output])


def _load_lists(tables: Tables, acls: Mapping[str, Acl]) -> dict[str, int]:
    """Make the lists and return their indexes by name."""
    lists, indexes = tables.part(AclMain).lists, numbered_as(acls, "acl")
    by_index = {index: acls[name] for name, index in indexes.items()}
    for index in range(max(by_index, default=-1) + 1):
        lists.add(lambda index: AclRow(index=index))
        if index in by_index:
            row = lists[index]
            row.tag, row.rules = to_bytes(by_index[index].tag), [_rule(rule) for rule in by_index[index].rules]
    for index in reversed(range(lists.end)):
        if index not in by_index:
            lists.remove(index)
    return indexes


def numbered_as(acls: Mapping[str, Acl] | Mapping[str, MacipAcl], kind: str) -> dict[str, int]:
    """Return an index for each list, by name. `kind` is `acl` or `macip`.

    The name of another program's list may end in VPP's index of it, `acl:TAG@7`; it gets that one, so that it is read
    back under the same name. Every other list gets its own index, or the lowest free one: lists that differ in their
    index alone are equal.
    """
    matches = ((name, _INDEX_IN_NAME.match(name)) for name in acls)
    named = {name: int(match[2]) for name, match in matches if match is not None and match[1] == kind}
    wanted = {name: named.get(name, acl.index) for name, acl in acls.items()}
    free = (index for index in range(2 * len(acls)) if index not in set(wanted.values()))
    taken = set(named.values())
    indexes = {}
    for name, index in wanted.items():
        is_free = index is not None and (name in named or index not in taken)
        indexes[name] = index if is_free and index is not None else next(free)
        taken.add(indexes[name])
    return indexes


def _rule(rule: AclRule) -> Rule:
    source, destination = ipaddress.ip_network(rule.source), ipaddress.ip_network(rule.destination)
    family = int(source.version == 6)
    ends = (
        family,
        source.network_address.packed.ljust(16, b"\0"),
        source.prefixlen,
        family,
        destination.network_address.packed.ljust(16, b"\0"),
        destination.prefixlen,
    )
    return _ACTIONS[rule.action], *ends, rule.protocol, *rule.source_ports, *rule.destination_ports, *rule.tcp_flags


KIND = Kind(
    plugin="acl",
    changes={
        "acl_add_replace": _answer_add_replace,
        "acl_del": lambda call, values: delete(call.tables, values["acl_index"]),
        "acl_interface_set_acl_list": _answer_set_lists,
        "acl_interface_add_del": _answer_add_delete,
    },
    queries={
        "acl_plugin_get_version": lambda call, _: call.reply(major=_MAJOR, minor=_MINOR),
        "acl_dump": _dump,
        "acl_interface_list_dump": _dump_interfaces,
    },
    commands={
        "set acl-plugin acl": _command_set,
        "set acl-plugin interface": _command_interface,
        "delete acl-plugin acl": _command_delete,
    },
    load=_load,
    deleted=_interface_deleted,
)
