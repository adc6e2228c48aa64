"""Lists, by kind, the objects of a running VPP that vppcfg does not manage, with the commands that restore them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from vppcfg.common.names import natural_key
from vppcfg.model.attachment import Attachment
from vppcfg.record import record

_NAMED = 5
"""Of one kind, in the text; the JSON has all."""
_LISTED_TWICE = frozenset({"NAT44 static mapping", "NAT44 identity mapping"})
"""An interface holds those by its address, of which the list of all mappings has more."""
_KEYS = "its keys are neither shown nor written"
_NEEDS_KEYS = "it needs security associations, whose keys are neither shown nor written"
_NEEDS_LIST = "it needs an access list by its number, which is another one after a restart"
_NOT_WHOLE = "what it consists of is not read"
_WHY: Mapping[str, str] = {
    "IPsec SA": _KEYS,
    "IKEv2 profile": _KEYS,
    "BFD key": _KEYS,
    "IPsec protection": _NEEDS_KEYS,
    "IPsec SPD": "its policies are not read",
    "security policy database": "VPP does not report its number",
    "policer on an interface": "VPP does not report which policer it is",
    "ABF policy": _NEEDS_LIST,
    "policy of ABF": _NEEDS_LIST,
    "classifier table": "its matches are not read",
    **dict.fromkeys(("classifier of input", "rate limits"), "it needs classifier tables, whose matches are not read"),
}
"""Why no command restores what is of a kind."""
_WITHOUT_COMMANDS = frozenset(
    {"ABF policy", "IPsec protection", "IPsec SPD", "classifier of input", "policy of ABF", "rate limits"}
)
"""Their commands do no good without what cannot be written."""
_REASSEMBLY = re.compile(r"(ip[46])-full-reassembly-feature of ")


@record
class OthersOfKind:
    """The objects of one kind that vppcfg does not manage."""

    kind: str
    names: tuple[str, ...]
    """Of each object, with its interface where it has one."""
    commands: tuple[str, ...] = ()
    """What brings it back, as far as VPP reports it."""
    why: str = ""
    """Why some or all of it is in no command; '' when all is."""

    @property
    def text(self) -> str:
        """Return it for people, in one line."""
        names = [name for name in self.names if name]
        shown = f": {', '.join(names[:_NAMED])}" + (" and more" if len(names) > _NAMED else "") if names else ""
        commands = f"{len(self.commands)} command{'' if len(self.commands) == 1 else 's'}" if self.commands else ""
        return f"{self.kind} ({len(self.names)}){shown}; {' and '.join(part for part in (commands, self.why) if part)}"

    @property
    def document(self) -> dict[str, Any]:
        """Return it for programs."""
        names, commands = list(self.names), list(self.commands)
        return {"kind": self.kind, "count": len(names), "names": names, "commands": commands, "why": self.why}


def others_in(standalone: Iterable[Attachment], attached: Iterable[Attachment]) -> tuple[OthersOfKind, ...]:
    """Return what others have by kind: what is on no interface, in the order in which it is made, then the rest."""
    kinds: dict[str, list[Attachment]] = {}
    for each in [*standalone, *(each for each in attached if each.kind not in _LISTED_TWICE)]:
        kinds.setdefault(_kind_of(each), []).append(each)
    return tuple(_of_kind(kind, same) for kind, same in kinds.items())


def _kind_of(attachment: Attachment) -> str:
    return (
        f"{attachment.kind} on an interface" if attachment.holder and attachment.kind == "policer" else attachment.kind
    )


def _of_kind(kind: str, same: Sequence[Attachment]) -> OthersOfKind:
    typable = [each.typable_lines if kind not in _WITHOUT_COMMANDS else () for each in same]
    commands = tuple(line for lines in typable for line in lines)
    is_whole = all(typable)
    if kind == "reassembly":
        commands = tuple(_reassembly(same))
        is_whole = all(_REASSEMBLY.match(each.name) for each in same)
    names = sorted(map(_named, same), key=natural_key)
    why = "" if is_whole else _WHY.get(kind, _NOT_WHOLE)
    return OthersOfKind(kind=kind, names=tuple(names), commands=commands, why=why)


def _reassembly(same: Iterable[Attachment]) -> Iterator[str]:
    """Yield a command for each interface: the one for IPv6 would switch IPv4 off."""
    families: dict[str, list[str]] = {}
    for each in same:
        if found := _REASSEMBLY.match(each.name):
            families.setdefault(each.holder, []).append(found[1])
    for holder, enabled in families.items():
        yield f"set interface reassembly {holder} {'on' if len(enabled) > 1 else enabled[0]}"


def _named(attachment: Attachment) -> str:
    where = f"on {attachment.holder}" if attachment.holder and attachment.holder not in attachment.name else ""
    return f"{attachment.name} {where}".strip()
