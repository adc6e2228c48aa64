"""Load tests with a T-Rex server whose answers are damaged on their way: `python -m tests.fuzz.trex_answers`."""

import json
import random
import struct
import sys
import tempfile
import time
import zlib
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from tests.fuzz.harness import command_line, run_command
from tests.fuzz.plain import damage_node, flipped
from tests.trex_server import MAGIC, StandInTrex
from tests.trex_stateful import StandInStateful
from vppcfg.common.clock import SimulatedClock

SILENCE_S = 0.2
"""How long a server may be silent here, in place of 5 s."""
_COMMANDS = (
    ("ramp", "-wd", "1", "-rd", "3", "-hd", "1"),
    ("ramp", "-wd", "1", "-rd", "2", "-hd", "1", "--format", "trex-loadtest"),
    ("latency", "--duration", "2", "--load", "50%"),
    ("search", "--max-duration", "20"),
    ("astf", "-wd", "1", "-rd", "2", "-hd", "1", "-p", "mix"),
)
_TO_TAKE = frozenset({"acquire", "api_sync_v2"})
"""Without the answers to these, a port cannot be given back."""


class DamagedTrex(StandInTrex):
    """A server, some of whose answers are damaged."""

    def __init__(self, rng: random.Random, rate: float) -> None:
        super().__init__()
        self.has_damaged_handlers = False
        """Whether an answer was damaged without which a port cannot be given back."""
        self._rng = rng
        self._share = rate

    def _answer(self, message: bytes) -> bytes:
        begin = len(self.calls)
        answer = super()._answer(message)
        if self._rng.random() >= self._share:
            return answer
        self.has_damaged_handlers |= any(method in _TO_TAKE for method, _ in self.calls[begin:])
        return self._damaged(answer)

    def _damaged(self, answer: bytes) -> bytes:
        rng = self._rng
        kind = rng.randrange(12)
        if kind == 0:
            return flipped(rng, answer)
        if kind == 1:
            return answer[: rng.randrange(len(answer))]
        if kind == 2:
            return struct.pack("!II", MAGIC, rng.choice((0, len(answer), 1 << 31, 5 << 20))) + zlib.compress(answer)
        if kind == 3 and rng.random() < 0.1:
            return rng.choice((b"[" * 200_000, b" " * (9 << 20), b"[" + b"[]," * (1 << 20) + b"0]", b"1" * 5000))
        whole = [json.loads(answer)]
        for _ in range(rng.choice((1, 1, 1, 3, 20))):
            damage_node(rng, whole)
        return json.dumps(whole[0] if whole else None).encode()


class DamagedStateful(DamagedTrex, StandInStateful):
    """The same in stateful mode."""


class _NoGuard:
    """In place of the process that gives ports back when a test dies."""

    def __init__(self, server: str) -> None:
        pass

    def watch(self, handlers: Mapping[str, str]) -> None:
        pass

    def take_over(self) -> None:
        pass

    def dismiss(self) -> None:
        pass


def session(seed: int) -> str:
    """Run a load test, show its result, and see that the ports are free again; return how it ended."""
    rng = random.Random(seed)
    clock: Any = SimulatedClock()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        for place, value in (
            ("vppcfg.cli.loadtest.engines.SystemClock", lambda: clock),
            ("vppcfg.loadtest.trex.engine.Guard", _NoGuard),
            ("vppcfg.loadtest.trex.stateful.Guard", _NoGuard),
            ("vppcfg.loadtest.trex.channel.TIMEOUT_S", SILENCE_S),
            ("tests.trex_server.time", SimpleNamespace(monotonic=clock.now, time=time.time, sleep=time.sleep)),
            ("tests.trex_stateful.time", SimpleNamespace(monotonic=clock.now)),
        ):
            stack.enter_context(mock.patch(place, value))
        command, result = rng.choice(_COMMANDS), Path(folder, "result.json")
        kind = DamagedStateful if command[0] == "astf" else DamagedTrex
        server = stack.enter_context(kind(rng, rng.choice((0.0, 0.01, 0.03, 0.1, 0.5))))
        code, said = run_command(["loadtest", *command, "--engine", "trex", "-s", server.address, "-o", str(result)])
        is_lost = server.has_damaged_handlers or "cannot be reached" in said
        assert is_lost or server.is_idle, f"ports are still taken\n{said[-2000:]}"
        if result.exists():
            shown, said = run_command(["loadtest", "report", str(result), "-o", str(Path(folder, "page.html"))])
            assert not shown, f"its own result cannot be shown: {said[-500:]}"
        return f"{command[0]} {code.name}"


if __name__ == "__main__":
    sys.exit(command_line(session))
