"""Operations on access lists, and on which of them interfaces apply (plugins/acl/acl.c)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vppcfg.model.acl import Acl, AclAction, AclBinding, AclRule
from vppcfg.model.state import State
from vppcfg.operations.operation import InterfaceOperation, Numbering, Operation, Predicate, braced
from vppcfg.operations.pause import Pause, PauseContext, of_applied_terms, of_replaced_terms
from vppcfg.operations.request import NO_INDEX, Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import prefix_values

NOUN = "access list"
_ACTION_NUMBERS = {AclAction.DENY: 0, AclAction.PERMIT: 1, AclAction.PERMIT_REFLECT: 2}
"""acl_action (plugins/acl/acl_types.api)."""


@record
class AclOperation(Operation):
    """An operation on an access list."""

    noun = NOUN
    numbered = NOUN

    acl: str

    @property
    def subject(self) -> str:
        return self.acl


@record
class CreateAcl(AclOperation):
    """acl_add_replace: make an access list; VPP picks its index."""

    numbering = Numbering.GIVES
    rules: tuple[AclRule, ...]
    tag: str

    def _refusal(self, working: WorkingState) -> str | None:
        return f"the access list {self.acl} exists" if self.acl in working.acls else None

    def apply_to(self, working: WorkingState) -> None:
        working.acls[self.acl] = Acl(rules=self.rules, tag=self.tag)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Replace no list, which adds one."""
        return _add_replace(NO_INDEX, self.tag, self.rules)

    def cli(self) -> str:
        return f"set acl-plugin acl {_acl_rules(self.rules)} tag {braced(self.tag)}"


@record
class ReplaceAcl(AclOperation):
    """acl_add_replace: give an access list other rules, at once and on all interfaces that apply it."""

    rules: tuple[AclRule, ...]
    tag: str
    index: int | None = None
    """VPP's own number for the list, which its CLI needs."""

    def _refusal(self, working: WorkingState) -> str | None:
        return None if self.acl in working.acls else f"there is no access list {self.acl}"

    def apply_to(self, working: WorkingState) -> None:
        working.acls[self.acl] = replace(working.acls[self.acl], rules=self.rules, tag=self.tag)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _add_replace(indexes.number(NOUN, self.acl), self.tag, self.rules)

    def cli(self) -> str | None:
        if self.index is None:
            return None
        return f"set acl-plugin acl index {self.index} {_acl_rules(self.rules)} tag {braced(self.tag)}"

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("has other rules", "have other rules")

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: each interface that applies it has hash tables of its own."""
        return of_replaced_terms(len(self.rules), context.bindings[self.acl])


@record
class DeleteAcl(AclOperation):
    """acl_del: remove an access list that no interface applies."""

    numbering = Numbering.FREES
    index: int | None = None
    """VPP's own number for the list, which its CLI needs."""

    def _refusal(self, working: WorkingState) -> str | None:
        users = sorted(working.bound.to(self.acl) | working.steered.to(self.acl))
        if users:
            return f"the access list {self.acl} is in use on {users[0]}"
        return None if self.acl in working.acls else f"there is no access list {self.acl}"

    def apply_to(self, working: WorkingState) -> None:
        del working.acls[self.acl]

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("acl_del", {"acl_index": indexes.number(NOUN, self.acl)})

    def cli(self) -> str | None:
        return None if self.index is None else f"delete acl-plugin acl index {self.index}"


@record
class BindAcls(InterfaceOperation):
    """acl_interface_set_acl_list: set all access lists that an interface applies, in order and at once."""

    numbered = NOUN
    binding: AclBinding

    def _refusal(self, working: WorkingState) -> str | None:
        for name in (*self.binding.input, *self.binding.output):
            if name not in working.acls:
                return f"there is no access list {name}"
        return None

    def apply_to(self, working: WorkingState) -> None:
        before = working.interfaces[self.interface].acls
        working.bound.drop(self.interface, {*before.input, *before.output})
        working.bound.add(self.interface, {*self.binding.input, *self.binding.output})
        working.change(self.interface, acls=self.binding)

    def objection(self) -> str:
        """Return why VPP must not get this operation, '' when it may.

        A list twice in one direction is refused after the other direction has been changed
        (acl_interface_set_acl_list in plugins/acl/acl.c).
        """
        for direction in (self.binding.input, self.binding.output):
            if len(direction) > len(set(direction)):
                return "VPP applies an access list only once in a direction"
        return ""

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        binding = self.binding
        values: dict[str, Value] = {
            "sw_if_index": indexes.interface(self.interface),
            "n_input": len(binding.input),
        }
        elements = [{"": indexes.number(NOUN, name)} for name in (*binding.input, *binding.output)]
        return Request("acl_interface_set_acl_list", values, "acls", elements)

    def cli(self) -> None:
        """Return nothing: the CLI can add and remove one list, not set them all at once."""

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("applies other access lists", "apply other access lists")

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: the rules are put into hash tables of the interface."""
        known = context.observed.interfaces.get(self.interface)
        before = known.acls if known is not None else AclBinding()
        names = (*before.input, *before.output, *self.binding.input, *self.binding.output)
        lists = (context.desired.acls.get(name) or context.observed.acls.get(name) for name in names)
        terms = sum(len(each.rules) for each in lists if each is not None)
        return of_applied_terms(terms, context)


def _acl_rules(rules: tuple[AclRule, ...]) -> str:
    return ", ".join(_acl_rule(rule) for rule in rules)


def _acl_rule(rule: AclRule) -> str:
    words = [rule.action.value, f"src {rule.source} dst {rule.destination} proto {rule.protocol}"]
    words.append(f"sport {_port_range(rule.source_ports)} dport {_port_range(rule.destination_ports)}")
    if rule.tcp_flags != (0, 0):
        mask, value = rule.tcp_flags
        words.append(f"tcpflags {value} mask {mask}")
    return " ".join(words)


def _port_range(ports: tuple[int, int]) -> str:
    return f"{ports[0]}-{ports[1]}"


def _add_replace(index: Value, tag: str, rules: Sequence[AclRule]) -> Request:
    return Request("acl_add_replace", {"acl_index": index, "tag": tag}, "r", [_rule_values(rule) for rule in rules])


def _rule_values(rule: AclRule) -> dict[str, Value]:
    return {
        "is_permit": _ACTION_NUMBERS[rule.action],
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
