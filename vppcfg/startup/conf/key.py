"""One key of startup.conf: its words, the form of its values, and the releases of VPP that know it."""

from __future__ import annotations

from enum import Enum

from vppcfg.common.release import Release
from vppcfg.record import record


class ArgumentForm(Enum):
    """The form of an argument; it decides what VPP can read, and when two texts mean the same."""

    WORD = "word"
    NUMBER = "number"
    DECIMAL = "decimal number"
    HEXADECIMAL = "hexadecimal number"
    SIZE = "size"
    LIMIT = "size or unlimited"
    PAGE = "page size"
    CPUS = "list of CPUs"
    MASK = "mask of CPUs"
    PCI = "PCI address"
    DEVICES = "PCI address or vendor and device"
    ON_BUS = "device with its bus"
    QUOTED = "text in single quotes"


@record
class Key:
    """One key of a stanza or block."""

    name: str
    """Its words with spaces between."""
    arguments: tuple[ArgumentForm, ...] = ()
    choices: tuple[str, ...] = ()
    """The only values that VPP takes for the last argument; empty when it takes others."""
    block: str | None = None
    """The keys in the braces behind it; a name of GRAMMAR."""
    must_have_braces: bool = False
    since: Release | None = None
    until: Release | None = None
    """The first release that does not know it any more."""
    instead: str = ""
    """What replaces a key that is gone; nothing does when it is empty."""
    ignored_since: Release | None = None
    """The first release that reads it and does nothing with it."""
    is_many: bool = False
    """Whether several stand side by side, distinguished by their first argument."""

    def is_known_to(self, release: Release) -> bool:
        """Return whether VPP of a release knows the key."""
        return (self.since is None or release >= self.since) and (self.until is None or release < self.until)

    def is_ignored_by(self, release: Release) -> bool:
        """Return whether VPP of a release reads the key and does nothing with it."""
        return self.ignored_since is not None and release >= self.ignored_since


OPAQUE = "*"
"""The block of a key whose content is not checked."""

ANY = "*"
"""The name of a key that may be any word."""

W, N, D, H, S, P, C, M, A = (
    ArgumentForm.WORD,
    ArgumentForm.NUMBER,
    ArgumentForm.DECIMAL,
    ArgumentForm.HEXADECIMAL,
    ArgumentForm.SIZE,
    ArgumentForm.PAGE,
    ArgumentForm.CPUS,
    ArgumentForm.MASK,
    ArgumentForm.PCI,
)
"""Short names, for the tables of keys."""


def flags(*names: str, since: Release | None = None) -> tuple[Key, ...]:
    """Return keys without a value."""
    return tuple(Key(name=name, since=since) for name in names)


def keys(arguments: tuple[ArgumentForm, ...], *names: str, since: Release | None = None) -> tuple[Key, ...]:
    """Return keys with values of these forms."""
    return tuple(Key(name=name, arguments=arguments, since=since) for name in names)


def switches(*names: str) -> tuple[Key, ...]:
    """Return keys that are on or off."""
    return tuple(Key(name=name, arguments=(W,), choices=("on", "off")) for name in names)
