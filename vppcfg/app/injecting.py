"""Sends frames into a VPP at work, one after the other, and takes everything away again that it made for them.

That nothing leaves by a port cannot be ordered of VPP: whatever would drop frames on the way out would stand in the way
of everybody's. So a frame is sent only where the file and VPP's own tables, its routes among them, agree that it ends
within VPP, and its trace is read before the next one is sent. The first that leaves all the same is the last.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from vppcfg.app.console import Console
from vppcfg.app.deviations import deviations
from vppcfg.app.planning import propose, show_obstacles
from vppcfg.app.probing import DOWN, names_of, observe_frames, repeated_probe
from vppcfg.app.rehearsing import with_observed_choices
from vppcfg.app.signals import deferring
from vppcfg.app.target import Target, who
from vppcfg.app.vpp_with_linux import Router
from vppcfg.config.load import Loaded
from vppcfg.entries.configuration import Configuration
from vppcfg.errors import DataplaneError, NotNowError, PlanRefusedError
from vppcfg.model.state import State
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import FrameProbe, Unproved
from vppcfg.probe.report import ProbeReport, report_of
from vppcfg.probe.safe_injection import foreign_addresses, safe_probes_for, went_out
from vppcfg.probe.test_cases import ProbeSet
from vppcfg.probe.trace import Names, Observation, is_whole
from vppcfg.probe.verdict import ProbeFinding, blamed_on_state, judge
from vppcfg.record import record
from vppcfg.vpp.live import LiveDataplane

log = logging.getLogger("root.main")

COMMAND = "probe --inject"
_PATIENCE_S = 15.0
_TIMES = 3
_PAUSE_S = 0.5
_STOPPED = "a frame before it left by a port, or may have, and nothing was sent after that"
LearntMac = tuple[str, int]
"""A MAC address that a bridge domain has learnt, and the number of that domain."""


@record
class InjectTerms:
    """How frames are sent into a VPP at work."""

    rate: float
    """Frames a second, at most."""
    may_leave: bool = False
    """Whether frames may leave by ports."""


@record
class InjectionSetup:
    """The frames to send into a VPP at work, and what their outcome is compared with."""

    observed: State
    network: Network
    """What the file sets."""
    probe_set: ProbeSet
    names: Names
    up: frozenset[str]


def inject(
    configuration: Configuration,
    loaded: Loaded,
    target: Target,
    terms: InjectTerms,
    console: Console,
    agrees: Callable[[str], bool],
) -> ProbeReport:
    """Return the results of the frames that may be sent into a VPP at work. `agrees` is asked before the first.

    Raise LockedError, NotNowError, DataplaneError; PlanRefusedError without approval.
    """
    with target.lock(COMMAND):
        vpp, linux = target.connect_apart()
        with vpp:
            vpp.require_injection()
            vpp.withdraw()  # what a process left that was killed
            _refuse_traced(vpp)
            setup = _prepared(vpp, Router(vpp, linux).observe(), configuration, loaded, terms, console)
            probes = setup.probe_set.probes
            if probes and not agrees(question(len(probes), target, terms)):
                raise PlanRefusedError("not confirmed; nothing was sent", "--yes skips the question")
            log.info("%s sends %d frames into VPP at %s", who(), len(probes), target.api_socket)
            with _given_back(target, vpp.boot_id) as stations:
                findings = list(_sent(vpp, setup, terms, stations))
    left = probes[len(findings) :]
    log.info("%d frames were sent", len(findings))
    if left:
        log.error(
            "A frame left by a port, or may have, contrary to the file and VPP's own tables: no more frames are sent"
        )
    unproved = [Unproved(about=each.about, purpose=each.purpose, why=_STOPPED) for each in left]
    report = report_of(
        findings,
        (*setup.probe_set.unproved, *unproved),
        deviations(setup.observed, setup.network.state),
        setup.network.without_link,
    )
    return replace(report, untested=setup.probe_set.untested)


def question(count: int, target: Target, terms: InjectTerms) -> str:
    """Return what the operator has to agree to."""
    how = f"{count:,} frames will be sent into VPP at {target.api_socket}, {terms.rate:g} a second."
    if terms.may_leave:
        return f"{how}\nSome leave by its ports, and VPP will ask for neighbours."
    return f"{how}\nAll are to end there. If one leaves by a port all the same, it is the last."


def _refuse_traced(vpp: LiveDataplane) -> None:
    traces = vpp.foreign_traces()
    if traces:
        raise NotNowError(f"{traces}, and frames would end that", "`clear trace` or `pcap trace off` at VPP's prompt")


def _prepared(
    vpp: LiveDataplane,
    observed: State,
    configuration: Configuration,
    loaded: Loaded,
    terms: InjectTerms,
    console: Console,
) -> InjectionSetup:
    """Return what may be sent. Raise PlanRefusedError when the file cannot be what this VPP is to have."""
    proposal = propose(configuration, loaded, observed, adopt=False)
    show_obstacles(proposal, loaded.name, console)
    if not proposal.resolution.is_possible:
        raise PlanRefusedError("the file does not fit this VPP, and nothing was sent", "`vppcfg plan` shows why")
    desired = with_observed_choices(proposal.resolution.desired, observed)
    numbers = vpp.read_numbers()
    network = _with_routes(vpp, desired, numbers.without_link)
    in_vpp = _with_routes(vpp, observed, numbers.without_link)
    return InjectionSetup(
        observed=observed,
        network=network,
        probe_set=safe_probes_for(network, in_vpp, may_leave=terms.may_leave),
        names=names_of(numbers, observed, network),
        up=numbers.up,
    )


def _with_routes(vpp: LiveDataplane, state: State, without_link: frozenset[str]) -> Network:
    """Return a state with the routes of other programs that frames may take."""
    network = Network(state, without_link)
    safe_probes_for(network, network, may_leave=False)
    safe_probes_for(network, network, may_leave=True)
    return Network(state, without_link, foreign_addresses(network, vpp.read_ways(network.asked).items()))


def _sent(
    vpp: LiveDataplane, setup: InjectionSetup, terms: InjectTerms, stations: list[LearntMac]
) -> Iterator[ProbeFinding]:
    """Send frame after frame and yield the outcome of each; the first that leaves and may not is the last."""
    for probe in setup.probe_set.probes:
        began = time.monotonic()
        is_sent = probe.port in setup.up
        if is_sent:
            stations += _stations(probe, setup.observed)
            found = _followed(vpp, probe, setup)
        else:
            found = DOWN
        yield blamed_on_state(judge(probe, found), setup.network, setup.up)
        if is_sent and not terms.may_leave and went_out(found):
            return
        if is_sent:
            time.sleep(max(0.0, began + 1 / terms.rate - time.monotonic()))


def _followed(vpp: LiveDataplane, probe: FrameProbe, setup: InjectionSetup) -> Observation | None:
    """Return what VPP did with a frame. It is sent again when its way is not whole in the trace, and ended in VPP."""
    found = None
    for time_before in range(_TIMES):
        same = repeated_probe(probe, setup.network, time_before)
        found = observe_frames(vpp, [same], setup.names, is_last=True, is_in_service=True).get(probe.name)
        if found is None or went_out(found) or is_whole(found):
            break
    return found


def _stations(probe: FrameProbe, observed: State) -> list[LearntMac]:
    """Return where the sender of a frame may be learnt: in the domains of all that is on its port."""
    names = [name for name, each in observed.interfaces.items() if probe.port in (name, each.parent)]
    domains = {observed.interfaces[name].bridge for name in names}
    return [(probe.frame.source, number) for number in sorted(each for each in domains if each is not None)]


@contextmanager
def _given_back(target: Target, boot_id: str) -> Iterator[list[LearntMac]]:
    """Take away at last, whatever happens, what was made in VPP; on a new connection, for the old one may be gone."""
    stations: list[LearntMac] = []
    try:
        yield stations
    finally:
        with deferring(lambda: log.warning("Taking away first what was made in VPP")):
            _take_away(target, boot_id, dict.fromkeys(stations))


def _take_away(target: Target, boot_id: str, stations: dict[LearntMac, Any]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            vpp, _ = target.connect_apart()
            with vpp:
                if vpp.boot_id == boot_id:
                    vpp.withdraw(stations)
                return
        except DataplaneError as error:
            if time.monotonic() > deadline:
                log.error(
                    "Streams vppcfg-probe-… and the interface pg5311 may be left in VPP: %s (`probe --inject` takes "
                    "them away when it is run again)",
                    error.message,
                )
                return
            time.sleep(_PAUSE_S)
