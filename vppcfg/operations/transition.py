"""The way from an observed state to a desired one, with the look-ups that the modules of `steps` need to plan it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from vppcfg.common.addresses import AddressIndex
from vppcfg.model.bond import Bond
from vppcfg.model.det44 import Det44Side
from vppcfg.model.interface import Interface
from vppcfg.model.lcp import SubInterfaceDependencies
from vppcfg.model.nat44 import Nat44
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.model.vpp_object import Referent, VppObject
from vppcfg.model.vrf import table_key
from vppcfg.operations.carried_in_linux import LISTENER
from vppcfg.operations.change import Action, Difference, ObjectKind
from vppcfg.operations.linux_losses import is_followed, secondaries, shares_network


class Transition:
    """Two states, their difference, and the indexes that make looking up cheap."""

    def __init__(
        self, observed: State, desired: State, difference: Difference, left_alone: Iterable[VppObject] = ()
    ) -> None:
        self.observed = observed
        self.desired = desired
        self.difference = difference
        self.left_alone = tuple(left_alone)
        """Objects of other programs that VPP has, and that the states are without."""
        tables = difference.of(ObjectKind.VRF)
        self.deleted_tables = frozenset(change.name for change in tables if change.before is not None)
        """FIB tables that are deleted, to come back with another name or not."""
        self.deleted_bridges = frozenset(observed.bridges.keys() - desired.bridges.keys())
        self.deleted_objects = frozenset(
            each.label
            for kind, found in observed.objects.items()
            for name, each in found.items()
            if name not in desired.of(kind)
        )
        """Objects that are removed, by their labels."""
        changes = difference.interfaces.values()
        self.to_delete = frozenset(c.name for c in changes if c.action in (Action.DELETE, Action.REPLACE))
        """Interfaces that are deleted, to come back or not."""
        self.created = frozenset(c.name for c in changes if c.action in (Action.CREATE, Action.REPLACE))
        """Interfaces that are created, new or anew."""
        pairs = difference.lcps.items()
        self.deleted_pairs = frozenset(name for name, c in pairs if c.before is not None and c.before.has_host)
        """Interfaces whose LCP pair, a whole one, is deleted, to come back or not."""
        self.parted = self.deleted_pairs | {
            name for name in self.to_delete if observed.virtual_of(name, Tap) is not None
        }
        """Interfaces whose Linux device is deleted, to come back or not."""
        self.shifting = frozenset(c.name for c in changes if c.action is Action.UPDATE and _shifts(c.before, c.after))
        """Interfaces whose unnumbered users must be set again.

        VPP notes the donor's first address when unnumbered is set, and does not follow later changes
        (vnet/interface.c).
        """
        self.moved = self._moved()
        """Interfaces that stay and leave a FIB table, for another one or to come back: whether of IPv4, and of IPv6."""
        self.leaving = self._leaving()
        """Interfaces that leave a bond, for good or to join again, whose MAC address could not be read."""
        self.staying_members = self._staying_members()
        """The bond of each interface that is a member of it before and after, and does not leave it in between."""
        self.desired_members = frozenset(
            member for bond in desired.virtual_as(Bond).values() for member in bond.members
        )
        self.desired_children = desired.sub_interfaces_by_parent()
        self.touched = self._touched()
        """Names of the interfaces that need steps: those that change, and those that refer to a doomed one."""

    def takes_ground_from(self, item: VppObject) -> bool:
        """Return whether something that an object refers to is deleted, to come back or not."""
        return self._deletes and any(each.name in self._deleted[each.referent] for each in item.references())

    @cached_property
    def deleted(self) -> frozenset[str]:
        """Return the interfaces, FIB tables and bridge domains that are deleted, to come back or not."""
        return self.to_delete | self.deleted_tables | self.deleted_bridges

    @cached_property
    def _deletes(self) -> bool:
        return any(self._deleted.values())

    @cached_property
    def _deleted(self) -> Mapping[Referent, frozenset[str]]:
        return {
            Referent.INTERFACE: self.to_delete,
            Referent.TABLE: self.deleted_tables,
            Referent.BRIDGE: self.deleted_bridges,
            Referent.OBJECT: self.deleted_objects,
        }

    def kept(self, name: str) -> Interface | None:
        """Return the observed interface of that name unless a plan deletes it, to come back or not."""
        return None if name in self.to_delete else self.observed.interfaces.get(name)

    def _leaving(self) -> frozenset[str]:
        leaving: set[str] = set()
        for name, bond in self.observed.virtual_as(Bond).items():
            after = self.desired.virtual_of(name, Bond)
            staying = after.members.keys() if after is not None and name not in self.to_delete else set()
            leaving.update(bond.members.keys() - staying)
        return frozenset(leaving)

    def _staying_members(self) -> dict[str, str]:
        return {
            member: name
            for name, bond in self.observed.virtual_as(Bond).items()
            if name not in self.to_delete and (after := self.desired.virtual_of(name, Bond)) is not None
            for member, membership in bond.members.items()
            if member not in self.to_delete and membership.is_same_but_weight(after.members.get(member))
        }

    @cached_property
    def shut_in_linux(self) -> frozenset[str]:
        """Doomed interfaces whose device in Linux is set down first, up as it is, and linux-nl hears of it."""
        leaving, facts = self.to_delete & self.deleted_pairs, self.observed.facts
        if not leaving or LISTENER not in facts.plugins:
            return frozenset()
        return frozenset(
            name
            for name in leaving
            if self.observed.lcps[name].netns == facts.lcp.default_netns
            and self.observed.interfaces[name].is_up
            and (device := self.observed.linux.get(name)) is not None
            and device.is_up
            and not any(self.observed.interfaces[other].has_mpls for other in self._paired_on(name))
        )

    @cached_property
    def parted_early(self) -> frozenset[str]:
        """Interfaces that stay and have a device on one that is set down first: linux-nl would set them down, too.

        So their pairs go before that, which must not be while they have MPLS.
        """
        return frozenset(other for name in self.shut_in_linux for other in self._paired_on(name))

    def _paired_on(self, name: str) -> Iterator[str]:
        """Yield the interfaces that stay and whose Linux device is on that of another one."""
        for other in self._stacking.dependents_of(self.observed.interfaces[name]):
            if other in self.deleted_pairs and other not in self.to_delete:
                yield other

    @cached_property
    def _stacking(self) -> SubInterfaceDependencies:
        return SubInterfaceDependencies(self.observed.interfaces.values())

    @property
    def has_other_flow_params(self) -> bool:
        """Return whether other things are recorded of flows then, for which no interface may be recorded meanwhile."""
        return self.observed.ipfix.params != self.desired.ipfix.params

    @cached_property
    def det44_restorer(self) -> str | None:
        """An interface that stays on DET44's outside while other ones leave and none comes; None otherwise."""
        leaving, staying = False, []
        for name, before in self.observed.interfaces.items():
            if before.det44 is Det44Side.OUTSIDE:
                after = self.desired.interfaces.get(name)
                stays = name not in self.to_delete and after is not None and after.det44 is Det44Side.OUTSIDE
                leaving |= not stays
                staying += [name] if stays else []
        if not leaving or not staying:
            return None
        coming = (name for name, each in self.desired.interfaces.items() if each.det44 is Det44Side.OUTSIDE)
        return None if set(coming) - set(staying) else min(staying)

    @cached_property
    def resets_nat44(self) -> bool:
        """Return whether a plan disables NAT44, for good or to enable it with other `Nat44.enable_settings`."""
        before, after = (next(iter(state.of(Nat44).values()), None) for state in (self.observed, self.desired))
        if before is None:
            return False
        needs_gone_table = any(each.name in self.deleted_tables for each in before.references())
        return after is None or before.enable_settings != after.enable_settings or needs_gone_table

    @cached_property
    def targets(self) -> frozenset[str]:
        """The interfaces that cross-connects lead to in the end."""
        return frozenset(each.l2xc for each in self.desired.interfaces.values() if each.l2xc is not None)

    @cached_property
    def _coming_addresses(self) -> dict[int, AddressIndex]:
        """The addresses that come, by the table that they come into."""
        indexes: dict[int, AddressIndex] = {}
        for name in dict.fromkeys([*self.difference.interfaces, *self.moved]):
            kept, after = self.kept(name), self.desired.interfaces.get(name)
            if after is None:
                continue
            coming = after.addresses - (kept.addresses if kept else frozenset())
            for address in coming | self.replaced_addresses(name):
                indexes.setdefault(after.table_of(address), AddressIndex()).add(name, address)
        return indexes

    def loses_ipv6(self, name: str) -> bool:
        """Return whether an interface is without IPv6 addresses at some time of the change, for good or not."""
        before, after = self.observed.interfaces.get(name), self.desired.interfaces.get(name)
        if before is None or name in self.to_delete or after is None:
            return before is not None and before.has_ipv6
        staying = before.addresses & after.addresses - self.replaced_addresses(name)
        if any(":" in address for address in staying):
            return False
        going = [address for address in before.addresses if ":" in address]
        return bool(going) and not any(
            address not in after.addresses and self.may_outlast(address, before, after) for address in going
        )

    def renews_ipv6(self, name: str) -> bool:
        """Return whether an interface must have IPv6 turned off and on, so that it advertises its MTU.

        Without any IPv6 address on the way it has, unless its Linux device turned IPv6 on too (linux-cp/lcp_router.c).
        """
        before, after = self.kept(name), self.desired.interfaces.get(name)
        if before is None or after is None or after.ra is None:
            return False
        is_stale = stale_ra_mtu(before, after, self.observed, self.desired) is not None
        return is_stale and (name in self.observed.lcps or not self.loses_ipv6(name))

    def leaves_l2(self, before: Interface) -> bool:
        """Return whether an interface leaves L2 mode on the way; a cross-connect gets another target in place."""
        if not before.is_l2:
            return False
        if before.name in self.to_delete or before.l2xc in self.to_delete:
            return True
        after = self.desired.interfaces[before.name]
        return _membership(before) != _membership(after) or (before.l2xc is None) != (after.l2xc is None)

    def puts_into_l2(self, name: str) -> bool:
        """Return whether an interface that stays is put into L2 mode, from routing or out of another place in L2 mode.

        On the way VPP forgets that features are to look at its frames, and still shows them as they were: an access
        list that stays bound does nothing any more (vnet/l2/l2_input.c, set_int_l2_mode).
        """
        kept, after = self.kept(name), self.desired.interfaces.get(name)
        if kept is None or after is None or not after.is_l2:
            return False
        return not kept.is_l2 or self.leaves_l2(kept)

    def may_outlast(self, address: str, before: Interface, after: Interface) -> bool:
        """Return whether an address that goes may stay until those are there that come in its place.

        VPP must take all that come, anywhere, beside it, and the interface must keep its VRF and layer. No
        interface that borrows from it may be left without an address, and none that comes may go with it in Linux.
        """
        if ":" not in address and before.name in self.observed.facts.address_followers:
            return False
        if self._is_followed(before.name) and shares_network(address, after.addresses):
            return False
        if before.name in self.moved or not after.addresses - before.addresses or _routing(before) != _routing(after):
            return False
        index = self._coming_addresses.get(before.table_of(address))
        return index is None or index.conflict(before.name, address) is None

    def replaced_addresses(self, name: str) -> frozenset[str]:
        """Return the addresses that an interface has before and after, and not on the way.

        It moves to another FIB table, or Linux takes them away with others.
        """
        before, after = self.kept(name), self.desired.interfaces.get(name)
        if before is None or after is None:
            return frozenset()
        moved = self.moved.get(name, (False, False))
        both = before.addresses & after.addresses
        found = frozenset(address for address in both if moved[":" in address])
        return found | secondaries(before, before.addresses - both | found) if self._is_followed(name) else found

    def _is_followed(self, name: str) -> bool:
        """Return whether a Linux device stays on which the addresses of an interface are set too."""
        return name not in self.parted and is_followed(self.observed.lcps.get(name), self.observed.facts.lcp)

    def moves_ipv4(self, name: str) -> bool:
        """Return whether an interface stays and leaves its FIB table of IPv4, for another one or to come back."""
        return self.moved.get(name, (False, False))[0]

    def _moved(self) -> dict[str, tuple[bool, bool]]:
        names = [name for name, change in self.difference.interfaces.items() if change.action is Action.UPDATE]
        if self.deleted_tables:
            names = list(self.observed.interfaces)
        moved = {}
        for name in names:
            before, after = self.kept(name), self.desired.interfaces.get(name)
            if before is not None and after is not None and not before.tables == after.tables == (0, 0):
                leaves = (self._leaves(before, after, is_ipv6=False), self._leaves(before, after, is_ipv6=True))
                if any(leaves):
                    moved[name] = leaves
        return moved

    def _leaves(self, before: Interface, after: Interface, *, is_ipv6: bool) -> bool:
        old, new = before.tables[is_ipv6], after.tables[is_ipv6]
        return old != new or (old != 0 and table_key(old, is_ipv6=is_ipv6) in self.deleted_tables)

    def breaks_borrowing(self, interface: Interface) -> bool:
        """Return whether an interface cannot go on borrowing addresses as it does."""
        donor = interface.unnumbered
        if donor is None:
            return False
        return donor in self.to_delete or donor in self.shifting or donor in self.moved or interface.name in self.moved

    def _touched(self) -> list[str]:
        changed = self.difference.interfaces
        is_renewed = self.has_other_flow_params
        is_quiet = not (self.to_delete or self.shifting or self.moved or self.deleted_pairs or self.leaving)
        restorer = [self.det44_restorer] if self.det44_restorer is not None else []
        if is_quiet and not (is_renewed or self.resets_nat44):
            return list(dict.fromkeys([*changed, *restorer]))
        referring = [
            interface.name
            for interface in self.observed.interfaces.values()
            if interface.l2xc in self.to_delete
            or self.breaks_borrowing(interface)
            or (interface.has_mpls and interface.name in self.deleted_pairs)
            or (is_renewed and interface.flow_records is not None)
            or (self.resets_nat44 and interface.nat44 is not None)
            or (interface.mirrors and any(each.target in self.to_delete for each in interface.mirrors))
        ]
        bonds_before = self.observed.virtual_as(Bond)
        bonds = (name for name, bond in bonds_before.items() if not self.to_delete.isdisjoint(bond.members))
        return list(dict.fromkeys([*changed, *restorer, *self.moved, *referring, *bonds, *sorted(self.leaving)]))


