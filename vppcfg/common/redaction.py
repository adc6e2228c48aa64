"""Takes secrets out of text that is to be sent away: values of what is called a key, a secret or a password.

A secret is recognized by its name, so that one under another name stays: whoever sends the text reads it.
Names of files that hold keys stay, and so do public keys.
"""

from __future__ import annotations

import re

from vppcfg.record import record

REMOVED = "REMOVED"
_NAMES = (
    r"(?:private|preshared|pre-shared|shared|crypto|integ|auth|authentication|encryption|api|signing)[-_ ]?keys?"
    r"|psk|secrets?|passwords?|passwd|passphrase|tokens?|community|credentials?"
)
_NAMED = re.compile(
    rf"(?P<head>(?<![\w-])[\"']?(?P<name>(?:[\w-]+[-_])?(?:{_NAMES}))[\"']?(?:\s*[:=]\s*|[ \t]+))"
    r"(?P<value>\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'|[^\s,}\]#]+)",
    re.IGNORECASE,
)
_BLOCK = re.compile(rf"^(?P<indent>\s*)(?:- )?[\"']?(?P<name>[\w-]*(?:{_NAMES}))[\"']?\s*:\s*[|>]", re.IGNORECASE)
_PEM = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_LOGIN = re.compile(r"(?<=://)([^/\s:@]+):([^/\s@]+)(?=@)")
_NO_VALUES = frozenset({"", "null", "~", "true", "false", "{", "[", "|", ">", "is", "are", "and", "of", "or", "cannot"})


@record
class Removal:
    """A secret that was taken out."""

    place: str
    """The file and the line."""
    name: str
    """What it is called."""


def redacted(text: str, place: str) -> tuple[str, tuple[Removal, ...]]:
    """Return a text with `REMOVED` in place of its secrets, and what was taken out; it has as many lines as before."""
    removals: list[Removal] = []

    def without_pem(match: re.Match[str]) -> str:
        line = text.count("\n", 0, match.start()) + 1
        removals.append(Removal(place=f"{place}:{line}", name="a private key"))
        return REMOVED + "\n" * match[0].count("\n")

    lines = _PEM.sub(without_pem, text).split("\n")
    block: tuple[int, str] | None = None
    for number, line in enumerate(lines):
        where = f"{place}:{number + 1}"
        if block is not None and (not line.strip() or len(line) - len(line.lstrip()) > block[0]):
            if line.strip():
                lines[number] = " " * (block[0] + 2) + REMOVED
                removals.append(Removal(place=where, name=block[1]))
            continue
        heading = _BLOCK.match(line)
        block = (len(heading["indent"]), heading["name"]) if heading is not None else None
        lines[number], found = _without_values(line)
        removals += (Removal(place=where, name=name) for name in found)
    return "\n".join(lines), tuple(removals)


def _without_values(line: str) -> tuple[str, list[str]]:
    found: list[str] = []

    def without(match: re.Match[str]) -> str:
        value = match["value"]
        if value.lower() in _NO_VALUES or value == REMOVED:
            return match[0]
        found.append(match["name"])
        quote = value[0] if value[0] in "\"'" else ""
        return f"{match['head']}{quote}{REMOVED}{quote}"

    def without_login(match: re.Match[str]) -> str:
        found.append("a password in an address")
        return f"{match[1]}:{REMOVED}"

    return _LOGIN.sub(without_login, _NAMED.sub(without, line)), found
