"""A VPP and the Linux around it as one dataplane: what is Linux's goes through netlink, the rest to VPP."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from socket import AF_INET6
from types import TracebackType
from typing import Protocol, Self

from vppcfg.dataplane import Dataplane, Performance, Refusal
from vppcfg.errors import DataplaneError, LinuxError
from vppcfg.kinds.lcp.operations import CreateLcpPair
from vppcfg.kinds.linux_device import CreateLinuxBridge, CreateNamespace, SetLinuxBridge, SetLinuxLink
from vppcfg.kinds.sub_interface import CreateSubInterface
from vppcfg.model.announcement import Announcement
from vppcfg.model.attachment import Attachment
from vppcfg.model.iproute2 import address_of, command, name_of
from vppcfg.model.lcp import LcpPair
from vppcfg.model.linux import LinkOutcome, LinkSetting, LinuxSide
from vppcfg.model.linux_neighbors import with_neighbors_of_linux
from vppcfg.model.linux_setting import LinuxKind, LinuxSetting
from vppcfg.model.question import AskOutcome, LinuxEchoQuestion, Question
from vppcfg.model.state import Facts, State
from vppcfg.model.tap import Tap
from vppcfg.model.vpp_object import HiddenObject, VppObject
from vppcfg.model.vrf import FibTable, ForeignRoutes
from vppcfg.operations.attachment import RestoreInLinux
from vppcfg.operations.carried_in_linux import LISTENER
from vppcfg.operations.operation import LinkOperation, Operation


class SettingsReader(Protocol):
    """The Linux around a VPP, as far as it is read here."""

    def read_settings(
        self, netns: str, devices: Mapping[str, str], requested: Collection[str]
    ) -> Sequence[tuple[str, LinuxSetting]]:
        """Return the settings of the devices of some interfaces, each with the interface; raise LinuxError."""


def linux_names(state: State) -> dict[tuple[str, str], str]:
    """Return the interface that each Linux device belongs to, by namespace and name."""
    names = {(tap.host_netns, tap.host_name): name for name, tap in state.virtual_as(Tap).items()}
    return names | {(pair.netns, pair.host_name): name for name, pair in state.lcps.items() if pair.has_host}


def attachments_in_linux(linux: SettingsReader, holders: Collection[str], state: State) -> Iterator[Attachment]:
    """Yield what was configured on the devices of `holders`. Raise LinuxError.

    Nothing is asked where none of them has a device.
    """
    places = linux_names(state)
    for netns in sorted({netns for (netns, _), name in places.items() if name in holders}):
        devices = {device: name for (place, device), name in places.items() if place == netns}
        called = {name: device for device, name in devices.items()}
        requested = {name for name in holders if name in called}
        found = linux.read_settings(netns, devices, requested)
        late = {name for name, setting in found if setting.kind is LinuxKind.SYSCTL and setting.sysctl == _HAS_IPV6}
        for name, setting in found:
            if not _is_copied(setting, name, state, is_late=name in late and setting.family == AF_INET6):
                yield Attachment(
                    holder=name,
                    kind=f"{setting.kind.value} of Linux",
                    name=name_of(setting),
                    linux=setting,
                    in_linux=command(setting.on(called), netns) or "",
                )


_HAS_IPV6 = "disable_ipv6=0"
"""Where a device has this by itself, new ones refuse IPv6 addresses: VPP copies them before the sysctl is restored."""


def _is_copied(setting: LinuxSetting, name: str, state: State, *, is_late: bool) -> bool:
    """Return whether VPP puts an address on the device by itself (lcp-sync), and on the next one too.

    It copies no link-local address (vnet/ip/ip6_forward.c). With `is_late`, the next device refuses it at first; one
    that comes and goes by itself, as of VRRP, is left to VPP even so.
    """
    if setting.kind is not LinuxKind.ADDRESS or name not in state.lcps or not state.facts.lcp.is_sync:
        return False
    interface, address = state.interfaces[name], address_of(setting)
    is_live = address in {each.address for each in interface.live}
    return is_live or (address in interface.addresses and not is_late)


_AT_ONCE = 1000
"""Settings of Linux devices between two looks at whether to go on."""
_FOLLOWS_S = 5.0
"""How long linux-nl may take to hear of a device that goes down: it collects for 50 ms (linux-cp/lcp_nl.c)."""
_INTERVAL_S = 0.1
"""Between two looks at whether they are down."""
_HEARS_S = 0.5
"""How long linux-nl may take to hear of new devices: ten times what it collects for.

