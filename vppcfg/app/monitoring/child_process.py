"""Runs a command in a child process and returns its output later, so that what collects metrics never waits for it."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress


class ChildProcess:
    """One run of a command. What it writes goes to a file without a name, so that it never waits for its reader."""

    def __init__(self, command: Sequence[str]) -> None:
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the process
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            start_new_session=True,  # Ctrl-C is for this process, which ends the other one
        )

    def answer(self, patience_s: float = 0.0) -> bytes | None:
        """Return what it wrote once it has ended, None while it has not; wait for at most `patience_s`."""
        if patience_s:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(patience_s)
        if self._process.poll() is None:
            return None
        self._output.seek(0)
        answer = self._output.read()
        self.close()
        return answer

    def close(self) -> None:
        """End it; safe to call twice."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._output.close()

    @property
    def has_ended(self) -> bool:
        """Return whether it runs no more."""
        return self._process.poll() is not None
