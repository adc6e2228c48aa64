"""A simulated router whose counters a test sets."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.clock import Clock
from tests.stats_segment import StatsServer, router
from vppcfg.app.monitoring.reader import RouterReader
from vppcfg.model.monitored import FileNames
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.stats import Value
from vppcfg.simulator.vpp import SimulatedVpp

_READERS: list[RouterReader] = []
"""Those that are open."""


class Router:
    """One VPP: what its API says comes from the simulator, what it has counted from the test."""

    def __init__(self, folder: Path, **counters: Value) -> None:
        self.folder = folder
        self.vpp = SimulatedVpp(ports=[PhysicalPort(name="eth0")])
        self.vpp.run_line("set interface state eth0 up")
        self._stack = ExitStack()
        self.stats = self._stack.enter_context(StatsServer(folder / "stats.sock", router(**counters)))
        self._api = self._stack.enter_context(ExitStack())
        self._api.enter_context(SimulatorServer(self.vpp, folder / "api.sock"))

    def count(self, **counters: Value) -> None:
        """Have VPP count on."""
        self.stats.fill(router(**counters))

    def end_api(self) -> None:
        """Let the API answer no more."""
        self._api.close()

    def end(self) -> None:
        """End VPP, with its sockets."""
        self._stack.close()

    def reader(self, clock: Clock, file: FileNames | None = None) -> RouterReader:
        """Return what monitors this router."""
        sockets = str(self.folder / "api.sock"), str(self.folder / "stats.sock")
        reader = RouterReader(*sockets, file_names=lambda: file or FileNames(), clock=clock)
        _READERS.append(reader)
        return reader


@contextmanager
def running(folder: Path, **counters: Value) -> Iterator[Router]:
    """Run a router."""
    found = Router(folder, **counters)
    try:
        yield found
    finally:
        while _READERS:
            _READERS.pop().close()
        found.end()
