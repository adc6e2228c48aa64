"""What came of all probes of a file: what is as it should be, and what is not, by the object that is to blame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from vppcfg.probe.aims import Unproved
from vppcfg.probe.outcome import Blame
from vppcfg.probe.verdict import ProbeFinding
from vppcfg.record import record


@record
class Suspect:
    """An object of the file, and the findings that are to be blamed on it."""

    thing: str
    findings: tuple[ProbeFinding, ...]


@record
class ProbeReport:
    """What came of all probes."""

    sent: int
    suspects: tuple[Suspect, ...]
    """The one with the most findings first."""
    unproved: tuple[Unproved, ...]

    @property
    def wrong(self) -> int:
        """Return how many frames went elsewhere."""
        return sum(len(suspect.findings) for suspect in self.suspects)


def report_of(findings: Sequence[ProbeFinding], unproved: Iterable[Unproved]) -> ProbeReport:
    """Return the report of some findings. Of what may be to blame for one, that is which explains most of them."""
    wrong = [finding for finding in findings if finding.blame is not None]
    counts = Counter(blame.thing for finding in wrong for blame in _blames(finding))
    by_thing: dict[str, list[ProbeFinding]] = {}
    for finding in wrong:
        blame = max(_blames(finding), key=lambda each: counts[each.thing])
        by_thing.setdefault(blame.thing, []).append(replace(finding, blame=blame, others=()))
    suspects = [Suspect(thing=thing, findings=tuple(found)) for thing, found in by_thing.items()]
    suspects.sort(key=lambda suspect: (-len(suspect.findings), suspect.thing))
    return ProbeReport(sent=len(findings), suspects=tuple(suspects), unproved=tuple(unproved))


def _blames(finding: ProbeFinding) -> list[Blame]:
    """Return all that may be to blame, the most likely first."""
    return [] if finding.blame is None else list(dict.fromkeys([finding.blame, *finding.others]))


def reasons(unproved: Iterable[Unproved]) -> list[tuple[str, int]]:
    """Return why frames could not be sent, and how many each; the most frequent first."""
    counts = Counter(each.why for each in unproved)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
