"""The frames that prove a file, and their outcome: lines for people, and plain data for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vppcfg.probe.frame import frame_bytes, frame_text
from vppcfg.probe.outcome import FrameProbe, Unproved
from vppcfg.probe.report import ProbeReport, Suspect, reasons
from vppcfg.probe.test_cases import ProbeSet
from vppcfg.probe.verdict import ProbeFinding, end_text

_FIRST = 3
"""So many findings of one object are shown; the document has all."""


def probe_set_lines(probe_set: ProbeSet) -> Iterator[str]:
    """Yield what would be sent, and what is to become of it."""
    subject = None
    for probe in sorted(probe_set.probes, key=lambda each: each.about.subject):
        if probe.about.subject != subject:
            subject = probe.about.subject
            yield subject
        yield f"  {probe.purpose}"
        yield f"    in by {probe.port}: {frame_text(probe.frame)}"
        yield f"    {_ends_text(probe)}"
    yield from _unproved_lines(probe_set.unproved)
    yield from _untested_lines(probe_set.untested)
    yield _frames(len(probe_set.probes))


def _ends_text(probe: FrameProbe) -> str:
    return ", or ".join("; ".join(texts) or "ends nowhere" for texts in _predicted(probe))


def _predicted(probe: FrameProbe) -> list[list[str]]:
    """Return how a frame may end, each of the choices of VPP with the ends of all its copies, in words."""
    ends = [[end_text(end) for end, _ in choice.ends] for choice in probe.prediction.choices]
    return [texts for place, texts in enumerate(ends) if texts not in ends[:place]]


def report_lines(report: ProbeReport) -> Iterator[str]:
    """Yield the results of the frames: what is wrong by object, what was not proved, and the count last."""
    for suspect in report.suspects:
        yield f"{suspect.subject}: {_charges(suspect)}"
        yield from (f"  {line}" for line in suspect.lines)
        for finding in suspect.findings[:_FIRST]:
            yield from _finding_lines(finding)
        if len(suspect.findings) > _FIRST:
            yield f"  {len(suspect.findings) - _FIRST} more"
    yield from _unproved_lines(report.unproved)
    yield from _untested_lines(report.untested)
    yield summary(report)


def _charges(suspect: Suspect) -> str:
    """Return what speaks against an object."""
    frames = f"{len(suspect.findings)} of the frames that it has to do with go elsewhere"
    if not suspect.lines:
        return frames
    return f"VPP's state differs from the file, and {frames if suspect.findings else 'no frame shows it'}"


def _finding_lines(finding: ProbeFinding) -> Iterator[str]:
    probe = finding.probe
    aspect = f"{finding.blame.aspect}: " if finding.blame is not None and finding.blame.aspect else ""
    yield f"  {aspect}{probe.purpose} ({probe.about.text})"
    yield f"    in by {probe.port}: {frame_text(probe.frame)}"
    yield f"    {finding.text}"
    if finding.observation is not None and finding.observation.nodes:
        yield f"    its way: {' > '.join(node.name for node in finding.observation.nodes)}"


def _unproved_lines(unproved: tuple[Unproved, ...]) -> Iterator[str]:
    for why, count in reasons(unproved):
        yield f"not sent, {_frames(count)}: {why}"


def _frames(count: int) -> str:
    return "1 frame" if count == 1 else f"{count:,} frames"


def _untested_lines(untested: tuple[tuple[str, int], ...]) -> Iterator[str]:
    if untested:
        yield f"not tried: {', '.join(f'{what} ({count:,})' for what, count in untested)}"


def summary(report: ProbeReport) -> str:
    """Return the outcome in one line."""
    if report.wrong:
        return f"VPP handled {report.wrong:,} of {report.sent:,} frames otherwise than configured"
    objects = "1 object" if report.unnoticed == 1 else f"{report.unnoticed:,} objects"
    if not report.sent:
        has = f"; VPP has {objects} otherwise" if report.unnoticed else ""
        return f"no frame was sent, so that none proves anything{has}"
    text = f"VPP handled all {report.sent:,} frames as configured"
    return f"{text}, but has {objects} otherwise, which no frame shows" if report.unnoticed else text


def probe_set_document(probe_set: ProbeSet) -> dict[str, Any]:
    """Return what would be sent as plain data."""
    return {
        "probes": [_probe_document(probe) for probe in probe_set.probes],
        "not_sent": _unproved(probe_set.unproved),
        "not_tried": _untested(probe_set.untested),
    }


def report_document(report: ProbeReport) -> dict[str, Any]:
    """Return the results of the frames as plain data."""
    return {
        "is_as_predicted": not report.suspects,
        "sent": report.sent,
        "wrong": report.wrong,
        "suspects": [
            {
                "object": suspect.subject,
                "findings": [_finding_document(each) for each in suspect.findings],
                "otherwise": list(suspect.lines),
            }
            for suspect in report.suspects
        ],
        "not_sent": _unproved(report.unproved),
        "not_tried": _untested(report.untested),
        "text": summary(report),
    }


def _probe_document(probe: FrameProbe) -> dict[str, Any]:
    return {
        "about": probe.about.text,
        "aim": probe.purpose,
        "port": probe.port,
        "frame": frame_text(probe.frame),
        "bytes": frame_bytes(probe.frame).hex(),
        "predicted": [end_text(end) for end, _ in probe.prediction.ends],
        "or_predicted": _predicted(probe)[1:],
    }


def _finding_document(finding: ProbeFinding) -> dict[str, Any]:
    observation = finding.observation
    return {
        **_probe_document(finding.probe),
        "blame": finding.blame.text if finding.blame is not None else None,
        "text": finding.text,
        "way": [node.name for node in observation.nodes] if observation is not None else [],
    }


def _unproved(unproved: tuple[Unproved, ...]) -> list[dict[str, Any]]:
    return [{"why": why, "count": count} for why, count in reasons(unproved)]


def _untested(untested: tuple[tuple[str, int], ...]) -> list[dict[str, Any]]:
    return [{"what": what, "count": count} for what, count in untested]
