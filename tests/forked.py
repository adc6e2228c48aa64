"""Commands of vppcfg in processes of their own that need not start Python: children of the test that is running.

What a command is, a process with its own number, streams and end, it is here too. Only what it imports and what it
learns of the API of a simulated VPP is there already, which takes twenty times as long as most commands do.
"""

import io
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import IO, Any, NoReturn

from vppcfg.cli.main import main


@cache
def prepare(
    layers: tuple[str, ...] = ("app", "cli", "config", "linux", "loadtest", "plan", "render", "transaction", "vpp"),
) -> None:
    """Import what commands import when they need it."""
    for layer in layers:
        package = import_module(f"vppcfg.{layer}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


def run(words: Sequence[str], timeout_s: float, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command to its end. Raise TimeoutExpired, the command killed, when it does not come to one."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = Child(words, out, err, folder)
        try:
            code = child.wait(timeout_s)
        except subprocess.TimeoutExpired:
            child.kill()
            raise
        return subprocess.CompletedProcess(list(words), code, _text(out), _text(err))


class Child:
    """A command that is running, with as much of Popen as tests need."""

    def __init__(
        self,
        words: Sequence[str],
        out: IO[bytes] | None = None,
        err: IO[bytes] | None = None,
        folder: Path | None = None,
    ) -> None:
        """Start it, in a folder or where the tests are; what it writes is dropped where there is no file for it."""
        prepare()
        self._words = list(words)
        self.returncode: int | None = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which the child does not have
            self.pid = os.fork()
        if self.pid == 0:
            _become(words, out, err, folder)

    def poll(self) -> int | None:
        """Return its exit code, None while it runs."""
        if self.returncode is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self.returncode

    def wait(self, timeout_s: float) -> int:
        deadline = time.monotonic() + timeout_s
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(self._words, timeout_s)
            time.sleep(0.005)
        return code

    def end(self, number: int, timeout_s: float) -> int:
        """Send it a signal and return its exit code."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)
        return self.wait(timeout_s)

    def kill(self) -> None:
        """End it at once."""
        self.end(signal.SIGKILL, 10)


def _become(words: Sequence[str], out: IO[bytes] | None, err: IO[bytes] | None, folder: Path | None) -> NoReturn:
    """Be the command, and end."""
    code = 70
    try:
        os.chdir(folder or ".")
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor, file in ((0, None), (1, out), (2, err)):
            os.dup2(nothing if file is None else file.fileno(), descriptor)
        sys.stdin, sys.stdout, sys.stderr = (_stream(descriptor) for descriptor in range(3))
        sys.argv = ["vppcfg", *words]
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, 0)
        code = main(words)
        sys.stdout.flush()
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else 1
    finally:
        with suppress(Exception):
            sys.stderr.flush()
        os._exit(code)


def _stream(descriptor: int) -> Any:
    raw = io.FileIO(descriptor, "r" if descriptor == 0 else "w", closefd=False)
    errors = "backslashreplace" if descriptor == 2 else "strict"
    return io.TextIOWrapper(io.BufferedReader(raw) if descriptor == 0 else io.BufferedWriter(raw), "utf-8", errors)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()
