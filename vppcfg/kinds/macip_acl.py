"""MACIP access lists: the section `macip_acls`, and how VPP is given and asked for lists (plugins/acl/acl.c).

Which list an interface applies is a feature of it: `kinds/macip.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from ipaddress import ip_network

from vppcfg.common.release import Release
from vppcfg.common.resemblance import did_you_mean
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.index import Index
from vppcfg.kinds.applied_list import AppliedListKind
from vppcfg.kinds.macip_acl_section import KEY, OTHERS, MacipAclSection, shape_of, unsupported_reason
from vppcfg.model.acl import ONE_MAC, MacipAcl, MacipAction, MacipRule, canonical_macip_rule
from vppcfg.model.attachment import ApiCall, Values, index_placeholder, stored_call
from vppcfg.model.interface import Interface
from vppcfg.model.ownership import unique_names
from vppcfg.model.problem import Problem
from vppcfg.model.state import State
from vppcfg.operations.change import ObjectKind
from vppcfg.operations.operation import Numbering, Operation, Predicate, braced
from vppcfg.operations.request import ALL_INDEXES, NO_INDEX, Indexes, Known, Request, Value, Vocabulary
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import mac_bytes, prefix_values, text_of_address
from vppcfg.wire.reading import Replies, VppReader, tagged_lists

_Shape = tuple[bool, int, str]
_Key = tuple[int, int]


def macip_applied(index: Index) -> Iterator[Problem]:
    """Find MACIP ACLs that interfaces apply and the file lacks."""
    for interface in index.interfaces:
        name = interface.macip
        if name is not None and not index.has_entry(KEY, name, index.configuration.macips):
            text = f"there is no MACIP ACL {name} in this file; add it to `macip_acls`"
            text += did_you_mean(name, index.configuration.macips)
            yield Problem(rule="macip-undefined", path=(*interface.path, "macip"), text=text)


def macip_order(index: Index) -> Iterator[Problem]:
    """Find terms that VPP asks in another order than the file has them, where that matters."""
    for name, config in index.configuration.macips.items():
        found = overruled(config.rules)
        if found is not None:
            earlier, later = (config.positions[number] for number in found)
            text = (
                f"VPP looks at term {later + 1} of {name} first, and both match the same packets of some hosts; give "
                "the exception more bits of prefix or mask, or write the list without one"
            )
            yield Problem(rule="macip-order", path=(*config.path, "terms", earlier), text=text)


def macip_unused(index: Index) -> Iterator[Problem]:
    """Find lists that no interface applies."""
    used = {each.macip for each in index.interfaces}
    return index.unused("macip-unused", index.configuration.macips, used, "no interface has `macip` for")


def overruled(rules: Sequence[MacipRule]) -> tuple[int, int] | None:
    """Return the positions of a rule, and of a later one with another action that VPP may ask first, None for none.

    VPP sorts rules by their masks, those first that look at more bits or are more, ten bits for each rule; of those
    that look for the same, it keeps the last (macip_create_classify_tables in plugins/acl/acl.c).
    """
    shapes: dict[_Shape, list[int]] = defaultdict(list)
    for position, rule in enumerate(rules):
        shapes[shape_of(rule)].append(position)
    weights = {shape: _weight(shape, len(positions)) for shape, positions in shapes.items()}
    for first, asked_first in shapes.items():
        for second, asked_then in shapes.items():
            if first[0] == second[0] and weights[first] >= weights[second]:
                found = _meeting(rules, (first, asked_first), (second, asked_then))
                if found is not None:
                    return found
    return None


def _weight(shape: _Shape, count: int) -> int:
    is_ipv6, length, mask = shape
    return length + int(mask.replace(":", ""), 16).bit_count() + is_ipv6 + 10 * count


def _meeting(
    rules: Sequence[MacipRule], first: tuple[_Shape, list[int]], second: tuple[_Shape, list[int]]
) -> tuple[int, int] | None:
    """Return a rule of the second shape, and a later one of the first with another action, that match the same."""
    length = min(first[0][1], second[0][1])
    mask = int(first[0][2].replace(":", ""), 16) & int(second[0][2].replace(":", ""), 16)
    earliest: dict[tuple[_Key, MacipAction], int] = {}
    for position in reversed(second[1]):
        earliest[_seen(rules[position], length, mask), rules[position].action] = position
    for position in first[1]:
        rule = rules[position]
        for action in MacipAction:
            earlier = earliest.get((_seen(rule, length, mask), action))
            if action is not rule.action and earlier is not None and earlier < position:
                return earlier, position
    return None


def _seen(rule: MacipRule, length: int, mask: int) -> _Key:
    """Return what is seen of a rule through a shorter prefix and a mask."""
    network = ip_network(rule.source)
    return int(network.network_address) >> (network.max_prefixlen - length), int(rule.mac.replace(":", ""), 16) & mask


NOUN = "MACIP access list"
CLI_SINCE = Release(24, 10)
"""VPP's commit e3469369dab (plugins/acl/acl.c)."""
DUMP = "macip_acl_dump"
_DETAILS = "macip_acl_details"
_EGRESS = 3
_NUMBERS = {MacipAction.DENY: 0, MacipAction.PERMIT: 1, MacipAction.PERMIT_AND_EGRESS: _EGRESS}
"""What VPP makes of the numbers (plugins/acl/acl.c, macip_permit_also_egress); all others permit."""
_RULE = ("is_permit", "src_mac", "src_mac_mask", "src_prefix.address.af", "src_prefix.address.un", "src_prefix.len")
_WORDS = {MacipAction.DENY: "deny", MacipAction.PERMIT: "permit", MacipAction.PERMIT_AND_EGRESS: "action 3"}


