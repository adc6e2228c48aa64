"""How a file of `vppcfg startup` differs from the installed one, and what it costs to put the new one in force.

Two versions are compared by their meaning, not by their text.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from enum import IntEnum

from vppcfg.common.numbers import bytes_of, canonical_pci, cpu_text, cpus_of, size_text
from vppcfg.common.release import Release
from vppcfg.record import record
from vppcfg.startup.conf.key import ArgumentForm
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.conf.tree import Conf, ConfEntry
from vppcfg.startup.files import KERNEL_LINE, STARTUP_CONF, SYSCTL_CONF

Place = tuple[str, ...]
_COMMENT = re.compile(r"(?<!\S)#[^\n]*")
_ALIASES = {"startup-config": "exec"}
_GRUB = re.compile(r"^GRUB_CMDLINE_LINUX_DEFAULT=(?P<quote>[\"'])(?P<words>.*)(?P=quote)\s*$", re.MULTILINE)
_GRUB_VARIABLE = "${GRUB_CMDLINE_LINUX_DEFAULT}"
"""What earlier fragments of GRUB have set, to which ours adds."""


@record
class ChangedSetting:
    """One value that two files have differently; it is None in the file that lacks it."""

    place: str
    before: str | None
    after: str | None


def differences(before: Conf, after: Conf) -> tuple[ChangedSetting, ...]:
    """Return where two files differ in meaning, in the order of the second one."""
    old, new = meaning(before), meaning(after)
    places = [*new, *(place for place in old if place not in new)]
    return tuple(
        ChangedSetting(place=" ".join(place), before=old.get(place), after=new.get(place))
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


def _values(entry: ConfEntry, above: Place) -> Iterator[tuple[Place, str]]:
    """Yield the values of an entry and of those in its braces; of a key that may repeat, its first word is a place."""
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


def _canonical(entry: ConfEntry) -> tuple[str, ...]:
    kinds = entry.key.arguments[: len(entry.arguments)] if entry.key is not None else ()
    padded = [*kinds, *[ArgumentForm.WORD] * (len(entry.arguments) - len(kinds))]
    return tuple(_spelling(text, kind) for text, kind in zip(entry.arguments, padded, strict=True))


def _spelling(text: str, kind: ArgumentForm) -> str:
    try:
        if kind in (ArgumentForm.SIZE, ArgumentForm.PAGE):
            return size_text(bytes_of(text))
        if kind is ArgumentForm.CPUS:
            return cpu_text(cpus_of(text))
    except ValueError:
        return text
    if kind is ArgumentForm.ON_BUS:
        bus, slash, place = text.partition("/")
        return f"{bus}{slash}{canonical_pci(place) or place}"
    return (canonical_pci(text) or text) if kind is ArgumentForm.PCI else text


class Cost(IntEnum):
    """What putting a change in force takes; the larger one includes the smaller."""

    NOTHING = 0
    RELOAD = 1
    RESTART = 2
    REBOOT = 3


COST_TEXT: Mapping[Cost, str] = {
    Cost.NOTHING: "nothing",
    Cost.RELOAD: "`sysctl --system`",
    Cost.RESTART: "a restart of VPP",
    Cost.REBOOT: "`update-grub` and a reboot",
}


_COST_OF: Mapping[str, Cost] = {
    STARTUP_CONF: Cost.RESTART,
    KERNEL_LINE: Cost.REBOOT,
    SYSCTL_CONF: Cost.RELOAD,
}


@record
class FileChange:
    """The difference between the installed version of a file and the new one."""

    path: str
    """Below the root directory."""
    is_new: bool
    is_rewritten: bool
    """Whether the text differs, if only in comments and spaces."""
    differences: tuple[ChangedSetting, ...] = ()

    @property
    def cost(self) -> Cost:
        """Return what it takes to put the change in force."""
        return _COST_OF[self.path] if self.differences else Cost.NOTHING


def compare(path: str, before: str | None, after: str, release: Release) -> FileChange:
    """Return what changes in a file; `before` is None when there is none yet."""
    return FileChange(
        path=path,
        is_new=before is None,
        is_rewritten=before != after,
        differences=_differences(path, before or "", after, release),
    )


def missing_at_boot(parameters: tuple[str, ...], running: str) -> tuple[str, ...]:
    """Return the parameters that the running kernel was not started with."""
    there = set(running.split())
    return tuple(parameter for parameter in parameters if parameter not in there)


def _differences(path: str, before: str, after: str, release: Release) -> tuple[ChangedSetting, ...]:
    if path == STARTUP_CONF:
        return differences(_tree(before, release), _tree(after, release))
    read = _kernel_values if path == KERNEL_LINE else _sysctl_values
    old, new = read(before), read(after)
    return tuple(
        ChangedSetting(place=name, before=old.get(name), after=new.get(name))
        for name in [*new, *(name for name in old if name not in new)]
        if old.get(name) != new.get(name)
    )


def _tree(text: str, release: Release) -> Conf:
    return read_conf(text, release)[0]


def _kernel_values(text: str) -> dict[str, str]:
    """Return the parameters that a fragment for GRUB adds."""
    values: dict[str, str] = {}
    for match in _GRUB.finditer(text):
        try:
            words = shlex.split(match["words"].replace(_GRUB_VARIABLE, ""))
        except ValueError:
            words = match["words"].split()
        for word in words:
            name, _, value = word.partition("=")
            values[name] = value
    return values


def _sysctl_values(text: str) -> dict[str, str]:
    """Return the settings of a sysctl fragment."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals and not name.lstrip().startswith(("#", ";")):
            values[name.strip().replace("/", ".")] = value.strip()
    return values
