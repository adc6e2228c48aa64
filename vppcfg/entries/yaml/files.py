"""What a configuration is read from: one file, or several of which the later ones are laid over the earlier ones."""

from __future__ import annotations

import os
import stat
import sys

from vppcfg.common.bounds import CONFIG_BYTES
from vppcfg.common.names import natural_key
from vppcfg.errors import ConfigError
from vppcfg.record import record

STDIN = "-"
STDIN_NAMES = (STDIN, "/dev/stdin")
LIMIT_BYTES = CONFIG_BYTES
_BETWEEN = " + "
"""Stands between the names of several files where they are one text."""

_SNIFF_BYTES = 8192
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
"""How UTF-16 and UTF-32 text begins: full of NUL bytes and yet no binary file."""


@record
class SourceFiles:
    """The names that were given, in order; that of a folder stands for its files `*.yaml`, in natural order."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return _BETWEEN.join(self.names)

    def each(self) -> tuple[str, ...]:
        """Return the names of the files themselves. Raise ConfigError for a folder that has none."""
        return tuple(name for given in self.names for name in (_in_folder(given) if os.path.isdir(given) else [given]))

    @property
    def can_be_read_again(self) -> bool:
        """Return whether their content now can be read another time."""
        return all(can_be_read_again(name) for name in self.names)

    @property
    def origin(self) -> str:
        """Return where the files are, whatever happens to the working directory; `-` when they cannot be read again."""
        return _BETWEEN.join(map(os.path.realpath, self.names)) if self.can_be_read_again else STDIN


def files_at(origin: str) -> SourceFiles:
    """Return what was read from `origin`, the place of a file or of several."""
    return SourceFiles(names=(origin,) if os.path.exists(origin) else tuple(origin.split(_BETWEEN)))


def _in_folder(name: str) -> list[str]:
    try:
        names = [entry.name for entry in os.scandir(name) if entry.name.endswith(".yaml")]
    except OSError as error:
        raise ConfigError(f"cannot read the folder {name}: {error.strerror}") from error
    found = sorted((each for each in names if not each.startswith(".")), key=natural_key)
    if not found:
        raise ConfigError(f"{name} is a folder without a file *.yaml", "name a file, or a folder that has some")
    paths = [os.path.join(name, each) for each in found]
    for path in paths:
        if can_be_read_again(path):
            continue
        raise ConfigError(f"{path} is a pipe, and may never end", "take it out of the folder, or name it itself")
    return paths


def refuse_from_elsewhere(name: str) -> None:
    """Raise ConfigError for what is no file of its folder: a pipe, which may never end, or a link to another place.

    Whoever may write into a folder of many could have others read, and quote, what he may not read himself.
    """
    if not os.path.isfile(name):
        raise ConfigError(f"{name} is no regular file", "take it out of the folder, or put a file in its place")
    folder = os.path.realpath(os.path.dirname(name))
    if os.path.commonpath([folder, os.path.realpath(name)]) != folder:
        raise ConfigError(f"{name} is a link out of the folder, and is not read", "put the file itself there")


def can_be_read_again(name: str) -> bool:
    """Return whether what is read from `name` now can be read another time: not so from standard input or a pipe."""
    if name in STDIN_NAMES:
        return False
    try:
        return not stat.S_ISFIFO(os.stat(name).st_mode)
    except (OSError, ValueError):
        return True


def read_source(name: str) -> bytes:
    """Return the bytes of file `name`, `-` for standard input, at most 16 MB. Raise ConfigError.

    A pipe is read until whoever writes to it closes it, and is empty afterwards: see `can_be_read_again`.
    """
    return _of_text(name, _read_stdin() if name in STDIN_NAMES else _read_file(name))


def read_again(name: str) -> bytes:
    """Return what `read_source` does, of a regular file alone: a pipe that was put in its place holds nothing up."""
    return _of_text(name, _read_file(name, os.O_NONBLOCK))


def _of_text(name: str, data: bytes) -> bytes:
    if len(data) > LIMIT_BYTES:
        raise _too_large(name)
    if b"\0" in data[:_SNIFF_BYTES] and not data.startswith(_WIDE_MARKS):
        raise ConfigError(f"{name} is a binary file, not a configuration", "give the name of a YAML file")
    return data


def _read_stdin() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise ConfigError("standard input is closed", "name a file, or pipe one in")
    try:
        return sys.stdin.buffer.read(LIMIT_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"cannot read standard input: {error.strerror}", "pipe a file in") from error


def _read_file(name: str, no_wait: int = 0) -> bytes:
    """Return the bytes of a file or a pipe; with O_NONBLOCK for `no_wait`, of a file alone."""

    def opened(path: str, flags: int) -> int:
        return os.open(path, flags | no_wait)

    try:
        status = os.stat(name)
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISFIFO(status.st_mode):
            raise _not_a_file(name, status.st_mode)
        if status.st_size > LIMIT_BYTES:
            raise _too_large(name)
        with open(name, "rb", opener=opened) as stream:
            status = os.fstat(stream.fileno())
            if no_wait and not stat.S_ISREG(status.st_mode):
                raise _not_a_file(name, status.st_mode)
            return stream.read(LIMIT_BYTES + 1)
    except FileNotFoundError as error:
        what = name or "a file without a name"
        raise ConfigError(f"{what} does not exist", "name the configuration file with -c FILE") from error
    except PermissionError as error:
        raise ConfigError(f"no permission to read {name}", "run as a user who may read it, or use sudo") from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ConfigError(f"cannot read {name!r}: {reason}", "name the configuration file with -c FILE") from error


def _not_a_file(name: str, mode: int) -> ConfigError:
    if stat.S_ISDIR(mode):
        return ConfigError(f"{name} is a directory", "name the file in it")
    return ConfigError(f"{name} is neither a file nor a pipe", "pipe its content in and name it `-`")


def _too_large(name: str) -> ConfigError:
    limit_mb = LIMIT_BYTES // (1024 * 1024)
    return ConfigError(f"{name} is larger than {limit_mb} MB", "a configuration file has a few MB at most")
