"""What the tests of the commands share: simulated VPPs in a thread, and the two transcripts: files and their plans."""

import io
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.transaction.folders import folder_name

Serve = Callable[[SimulatedVpp], str]
Run = Callable[..., tuple[int, str, str]]
"""Runs a command, and returns its exit code, standard output and standard error."""


class Terminal(io.StringIO):
    """A stream at whose end somebody sits, who has typed what is in it."""

    def isatty(self) -> bool:
        return True


GI1, GI3 = "GigabitEthernet1/0/0", "GigabitEthernet3/0/0"

L2XC = f"""\
interfaces:
  {GI1}:
    mtu: 1500
    l2xc: {GI3}
  {GI3}:
    mtu: 1500
    l2xc: {GI1}
"""
L3 = f"""\
interfaces:
  {GI1}:
    mtu: 1500
    lcp: e1-0-0
    addresses: [ 100.64.10.1/30 ]
  {GI3}:
    mtu: 1500
    lcp: e3-0-0
    addresses: [ 100.64.10.5/30 ]
"""
TO_L2XC = f"""\
comment {{ vppcfg sync: 10 CLI statement(s) follow }}
set interface l2 xconnect {GI1} {GI3}
set interface l2 tag-rewrite {GI1} disable
set interface l2 xconnect {GI3} {GI1}
set interface l2 tag-rewrite {GI3} disable
set interface mtu 1500 {GI1}
set interface mtu 1500 {GI3}
set interface mtu packet 1500 {GI1}
set interface mtu packet 1500 {GI3}
set interface state {GI1} up
set interface state {GI3} up
"""
TO_L3 = f"""\
comment {{ vppcfg prune: 2 CLI statement(s) follow }}
set interface l3 {GI1}
set interface l3 {GI3}
comment {{ vppcfg create: 2 CLI statement(s) follow }}
lcp create {GI1} host-if e1-0-0
lcp create {GI3} host-if e3-0-0
comment {{ vppcfg sync: 2 CLI statement(s) follow }}
set interface ip address {GI1} 100.64.10.1/30
set interface ip address {GI3} 100.64.10.5/30
"""


def two_ports() -> list[PhysicalPort]:
    """Return the ports of the transcripts: link and packet MTU 9000, down."""
    return [PhysicalPort(name=GI1), PhysicalPort(name=GI3)]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serve a simulated VPP and return its socket's path; one that dies is simply gone."""
    with ExitStack() as stack:

        def start(vpp: SimulatedVpp) -> str:
            path = str(tmp_path / f"vpp{id(vpp)}.sock")
            stack.enter_context(SimulatorServer(vpp, path))
            return path

        yield start


@pytest.fixture
def vpp(serve: Serve) -> str:
    """Return the socket of a VPP with the two ports, unconfigured."""
    return serve(SimulatedVpp(ports=two_ports()))


@pytest.fixture
def run(vpp: str, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return what runs a command on that VPP, which nobody has to be asked about."""
    return runner(vpp, capsys)


@pytest.fixture
def journal(vpp: str, folders_of_this_test: Path) -> Path:
    """Return the folder in which the journal of that VPP is, or will be."""
    return folders_of_this_test / "state" / folder_name(vpp)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with the two configurations."""
    (tmp_path / "l2xc.yaml").write_text(L2XC)
    (tmp_path / "l3.yaml").write_text(L3)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def nobody(tmp_path: Path) -> str:
    """The path of a socket that nobody listens on."""
    path = tmp_path / "stale.sock"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    return str(path)


def consenting(words: Sequence[str]) -> list[str]:
    """Return the words of a command with --yes where it might ask: a test has no terminal to be asked at."""
    asks = bool(words) and words[0] in {"apply", "rollback"} and not {"--yes", "-y", "--unless-confirmed"} & {*words}
    return [words[0], "--yes", *words[1:]] if asks else list(words)


def runner(socket: str, capsys: pytest.CaptureFixture[str], *, consents: bool = True) -> Run:
    """Return what runs a command on the VPP behind a socket, with consent to all that it might ask or without."""

    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main([*(consenting(words) if consents else words), "-a", socket])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def errors_of(expected: ExitCode, run: Run, *words: str) -> str:
    """Run a command that has to end with an exit code, and return what it says on standard error."""
    code, _, err = run(*words)
    assert code == expected, err
    return err


def minutes_to_confirm() -> str:
    """Return a short time for --confirm, in which a change is made on a machine with much other work too."""
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    return str(0.06 * min(max(busy, 1), 10))
