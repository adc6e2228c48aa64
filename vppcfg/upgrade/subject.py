"""What is known of the router that is to be upgraded: its file, its startup.conf, its scripts, its packages."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache

from vppcfg.adopt.script import commands_in
from vppcfg.common.release import Release
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import Loaded
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.state import State
from vppcfg.record import record
from vppcfg.startup.conf.plugin_review import is_loaded
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.conf.tree import Conf, ConfEntry
from vppcfg.startup.lint.finding import ConfSurroundings


@record
class NamedText:
    """A text, and what it is called."""

    name: str
    text: str


@record
class UpgradeSubject:
    """What is known of one router."""

    loaded: Loaded
    configuration: Configuration
    desired: State
    """What the file makes of a VPP that has its ports."""
    startup: NamedText | None = None
    """startup.conf; None when it is not known."""
    scripts: tuple[NamedText, ...] = ()
    """What VPP runs at its start, or an operator afterwards."""
    surroundings: ConfSurroundings = ConfSurroundings()
    """What startup.conf is judged by besides itself."""
    packages: Collection[str] | None = None
    """Names of the packages of the target release that are at hand; None where they were not listed."""

    def conf(self, release: Release) -> Conf:
        """Return startup.conf as a release reads it, empty when it is not known or cannot be read."""
        return _conf(self.startup.text, release) if self.startup is not None else Conf()

    def loads(self, plugin: str, release: Release) -> bool:
        """Return whether VPP of a release loads a plugin that it has; all that are not off when nothing is known."""
        return is_loaded(self.conf(release), plugin, release)

    def place(self, entry: ConfEntry) -> str:
        """Return where an entry of startup.conf stands."""
        return f"{self.startup.name if self.startup else 'startup.conf'}:{entry.line}"

    def ports(self, *device_classes: str) -> Iterator[str]:
        """Yield the ports with drivers of these classes, of all when none is named."""
        for name, port in self.desired.interfaces.items():
            is_port = port.kind is InterfaceKind.PHYSICAL and port.parent is None and name not in self.desired.virtual
            if is_port and (not device_classes or port.device_class in device_classes):
                yield name

    @property
    def encrypting(self) -> tuple[str, ...]:
        """Return the interfaces whose packets a crypto engine has to encrypt."""
        return tuple(name for name, virtual in self.desired.virtual.items() if virtual.encrypts)

    def commands(self) -> Iterator[tuple[str, str]]:
        """Yield the commands of all scripts, each with its place."""
        for script in self.scripts:
            for line, command in commands_in(script.text):
                yield f"{script.name}:{line}", command

    @property
    def objects(self) -> int:
        """Return how many objects the file asks for."""
        state = self.desired
        tables = (state.interfaces, state.lcps, state.bridges, state.vrfs, state.acls)
        return sum(len(table) for table in tables)


@lru_cache(maxsize=64)
def _conf(text: str, release: Release) -> Conf:
    return read_conf(text, release)[0]


def subject_of(
    loaded: Loaded,
    configuration: Configuration,
    observed: State | None = None,
    startup: NamedText | None = None,
    scripts: tuple[NamedText, ...] = (),
    packages: Collection[str] | None = None,
    *,
    allowed: Collection[str] = (),
) -> UpgradeSubject:
    """Return what is known of a router with this file; `observed` is what its VPP has, None when none was read.

    `allowed` are words of startup.conf that its VPP knows, because it is patched.
    """
    desired = resolve(configuration, observed or assumed_state(configuration)).desired
    return UpgradeSubject(
        loaded=loaded,
        configuration=configuration,
        desired=desired,
        startup=startup,
        scripts=scripts,
        packages=packages,
        surroundings=ConfSurroundings(allowed=frozenset(allowed)),
    )
