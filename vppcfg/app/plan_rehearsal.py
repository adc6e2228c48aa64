"""Rehearses a plan: carries its steps out one by one on a real VPP of its own, and sends frames in between."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from ipaddress import ip_address
from itertools import groupby
from pathlib import Path
from typing import Any

from vppcfg.app.keys import keys_in_files
from vppcfg.app.probing import DOWN, names_of, observe_frames
from vppcfg.app.rehearsal_scope import RehearsalScope, heap_bytes, host_devices_of, pairs_of, ports_of, scope_of
from vppcfg.app.rehearsing import (
    StandIn,
    add_host_devices,
    add_ports,
    connected,
    is_made_up,
    neighbor_mac,
    neighbors_to_add,
    with_masters,
    with_neighbors,
    with_observed_choices,
)
from vppcfg.app.unmanaged import listed_by_holder
from vppcfg.dataplane import Refusal
from vppcfg.errors import DataplaneError, PlanProofError, PlanRefusedError
from vppcfg.linux.private_vpp import (
    WITH_LINUX_CP,
    WITH_SFLOW,
    PrivateVpp,
    VppEnvironment,
    folders_of_sockets,
    private_vpp,
)
from vppcfg.model.memif import Memif
from vppcfg.model.neighbor import Neighbor
from vppcfg.model.ownership import NameGlobs
from vppcfg.model.route import Route
from vppcfg.model.state import State
from vppcfg.model.tap import Tap
from vppcfg.model.vhost_user import VhostUser
from vppcfg.model.virtual_router import VirtualRouter
from vppcfg.operations.attachment import RestoreInVpp
from vppcfg.operations.change import Action, Change, ObjectKind
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import DeleteInterface, Operation
from vppcfg.operations.working_state import WorkingState
from vppcfg.plan.bootstrap_state import restorable
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.plan.rollback import closest_to, created_ports, prove_way_back
from vppcfg.probe.network import Network
from vppcfg.probe.rehearsal import LeftOut, MeasuredStep, PlanRehearsal, Refused
from vppcfg.probe.trace import Observation
from vppcfg.probe.transients import (
    Campaign,
    Transient,
    WatchedFrame,
    chosen,
    is_as_before,
    joined,
    transient_of,
    watched_frames,
)
from vppcfg.record import evolve, record
from vppcfg.render.rehearsal_text import rehearsal_lines
from vppcfg.transaction.perform import perform_plan
from vppcfg.transaction.planning import not_restored
from vppcfg.vpp.barrier import BarrierClock
from vppcfg.vpp.live import LiveDataplane

log = logging.getLogger("root.main")

_MOST_FRAMES = 30
"""So many frames are sent behind a step of a long plan; a millisecond or two each."""
_FRAMES_IN_ALL = 3_000
"""With fewer frames and steps than this, each frame is sent behind each step."""
_MOST_WAYS_BACK = 12
"""From so many steps the way back is rehearsed: from all of a short plan."""
_ASSOCIATION = "ipsec sa add {number} spi {spi} esp crypto-alg aes-gcm-128 crypto-key 000102030405060708090a0b0c0d0e0f"
_FIRST_SPI = 256
"""The first that is free (RFC 4303, 2.1)."""
_WORKER = "cpu {{ main-core {main} corelist-workers {worker} }}\n"


@record
class RehearsalTerms:
    """How a plan is rehearsed."""

    prefix: Path
    """Where VPP's bin/vpp is."""
    routes: int | None = None
    """So many routes are in the default table beside those of the plan, by the default gateway, and a worker shows how
    long steps stop it; None for neither: frames need no worker, and one that gets no CPU makes VPP slow, or end."""


def rehearse_plan(
    plan: Plan,
    terms: RehearsalTerms,
    is_unmanaged: Callable[[str], bool],
    on_progress: Callable[[int], None] = lambda done: None,
    foreign_reason: Callable[[], str] = lambda: "",
) -> PlanRehearsal:
    """Return what happens on the way from the observed state to the desired one, and on the ways back.

    `on_progress` is called with the number of steps done; `foreign_reason` is as for `keys_in_files`. Raise UsageError,
    LinuxError or DataplaneError where no VPP can be started, or none can be brought to the observed state,
    PlanRefusedError for a key.
    """
    began = time.monotonic()
    with _stage(plan, terms, foreign_reason) as stage:
        now, later = stage.network_of(plan.observed), stage.network_of(plan.reached)
        watched = watched_frames(now, later)
        frames = [frame for frame, observation in _sent(stage, now, watched) if is_as_before(frame, observation)]
        steps, transients, refused = _go(stage, plan, Campaign(now, later, frames), on_progress)
        backs, unlike = ((), ()) if refused else _ways_back(stage, plan, is_unmanaged)
        return PlanRehearsal(
            version=stage.vpp.version,
            steps=tuple(steps),
            left_out=tuple(_left_out(stage.scope, plan.operations)),
            frames=len(frames),
            unclear=len(watched) - len(frames),
            transients=tuple(joined(transients)),
            refused=refused,
            backs_from=backs,
            backs_unlike=unlike,
            took_s=time.monotonic() - began,
            memory_bytes=stage.process.peak_bytes,
        )