@record
class MacipOperation(Operation):
    """An operation on a MACIP access list."""

    noun = NOUN
    numbered = NOUN

    macip: str

    @property
    def subject(self) -> str:
        return self.macip


@record
class CreateMacip(MacipOperation):
    """macip_acl_add_replace: make a MACIP access list; VPP picks its index."""

    cli_since = CLI_SINCE
    numbering = Numbering.GIVES
    rules: tuple[MacipRule, ...]
    tag: str

    def _refusal(self, working: WorkingState) -> str | None:
        return f"the MACIP access list {self.macip} exists" if self.macip in working.macips else None

    def apply_to(self, working: WorkingState) -> None:
        working.macips[self.macip] = MacipAcl(rules=self.rules, tag=self.tag)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Replace no list, which adds one."""
        return _add_replace(NO_INDEX, self.tag, self.rules)

    def cli(self) -> str:
        return f"set acl-plugin macip acl {', '.join(map(_rule_words, self.rules))} tag {braced(self.tag)}"


@record
class ReplaceMacip(MacipOperation):
    """macip_acl_add_replace: give a MACIP access list other rules, at once and on all interfaces that apply it."""

    rules: tuple[MacipRule, ...]
    tag: str

    def _refusal(self, working: WorkingState) -> str | None:
        return None if self.macip in working.macips else f"there is no MACIP access list {self.macip}"

    def apply_to(self, working: WorkingState) -> None:
        working.macips[self.macip] = replace(working.macips[self.macip], rules=self.rules, tag=self.tag)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _add_replace(indexes.number(NOUN, self.macip), self.tag, self.rules)

    def cli(self) -> None:
        """Return nothing: the CLI makes a new list each time."""

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("has other rules for hosts", "have other rules for hosts")


@record
class DeleteMacip(MacipOperation):
    """macip_acl_del: remove a MACIP access list that no interface applies.

    VPP would remove one in use as well, and without a word let everything pass where it was applied.
    """

    cli_since = CLI_SINCE
    numbering = Numbering.FREES
    index: int | None = None
    """VPP's own number for the list, which its CLI needs."""

    def _refusal(self, working: WorkingState) -> str | None:
        users = sorted(working.bound_macips.to(self.macip))
        if users:
            return f"the MACIP access list {self.macip} is in use on {users[0]}"
        return None if self.macip in working.macips else f"there is no MACIP access list {self.macip}"

    def apply_to(self, working: WorkingState) -> None:
        del working.macips[self.macip]

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("macip_acl_del", {"acl_index": indexes.number(NOUN, self.macip)})

    def cli(self) -> str | None:
        return None if self.index is None else f"delete acl-plugin macip acl index {self.index}"


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


