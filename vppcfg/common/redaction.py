"""Takes secrets out of what is to be shown or sent away: values of what is called a key, a secret or a password.

A secret is recognized by its name, so that one under another name stays: whoever sends the text reads it.
Names of files that hold keys stay, and so do public keys.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from vppcfg.record import record

REMOVED = "REMOVED"
_NAMES = (
    r"[\w-]*(?:(?:private|preshared|pre-shared|shared|secret|validator|crypto|integ|auth|authentication|encryption|api"
    r"|access|signing|message-digest)[-_ ]?keys?|key-string|shared-key-mic|auth[-_]pass|psk|secrets?|passwords?|passwd"
    r"|pwd|passphrase|tokens?|community|credentials?)|(?:nhrp )?authentication string|nhrp authentication"
)
_MANNER = r"(?:(?:\d{1,3}|md5|clear|encrypted|string|hex|[&!]\S*)[ \t]+){0,3}"
"""What may stand before a secret: how it is written, as in `password 8 ...`, or an anchor or a tag of YAML."""
_QUOTED = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^']|'')*'"
_VALUE = rf"(?P<value>{_QUOTED}|[^\s,}}\]#]\S*)"
_INLINE = (
    re.compile(rf"(?<![\w-])[\"']?(?P<name>{_NAMES})[\"']?(?:\s*[:=]\s*|[ \t]+){_MANNER}{_VALUE}", re.IGNORECASE),
    re.compile(rf"(?<![\w-])(?P<name>--?(?:{_NAMES}))[\"']?\s*,\s*{_VALUE}", re.IGNORECASE),
    re.compile(rf"(?<!\S)[\"']?(?P<name>-u|--user|--proxy-user)[\"']?[\s,=]+[\"']?[^\s:,\"']+:{_VALUE}"),
    re.compile(
        rf"(?P<name>\bauthorization)[\"']?\s*[:=]\s*[\"']?(?:(?:basic|bearer|digest|token)\s+)?{_VALUE}", re.IGNORECASE
    ),
)
"""In the middle of a line: a name with its value, an option in a list of words, a header of HTTP.

The first finds the value in `ip ospf message-digest-key 1 md5 VALUE`, `{ psk: VALUE }` and `password=VALUE`, the second
in `[ curl, --api-key, VALUE ]`, the third in `curl --user NAME:VALUE`, the fourth in `Authorization: Bearer VALUE`.
"""
_HEADING = re.compile(
    rf"^(?P<indent>\s*)(?P<mark>[-#][-# ]*)?[\"']?(?:(?P<name>{_NAMES})[\"']?\s*:(?=\s|$)\s*{_MANNER}(?P<value>.*)"
    rf"|(?P<option>--?(?:{_NAMES}))[\"']?\s*)$",
    re.IGNORECASE,
)
"""A key on a line of its own, whose value may go on below, or an option whose value is the next item.

