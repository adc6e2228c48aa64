"""Results as JSON and back, in vppcfg's own form or in that of trex-loadtest.

A file that lacks something, or has an impossible value, raises a UsageError that names the place.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from vppcfg.common.bounds import RESULT_BYTES
from vppcfg.common.documents import build, parse_json, plain, read_at_most
from vppcfg.common.printable import json_text
from vppcfg.errors import UsageError
from vppcfg.loadtest.result import FORMAT_VERSION, Offered, Result
from vppcfg.loadtest.stateful.outcome import StatefulOutcome
from vppcfg.loadtest.trex_loadtest import result_of_trex_loadtest
from vppcfg.loadtest.watch.outcome import Watched

_SHORTEST_S = 1e-6
_LEAST = 1e-15
"""A smaller number is 0, or none that was measured."""
_RANGES = {
    "_s": (1e8, "is longer than any test"),
    "_us": (1e14, "is longer than any test"),
    "_pps": (1e13, "is more than any port carries"),
    "_cps": (1e13, "is more than any port carries"),
    "_bps": (1e16, "is more than any link carries"),
    "sent_bytes": (1e18, "is more than anything here counts"),
    "received_bytes": (1e18, "is more than anything here counts"),
    "_bytes": (1e6, "is longer than any frame, or any answer"),
    "_ratio": (1.0, "is more than all of it"),
    "softirq": (1.01, "is more than all of it"),
    "idle": (1.01, "is more than all of it"),
    "": (1e18, "is more than anything here counts"),
}
"""The largest number of each unit, which is how an attribute's name ends, and what a larger one is. A report draws and
divides by what it finds; none of these is near what a test may come to."""
_HINT = "`vppcfg loadtest ramp -o FILE` and its siblings write results"


class FileForm(Enum):
    """The form that a file of results is expected to have."""

    AUTO = "auto"
    OURS = "json"
    TREX_LOADTEST = "trex-loadtest"


def text_of(result: Result) -> str:
    """Return a result as a JSON document."""
    return json_text({"format_version": FORMAT_VERSION, **plain(result)}, indent=1, allow_nan=False) + "\n"


def read_result(path: Path) -> Result:
    """Return the result in a file of vppcfg's form. Raise UsageError when there is none, or half of one."""
    return result_of(load_json(path), str(path))


def read_any(path: Path, form: FileForm = FileForm.AUTO) -> Result:
    """Return the result in a file, ours or the one that trex-loadtest writes. Raise UsageError."""
    document = load_json(path)
    is_theirs = isinstance(document, dict) and "stats" in document and "vars" in document
    if form is FileForm.TREX_LOADTEST and not is_theirs:
        raise UsageError(f"{path} is no result of trex-loadtest: it lacks vars or stats", "leave --format out")
    if is_theirs and form is not FileForm.OURS:
        try:
            return _checked(result_of_trex_loadtest(document, path.stem), str(path))
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
            raise UsageError(
                f"{path} looks like a result of trex-loadtest, but {what}", "was it cut off or changed?"
            ) from error
    return result_of(document, str(path))


def result_of(document: object, source: str) -> Result:
    """Return the result that plain data describes. Raise UsageError."""
    if not isinstance(document, dict) or "format_version" not in document:
        raise UsageError(f"{source} is no result of a load test: it has no format_version", _HINT)
    version = document.pop("format_version")
    if version != FORMAT_VERSION:
        raise UsageError(
            f"{source} has format_version {version!r}, and this vppcfg reads {FORMAT_VERSION}",
            "read it with the vppcfg that wrote it, or with a newer one",
        )
    try:
        result = build(Result, document, "the result", check=_out_of_range)
    except ValueError as error:
        raise UsageError(f"{source}: {error}", _HINT) from error
    for complaint in _complaints(result):
        raise UsageError(f"{source}: {complaint}", "the file was changed or damaged")
    return result


def _checked(result: Result, source: str) -> Result:
    """Return a result that comes from another form, when it could come from ours. Raise UsageError."""
    return result_of({"format_version": FORMAT_VERSION, **plain(result)}, source)


