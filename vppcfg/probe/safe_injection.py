"""Which frames may be sent into a router at work: addresses of documentation only, and none that is to leave it.

A frame is held back unless the file and VPP's own tables agree that it ends within VPP. What it does there is seen
before the next one is sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import ip_address, ip_network

from vppcfg.probe.coverage_gaps import untested_in
from vppcfg.probe.forwarding import predict
from vppcfg.probe.frame import Packet
from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Fate, FrameProbe, Prediction, UndecidedError, Unproved
from vppcfg.probe.test_cases import ProbeSet, probes_for
from vppcfg.probe.trace import Observation

DOCUMENTATION = tuple(
    map(ip_network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "198.18.0.0/15", "2001:db8::/32"))
)
"""Addresses that no host has (RFC 5737, RFC 2544, RFC 3849)."""
_OTHER_ADDRESS = "an address of it is not for documentation"
_LEAVES = "it, or what answers it, would leave by a port (--out-of-ports sends it)"
_WOULD_LEAVE = "by VPP's own tables it would leave by a port, contrary to the file"
_UNSURE = "VPP's own tables do not prove that it ends within VPP"
_ANSWERS = ("-icmp-error", "-glean", "-arp", "-discover-neighbor")


def safe_probes_for(network: Network, in_vpp: Network, *, may_leave: bool) -> ProbeSet:
    """Return the frames that may be sent into a router at work, and what is held back.

    `network` is what the file sets, `in_vpp` what VPP's own tables have.
    """
    whole = probes_for(network, from_strangers=True)
    probes: list[FrameProbe] = []
    held_back: list[Unproved] = []
    for probe in whole.probes:
        why = _objection(probe, network, in_vpp, may_leave=may_leave)
        if why:
            held_back.append(Unproved(about=probe.about, purpose=probe.purpose, why=why))
        else:
            probes.append(probe)
    unproved = (*whole.unproved, *held_back)
    untested = untested_in(network.state, probes, unproved)
    return ProbeSet(probes=tuple(probes), unproved=unproved, untested=untested)


def _objection(probe: FrameProbe, network: Network, in_vpp: Network, *, may_leave: bool) -> str:
    """Return what speaks against sending a frame, '' for nothing."""
    if not all(is_documentation(address) for address in _addresses(probe.frame.packet)):
        return _OTHER_ADDRESS
    if may_leave:
        return ""
    if _leaves(network, probe, probe.prediction):
        return _LEAVES
    try:
        prediction = predict(in_vpp, probe.port, probe.frame)
    except (UndecidedError, KeyError):  # KeyError: VPP lacks an interface
        return _UNSURE
    return _WOULD_LEAVE if _leaves(in_vpp, probe, prediction) else ""


def _leaves(network: Network, probe: FrameProbe, prediction: Prediction) -> bool:
    """Return whether anything leaves because of a frame: itself, a copy, an answer, or a question for a neighbour."""
    return any(_leaves_by(network, probe, choice) for choice in prediction.choices)


def _leaves_by(network: Network, probe: FrameProbe, prediction: Prediction) -> bool:
    on_its_way = {probe.port, prediction.taker, *(step.subject for step in prediction.steps)}
    interfaces = network.state.interfaces
    if any(interfaces[name].mirrors for name in on_its_way if name in interfaces):
        return True
    if any(step.kind == "sent" for step in prediction.steps):  # to a port that is down, or without a link until now
        return True
    return any(end.fate is not Fate.DROPPED for end, _ in prediction.ends)


def went_out(observation: Observation | None) -> bool:
    """Return whether anything has left VPP because of a frame, or may have, for all that is known."""
    if observation is None or any(end.fate is not Fate.DROPPED for end in observation.ends):
        return True
    if any(step[0] == "mirrored" for step in observation.steps):
        return True
    names = [node.name for node in observation.nodes]
    return any(name.endswith(("-output", "-tx", *_ANSWERS)) and name != "l2-output" for name in names)


def is_documentation(address: str) -> bool:
    """Return whether no host has an address."""
    host = ip_address(address)
    return any(host in prefix for prefix in DOCUMENTATION)


def _addresses(packet: Packet) -> Iterator[str]:
    yield from (packet.source, packet.destination)
    if packet.inside is not None:
        inner = packet.inside.packet or (packet.inside.frame.packet if packet.inside.frame is not None else None)
        if inner is not None:
            yield from _addresses(inner)


def foreign_addresses(asked: Network, found: Iterable[tuple[tuple[int, str], str]]) -> frozenset[tuple[int, str]]:
    """Return the addresses to which VPP has a route that a state lacks.

    `found` are the prefixes that VPP finds them by. An address that is the router's own, or that of a neighbour, is
    found by itself.
    """
    foreign = set()
    for (table, address), prefix in found:
        expected = asked.asked.get((table, address))
        known = {str(expected.network)} if expected is not None else {""}
        if (table, address) in asked.own or (
            expected is not None and expected.interface and asked.neighbor(expected.interface, address) is not None
        ):
            known.add(str(ip_network(address)))
        if prefix not in known:
            foreign.add((table, address))
    return frozenset(foreign)
