"""Runs a command that an operator has configured: without a shell, with a deadline, its output kept within bounds."""

from __future__ import annotations

import fcntl
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from vppcfg.record import record

PLAIN_ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
"""What commands of an operator's find, whoever runs vppcfg."""
KEPT_BYTES = 64 << 10
"""Of what a command prints: the beginning; how much more there was is noted."""
_LOOK_S = 0.05
"""Between two looks whether the command is to be stopped."""
_PART_BYTES = 1 << 16


@record
class CommandResult:
    """The outcome of a command."""

    output: bytes
    seconds: float
    trouble: str = ""
    """Why it has failed, as the end of a sentence; '' when it has not."""
    is_started: bool = True
    """Whether there is such a program, and it could be started."""
    lost_bytes: int = 0
    """How much of the output was too much to keep."""


class _Output:
    """What a command prints on both of its streams, as it comes."""

    def __init__(self, descriptor: int, kept_bytes: int) -> None:
        os.set_blocking(descriptor, False)
        self._kept_bytes = kept_bytes
        self._descriptor = descriptor
        self._kept = bytearray()
        self._seen = 0
        self._selector = selectors.DefaultSelector()
        self._selector.register(descriptor, selectors.EVENT_READ)

    def wait(self, seconds: float) -> None:
        """Wait at most so long for something to read, and read it."""
        if not self._selector.get_map():
            time.sleep(seconds)
        elif self._selector.select(seconds) and not self._read():
            self._selector.unregister(self._descriptor)

    def whole(self) -> bytes:
        """Return what was printed so far, with the number of bytes that were too many.

        What it has left running may go on printing for ever: no more is read than the pipe held.
        """
        end = self._seen + fcntl.fcntl(self._descriptor, fcntl.F_GETPIPE_SZ)
        while self._selector.get_map() and self._seen < end and self._read():
            pass
        return bytes(self._kept) + (f"\n({self.lost_bytes} bytes more)\n".encode() if self.lost_bytes else b"")

    @property
    def lost_bytes(self) -> int:
        """Return how many bytes of what was printed so far were too many."""
        return self._seen - len(self._kept)

    def _read(self) -> bool:
        """Read what is there, and return whether there may be more."""
        with suppress(BlockingIOError):
            part = os.read(self._descriptor, _PART_BYTES)
            self._kept += part[: self._kept_bytes - len(self._kept)]
            self._seen += len(part)
            return bool(part)
        return False


def run_command(
    command: Sequence[str],
    environment: Mapping[str, str],
    within_s: float,
    should_stop: Callable[[], bool],
    *,
    kept_bytes: int = KEPT_BYTES,
    has_errors: bool = True,
) -> CommandResult:
    """Run a program with its words and nothing but this environment, and return its outcome.

    When it takes longer than `within_s`, or `should_stop` returns True, it is killed with everything that it has
    started in its process group. What it leaves running when it ends by itself is left alone. Of its output the first
    `kept_bytes` are kept; what it prints as errors is among it only with `has_errors`.
    """
    began = time.monotonic()
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if has_errors else subprocess.DEVNULL,
            cwd="/",
            env=dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        trouble = f"{command[0]} cannot be started: {error.strerror}"
        return CommandResult(output=b"", seconds=0.0, trouble=trouble, is_started=False)
    assert process.stdout is not None
    with process.stdout as stream:
        output = _Output(stream.fileno(), kept_bytes)
        try:
            trouble = _awaited(process, output, began + within_s, should_stop) or _of_code(process.returncode)
        finally:
            _kill(process)
        whole, took_s = output.whole(), time.monotonic() - began
        return CommandResult(output=whole, seconds=took_s, trouble=trouble, lost_bytes=output.lost_bytes)


def _awaited(process: subprocess.Popen[bytes], output: _Output, until_s: float, should_stop: Callable[[], bool]) -> str:
    """Return when it has ended, or why it must be killed."""
    while process.poll() is None:
        remaining_s = until_s - time.monotonic()
        if remaining_s <= 0:
            return "it took longer than it may, and was killed"
        if should_stop():
            return "it was interrupted, and killed"
        output.wait(min(remaining_s, _LOOK_S))
    return ""


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process that has not ended, with its group."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _of_code(code: int) -> str:
    if code < 0:
        return f"it was ended by signal {-code}"
    return f"it ended with exit code {code}" if code else ""
