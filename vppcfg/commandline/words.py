"""What can stand for a value on the command line: a file, a folder, or one of some words. Looks at no disk."""

from __future__ import annotations

from collections.abc import Mapping

from vppcfg.commandline.command import Argument, Command, Option
from vppcfg.record import record

FILES = frozenset({"CAPTURE", "DUMP", "FILE", "OUT", "PATH", "PLAN", "SOCKET"})
"""Values that are names of files, as help writes them; sockets and outputs too."""
FOLDERS = frozenset({"DIR"})

Names = Mapping[tuple[str, str], tuple[str, ...]]
"""Words known beforehand, by the command that takes them (`tune capture`) and how its help writes the value."""


@record
class Words:
    """What to offer for a value; nothing when all of it is empty."""

    words: tuple[str, ...] = ()
    has_files: bool = False
    has_folders: bool = False


def words_for(taker: Option | Argument, command: Command, names: Names) -> Words:
    """Return what to offer for an option's value or an argument; of A|B both are offered."""
    parts = taker.value.split("|")
    known = taker.choices or names.get((" ".join(command.words[1:]), taker.value), ())
    return Words(
        words=known,
        has_files=not known and not FILES.isdisjoint(parts),
        has_folders=not known and not FOLDERS.isdisjoint(parts),
    )
