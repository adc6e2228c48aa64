"""A session pasted from a terminal in, the text of each `show` command out, by the names that captures use."""

from __future__ import annotations

import re

_TYPED = re.compile(r"^\s*(?:\S*(?:#|\$|>)\s*)?(?:sudo\s+)?(?:vppctl\s+)?(sh(?:ow)?\s+[a-z][a-z0-9 /.-]*?)\s*$")
_NAMES: tuple[tuple[str, str], ...] = (
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


def split_paste(text: str) -> dict[str, str]:
    """Return the texts; of a command that was typed more than once, all outputs in a row, save `show runtime`.

    Two outputs of `show runtime` are two readings, of which the last one counts.
    """
    found: dict[str, list[str]] = {}
    lines: list[str] | None = None
    for line in text.splitlines():
        match = _TYPED.match(line)
        if match is None:
            if lines is not None:
                lines.append(line)
            continue
        name = _name(match[1])
        if name in {"runtime", "runtime-max"}:
            found[name] = []
        lines = found.setdefault(name, []) if name else None
    return {name: "\n".join(content) + "\n" for name, content in found.items()}


def _name(command: str) -> str:
    """Return the name of the text that a command prints, empty for one that is not read here."""
    what = command.split(None, 1)[1]
    return next((name for pattern, name in _NAMES if re.match(rf"(?:{pattern})(?:\s|$)", what)), "")
