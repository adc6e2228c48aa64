"""Results as JSON and back, whichever of two forms a file has.

What a file lacks or says that cannot be is a UsageError that names the place.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from vppcfg.common.documents import build, plain
from vppcfg.errors import UsageError
from vppcfg.loadtest.result import FORMAT_VERSION, Result
from vppcfg.loadtest.trex_loadtest import result_of_trex_loadtest

_LIMIT_BYTES = 256 << 20
_HINT = "`vppcfg loadtest ramp -o FILE` and its siblings write results"


class FileForm(Enum):
    """What a file is expected to be."""

    AUTO = "auto"
    OURS = "json"
    TREX_LOADTEST = "trex-loadtest"


def text_of(result: Result) -> str:
    """Return a result as a JSON document."""
    return json.dumps({"format_version": FORMAT_VERSION, **plain(result)}, indent=1, allow_nan=False) + "\n"


def read_result(path: Path) -> Result:
    """Return the result in a file. Raise UsageError when there is none, or half of one."""
    return result_of(load_json(path), str(path))


def read_any(path: Path, form: FileForm = FileForm.AUTO) -> Result:
    """Return the result in a file, ours or the one that trex-loadtest writes. Raise UsageError."""
    document = load_json(path)
    is_theirs = isinstance(document, dict) and "stats" in document and "vars" in document
    if form is FileForm.TREX_LOADTEST and not is_theirs:
        raise UsageError(f"{path} is no result of trex-loadtest: it lacks vars or stats", "leave --format out")
    if is_theirs and form is not FileForm.OURS:
        try:
            return result_of_trex_loadtest(document, path.stem)
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
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
        result = build(Result, document, "the result")
    except ValueError as error:
        raise UsageError(f"{source}: {error}", _HINT) from error
    for complaint in _complaints(result):
        raise UsageError(f"{source}: {complaint}", "the file was changed or damaged")
    return result


def load_json(path: Path) -> Any:
    """Return the JSON document in a file. Raise UsageError when it is none, is cut off or too large."""
    try:
        if path.stat().st_size > _LIMIT_BYTES:
            raise UsageError(f"{path} is larger than {_LIMIT_BYTES >> 20} MB, which no result is")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no text", _HINT) from error
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise UsageError(_json_problem(path, text, error), _HINT) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: {error}", _HINT) from error


def _json_problem(path: Path, text: str, error: json.JSONDecodeError) -> str:
    """Return what is wrong; a document that ends where more must follow was cut off."""
    if not text.strip():
        return f"{path} is empty"
    rest = text[error.pos :].strip()
    is_open_string = error.msg.startswith("Unterminated string")
    if text.lstrip()[0] == "{" and (not rest or is_open_string or text.rstrip()[-1] not in "]}"):
        return f"{path} is cut off: its JSON ends in line {text.count(chr(10)) + 1}, in the middle of the document"
    return f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}"


def _refuse_constant(name: str) -> float:
    raise ValueError(f"the number {name} is none that a result has")


def _complaints(result: Result) -> Iterator[str]:
    """Yield what no test can have counted."""
    directions = len(result.offered.directions) if result.offered else None
    former_s = -math.inf
    for index, sample in enumerate(result.samples):
        if sample.at_s <= former_s:
            yield f"samples[{index}] is at {sample.at_s} s, which is not after the one before it"
        if sample.duration_s <= 0 or sample.load_pps < 0:
            yield f"samples[{index}] has a duration or a load that cannot be"
        if any(tally.sent < 0 or tally.received < 0 for tally in sample.tallies):
            yield f"samples[{index}] has a negative count: the generator was restarted, or the file changed"
        if directions is not None and len(sample.tallies) != directions:
            yield f"samples[{index}] has {len(sample.tallies)} directions, and the test has {directions}"
        former_s = sample.at_s
