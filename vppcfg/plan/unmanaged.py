"""What a plan does to attachments: what others configured on interfaces, FIB tables and bridge domains.

`touched` names the holders that have to be read before a plan can be trusted, `with_unmanaged` lets a plan carry over
what VPP reads back exactly, and `unmanaged_changes` names the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from enum import Enum

from vppcfg.common.names import natural_key
from vppcfg.kinds.kind_list import KINDS, OBJECTS
from vppcfg.kinds.nat44.followed import ends_sessions
from vppcfg.model.attachment import Attachment, Layer, counted, in_order
from vppcfg.model.bond import Bond
from vppcfg.model.interface import Interface
from vppcfg.model.lcp import SubInterfaceDependencies
from vppcfg.model.linux_setting import LinuxKind
from vppcfg.model.state import State
from vppcfg.model.vpp_object import Ownership, VppObject
from vppcfg.model.vrf import table_key
from vppcfg.operations.attachment import RestoreAttachment
from vppcfg.operations.carried_in_linux import is_of_vpp_too, is_sysctl, missed_device, place_of
from vppcfg.operations.change import Action, Change, ObjectKind
from vppcfg.operations.linux_losses import is_followed, outlasts, secondaries
from vppcfg.operations.operation import AddressOperation, LinkOperation
from vppcfg.operations.transition import loses_address
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.record import record

_GOES = (Action.DELETE, Action.REPLACE)
_KINDS = {word: kind for kind in OBJECTS for word in (kind.noun, *kind.attachment_kinds)}
"""The class of the objects that attachments are of, by what these are called."""


class Survival(Enum):
    """What happens to an attachment; each value completes the sentence `it is …`."""

    CARRIED = "carried over"
    LOST = "lost"
    IDLE = "left behind without effect"
    """It stays, on an interface that no longer routes, whose traffic passes elsewhere, or whose device is called
    otherwise."""


@record
class UnmanagedChange:
    """What happens to the attachments of one interface, table or bridge domain."""

    holder: str
    survival: Survival
    attachments: tuple[Attachment, ...]
    reason: str = ""
    """Why they are left behind: `it joins BondEthernet0`."""

    @property
    def not_restored(self) -> tuple[Attachment, ...]:
        """Return those that a rollback cannot bring back."""
        return tuple(each for each in self.attachments if self.survival is Survival.LOST and not each.is_restorable)

    def __str__(self) -> str:
        """Return it in one line: `loop10: NAT44 inside, 2 routes of CLI: lost; …`."""
        text = f"{self.holder}: {counted(self.attachments)}: {self.survival.value}"
        if self.reason:
            text += f", because {self.reason}"
        if self.survival is Survival.CARRIED and any(map(ends_sessions, self.attachments)):
            text += "; NAT44 sessions end"
        left = self.not_restored
        if left and len(left) < len(self.attachments):
            return f"{text}; rollback does not bring back {counted(left)}"
        return f"{text}; not brought back by rollback" if left else text


def touched(plan: Plan) -> frozenset[str]:
    """Return the interfaces, tables and bridge domains whose attachments the plan can change; none for most plans."""
    idle = (name for name, _ in _idle(plan))
    deleted = _deleted(plan)
    return frozenset({*deleted, *idle, *_leaving_l2(plan), *_unpaired(plan), *_renumbered(plan, deleted)})


def with_unmanaged(plan: Plan, found: Iterable[Attachment]) -> Plan:
    """Return the plan again, with what others have on what it touches taken into account.

    `found` are the attachments of the touched holders; without any the plan is as it was. What was there before, as the
    desired state of a rollback has it, comes back where it can. Raise PlanProofError, as `make_plan` does.
    """
    found = tuple(found)
    if not (found or plan.observed.unmanaged or plan.desired.unmanaged):
        return plan
    owned = plan.desired.owned - _exceeded(plan, found)
    observed = replace(plan.observed, unmanaged=in_order(each for each in found if not is_of_file(each, owned)))
    desired = [
        each
        for each in (*observed.unmanaged, *plan.desired.unmanaged)
        if plan.desired.can_have(each) and not is_of_file(each, owned)
    ]
    return make_plan(observed, replace(plan.desired, unmanaged=in_order(desired), owned=owned))


def _exceeded(plan: Plan, found: Iterable[Attachment]) -> Ownership:
    """Return what no key of the file owns any more, and of which VPP has more than what the file in force set.

    These are objects of deleted interfaces, in a form that no file can have.
    """
    there = Counter(
        (kind.table, each.holder)
        for each in found
        if (kind := _KINDS.get(each.kind)) is not None
        and each.kind == (kind.attachment_kinds or (kind.noun,))[0]
        and not plan.desired.has_holder(each.holder)
    )
    if not there:
        return frozenset()
    known = Counter((each.table, each.scope) for items in plan.observed.objects.values() for each in items.values())
    return frozenset(owner for owner in plan.desired.owned & there.keys() if there[owner] > known[owner])


def is_of_file(attachment: Attachment, owned: Ownership) -> bool:
    """Return whether an attachment is one of the objects that a file owns, and so no one of others."""
    kind = _KINDS.get(attachment.kind)
    if kind is None:
        return False
    if kind.scope is VppObject.scope or attachment.kind in kind.kinds_of_all:
        return (kind.table, "") in owned
    number = attachment.holder.rpartition(":")[2]  # of a table, by which a file owns what is in it
    return not owned.isdisjoint({(kind.table, attachment.holder), (kind.table, number)})


def unmanaged_changes(plan: Plan) -> list[UnmanagedChange]:
    """Return what happens to every attachment that a plan does not leave as it is, by holder."""
    back = {each.attachment for each in plan.of(RestoreAttachment)}
    left, idle = frozenset(plan.reached.unmanaged), dict(_idle(plan))
    found: dict[tuple[str, Survival, str], list[Attachment]] = {}
    for each in plan.observed.unmanaged:
        if each in back:
            key = (each.holder, Survival.CARRIED, "")
        elif each not in left and (is_of_vpp_too(each, plan.observed) or is_sysctl(each)):
            continue  # it goes with the interface or its device, or is renumbered with it
        elif each.linux is not None and each.linux.kind is LinuxKind.RULE:
            device = missed_device(each.linux, each.holder, plan.observed, plan.reached)
            if device is None:
                continue
            key = (each.holder, Survival.IDLE, f"no device is called {device} then")
        elif each not in left:
            key = (each.holder, Survival.LOST, "")
        elif each.holder in idle and each.linux is None and each.layer is not Layer.SWITCHED:
            key = (each.holder, Survival.IDLE, idle[each.holder])
        else:
            continue
        found.setdefault(key, []).append(each)
    going = _deleted(plan)
    for kind in KINDS:
        for lost in kind.lost_of_others(plan.observed, plan.reached, going):
            found.setdefault((lost.holder, Survival.LOST, ""), []).append(lost)
    ordered = sorted(found, key=lambda key: (natural_key(key[0]), list(Survival).index(key[1])))
    return [
        UnmanagedChange(
            holder=holder, survival=survival, attachments=tuple(found[holder, survival, reason]), reason=reason
        )
        for holder, survival, reason in ordered
    ]


def harmful(found: Iterable[UnmanagedChange]) -> list[UnmanagedChange]:
    """Return the changes that the operator has to agree to: what is lost or left without effect."""
    return [each for each in found if each.survival is not Survival.CARRIED]


def irremovable(plan: Plan) -> list[Attachment]:
    """Return what would stay in VPP for whoever gets the index next, because no message removes it."""
    going = _deleted(plan)
    return [each for each in plan.observed.unmanaged if each.outlives and each.take is None and each.needs(going)]


def missing(before: State, now: Iterable[Attachment]) -> tuple[Attachment, ...]:
    """Return what was there before and is not there now, of interfaces and tables that have come back.

    Sysctls are brought back where Linux takes them, and are no part of a state that must be.
    """
    there = frozenset(now)
    return tuple(each for each in before.unmanaged if each not in there and not is_sysctl(each))


def without(state: State, refused: Collection[Attachment]) -> State:
    """Return a state without attachments that VPP refuses to bring back.

    An interface that must not pass traffic without one stays down.
    """
    if not refused:
        return state
    unguarded = {each.holder for each in refused if each.guards and each.holder in state.interfaces}
    shut = {name: replace(state.interfaces[name], is_up=False) for name in unguarded}
    kept = tuple(each for each in state.unmanaged if each not in refused)
    return replace(state, interfaces={**state.interfaces, **shut}, unmanaged=kept)


def holders_of(state: State, *, in_linux: bool) -> frozenset[str]:
    """Return the interfaces, tables and bridge domains that have attachments in a state: in Linux, or in VPP."""
    return frozenset(each.holder for each in state.unmanaged if (each.linux is not None) is in_linux)


def _deleted(plan: Plan) -> frozenset[str]:
    """Return the interfaces, tables and bridge domains that are deleted, to come back or not."""
    kinds = (ObjectKind.INTERFACE, ObjectKind.VRF, ObjectKind.BRIDGE)
    return frozenset(change.name for change in plan.changes if change.kind in kinds and change.action in _GOES)


def _unpaired(plan: Plan) -> Iterator[str]:
    """Yield the interfaces whose LCP pair is deleted, to come back or not."""
    for change in plan.changes:
        if change.kind is ObjectKind.LCP and change.before is not None and change.before.has_host:
            yield change.name


def touched_in_linux(plan: Plan) -> frozenset[str]:
    """Return the interfaces whose Linux device may lose something with an address, its state or its MTU.

    What they have in VPP stays.
    """
    return _going_down_in_linux(plan).union(_going_addresses(plan))


def in_question(plan: Plan, found: Iterable[Attachment]) -> Iterator[Attachment]:
    """Yield what a plan may take away, of what was found on what it touches, and what its desired state has.

    Without the routes beside an address that goes: they may be a full table, which a state would repeat.
    """
    wanted, whole = frozenset(plan.desired.unmanaged), touched(plan) | _going_down_in_linux(plan)
    beside: dict[str, tuple[frozenset[str], bool]] = {}
    for name, going in _going_addresses(plan).items():
        if name not in whole:
            interface = plan.observed.interfaces[name]
            gone = secondaries(interface, going).union(going)
            beside[name] = gone, any(":" not in address for address in interface.addresses - gone)
    for each in found:
        if each.linux is not None and each.holder in beside and each not in wanted:
            gone, keeps_ipv4 = beside[each.holder]
            if outlasts(each.linux, gone, keeps_ipv4=keeps_ipv4):
                continue
        yield each


def _going_addresses(plan: Plan) -> dict[str, set[str]]:
    """Return the addresses that a plan removes, by the interface, where they go from Linux too."""
    found: dict[str, set[str]] = {}
    for each in plan.of(AddressOperation):
        if not each.is_add and is_followed(plan.observed.lcps.get(each.interface), plan.observed.facts.lcp):
            found.setdefault(each.interface, set()).add(each.address)
    return found


def _going_down_in_linux(plan: Plan) -> frozenset[str]:
    """Return the interfaces whose device goes down or gets too small for IPv6, and those with a device on it."""
    harmful = [each for each in plan.of(LinkOperation) if each.is_harmful_in_linux]
    names = frozenset(
        each.interface
        for each in harmful
        if each.needs_vpp and is_followed(plan.observed.lcps.get(each.interface), plan.observed.facts.lcp)
    )
    bases = names.union(each.interface for each in harmful if not each.needs_vpp)
    there = plan.observed.interfaces
    stacking = SubInterfaceDependencies(there.values() if bases else ())
    below = (name for base in bases & there.keys() for name in (base, *stacking.dependents_of(there[base])))
    return names.union(name for name in below if place_of(name, plan.observed) is not None)


def _renumbered(plan: Plan, deleted: frozenset[str]) -> Iterator[str]:
    """Yield the interfaces that stay and whose address NAT44 follows and would lose."""
    for name in plan.observed.facts.address_followers:
        before, after = plan.observed.interfaces.get(name), plan.desired.interfaces.get(name)
        if before is not None and after is not None:
            is_moved = before.tables[0] != after.tables[0] or table_key(before.tables[0], is_ipv6=False) in deleted
            if loses_address(name, plan.observed, plan.desired, is_moved=is_moved):
                yield name


def _updates(plan: Plan) -> Iterator[Change[Interface]]:
    for change in plan.changes:
        if change.kind is ObjectKind.INTERFACE and change.action is Action.UPDATE and change.before and change.after:
            yield change


def _idle(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the interfaces and bridge domains that stay and whose attachments lose their effect, with the reason."""
    for name, bridge in plan.observed.bridges.items():
        after_it = plan.desired.bridges.get(name)
        if after_it is not None and bridge.settings.arp_termination and not after_it.settings.arp_termination:
            yield name, "it no longer answers ARP by itself"
    joining = _joining(plan)
    gains = _gains(plan)
    for change in _updates(plan):
        before, after = change.before, change.after
        if before is None or after is None:
            continue
        if change.name in joining:
            yield change.name, f"it joins {joining[change.name]}"
        elif _is_switched(after) and not _is_switched(before):
            yield change.name, "it is switched from then on"
        elif heirs := {gains[each] for each in before.addresses - after.addresses if each in gains}:
            yield change.name, f"its address moves to {min(heirs, key=natural_key)}"


def _is_switched(interface: Interface) -> bool:
    return interface.is_l2 and not interface.is_bvi


def _joining(plan: Plan) -> dict[str, str]:
    """Return the interfaces that become members of a bond, each with the bond."""
    before = {member: name for name, bond in plan.observed.virtual_as(Bond).items() for member in bond.members}
    after = {member: name for name, bond in plan.desired.virtual_as(Bond).items() for member in bond.members}
    return {member: name for member, name in after.items() if before.get(member) != name}


def _gains(plan: Plan) -> dict[str, str]:
    """Return the interface that gets each address that it did not have."""
    return {
        address: change.name
        for change in plan.changes
        if isinstance(change.after, Interface)
        for address in change.after.addresses - (change.before.addresses if change.before else frozenset())
    }


def _leaving_l2(plan: Plan) -> frozenset[str]:
    """Return the interfaces that stay and leave their bridge domain or cross-connect, to join another one or not."""
    return frozenset(
        change.name
        for change in _updates(plan)
        if change.before is not None and change.after is not None and change.before.is_l2
        if (change.before.bridge, change.before.l2xc) != (change.after.bridge, change.after.l2xc)
    )
