"""Where a VPP was set up: what a text is, and the files that a script names."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from enum import Enum

from vppcfg.errors import VppcfgError
from vppcfg.record import record

_STARTUP = re.compile(
    r"^\s*(unix|api-trace|api-segment|socksvr|statseg|cpu|memory|buffers|plugins|dpdk|logging)\s*\{", re.M
)
_SECTION = re.compile(r"^[\"']?[a-z_-]+[\"']?\s*:(\s|$)", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*")


class SourceKind(Enum):
    """What a text is; the values are those of --as."""

    SCRIPT = "vpp"
    STARTUP = "startup"
    YAML = "yaml"


@record
class Source:
    """A text, what it is called, and what it is."""

    name: str
    text: str
    kind: SourceKind


def kind_of(text: str) -> SourceKind:
    """Return what a text looks like: sections of YAML, stanzas of startup.conf, else commands for VPP."""
    bare = _COMMENT.sub("", text)
    if _STARTUP.search(bare):
        return SourceKind.STARTUP
    if _SECTION.search(bare) or not bare.strip(" \n\t\r-{}"):
        return SourceKind.YAML if bare.strip() else SourceKind.SCRIPT
    return SourceKind.SCRIPT


def reader_below(root: str, read: Callable[[str], bytes]) -> Callable[[str, str], tuple[str, str] | None]:
    """Return what finds the file that a script names: as named below `root`, or beside the script that names it.

    `read` returns what a file holds, or raises VppcfgError.
    """

    def found(name: str, source: str) -> tuple[str, str] | None:
        beside = os.path.join(os.path.dirname(source), os.path.basename(name))
        for path in dict.fromkeys((os.path.join(root, name.lstrip("/")), beside)):
            if os.path.isfile(path):
                try:
                    return path, read(path).decode(errors="replace")
                except VppcfgError:
                    continue
        return None

    return found