def _shifts(before: Interface | None, after: Interface | None) -> bool:
    """Return whether unnumbered users of an interface would be left with an address that is gone, or without a new one.

    A user points at the first address that the donor had when unnumbered was set. It does not see one that comes later
    in a family that had none, and points nowhere when its own goes.
    """
    if before is None or after is None:
        return False
    return bool(before.addresses - after.addresses) or _families(before) != _families(after)


def _membership(interface: Interface) -> tuple[int | None, bool, int]:
    return interface.bridge, interface.is_bvi, interface.split_horizon_group


def _routing(interface: Interface) -> tuple[object, ...]:
    """Return what an interface must have alike before and after to keep its addresses on the way."""
    return interface.l2xc, interface.bridge, interface.is_bvi, interface.unnumbered, interface.tables


def _families(interface: Interface) -> set[bool]:
    return {":" in address for address in interface.addresses}


def stale_ra_mtu(before: Interface, after: Interface, observed: State, desired: State) -> tuple[int, int] | None:
    """Return the MTU that router advertisements name of an interface, and the one to be named; None where they agree.

    They agree where none are to be sent.
    """
    if not (after.is_advertising and before.is_ipv6_on):
        return None
    advertised, mtu = before.ra_mtu or before.ipv6_mtu, _new_ipv6_mtu(before, after, observed, desired)
    return None if advertised == mtu else (advertised, mtu)