def logged(rehearsal: PlanRehearsal) -> None:
    """Log what a rehearsal has shown."""
    for line in rehearsal_lines(rehearsal):
        log.log(logging.ERROR if rehearsal.has_failed else logging.INFO, "%s", line)


def refuse_failed(
    plan: Plan, terms: RehearsalTerms, unmanaged: Sequence[str], foreign_reason: Callable[[], str]
) -> None:
    """Rehearse a plan, log what that shows, and raise PlanRefusedError when it fails. Raise as `rehearse_plan` does."""
    rehearsal = rehearse_plan(plan, terms, NameGlobs(unmanaged).matches, foreign_reason=foreign_reason)
    logged(rehearsal)
    if rehearsal.has_failed:
        raise PlanRefusedError("the rehearsal failed; nothing was changed", "without --rehearsed nothing is rehearsed")


def _left_out(scope: RehearsalScope, operations: Sequence[Operation]) -> Iterator[LeftOut]:
    for number, each in enumerate(operations, start=1):
        if why := scope.why_left_out(each):
            yield LeftOut(step=number, subject=each.subject, why=why)


def _shown(operation: Operation) -> str:
    """Return an operation as its line of VPP's CLI, or by what it is about."""
    return operation.cli() or operation.subject


def _refused(refusal: Refusal) -> str:
    return f"VPP refuses {_shown(refusal.operation)}: {refusal.text}"


class _Stage:
    """A VPP that has a state, with a neighbour in each of its networks."""

    def __init__(
        self,
        process: PrivateVpp,
        vpp: LiveDataplane,
        ports: Mapping[str, StandIn],
        scope: RehearsalScope,
        state: State,
        *,
        has_worker: bool,
    ) -> None:
        """Take a VPP that was brought to `state`, and wait for its virtual routers. Raise DataplaneError."""
        self.process = process
        self.vpp = vpp
        self.ports = ports
        self.scope = scope
        self.clock = BarrierClock(vpp.run_at_prompt, process.cpu_ms) if has_worker else None
        self._numbers: dict[tuple[str, str], int] = {}
        self._set: set[tuple[str, str]] = set()
        self.settle(state)
        self.before = with_masters(vpp)
        """What it was brought to, as VPP shows it."""

    def network_of(self, state: State) -> Network:
        """Return the network of a state of the plan, with the neighbours that it will have here."""
        there = with_observed_choices(self.scope.stand_in(state), self.before)
        return Network(with_neighbors(there, self._numbered(Network(there))))

    def _numbered(self, network: Network) -> list[tuple[str, Neighbor]]:
        """Return a neighbour for each prefix, with the same MAC address each time."""
        found = []
        for name, each in (*neighbors_to_add(network), *_gateways(network)):
            number = self._numbers.setdefault((name, each.address), len(self._numbers))
            found.append((name, replace(each, mac=neighbor_mac(number))))
        return found

    def perform(self, operations: Sequence[Operation]) -> Refusal | None:
        """Carry out operations, and return what VPP refuses first, None for nothing.

        Of those that are left out, the deletion of a TAP makes the port anew that stands in for it.
        """
        for is_left_out, group in groupby(operations, key=lambda each: bool(self.scope.why_left_out(each))):
            some = list(group)
            if not is_left_out:
                refusals = self.vpp.perform(some).refusals
                if refusals:
                    return refusals[0]
                continue
            for each in some:
                if isinstance(each, DeleteInterface):
                    self.ports[each.subject].renew(self.vpp)
        return None

    def timed(self, operation: Operation) -> tuple[Refusal | None, float | None]:
        """Carry out one operation, and return for how many milliseconds it held the workers, None without any."""
        if self.clock is None:
            return self.perform([operation]), None
        self.clock.start()
        refusal = self.perform([operation])
        return refusal, self.clock.held_ms()

    def settle(self, state: State, touched: Collection[str] | None = None) -> Network:
        """Give each network of a state its neighbour, as a host there would answer, and return the network.

        With `touched`, only what is new or on one of these interfaces is set: VPP may have forgotten that.
        """
        network = Network(self.scope.stand_in(state))
        for name, each in self._numbered(network):
            if touched is None or name in touched or (name, each.address) not in self._set:
                self.vpp.run_at_prompt(f"set ip neighbor {name} {each.address} {each.mac} static")
                self._set.add((name, each.address))
        return network

    def await_masters(self, state: State, operation: Operation) -> None:
        """Wait until the virtual routers that an operation had to do with are masters again, as time goes by."""
        names = {name for label in labels_of(operation) for name in label.split()}
        if any({each.interface, *each.label.split()} & names for each in state.of(VirtualRouter).values()):
            with_masters(self.vpp)


