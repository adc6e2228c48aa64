"""Keeps in a folder what one look at a VPP brought, and reads it back on another machine.

A folder has one file per source: NAME.txt for what `show` printed, stats.json, api.json and host.json, with what does
not show written out. With several looks they stand in subfolders 1, 2 and so on; capture.json has when each was taken.
An archive of such a folder, a session pasted from a terminal, and a folder or an archive of texts with any names are
read too.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import takewhile
from pathlib import Path
from typing import Any

from vppcfg.common.bounds import CAPTURE_BYTES, CAPTURE_CHARACTERS, CAPTURE_LINES
from vppcfg.common.documents import parse_json
from vppcfg.common.names import natural_key
from vppcfg.common.printable import json_text, printable_lines
from vppcfg.common.unpacking import Files, content_of, files_below, files_in_archive, files_in_folder, is_archive
from vppcfg.errors import UsageError
from vppcfg.record import record
from vppcfg.tune.show import without_colours

_PREFIX = r"^(?P<before>[^\n]{0,80}?[#$>%]\s*)?"
_SHELL = r"[\"'`*_]*(?:sudo\s+)?(?:(?:docker|podman|kubectl|ip\s+netns)\s+exec\s+\S.*?\s(?:--\s+)?)?"
_TYPED = re.compile(
    _PREFIX + _SHELL + r"(?P<vppctl>vppctl\s+(?:-s\s+\S+\s+)?)?[\"'`*_]*(?P<command>sho?w?\s+[a-z][a-zA-Z0-9 /.:_-]*?)"
    r"(?:\s*\|.*)?[\"'`*_:]*\s*$"
)
_LONGEST_COMMAND = 400
_MARK = re.compile(r"[#$>]")
_PROMPT = re.compile(r"^\s*(?:\S*vpp\S*|\S*router\S*|\S*@\S+|\[\S+ \S+\])\s*[#$>](?:\s.*)?$")
_DEBUG_PROMPT = re.compile(r"\bDBGvpp[#>]")
_NAMES: tuple[tuple[str, str], ...] = (
    (r"run\w*\s+max", "runtime-max"),
    (r"run\w*", "runtime"),
    (r"err\w*|node\s+count\w*", "errors"),
    (r"ha[\w-]*", "hardware"),
    (r"int\w*\s+(?:rx(?:-p\w*)?|placement)", "rx-placement"),
    (r"int\w*\s+(?:addr|feat|span|sec|tx-)\S*.*", ""),
    (r"int\w*", "interface"),
    (r"buf\w*", "buffers"),
    (r"cpu", "cpu"),
    (r"pci", "pci"),
    (r"thr\w*", "threads"),
    (r"mem\w*", "memory"),
    (r"trace\s+(?!max).*", ""),
    (r"trace", "trace"),
    (r"ver\w*", "version"),
)
"""What is typed behind `show`, the longer before the shorter -> the name of the text; empty for one of no use."""
_HEADERS: tuple[tuple[str, str], ...] = (
    (r"Name\s*Max Node Clocks", "runtime-max"),
    (r"Thread \d+ \S+ \(lcores? ", "runtime"),
    (r"Time [\d.]+, .*(?:vector rate|vectors/node)", "runtime"),
    (r"vector rates in ", "runtime"),
    (r"Name\s*(?:State\s*)?(?:Calls|Vectors|Suspends|Clocks|Packet-Clocks|Packet-Time)", "runtime"),
    (r"Count\s*Node\s*Reason", "errors"),
    (r"Name\s*Idx\s*Link\s*Hardware", "hardware"),
    (r"Name\s*Idx\s*State", "interface"),
    (r"Pool Name\s*Index", "buffers"),
    (r"Model name:", "cpu"),
    (r"Address\s*Sock\s*VID:PID", "pci"),
    (r"ID\s*Name\s*(?:Type|LWP)", "threads"),
    (r"base 0x[0-9a-f]+, size", "memory"),
    (r"vpp v\d|Version:\s+v?\d", "version"),
    (r"-+ Start of thread|Limiting display of|No packets in trace buffer", "trace"),
)
"""How a line begins that VPP prints at the top of an output -> the name of the text."""
_SHAPES: tuple[tuple[str, str], ...] = (
    (r"Thread \d+ \S+$", "runtime"),
    (
        r'\S+?\s*"?(?:active|polling|interrupt|(?:event|any|time|clock) wa|done|disabled)\D{0,12}\s*\d',
        "runtime",
    ),
    (r"\S+ \d+ \d+ \d+ \d\.\d\de-?\d+ \d+\.\d\d$", "runtime"),
    (r"\d+\s+\S+\s+\S.*\s(?:error|warn|info)(?: \d+)?$", "errors"),
    (r"\d+\s+\S*(?:-input|-output|-tx|-lookup|-node|-drop|-error|-rewrite|-glean)\s+\S", "errors"),
    (r"\S+ \d+ (?:up|down|slave) \S+$", "hardware"),
    (r"\S+ \d+ (?:up|down) \d+/\d+/\d+/\d+", "interface"),
    (
        r"(?:rx packets|rx bytes|tx packets|tx bytes|rx-miss|rx-no-buf|rx-error|tx-error|drops|punts?) +\d+$",
        "interface",
    ),
    (r"\S+ queue \d+(?: \((?:polling|interrupt|adaptive)\))?$", "rx-placement"),
    (r"node \S+-(?:input|rx):$", "rx-placement"),
    (r"default-numa-\d+ ", "buffers"),
    (r"total: [\d.]+[KMG]?, used: ", "memory"),
)
"""How lines look that stand without command and header; asked only where neither is there."""
_LINES_ABOVE_MAX = 4
"""Lines above the heading of `show runtime max`, which are those of `show runtime`."""
_ANY_HEADER = re.compile("|".join(f"(?:{pattern})" for pattern, _ in _HEADERS))
_ANY_SHAPE = re.compile("|".join(f"(?:{pattern})" for pattern, _ in _SHAPES))
_OF_A_THREAD = re.compile(r"(?:^|(?<= ))Thread \d+ \(\S+\):$")
_BY_THREAD = {"rx-placement", "errors"}
"""Outputs with such a line above what belongs to a thread; the next line shows which one it is."""
_BARE_THREAD = re.compile(r"^\s*Thread \d+ \S+\s*$")
_TAG = re.compile(
    r"</?(?:br|hr|p|pre|code|tt|kbd|samp|span|div|table|thead|tbody|td|th|tr|li|ul|ol|b|i|u|s|em|strong|small|font|h[1-6]"
    r"|blockquote)\b[^<>]*>",
    re.IGNORECASE,
)
"""What a page leaves in text that is copied from its source."""
_MARKUP = re.compile(r"\{\{|\}\}|\*\*|\{(?:noformat|code)(?::[^{}]*)?\}")
"""How issue trackers mark text as printed by a program, or as bold."""
_MARKS = ("<", "&", "{", "**")
_ENTITIES = (("&gt;", ">"), ("&lt;", "<"), ("&amp;", "&"), ("&nbsp;", " "))
_LEFT_OUT = re.compile(r"^(?:\.\.\.|…|\[\.\.\.\]|\[?<?snip>?\]?|-+ ?snip ?-+|--More--.*)$", re.IGNORECASE)
_FENCE = re.compile(r"^\s*(?:```.*|~~~.*)$")
_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR)\b"
_STAMP = (
    rf"(?:\[[^\[\]\n]{{0,40}}(?:\d\d:\d\d|{_LEVEL})[^\[\]\n]{{0,20}}\]|{_LEVEL}|\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*"
    r"|[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d(?: \S+ \S+\[\d+\])?|\d\d:\d\d:\d\d(?:[.,]\d+)?(?=\s))"
)
_LOGGED = re.compile(rf"^\s*(?:[\w.-]+ +\| +)?{_STAMP}(?:[ :|-]*{_STAMP})*[ :|-]*(?=\S)")
"""What a log has before each line, or before the first line of a text: time, level, source."""
_QUOTE = re.compile(r"^\s*(?:>\s?|(?:\*|//|#|--)(?:\s|$))")
"""How mail, and comments of programs, mark each line of a text that they repeat."""
_QUOTED = 0.8
"""Share of lines with such a mark from which on a text is repeated so."""
_COUNTS_ONCE = {"runtime", "runtime-max"}
"""Two of them are two readings, of which the last one counts; other outputs of one command are joined."""


@record
class Paste:
    """The texts that a paste holds."""

    texts: dict[str, str]
    whole: frozenset[str]
    """Those that a prompt follows, so that nothing is missing at their end."""
    is_debug_build: bool
    """Whether the prompt is that of a debug image."""


def split_paste(text: str) -> Paste:
    """Return the texts in a paste by the names of the capture's COMMANDS."""
    found: dict[str, list[str]] = {}
    whole: set[str] = set()
    excerpts: set[str] = set()
    present = ""
    is_skipped = False
    heads: list[str] = []
    for line in _unquoted(text):
        command = typed_command(line)
        if command is not None or (_MARK.search(line) and _PROMPT.match(line)):
            whole |= {present} - {""}
            present = text_name(command) if command else ""
            is_skipped = not present
            if present in _COUNTS_ONCE:
                found[present] = []
            continue
        plain = " ".join(line.split())
        if _LEFT_OUT.match(plain):
            excerpts.add(present)
            continue
        if present not in _BY_THREAD and (of_thread := _OF_A_THREAD.search(plain)):
            present, is_skipped, heads = "", False, [of_thread[0]]
            continue
        header = _header(plain, present)
        if header == "memory" and present == "runtime" and _BARE_THREAD.match(_last(found[present])):
            found.setdefault("memory", []).append(found[present].pop())  # a heap begins with the name of its thread
        if header and header != present:
            if (present, header) == ("runtime", "runtime-max") and len(found[present]) <= _LINES_ABOVE_MAX:
                found.setdefault(header, []).extend(found.pop(present))
            present, is_skipped = header, False
        elif not present and not is_skipped:
            present = _shape(plain)
        if present:
            found.setdefault(present, []).extend((*(heads if present in _BY_THREAD else ()), line))
        if plain:
            heads = []
    texts = {name: "\n".join(lines) + "\n" for name, lines in found.items() if any(map(str.strip, lines))}
    is_debug = bool(_DEBUG_PROMPT.search(text))
    return Paste(texts=texts, whole=frozenset(whole & set(texts)) - excerpts, is_debug_build=is_debug)


