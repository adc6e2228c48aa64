"""Runs thousands of sessions with damaged input, each bounded in time and memory, and tells what each came to.

A session is a function from a seed to a short text, such as `exit 4`; what it raises is a failure, and so is one that
takes too long or too much memory. Sessions run in processes of their own, some hundreds in each.
"""

import argparse
import io
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from types import FrameType
from typing import NoReturn

from vppcfg.cli.main import main
from vppcfg.errors import ExitCode

MOST_S = 10
"""What one session may take of CPU time: others may be at work on this machine."""
_MOST_WAIT_S = 60
"""What it may take of anybody's time."""
MOST_BYTES = 256 << 20
"""What a process may take on top of what it has when it begins."""
BATCH = 250
"""Sessions in one process, one after the other: what each leaves behind in memory adds up."""
_SHOWN = 40
_UNFORESEEN = frozenset({ExitCode.BUG, ExitCode.INTERRUPTED, ExitCode.TERMINATED})
"""Exit codes of the table that no input may lead to."""

Session = Callable[[int], str]


@dataclass(slots=True)
class Report:
    """What sessions came to."""

    ends: dict[int, str] = field(default_factory=dict)
    """How each ended that ended as it may, by seed."""
    failures: dict[int, str] = field(default_factory=dict)
    """What went wrong, by seed."""
    seconds: float = 0.0
    slowest_s: float = 0.0

    def __str__(self) -> str:
        ends = ", ".join(f"{end}: {times}" for end, times in sorted(Counter(self.ends.values()).items()))
        inputs = len(self.ends) + len(self.failures)
        head = f"{inputs} inputs in {self.seconds:.0f} s, the slowest {self.slowest_s:.1f} s; {ends}"
        failures = [f"seed {seed}: {text}" for seed, text in sorted(self.failures.items())]
        return "\n".join([head, f"{len(failures)} failures", *failures[:_SHOWN]])

    def is_told(self, seed: int) -> bool:
        """Return whether it is known what became of a session."""
        return seed in self.ends or seed in self.failures


class TooSlowError(BaseException):
    """A session takes too long; the product must not take this for an error of its own."""


def attack(session: Session, seeds: Sequence[int]) -> Report:
    """Run a session for each seed and return what came of them."""
    report, begin = Report(), time.monotonic()
    for start in range(0, len(seeds), BATCH):
        left = seeds[start : start + BATCH]
        while left:
            _run_batch(session, left, report)
            left = [seed for seed in left if not report.is_told(seed)]
    report.seconds = time.monotonic() - begin
    return report


def _run_batch(session: Session, seeds: Sequence[int], report: Report) -> None:
    """Run sessions in another process until one of them ends it, which is a failure of that one."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _work(session, seeds, writer)
    os.close(writer)
    with os.fdopen(reader) as lines:
        for line in lines:
            seed, end, failure, took_s = json.loads(line)
            report.slowest_s = max(report.slowest_s, took_s)
            if failure:
                report.failures[seed] = failure
            else:
                report.ends[seed] = end
    _, status = os.waitpid(pid, 0)
    for seed in seeds:
        if status and not report.is_told(seed):
            report.failures[seed] = f"the process ended with {os.waitstatus_to_exitcode(status)}"
            break


def _work(session: Session, seeds: Sequence[int], writer: int) -> NoReturn:
    """Run sessions and tell of each; nothing of pytest may run here."""
    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, _too_slow)
    most = _size_bytes() + MOST_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    try:
        with os.fdopen(writer, "w", buffering=1) as lines:
            for seed in seeds:
                begin = time.monotonic()
                end, failure = _outcome(session, seed)
                lines.write(json.dumps([seed, end, failure, time.monotonic() - begin]) + "\n")
    finally:
        os._exit(0)


def _outcome(session: Session, seed: int) -> tuple[str, str]:
    """Return how a session ended, or what went wrong."""
    signal.alarm(_MOST_WAIT_S)
    signal.setitimer(signal.ITIMER_PROF, MOST_S)
    try:
        return session(seed), ""
    except TooSlowError:
        return "", f"it took more than {MOST_S} s of CPU time, or {_MOST_WAIT_S} s\n{traceback.format_exc(limit=-6)}"
    except AssertionError as error:
        return "", str(error)
    except BaseException:  # noqa: BLE001 (the copy of pytest must not go on)
        return "", traceback.format_exc(limit=-6)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.alarm(0)


def _too_slow(number: int, frame: FrameType | None) -> NoReturn:
    raise TooSlowError


def _size_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as pages:
        return int(pages.read().split()[0]) * resource.getpagesize()


def run_command(words: Sequence[str]) -> tuple[ExitCode, str]:
    """Run a command and return its exit code and all that it said; one that nobody foresaw is a failure."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = main(["-d", *words])
    text = said.getvalue()
    assert code in set(ExitCode) - _UNFORESEEN, f"exit {code} of {' '.join(words)}\n{text[-3000:]}"
    return ExitCode(code), text


def command_line(session: Session) -> int:
    """Run sessions as a command line says, tell what they came to, and return an exit code."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, metavar="SEED")
    args = parser.parse_args()
    report = attack(session, range(args.first, args.first + args.inputs))
    print(report)  # noqa: T201 (a program of its own)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit("run one of the fuzzers beside this module")
