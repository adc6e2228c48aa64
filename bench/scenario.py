"""One network on one VPP: every command in turn, from an empty VPP to a configured one; what each cost comes out."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.dataplanes import API_DIR, Server, Start, vppctl
from bench.measure import Cost, least, measure
from bench.networks import Network

log = logging.getLogger(__name__)

CHECK = "check"
PLAN_EMPTY = "plan from empty"
PLAN_NOTHING = "plan, nothing to do"
PLAN_EDITED = "plan, one line changed"
APPLY = "apply"
DUMP = "dump"
ROLLBACK = "rollback"
LOADER = "PyYAML's C loader"
VPPCTL = "vppctl exec"
PUBLIC_CHECK = "public vppcfg, check"
PUBLIC_PLAN = "public vppcfg, plan from empty"

COMMANDS = (CHECK, PLAN_EMPTY, APPLY, PLAN_NOTHING, PLAN_EDITED, DUMP, ROLLBACK)
TIMEOUT_S = 1800.0
_LOAD = "import sys, yaml; yaml.load(open(sys.argv[1], 'rb'), Loader=yaml.CSafeLoader)"
_VPPCFG = (sys.executable, "-m", "vppcfg", "--quiet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one command cost on one network."""

    kind: str
    """Of the network."""
    size: int
    dataplane: str
    """`simulated`, `real`, or '' for commands that need none."""
    command: str
    cost: Cost
    server_cpu_s: float = 0.0
    """CPU time in seconds that the VPP took meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A network, written to files in a folder."""

    kind: str
    network: Network
    folder: Path
    runs: int
    """How often what changes nothing is run; the least of each figure counts."""
    results: list[Result] = field(default_factory=list)

    @property
    def file(self) -> str:
        """Return the path of the configuration."""
        return str(self.folder / "network.yaml")

    @property
    def edited_file(self) -> str:
        """Return the path of the configuration with one line changed."""
        return str(self.folder / "edited.yaml")

    @property
    def plan_file(self) -> str:
        """Return the path that the plan from an empty VPP is written to."""
        return str(self.folder / "plan.txt")

    def write(self) -> None:
        """Write the files."""
        Path(self.file).write_text(self.network.text)
        Path(self.edited_file).write_text(self.network.edited)

    def take(
        self, command: str, words: Sequence[str], *, dataplane: str = "", server: Server | None = None, runs: int = 0
    ) -> None:
        """Run a command as often as asked, and keep the least that it cost. Raise FailedError."""
        costs, server_costs = [], []
        for _ in range(runs or self.runs):
            before = server.cpu_s() if server else 0.0
            costs.append(measure(words, output=self.folder / "output", timeout_s=TIMEOUT_S))
            server_costs.append(server.cpu_s() - before if server else 0.0)
        cost = least(costs)
        log.info("%s %d, %s: %.2f s CPU, %.2f s", self.kind, self.network.size, command, cost.cpu_s, cost.wall_s)
        self.results.append(
            Result(
                kind=self.kind,
                size=self.network.size,
                dataplane=dataplane,
                command=command,
                cost=cost,
                server_cpu_s=min(server_costs),
            )
        )


def measure_network(
    kind: str, network: Network, starts: dict[str, Start], *, runs: int, public: Path | None
) -> Iterator[Result]:
    """Yield what every command costs on a network, and on each of the VPPs that `starts` name.

    `public` is the program of the public vppcfg, None to leave it out. Raise FailedError.
    """
    with TemporaryDirectory(prefix="vppcfg-bench-") as folder:
        bench = Bench(kind=kind, network=network, folder=Path(folder), runs=runs)
        bench.write()
        bench.take(LOADER, [sys.executable, "-c", _LOAD, bench.file])
        bench.take(CHECK, [*_VPPCFG, "check", "-c", bench.file])
        for dataplane, start in starts.items():
            _measure_on(bench, dataplane, start)
        if public is not None:
            bench.take(PUBLIC_CHECK, [str(public), "check", "-c", bench.file], runs=1)
            where = ["-j", str(bench.folder / API_DIR), "-o", bench.plan_file]
            bench.take(PUBLIC_PLAN, [str(public), "plan", "--novpp", "-c", bench.file, *where], runs=1)
    yield from bench.results


def _measure_on(bench: Bench, dataplane: str, start: Start) -> None:
    with start(bench.network.ports, bench.folder) as server:
        where = ["-a", str(server.api_socket)]
        plan = [*_VPPCFG, "plan", *where]
        journal = ["--state-dir", str(bench.folder / f"journal-{dataplane}")]

        def take(command: str, words: Sequence[str], runs: int = 0) -> None:
            bench.take(command, words, dataplane=dataplane, server=server, runs=runs)

        take(PLAN_EMPTY, [*plan, "-c", bench.file, "-o", bench.plan_file])
        take(APPLY, [*_VPPCFG, "apply", "--yes", *where, *journal, "-c", bench.file], runs=1)
        take(PLAN_NOTHING, [*plan, "-c", bench.file])
        take(PLAN_EDITED, [*plan, "-c", bench.edited_file])
        take(DUMP, [*_VPPCFG, "dump", *where])
        take(ROLLBACK, [*_VPPCFG, "rollback", "--yes", *where, *journal], runs=1)
    if server.cli_socket is not None:
        _measure_floor(bench, dataplane, start)


def _measure_floor(bench: Bench, dataplane: str, start: Start) -> None:
    """Have a fresh VPP run the lines of the same plan."""
    with start(bench.network.ports, bench.folder) as server:
        words = [vppctl(), "-s", str(server.cli_socket), "exec", bench.plan_file]
        bench.take(VPPCTL, words, dataplane=dataplane, server=server, runs=1)
