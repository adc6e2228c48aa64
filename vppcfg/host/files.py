"""Reads text and numbers from files below a root, and remembers what could not be read. It gives them no meaning."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from vppcfg.common.names import natural_key
from vppcfg.common.numbers import cpus_of

_CHUNK_BYTES = 64 << 10
"""Of one read; the kernel makes room for all that is asked for when a file of /proc/sys is read."""
_MOST_CHUNKS = 64


class Files:
    """What stands below a root directory. A file that is not there is None; one that is not readable is noted too."""

    def __init__(self, root: str) -> None:
        self.root = Path(root)
        self.notes: list[str] = []

    def text(self, name: str) -> str | None:
        """Return the text of a file without white space around it."""
        try:
            with (self.root / name).open("rb") as stream:
                chunks = iter(lambda: stream.read(_CHUNK_BYTES), b"")
                return b"".join(islice(chunks, _MOST_CHUNKS)).decode(errors="replace").strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            if not name.endswith("/speed"):  # of a link that is down: Linux answers that the argument is invalid
                self.note(f"/{name} cannot be read: {getattr(error, 'strerror', None) or error}")
            return None

    def number(self, name: str, base: int = 10) -> int | None:
        """Return the number that a file holds; what is none is noted."""
        text = self.text(name)
        if text is None:
            return None
        try:
            return int(text, base)
        except ValueError:
            self.note(f"/{name} holds {text[:40]!r}, which is not a number")
            return None

    def cpus(self, name: str) -> tuple[int, ...] | None:
        """Return the list of CPUs that a file holds; what is none is noted."""
        text = self.text(name)
        if text is None or text == "(null)":
            return None
        try:
            return cpus_of(text)
        except ValueError as error:
            self.note(f"/{name}: {error}")
            return None

    def names(self, directory: str) -> tuple[str, ...]:
        """Return the names in a directory in natural order, none when there is no such directory."""
        try:
            return tuple(sorted(os.listdir(self.root / directory), key=natural_key))
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as error:
            self.note(f"/{directory} cannot be read: {error.strerror}")
            return ()

    def link_name(self, name: str) -> str | None:
        """Return the last part of what a symbolic link points to."""
        try:
            return os.path.basename(os.readlink(self.root / name))
        except OSError:
            return None

    def parent_of(self, name: str) -> str | None:
        """Return the directory above the one that a symbolic link leads to, None when it leaves the root."""
        above = Path(os.path.realpath(self.root / name)).parent
        root = os.path.realpath(self.root)
        return os.path.relpath(above, root) if above.is_relative_to(root) else None

    def lines(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the `key : value` lines of a file such as /proc/meminfo."""
        for line in (self.text(name) or "").splitlines():
            key, colon, value = line.partition(":")
            if colon:
                yield key.strip(), value.strip()

    def note(self, sentence: str) -> None:
        """Remember something that is not as it should be."""
        if sentence not in self.notes:
            self.notes.append(sentence)
