"""A `vppcfg watch` in a process of its own, and what it says."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

LONG_S = 30.0
ROOT = Path(__file__).resolve().parents[3]
SOURCES = sorted((ROOT / "vppcfg" / "app" / "watching").glob("*.py"))
DOCUMENT: dict[str, Any] = json.loads((ROOT / "docs/watch.schema.json").read_text())
SCHEMA = Draft202012Validator(DOCUMENT)


def event_of(line: str) -> dict[str, Any]:
    """Return the object in a line, which is as its schema says."""
    event: dict[str, Any] = json.loads(line)
    SCHEMA.validate(event)
    return event


class Watching:
    """A `vppcfg watch` in a process of its own, and what it says."""

    def __init__(self, words: list[str], stdout: int = subprocess.PIPE) -> None:
        command = [sys.executable, "-m", "vppcfg", "watch", *words]
        self.process = subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, text=True)
        self.events: list[dict[str, Any]] = []
        self.errors: list[str] = []
        assert self.process.stderr is not None
        self._threads = [threading.Thread(target=self._hear_errors)]
        if self.process.stdout is not None:
            self._threads.append(threading.Thread(target=self._hear))
        for thread in self._threads:
            thread.start()

    def _hear(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.events.append(event_of(line))

    def _hear_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors += self.process.stderr

    def hears(self, event: str, count: int = 1) -> dict[str, Any]:
        wait_until(lambda: self._count(event) >= count, lambda: f"{self.events} {self.errors}")
        return [found for found in self.events if found["event"] == event][count - 1]

    def _count(self, event: str) -> int:
        return sum(found["event"] == event for found in self.events)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Tell it to stop and return its exit code."""
        self.process.send_signal(number)
        code = self.process.wait(LONG_S)
        self.tidy()
        return code

    def tidy(self) -> None:
        """End the process, however it is, and let go of its pipes."""
        self.process.kill()
        self.process.wait(LONG_S)
        for thread in self._threads:
            thread.join(LONG_S)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


def wait_until(condition: Callable[[], bool], what: Callable[[], str] = lambda: "") -> None:
    deadline = time.monotonic() + LONG_S
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.02)