def _rule_words(rule: MacipRule) -> str:
    """Write a rule; the mask of one that looks at all of the MAC address is what the CLI takes without any."""
    mask = "" if rule.mac_mask == ONE_MAC else f" mask {rule.mac_mask}"
    return f"{_WORDS[rule.action]} ip {rule.source} mac {rule.mac}{mask}"


class MacipAcls(MacipAclSection, AppliedListKind[MacipAcl]):
    """The lists of a file, and those of VPP."""

    table = "macips"
    object_class = MacipAcl
    object_kind = ObjectKind.MACIP
    noun = NOUN
    others = OTHERS
    numbered = NOUN
    used_in = ("macip",)
    is_always_in_documents = False
    unmanaged_pattern = f"{OTHERS}*"
    mistaken_patterns = ("macip", "macips", KEY, OTHERS)
    rules = (macip_applied, macip_order, macip_unused)
    operations = (CreateMacip, ReplaceMacip, DeleteMacip)

    def applied(self, interface: Interface) -> dict[str, tuple[str, ...]]:
        """Return the list that an interface applies, if any."""
        return {"": () if interface.macip is None else (interface.macip,)}

    def application(self, item: MacipAcl, interface: str, direction: str) -> ApiCall:
        """Return the call that applies a list in place of another one."""
        values: Values = {"is_add": 1, "sw_if_index": index_placeholder(interface)}
        index = NO_INDEX if item.index is None else item.index
        return stored_call("macip_acl_interface_add_del", {**values, "acl_index": index})

    def unsupported_reason(self, name: str, item: MacipAcl) -> str | None:
        """Return why no file can express an observed list, None when one can."""
        return unsupported_reason(name, item)

    def used_by(self, interface: Interface, state: State) -> Iterable[str]:
        """Return the list that an interface applies."""
        return () if interface.macip is None else (interface.macip,)

    def unsupported_use(self, interface: Interface, state: State) -> str | None:
        """Return that VPP does not show the list that an interface applies, None where it does."""
        if interface.macip is None or interface.macip in state.macips:
            return None
        return "it applies a MACIP access list that VPP does not show"

    def use(self, name: str) -> str:
        """Return the words for an interface that applies the list."""
        return f"it applies the MACIP list {name.removeprefix(OTHERS)}"

    def users(self, name: str, working: WorkingState) -> Collection[str]:
        """Return the interfaces that apply a list."""
        return working.bound_macips.to(name)

    def copy_unmanaged(self, desired: DesiredStateBuilder) -> None:
        """Enter the lists of other programs, and those that an interface applies that is not ours."""
        own = desired.configuration.macips
        applied = {interface.macip for interface in desired.interfaces.values() if interface.macip not in own}
        for name, macip in desired.observed.macips.items():
            glob = None if name in own else self.unmanaged_name(name, macip)
            if name in applied or desired.is_somebody_elses(macip.tag, glob):
                desired.macips[name] = macip

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all lists, where VPP has the plugin."""
        return [connection.request(DUMP, {"acl_index": ALL_INDEXES})[1]] if connection.offers(DUMP) else []

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[str, MacipAcl]:
        lists = _read_lists(connection, replies)
        return {name: lists[index] for index, name in names_of(lists).items()}

    def read_indexes(self, connection: VppReader) -> dict[str, int]:
        replies = connection.ask(self.requests(connection))
        return {name: index for index, name in read_names(connection, replies).items()}

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


def read_names(connection: VppReader, replies: Replies) -> dict[int, str]:
    """Return the name of every list by its index."""
    return names_of(_read_lists(connection, replies))


def _read_lists(connection: VppReader, replies: Replies) -> dict[int, MacipAcl]:
    """Return the lists by VPP's index."""
    if not connection.offers(DUMP):
        return {}
    found = tagged_lists(connection, replies, _DETAILS, _RULE, _rule)
    return {index: MacipAcl(rules=rules, tag=tag, index=index) for index, (tag, rules) in found.items()}


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
    return unique_names({index: each.tag for index, each in lists.items()}, OTHERS)


KIND = MacipAcls()
