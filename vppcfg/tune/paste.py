"""Takes apart what people paste: sessions with their prompts, outputs without a command, excerpts, quoted mail.

What a line belongs to is known from the command that was typed above it, else by the header that VPP prints, else by
the shape of the line itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
_QUOTE = re.compile(r"^\s*>\s?")
_QUOTED = 0.8
"""Share of lines with a `>` from which on a text is quoted mail."""
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
    """Yield the lines without colours, fences and the marks of quoted mail."""
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
