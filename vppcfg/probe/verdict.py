"""Compares what VPP did with a frame with what the file requires, and names the object of the file that is to blame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import takewhile

from vppcfg.probe.network import Network
from vppcfg.probe.outcome import Blame, Fate, FrameEnd, FrameProbe, Prediction, Reason
from vppcfg.probe.stages import of_interface
from vppcfg.probe.trace import Observation
from vppcfg.record import record


@record
class ProbeFinding:
    """The outcome of one probe."""

    probe: FrameProbe
    observation: Observation | None
    """None where the frame was not seen again."""
    blame: Blame | None = None
    """None where VPP did what the file requires."""
    others: tuple[Blame, ...] = ()
    """What else may be to blame; all findings together show which it is."""
    text: str = ""
    """What is wrong, in words."""


def judge(probe: FrameProbe, observation: Observation | None) -> ProbeFinding:
    """Return whether VPP did what the file requires, and what is to blame if not."""
    if observation is None:
        text = "the frame was not seen again"
        return ProbeFinding(probe=probe, observation=None, blame=of_interface(probe.port), text=text)
    wrong = []
    for choice in probe.prediction.choices:
        by_choice = replace(probe, prediction=choice)
        found = _difference(by_choice, observation)
        if found is None:
            return ProbeFinding(probe=probe, observation=observation)
        wrong.append((_agreement(by_choice, observation), found))
    # Of the ways that VPP may choose, the one that it seems to have taken shows what is wrong.
    _, found = max(wrong, key=lambda each: each[0])
    (blame, *others), text = found
    return ProbeFinding(probe=probe, observation=observation, blame=blame, others=tuple(others), text=text)


def _agreement(probe: FrameProbe, observation: Observation) -> tuple[int, int]:
    """Return how many steps, from the first on, and how many ends were seen as they are predicted."""
    seen = set(observation.steps)
    steps = sum(1 for _ in takewhile(lambda step: _is_seen(step.seen, seen), probe.prediction.steps))
    found = {comparable(end) for end in observation.ends}
    return steps, sum(comparable(end) in found for end, _ in probe.prediction.ends)


def _difference(probe: FrameProbe, observation: Observation) -> tuple[list[Blame], str] | None:
    """Return what may be to blame, the most likely first, and what is wrong; None where nothing is."""
    prediction = probe.prediction
    seen = set(observation.steps)
    missing = next((step for step in prediction.steps if not _is_seen(step.seen, seen)), None)
    if missing is None:
        return _answered(probe, observation) or _ends(probe, observation)
    assert missing.blame is not None
    instead = _answered(probe, observation) or _instead(probe, observation)
    if instead is not None:
        return instead
    return [missing.blame], _step_text(missing.seen)


def _is_seen(step: tuple[str, str, str], seen: set[tuple[str, str, str]]) -> bool:
    kind = step[0]
    if kind in _WITHOUT_SUBJECT:
        return any(each[0] == kind for each in seen)
    if kind in _WITHOUT_TRACE:
        return True
    return step in seen


_TAGS_SHOWN = 2
"""VPP prints two VLAN tags, and what is behind them only where there are no more."""
_WITHOUT_SUBJECT = frozenset(
    {"checked", "crossed", "looked for", "received", "redirected", "retagged", "routed", "steered", "translated"}
    | {"unwrapped"}
)
_WITHOUT_TRACE = frozenset({"wrapped"})


def _step_text(step: tuple[str, str, str]) -> str:
    kind, subject, detail = step
    words = {
        "bonded": f"it does not come in by {subject}",
        "switched": f"{subject} does not switch it",
        "routed": "it is not routed",
        "crossed": "no cross-connect of L3 takes it",
        "translated": "NAT does not look at it",
        "steered": "no policy route looks at it",
        "looked up": f"it is not looked up in table {detail}",
        "filtered": f"{subject} does not filter it by {detail}",
        "checked": f"{subject} does not check where it comes from",
        "received": "the router does not take it for its own",
        "looked for": "no neighbour is looked for",
        "rewritten": f"it is not sent to {subject}",
        "sent": f"it does not leave by {subject}",
        "retagged": "its VLAN tags are not rewritten",
        "recorded": f"its class is not recorded as {detail}",
        "stored": f"its class does not become {detail}",
        "marked": f"its class is not written as {detail}",
        "policed": f"the policer {detail} does not count it" if detail else "it has a rate limit",
        "redirected": "it is not redirected",
        "answered": f"it is not answered with {detail}",
        "relayed": f"it is not handed to {detail}",
        "mirrored": f"{detail} gets no copy of it",
        "unwrapped": f"it does not come out of {subject}",
    }
    return words.get(kind, kind)


def _answered(probe: FrameProbe, observation: Observation) -> tuple[list[Blame], str] | None:
    """Return what an unexpected ICMP error shows: another MTU on the way of the packet."""
    if any(end.fate is Fate.ANSWERED for end, _ in probe.prediction.ends):
        return None
    towards = [subject for kind, subject, _ in observation.steps if kind == "rewritten"]
    if towards and any(end.fate is Fate.ANSWERED for end in observation.ends):
        return [of_interface(towards[-1], "mtu")], "it is answered with an ICMP error"
    return None


def _instead(probe: FrameProbe, observation: Observation) -> tuple[list[Blame], str] | None:
    """Return whom the unexpected end of a frame blames, None where it shows nothing."""
    predicted = {(end.fate, end.reason) for end, _ in probe.prediction.ends}
    for end in sorted(observation.ends, key=str):
        if (end.fate, end.reason) in predicted or end.fate is not Fate.DROPPED:
            continue
        if end.reason is Reason.DOWN and not observation.steps:
            name = (probe.prediction.taker or probe.port) if observation.nodes else probe.port
            return [of_interface(name, "state")], "the interface is down"
        if end.reason is Reason.TAGS and any(node.name == "l2-input-vtr" for node in observation.nodes[-3:]):
            return [of_interface(probe.prediction.taker, "tag-rewrite")], "it has too few VLAN tags to take off"
        lists = [step for step in observation.steps if step[0] == "filtered"]
        if end.reason is Reason.ACL and lists:
            name, rule = lists[-1][2].split(" ")[1:]
            blame = Blame(subject=f"access list {name}", aspect=f"rule {int(rule) + 1}")
            return [blame], "an access list denies it"
    return None


def _ends(probe: FrameProbe, observation: Observation) -> tuple[list[Blame], str] | None:
    """Return which end is not as predicted, and what may be to blame."""
    if has_ends_of(probe.prediction, observation):
        return None
    wanted = {comparable(end): blame for end, blame in probe.prediction.ends}
    found = {_like(comparable(end), wanted) for end in observation.ends}
    missing = [end for end in wanted if end not in found]
    extra = sorted(found - set(wanted), key=str)
    if missing:
        end = missing[0]
        other = next((each for each in extra if each.interface == end.interface), extra[0] if extra else None)
        blames = _blames_for(probe, observation, end, other, wanted[end])
        instead = f"in VPP it {end_text(other)}" if other is not None else "in VPP it does not"
        return blames, f"by the file it {end_text(end)}; {instead}"
    other = extra[0]
    blame = of_interface(other.interface, "reached") if other.interface else probe.prediction.ends[0][1]
    return [blame], f"it {end_text(other)}, too"


def has_ends_of(prediction: Prediction, observation: Observation) -> bool:
    """Return whether a frame ended as predicted, whatever its way was."""
    wanted = {comparable(end): blame for end, blame in prediction.ends}
    return {_like(comparable(end), wanted) for end in observation.ends} == set(wanted)


def _like(end: FrameEnd, wanted: Mapping[FrameEnd, Blame]) -> FrameEnd:
    """Return an end as it is predicted, where only the TTL differs and that does not matter."""
    without = replace(end, ttl=0)
    return without if without in wanted else end


def _blames_for(
    probe: FrameProbe, observation: Observation, end: FrameEnd, other: FrameEnd | None, blame: Blame
) -> list[Blame]:
    if other is None:
        return [blame]
    if end.fate is Fate.DROPPED and end.reason is Reason.TAGS and other.fate is Fate.SENT:
        return [blame, of_interface(other.interface, "tag-rewrite")]
    if end.fate is not Fate.SENT:
        return [blame]
    if other.fate is Fate.SENT and other.interface == end.interface and other.tags != end.tags:
        source, target = (of_interface(name, "tag-rewrite") for name in (probe.prediction.taker, end.interface))
        is_retagged = any(step.kind == "retagged" for step in probe.prediction.steps)
        if not is_retagged and any(step[0] == "retagged" for step in observation.steps):
            return [source]
        return [target, source]
    if other.fate is Fate.DROPPED and other.reason is Reason.DOWN:
        return [of_interface(_port_of(end.interface), "state")]
    if other.fate is Fate.DROPPED and other.reason is Reason.TAGS:
        return [of_interface(end.interface, "tag-rewrite")]
    if other.fate is Fate.ANSWERED:
        return [of_interface(end.interface, "mtu")]
    return [blame]


def _port_of(name: str) -> str:
    """Return the port of an interface by its name: a sub-interface is named after its port and its number."""
    port, dot, number = name.rpartition(".")
    return port if dot and number.isdecimal() else name


def comparable(end: FrameEnd) -> FrameEnd:
    """Return the end as far as a trace shows it.

    VPP prints all tags as being of the kind of the outermost (format_ethernet_header_with_length in
    src/vnet/ethernet/format.c).
    """
    if end.fate is Fate.SENT and end.tags:
        end = replace(end, tags=(end.tags[0], *(replace(tag, is_dot1ad=False) for tag in end.tags[1:])))
    if end.fate is Fate.SENT and end.tags is not None and len(end.tags) > _TAGS_SHOWN:
        return replace(end, tags=end.tags[:_TAGS_SHOWN], source="", destination="", ttl=0, is_encrypted=False)
    if end.fate is Fate.SENT and (end.tags is None or not end.source):
        return replace(end, tags=end.tags, source="", destination="", ttl=0)
    if end.fate is Fate.SENT:
        return end
    return replace(end, interface="", reason=end.reason if end.fate in (Fate.DROPPED, Fate.REFUSED) else None)


def end_text(end: FrameEnd) -> str:
    """Return how a way ends, in words."""
    if end.fate is Fate.SENT:
        tags = "".join(f", {'802.1ad' if tag.is_dot1ad else '802.1Q'} {tag.vlan}" for tag in end.tags or ())
        packet = f", {end.source} > {end.destination}" if end.source else ""
        ttl = f" TTL {end.ttl}" if end.ttl else ""
        how = " encrypted" if end.is_encrypted else ""
        return f"leaves by {end.interface}{how}{tags or (' without tags' if end.tags == () else '')}{packet}{ttl}"
    why = f": {end.reason.value}" if end.reason is not None else ""
    return f"{end.fate.value}{why}"


def blamed_on_state(finding: ProbeFinding, network: Network, up: frozenset[str]) -> ProbeFinding:
    """Return the finding with an interface to blame that is not up, or not down, as in the file.

    Only those count that the frame has to do with: on its way, the ports of those, and the members of bonds.
    """
    if finding.blame is None:
        return finding
    on_its_way = {finding.probe.port}
    for choice in finding.probe.prediction.choices:
        on_its_way |= {choice.taker, *(step.subject for step in choice.steps)}
        on_its_way |= {end.interface for end, _ in choice.ends}
    names = {name for name in on_its_way if name in network.state.interfaces}
    names |= {network.port_of(name) for name in names}
    names |= {member for member, bond in network.bonds.items() if bond in names}
    wrong = [of_interface(name, "state") for name in sorted(names) if network.interface(name).is_up != (name in up)]
    if not wrong:
        return finding
    return replace(finding, blame=wrong[0], others=(*wrong[1:], finding.blame, *finding.others))
