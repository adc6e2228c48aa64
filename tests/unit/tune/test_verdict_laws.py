"""A verdict may only become less sure as text is taken away: from sure to undecided, never from a loss to healthy.

Every whole capture is cut into subsets of its texts, and each of its texts after its lines: `make test` draws some of
them, others each time, and `make test-long` takes them all.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from tests.laws.examples import TIMES
from tests.unit.tune.material import CASES
from vppcfg.errors import UsageError
from vppcfg.tune.assemble import reading_of
from vppcfg.tune.capture import Capture, read_captures
from vppcfg.tune.diagnosis import diagnose
from vppcfg.tune.interval import load_of
from vppcfg.tune.reading import Reading
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.verdict import VerdictWord

NAMES = sorted(path.name for path in CASES.iterdir() if path.is_dir())
HEALTHY, IDLE, UNDECIDED, RISK, LIMIT, LOSS = VerdictWord
ALLOWED = {
    LOSS: {LOSS, LIMIT, RISK, UNDECIDED},
    LIMIT: {LIMIT, RISK, UNDECIDED},
    RISK: {RISK, UNDECIDED, HEALTHY, IDLE},  # a risk is in one text alone: without it nothing is wrong
    HEALTHY: {HEALTHY, UNDECIDED},
    IDLE: {IDLE, UNDECIDED},
    UNDECIDED: {UNDECIDED},
}
"""Verdict on a whole capture -> verdicts on what is left of it."""
MAIN_TEXTS = ("runtime", "stats", "errors", "hardware", "interface", "rx-placement", "threads", "api")
"""What verdicts hang on; the short tests take the rest away together."""
MACHINE_TEXTS = ("cpu", "pci", "memory", "trace", "version", "runtime-max", "host")
"""What describes the machine and not its packets."""
Taken = frozenset[str]


@cache
def captures_of(name: str) -> tuple[Capture, ...]:
    return read_captures(CASES / name)


def _reading(name: str, place: int, taken: Taken) -> Reading:
    return reading_of(without(captures_of(name)[place], taken))


def without(capture: Capture, taken: Taken) -> Capture:
    return replace(
        capture,
        texts={name: text for name, text in capture.texts.items() if name not in taken},
        documents={name: document for name, document in capture.documents.items() if name not in taken},
    )


def verdict_of(readings: Iterable[Reading]) -> VerdictWord:
    return diagnose(Situation(load=load_of(list(readings)))).verdict.word


def whole(name: str) -> VerdictWord:
    return verdict_of(_reading(name, place, frozenset()) for place in range(len(captures_of(name))))


def parts_of(name: str) -> list[str]:
    captures = captures_of(name)
    return sorted({part for capture in captures for part in (*capture.texts, *capture.documents)})


def subsets(parts: list[str], most: int) -> list[Taken]:
    """Return sets of parts to take away, never all of them: every one, or as many as are asked for, of any size."""
    if 2 ** len(parts) <= most:
        return [frozenset(chosen) for size in range(1, len(parts)) for chosen in combinations(parts, size)]
    random = Random()
    return [frozenset(random.sample(parts, random.randrange(1, len(parts)))) for _ in range(most)]


def assert_subsets_hold(name: str, groups: list[frozenset[str]], most: int) -> int:
    """Take away subsets of groups of texts from all readings alike; return how many there were."""
    allowed, tried = ALLOWED[whole(name)], 0
    for chosen in subsets([str(number) for number in range(len(groups))], most):
        taken = frozenset().union(*(groups[int(number)] for number in chosen))
        try:
            said = verdict_of(_reading(name, place, taken) for place in range(len(captures_of(name))))
        except UsageError:
            continue  # nothing is left that can be read
        tried += 1
        assert said in allowed, (name, said, sorted(taken))
    return tried


@pytest.mark.parametrize("name", NAMES)
def test_with_fewer_texts_a_verdict_is_never_surer_nor_better(name: str) -> None:
    parts = parts_of(name)
    rest = frozenset(part for part in parts if part not in MAIN_TEXTS)
    groups = [frozenset({part}) for part in parts if part in MAIN_TEXTS] + ([rest] if rest else [])
    assert assert_subsets_hold(name, groups, most=12 * TIMES) > 1


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_with_any_texts_missing_a_verdict_is_never_surer_nor_better(name: str) -> None:
    parts = parts_of(name)
    machine = [part for part in parts if part in MACHINE_TEXTS]
    groups = [frozenset({part}) for part in parts if part not in MACHINE_TEXTS]
    assert_subsets_hold(name, groups + ([frozenset(machine)] if machine else []), most=12 * TIMES**2)
    for taken in subsets(machine, most=2 * TIMES):  # they say nothing about packets
        for other in (frozenset(), *groups):
            left = taken | other
            said = verdict_of(_reading(name, place, left) for place in range(len(captures_of(name))))
            assert said in ALLOWED[whole(name)], (name, said, sorted(left))


def cuts(capture: Capture) -> Iterator[tuple[str, Capture]]:
    """Yield a capture with one of its texts cut after one of its lines, and what was cut; in `test-long` after each."""
    for part, text in sorted(capture.texts.items()):
        lines = text.splitlines(keepends=True)
        for end in range(len(lines)) if TIMES > 1 else sorted(Random().sample(range(len(lines)), -(-len(lines) // 40))):
            cut = replace(capture, texts={**capture.texts, part: "".join(lines[:end])}, whole=capture.whole - {part})
            yield f"{capture.name}: {part} after line {end}", cut


@pytest.mark.parametrize("knows_lines", [pytest.param(True, marks=pytest.mark.slow), False], ids=["ours", "pasted"])
@pytest.mark.parametrize("name", NAMES)
def test_a_text_that_was_cut_after_any_line_makes_no_verdict_surer_nor_better(name: str, knows_lines: bool) -> None:
    captures = captures_of(name)
    if not knows_lines:
        captures = tuple(replace(capture, whole=frozenset()) for capture in captures)
    readings = [reading_of(capture) for capture in captures]
    allowed = ALLOWED[verdict_of(readings)]
    for place, capture in enumerate(captures):
        for what, cut in cuts(capture):
            try:
                said = verdict_of([*readings[:place], reading_of(cut), *readings[place + 1 :]])
            except UsageError:
                continue
            assert said in allowed, (said, what)


@pytest.mark.parametrize("name", NAMES)
def test_texts_without_the_stats_segment_hold_too(name: str) -> None:
    """Cut the texts of the last reading alone, as somebody pastes them, without what only vppcfg reads."""
    capture = replace(captures_of(name)[-1], documents={}, whole=frozenset())
    allowed = ALLOWED[verdict_of([reading_of(capture)])]
    for what, cut in cuts(capture):
        try:
            said = verdict_of([reading_of(cut)])
        except UsageError:
            continue
        assert said in allowed, (said, what)


def test_a_capture_knows_how_many_lines_its_texts_have(tmp_path: Path) -> None:
    from vppcfg.tune.capture import write_captures

    write_captures([Capture(name="x", texts={"errors": "a\nb\nc\n"}, whole=frozenset({"errors"}))], tmp_path / "c")
    assert json.loads((tmp_path / "c/capture.json").read_text())["lines"] == {"1": {"errors": 3}}
    (read,) = read_captures(tmp_path / "c")
    assert read.whole == {"errors"}
    (tmp_path / "c/1/errors.txt").write_text("a\nb\n")
    (read,) = read_captures(tmp_path / "c")
    assert (read.whole, read.remarks) == (frozenset(), ("errors.txt was cut: 2 of its 3 lines are there",))
