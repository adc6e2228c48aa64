"""Hides the secrets of FRR and BIRD in whatever is shown or kept of their configurations.

Where a secret begins follows from the grammar of each daemon; where in doubt, more is hidden. All lines stay, so that
a secret that changes still shows as a line that goes and a line that comes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce

HIDDEN = "***"
_BLANK = r"[^\S\n]"


def _shortened(word: str) -> str:
    """Return a pattern of a keyword and its abbreviations, all of which FRR takes where they are not ambiguous."""
    return reduce(lambda rest, letter: f"{letter}(?:{rest})?", reversed(word))


def _command(form: str) -> str:
    return rf"{_BLANK}+".join(r"\S+" if word == "*" else _shortened(word) for word in form.split())


_FRR_COMMANDS = (
    *("password", "enable password", "neighbor * password", "msdp peer * password", "ip msdp peer * password"),
    *("ip ospf message-digest-key * md5", "ospf message-digest-key * md5"),
    *("ipv6 ospf6 authentication key-id * hash-algo * key", "ip rip authentication string"),
    *("isis password", "openfabric password", "area-password clear", "area-password md5"),
    *("domain-password clear", "domain-password md5"),
    *("ip nhrp authentication", "ipv6 nhrp authentication", "tcp-md5-auth"),
)
"""What stands before a secret (FRR: DEFUN and DEFPY in lib, bgpd, isisd, ldpd, nhrpd, ospfd, ospf6d, pathd, pimd)."""
_FRR_LEADS = "|".join(
    (
        *map(_command, _FRR_COMMANDS),
        # `key` and `authentication` are commands of their own; before an unknown word FRR takes them as abbreviations.
        rf"{_shortened('key-string')}(?={_BLANK}+(?!\s|chain\b|\d+{_BLANK}*$))",
        *(
            rf"{_command(form)}(?={_BLANK}+(?!\s|(?:message-digest|null|key-chain)\b))"
            for form in ("ip ospf authentication-key", "ospf authentication-key")
        ),
        rf"{_command('area * virtual-link *')}(?:{_BLANK}+(?![am])\S+)*(?={_BLANK}+[am])",
    )
)
_FRR = re.compile(
    rf"(?P<lead>(?:^|[:!#\"`,>\]]|(?<!\w)'){_BLANK}*(?:no?{_BLANK}+)?(?:{_FRR_LEADS})"
    rf"|(?<!\S)(?:md5|authentication{_BLANK}+string|nhrp{_BLANK}+authentication|key(?:-s\w*)?(?={_BLANK}+(?!\s|chain\b|\d+\b)))"
    rf"|(?<!\S)\S*(?:pass?w|secret|psk|tcp-ao|auth[\w-]{{0,20}}-key|md5-auth)\S*){_BLANK}+\S.*",
    re.IGNORECASE | re.MULTILINE,
)
"""A command with a secret, in a comment or a message too; else a word that may mean one. All behind it is hidden."""

_BIRD = re.compile(
    r"(?P<comment>#[^\n]*|/\*.*?(?:\*/|\Z))|\"[^\"\n]*\"?|(?P<end>[{};])"
    r"|\b(?P<word>password|secret|(?<!private )(?<!public )key)\b"
    r"|\b(?P<named>define|function)(?:\s|#[^\n]*\n|/\*.*?\*/)+'?(?P<name>[\w.:-]+)'?",
    re.DOTALL,
)
"""What matters of BIRD's lexemes (conf/cf-lex.l), and the words that a secret follows (nest, bgp and rpki/config.Y)."""
_BIRD_SYMBOL = re.compile(r"#[^\n]*|/\*.*?\*/|\"[^\"\n]*\"?|'([^'\n]*)'|([^\W\d]\w*)", re.DOTALL)
_BIRD_SECRET_NAME = re.compile(r"(?:^|[_.:-])(?:pass|pw|secret|psk|keys?(?:$|[_.:-])|md5)", re.IGNORECASE)


def hide_in_frr(text: str) -> str:
    """Return lines of FRR's configuration, or what FRR reports of them, with `***` in place of their secrets."""
    return _FRR.sub(lambda found: f"{found['lead']} {HIDDEN}", text)


def hide_in_bird(text: str, *others: str) -> str:
    """Return a configuration of BIRD with `***` in place of its secrets; it keeps its lines.

    A constant or function is hidden when a password of this text or of `others` comes from it.
    """
    names: set[str] = set()
    while found := {name for each in (text, *others) for name in _names(each, names)} - names:
        names |= found
    parts, place = list[str](), 0
    for start, end in _secrets(text, names):
        if start >= place:
            parts += (text[place:start], _hidden(text[start:end]))
            place = end
    return "".join((*parts, text[place:]))


def hide_in_message(text: str) -> str:
    """Return what a daemon, or a program of it, reports, with `***` in place of the secrets that it quotes."""
    return hide_in_frr(hide_in_bird(text))


def _hidden(secret: str) -> str:
    """Return a secret hidden line by line."""
    return re.sub(r"\S(?:[^\n]*\S)?", HIDDEN, secret)


def _names(text: str, names: set[str]) -> Iterator[str]:
    """Yield the symbols that stand in secrets."""
    for start, end in _secrets(text, names):
        for quoted, plain in _BIRD_SYMBOL.findall(text, start, end):
            if quoted or plain:
                yield quoted or plain


def _secrets(text: str, names: set[str]) -> Iterator[tuple[int, int]]:
    """Yield where secrets begin and end: the values of passwords, and what is defined by such names."""
    begin, depth, is_function = -1, 0, False
    for found in _BIRD.finditer(text):
        if begin >= 0:  # the end of a value is `;`, or the block with its options; that of a function its last brace
            depth += (found["end"] == "{") - (found["end"] == "}")
            if found["end"] and (not is_function or (found["end"] == "}" and depth <= 0)):
                yield begin, found.start()
                begin = -1
        elif found["comment"]:
            inside = found["comment"].replace("#", " ").replace("/*", "  ")  # comments do not nest
            yield from ((found.start() + start, found.start() + end) for start, end in _secrets(inside, names))
        elif (
            found["word"]
            or found["name"] in names
            or (found["named"] == "define" and _BIRD_SECRET_NAME.search(found["name"]))
        ):
            begin, depth, is_function = found.end(), 0, found["named"] == "function"
    if begin >= 0:
        yield begin, len(text)