def typed_command(line: str) -> str | None:
    """Return the `show` command that was typed on a line, None when there is none."""
    match = _TYPED.match(line.strip()) if "sh" in line and len(line) <= _LONGEST_COMMAND else None
    return match["command"] if match else None


def text_name(command: str) -> str:
    """Return the name of the text that a command prints, empty for one that is not read here."""
    what = command.split(None, 1)[1].strip()
    return next((name for pattern, name in _NAMES if re.match(rf"(?:{pattern})(?:\s|$)", what)), "")


def _unquoted(text: str) -> Iterator[str]:
    """Yield the lines without colours, fences and the marks of mail and comments."""
    lines = without_colours(text).splitlines()
    filled = [line for line in lines if line.strip()]
    is_quoted = bool(filled) and sum(bool(_QUOTE.match(line)) for line in filled) >= _QUOTED * len(filled)
    for line in lines:
        bare = _without_tags(_QUOTE.sub("", line, count=1) if is_quoted else line)
        if not _FENCE.match(bare):
            yield _LOGGED.sub("", bare, count=1)


def _without_tags(line: str) -> str:
    if not any(mark in line for mark in _MARKS):
        return line
    plain = _MARKUP.sub("", _TAG.sub("", line))
    for entity, sign in _ENTITIES:
        plain = plain.replace(entity, sign)
    return plain


