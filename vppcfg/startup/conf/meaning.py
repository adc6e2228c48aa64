"""What a startup.conf means, as opposed to how it is written: a flat map that two files can be compared by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from vppcfg.common.numbers import bytes_of, canonical_pci, cpu_text, cpus_of, size_text
from vppcfg.record import record
from vppcfg.startup.conf.grammar import Argument
from vppcfg.startup.conf.tree import Conf, Entry

Place = tuple[str, ...]
_COMMENT = re.compile(r"(?<!\S)#[^\n]*")
_ALIASES = {"startup-config": "exec"}


@record
class Difference:
    """One value that two files have differently; None where one of them lacks it."""

    place: str
    before: str | None
    after: str | None


def differences(before: Conf, after: Conf) -> tuple[Difference, ...]:
    """Return where two files differ in meaning, in the order of the second one."""
    old, new = meaning(before), meaning(after)
    places = [*new, *(place for place in old if place not in new)]
    return tuple(
        Difference(place=" ".join(place), before=old.get(place), after=new.get(place))
        for place in places
        if old.get(place) != new.get(place)
    )


def meaning(conf: Conf) -> Mapping[Place, str]:
    """Return every value of a file by its place, spelt in one way."""
    values: dict[Place, str] = {}
    for name in conf.names:
        stanza = conf.stanza(name)
        if stanza is not None:
            values |= dict(_values(stanza, ()))
    return values


def _values(entry: Entry, above: Place) -> Iterator[tuple[Place, str]]:
    arguments = _canonical(entry)
    name = _ALIASES.get(entry.name, entry.name) if above[:1] == ("unix",) else entry.name
    is_many = entry.key is not None and entry.key.is_many
    place = (*above, name, *(arguments[:1] if is_many else ()))
    value = " ".join(arguments[1:] if is_many else arguments)
    if entry.verbatim is not None:
        yield place, " ".join([value, *_COMMENT.sub("", entry.verbatim).split()]).strip()
    elif entry.children is None or value:
        yield place, value
    elif is_many and not entry.children:
        yield place, ""
    for child in entry.children or ():
        yield from _values(child, place)


def _canonical(entry: Entry) -> tuple[str, ...]:
    kinds = entry.key.arguments if entry.key is not None else ()
    padded = [*kinds, *[Argument.WORD] * (len(entry.arguments) - len(kinds))]
    return tuple(_spelling(text, kind) for text, kind in zip(entry.arguments, padded, strict=True))


def _spelling(text: str, kind: Argument) -> str:
    try:
        if kind in (Argument.SIZE, Argument.PAGE):
            return size_text(bytes_of(text))
        if kind is Argument.CPUS:
            return cpu_text(cpus_of(text))
    except ValueError:
        return text
    return (canonical_pci(text) or text) if kind is Argument.PCI else text
