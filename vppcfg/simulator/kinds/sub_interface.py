"""Simulates sub-interfaces, each of which has a place in the VLAN tables of its port (vnet/ethernet)."""

from __future__ import annotations

from vppcfg.errors import UsageError
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch
from vppcfg.simulator import interfaces
from vppcfg.simulator.command_line import CHECKS_NUMBERS, Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.retval import RefusedError, Retval, refused_as, required
from vppcfg.simulator.tables import IDS_HAVE_NO_SIGN, Flag, InterfaceEvent, SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_LAST_VLAN = 4095


def template_for(parent_index: int, sub_id: int, flags: int, outer_vlan: int, inner_vlan: int) -> SwInterface:
    """Return a sub-interface that is not in the tables yet."""
    return SwInterface(
        index=NONE,
        sup_index=parent_index,
        is_sub=True,
        sub_id=sub_id,
        flags=flags & 0xFFFF,
        outer_vlan=outer_vlan,
        inner_vlan=inner_vlan,
    )


def create(tables: Tables, template: SwInterface) -> SwInterface:
    """Make the sub-interface that `template` describes; raise RefusedError for one that VPP cannot match.

    A refusal leaves the index that was tried in `template`.
    """
    any_tag = Flag.OUTER_ANY | Flag.INNER_ANY
    if template.flags & Flag.TWO_TAGS and template.flags & Flag.EXACT_MATCH and template.flags & any_tag:
        raise RefusedError(Retval.UNSPECIFIED, "inner-dot1q any exact-match is unsupported")
    sub = tables.sw.add(lambda index: _numbered(template, index))
    _take_slot(tables, sub)
    tables.events.append(InterfaceEvent(sw_if_index=sub.index))
    for hook in tables.created_hooks:
        hook(tables, sub.index)
    tables.hw_of(tables.sw[sub.sup_index]).sub_interfaces[sub.sub_id] = sub.index
    tables.children[sub.sup_index, sub.sub_id] = sub.index
    return sub


def _numbered(template: SwInterface, index: int) -> SwInterface:
    template.index = index
    return template


def _take_slot(tables: Tables, sub: SwInterface) -> None:
    """Take a sub-interface's place in the VLAN tables.

    When it is taken, VPP's undo frees it, whoever had it: a second try succeeds.
    """
    port = tables.hw_of(sub)
    if not port.is_ethernet:
        return
    slot = interfaces.slot_of(sub)
    if slot is None or slot in port.encapsulations:
        tables.sw.remove(sub.index)
        slot = required(slot, "not implemented yet")
        port.encapsulations.discard(slot)
        raise RefusedError(Retval.UNSPECIFIED, "vlan is already in use")
    port.encapsulations.add(slot)


def delete(tables: Tables, sw_if_index: int) -> None:
    """Delete a sub-interface; raise RefusedError for anything else (vnet_delete_sub_interface)."""
    sub = interfaces.require(tables, sw_if_index)
    if not sub.is_sub:
        raise RefusedError(Retval.INVALID_SUB_SW_IF_INDEX)
    tables.children.pop((sub.sup_index, sub.sub_id), None)
    tables.hw_of(sub).sub_interfaces.pop(sub.sub_id, None)
    interfaces.delete_interface(tables, sub)


def _answer_create(call: Call, values: Values) -> Outgoing:
    """Make a sub-interface with any encapsulation; ids are not checked."""
    parent, sub_id = interfaces.require(call.tables, values["sw_if_index"]), values["sub_id"]
    if (parent.index, sub_id) in call.tables.children:
        raise RefusedError(Retval.VLAN_ALREADY_EXISTS)
    template = template_for(
        parent.index, sub_id, values["sub_if_flags"], values["outer_vlan_id"], values["inner_vlan_id"]
    )
    return _made(call, template, Retval.UNSPECIFIED)


def _answer_create_vlan(call: Call, values: Values) -> Outgoing:
    """Make an exact-match 802.1Q sub-interface of the port whose id is its VLAN."""
    tables, vlan_id = call.tables, values["vlan_id"]
    parent = tables.sw[tables.hw_of(interfaces.require(tables, values["sw_if_index"])).sw_if_index]
    if not 0 < vlan_id <= _LAST_VLAN:
        raise RefusedError(Retval.INVALID_VLAN)
    if (parent.index, vlan_id) in tables.children:
        raise RefusedError(Retval.VLAN_ALREADY_EXISTS)
    template = template_for(parent.index, vlan_id, Flag.ONE_TAG | Flag.EXACT_MATCH, vlan_id, 0)
    return _made(call, template, Retval.INVALID_REGISTRATION)


def _made(call: Call, template: SwInterface, refusal: Retval) -> Outgoing:
    """Make it and answer; VPP names the index that it tried even when it refuses."""
    try:
        return call.reply(sw_if_index=create(call.tables, template).index)
    except RefusedError:
        return call.reply(retval=refusal, sw_if_index=template.index)


