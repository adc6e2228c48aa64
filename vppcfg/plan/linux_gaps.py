"""How long the Linux devices of LCP pairs are without an address on the way of a plan: programs lose sessions then."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.names import natural_key
from vppcfg.model.iproute2 import address_of
from vppcfg.model.linux_setting import LinuxKind
from vppcfg.model.state import State
from vppcfg.operations.attachment import RestoreInLinux
from vppcfg.operations.carried_in_linux import place_of
from vppcfg.operations.operation import (
    AddressOperation,
    DeleteInterface,
    InterfaceOperation,
    LinkOperation,
    Operation,
    PairOperation,
)
from vppcfg.plan.plan import Plan
from vppcfg.record import record


@record
class AddressGap:
    """A device that has addresses of a family before and after a plan, and none between two of its steps."""

    interface: str
    device: str
    """In the end."""
    is_ipv6: bool
    first: int
    """The step, from 1, with which the last address goes."""
    last: int | None
    """The step with which there is one again; None where that is up to a DHCP server."""


def address_gaps(plan: Plan) -> list[AddressGap]:
    """Return the gaps of a plan, in natural order of the interfaces; what is to have no address then has none."""
    both = plan.observed.lcps.keys() & plan.desired.lcps.keys()
    touched: dict[str, list[tuple[int, Operation]]] = {}
    for number, operation in enumerate(plan.operations if both else (), start=1):
        if isinstance(operation, InterfaceOperation | RestoreInLinux) and operation.subject in both:
            touched.setdefault(operation.subject, []).append((number, operation))
    return [gap for name in sorted(touched, key=natural_key) for gap in _gaps_of(name, touched[name], plan)]


def _gaps_of(name: str, operations: list[tuple[int, Operation]], plan: Plan) -> Iterator[AddressGap]:
    place, after = place_of(name, plan.desired), plan.desired.interfaces[name]
    device = _Device(name, plan.observed)
    ends: dict[bool, list[int]] = {}
    for number, operation in operations:
        before = device.families()
        device.take(operation)
        for family in before - device.families():
            ends.setdefault(family, [number, 0])[1] = 0
        for family in (device.families() - before) & ends.keys():
            ends[family][1] = number
    for is_ipv6, (first, last) in sorted(ends.items()):
        waits = not last and not is_ipv6 and after.dhcp_client is not None
        if place is not None and (last or waits):
            yield AddressGap(
                interface=name, device=place[1], is_ipv6=is_ipv6, first=first, last=None if waits else last
            )


class _Device:
    """The addresses of an interface in VPP, and those of its device in Linux."""

    def __init__(self, name: str, observed: State) -> None:
        self._is_sync, self._has_device = observed.facts.lcp.is_sync, observed.lcps[name].has_host
        self._in_vpp = set(observed.interfaces[name].addresses)
        settings = (each.linux for each in observed.unmanaged if each.holder == name and each.linux is not None)
        self._in_linux = {address_of(each) for each in settings if each.kind is LinuxKind.ADDRESS}
        self._copy()

    def families(self) -> set[bool]:
        """Return whether Linux has addresses, of IPv6 and not, as far as there are any."""
        return {":" in address for address in self._in_linux}

    def take(self, operation: Operation) -> None:
        """Let an operation add and take away."""
        match operation:
            case AddressOperation(is_add=True):
                self._in_vpp.add(operation.address)
                self._in_linux |= {operation.address} if self._is_sync and self._has_device else set()
            case AddressOperation():
                self._in_vpp.discard(operation.address)
                self._in_linux -= {operation.address} if self._is_sync else set()
            case PairOperation(is_add=True):
                self._has_device = True
            case PairOperation() | DeleteInterface():
                self._in_vpp = set() if isinstance(operation, DeleteInterface) else self._in_vpp
                self._in_linux, self._has_device = set(), False
            case RestoreInLinux() if operation.setting.kind is LinuxKind.ADDRESS:
                self._in_linux.add(address_of(operation.setting))
            case LinkOperation(needs_vpp=True) if self._has_device:  # linux-cp/lcp_interface_sync.c
                self._copy()

    def _copy(self) -> None:
        self._in_linux |= self._in_vpp if self._is_sync else set()