If it hears late that a new device is down, when its interface in VPP is up already, it sets the interface down.
lcp-sync then sets the device down. Before 24.02 (2c9b128e1b3) it does so at once: both go up and down for ever, and
lose their addresses. Later releases do it when the port gets an MTU or a state (lcp_itf_pair_sync_state), and both
stay down.
"""
log = logging.getLogger(__name__)


class Linux(SettingsReader, Protocol):
    """The Linux around one VPP process; vppcfg.linux.host has the real one."""

    def observe(self, requested: set[tuple[str, str]]) -> LinuxSide:
        """Return the devices that were asked for and exist, by namespace and name; raise LinuxError.

        What else there is, such as neighbours, is returned of each namespace that a request names; a request with the
        name '' asks for that alone.
        """

    def add_namespace(self, name: str) -> None:
        """Make a network namespace; raise LinuxError."""

    def add_bridge(self, netns: str, name: str) -> None:
        """Make a bridge; raise LinuxError."""

    def set_links(self, netns: str, settings: Sequence[LinkSetting]) -> LinkOutcome:
        """Set MTU and state of devices of a namespace, in order, up to the first that is refused; raise LinuxError."""

    def set_bridge(self, netns: str, name: str, bridge: str) -> None:
        """Make a device a port of a bridge, '' of none; raise LinuxError."""

    def ask_echo(self, question: LinuxEchoQuestion) -> AskOutcome:
        """Ping once from a namespace; raise LinuxError."""

    def restore(self, netns: str, settings: Sequence[LinuxSetting]) -> LinkOutcome:
        """Make settings on devices of a namespace, all that can be made; raise LinuxError."""


class Router:
    """A dataplane of two halves; without the second one, nothing is known of Linux and nothing done about it."""

    def __init__(self, vpp: Dataplane, linux: Linux | None) -> None:
        self._vpp = vpp
        self._linux = linux
        self._syncs_both_ways = False
        """Whether VPP follows Linux (linux-nl) and Linux VPP (lcp-sync).

        An interface is then set up only when linux-nl has heard of all new devices.
        """

    def observe(self) -> State:
        """Read the whole state. Raise DataplaneError when VPP does not answer in time or answers nonsense.

        A Linux side that cannot be read, for lack of permission perhaps, is left out and noted in the log.
        """
        return self._beside_linux(self._vpp.observe())

    def look_closer(self, interfaces: Collection[str], expected: State) -> State:
        """Return the state that was observed last with every detail of some interfaces. Raise DataplaneError."""
        return self._beside_linux(self._vpp.look_closer(interfaces, expected))

    def observe_again(self, done: Sequence[Operation], touched: Collection[str], expected: State) -> State:
        """Return the state after operations that touched some interfaces. Raise DataplaneError."""
        return self._beside_linux(self._vpp.observe_again(done, touched, expected))

    def interfaces_up(self) -> frozenset[str]:
        """Return the names of the interfaces that are up. Raise DataplaneError."""
        return self._vpp.interfaces_up()

    @property
    def left_out(self) -> tuple[str, ...]:
        """Return what was not looked for since the state was read."""
        return self._vpp.left_out

    def _beside_linux(self, state: State) -> State:
        facts = state.facts
        self._syncs_both_ways = facts.lcp.is_sync and "linux_nl" in facts.plugins
        if self._linux is None:
            return state
        names = linux_names(state)
        try:
            side = self._linux.observe({*names, *_looked_into(facts)})
        except LinuxError as error:
            log.warning("The Linux side is left out: %s", error.message)
            self._linux = None
            return state
        return _with_linux(state, side, names)

    def foreign_routes(self, tables: Sequence[FibTable]) -> Sequence[ForeignRoutes]:
        """Return what others have put into these FIB tables. Raise DataplaneError."""
        return self._vpp.foreign_routes(tables)

    def unmanaged(self, holders: Collection[str], state: State, in_linux: Collection[str] = ()) -> Sequence[Attachment]:
        """Return what others have on the interfaces and in the FIB tables `holders`. Raise DataplaneError.

        Of the interfaces `in_linux`, only what they have on their devices in Linux is returned.
        """
        found = list(self._vpp.unmanaged(holders, state))
        if self._linux is not None and state.facts.has_linux:
            try:
                found += attachments_in_linux(self._linux, {*holders, *in_linux}, state)
            except LinuxError as error:
                raise DataplaneError(error.message, error.hint) from error
        return found

    def nat44_sessions(self) -> int:
        """Return how many sessions NAT44 has now. Raise DataplaneError."""
        return self._vpp.nat44_sessions()

    def hidden(self, items: Sequence[VppObject]) -> Sequence[HiddenObject]:
        """Return those of `items` that VPP does not show because another source shadows them. Raise DataplaneError."""
        return self._vpp.hidden(items)

    def read_keys(self) -> Mapping[str, bytes]:
        """Return the secret keys that VPP has, by their names. Raise DataplaneError."""
        return self._vpp.read_keys()

    def use_keys(self, keys: Mapping[str, bytes]) -> None:
        """Have keys at hand for operations."""
        self._vpp.use_keys(keys)

    @property
    def boot_id(self) -> str:
        """Return what distinguishes this run of VPP from every other one."""
        return self._vpp.boot_id

    def perform(
        self,
        operations: Sequence[Operation],
        on_progress: Callable[[int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
        turn_starts: Collection[int] = (),
    ) -> Performance:
        """Carry out the operations in order and stop at the first refusal; nothing unsent is sent after it.

        Operations at the positions in `turn_starts` are sent only when all before them were carried out.
        `on_progress` is called with the number of operations carried out so far, up to the first refusal; once
        `should_stop` returns True, nothing more is sent. Raise DataplaneError when VPP goes away.
        """
        done: list[int] = []
        start = 0
        longest = 0.0
        has_new_devices = False
        for is_linux, is_up, run in _runs(operations, self._syncs_both_ways):
            if is_up and has_new_devices:
                time.sleep(_HEARS_S)
            has_new_devices = not is_up and (has_new_devices or any(isinstance(each, _MAKES_DEVICES) for each in run))
            report = None if on_progress is None else _counting_from(start, on_progress)
            if is_linux:
                performed = self._perform_on_linux(run, report, should_stop)
            else:
                performed = self._vpp.perform(run, report, should_stop, {wait - start for wait in turn_starts})
            done += (start + index for index in performed.done)
            longest = max(longest, performed.longest_answer_s)
            if performed.refusals:
                refusals = tuple(replace(refusal, index=start + refusal.index) for refusal in performed.refusals)
                return Performance(done=tuple(done), refusals=refusals, longest_answer_s=longest)
            if len(performed.done) < len(run):
                break
            start += len(run)
        return Performance(done=tuple(done), longest_answer_s=longest)

    def without_link(self) -> frozenset[str]:
        """Return the names of the interfaces that are up and have no link. Raise DataplaneError."""
        return self._vpp.without_link()

    def announce(self, announcements: Sequence[Announcement]) -> Mapping[Announcement, str]:
        """Send each once, and return why those were not sent that VPP refuses. Raise DataplaneError."""
        return self._vpp.announce(announcements)

    def ask(self, question: Question) -> AskOutcome:
        """Ask once on VPP's wires or from Linux, and return what was heard. Raise DataplaneError."""
        if not isinstance(question, LinuxEchoQuestion) or self._linux is None:
            return self._vpp.ask(question)
        try:
            return self._linux.ask_echo(question)
        except LinuxError as error:
            return AskOutcome(cannot_ask=error.message)

    def close(self) -> None:
        """Disconnect from VPP; safe to call twice."""
        self._vpp.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _perform_on_linux(
        self,
        run: Sequence[Operation],
        report: Callable[[int], None] | None = None,
        should_stop: Callable[[], bool] | None = None,
    ) -> Performance:
        """Carry out operations up to the first refusal; of what is restored, which comes last, all that can be."""
        done: list[int] = []
        refusals: list[Refusal] = []
        start = 0
        for group in _groups(run):
            if should_stop is not None and should_stop():
                break
            outcome = self._outcome_on_linux(group)
            done += (start + index for index in outcome.done)
            refusals += (
                Refusal(index=start + index, operation=run[start + index], retval=0, text=text)
                for index, text in sorted(outcome.refused.items())
            )
            if refusals and not isinstance(group[0], RestoreInLinux):
                break
            self._await_followers(group)
            start += len(group)
            if report is not None and not refusals:
                report(start)
        return Performance(done=tuple(done), refusals=tuple(refusals))

    def _await_followers(self, group: Sequence[Operation]) -> None:
        """Wait, for a bounded time, until the VPP sides of devices are down that linux-nl sets down with them."""
        names = {each.interface for each in group if isinstance(each, SetLinuxLink) and each.vpp_follows}
        deadline = time.monotonic() + _FOLLOWS_S
        while names:
            names &= self._vpp.interfaces_up()
            if names and time.monotonic() > deadline:
                text = (
                    "linux-nl has not set %s down, whose Linux devices are; VPP may keep routes of Linux through them"
                )
                log.warning(text, ", ".join(sorted(names)))
                return
            if names:
                time.sleep(_INTERVAL_S)

    def _outcome_on_linux(self, group: Sequence[Operation]) -> LinkOutcome:
        try:
            if self._linux is None:
                raise LinuxError("the Linux side of this VPP cannot be reached", "run vppcfg as root on the router")
            if isinstance(group[0], RestoreInLinux):
                settings = [each.setting for each in group if isinstance(each, RestoreInLinux)]
                return self._linux.restore(group[0].netns, settings)
            if isinstance(group[0], SetLinuxLink):
                return self._linux.set_links(group[0].netns, [_setting(operation) for operation in group])
            self._change_on_linux(self._linux, group[0])
        except LinuxError as error:  # of what is restored, nothing stops at the first
            refused = group if isinstance(group[0], RestoreInLinux) else group[:1]
            return LinkOutcome(refused=dict.fromkeys(range(len(refused)), error.message))
        return LinkOutcome(done=(0,))

    @staticmethod
    def _change_on_linux(linux: Linux, operation: Operation) -> None:
        match operation:
            case CreateNamespace():
                linux.add_namespace(operation.netns)
            case CreateLinuxBridge():
                linux.add_bridge(operation.netns, operation.bridge)
            case SetLinuxBridge():
                linux.set_bridge(operation.netns, operation.host_name, operation.bridge)
            case _:
                raise NotImplementedError(type(operation).__name__)