def _last(lines: list[str]) -> str:
    return lines[-1] if lines else ""


def _header(line: str, present: str) -> str:
    """Return the name of the text that a header begins, empty for a line that is none."""
    name = _first(_HEADERS, line) if _ANY_HEADER.match(line) else ""
    if name == "runtime" and present == "runtime-max":
        return ""  # the lines about threads are the same there
    return name


def _shape(line: str) -> str:
    return _first(_SHAPES, line) if _ANY_SHAPE.match(line) else ""


def _first(patterns: tuple[tuple[str, str], ...], line: str) -> str:
    return next(name for pattern, name in patterns if re.match(pattern, line))


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
    "memory": "show memory main-heap stats-segment",
    "trace": "show trace max 1",
}
"""File name without `.txt` -> the command that prints it; all are understood where they were saved or pasted.

What is asked of a running VPP, and what that costs it, is in app/capturing.py. `show memory` alone prints every heap
from 26.02 on, one of each classify table among them, and none before: a thousand tables held up VPP's main thread for
more than ten seconds.
"""
FORMAT_VERSION = 1
_DOCUMENTS = ("stats", "api", "host")
_TIMES = "capture.json"
_MACHINE = "host.json"
"""One beside several looks is the machine of all of them."""
_LINE_ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
"""Where str.splitlines takes texts apart."""
_BINARY_LOOK = 4096
"""Bytes at the start of a file in which a 0 means that it is no text."""


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
    is_debug_build: bool = False
    """Whether the paste has the prompt of a debug image."""
    remarks: tuple[str, ...] = ()


