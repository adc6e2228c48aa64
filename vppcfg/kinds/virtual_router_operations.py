"""Operations on virtual routers: create, set peers, track interfaces, start, stop and remove (plugins/vrrp)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vppcfg.kinds.address import RemoveAddress
from vppcfg.model.state import State
from vppcfg.model.virtual_router import TrackedInterface, VirtualRouter
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import Operation, Predicate
from vppcfg.operations.request import Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import family_and_bytes

PREEMPT, ACCEPT, UNICAST, IPV6 = 1, 2, 4, 8
"""vrrp_vr_flags (plugins/vrrp/vrrp.api)."""
_VR = "vrrp_vr"


@record
class CreateVirtualRouter(SetObject):
    """vrrp_vr_add_del: create a virtual router, which neither runs nor tracks anything; peers come next."""

    noun = VirtualRouter.noun
    item: VirtualRouter

    def _refusal(self, working: WorkingState) -> str | None:
        if self.item.name in working.objects.get(VirtualRouter, {}):
            return f"there is a virtual router {self.item.name}"
        return SetObject._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _add_del(self.item, indexes, is_add=1)

    def cli(self) -> str:
        router = self.item
        words = [f"vrrp vr add {_place(router)} priority {router.priority} interval {router.interval_cs}"]
        words += [] if router.is_preempting else ["no_preempt"]
        words += ["accept_mode"] if router.is_accepting else []
        words += ["unicast"] if router.peers else []
        return " ".join((*words, *router.addresses))


@record
class RemoveVirtualRouter(RemoveObject):
    """vrrp_vr_add_del: remove a virtual router that does not run: VPP would leave the addresses on the interface."""

    noun = VirtualRouter.noun
    item: VirtualRouter

    def _refusal(self, working: WorkingState) -> str | None:
        if self.item.is_running:
            return f"the virtual router {self.item.name} runs"
        return RemoveObject._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return _add_del(self.item, indexes, is_add=0)

    def cli(self) -> str:
        return f"vrrp vr del {_place(self.item)}"


@record
class _RouterOperation(Operation):
    """An operation on a virtual router that is there."""

    noun = VirtualRouter.noun
    item: VirtualRouter
    """The virtual router before the operation."""

    @property
    def subject(self) -> str:
        return self.item.name

    @property
    def after(self) -> VirtualRouter:
        """Return the virtual router as the operation leaves it."""
        raise NotImplementedError(type(self).__name__)

    def _refusal(self, working: WorkingState) -> str | None:
        found = working.objects.get(VirtualRouter, {}).get(self.item.name)
        return None if found == self.item else f"there is no such virtual router {self.item.name}"

    def apply_to(self, working: WorkingState) -> None:
        """Enter the virtual router as the operation leaves it."""
        working.set_object(self.after)


@record
class StartVirtualRouter(_RouterOperation):
    """vrrp_vr_start_stop: start a virtual router."""

    @property
    def after(self) -> VirtualRouter:
        """Return the virtual router as it runs."""
        return replace(self.item, is_running=True)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(f"{_VR}_start_stop", {**_key(self.item, indexes), "is_start": 1})

    def cli(self) -> str:
        return f"vrrp proto start {_place(self.item)}"


@record
class StopVirtualRouter(_RouterOperation):
    """vrrp_vr_start_stop: stop a virtual router; a master announces it, and removes its addresses."""

    taken: tuple[str, ...] = ()
    """Addresses that VPP removes with those of the router, and that the interface gets again: it is to have them."""

    @property
    def after(self) -> VirtualRouter:
        """Return the virtual router as it is when stopped."""
        return replace(self.item, is_running=False)

    def apply_to(self, working: WorkingState) -> None:
        """Enter it as it is when stopped, and its interface without what it takes along."""
        _RouterOperation.apply_to(self, working)
        for address in self.taken:
            RemoveAddress(interface=self.item.interface, address=address).apply_to(working)

    def effect(self, observed: State, desired: State) -> Predicate:
        return Predicate("stops", "stop")

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(f"{_VR}_start_stop", {**_key(self.item, indexes), "is_start": 0})

    def cli(self) -> str:
        return f"vrrp proto stop {_place(self.item)}"


@record
class SetVrrpPeers(_RouterOperation):
    """vrrp_vr_set_peers: set whom a virtual router that does not run speaks to; VPP takes no empty list."""

    peers: tuple[str, ...]

    @property
    def after(self) -> VirtualRouter:
        return replace(self.item, peers=self.peers)

    def _refusal(self, working: WorkingState) -> str | None:
        return "it runs" if self.item.is_running else _RouterOperation._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(f"{_VR}_set_peers", _key(self.item, indexes), "addrs", _hosts(self.peers))

    def cli(self) -> str:
        return f"vrrp peers {_place(self.item)} {' '.join(self.peers)}"


@record
class TrackInterface(_RouterOperation):
    """vrrp_vr_track_if_add_del: lower the priority while an interface is down, or no longer.

    VPP passes over another priority for an interface that is tracked already (vrrp_vr_tracking_if_add_del).
    """

    tracked: TrackedInterface
    is_on: bool

    @property
    def after(self) -> VirtualRouter:
        """Return it with the interface among those tracked, or without."""
        others = (each for each in self.item.tracked if each.interface != self.tracked.interface)
        found = (*others, self.tracked) if self.is_on else tuple(others)
        return replace(self.item, tracked=tuple(sorted(found, key=lambda each: each.interface)))

    def _refusal(self, working: WorkingState) -> str | None:
        name, known = self.tracked.interface, {each.interface for each in self.item.tracked}
        if self.is_on is (name in known):
            return f"{name} is{'' if self.is_on else ' not'} tracked"
        return f"there is no {name}" if name not in working.interfaces else _RouterOperation._refusal(self, working)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {**_key(self.item, indexes), "is_add": int(self.is_on)}
        element = {"sw_if_index": indexes.interface(self.tracked.interface), "priority": self.tracked.priority}
        return Request(f"{_VR}_track_if_add_del", values, "ifs", [element])

    def cli(self) -> None:
        """Return None: the prompt needs VPP's number of the interface."""


def _add_del(router: VirtualRouter, indexes: Indexes, is_add: int) -> Request:
    flags = PREEMPT * router.is_preempting | ACCEPT * router.is_accepting | IPV6 * router.is_ipv6
    values: dict[str, Value] = {
        "is_add": is_add,
        "sw_if_index": indexes.interface(router.interface),
        "vr_id": router.vr_id,
        "priority": router.priority,
        "interval": router.interval_cs,
        "flags": flags | UNICAST * bool(router.peers),
    }
    return Request(f"{_VR}_add_del", values, "addrs", _hosts(router.addresses))


def _key(router: VirtualRouter, indexes: Indexes) -> dict[str, Value]:
    return {
        "sw_if_index": indexes.interface(router.interface),
        "vr_id": router.vr_id,
        "is_ipv6": int(router.is_ipv6),
    }


def _hosts(hosts: Iterable[str]) -> list[dict[str, Value]]:
    return [{"af": family, "un": raw.ljust(16, b"\0")} for family, raw in map(family_and_bytes, hosts)]


def _place(router: VirtualRouter) -> str:
    return f"{router.interface} vr_id {router.vr_id}{' ipv6' if router.is_ipv6 else ''}"
