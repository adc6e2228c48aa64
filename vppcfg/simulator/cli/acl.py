"""CLI commands for access lists (plugins/acl/acl.c); most refusals go unsaid there."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from contextlib import suppress

from vppcfg.simulator.mains.acl import Rule
from vppcfg.simulator.retval import RefusedError
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.unformat import Input
from vppcfg.simulator.vnet import acl
from vppcfg.simulator.wire import NONE, to_bytes

_ANY = (0, bytes(16), 0)
_ACTIONS = {"permit+reflect": 2, "permit": 1, "deny": 0}


class _Draft:
    """A rule that is being read; what is not said stays as VPP has it."""

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
        word = next((word for word in _ACTIONS if line.take(word)), None)
        if word is not None:
            self.action = _ACTIONS[word]
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


def set_acl(tables: Tables, rest: Input) -> str:
    """`set acl-plugin acl [index <n>] <rule> [, <rule>]... [tag <tag>]`; a refusal prints nothing."""
    line = rest.line()
    if line.is_at_end:
        return ""
    index, tag, drafts = NONE, "cli", [_Draft()]
    is_said = False
    while not line.is_at_end:
        if (number := line.number_after("index")) is not None:
            index = number
        elif line.take("tag"):
            tag = line.string() or ""
        elif line.take(","):
            drafts.append(_Draft())
        elif drafts[-1].take(line):
            is_said = True
        else:
            break
    rules = [draft.rule() for draft in drafts] if is_said or len(drafts) > 1 else []
    with suppress(RefusedError):
        return f"ACL index:{acl.add_replace(tables, index, to_bytes(tag), rules)}\n"
    return ""


def delete_acl(tables: Tables, rest: Input) -> str:
    """`delete acl-plugin acl index <n>`."""
    line = rest.line()
    if line.is_at_end:
        return ""
    index = line.number_after("index")
    acl.delete(tables, NONE if index is None else index)
    return f"Deleted ACL index:{index}\n"


def set_interface(tables: Tables, rest: Input) -> str:
    """`set acl-plugin interface <interface> input|output acl <n> [del]`; no refusal is told."""
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
            acl.add_delete(tables, row.index, index, is_add=is_add, is_input=is_input)
    return ""
