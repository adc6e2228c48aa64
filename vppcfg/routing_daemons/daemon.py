"""The interface (protocol) to a routing daemon, FRR or BIRD: what vppcfg asks of it and does to it."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from enum import IntEnum
from typing import Protocol

from vppcfg.common.bounded_command import PLAIN_ENVIRONMENT, CommandResult, run_command
from vppcfg.common.bounds import ROUTING_CHARACTERS
from vppcfg.model.routing import DaemonKind, RoutingFile
from vppcfg.record import record
from vppcfg.routing_daemons.secrets import hide_in_message

NOTHING_WAITS = "nothing waits to be confirmed"
FRR_RUN_FOLDER = "/var/run/frr"
KEPT_BYTES = 2 * ROUTING_CHARACTERS
"""Of what a daemon prints."""
_SHOWN = 300


class SessionImpact(IntEnum):
    """What a change of a daemon's configuration does to what it has with others, the worst last."""

    NONE = 0
    POLICY = 1
    """Routes are accepted, chosen or announced otherwise; sessions stay."""
    UNKNOWN = 2
    SESSIONS = 3
    """Sessions or adjacencies end, or begin anew."""


@record
class RoutingImpact:
    """One effect of a change."""

    level: SessionImpact
    text: str


@record
class RoutingDifference:
    """How what a daemon runs differs from a configuration."""

    lines: tuple[str, ...] = ()
    """For people, each with `+` or `-` in front; secrets are left out."""
    impacts: tuple[RoutingImpact, ...] = ()
    """The worst first."""
    trouble: str | None = None
    """Why it is not known, as the end of a sentence; None when it is. The configuration is loaded in any case."""

    @property
    def text_lines(self) -> tuple[str, ...]:
        """Return what is shown of it: `lines`, and the trouble behind `?`."""
        return self.lines if self.trouble is None else (*self.lines, f"? {self.trouble}")

    @property
    def effects(self) -> tuple[RoutingImpact, ...]:
        """Return the effects of loading it, with one that is not known where the difference is not."""
        if self.trouble is None:
            return self.impacts
        unknown = RoutingImpact(level=SessionImpact.UNKNOWN, text="what that does to sessions is not known")
        return (*self.impacts, unknown)

    @property
    def worst(self) -> SessionImpact:
        """Return the worst effect."""
        return max((effect.level for effect in self.effects), default=SessionImpact.NONE)


@record
class RunningText:
    """What a daemon runs."""

    text: str = ""
    trouble: str = ""
    """Why it is not known, as the end of a sentence; '' when it is."""


@record
class DaemonRoute:
    """A route that a daemon has put into Linux."""

    prefix: str
    table_id: int
    """Of VPP: 0 is the main table."""
    devices: frozenset[str] = frozenset()
    """By which it leaves; none of one that leads nowhere."""


@record
class Adjacency:
    """What a daemon has with a neighbour that it takes for gone when nothing has come for a time."""

    text: str
    hold_s: float
    peer: str = ""
    """The address of the neighbour of a BGP session; '' where it is known by the device alone."""
    device: str = ""
    """The device of Linux; '' of a session that may leave by any."""


class RoutingDaemon(Protocol):
    """A routing daemon on this machine. What goes wrong is returned as text, the end of a sentence; '' is nothing."""

    def check(self, text: str) -> list[str]:
        """Return what the daemon's own checker finds wrong with a configuration."""

    def why_unfit(self, text: str) -> str:
        """Return why the daemon cannot load a configuration now: it is down, or lacks a part."""

    def running(self) -> RunningText:
        """Return the configuration that is in force."""

    def difference(self, text: str, loaded: str = "") -> RoutingDifference | str:
        """Return how what is in force differs from a configuration, or why that is not known.

        A daemon that does not report what it runs is taken to run `loaded`, or, with '', its startup file.
        """

    def load(self, text: str, confirm_s: float | None) -> str:
        """Load a configuration. Where the daemon can, it goes back by itself after `confirm_s` without `confirm`."""

    def confirm(self) -> str:
        """Have the daemon not go back by itself; `NOTHING_WAITS` when it was not going to, or has gone back already."""

    def routes(self) -> list[DaemonRoute] | str:
        """Return the routes that it has put into Linux, or why they are not known."""

    def adjacencies(self) -> list[Adjacency]:
        """Return what it has with its neighbours now; nothing where it does not answer."""

    def delay_s(self, text: str) -> float:
        """Return how long after it has loaded a configuration the daemon may begin to act by it."""


