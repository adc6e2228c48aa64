"""One network on one VPP: every command in turn, from an empty VPP to a configured one; what each cost comes out."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.dataplanes import API_DIR, Server, Start, vppcfg, vppctl
from bench.measure import Cost, least, measure
from bench.networks import Network
from vppcfg.record import record

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
_NO_FORM = "have no CLI form"
"""Stands in a plan that VPP's CLI cannot carry out as a whole."""
_LOAD = "import sys, yaml; yaml.load(open(sys.argv[1], 'rb'), Loader=yaml.CSafeLoader)"
_VPPCFG = (vppcfg(), "--quiet")


@record
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


class Bench:
    """A network, written to files in a folder, and what commands on it have cost so far."""

    def __init__(self, kind: str, network: Network, folder: Path) -> None:
        """Write the configuration, and the same with one line changed."""
        self.network = network
        self.folder = folder
        self.file, self.edited_file = str(folder / "network.yaml"), str(folder / "edited.yaml")
        self.plan_file = str(folder / "plan.txt")
        """Where the plan from an empty VPP is written to."""
        Path(self.file).write_text(network.text)
        Path(self.edited_file).write_text(network.edited)
        self._kind = kind
        self._costs: dict[tuple[str, str], list[tuple[Cost, float]]] = {}

    def take(self, command: str, words: Sequence[str], dataplane: str = "", server: Server | None = None) -> None:
        """Run a command once. Raise FailedError."""
        before = server.cpu_s() if server else 0.0
        cost = measure(words, output=self.folder / "output", timeout_s=TIMEOUT_S)
        server_s = server.cpu_s() - before if server else 0.0
        log.info("%s %d, %s: %.2f s CPU, %.2f s", self._kind, self.network.size, command, cost.cpu_s, cost.wall_s)
        self._costs.setdefault((dataplane, command), []).append((cost, server_s))

    def results(self) -> Iterator[Result]:
        """Yield the least that each command has cost."""
        for (dataplane, command), costs in self._costs.items():
            yield Result(
                kind=self._kind,
                size=self.network.size,
                dataplane=dataplane,
                command=command,
                cost=least([cost for cost, _ in costs]),
                server_cpu_s=min(server_s for _, server_s in costs),
            )


def measure_network(
    kind: str, network: Network, dataplane: str, start: Start, *, rounds: int, public: Path | None
) -> Iterator[Result]:
    """Yield what every command costs on a network and on a VPP; with several rounds, the least counts.

    Each round has a fresh VPP, and so has `vppctl exec` after it: what disturbs the machine for minutes disturbs both.

    `public` is the program of the public vppcfg, None to leave it out. Raise FailedError.
    """
    with TemporaryDirectory(prefix="vppcfg-bench-") as folder:
        bench = Bench(kind, network, Path(folder))
        for _ in range(rounds):
            with start(network.ports, bench.folder) as server:
                _measure_round(bench, dataplane, server)
            if server.cli_socket is not None and _NO_FORM not in Path(bench.plan_file).read_text():
                _measure_floor(bench, dataplane, start)
        if public is not None:
            bench.take(PUBLIC_CHECK, [str(public), "check", "-c", bench.file])
            where = ["-j", str(bench.folder / API_DIR), "-o", bench.plan_file]
            bench.take(PUBLIC_PLAN, [str(public), "plan", "--novpp", "-c", bench.file, *where])
        yield from bench.results()


def _measure_round(bench: Bench, dataplane: str, server: Server) -> None:
    """Run everything from an unconfigured VPP to an unconfigured VPP."""
    where = ["-a", str(server.api_socket)]
    plan = [*_VPPCFG, "plan", *where]
    change = ["--yes", *where, "--state-dir", str(bench.folder / "journal")]
    bench.take(LOADER, [sys.executable, "-c", _LOAD, bench.file])
    bench.take(CHECK, [*_VPPCFG, "check", "-c", bench.file])
    commands = {
        PLAN_EMPTY: [*plan, "-c", bench.file, "-o", bench.plan_file],
        APPLY: [*_VPPCFG, "apply", "--allow-mass-deletion", "--again", *change, "-c", bench.file],
        PLAN_NOTHING: [*plan, "-c", bench.file],
        PLAN_EDITED: [*plan, "-c", bench.edited_file],
        DUMP: [*_VPPCFG, "dump", *where],
        ROLLBACK: [*_VPPCFG, "rollback", "--allow-mass-deletion", *change],
    }
    for command, words in commands.items():
        bench.take(command, words, dataplane, server)


def _measure_floor(bench: Bench, dataplane: str, start: Start) -> None:
    """Have a fresh VPP run the lines of the same plan."""
    with start(bench.network.ports, bench.folder) as server:
        words = [vppctl(), "-s", str(server.cli_socket), "exec", bench.plan_file]
        bench.take(VPPCTL, words, dataplane, server)