@contextmanager
def _stage(plan: Plan, terms: RehearsalTerms, foreign_reason: Callable[[], str]) -> Iterator[_Stage]:
    has_worker = terms.routes is not None and len(os.sched_getaffinity(0)) > 1
    keys = keys_in_files(plan.observed, foreign_reason) | keys_in_files(plan.desired, foreign_reason)
    pairs = pairs_of(plan)
    around = VppEnvironment(
        stanzas=_stanzas(has_worker=has_worker) + (WITH_LINUX_CP if pairs else ""),
        namespaces=tuple(sorted({pair.netns for pair in pairs if pair.netns})),
        hidden=_folders_of_sockets(plan),
        heap_bytes=heap_bytes(plan, terms.routes or 0, threads=1 + has_worker),
    )
    with private_vpp(terms.prefix, around) as process, connected(process) as vpp:
        vpp.require_injection()
        add_host_devices(process, host_devices_of(plan))
        ports = add_ports(vpp, process, ports_of(plan))
        scope = scope_of(plan, process, vpp, ports)
        vpp.use_keys(keys)
        _bring(vpp, scope.stand_in(restorable(plan.observed)))
        if terms.routes:
            way = default_way(Network(plan.observed))
            vpp.run_line(f"ip route add 16.0.0.0/28 count {terms.routes} via {way}")
        yield _Stage(process, vpp, ports, scope, plan.observed, has_worker=has_worker)


def default_way(network: Network) -> str:
    """Return the first gateway of the default route and the interface there, as most routes lead; else `drop`."""
    routes = (each for each in network.state.of(Route).values() if (each.prefix, each.table_id) == ("0.0.0.0/0", 0))
    for gateway in (hop.gateway for route in routes for hop in route.hops if hop.gateway):
        for each in network.connected:
            if each.table == 0 and ip_address(gateway) in each.network:
                return f"{gateway} {each.interface}"
    return "drop"


def _bring(vpp: LiveDataplane, state: State) -> None:
    """Bring a VPP that has its ports alone to a state. Raise DataplaneError."""
    base = _as_planned(vpp.observe(), state)
    setup = make_plan(base, replace(state, interfaces={**base.interfaces, **state.interfaces}, unmanaged=()))
    refusals = perform_plan(setup, vpp, lambda done: None).refusals or _protect(vpp, state)
    if refusals:
        first = refusals[0]
        raise DataplaneError(f"the observed state cannot be rehearsed: {first.operation.subject}: {first.text}")


def _protect(vpp: LiveDataplane, state: State) -> Sequence[Refusal]:
    """Protect tunnels by security associations with made-up keys, and return what VPP refuses. Raise DataplaneError."""
    numbers = {number: False for each in state.unmanaged for number in each.protecting[:1]}
    numbers |= {number: True for each in state.unmanaged for number in each.protecting[1:]}
    for spi, (number, is_inbound) in enumerate(numbers.items(), start=_FIRST_SPI):
        vpp.run_line(_ASSOCIATION.format(number=number, spi=spi) + (" inbound" if is_inbound else ""))
    return vpp.perform([RestoreInVpp(attachment=each) for each in state.unmanaged]).refusals


