"""MACIP access lists: their rules, the names by which they are known, and who applies each (plugins/acl/acl.c).

The section of the file and its rules are apart, in `config/`: they share terms and prefix lists with `acls`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from vppcfg.common.release import Release
from vppcfg.config.yaml.text import Value
from vppcfg.kinds.feature import FeatureKind
from vppcfg.model.acl import ONE_MAC, MacipAcl, MacipAction, MacipRule, canonical_macip_rule
from vppcfg.model.interface import Interface
from vppcfg.model.ownership import unique_names
from vppcfg.model.state import State
from vppcfg.plan.change import Change, ObjectKind, table_changes
from vppcfg.plan.feature import SetFeature
from vppcfg.plan.operation import Operation, Predicate, braced
from vppcfg.plan.request import ALL_INDEXES, NO_INDEX, Indexes, Known, Request, Vocabulary
from vppcfg.plan.request import Value as MessageValue
from vppcfg.plan.stages import Stage, Step
from vppcfg.plan.transition import Transition
from vppcfg.plan.working_state import WorkingState
from vppcfg.record import record
from vppcfg.vpp.address_codec import mac_bytes, prefix_values, text_of_address
from vppcfg.vpp.reading import Replies, VppReader, malformed, text_of

_DUMP, _BINDINGS = "macip_acl_dump", "macip_acl_interface_list_dump"
_DETAILS = "macip_acl_details"
_EGRESS = 3
_NUMBERS = {MacipAction.DENY: 0, MacipAction.PERMIT: 1, MacipAction.PERMIT_AND_EGRESS: _EGRESS}
"""What VPP makes of the numbers (plugins/acl/acl.c, macip_permit_also_egress); all others permit."""
_RULE = ("is_permit", "src_mac", "src_mac_mask", "src_prefix.address.af", "src_prefix.address.un", "src_prefix.len")
_WORDS = {MacipAction.DENY: "deny", MacipAction.PERMIT: "permit", MacipAction.PERMIT_AND_EGRESS: "action 3"}
_CLI_SINCE = Release(24, 10)
"""VPP's commit e3469369dab (plugins/acl/acl.c)."""


@record
class MacipOperation(Operation):
    """An operation on a MACIP access list."""

    noun = "MACIP access list"

    macip: str

    @property
    def subject(self) -> str:
        """Return the name of the list."""
        return self.macip