`  - private-key: VALUE`: `indent` is what is before the dash, `mark` the dash, or the `#` of a comment, with what is
behind it. `  - --api-key` is an option, and the item below it its value.
"""
_WHOLE = re.compile(rf"(?:{_QUOTED})(?=\s*,?\s*(?:#.*)?$)|.*?(?=\s+#|\s*$)")
"""The value of a heading, without a comment."""
_SECRET = re.compile(_NAMES, re.IGNORECASE)
_CLOSING = re.compile(r"[\"'}\],]*$")
"""What may stand behind a value that has no quotes: the brackets in `{ peers: [ { psk: VALUE } ] }`."""
_PEM = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY((?: BLOCK)?)-----.*?(?:-----END [A-Z ]*PRIVATE KEY\1-----|\Z)", re.DOTALL
)
_LOGIN = re.compile(r"(?<=://)([^/\s:@]*):([^/\s@]+)(?=@)")
"""A user, who may have no name, and a password, as in `https://user:VALUE@host/`."""
_OPTION = re.compile(rf"--?(?:{_NAMES})", re.IGNORECASE)
_NO_VALUES = frozenset({"", "null", "~", "true", "false", "{", "[", "is", "are", "and", "of", "or", "cannot"})
"""Words behind a name that are no secret: what is empty or goes on below, and words of a sentence about a key."""
_BELOW = re.compile(r"[|>][-+\d]*")
"""A value of YAML that begins on the next line."""

_OF_COMMAND = re.compile(
    r"\b((?:(?:private|preshared|secret|validator|(?:(?:local|remote)-)?(?:crypto|integ))[-_]?key"
    r"|(?:namespace-)?secret(?:[-_]share)?|shared-key-mic\s+(?:string|hex))[\s:]+)(?:\{[^}]*\}?|(?:\\.|\S)+)"
)
"""What stands before a secret in a command of VPP, and the secret: a word or a text in braces (vppinfra/unformat.c)."""


@record
class Removal:
    """A secret that was taken out."""

    place: str
    """The file and the line, or the keys that lead there."""
    name: str
    """What it is called."""


def without_secrets(text: str) -> str:
    """Return a command of VPP, or what VPP reports of one, with `<withheld>` in place of its secrets."""
    return _OF_COMMAND.sub(r"\1<withheld>", text)


def redacted(text: str, place: str) -> tuple[str, tuple[Removal, ...]]:
    """Return a text with `REMOVED` in place of its secrets, and what was taken out; it has as many lines as before."""
    removals: list[Removal] = []

    def without_pem(match: re.Match[str]) -> str:
        line = text.count("\n", 0, match.start()) + 1
        removals.append(Removal(place=f"{place}:{line}", name="a private key"))
        return REMOVED + "\n" * match[0].count("\n")

    lines = _PEM.sub(without_pem, text).split("\n")
    above: re.Match[str] | None = None
    for number, line in enumerate(lines):
        if above is not None and _goes_on(above, line):
            if line.strip() not in {"", REMOVED, f"- {REMOVED}"}:
                indent = line[: len(line) - len(line.lstrip())]
                lines[number] = f"{indent}{'- ' if line.lstrip().startswith('- ') else ''}{REMOVED}"
                removals.append(Removal(place=f"{place}:{number + 1}", name=above["name"] or above["option"]))
            continue
        above = _HEADING.match(line)
        lines[number], found = _without_values(line, above)
        removals += (Removal(place=f"{place}:{number + 1}", name=name) for name in found)
    return "\n".join(lines), tuple(removals)


def redacted_document(document: Any, place: str) -> tuple[Any, tuple[Removal, ...]]:
    """Return plain data, as JSON has it, with `REMOVED` in place of its secrets, and what was taken out."""
    removals: list[Removal] = []

    def without(value: Any, where: str, name: str) -> Any:
        if isinstance(value, Mapping):
            return {key: without(each, f"{where}.{key}", name or _secret(str(key))) for key, each in value.items()}
        if isinstance(value, list | tuple):
            options = ["", *(each if isinstance(each, str) and _OPTION.fullmatch(each) else "" for each in value)]
            return [without(each, where, name or option) for option, each in zip(options, value, strict=False)]
        if name and value is not None and not isinstance(value, bool) and str(value).lower() not in _NO_VALUES:
            removals.append(Removal(place=where, name=name))
            return REMOVED
        if not isinstance(value, str):
            return value
        plain, found = redacted(value, where)
        removals.extend(found)
        return plain

    return without(document, place, ""), tuple(removals)


def _secret(key: str) -> str:
    return key if _SECRET.fullmatch(key) else ""


def _goes_on(heading: re.Match[str], line: str) -> bool:
    """Return whether a line still belongs to the value of a heading above it.

    Of an option it is the next item of the same list. Of a key it is every line that is empty or further to the right;
    an item of a list may also stand right below a key that has no value, as in

        secrets:
        - VALUE
    """
    indent, mark = len(heading["indent"]), (heading["mark"] or "").startswith("-")
    own = len(line) - len(line.lstrip())
    if heading["option"]:
        return mark and own == indent and line.lstrip().startswith("- ")
    is_item = line.lstrip().startswith("- ") and own == indent and not mark and not heading["value"].strip()
    return not line.strip() or own > indent or is_item


def _without_values(line: str, heading: re.Match[str] | None) -> tuple[str, list[str]]:
    """Return a line with `REMOVED` in place of its secrets, and what these are called."""
    found: list[str] = []

    def removed(match: re.Match[str], value: str) -> str:
        """Return what was matched without its value."""
        if value.lower() in _NO_VALUES or value == REMOVED or _BELOW.fullmatch(value):
            return match[0]
        found.append(match["name"])
        quote = _quote(value)
        start = match.start("value") - match.start()
        return f"{match[0][:start]}{quote}{REMOVED}{quote}{match[0][start + len(value) :]}"

    def without(match: re.Match[str]) -> str:
        value = match["value"]
        return removed(match, value if _quote(value) else _CLOSING.sub("", value) or value)

    def without_login(match: re.Match[str]) -> str:
        found.append("a password in an address")
        return f"{match[1]}:{REMOVED}"

    if heading is not None and heading["name"]:
        whole = _WHOLE.match(heading["value"])
        line = removed(heading, whole[0] if whole is not None else "")
    else:
        for pattern in _INLINE:
            line = pattern.sub(without, line)
    return _LOGIN.sub(without_login, line), found


def _quote(value: str) -> str:
    """Return the sign in which a value is quoted, '' when it is not."""
    return value[0] if len(value) > 1 and value[0] in "\"'" and value[-1] == value[0] else ""
