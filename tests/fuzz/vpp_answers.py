"""Sessions with a simulated VPP whose answers are damaged on their way: `python -m tests.fuzz.vpp_answers`."""

import json
import random
import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

from tests.chaos.configurations import PLANS, PORTS
from tests.chaos.plans import configuration, ends_of, state_after
from tests.fuzz.harness import command_line, run_command
from tests.fuzz.plain import NODES, damage_node, flipped
from vppcfg.app.verifying import verify
from vppcfg.config.resolve import resolve
from vppcfg.errors import ExitCode
from vppcfg.model.forwarding import Hop, LinuxForwarding, PairSide, RouteEntry, Routes, TableId, prefix_key
from vppcfg.model.state import State
from vppcfg.plan.diff import diff
from vppcfg.plan.rollback import closest_to
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.simulator.wire import Client
from vppcfg.vpp.live import LiveDataplane, connect

SILENCE_S = 0.2
"""How long VPP may be silent here, in place of 10 s; everything else that waits is as much shorter."""
_EXTREMES = (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\0\0\0\1")
_HEAD_BYTES = 6
_READING = (
    ("plan",),
    ("plan", "--format", "json"),
    ("dump",),
    ("watch", "--once"),
    ("verify", "--once"),
    ("verify", "--once", "--format", "json"),
)
_WITHOUT_A_FILE = frozenset({"dump", "verify"})

_NODES: tuple[Any, ...] = (
    *NODES,
    *(900_000_000, "u8", "u32", "f64", "string", "context", "0x0", ["u8", "x"], ["string", "x"]),
    *({"crc": "0x0"}, {"limit": 5}, "vl_api_address_t", "vl_api_prefix_t"),
)
Damage = Callable[[random.Random, bytes], list[bytes]]


def _flip(rng: random.Random, data: bytes) -> list[bytes]:
    return [flipped(rng, data)]


def _set_extreme(rng: random.Random, data: bytes) -> list[bytes]:
    """Put a number that is the least or the greatest of its kind somewhere."""
    at = rng.randrange(_HEAD_BYTES, max(len(data), _HEAD_BYTES + 1))
    extreme = rng.choice(_EXTREMES)
    return [data[:at] + extreme + data[at + len(extreme) :]]


def _cut(rng: random.Random, data: bytes) -> list[bytes]:
    return [data[: rng.randrange(_HEAD_BYTES, len(data) + 1)]]


def _lengthen(rng: random.Random, data: bytes) -> list[bytes]:
    return [data + rng.randbytes(rng.randint(1, 2000))]


def _scramble(rng: random.Random, data: bytes) -> list[bytes]:
    """Keep what it is an answer to, and nothing else."""
    return [data[:_HEAD_BYTES] + rng.randbytes(len(data) - _HEAD_BYTES)]


def _rename(rng: random.Random, data: bytes) -> list[bytes]:
    """Make another message of it."""
    return [rng.randrange(1, 400).to_bytes(2) + data[2:]]


def _drop(rng: random.Random, data: bytes) -> list[bytes]:
    return []


def _repeat(rng: random.Random, data: bytes) -> list[bytes]:
    return [data] * rng.randint(2, 5)


def _put_text(rng: random.Random, data: bytes) -> list[bytes]:
    """Write over what reads as a name."""
    places = [match.span() for match in re.finditer(rb"[A-Za-z0-9/._-]{3,}", data[_HEAD_BYTES:])]
    if not places:
        return _flip(rng, data)
    start, end = (_HEAD_BYTES + place for place in rng.choice(places))
    text = rng.choice(
        (b"", b"\xff\xfe", b"local0", b"a b", b"\n\x1b[31m", PORTS[0].encode(), b"loop1", b"tap1", b"{};")
    )
    return [data[:start] + text[: end - start].ljust(end - start, b"\0") + data[end:]]


_DAMAGES: tuple[Damage, ...] = (
    _flip, _set_extreme, _cut, _lengthen, _scramble, _rename, _drop, _repeat, _put_text,
)  # fmt: skip


class DamagedVpp(SimulatedVpp):
    """A simulated VPP, some of whose answers are damaged once `is_damaging` says so."""

    def __init__(self, rng: random.Random, rate: float, *, only_changes: bool, **options: Any) -> None:
        super().__init__(**options)
        self.is_damaging = True
        self._rng = rng
        self._rate = rate
        self._only_changes = only_changes

    def handle(
        self,
        message: bytes,
        client: Client,
        clients: Mapping[int, Client],
        pause: Callable[[float], None] | None = None,
    ) -> list[tuple[int, bytes]]:
        """Answer, and damage some of it."""
        changes = self.faults.count
        answers = super().handle(message, client, clients, pause)
        is_change = self.faults.count > changes
        if not self.is_damaging or (self._only_changes and not is_change):
            return answers
        return [(handle, data) for handle, answer in answers for data in self._damaged(answer)]

    def _damaged(self, answer: bytes) -> list[bytes]:
        if self._rng.random() >= self._rate or len(answer) <= _HEAD_BYTES:
            return [answer]
        return self._rng.choice(_DAMAGES)(self._rng, answer)


@cache
def _start(name: str) -> State:
    """Return the state that a plan begins at, without the Linux around it."""
    return replace(state_after(ends_of(name)[0]), linux={}, namespaces=frozenset(), linux_bridges=frozenset())


def _quick(stack: ExitStack) -> None:
    """Let nothing wait for long."""
    over = LiveDataplane.over

    def quickly(*args: Any, **options: Any) -> LiveDataplane:
        return over(*args, **{**options, "timeout_s": SILENCE_S})

    stack.enter_context(mock.patch.object(LiveDataplane, "over", quickly))
    for place, seconds in (
        ("transact.RECONNECT_S", SILENCE_S),
        ("transact.SETTLE_S", SILENCE_S),
        ("transact.INTERVAL_S", SILENCE_S / 4),
    ):
        stack.enter_context(mock.patch(f"vppcfg.transaction.{place}", seconds))


class _Linux:
    def read_forwarding(self, netns: str, devices: Mapping[str, str]) -> LinuxForwarding:
        side = PairSide(mtu=1500, is_up=True, addresses=frozenset({"192.0.2.1/24"}))
        hops = (Hop(next(iter(devices.values()), "port"), b"\xc0\0\2\x09"),)
        routes = Routes(entries=[RouteEntry(hops)], by_prefix={prefix_key(False, b"\x0a\0\0\0", 8): 0})
        return LinuxForwarding(
            sides=dict.fromkeys(devices.values(), side),
            indexes=dict.fromkeys(devices.values(), 1),
            tables={TableId(False, 0): routes},
        )


def _be_linux(stack: ExitStack) -> None:
    """Let VPP have a Linux around it, which is read again at once."""
    stack.enter_context(mock.patch("vppcfg.app.target._linux_around", lambda pid: _Linux()))
    stack.enter_context(mock.patch("vppcfg.app.watching.verification.verify", partial(verify, pause_s=0)))


def session(seed: int) -> str:
    """Run a command on a VPP with damaged answers, or with damaged definitions, and return how it ended."""
    rng = random.Random(seed)
    name = rng.choice(sorted(PLANS))
    kind = rng.choice(("reading", "reading", "definitions", "steps", "anything"))
    with tempfile.TemporaryDirectory() as path, ExitStack() as stack:
        config = Path(path, "new.yaml")
        config.write_text(ends_of(name)[1])
        stack.enter_context(mock.patch.dict("os.environ", {"VPPCFG_RUN_DIR": path, "VPPCFG_STATE_DIR": path}))
        _quick(stack)
        rate = 0.0 if kind == "definitions" else rng.choice((0.003, 0.01, 0.03, 0.1, 1.0))
        ports = [PhysicalPort(name=port) for port in PORTS]
        vpp = DamagedVpp(rng, rate, only_changes=kind == "steps", state=_start(name), ports=ports)
        if kind == "definitions":
            vpp.tables.process = replace(vpp.tables.process, api_json=_damaged_definitions(rng, vpp.api_json))
        place = ["-a", str(Path(path, "vpp.sock"))]
        stack.enter_context(SimulatorServer(vpp, place[1]))
        if kind in {"reading", "definitions"}:
            words = rng.choice(_READING)
            command = [*words, *([] if words[0] in _WITHOUT_A_FILE else ["-c", str(config)]), *place]
            if words[0] == "verify":
                _be_linux(stack)
            code, _ = run_command(command)
        else:
            code = _apply(vpp, [*place, "-c", str(config)], is_strict=kind == "steps")
        return f"{kind} {code.name}"


def _apply(vpp: DamagedVpp, options: list[str], *, is_strict: bool) -> ExitCode:
    """Apply a file, and see that VPP is in the state which the exit code tells.

    Of a VPP that lies about its state nothing is known; with `is_strict` it is honest about that, and damaged are the
    answers to steps alone.
    """
    before = _honest_state(vpp, options[1])
    desired = resolve(configuration(Path(options[3]).read_text()), before).desired
    code, said = run_command(["apply", "--yes", "--allow-mass-deletion", "--again", *options])
    after = _honest_state(vpp, options[1])
    target = desired if code is ExitCode.DONE else closest_to(before, after, lambda name: False).state
    different = tuple(diff(after, target))
    if is_strict and code is not ExitCode.STRANDED:
        assert not different, f"exit {code.name}, and VPP is otherwise: {different}\n{said[-2000:]}"
    return code


def _honest_state(vpp: DamagedVpp, socket: str) -> State:
    vpp.is_damaging = False
    with connect(socket) as plane:
        state = plane.observe()
    vpp.is_damaging = True
    return state


def _damaged_definitions(rng: random.Random, served: bytes) -> bytes:
    """Return definitions with a few values replaced, added or taken away, or with bytes that are changed."""
    if rng.random() < 0.2:
        return flipped(rng, served)
    documents = json.loads(served.rstrip(b"\0"))
    for _ in range(rng.choice((1, 1, 2, 5, 50))):
        damage_node(rng, documents, _NODES)
    return json.dumps(documents).encode()


if __name__ == "__main__":
    sys.exit(command_line(session))