@record
class CreateMacip(MacipOperation):
    """macip_acl_add_replace: make a MACIP access list; VPP picks its index."""

    cli_since = _CLI_SINCE
    rules: tuple[MacipRule, ...]
    tag: str

    def _refusal(self, working: WorkingState) -> str | None:
        return f"the MACIP access list {self.macip} exists" if self.macip in working.macips else None

    def apply_to(self, working: WorkingState) -> None:
        """Enter the list."""
        working.macips[self.macip] = MacipAcl(rules=self.rules, tag=self.tag)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Replace no list, which adds one."""
        return _add_replace(NO_INDEX, self.tag, self.rules)

    def cli(self) -> str:
        """Return the command."""
        return f"set acl-plugin macip acl {', '.join(map(_rule_words, self.rules))} tag {braced(self.tag)}"


@record
class ReplaceMacip(MacipOperation):
    """macip_acl_add_replace: give a MACIP access list other rules, at once and on all interfaces that apply it."""

    rules: tuple[MacipRule, ...]
    tag: str

    def _refusal(self, working: WorkingState) -> str | None:
        return None if self.macip in working.macips else f"there is no MACIP access list {self.macip}"

    def apply_to(self, working: WorkingState) -> None:
        """Give the list its new rules and tag."""
        working.macips[self.macip] = replace(working.macips[self.macip], rules=self.rules, tag=self.tag)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return _add_replace(indexes.macip(self.macip), self.tag, self.rules)

    def cli(self) -> None:
        """Return nothing: the CLI makes a new list each time."""

    def effect(self, observed: State, desired: State) -> Predicate:
        """Return what it does to its object."""
        return Predicate("has other rules for hosts", "have other rules for hosts")


@record
class DeleteMacip(MacipOperation):
    """macip_acl_del: remove a MACIP access list that no interface applies.

    VPP would remove one in use as well, and without a word let everything pass where it was applied.
    """

    cli_since = _CLI_SINCE
    index: int | None = None
    """VPP's own number for the list, which its CLI wants."""

    def _refusal(self, working: WorkingState) -> str | None:
        users = sorted(working.bound_macips.to(self.macip))
        if users:
            return f"the MACIP access list {self.macip} is in use on {users[0]}"
        return None if self.macip in working.macips else f"there is no MACIP access list {self.macip}"

    def apply_to(self, working: WorkingState) -> None:
        """Take the list out."""
        del working.macips[self.macip]

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Return the message."""
        return Request("macip_acl_del", {"acl_index": indexes.macip(self.macip)})

    def cli(self) -> str | None:
        """Return the command."""
        return None if self.index is None else f"delete acl-plugin macip acl index {self.index}"


@record
class SetMacip(SetFeature):
    """macip_acl_interface_add_del: apply a MACIP access list to what comes in, in place of another one, or none."""

    cli_since = _CLI_SINCE
    attribute = "macip"
    macip: str | None
    """None applies none."""
    index: int | None = None
    """VPP's own number for the list, which its CLI wants; None for one that the same plan makes."""

    @property
    def inverse(self) -> SetMacip:
        """Return the operation that applies none."""
        return SetMacip(interface=self.interface, macip=None)

    @property
    def looks_at_frames(self) -> bool:
        """Return True: in L2 mode, VPP asks the list by a bit that it forgets on the way (vnet/l2/l2_input.c)."""
        return True

    def applied(self, value: Any) -> str | None:
        """Return the list that is applied then."""
        return self.macip

    def _refusal(self, working: WorkingState) -> str | None:
        if self.macip is None:
            is_bound = working.interfaces[self.interface].macip is not None
            return None if is_bound else f"{self.interface} applies no MACIP access list"
        return None if self.macip in working.macips else f"there is no MACIP access list {self.macip}"

    def apply_to(self, working: WorkingState) -> None:
        """Set what the interface applies, and note who applies what."""
        before = working.interfaces[self.interface].macip
        working.bound_macips.drop(self.interface, [] if before is None else [before])
        working.bound_macips.add(self.interface, [] if self.macip is None else [self.macip])
        SetFeature.apply_to(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Name the list that is applied; VPP does not look at it where it applies none."""
        values: dict[str, MessageValue] = {
            "is_add": int(self.macip is not None),
            "sw_if_index": indexes.interface(self.interface),
            "acl_index": NO_INDEX if self.macip is None else indexes.macip(self.macip),
        }
        return Request("macip_acl_interface_add_del", values)

    def cli(self) -> str | None:
        """Write the command, which wants the number of a list also where it takes one off, and does not look at it."""
        if self.macip is None:
            return f"set acl-plugin macip interface {self.interface} del acl 0"
        if self.index is None:
            return None
        return f"set acl-plugin macip interface {self.interface} add acl {self.index}"


def _add_replace(index: MessageValue, tag: str, rules: Sequence[MacipRule]) -> Request:
    elements = [_rule_values(rule) for rule in rules]
    return Request("macip_acl_add_replace", {"acl_index": index, "tag": tag}, "r", elements)


def _rule_values(rule: MacipRule) -> dict[str, MessageValue]:
    return {
        "is_permit": _NUMBERS[rule.action],
        "src_mac": mac_bytes(rule.mac),
        "src_mac_mask": mac_bytes(rule.mac_mask),
        **prefix_values("src_prefix", rule.source),
    }


def _rule_words(rule: MacipRule) -> str:
    """Write a rule; the mask of one that looks at all of the MAC address is what the CLI takes without any."""
    mask = "" if rule.mac_mask == ONE_MAC else f" mask {rule.mac_mask}"
    return f"{_WORDS[rule.action]} ip {rule.source} mac {rule.mac}{mask}"


class MacipKind(FeatureKind[str | None]):
    """The key `macip` of interfaces, and the lists in VPP."""

    nodes = "ip[46]-inacl|l2-input-acl"
    key = "macip"
    attribute = "macip"
    plugin = "acl"
    reason = "an interface applies a MACIP ACL"
    is_of_bond = True
    turn_on = Stage.BIND_ACLS
    operations = (CreateMacip, ReplaceMacip, DeleteMacip, SetMacip)

    def completed(self, operation: SetFeature, transition: Transition) -> SetFeature:
        """Return an operation with VPP's number of its list, for the CLI."""
        if not isinstance(operation, SetMacip) or operation.macip is None:
            return operation
        known = transition.observed.macips.get(operation.macip)
        return operation if known is None else replace(operation, index=known.index)

    def parse(self, raw: str) -> str:
        """Return the name of the list."""
        return raw

    def as_yaml(self, value: str | None) -> Value:
        """Return the value of the key."""
        return value or ""

    def setters(self, name: str, value: str | None) -> Iterable[SetMacip]:
        """Return the operation that applies the list."""
        return [SetMacip(interface=name, macip=value)] if value is not None else []

    def has_nodes_on(self, interface: Interface) -> bool:
        """Return whether it has a list: others may have classifiers there."""
        return interface.macip is not None

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for all lists, and for the interfaces that apply any."""
        if not connection.offers(_DUMP):
            return []
        lists = connection.request(_DUMP, {"acl_index": ALL_INDEXES})[1]
        return [lists, connection.request(_BINDINGS, {"sw_if_index": ALL_INDEXES})[1]]

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, str | None]:
        """Return the name of the list that each interface applies, by its index."""
        if not connection.offers(_DUMP):
            return {}
        names = names_of(_read_lists(connection, replies))
        found: dict[int, str | None] = {}
        for (index,), lists in connection.lists(replies, "macip_acl_interface_list_details", ("sw_if_index",), ""):
            for (macip,) in lists:
                if macip != NO_INDEX:
                    found[index] = names.get(macip, f"macip:@{macip}")
        return found

    def read_settings(
        self, connection: VppReader, replies: Replies, tables: Collection[str], version: str
    ) -> dict[str, Any]:
        """Return the lists by name."""
        lists = _read_lists(connection, replies)
        return {"macips": {name: lists[index] for index, name in names_of(lists).items()}}

    def read_indexes(self, connection: VppReader) -> dict[str, int]:
        """Ask VPP for the index of every list by its name."""
        lists = _read_lists(connection, connection.ask(self.requests(connection)))
        return {name: index for index, name in names_of(lists).items()}

    def changes(self, observed: State, desired: State) -> Iterator[Change[Any]]:
        """Yield the lists that appear, change and disappear."""
        return table_changes(ObjectKind.MACIP, observed.macips, desired.macips)

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that make, rewrite or delete lists."""
        for change in transition.difference.of(ObjectKind.MACIP):
            name, before, after = change.name, change.before, change.after
            if after is None:
                index = before.index if before else None
                yield Step(stage=Stage.DELETE_ACL, operation=DeleteMacip(macip=name, index=index))
            else:
                write = CreateMacip if before is None else ReplaceMacip
                yield Step(stage=Stage.WRITE_ACL, operation=write(macip=name, rules=after.rules, tag=after.tag))


def _read_lists(connection: VppReader, replies: Replies) -> dict[int, MacipAcl]:
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


KIND = MacipKind()