def _new_ipv6_mtu(before: Interface, after: Interface, observed: State, desired: State) -> int:
    """Return the IPv6 MTU in bytes of an interface in the end.

    A sub-interface that is to have its parent's MTU keeps one of its own that is the same, unless the link MTU changes.
    """
    if after.packet_mtu or after.parent is None or after.protocol_mtus[1]:
        return after.ipv6_mtu
    parent, mtu = observed.interfaces.get(after.parent), desired.interfaces[after.parent]
    is_kept = before.packet_mtu == desired.packet_mtu(after.name)
    is_kept &= parent is not None and parent.link_mtu == mtu.link_mtu
    return before.packet_mtu if is_kept and before.packet_mtu else after.ipv6_mtu


def own_addresses(interfaces: Mapping[str, Interface], name: str) -> list[str]:
    """Return the IPv4 addresses of an interface, or of the one whose addresses it borrows, leased ones too.

    They are in VPP's order: NAT44 takes the first one (ip4_interface_first_address).
    """
    interface = interfaces.get(name)
    if interface is not None and interface.unnumbered is not None:
        interface = interfaces.get(interface.unnumbered)
    if interface is None:
        return []
    found = dict.fromkeys((*interface.in_order, *(each.address for each in interface.live)))
    return [address.partition("/")[0] for address in found if ":" not in address]


def renumbers(name: str, observed: State, desired: State) -> bool:
    """Return whether an interface has other IPv4 addresses then, in whatever order."""
    old, new = (set(own_addresses(state.interfaces, name)) for state in (observed, desired))
    return old != new


def loses_address(name: str, observed: State, desired: State, *, is_moved: bool) -> bool:
    """Return whether a follower would be left with an address that an interface has no more, or with none it has.

    VPP takes an address that comes while it has none, and lets go of it when it goes; of several, it takes no other
    one (nat44_ed_add_del_interface_address_cb). Of what an interface borrows it notices neither. `is_moved` says
    whether the interface leaves its FIB table.
    """
    before, after = observed.interfaces.get(name), desired.interfaces.get(name)
    if before is None or after is None:
        return False
    if before.unnumbered is not None or after.unnumbered is not None:
        return is_moved or renumbers(name, observed, desired)
    old, new = (frozenset(each for each in state.addresses if ":" not in each) for state in (before, after))
    followed = observed.facts.followed_addresses
    taken = frozenset(each for each in old if each.partition("/")[0] in followed) or old
    return (not taken <= new or is_moved) and (len(old) > 1 or len(new) > 1)