def _go(
    stage: _Stage, plan: Plan, campaign: Campaign, on_progress: Callable[[int], None]
) -> tuple[list[MeasuredStep], list[Transient], Refused | None]:
    """Carry out all steps, and return how long each took, what frames showed, and which step VPP refuses, if any."""
    working = WorkingState(plan.observed)
    steps: list[MeasuredStep] = []
    transients: list[Transient] = []
    wrong: set[str] = set()
    announced = frozenset(_announced(plan))
    estimated = {each.step: each.ms for each in plan.pauses.steps}
    frames = campaign.frames
    most = len(frames) if len(frames) * len(plan.steps) <= _FRAMES_IN_ALL else _MOST_FRAMES
    for place, operation in enumerate(plan.operations):
        operation.apply_to(working)
        if stage.scope.why_left_out(operation):
            stage.perform([operation])
            continue
        try:
            refusal, held = stage.timed(operation)
            if refusal is not None:
                return steps, transients, Refused(step=place + 1, subject=_shown(operation), why=refusal.text)
            steps.append(MeasuredStep(step=place + 1, blocked_ms=held, estimated_ms=estimated.get(place)))
            touched = labels_of(operation)
            state = working.state()
            network = stage.settle(state, {label.removeprefix("interface ") for label in touched})
            some = chosen(frames, touched, wrong, place, most)
            wrong = set()
            some = [campaign.renewed(frame, place + 1) for frame in some]
            for frame, observation in _sent(stage, network, some):
                found = transient_of(frame, observation, place + 1, announced)
                if found is not None:
                    wrong.add(frame.probe.name)
                    transients.append(found)
            stage.await_masters(state, operation)
        except DataplaneError as error:  # VPP has ended, at the step or by a frame behind it
            return steps, transients, Refused(step=place + 1, subject=_shown(operation), why=error.message)
        on_progress(place + 1)
    return steps, transients, None


def _gateways(network: Network) -> Iterator[tuple[str, Neighbor]]:
    """Yield the gateways of routes that are in a network of an interface, which has them as neighbours."""
    for route in network.state.of(Route).values():
        for gateway in {hop.gateway for hop in route.hops if hop.gateway and hop.table_id is None}:
            host = ip_address(gateway)
            for each in network.connected:
                if each.table == route.table_id and host in each.network and network.has_ethernet(each.interface):
                    yield each.interface, Neighbor(address=gateway, mac="")


def _announced(plan: Plan) -> Iterator[str]:
    """Yield the objects that the impact of a plan names, as frames are about them."""
    for name, effect in plan.effects.items():
        for part in {loss.part for loss in effect.losses}:
            yield f"{part.noun} {name}" if isinstance(part, type) else f"interface {name}"


def labels_of(operation: Operation) -> tuple[str, ...]:
    """Return what an operation is about, as frames may be, the object itself first, and the port that it is on."""
    subject = operation.subject
    if isinstance(operation, SetObject | RemoveObject):
        return (operation.item.label,)
    first = f"{operation.noun} {subject}" if operation.noun else f"interface {subject}"
    port = subject.rpartition(".")[0] or subject
    return tuple(dict.fromkeys((first, f"interface {subject}", f"interface {port}")))


def _sent(
    stage: _Stage, network: Network, frames: Sequence[WatchedFrame]
) -> Iterator[tuple[WatchedFrame, Observation]]:
    """Send frames, and yield what became of each that was seen again.

    VPP ends at a frame that comes in by a port without Ethernet, as a memif may be for a while.
    """
    numbers = stage.vpp.read_numbers()
    names = names_of(numbers, network.state, network)
    frames = [
        each
        for each in frames
        if each.probe.port not in network.state.interfaces or network.has_ethernet(each.probe.port)
    ]
    probes = [each.probe for each in frames if each.probe.port in numbers.up]
    found = observe_frames(stage.vpp, probes, names)
    for each in frames:
        observation = found.get(each.probe.name) if each.probe.port in numbers.up else DOWN
        if observation is not None:
            yield each, observation


