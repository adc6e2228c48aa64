"""Draws the terminal session of README.md: runs docs/picture.sh at a terminal of its own and writes docs/session.svg.

`python -m tools.picture docs/picture.sh docs/session.svg`; `make picture` does it. The image has the colours of a light
and of a dark theme, and takes those that the reader's browser asks for. It loads nothing from elsewhere.
"""

from __future__ import annotations

import os
import pty
import re
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

COLUMNS = 100
QUESTION = b"[y/N] "
"""Ends what asks for an answer, which is yes."""
LETTER, LINE, MARGIN = 7.8, 18.0, 16.0
"""The width of a letter, the height of a line and the room around, in pixels."""
CLASSES = {"1": "bold", "2": "faint", "31": "red", "32": "green", "33": "yellow", "36": "cyan"}
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)m")
STYLE = """\
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; white-space: pre; }
.paper { fill: #f6f8fa; stroke: #d0d7de; } text { fill: #1f2328; }
.bold, .command { font-weight: 600; } .faint { fill: #59636e; } .red { fill: #cf222e; }
.green { fill: #116329; } .yellow { fill: #7d4e00; } .cyan { fill: #0b5f73; }
@media (prefers-color-scheme: dark) {
.paper { fill: #0d1117; stroke: #3d444d; } text { fill: #f0f6fc; } .faint { fill: #9198a1; }
.red { fill: #ff7b72; } .green { fill: #56d364; } .yellow { fill: #e3b341; } .cyan { fill: #76e3ea; }
}
"""


def session(script: str) -> str:
    """Run a script at a terminal of its own, say yes to what it asks, and return all that the terminal shows.

    Raise OSError when the script fails.
    """
    child, terminal = pty.fork()
    if child == 0:
        environment = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "LINES"}}
        os.execve(script, [script], {**environment, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"})
    shown = b""
    while part := _read(terminal):
        shown += part
        if shown.endswith(QUESTION):
            os.write(terminal, b"y\n")
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    text = shown.decode().replace("\r\n", "\n")
    if code:
        raise OSError(f"{script} ended with exit code {code}:\n{text}")
    return text


def svg_of(text: str, title: str) -> str:
    """Return what a terminal shows as an SVG image; a line that begins with `$ ` is a command."""
    lines = text.rstrip().split("\n")
    width = 2 * MARGIN + LETTER * max(len(SEQUENCE.sub("", line)) for line in lines)
    height = 2 * MARGIN + LINE * len(lines)
    drawn = "\n".join(_line(line, MARGIN + LINE * (number + 0.75)) for number, line in enumerate(lines) if line)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="{escape(title)}">\n<title>{escape(title)}</title>\n'
        f'<style>\n{STYLE}</style>\n<rect class="paper" x="0.5" y="0.5" width="{width - 1:.0f}" '
        f'height="{height - 1:.0f}" rx="8"/>\n{drawn}\n</svg>\n'
    )


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the last process has closed the other end
        return b""


def _line(line: str, y: float) -> str:
    length = LETTER * len(SEQUENCE.sub("", line))
    spans = "".join(
        f'<tspan class="{name}">{escape(part)}</tspan>' if name else escape(part) for name, part in _spans(line)
    )
    return (
        f'<text x="{MARGIN:.0f}" y="{y:.1f}" textLength="{length:.1f}" lengthAdjust="spacingAndGlyphs" '
        f'xml:space="preserve">{spans}</text>'
    )


def _spans(line: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a line that look alike, each with its class."""
    if line.startswith("$ "):
        yield "faint", "$ "
        yield "command", line[2:]
        return
    name = ""
    for number, part in enumerate(SEQUENCE.split(line)):
        if number % 2:
            name = " ".join(CLASSES[code] for code in part.split(";") if code in CLASSES)
        elif part:
            yield name, part


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(
        svg_of(session(sys.argv[1]), "A first change with vppcfg: dump, edit, plan, apply --confirm, confirm"),
        encoding="utf-8",
    )
