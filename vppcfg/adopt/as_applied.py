"""What a state looks like after the first `apply --adopt`, which sets more than most scripts do.

`adopt` writes its file for that state, and its trials on a simulated VPP must lead there. A file needs a name for each
FIB table: `with_named_tables` comes before `as_applied`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from vppcfg.entries.names import is_acl_name
from vppcfg.kinds.virtual_interface_list import KIND_OF_VIRTUAL
from vppcfg.model.acl import Acl, AclBinding, MacipAcl, canonical_macip_rule, canonical_rule
from vppcfg.model.interface import FIXED_LINK_MTU, WITHOUT_MTU, Interface, InterfaceKind
from vppcfg.model.kinds import values_with_kind
from vppcfg.model.ownership import CREATED_MARK, description_of, is_foreign, tag_for
from vppcfg.model.policy_route import UnattachedPolicy
from vppcfg.model.state import State
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.model.vpp_object import without_empty
from vppcfg.model.vrf import MAX_TABLE, table_key
from vppcfg.record import evolve

_List = TypeVar("_List", Acl, MacipAcl)


def as_applied(state: State, made_by_scripts: Collection[str] = ()) -> State:
    """Return a state as the first `apply --adopt` leaves it.

    The text of a tag becomes a description behind vppcfg's mark, the word that it puts first into a tag
    (model/ownership.py), and that of an access list its name. The packet MTU becomes the link MTU too, and an interface
    without one gets the one that VPP takes. A port that a file can make gets the mark of those that a file has made,
    but for those in `made_by_scripts`.
    """
    state = _with_own_lists(state)
    interfaces = {name: _with_description_and_link_mtu(each) for name, each in state.interfaces.items()}
    for name, virtual in state.virtual.items():
        interface = _with_packet_mtu(interfaces[name])
        interfaces[name] = interface if name in made_by_scripts else _as_created(interface, virtual)
    return replace(state, interfaces=interfaces)


def _with_description_and_link_mtu(interface: Interface) -> Interface:
    if is_foreign(interface.tag) and can_describe(interface.tag):
        interface = replace(interface, tag=tag_for(interface.tag))
    return replace(interface, link_mtu=interface.packet_mtu) if has_free_link_mtu(interface) else interface


def _with_packet_mtu(interface: Interface) -> Interface:
    """VPP gives some kinds no packet MTU, and no file has none."""
    return interface if interface.packet_mtu else replace(interface, packet_mtu=WITHOUT_MTU)


def _as_created(interface: Interface, virtual: VirtualInterface) -> Interface:
    """Return a port with the mark of those that a file has made, others as they are."""
    if (
        not virtual.is_owned_by_mark
        or interface.kind is not InterfaceKind.PHYSICAL
        or is_foreign(interface.tag)
        or KIND_OF_VIRTUAL[type(virtual)].unsupported_reason(virtual) is not None
    ):
        return interface
    tag = tag_for(description_of(interface.tag), CREATED_MARK)
    return evolve(interface, tag=tag, **values_with_kind(virtual.kind))


def _with_own_lists(state: State) -> State:
    """Return a state whose access lists are the file's, named by their tags, with rules in the form of a file.

    A list whose tag cannot be a name, or is that of another list too, stays with whoever made it.
    """
    acls, macips = _own_names(state.acls), _own_names(state.macips)
    if not acls and not macips:
        return state
    interfaces = {
        name: replace(
            each,
            acls=AclBinding(input=_renamed(each.acls.input, acls), output=_renamed(each.acls.output, acls)),
            macip=macips.get(each.macip or "", each.macip),
            policy_routes=tuple(replace(route, acl=acls.get(route.acl, route.acl)) for route in each.policy_routes),
        )
        for name, each in state.interfaces.items()
    }
    policies = {
        name: replace(each, acl=acls.get(each.acl, each.acl)) for name, each in state.of(UnattachedPolicy).items()
    }
    return replace(
        state,
        interfaces=interfaces,
        acls=_as_own(state.acls, acls, canonical_rule),
        macips=_as_own(state.macips, macips, canonical_macip_rule),
        objects=without_empty({**state.objects, UnattachedPolicy: policies}),
    )


def _as_own(lists: Mapping[str, _List], own: Mapping[str, str], canonical: Callable[[Any], Any]) -> dict[str, _List]:
    """Return all lists. Those in `own`, old name to new, get the name, tag and rules that a file gives them."""
    found = dict(lists)
    for name, new in own.items():
        each = found.pop(name)
        found[new] = replace(each, tag=tag_for(new), rules=tuple(map(canonical, each.rules)))
    return found


def _own_names(lists: Mapping[str, Acl] | Mapping[str, MacipAcl]) -> dict[str, str]:
    """Return the new name of each list that becomes the file's, by its name in the state."""
    times = Counter(each.tag for each in lists.values())
    return {
        name: each.tag
        for name, each in lists.items()
        if is_foreign(each.tag) and times[each.tag] == 1 and is_acl_name(each.tag) and each.tag not in lists
    }


def _renamed(names: Iterable[str], own: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(own.get(name, name) for name in names)


def has_free_link_mtu(interface: Interface) -> bool:
    """Return whether `apply` gives the link of an interface the MTU of its packets."""
    return interface.link_mtu is not None and interface.device_class not in FIXED_LINK_MTU


def can_describe(tag: str) -> bool:
    """Return whether a tag can be a description that VPP keeps as it is."""
    return tag.isprintable() and not set("'\"") & set(tag) and description_of(tag_for(tag)) == tag


def with_named_tables(state: State) -> State:
    """Return a state whose FIB tables all have a name, as VRFs of a file must; a script may give a number alone."""
    taken = {table.name for table in state.vrfs.values()}
    vrfs = dict(state.vrfs)
    for key, table in state.vrfs.items():
        twin = state.vrfs.get(table_key(table.table_id, is_ipv6=not table.is_ipv6))
        name = twin.name if twin is not None and not twin.is_unnamed else f"vrf{table.table_id}"
        is_free = name not in taken or (twin is not None and name == twin.name)
        if table.is_unnamed and is_free and 0 < table.table_id <= MAX_TABLE:
            vrfs[key] = replace(table, name=name)
    return replace(state, vrfs=vrfs)
