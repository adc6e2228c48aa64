"""Access lists: the section `acls`, how VPP is asked for lists and for who applies them, and when both are set.

Lists of allowed EtherTypes are other objects of the plugin and are left alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from vppcfg.engine.kind import Questions
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.kinds.acl_operations import NOUN, BindAcls, CreateAcl, DeleteAcl, ReplaceAcl
from vppcfg.kinds.acl_rules import RULES
from vppcfg.kinds.acl_section import KEY, OTHERS, PLUGIN, AclSection, unsupported_reason
from vppcfg.kinds.applied_list import AppliedListKind
from vppcfg.kinds.policy_route_section import in_file, of_others
from vppcfg.model.acl import Acl, AclAction, AclBinding, AclRule, canonical_rule
from vppcfg.model.attachment import ApiCall, Values, index_placeholder, stored_call
from vppcfg.model.interface import Interface
from vppcfg.model.ownership import unique_names
from vppcfg.model.state import State
from vppcfg.operations.change import ObjectKind
from vppcfg.operations.request import ALL_INDEXES, NO_INDEX, Known
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.operations.working_state import WorkingState
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.reading import Replies, VppReader, tagged_lists

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
_NO_ACLS = AclBinding()


class _Bindings:
    """Which lists interfaces apply: VPP answers for every interface, so it is asked only where it has lists."""

    def __init__(self, connection: VppReader, names: Mapping[int, str]) -> None:
        """Ask about the lists that have `names` by their index."""
        self._names = names
        dump = connection.request("acl_interface_list_dump", {"sw_if_index": ALL_INDEXES})[1] if names else None
        self.requests = [] if dump is None else [dump]

    def read(self, connection: VppReader, replies: Replies) -> dict[int, AclBinding]:
        """Return what every interface applies that applies anything, by its index."""
        if not self._names:
            return {}
        bindings = {}
        for (index, inputs), acls in connection.lists(replies, _BINDING, ("sw_if_index", "n_input"), ""):
            if acls:
                applied = tuple(self._names.get(acl, f"{OTHERS}@{acl}") for (acl,) in acls)
                bindings[index] = AclBinding(input=applied[:inputs], output=applied[inputs:])
        return bindings


class Acls(AclSection, AppliedListKind[Acl]):
    """The lists of a file, those of VPP, and the key `acls` of interfaces in plans."""

    table = "acls"
    object_class = Acl
    object_kind = ObjectKind.ACL
    noun = NOUN
    others = OTHERS
    numbered = NOUN
    api_module = PLUGIN
    used_in = ("acls", "policy_routes")
    on_interfaces = ("acls",)
    capabilities: ClassVar = {PLUGIN: _DUMP}
    unmanaged_pattern = f"{OTHERS}*"
    mistaken_patterns = ("acl", KEY, OTHERS)
    rules = RULES
    operations = (CreateAcl, ReplaceAcl, DeleteAcl, BindAcls)

    def applied(self, interface: Interface) -> dict[str, tuple[str, ...]]:
        """Return the lists that an interface applies to what comes in and to what goes out."""
        return {"input": interface.acls.input, "output": interface.acls.output}

    def application(self, item: Acl, interface: str, direction: str) -> ApiCall:
        """Return the call that puts a list behind all others of an interface."""
        index = NO_INDEX if item.index is None else item.index
        values: Values = {"is_add": 1, "is_input": direction == "input", "sw_if_index": index_placeholder(interface)}
        return stored_call("acl_interface_add_del", {**values, "acl_index": index})

    def unsupported_reason(self, name: str, item: Acl) -> str | None:
        """Return why no file can express an observed list, None when one can."""
        return unsupported_reason(name, item)

    def used_by(self, interface: Interface, state: State) -> Iterable[str]:
        """Return the lists that an interface applies, and those that its policy routes look at."""
        return (*interface.acls.input, *interface.acls.output, *(each.acl for each in in_file(interface, state)))

    def unsupported_use(self, interface: Interface, state: State) -> str | None:
        """Return that VPP does not show a list that an interface applies, None where it does."""
        is_known = all(name in state.acls for name in (*interface.acls.input, *interface.acls.output))
        return None if is_known else "it applies an access list that VPP does not show"

    def use(self, name: str) -> str:
        """Return that it applies the list."""
        return f"it applies the access list {name.removeprefix(OTHERS)}"

    def users(self, name: str, working: WorkingState) -> Collection[str]:
        """Return the interfaces that apply a list, or steer packets by it."""
        return working.bound.to(name) | working.steered.to(name)

    def copy_unmanaged(self, desired: DesiredStateBuilder) -> None:
        """Enter the lists of other programs, and those that an interface applies that is not ours."""
        own, entries = desired.configuration.acls, desired.configuration.interfaces
        applied: set[str] = set()
        for interface in desired.interfaces.values():
            applied.update(interface.acls.input, interface.acls.output)
        for interface in desired.observed.interfaces.values():
            config = entries.get(interface.name)
            if interface.policy_routes and (config is None or config.policy_routes is None):
                applied.update(each.acl for each in of_others(interface))
        for name, acl in desired.observed.acls.items():
            glob = None if name in own else self.unmanaged_name(name, acl)
            if (name in applied and name not in own) or desired.is_somebody_elses(acl.tag, glob):
                desired.acls[name] = acl

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all lists, where VPP has the plugin."""
        return [connection.request(_DUMP, {"acl_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []

    def interface_questions(
        self, connection: VppReader, replies: Replies, indexes: Sequence[int]
    ) -> dict[str, Questions[Any]]:
        """Return what is asked about the lists that interfaces apply."""
        return {"acls": _Bindings(connection, _names_of(_read(connection, replies)))}

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[str, Acl]:
        lists = _read(connection, replies)
        return {name: lists[index] for index, name in _names_of(lists).items()}

    def read_indexes(self, connection: VppReader) -> dict[str, int]:
        lists = _read(connection, connection.ask(self.requests(connection)))
        return {name: index for index, name in _names_of(lists).items()}

    def setting_steps(self, transition: Transition) -> Iterator[Step]:
        """Yield the steps that create, rewrite and delete lists."""
        for change in transition.difference.of(ObjectKind.ACL):
            name, before, after = change.name, change.before, change.after
            index = before.index if before else None
            if after is None:
                yield Step(stage=Stage.DELETE_ACL, operation=DeleteAcl(acl=name, index=index))
            elif before is None:
                yield Step(stage=Stage.WRITE_ACL, operation=CreateAcl(acl=name, rules=after.rules, tag=after.tag))
            else:
                rewrite = ReplaceAcl(acl=name, rules=after.rules, tag=after.tag, index=index)
                yield Step(stage=Stage.WRITE_ACL, operation=rewrite)

    def interface_steps(self, transition: Transition, name: str) -> Iterator[Step]:
        """Yield the steps that set which access lists an interface applies.

        They are taken off before the interface is put into L2 mode: the first frame that a cross-connect sends to one
        with lists that still routes crashes VPP 26.10. Bound again, they look at frames too.
        """
        before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
        if before is not None and before.acls and name in transition.to_delete:
            yield Step(stage=Stage.TURN_OFF, operation=BindAcls(interface=name, binding=_NO_ACLS))
        kept = transition.kept(name)
        is_changed = after is not None and kept is not None and after.acls != kept.acls
        gets_frames = transition.puts_into_l2(name) or (is_changed and name in transition.targets)
        if kept is not None and kept.acls and gets_frames:
            yield Step(stage=Stage.TURN_OFF_FOR_L2, operation=BindAcls(interface=name, binding=_NO_ACLS))
            if after is not None and after.acls:
                yield Step(stage=Stage.TURN_ON_IN_L2, operation=BindAcls(interface=name, binding=after.acls))
        elif after is not None and after.acls != (kept.acls if kept else _NO_ACLS):
            yield Step(stage=Stage.BIND_ACLS, operation=BindAcls(interface=name, binding=after.acls))


def _read(connection: VppReader, replies: Replies) -> dict[int, Acl]:
    """Return the lists by VPP's index."""
    if not connection.offers(_DUMP):
        return {}
    found = tagged_lists(connection, replies, _DETAILS, _RULE, _rule)
    return {index: Acl(rules=rules, tag=tag, index=index) for index, (tag, rules) in found.items()}


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


def _names_of(acls: Mapping[int, Acl]) -> dict[int, str]:
    """Return the name of every list by its index: ours by its tag, another by `acl:` and its tag."""
    return unique_names({index: acl.tag for index, acl in acls.items()}, OTHERS)


KIND = Acls()