_EXPECTED_ID = "expected ID or ID MIN-MAX, got"


def _command_create(tables: Tables, line: Input) -> str:
    """`create sub-interfaces <interface> <id>[-<id>] [default|untagged|dot1q|dot1ad ..]`; known ids are skipped."""
    port = line.port(tables)
    if port is None:
        raise line.unknown("unknown interface")
    row = tables.sw[port.sw_if_index]
    first, last, template = _encapsulation(line, row)
    created = []
    for sub_id in range(first, last + 1):
        if (row.index, sub_id) in tables.children:
            continue
        outer = sub_id & 0xFFFF if first < last else template.outer_vlan
        sub = template_for(row.index, sub_id, template.flags, outer, template.inner_vlan)
        created.append(tables.name_of(create(tables, sub)))
    return "".join(f"{name}\n" for name in created)


def _encapsulation(line: Input, parent: SwInterface) -> tuple[int, int, SwInterface]:
    """Read ids and match; return the first and the last id, and the sub-interface that the first one is."""
    whole = line.unknown(_EXPECTED_ID)
    first = line.number()
    if first is None:
        raise whole
    template = template_for(parent.index, first, Flag.ONE_TAG | Flag.EXACT_MATCH, 0, 0)
    if line.take("default"):
        template.flags = Flag.DEFAULT
    elif line.take("untagged"):
        template.flags = Flag.NO_TAGS | Flag.EXACT_MATCH
    elif line.take("dot1q"):
        _vlans(line, template, 0)
    elif line.take("dot1ad"):
        _vlans(line, template, Flag.DOT1AD)
    elif line.take("-"):
        last = line.number()
        if last is None or first > last:
            raise whole if last is None else line.unknown(_EXPECTED_ID)
        return first, last, template
    else:
        template.outer_vlan = first & 0xFFFF
    return first, first, template


def _vlans(line: Input, template: SwInterface, protocol: int) -> None:
    """Read `<outer>|any [inner-dot1q <inner>|any] [exact-match]`."""
    template.flags = protocol
    whole = line.unknown("expected dot1q config, got")
    is_outer_any = line.take("any")
    outer = 0 if is_outer_any else line.number()
    if outer is None:
        raise whole
    template.flags |= Flag.OUTER_ANY if is_outer_any else 0
    template.outer_vlan = outer & 0xFFFF
    if line.take("inner-dot1q"):
        template.flags |= Flag.TWO_TAGS
        inner = None if line.take("any") else line.number()
        template.flags |= Flag.INNER_ANY if inner is None else 0
        template.inner_vlan = (inner or 0) & 0xFFFF
    else:
        template.flags |= Flag.ONE_TAG
    if line.take("exact-match"):
        template.flags |= Flag.EXACT_MATCH


def _command_delete(tables: Tables, line: Input) -> None:
    """`delete sub-interface <interface>`."""
    row = required(line.interface(tables), "interface doesn't exist")
    with refused_as("delete_subinterface_interface failed"):
        delete(tables, row.index)


def _create(tables: Tables, _virtual: None, desired: Interface, _number: int) -> SwInterface:
    """Make a sub-interface, with an encapsulation that another one has if need be: VPP can be brought to that."""
    parent = tables.named(desired.parent or "")
    if parent is None:
        raise UsageError(f"the state has {desired.name} but not its parent {desired.parent}")
    template = template_for(parent.index, desired.sub_id, *_match(desired))
    for _ in range(2):
        try:
            return create(tables, template)
        except RefusedError as refusal:
            reason = refusal.text
    raise UsageError(f"VPP cannot have {desired.name}: {reason}")


def _match(desired: Interface) -> tuple[int, int, int]:
    match desired.encapsulation:
        case OtherMatch(flags=flags, outer=outer, inner=inner):
            return flags, outer, inner
        case Encapsulation(outer=outer, inner=inner, is_dot1ad=is_dot1ad, is_exact=is_exact):
            flags = Flag.ONE_TAG if inner is None else Flag.TWO_TAGS
            flags |= Flag.DOT1AD if is_dot1ad else 0
            flags |= Flag.EXACT_MATCH if is_exact else 0
            return flags, outer, inner or 0
    return Flag.ONE_TAG | Flag.EXACT_MATCH, desired.sub_id & 0xFFFF, 0


KIND = Kind(
    quirks=(IDS_HAVE_NO_SIGN, CHECKS_NUMBERS),
    changes={
        "create_subif": _answer_create,
        "create_vlan_subif": _answer_create_vlan,
        "delete_subif": lambda call, values: delete(call.tables, values["sw_if_index"]),
    },
    commands={"create sub-interfaces": _command_create, "delete sub-interface": _command_delete},
    interface=InterfaceKind.SUB_INTERFACE,
    create=_create,
)
