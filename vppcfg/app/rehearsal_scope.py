"""What of a router and of a plan a private VPP can have: not its ports, and of Linux only the devices of LCP pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vppcfg.app.rehearsing import StandIn, is_port
from vppcfg.errors import LinuxError
from vppcfg.linux.private_vpp import PrivateVpp
from vppcfg.model.det44 import Det44Map
from vppcfg.model.host_interface import HostInterface
from vppcfg.model.interface import FEATURE_TABLES, InterfaceKind
from vppcfg.model.lcp import LcpPair
from vppcfg.model.nat44 import Nat44, memory_bytes
from vppcfg.model.state import Facts, State
from vppcfg.model.tap import Tap
from vppcfg.operations.attachment import AttachmentOperation
from vppcfg.operations.operation import Operation
from vppcfg.plan.plan import Plan
from vppcfg.record import evolve, record
from vppcfg.vpp.live import LiveDataplane

_HEAP_BYTES = 1 << 30
_ROUTE_BYTES = 1024
"""Twice what VPP takes of a million: it doubles tables that grow."""
_TRIAL = "vppcfg-trial"
_WITHOUT_VHOST = "VPP cannot make Linux devices here, without /dev/vhost-net"
_WITHOUT_VLANS = "Linux makes no VLAN devices here, without 802.1Q"
_IN_LINUX = "a rehearsal changes nothing in Linux"


@record
class RehearsalScope:
    """What a rehearsal can do on this machine."""

    sub_interfaces: frozenset[str] = frozenset()
    """Of the plan; their pairs need more than those of ports."""
    without_pairs: str = ""
    """Why there can be no LCP pairs, '' where they can be made."""
    without_vlan_pairs: str = ""
    """Why sub-interfaces can have none."""

    def why_left_out(self, operation: Operation) -> str:
        """Return why an operation is not carried out, '' where it is."""
        if not operation.needs_vpp:
            return _IN_LINUX
        if operation.has_host_device:
            return self._why_without_pair(operation.subject)
        if isinstance(operation, AttachmentOperation) and operation.attachment.protecting:
            return ""
        return operation.why_unrehearsed

    def _why_without_pair(self, name: str) -> str:
        return self.without_pairs or (self.without_vlan_pairs if name in self.sub_interfaces else "")

    def stand_in(self, state: State) -> State:
        """Return what of a state there can be: Linux devices of pairs alone, and a port in place of each TAP."""
        taps = state.virtual_as(Tap)
        interfaces = {
            name: evolve(
                interface,
                kind=InterfaceKind.PHYSICAL if name in taps else interface.kind,
                dhcp_client=None,
                live=(),
            )
            for name, interface in state.interfaces.items()
        }
        owned = {(each.table, each.scope) for found in state.objects.values() for each in found.values()}
        owned |= {(table, "") for table in FEATURE_TABLES.values()}
        return replace(
            state,
            interfaces=interfaces,
            virtual={name: virtual for name, virtual in state.virtual.items() if name not in taps},
            objects={kind: found for kind, found in state.objects.items() if not kind.needs_linux},
            lcps={name: pair for name, pair in state.lcps.items() if not self._why_without_pair(name)},
            linux={},
            namespaces=frozenset(),
            linux_bridges=frozenset(),
            unmanaged=tuple(each for each in state.unmanaged if each.protecting),
            owned=frozenset(owned),
            facts=Facts(version=state.facts.version, plugins=state.facts.plugins),
        )


def scope_of(plan: Plan, process: PrivateVpp, vpp: LiveDataplane, ports: Mapping[str, StandIn]) -> RehearsalScope:
    """Return what can be rehearsed of a plan, having tried to make an LCP pair where it has some. Raise DataplaneError.

    The pair of a sub-interface needs a VLAN device (lcp_netlink_add_link_vlan in linux-cp/lcp_interface.c).
    """
    subs = frozenset(
        name for state in _ends(plan) for name, each in state.interfaces.items() if each.parent is not None
    )
    if not pairs_of(plan) or not ports:
        return RehearsalScope(sub_interfaces=subs)
    name, port = next(iter(ports.items()))
    code, _ = vpp.run_at_prompt(f"lcp create {name} host-if {_TRIAL}")
    if code:
        return RehearsalScope(sub_interfaces=subs, without_pairs=_WITHOUT_VHOST)
    vpp.run_at_prompt(f"lcp delete {name}")
    try:
        process.try_vlan_device(port.device)
    except LinuxError:
        return RehearsalScope(sub_interfaces=subs, without_vlan_pairs=_WITHOUT_VLANS)
    return RehearsalScope(sub_interfaces=subs)


def _ends(plan: Plan) -> tuple[State, State]:
    return plan.observed, plan.desired


def heap_bytes(plan: Plan, routes: int, threads: int) -> int:
    """Return how large a heap VPP needs for both ends of a plan and so many more routes."""
    maps = {each.name: each.memory_bytes for state in _ends(plan) for each in state.of(Det44Map).values()}
    sessions = max((each.sessions for state in _ends(plan) for each in state.of(Nat44).values()), default=0)
    nat = memory_bytes(sessions, threads) if sessions else 0
    return _HEAP_BYTES + sum(maps.values()) + nat + routes * _ROUTE_BYTES


def pairs_of(plan: Plan) -> list[LcpPair]:
    """Return the LCP pairs of both ends of a plan."""
    return [pair for state in _ends(plan) for pair in state.lcps.values()]


def ports_of(plan: Plan) -> dict[str, str]:
    """Return the MAC address of each port and TAP, '' where the plan leaves it open."""
    found: dict[str, str] = {}
    for state in reversed(_ends(plan)):
        taps = state.virtual_as(Tap)
        found |= {name: each.mac for name, each in state.interfaces.items() if is_port(each) or name in taps}
    return found


def host_devices_of(plan: Plan) -> set[str]:
    """Return the Linux devices that host-interfaces need."""
    return {each.device for state in _ends(plan) for each in state.virtual_as(HostInterface).values()}
