"""Writes schema/vpp-old-words.txt: the words of startup.conf that VPP had once, and the first release without them.

`python -m tools.vpp_tables.old_words REPOSITORY` reads the tags before the oldest release of vpp-tables.txt.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.vpp_commands import REVISIONS
from tools.vpp_tables.source import tree_of
from tools.vpp_tables.words import stanzas_of

TARGET = Path(__file__).resolve().parents[2] / "schema" / "vpp-old-words.txt"
HEADER = """\
# Words of startup.conf that VPP {last} no longer has: the stanza, the word if any, and the first release without it.
# Written by `python -m tools.vpp_tables.old_words` from the source of VPP (Apache License 2.0), {first} to {last}.
"""
_RELEASE = re.compile(r"v(\d\d\.\d\d)")
_FIRST = "17.04"
"""The first release whose source is below src/."""


def text_of(repository: str) -> str:
    """Return the text of the table."""
    last = next(iter(REVISIONS))
    releases = [release for release in _releases(repository) if _FIRST <= release <= last]
    last_with: dict[tuple[str, str], int] = {}
    for number, release in enumerate(releases):
        last_with |= dict.fromkeys(_words(repository, release), number)
    lines = [
        f"{stanza}\t{word}\t{releases[number + 1]}\n"
        for (stanza, word), number in sorted(last_with.items())
        if number + 1 < len(releases)
    ]
    return HEADER.format(first=releases[0], last=last) + "".join(lines)


def _releases(repository: str) -> list[str]:
    """Return the releases that have a tag, the oldest first."""
    tags = subprocess.run(["git", "-C", repository, "tag"], check=True, capture_output=True, text=True).stdout.split()
    return sorted(found[1] for tag in tags if (found := _RELEASE.fullmatch(tag)))


def _words(repository: str, release: str) -> Iterator[tuple[str, str]]:
    """Yield the stanzas of a release, each with no word, and their words."""
    with tree_of(repository, f"v{release}", ("src",)) as tree:
        for stanza, words in stanzas_of(tree).items():
            yield stanza, ""
            yield from ((stanza, word) for word in words.keys if word[0].isalnum())


if __name__ == "__main__":
    TARGET.write_text(text_of(sys.argv[1]), encoding="utf-8")