def _looked_into(facts: Facts) -> Iterator[tuple[str, str]]:
    """Yield the namespace where LCP pairs are made by default, with the name of no device.

    It is read even where no pair is: a device that a new pair is to get may exist there already.
    """
    if _LCP_PLUGIN in facts.plugins:
        yield facts.lcp.default_netns, ""


def _with_linux(state: State, side: LinuxSide, names: dict[tuple[str, str], str]) -> State:
    """Return the state with its Linux side; a pair whose device is gone from Linux has lost its host.

    The Linux bridge of a device is kept of TAPs alone: no key of a file puts the device of a pair into one.
    """
    facts = replace(
        state.facts,
        has_linux=True,
        linux_others=side.others,
        linux_udp_ports=side.udp_ports,
        linux_neighbors=frozenset(_brought_into_vpp(state, side)),
    )
    seen = replace(
        state,
        linux={
            name: replace(device, bridge="") if name in state.lcps else device
            for place, device in side.devices.items()
            if (name := names.get(place)) is not None
        },
        lcps={name: _seen_in_linux(pair, side) for name, pair in state.lcps.items()},
        namespaces=side.namespaces,
        linux_bridges=side.bridges,
        facts=facts,
    )
    return with_neighbors_of_linux(seen)


def _brought_into_vpp(state: State, side: LinuxSide) -> Iterator[tuple[str, str, str]]:
    """Yield the neighbours that linux-nl brings into VPP for ever: it listens in the default namespace of pairs."""
    if LISTENER not in state.facts.plugins:
        return
    netns = state.facts.lcp.default_netns
    names = {(pair.netns, pair.host_name): name for name, pair in state.lcps.items() if pair.netns == netns}
    yield from ((names[place], address, mac) for place, address, mac in side.neighbors if place in names)


