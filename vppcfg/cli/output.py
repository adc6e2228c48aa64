"""Writes to the terminal and to files, and decides on colour. What comes from outside is made printable before.

A reader that goes away (`vppcfg plan | head`) is no error: what follows is dropped.
"""

from __future__ import annotations

import errno
import io
import logging
import os
import stat
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from enum import Enum
from typing import IO, TextIO

from vppcfg.common.log_detail import DETAIL
from vppcfg.common.printable import printable
from vppcfg.errors import UsageError

log = logging.getLogger("vppcfg.reconciler.write")
"""Named as in the logs that operators know."""

STDOUT_NAME = "(stdout)"
_PRIORITIES = {logging.DEBUG: 7, logging.INFO: 6, logging.WARNING: 4, logging.ERROR: 3, logging.CRITICAL: 2}
"""What the journal calls them (sd-daemon(3))."""
_NOTICE = 5
_MOST_LINKS = 40
"""As many as the kernel follows."""


class ColourChoice(Enum):
    """The values of --color."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Colour(Enum):
    """What a piece of text is, as an ANSI colour (ECMA-48 SGR)."""

    BAD = "31"
    GOOD = "32"
    CHANGED = "33"
    STRONG = "1"


class Paint:
    """Colours text for one stream, or leaves it as it is."""

    def __init__(self, is_on: bool) -> None:
        self.is_on = is_on

    def __call__(self, text: str, colour: Colour) -> str:
        """Return `text` in `colour` when colours are on."""
        return f"\x1b[{colour.value}m{text}\x1b[0m" if self.is_on else text


def paint_for(stream: TextIO, choice: ColourChoice, environment: Mapping[str, str] = os.environ) -> Paint:
    """Return the paint for `stream`: under AUTO a terminal gets colours unless NO_COLOR is set or TERM is dumb."""
    if choice is not ColourChoice.AUTO:
        return Paint(choice is ColourChoice.ALWAYS)
    return Paint(is_terminal(stream) and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb")


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether `stream` leads to a person; a closed one does not."""
    return stream is not None and not stream.closed and stream.isatty()


class ReaderLeftError(Exception):
    """Whoever read standard output is gone."""


def write(text: str, stream: TextIO | None) -> None:
    """Write `text` to `stream` at once. Raise UsageError when it cannot be stored, as on a full disk."""
    with suppress(ReaderLeftError):
        write_while_read(text, stream)


def write_while_read(text: str, stream: TextIO | None) -> None:
    """Write as `write` does. Raise ReaderLeftError, which ends what would go on until somebody stops it."""
    if stream is None:
        return
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError as error:
        drop_output(stream)
        raise ReaderLeftError from error
    except OSError as error:
        drop_output(stream)
        raise UsageError(f"cannot write to {stream.name}: {error.strerror}") from error


def print_line(text: str) -> None:
    """Write a line to standard output."""
    write(text + "\n", sys.stdout)


def print_error(text: str, level: int = logging.ERROR) -> None:
    """Write to standard error, to a journal with the priority of `level` before each line.

    When that cannot take it, the work goes on without a message.
    """
    mark = f"<{_PRIORITIES.get(level, _NOTICE)}>" if leads_to_journal(sys.stderr) else ""
    with suppress(UsageError):
        write("".join(f"{mark}{line}\n" for line in text.split("\n")), sys.stderr)