Runner = Callable[..., CommandResult]


def run_bounded(
    command: Sequence[str], within_s: float, should_stop: Callable[[], bool] = lambda: False, *, has_errors: bool = True
) -> CommandResult:
    """Run a command of a daemon, without a shell, with bounds."""
    return run_command(command, PLAIN_ENVIRONMENT, within_s, should_stop, kept_bytes=KEPT_BYTES, has_errors=has_errors)


def why_failed(ran: CommandResult) -> str:
    """Return why a command has failed, with what it printed last; '' when it has not."""
    if not ran.trouble:
        return ""
    lines = [line.strip() for line in ran.output.decode(errors="replace").splitlines() if line.strip()]
    tail = f": {hide_in_message(lines[-1])[:_SHOWN]}" if lines else ""
    return f"{ran.trouble}{tail}"


@contextmanager
def staged(text: str, startup: str) -> Iterator[tuple[str, str]]:
    """Yield a file with a configuration, beside the startup file while it is used, and why there is none."""
    path = f"{startup}.vppcfg-{os.getpid()}"
    trouble = write_like(path, text, startup)
    try:
        yield path, trouble
    finally:
        with suppress(OSError):
            os.unlink(path)


@contextmanager
def pinned_folder(above: str) -> Iterator[str]:
    """Yield a new folder, by a name that leads to it whatever is put in its place meanwhile. Raise OSError.

    The user of the daemon may own the folder above: behind a link of his, root would make files anywhere.
    """
    with tempfile.TemporaryDirectory(prefix=".vppcfg-", dir=above, ignore_cleanup_errors=True) as name:
        descriptor = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if os.fstat(descriptor).st_uid != os.geteuid():
                raise PermissionError(errno.EPERM, "another user has put a folder there")
            yield f"/proc/{os.getpid()}/fd/{descriptor}"
        finally:
            os.close(descriptor)


def written_folders(file: RoutingFile) -> tuple[str, ...]:
    """Return where files are written when a daemon loads a configuration: beside its startup file, and for vtysh.

    frr-reload.py hands what differs to vtysh as a file (`--rundir`).
    """
    folders = (os.path.dirname(file.startup),)
    return (*folders, FRR_RUN_FOLDER) if file.kind is DaemonKind.FRR else folders


def write_like(path: str, text: str, model: str) -> str:
    """Write a file in one step with the owner and the mode of `model`, and return why that failed."""
    try:
        with _new_file(path) as descriptor:
            with suppress(FileNotFoundError):
                status = os.stat(model)
                os.fchown(descriptor.number, status.st_uid, status.st_gid)
                os.fchmod(descriptor.number, stat.S_IMODE(status.st_mode))
            _write_all(descriptor.number, text.encode(errors="surrogateescape"))
            os.fsync(descriptor.number)
            os.replace(descriptor.name, path)
    except OSError as error:
        return f"cannot write {path}: {error.strerror}"
    return ""


class _new_file:
    """A new file beside `path`, which is gone again when it did not take its place."""

    def __init__(self, path: str) -> None:
        folder, name = os.path.split(path)
        self.number, self.name = tempfile.mkstemp(prefix=f".{name}.", dir=folder)

    def __enter__(self) -> _new_file:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.number)
        with suppress(FileNotFoundError):
            os.unlink(self.name)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
