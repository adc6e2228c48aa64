"""The report of `probe`: which frames went elsewhere, and which object of the file is most likely to blame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from vppcfg.probe.deviation import Deviation, explained
from vppcfg.probe.outcome import Blame, Unproved
from vppcfg.probe.verdict import ProbeFinding
from vppcfg.record import record


@record
class Suspect:
    """An object of the file, and what speaks against it: frames, what VPP has otherwise, or both."""

    subject: str
    findings: tuple[ProbeFinding, ...]
    lines: tuple[str, ...] = ()
    """What VPP's own tables have otherwise than the file."""


@record
class ProbeReport:
    """The outcome of all probes."""

    sent: int
    suspects: tuple[Suspect, ...]
    """Those first that VPP has otherwise than the file, the one with the most findings at their head."""
    unproved: tuple[Unproved, ...]
    untested: tuple[tuple[str, int], ...] = ()
    """What no frame proves of the file, and for how many objects."""

    @property
    def wrong(self) -> int:
        """Return how many frames went elsewhere."""
        return sum(len(suspect.findings) for suspect in self.suspects)

    @property
    def unnoticed(self) -> int:
        """Return how many objects VPP has otherwise than the file without that any frame went elsewhere."""
        return sum(not suspect.findings for suspect in self.suspects)


def report_of(
    findings: Sequence[ProbeFinding],
    unproved: Iterable[Unproved],
    deviations: Sequence[Deviation] = (),
    without_link: frozenset[str] = frozenset(),
) -> ProbeReport:
    """Return the report of some findings. Of what may be to blame for one, that is which explains most of them.

    `deviations` are what VPP has otherwise than the file: each is reported, whether or not a frame shows it.
    """
    wrong = explained((each for each in findings if each.blame is not None), deviations, without_link)
    otherwise = {each.blame.subject for each in deviations}
    counts = Counter(blame.subject for finding in wrong for blame in _blames(finding))
    by_thing: dict[str, list[ProbeFinding]] = {}
    for finding in wrong:
        blame = max(_blames(finding), key=lambda each: (each.subject in otherwise, counts[each.subject]))
        by_thing.setdefault(blame.subject, []).append(replace(finding, blame=blame, others=()))
    lines: dict[str, list[str]] = {}
    for deviation in deviations:
        lines.setdefault(deviation.blame.subject, []).extend(deviation.lines)
    suspects = [
        Suspect(subject=subject, findings=tuple(by_thing.get(subject, ())), lines=tuple(lines.get(subject, ())))
        for subject in dict.fromkeys([*by_thing, *lines])
    ]
    suspects.sort(key=lambda suspect: (suspect.subject not in lines, -len(suspect.findings), suspect.subject))
    return ProbeReport(sent=len(findings), suspects=tuple(suspects), unproved=tuple(unproved))


def _blames(finding: ProbeFinding) -> list[Blame]:
    """Return all that may be to blame, the most likely first."""
    return [] if finding.blame is None else list(dict.fromkeys([finding.blame, *finding.others]))


def reasons(unproved: Iterable[Unproved]) -> list[tuple[str, int]]:
    """Return why frames could not be sent, and how many each; the most frequent first."""
    counts = Counter(each.why for each in unproved)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