def read_captures(path: Path) -> tuple[Capture, ...]:
    """Return the captures in a folder, in an archive, or in a file with pasted text. Raise UsageError."""
    if path.is_file():
        content = content_of(path)
        if not is_archive(content):
            return (_pasted(content, path),)
        return _captures_in(files_in_archive(content, str(path)), str(path))
    if not path.is_dir():
        raise UsageError(f"there is no capture at {path}", "`vppcfg tune capture DIR` makes one")
    return _captures_in(files_in_folder(path), str(path))


def _captures_in(files: Files, name: str) -> tuple[Capture, ...]:
    """Return the captures in a folder of ours, or the one that texts of any names make up."""
    files = files_below(files, _top(files))
    times, lines = _times(files, name)
    folders = sorted({each.partition("/")[0] for each in files if "/" in each}, key=natural_key)
    others = [each for each in files if "/" not in each and each != _TIMES]
    if folders and set(others) <= {_MACHINE} and all(folder.isdecimal() for folder in folders):
        return tuple(
            _capture(below, f"{name}/{folder}", times.get(folder), lines.get(folder, {}))
            if _is_ours(below)
            else _gathered(below, f"{name}/{folder}")
            for folder in folders
            for below in [_with_machine(files_below(files, folder), files)]
        )
    if _is_ours(files):
        return (_capture(files, name, times.get("1"), lines.get("1", {})),)
    return (_gathered(files, name),)


def _with_machine(below: Files, files: Files) -> Files:
    return {_MACHINE: files[_MACHINE], **below} if _MACHINE in files else below


def _top(files: Files) -> str:
    """Return the folder in which all of the capture is: that of the only capture.json, else the one below the top."""
    made = [each for each in files if each.rpartition("/")[2] == _TIMES]
    if len(made) == 1:
        return made[0].rpartition("/")[0]
    common = os.path.commonpath([os.path.dirname(each) for each in files]) if files else ""
    return "/".join(takewhile(lambda part: not part.isdecimal(), common.split("/")))


def _is_ours(files: Files) -> bool:
    """Return whether a folder has nothing but files that vppcfg writes."""
    ours = {_TIMES, *(f"{name}.txt" for name in COMMANDS), *(f"{name}.json" for name in _DOCUMENTS)}
    return bool(files.keys() & (ours - {_TIMES})) and files.keys() <= ours


def _gathered(files: Files, name: str) -> Capture:
    """Return the capture that the files below a folder make up, each recognised by its content or its name."""
    texts: dict[str, str] = {}
    documents: dict[str, Any] = {}
    whole: set[str] = set()
    remarks: list[str] = []
    is_debug_build = False
    for each in files:
        base = each.rpartition("/")[2]
        if base.endswith(".json") and base.removesuffix(".json") in _DOCUMENTS:
            document, unsupported_reason = _json(files, each, name)
            if unsupported_reason:
                remarks.append(unsupported_reason)
            else:
                documents[base.removesuffix(".json")] = document
            continue
        content = files[each]
        if b"\0" in content[:_BINARY_LOOK]:
            continue
        text = _decoded(content, f"{name}/{each}")
        paste = split_paste(text)
        is_debug_build = is_debug_build or paste.is_debug_build
        found = paste.texts or _by_name(base, text)
        for what in sorted(set(found) & set(texts)):
            remarks.append(f"{each} has `{COMMANDS[what]}` once more; the last one is taken")
        texts |= found
        whole = (whole - set(found)) | paste.whole
    if not texts and not documents:
        raise UsageError(
            f"{name} has nothing that the tuner reads",
            "it reads what the `show` commands of VPP print; `vppcfg tune capture DIR` makes all of it",
        )
    return Capture(
        name=name, texts=texts, documents=documents, whole=frozenset(whole), is_debug_build=is_debug_build,
        remarks=tuple(remarks),
    )  # fmt: skip


def _by_name(file: str, text: str) -> dict[str, str]:
    """Return the text of a file whose name is that of a command, such as show_errors.txt."""
    words = re.sub(r"[^a-z0-9-]+", " ", file.lower().removesuffix(".gz").rpartition(".")[0] or file.lower())
    name = text_name("show " + re.sub(r"^(?:.* )?show? ", "", words).strip())
    return {name: text} if name and text.strip() else {}


