"""Sends the frames that prove a file into a VPP, and compares what VPP does with what the file sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from vppcfg.app.deviations import deviations
from vppcfg.common.packets import TCP, UDP
from vppcfg.model.state import State
from vppcfg.model.vrf import table_key
from vppcfg.probe.forwarding import predict
from vppcfg.probe.frame import frame_bytes
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, FrameEnd, FrameProbe, Reason, UndecidedError
from vppcfg.probe.report import ProbeReport, report_of
from vppcfg.probe.test_cases import ProbeSet
from vppcfg.probe.trace import Names, Observation, is_whole, observe_path, packets
from vppcfg.probe.verdict import ProbeFinding, blamed_on_state, judge

if TYPE_CHECKING:
    from vppcfg.vpp.probing import Injection, Numbers


_MORE_TIMES = 2
"""VPP's tracer loses sight of a frame now and then, or of a part of its way; those are sent again."""
_PORTS_APART = 20_000

DOWN = Observation(steps=(), ends=frozenset({FrameEnd(fate=Fate.DROPPED, reason=Reason.DOWN)}))
"""What happens to frames on a port that is down, which takes none."""


class Injectable(Protocol):
    """A VPP that frames can be sent into."""

    def read_numbers(self) -> Numbers:
        """Return the names behind its numbers, such as interface indexes. Raise DataplaneError."""

    def observe(self) -> State:
        """Return what it has. Raise DataplaneError."""

    def inject(self, injections: Sequence[Injection], *, is_in_service: bool = False) -> dict[int, str]:
        """Send frames in, and return what is traced of each, by place. Raise DataplaneError."""


def prove(vpp: Injectable, network: Network, probe_set: ProbeSet) -> ProbeReport:
    """Return the results of the frames of a campaign, and what VPP has otherwise than the file, which `network` is.

    Raise DataplaneError.
    """
    observed = vpp.observe()
    findings = send_probes(vpp, observed, network, probe_set.probes)
    report = report_of(findings, probe_set.unproved, deviations(observed, network.state), network.without_link)
    return replace(report, untested=probe_set.untested)


def send_probes(vpp: Injectable, observed: State, network: Network, probes: Iterable[FrameProbe]) -> list[ProbeFinding]:
    """Return the outcome of each probe. `observed` is what VPP has, `network` what the file sets. Raise DataplaneError.

    A port that is down takes nothing from the wire, so nothing is sent in its name.
    """
    probes = list(probes)
    numbers = vpp.read_numbers()
    names = names_of(numbers, observed, network)
    here = [probe for probe in probes if probe.port in numbers.up]
    found = observe_frames(vpp, here, names)
    for left in reversed(range(_MORE_TIMES)):
        lost = [repeated_probe(probe, network, left + 1) for probe in here if probe.name not in found]
        found |= observe_frames(vpp, lost, names, is_last=not left)
    findings = [judge(probe, found.get(probe.name) if probe.port in numbers.up else DOWN) for probe in probes]
    return [blamed_on_state(finding, network, numbers.up) for finding in findings]


def repeated_probe(probe: FrameProbe, network: Network, times: int) -> FrameProbe:
    """Return the frame as it is sent another time: access lists that keep state remember ports."""
    packet = probe.frame.packet
    if not times or packet.protocol not in (TCP, UDP) or packet.inside is not None:
        return probe
    ports = ((packet.ports[0] + _PORTS_APART * times) % 0x10000, packet.ports[1])
    frame = replace(probe.frame, packet=replace(packet, ports=ports))
    try:
        is_like_it = predict(network, probe.port, frame) == probe.prediction
    except UndecidedError:
        is_like_it = False
    return replace(probe, frame=frame) if is_like_it else probe


def observe_frames(
    vpp: Injectable, probes: Sequence[FrameProbe], names: Names, *, is_last: bool = False, is_in_service: bool = False
) -> dict[str, Observation]:
    """Send frames, and return what VPP did with those that its tracer followed to an end, or with all at last."""
    from vppcfg.vpp.probing import Injection

    injections = [Injection(port=probe.port, frame=frame_bytes(probe.frame)) for probe in probes]
    texts = vpp.inject(injections, is_in_service=is_in_service) if injections else {}
    found = {}
    for place, probe in enumerate(probes):
        for _, nodes in packets(texts.get(place, "")):
            observation = observe_path(nodes, names)
            if is_whole(observation) or is_last:
                found[probe.name] = observation
    return found


def names_of(numbers: Numbers, observed: State, network: Network) -> Names:
    """Return the names behind the numbers in a trace."""
    return Names(
        interfaces=numbers.interfaces,
        tables={(family, index): number for family, index, number in _tables(numbers, observed)},
        access_lists={acl.index: name for name, acl in observed.acls.items() if acl.index is not None},
        bonds=network.bonds,
        policers=numbers.policers,
        hosts=frozenset(numbers.interfaces.values()) - observed.interfaces.keys() - network.state.interfaces.keys(),
    )


def _tables(numbers: Numbers, observed: State) -> Iterable[tuple[int, int, int]]:
    """Yield the family, VPP's index and the number of each table."""
    for (family, name), index in numbers.tables.items():
        if name == table_key(0, is_ipv6=family == 6):
            yield family, index, 0
        for table in observed.vrfs.values():
            if table.is_ipv6 == (family == 6) and table.name == name:
                yield family, index, table.table_id