def leads_to_journal(stream: TextIO | None, environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether a stream is a service's way to systemd's journal ($JOURNAL_STREAM, systemd.exec(5))."""
    named = environment.get("JOURNAL_STREAM")
    if not named or stream is None:
        return False
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return named == f"{status.st_dev}:{status.st_ino}"


def write_difference(lines: Iterable[str], color: ColourChoice) -> None:
    """Write a unified diff to standard error, in colours where they are wanted."""
    paint = paint_for(sys.stderr, color)
    for line in lines:
        is_change = not line.startswith(("+++", "---"))
        colour = Colour.GOOD if line.startswith("+") else Colour.BAD if line.startswith("-") else None
        text = printable(line)
        write((paint(text, colour) if colour and is_change else text) + "\n", sys.stderr)


def write_document(text: str, file_name: str | None, like: str | None = None, mode: int | None = None) -> None:
    """Write a whole document to a file, or to standard output when None or -, and log how many lines it has.

    A file is replaced atomically, as `write_file` does it; a device or a pipe is written to.
    Raise UsageError when that is not possible.
    """
    if file_name in (None, "-"):
        write(text, sys.stdout)
        name, extra = STDOUT_NAME, DETAIL
    else:
        write_file(text, file_name, like, mode)
        name, extra = file_name, None
    log.info("Wrote %d lines to %s", text.count("\n"), name, extra=extra)


def write_file(text: str, file_name: str, like: str | None = None, mode: int | None = None) -> None:
    """Replace a file in one step, or write to a device or a pipe. Raise UsageError when that is not possible.

    It has the mode of the file that it replaces, or of the one that it is a copy of, `like`, and as far as this user
    may give it away, its owner and group. One with a `mode` of its own is this user's.
    """
    try:
        path = written_place(file_name)
        if is_stream(path):
            append(text, path)
        else:
            model = like or (path if os.path.exists(path) else None)
            status = None if model is None or mode is not None else os.stat(model)
            if mode is None:
                mode = 0o666 & ~umask() if status is None else stat.S_IMODE(status.st_mode)
            replace_file(text.encode(errors="surrogateescape"), path, mode, status)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"cannot write {file_name}: {reason}") from error


def append(text: str, path: str) -> None:
    """Write behind what is in a `written_place`. Raise OSError."""
    no_link = 0 if _is_of_system(path) else os.O_NOFOLLOW

    def opened(name: str, flags: int) -> int:
        return os.open(name, flags | no_link, 0o666)

    with open(path, "a", encoding="utf-8", errors="surrogateescape", opener=opened) as stream:
        stream.write(text)


def written_place(file_name: str) -> str:
    """Return what is written to by a name: what links lead to.

    Raise OSError for a link, a pipe or a device of somebody else, who would choose what is overwritten, or who waits.
    """
    from vppcfg.transaction.safe_open import oneself

    path = file_name
    for _ in range(_MOST_LINKS):
        if _is_of_system(path):
            return path
        try:
            place = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return path
        try:
            status = os.fstat(place)
            kind = stat.S_IFMT(status.st_mode)
            if kind not in {stat.S_IFREG, stat.S_IFDIR} and status.st_uid not in oneself():
                raise PermissionError(errno.EPERM, "another user has put a link, a pipe or a device there")
            if kind != stat.S_IFLNK:
                return path
            path = os.path.join(os.path.dirname(path), os.readlink("", dir_fd=place))
        finally:
            os.close(place)
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


def is_stream(path: str) -> bool:
    """Return whether a path leads to a device, a pipe or an open file (/dev/stdout), which nothing can replace."""
    return _is_of_system(path) or (os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode))


def _is_of_system(path: str) -> bool:
    return os.path.abspath(path).startswith(("/dev/", "/proc/"))


def replace_file(content: bytes, path: str, mode: int, owned: os.stat_result | None = None) -> None:
    """Put a new file of a mode in the place of `path`, a link too. Raise OSError.

    It gets the owner and the group that `owned` has, as far as this user may give it away.
    """
    import tempfile

    folder, name = os.path.split(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder or ".")
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            # By descriptor: whose folder it is may have put a link in its place by now.
            for owner, group in ((owned.st_uid, -1), (-1, owned.st_gid)) if owned is not None else ():
                with suppress(PermissionError):
                    os.fchown(descriptor, owner, group)
            os.fchmod(descriptor, mode)
        os.replace(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):  # it is in its place already, and a signal came
            os.unlink(temporary)
        raise


def umask() -> int:
    """Return the permissions that new files are not to have."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def prepare_streams() -> None:
    """Make standard output take every text: UTF-8 whatever the locale, file names that are not UTF-8 as they are."""
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors)


def drop_output(stream: IO[str]) -> None:
    """Let everything that is still written to `stream` vanish, the flush at exit included."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
