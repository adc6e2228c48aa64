"""Access lists (plugins/acl/acl.c); the CLI names them by index, and cannot set an interface's lists at once."""

from __future__ import annotations

from vppcfg.model.acl import AclRule
from vppcfg.plan.operations import BindAcls, CreateAcl, DeleteAcl, ReplaceAcl
from vppcfg.render.cli_lines.dispatch import braced, line_of


@line_of.register
def _(operation: CreateAcl) -> str:
    return f"set acl-plugin acl {_rules(operation.rules)} tag {braced(operation.tag)}"


@line_of.register
def _(operation: ReplaceAcl) -> str | None:
    if operation.index is None:
        return None
    return f"set acl-plugin acl index {operation.index} {_rules(operation.rules)} tag {braced(operation.tag)}"


@line_of.register
def _(operation: DeleteAcl) -> str | None:
    return None if operation.index is None else f"delete acl-plugin acl index {operation.index}"


@line_of.register
def _(operation: BindAcls) -> None:
    return None


def _rules(rules: tuple[AclRule, ...]) -> str:
    return ", ".join(_rule(rule) for rule in rules)


def _rule(rule: AclRule) -> str:
    words = [rule.action.value, f"src {rule.source} dst {rule.destination} proto {rule.protocol}"]
    words.append(f"sport {_range(rule.source_ports)} dport {_range(rule.destination_ports)}")
    if rule.tcp_flags != (0, 0):
        mask, value = rule.tcp_flags
        words.append(f"tcpflags {value} mask {mask}")
    return " ".join(words)


def _range(ports: tuple[int, int]) -> str:
    return f"{ports[0]}-{ports[1]}"