def write_captures(captures: Iterable[Capture], folder: Path) -> None:
    """Write captures into a folder that is new, or one's own and empty. Raise UsageError."""
    times: dict[str, float | None] = {}
    lines: dict[str, dict[str, int]] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if folder.stat().st_uid not in {0, os.geteuid()}:  # who could put links into it meanwhile
            raise UsageError(f"{folder} belongs to another user", "name a folder that is new")
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty", "name a folder that is new or empty")
        for number, capture in enumerate(captures, start=1):
            texts = {name: printable_lines(text) for name, text in sorted(capture.texts.items())}
            _write(texts, capture.documents, folder / str(number))
            times[str(number)] = capture.taken_s
            lines[str(number)] = {name: len(text.splitlines()) for name, text in texts.items()}
        document = {"format_version": FORMAT_VERSION, "taken_s": times, "lines": lines}
        (folder / _TIMES).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {error.filename or folder}: {error.strerror}") from error


def _write(texts: Mapping[str, str], documents: Mapping[str, Any], folder: Path) -> None:
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    for name, document in sorted(documents.items()):
        (folder / f"{name}.json").write_text(json_text(document) + "\n", encoding="utf-8")


def _times(files: Files, name: str) -> tuple[dict[str, float], dict[str, dict[str, int]]]:
    """Return by the name of its folder when each capture was taken, and how many lines each of its texts has.

    Either is there as far as capture.json has it.
    """
    document = _json(files, _TIMES, name)[0] if _TIMES in files else None
    if not isinstance(document, Mapping):
        return {}, {}
    if document.get("format_version") != FORMAT_VERSION:
        raise UsageError(
            f"{name}/{_TIMES} has format {document.get('format_version')!r}, "
            f"and this vppcfg reads format {FORMAT_VERSION}",
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


def _capture(files: Files, folder: str, taken_s: float | None, lines: Mapping[str, int]) -> Capture:
    texts = {
        name: _decoded(files[f"{name}.txt"], f"{folder}/{name}.txt") for name in COMMANDS if f"{name}.txt" in files
    }
    documents: dict[str, Any] = {}
    present = {name: len(text.splitlines()) for name, text in texts.items()}
    remarks = [
        f"{name}.txt was cut: {present[name]} of its {lines[name]} lines are there"
        for name in texts
        if present[name] < lines.get(name, 0)
    ]
    for name in _DOCUMENTS:
        if f"{name}.json" in files:
            document, unsupported_reason = _json(files, f"{name}.json", folder)
            if unsupported_reason:
                remarks.append(unsupported_reason)
            else:
                documents[name] = document
    if not texts and not documents:
        problem = remarks[0] if remarks else f"{folder} has nothing that the tuner reads"
        names = ", ".join(f"{name}.txt" for name in COMMANDS)
        raise UsageError(problem, f"it reads these files: {names}; `vppcfg tune capture DIR` makes them")
    return Capture(
        name=folder,
        taken_s=taken_s,
        texts=texts,
        documents=documents,
        whole=frozenset(name for name in texts if present[name] == lines.get(name)),
        remarks=tuple(remarks),
    )


def _pasted(content: bytes, path: Path) -> Capture:
    if content.lstrip().startswith(b"{"):
        document, unsupported_reason = _json({path.name: content}, path.name, str(path.parent))
        if not unsupported_reason and is_machine(document):
            return Capture(name=str(path), documents={"host": document})
    paste = split_paste(_decoded(content, str(path)))
    if not paste.texts:
        raise UsageError(
            f"{path} has nothing that VPP prints",
            "paste a session with its prompts (`vpp# show runtime`), or name a folder with one file per command",
        )
    return Capture(name=str(path), texts=paste.texts, whole=paste.whole, is_debug_build=paste.is_debug_build)


def is_machine(document: Any) -> bool:
    """Return whether a document is one of a machine, as a capture has it or `vppcfg host` writes it."""
    return isinstance(document, dict) and not document.keys().isdisjoint({"cpus", "siblings"})


def _decoded(content: bytes, name: str) -> str:
    """Return what VPP printed as text, bytes that are no UTF-8 replaced. Raise UsageError when it is too much."""
    text = content.decode(errors="replace")
    lines = sum(map(text.count, _LINE_ENDS))
    if lines > CAPTURE_LINES or len(text) > CAPTURE_CHARACTERS:
        raise UsageError(
            f"{name} has {lines:,} lines in {len(text) >> 20} MB",
            f"the tuner reads up to {CAPTURE_LINES:,} lines in {CAPTURE_CHARACTERS >> 20} MB: leave out what other "
            "commands printed",
        )
    return text


def _json(files: Files, name: str, folder: str) -> tuple[Any, str]:
    """Return the document in a file, or why there is none."""
    try:
        return parse_json(files[name], f"{folder}/{name}", CAPTURE_BYTES, may_be_infinite=True), ""
    except ValueError as error:
        return None, f"{error}; it was cut or damaged, and is left out"
