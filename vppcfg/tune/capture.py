"""Keeps in a folder what one look at a VPP brought, as it came, and reads it back on another machine.

A folder has one file per source: NAME.txt for what `show` printed, stats.json, api.json and host.json. With several
looks they stand in subfolders 1, 2 and so on; capture.json says when each was taken. A session pasted from a terminal
is read too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from vppcfg.common.bounds import CAPTURE_BYTES
from vppcfg.common.documents import parse_json, read_at_most
from vppcfg.errors import UsageError
from vppcfg.record import record

COMMANDS: dict[str, str] = {
    "version": "show version verbose",
    "runtime": "show runtime",
    "runtime-max": "show runtime max",
    "errors": "show errors",
    "hardware": "show hardware-interfaces",
    "interface": "show interface",
    "rx-placement": "show interface rx-placement",
    "buffers": "show buffers",
    "cpu": "show cpu",
    "pci": "show pci",
    "threads": "show threads",
    "memory": "show memory",
    "trace": "show trace max 1",
}
"""File name without `.txt` -> the command that prints it."""
FORMAT_VERSION = 1
_DOCUMENTS = ("stats", "api", "host")
_TYPED = re.compile(r"^\s*(?:\S*(?:#|\$|>)\s*)?(?:sudo\s+)?(?:vppctl\s+)?(sh(?:ow)?\s+[a-z][a-z0-9 /.-]*?)\s*$")
_TYPED_NAMES: tuple[tuple[str, str], ...] = (
    (r"run\w*\s+max", "runtime-max"),
    (r"run\w*", "runtime"),
    (r"err\w*|node\s+count\w*", "errors"),
    (r"ha\w*", "hardware"),
    (r"int\w*\s+rx-p\w*", "rx-placement"),
    (r"int\w*", "interface"),
    (r"buf\w*", "buffers"),
    (r"cpu", "cpu"),
    (r"pci", "pci"),
    (r"thr\w*", "threads"),
    (r"mem\w*", "memory"),
    (r"trace", "trace"),
    (r"ver\w*", "version"),
)  # the longer command before the shorter


@record
class Capture:
    """The texts and documents of one look at a VPP, as they came."""

    name: str
    taken_s: float | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    """By the names of COMMANDS."""
    documents: Mapping[str, Any] = field(default_factory=dict)
    """stats, api and host, as far as there are any."""
    whole: frozenset[str] = frozenset()
    """The texts that are known to end where VPP ended them; of the others the last lines may be missing."""
    remarks: tuple[str, ...] = ()


def read_captures(path: Path) -> tuple[Capture, ...]:
    """Return the captures in a folder, or in a file with a session pasted from a terminal. Raise UsageError."""
    if path.is_file():
        return (_pasted(path),)
    if not path.is_dir():
        raise UsageError(f"there is no capture at {path}", "`vppcfg tune capture DIR` makes one")
    times, lines = _times(path / "capture.json")
    numbered = sorted(
        (child for child in path.iterdir() if child.is_dir() and child.name.isdecimal()),
        key=lambda folder: int(folder.name),
    )
    if not numbered:
        return (_capture(path, times.get("1"), lines.get("1", {})),)
    return tuple(_capture(folder, times.get(folder.name), lines.get(folder.name, {})) for folder in numbered)


def write_captures(captures: Iterable[Capture], folder: Path) -> None:
    """Write captures into a folder that is new or empty. Raise UsageError."""
    times: dict[str, float | None] = {}
    lines: dict[str, dict[str, int]] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty", "name a folder that is new or empty")
        for number, capture in enumerate(captures, start=1):
            _write(capture, folder / str(number))
            times[str(number)] = capture.taken_s
            lines[str(number)] = {name: len(text.splitlines()) for name, text in sorted(capture.texts.items())}
        document = {"format_version": FORMAT_VERSION, "taken_s": times, "lines": lines}
        (folder / "capture.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {error.filename or folder}: {error.strerror}") from error


def _write(capture: Capture, folder: Path) -> None:
    folder.mkdir()
    for name, text in sorted(capture.texts.items()):
        (folder / f"{name}.txt").write_text(text, encoding="utf-8", errors="surrogateescape")
    for name, document in sorted(capture.documents.items()):
        (folder / f"{name}.json").write_text(json.dumps(document) + "\n", encoding="utf-8")


def _times(path: Path) -> tuple[dict[str, float], dict[str, dict[str, int]]]:
    """Return by the name of its folder when each capture was taken, and how many lines each of its texts has.

    Either is there as far as capture.json has it.
    """
    document = _json(path)[0] if path.is_file() else None
    if not isinstance(document, Mapping):
        return {}, {}
    if document.get("format_version") != FORMAT_VERSION:
        raise UsageError(
            f"{path} has format {document.get('format_version')!r}, and this vppcfg reads format {FORMAT_VERSION}",
            "analyse it with the vppcfg that wrote it, or with a newer one",
        )
    times = document.get("taken_s")
    found = times if isinstance(times, Mapping) else {}
    counted = document.get("lines")
    lines = {
        str(name): {str(text): count for text, count in counts.items() if isinstance(count, int)}
        for name, counts in (counted.items() if isinstance(counted, Mapping) else ())
        if isinstance(counts, Mapping)
    }
    return {str(name): float(when) for name, when in found.items() if isinstance(when, int | float)}, lines


def _capture(folder: Path, taken_s: float | None, lines: Mapping[str, int]) -> Capture:
    texts = {name: _text(folder / f"{name}.txt") for name in COMMANDS if (folder / f"{name}.txt").is_file()}
    documents: dict[str, Any] = {}
    present = {name: len(text.splitlines()) for name, text in texts.items()}
    remarks = [
        f"{name}.txt was cut: {present[name]} of its {lines[name]} lines are there"
        for name in texts
        if present[name] < lines.get(name, 0)
    ]
    for name in _DOCUMENTS:
        path = folder / f"{name}.json"
        if path.is_file():
            document, why_not = _json(path)
            if why_not:
                remarks.append(why_not)
            else:
                documents[name] = document
    if not texts and not documents:
        problem = remarks[0] if remarks else f"{folder} has nothing that the tuner reads"
        names = ", ".join(f"{name}.txt" for name in COMMANDS)
        raise UsageError(problem, f"it reads these files: {names}; `vppcfg tune capture DIR` makes them")
    return Capture(
        name=str(folder),
        taken_s=taken_s,
        texts=texts,
        documents=documents,
        whole=frozenset(name for name in texts if present[name] == lines.get(name)),
        remarks=tuple(remarks),
    )


def _pasted(path: Path) -> Capture:
    texts = split_paste(_text(path))
    if not texts:
        raise UsageError(
            f"{path} holds no `show` command of VPP",
            "paste a session with its prompts (`vpp# show runtime`), or name a folder with one file per command",
        )
    return Capture(name=str(path), texts=texts)


def _text(path: Path) -> str:
    """Return the text of a file; bytes that are no UTF-8 are replaced."""
    return _content(path).decode(errors="replace")


def _content(path: Path) -> bytes:
    try:
        content = read_at_most(path, CAPTURE_BYTES)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    if len(content) > CAPTURE_BYTES:
        raise UsageError(f"{path} is larger than {CAPTURE_BYTES >> 20} MB", "what VPP prints has a few MB at most")
    return content


def _json(path: Path) -> tuple[Any, str]:
    """Return the document in a file, or why there is none."""
    try:
        return parse_json(_content(path), str(path), CAPTURE_BYTES, may_be_infinite=True), ""
    except ValueError as error:
        return None, f"{error}; it was cut or damaged, and is left out"


def split_paste(text: str) -> dict[str, str]:
    """Return the texts of a pasted session by their names in COMMANDS.

    Outputs of a command that was typed more than once are joined, save those of `show runtime`: two of them are two
    readings, of which the last one counts.
    """
    found: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for line in text.splitlines():
        match = _TYPED.match(line)
        if match is None:
            if lines is not None:
                lines.append(line)
            continue
        name = _text_name(match[1])
        if name in {"runtime", "runtime-max"}:
            found[name] = []
        lines = found.setdefault(name, []) if name else None
    return {name: "\n".join(content) + "\n" for name, content in found.items()}


def _text_name(command: str) -> str:
    """Return the name of the text that a command prints, empty for one that is not read here."""
    what = command.split(None, 1)[1]
    return next((name for pattern, name in _TYPED_NAMES if re.match(rf"(?:{pattern})(?:\s|$)", what)), "")
