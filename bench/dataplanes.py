"""The VPPs that are measured with, each fresh and unconfigured: a simulated one, or a real one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests import real_vpp
from vppcfg.record import record

API_DIR = "api"
"""Where in the folder a simulated VPP leaves its API definitions."""
_START_S = 60.0
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@record
class Server:
    """A VPP that runs."""

    pid: int
    api_socket: Path
    cli_socket: Path | None = None
    """None for a simulated one."""

    def cpu_s(self) -> float:
        """Return the CPU time in seconds that its process has taken so far (proc_pid_stat(5))."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S


Start = Callable[[Sequence[str], Path], AbstractContextManager[Server]]
"""Takes the names of the ports and a folder to work in."""


@contextmanager
def simulated(ports: Sequence[str], folder: Path) -> Iterator[Server]:
    """Run `vppcfg sim`."""
    path, log = folder / "sim.sock", folder / "sim.log"
    command = [vppcfg(), "sim", "--socket", str(path), "--api-dir", str(folder / API_DIR)]
    with log.open("wb") as output:
        process = subprocess.Popen([*command, *(f"--phy={port}" for port in ports)], stdout=output, stderr=output)
    try:
        _wait_for(lambda: "is listening" in log.read_text(), process)
        yield Server(pid=process.pid, api_socket=path)
    finally:
        process.terminate()
        process.wait()


@contextmanager
def real(ports: Sequence[str], folder: Path) -> Iterator[Server]:
    """Run the VPP that VPP_PREFIX names, in namespaces of its own."""
    with real_vpp.running(ports, makes_vlan_devices=True) as vpp:
        yield Server(pid=vpp.pid, api_socket=vpp.socket_path, cli_socket=vpp.folder / "cli.sock")


def vppcfg() -> str:
    """Return the command that is measured: the one beside this Python."""
    return str(Path(sys.executable).with_name("vppcfg"))


def vppctl() -> str:
    """Return the program that sends CLI lines to the real VPP."""
    return str(real_vpp.prefix() / "bin/vppctl")


def release_of_real_vpp() -> str:
    """Return the version that VPP_PREFIX's VPP says it has."""
    program = str(real_vpp.prefix() / "bin/vpp")
    text = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout
    match = re.search(r"v?(\d+\.\d+\S*)", text)
    return match[1] if match else "of unknown version"


def _wait_for(is_ready: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    while not is_ready():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{process.args!r} did not start")
        time.sleep(0.05)
