"""The steps that set admin state, MAC and tag of any interface."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.kinds.interface import SetAdminState, SetMac, SetRxMode, SetRxPlacement, SetTag, SetTxPlacement
from vppcfg.model.interface import Interface, InterfaceKind, RxMode, usual_rx_mode
from vppcfg.model.kinds import as_created
from vppcfg.model.placement import moved
from vppcfg.operations.stages import Stage, Step
from vppcfg.operations.transition import Transition
from vppcfg.plan.steps.mtu import is_cycled, is_shut_for_link_mtu


def steps(transition: Transition, name: str) -> Iterator[Step]:
    """Yield the steps that shut a doomed interface, mark a new one, and set what one that stays has of this."""
    before, after = transition.observed.interfaces.get(name), transition.desired.interfaces.get(name)
    if before is not None and name in transition.to_delete and before.is_up:
        yield _admin_state(Stage.SHUT, before, is_up=False)
    if after is None:
        return
    kept = transition.kept(name)
    yield from _state(transition, kept, after)
    current = _mac_at_creation(after) if kept is None else "" if name in transition.leaving else kept.mac
    if after.mac not in ("", current):
        yield Step(stage=Stage.SET_MAC, operation=SetMac(interface=name, mac=after.mac))
    is_port = after.kind is InterfaceKind.PHYSICAL
    if is_port and after.rx_mode not in (kept.rx_mode if kept is not None else None, RxMode.MIXED):
        mode = after.rx_mode or usual_rx_mode(after.device_class)
        yield Step(stage=Stage.SET_RX_MODE, operation=SetRxMode(interface=name, mode=mode))
    if kept is not None and (after.rx_placement or after.tx_placement):
        yield from _placement(kept, after)
    if after.tag != (kept.tag if kept else ""):
        stage = Stage.TAG if kept else Stage.MARK
        yield Step(stage=stage, operation=SetTag(interface=name, tag=after.tag), depth=after.depth)


def _placement(kept: Interface, after: Interface) -> Iterator[Step]:
    """Yield the steps that give queues to other threads; no thread is without a queue to send by meanwhile."""
    name = kept.name
    for _, desired in moved(kept.rx_placement, after.rx_placement):
        (thread,) = desired.threads
        operation = SetRxPlacement(interface=name, queue=desired.queue, thread=thread)
        yield Step(stage=Stage.PLACE_RX_QUEUE, operation=operation)
    for former, desired in moved(kept.tx_placement, after.tx_placement):
        shared = tuple(sorted({*former.threads, *desired.threads}))
        if shared not in (former.threads, desired.threads):
            sharing = SetTxPlacement(interface=name, queue=desired.queue, threads=shared)
            yield Step(stage=Stage.SHARE_TX_QUEUE, operation=sharing)
        stage = Stage.SHARE_TX_QUEUE if shared == desired.threads else Stage.PLACE_TX_QUEUE
        yield Step(stage=stage, operation=SetTxPlacement(interface=name, queue=desired.queue, threads=desired.threads))


def _state(transition: Transition, kept: Interface | None, after: Interface) -> Iterator[Step]:
    if kept is None:
        was_up = _is_born_up(after)
    else:
        stays_down = is_shut_for_link_mtu(kept, after) and not is_cycled(transition, kept, after)
        was_up = kept.is_up and not stays_down
    if after.is_up != was_up:
        stage = Stage.ADMIN_UP if after.is_up else Stage.ADMIN_DOWN
        stage = Stage.MEMBER_STATE if after.name in transition.desired_members else stage
        yield _admin_state(stage, after, is_up=after.is_up)


def _mac_at_creation(interface: Interface) -> str:
    """Return the MAC that an interface is made with; tunnels and TAPs are made with one of VPP's choice."""
    return interface.mac if interface.kind in (InterfaceKind.LOOPBACK, InterfaceKind.BOND) else ""


def _is_born_up(interface: Interface) -> bool:
    return interface.parent is None and as_created(interface.name, interface.kind).is_up


def _admin_state(stage: Stage, interface: Interface, *, is_up: bool) -> Step:
    operation = SetAdminState(interface=interface.name, is_up=is_up)
    return Step(stage=stage, operation=operation, depth=interface.depth)