def _seen_in_linux(pair: LcpPair, side: LinuxSide) -> LcpPair:
    is_there = (pair.netns, pair.host_name) in side.devices
    return pair if is_there or not pair.has_host else replace(pair, has_host=False)


_LCP_PLUGIN = "linux_cp"
_MAKES_DEVICES = (CreateLcpPair, CreateSubInterface)
"""A sub-interface may get a pair by itself (lcp-auto-subint)."""


def _runs(operations: Sequence[Operation], ups_apart: bool) -> Iterator[tuple[bool, bool, list[Operation]]]:
    """Yield operations that go together, in order, each run with whether they are Linux's and whether all set up.

    Only with `ups_apart` are the operations that set interfaces up a run of their own. A bond member, which has no pair
    and no echo, stays with what shut it: VPP's half compares the bond with what it was before.
    """

    def kind(operation: Operation) -> tuple[bool, bool]:
        sets_up = isinstance(operation, LinkOperation) and operation.new_state is True and not operation.awaited_bond
        return not operation.needs_vpp, ups_apart and operation.needs_vpp and sets_up

    for (is_linux, is_up), run in groupby(operations, key=kind):
        yield is_linux, is_up, list(run)


def _groups(run: Sequence[Operation]) -> Iterator[list[Operation]]:
    """Yield the operations of a run in order: what is set in one namespace together, others one by one."""
    group: list[Operation] = []
    for operation in run:
        if group and not (_together(group[-1], operation) and len(group) < _AT_ONCE):
            yield group
            group = []
        group.append(operation)
    if group:
        yield group


def _together(one: Operation, other: Operation) -> bool:
    for kind in (SetLinuxLink, RestoreInLinux):
        if isinstance(one, kind) and isinstance(other, kind):
            return one.netns == other.netns
    return False


def _setting(operation: Operation) -> LinkSetting:
    if not isinstance(operation, SetLinuxLink):
        raise NotImplementedError(type(operation).__name__)
    return LinkSetting(name=operation.host_name, mtu=operation.mtu, is_up=operation.is_up)


def _counting_from(start: int, on_progress: Callable[[int], None]) -> Callable[[int], None]:
    return lambda count: on_progress(start + count)
