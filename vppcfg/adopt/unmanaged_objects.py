"""What commands without a key make and look up: VPP refuses one that makes what is there, or needs what is not.

Most rows were tried on VPP 26.10; that the others, and older releases, do the same is taken from their like.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from vppcfg.record import record


@record
class _Row:
    kind: str
    use: str
    """`make`, `delete`, `need`, `set` (make or change) or `use`, during which VPP neither sets nor deletes it.

    `free` ends all uses of a kind.
    """
    word: str
    """A word that the command has, with `!` one that it has not, '' where any will do."""
    place: str
    """The word before the name, or `#0` where the name comes first, or '' for what there is one of."""


_TABLE = """
policer            | make   | policer add                     | name
policer            | delete | policer del                     | name
policer            | need   | configure policer               | name
policer            | need   | policer reset                   | name
policer            | need   | policer input                   | name
policer            | need   | policer output                  | name
policer            | need   | policer bind                    | name
policer            | need   | classify session                | policer-hit-next
IPsec SA           | make   | ipsec sa: add                   | add
IPsec SA           | delete | ipsec sa: del                   | del
SR policy          | make   | sr policy: add                  | bsid
SR policy          | delete | sr policy: del                  | bsid
SR policy          | need   | sr policy: mod                  | bsid
SR policy          | need   | sr steer: !del                  | bsid
IKEv2 profile      | make   | ikev2 profile: add              | add
IKEv2 profile      | delete | ikev2 profile: del              | del
IKEv2 profile      | need   | ikev2 profile: set              | set
NAT44-EI           | make   | nat44 ei plugin: enable         |
NAT44-EI           | delete | nat44 ei plugin: disable        |
NAT44-EI address   | make   | nat44 ei add address: !del      | #0
NAT44-EI address   | delete | nat44 ei add address: del       | #0
NAT64              | make   | nat64 plugin: enable            |
NAT64 pool address | make   | nat64 add pool address: !del    | #0
NAT64 pool address | delete | nat64 add pool address: del     | #0
NAT66              | make   | nat66 plugin: enable            |
NAT66              | need   | set interface nat66             |
NAT66              | need   | nat66 add static mapping        |
BFD key            | set    | bfd key set                     | conf-key-id
BFD key            | delete | bfd key del                     | conf-key-id
BFD key            | use    | bfd udp session add             | conf-key-id
BFD key            | use    | bfd udp session auth activate   | conf-key-id
BFD key            | free   | bfd udp session auth deactivate |
BFD key            | free   | bfd udp session del             |
"""


def _rows() -> dict[str, list[_Row]]:
    """Return the rows of the table by command."""
    found = defaultdict(list)
    for line in _TABLE.strip().splitlines():
        kind, use, command, place = (part.strip() for part in line.split("|"))
        command, _, word = command.partition(": ")
        found[command].append(_Row(kind=kind, use=use, word=word, place=place))
    return found


_ROWS = _rows()


class UnmanagedObjects:
    """The objects that one script has made and not deleted."""

    def __init__(self) -> None:
        self._there: set[tuple[str, str]] = set()
        self._used: set[tuple[str, str]] = set()

    def refusal(self, command: str, words: Sequence[str]) -> str:
        """Note what a command makes, uses and deletes; return why VPP refuses it, '' where nothing says so."""
        for row in _ROWS.get(command, ()):
            name = _name(row, words)
            if name is not None and (why := self._refusal(row, name)):
                return why
        return ""

    def _refusal(self, row: _Row, name: str) -> str:
        found, text = (row.kind, name), f"{row.kind} {name}".strip()
        if row.use == "free":
            self._used = {used for used in self._used if used[0] != row.kind}
            return ""
        if row.use in {"set", "delete"} and found in self._used:
            return f"{text} is in use"
        if row.use == "make" and found in self._there:
            return f"{text} is already there"
        if row.use in {"delete", "need", "use"} and found not in self._there:
            return f"{text} is not there"
        if row.use == "delete":
            self._there.remove(found)
        else:
            self._there.add(found)
        if row.use == "use":
            self._used.add(found)
        return ""


def _name(row: _Row, words: Sequence[str]) -> str | None:
    """Return the name of the object that a command is about, None where it does not do what the row says."""
    has_word = row.word.removeprefix("!") in words
    if row.word and has_word == row.word.startswith("!"):
        return None
    if not row.place:
        return ""
    if row.place == "#0":
        return next(iter(words), None)
    return words[words.index(row.place) + 1] if row.place in words[:-1] else None
