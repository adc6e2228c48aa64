"""A simulated router in a process of its own, and vppcfg in another one, which a test may kill at any message."""

import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from tests.chaos.configurations import PORTS
from tests.chaos.linux import FileLinux, KeptConnection
from tests.chaos.plans import ends_of, state_after
from vppcfg.app.vpp_with_linux import Router
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.model.bond import Bond
from vppcfg.model.state import State
from vppcfg.simulator.faults import Faults
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import connect

PATIENCE_S = 60.0


class SimulatedRouter:
    def __init__(self, folder: Path, name: str, linux_file: Path) -> None:
        self.folder = folder
        self.socket = str(folder / "vpp.sock")
        self.config = str(folder / "new.yaml")
        self.linux_file = linux_file
        self.vpp = KeptConnection(self.socket)
        Path(self.config).write_text(ends_of(name)[1])

    def linux(self, on_change: Callable[[int], None] = lambda count: None) -> FileLinux:
        """Return the Linux around it."""
        return FileLinux(self.linux_file, self.vpp, on_change)

    def state(self) -> State:
        """Return what it is like, without what is never removed, and without the MACs that bonds give their members."""
        with Router(connect(self.socket), self.linux()) as router:
            state = router.observe()
        members = {name for bond in state.virtual_as(Bond).values() for name in bond.members}
        interfaces = {
            name: replace(interface, mac="") if name in members else interface
            for name, interface in state.interfaces.items()
        }
        return replace(
            state, interfaces=interfaces, namespaces=frozenset(), linux_bridges=frozenset(), has_mpls_table=False
        )

    def words(self, command: str, *options: str) -> list[str]:
        config = ["-c", self.config] if command in {"apply", "plan", "diff"} else []
        return [command, *config, "-a", self.socket, *options]


def run(words: Sequence[str]) -> int:
    """Run a command in this process and return its exit code."""
    try:
        return main(words)
    finally:
        sys.stdout.flush()


@contextmanager
def forked(work: Callable[[], int], output: Path) -> Iterator[int]:
    """Do some work in another process, and yield its id; its end is awaited."""
    pid = os.fork()
    if pid == 0:
        _work(work, output)
    try:
        yield pid
    finally:
        _reap(pid)


def _work(work: Callable[[], int], output: Path) -> NoReturn:
    """Do the work and end; nothing of pytest may run here."""
    code = 99
    try:
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        sys.stdout = sys.stderr = os.fdopen(descriptor, "w", buffering=1)
        code = work()
    except BaseException:  # noqa: BLE001 (what would go on in the copy of pytest must not)
        traceback.print_exc()
    finally:
        os._exit(code)


def _reap(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def wait_until(condition: Callable[[], bool]) -> None:
    """Return once something is so."""
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.002)


def end_of(pid: int) -> int:
    """Return the exit code of a process, the signal's number below 0."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    raise TimeoutError(f"process {pid} does not end")


def serve(router: SimulatedRouter, state: State, faults: Faults, on_change: Callable[[int], None] | None) -> int:
    """Be the simulated VPP until killed."""
    vpp = SimulatedVpp(
        state=state,
        ports=[PhysicalPort(name=name, rx_queues=2, tx_queues=2) for name in PORTS],
        faults=faults,
        on_change=on_change,
        workers=2,
    )
    SimulatorServer(vpp, router.socket).run()
    return 0


@contextmanager
def simulated_router(
    folder: Path, name: str, faults: Faults | None = None, on_change: Callable[[int], None] | None = None
) -> Iterator[SimulatedRouter]:
    """Run the router that the plan `name` begins at, with faults; `on_change` runs in its process."""
    folder.mkdir()
    router = SimulatedRouter(folder, name, folder / "linux.json")
    state = state_after(ends_of(name)[0])
    router.linux().begin(state)
    with forked(lambda: serve(router, state, faults or Faults(), on_change), folder / "vpp.log"):
        wait_until(lambda: is_listening(router.socket))
        try:
            yield router
        finally:
            router.vpp.close()


def is_listening(path: str) -> bool:
    """Return whether somebody accepts connections at a path."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        return sock.connect_ex(path) == 0


def leftovers(folders: Path) -> list[str]:
    """Return the names of locks and temporary files that are still there."""
    return [
        str(path) for path in folders.rglob("*") if path.suffix in {".lock", ".tmp"} or path.name.startswith("tmp-")
    ]


def assert_new(router: SimulatedRouter) -> None:
    """Check that the plan of the file is empty."""
    assert run(router.words("diff", "--detailed-exitcode")) == ExitCode.DONE


def assert_tidy(router: SimulatedRouter, folders: Path) -> None:
    """Check that nothing was left behind."""
    assert leftovers(folders) == []
    assert leftovers(router.folder) == []


@pytest.fixture
def with_linux(monkeypatch: pytest.MonkeyPatch) -> Callable[[SimulatedRouter, Callable[[int], None]], None]:
    """Let vppcfg find the Linux around a simulated router."""

    def around(router: SimulatedRouter, on_change: Callable[[int], None] = lambda count: None) -> None:
        monkeypatch.setattr("vppcfg.app.target._linux_around", lambda pid: router.linux(on_change))

    return around