def _ways_back(
    stage: _Stage, plan: Plan, is_unmanaged: Callable[[str], bool]
) -> tuple[tuple[int, ...], tuple[tuple[int, str], ...]]:
    """Go back from the end, and then from some or all steps. Return from which, and what was not as before then.

    Where VPP does not take the steps once more, because the way back has given other numbers to policies, that is all.
    """
    count = len(plan.steps)
    places = {count - number * count // _MOST_WAYS_BACK for number in range(_MOST_WAYS_BACK)} - {0}
    gone: list[int] = []
    for place, state in reversed(_states_behind(plan, places)):
        try:
            if place != count and stage.perform(plan.operations[:place]) is not None:
                break
            stage.settle(state)
            wrong = _back_from(stage, plan, state, is_unmanaged)
        except DataplaneError as error:
            wrong = error.message
        gone.append(place)
        if wrong:
            return tuple(sorted(gone)), ((place, wrong),)
    return tuple(sorted(gone)), ()


def _states_behind(plan: Plan, places: Collection[int]) -> list[tuple[int, State]]:
    """Return the state behind some steps of a plan, counted from 1, in their order."""
    working = WorkingState(plan.observed)
    found = []
    for number, operation in enumerate(plan.operations, start=1):
        operation.apply_to(working)
        if number in places:
            found.append((number, working.state()))
    return found


def _back_from(stage: _Stage, plan: Plan, state: State, is_unmanaged: Callable[[str], bool]) -> str:
    """Go back from a state on the way, and return what is not as before, '' for nothing."""
    created = created_ports(plan.observed, plan.desired)
    target = closest_to(plan.observed, state, is_unmanaged, created, plan.desired)
    try:
        way = prove_way_back(target, lambda end: make_plan(state, end))
    except PlanProofError as error:
        return error.message
    if refusal := stage.perform(way.plan.operations):
        return _refused(refusal)
    stage.settle(plan.observed)
    taps = plan.observed.virtual_as(Tap).keys() | plan.desired.virtual_as(Tap).keys()
    observed = stage.vpp.observe()
    now, before = (_comparable(state, plan.observed, taps) for state in (observed, stage.before))
    missing = not_restored(stage.scope.stand_in(plan.observed), stage.vpp, observed)
    texts = (unlike_text(diff(now, before), way.unlike), listed_by_holder(missing))
    return "; ".join(text for text in texts if text)


def unlike_text(found: Iterable[Change[Any]], known: Iterable[Change[Any]]) -> str:
    """Return what differs beside what is known to: by object and attribute, '' for nothing."""
    passed = {detail for change in known for detail in _details(change)}
    texts = []
    for change in found:
        left = [attribute for *what, attribute in _details(change) if (*what, attribute) not in passed]
        if left:
            texts.append(" ".join((change.name, *left)).rstrip())
    return "; ".join(texts)


def _details(change: Change[Any]) -> list[tuple[ObjectKind, str, str]]:
    """Return what a change is about: each attribute, '' where the object as a whole comes, goes or is recreated."""
    names = [each.name for each in change.attributes] if change.action is Action.UPDATE else []
    return [(change.kind, change.name, name) for name in names or [""]]


def _comparable(state: State, planned: State, taps: Collection[str]) -> State:
    """Return a state of VPP without what a rehearsal has otherwise than a router.

    That are MAC addresses and settings of LLDP that the plan leaves open, neighbours that were made up, and what stands
    in for TAPs.
    """
    open_settings = {each.name: None for each in fields(planned.lldp) if getattr(planned.lldp, each.name) is None}
    interfaces = {
        name: evolve(
            each,
            mac=each.mac if name not in planned.interfaces or planned.interfaces[name].mac else "",
            link_mtu=each.link_mtu if name not in planned.interfaces or planned.interfaces[name].link_mtu else None,
            neighbors=tuple(neighbor for neighbor in each.neighbors if not is_made_up(neighbor)),
        )
        for name, each in state.interfaces.items()
        if name not in taps
    }
    lldp = replace(state.lldp, **open_settings)
    return replace(state, interfaces=interfaces, lldp=lldp).with_explicit_mtus()


def _as_planned(base: State, wanted: State) -> State:
    """Return the state of a new VPP with its ports as those that they stand in for: what no step sets of them."""
    interfaces = dict(base.interfaces)
    for name, there in base.interfaces.items():
        port = wanted.interfaces.get(name)
        if port is not None and port.parent is None:
            interfaces[name] = evolve(
                there,
                device_class=port.device_class,
                link_mtu=there.link_mtu if port.link_mtu is not None else None,
                rx_mode=port.rx_mode,
                rx_placement=port.rx_placement,
                tx_placement=port.tx_placement,
            )
    return replace(base, interfaces=interfaces)


def _stanzas(*, has_worker: bool) -> str:
    """Return what startup.conf of the rehearsal has beside the usual: a worker on request.

    They are those of this process: on a router with isolated CPUs, not those of the VPP that forwards.
    """
    cpus = sorted(os.sched_getaffinity(0))
    return WITH_SFLOW + (_WORKER.format(main=cpus[0], worker=cpus[-1]) if has_worker else "")


def _folders_of_sockets(plan: Plan) -> tuple[Path, ...]:
    """Return the folders of sockets that the plan's interfaces have, in whose place the VPP sees empty ones."""
    return folders_of_sockets(
        each.socket
        for state in (plan.observed, plan.desired)
        for each in state.virtual.values()
        if isinstance(each, Memif | VhostUser)
    )
