"""Recognizes what a text to adopt is (script, startup.conf, configuration), and finds the files that a script names."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable
from enum import Enum
from itertools import islice

from vppcfg.adopt.grammar import Grammar
from vppcfg.adopt.script import commands_in
from vppcfg.common.unpacking import Files, name_below
from vppcfg.errors import UsageError, VppcfgError
from vppcfg.record import record

log = logging.getLogger("root.main")

_STARTUP = re.compile(
    r"^\s*(unix|api-trace|api-segment|socksvr|statseg|cpu|memory|buffers|plugins|dpdk|devices|logging)\s*\{", re.M
)
_SECTION = re.compile(r"^[\"']?[a-z_-]+[\"']?\s*:(\s|$)", re.MULTILINE)
_LOOKED_AT = 50
"""Commands by which a script is distinguished from other texts."""
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


@record
class Folder:
    """A folder or an archive with the files of a VPP."""

    files: Files
    name: str
    """What it is called."""

    def named(self, file: str) -> str:
        """Return what a file in it is called."""
        return f"{self.name}/{file}"


def sources_below(folder: Folder, grammar: Grammar) -> list[Source]:
    """Return what a folder holds of a VPP: its startup.conf, else its script, else a file of the public vppcfg.

    The scripts that a startup.conf runs are read when it is. What is passed over is logged. Raise UsageError
    when nothing is found, or several scripts in an unknown order.
    """
    found: dict[SourceKind, list[Source]] = {kind: [] for kind in SourceKind}
    for file in folder.files:
        text = folder.files[file].decode(errors="replace")
        kind = kind_of(text)
        if kind is not SourceKind.SCRIPT or is_script(text, grammar):
            found[kind].append(Source(name=folder.named(file), text=text, kind=kind))
    for kind in (SourceKind.STARTUP, SourceKind.SCRIPT, SourceKind.YAML):
        if len(found[kind]) > 1:
            names = ", ".join(source.name for source in found[kind])
            raise UsageError(
                f"{folder.name} holds several that one VPP has in some order: {names}",
                "name them with --from, in the order in which VPP runs them",
            )
        if found[kind]:
            others = [source.name for other in SourceKind if other is not kind for source in found[other]]
            if others:
                log.info("%s is adopted, with what it runs; of itself nothing runs %s", found[kind][0].name, others[0])
            return found[kind]
    raise UsageError(f"{folder.name} holds neither a startup.conf nor a script of VPP", "name the files with --from")


def is_script(text: str, grammar: Grammar) -> bool:
    """Return whether a text holds commands for VPP: most of those that it begins with are known."""
    commands = [line for _, line in islice(commands_in(text), _LOOKED_AT)]
    known = sum(bool(grammar.read(line).command) for line in commands)
    return known > 0 and 2 * known >= len(commands)


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


def reader_in(folder: Folder) -> Callable[[str, str], tuple[str, str] | None]:
    """Return what finds the file that a script in a folder names, among those in it alone."""

    def found(name: str, source: str) -> tuple[str, str] | None:
        inside = source.removeprefix(folder.named(""))
        beside = os.path.join(os.path.dirname(inside), os.path.basename(name))
        for file in dict.fromkeys((name_below(name), name_below(beside))):
            try:
                return folder.named(file), folder.files[file].decode(errors="replace")
            except (KeyError, UsageError):
                continue
        return None

    return found
