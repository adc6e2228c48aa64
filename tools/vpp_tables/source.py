"""The source of one release, taken out of a clone of VPP's repository."""

from __future__ import annotations

import io
import re
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

DPDK = "build/external/packages/dpdk.mk"
PARTS = ("src", DPDK)
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*', re.DOTALL)
_LIST = re.compile(r"^#define (foreach_\w+)(?:\([^)]*\))?[ \t\\]*\n((?:.*\\\n)*.*)$", re.MULTILINE)


class Tree:
    """The files of one release."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @cached_property
    def _code(self) -> dict[str, str]:
        paths = sorted(path for path in (self.root / "src").rglob("*.[ch]") if path.is_file())
        return {str(path.relative_to(self.root)): _without_comments(read(path)) for path in paths}

    def code(self) -> dict[str, str]:
        """Return every file of C by its path, without its comments."""
        return self._code

    @cached_property
    def lists(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """Return the rows of every macro `foreach_...` by its name."""
        found: dict[str, tuple[tuple[str, ...], ...]] = {}
        for text in self._code.values():
            for name, body in _LIST.findall(text):
                rows = re.findall(r"\b_\s*\(([^()]*)\)", body)
                found[name] = tuple(tuple(word.strip().strip('"') for word in row.split(",")) for row in rows)
        return found


def read(path: Path) -> str:
    """Return the text of a file."""
    return path.read_text(encoding="utf-8", errors="replace")


@contextmanager
def tree_of(repository: str, revision: str, parts: Sequence[str] = PARTS) -> Iterator[Tree]:
    """Take the source at a tag or branch out of a clone for as long as it is needed."""
    words = ["git", "-C", repository, "archive", "--format=tar", revision, *parts]
    packed = subprocess.run(words, check=True, capture_output=True).stdout
    with TemporaryDirectory(prefix="vpp-tables-") as folder:
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="data")
        yield Tree(Path(folder))


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda found: found[0] if found[0].startswith('"') else " ", text)