def _out_of_range(name: str, number: float) -> str:
    """Return why no test can have come to a number, '' when one can."""
    if number < 0:
        return "is less than nothing"
    if 0 < number < _LEAST:
        return "is less than anything that is measured"
    most, reason = _range_of(name)
    return reason if number > most else ""


@cache
def _range_of(name: str) -> tuple[float, str]:
    return next(found for unit, found in _RANGES.items() if name.endswith(unit))


def load_json(path: Path) -> Any:
    """Return the JSON document in a file. Raise UsageError when it is none, is cut off or too large."""
    try:
        text = read_at_most(path, RESULT_BYTES)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    try:
        return parse_json(text, str(path), RESULT_BYTES)
    except ValueError as error:
        raise UsageError(str(error), _HINT) from error


def _complaints(result: Result) -> Iterator[str]:
    """Yield a sentence for each figure that no test can have counted."""
    if result.offered is not None:
        yield from _offer_complaints(result.offered)
    directions = len(result.offered.directions) if result.offered else None
    former_s = -math.inf
    for index, sample in enumerate(result.samples):
        if sample.at_s <= former_s:
            yield f"samples[{index}] is at {sample.at_s} s, which is not after the one before it"
        if sample.duration_s < _SHORTEST_S:
            yield f"samples[{index}].duration_s is {sample.duration_s:g}, in which nothing can be counted"
        if directions is not None and len(sample.tallies) != directions:
            yield f"samples[{index}] has {len(sample.tallies)} directions, and the test has {directions}"
        if len(sample.tallies) != len(result.samples[0].tallies):
            yield f"samples[{index}] has {len(sample.tallies)} directions, and the first one has another number"
        former_s = sample.at_s
    if result.samples and result.offered is None:
        yield "it has samples and no `offered`, so what was sent is unknown"
    for place, watched in enumerate(result.watched):
        yield from _watch_complaints(f"watched[{place}]", watched)
    if result.stateful is not None:
        yield from _connection_complaints(result.stateful)
    yield from _tuning_complaints(result.tuning or {})


def _offer_complaints(offered: Offered) -> Iterator[str]:
    if not offered.directions:
        yield "offered.directions is empty"
    for name in ("mean_frame_bytes", "link_bps", "port_rate_pps", "path_rate_pps"):
        if not getattr(offered, name):
            yield f"offered.{name} is 0, and shares are taken of it"


def _connection_complaints(outcome: StatefulOutcome) -> Iterator[str]:
    former_s = -math.inf
    ways = len(outcome.directions)
    for index, sample in enumerate(outcome.samples):
        if sample.at_s <= former_s:
            yield f"stateful.samples[{index}] is at {sample.at_s} s, which is not after the one before it"
        if sample.duration_s < _SHORTEST_S:
            yield f"stateful.samples[{index}].duration_s is {sample.duration_s:g}, in which nothing can be counted"
        if len(sample.tallies) != ways:
            yield f"stateful.samples[{index}] has {len(sample.tallies)} directions, and the test has {ways}"
        former_s = sample.at_s
    if outcome.tallies and len(outcome.tallies) != ways:
        yield f"stateful.tallies has {len(outcome.tallies)} directions, and the test has {ways}"


def _watch_complaints(path: str, watched: Watched) -> Iterator[str]:
    former_s = -math.inf
    for index, moment in enumerate(watched.moments):
        if moment.at_s <= former_s:
            yield f"{path}.moments[{index}] is at {moment.at_s} s, which is not after the one before it"
        if len(moment.rtts_us) > moment.sent:
            yield f"{path}.moments[{index}] has more answers than probes"
        if any(later < former for former, later in pairwise(moment.rtts_us)):
            yield f"{path}.moments[{index}].rtts_us is not ascending"
        former_s = moment.at_s


def _tuning_complaints(tuning: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the tuner's document, as far as a report shows it."""
    findings = tuning.get("findings", [])
    if not isinstance(findings, list):
        yield "tuning.findings is not a list"
        return
    for index, found in enumerate(findings):
        if not isinstance(found, dict) or not isinstance(found.get("verdict"), str):
            yield f"tuning.findings[{index}] has no verdict"
