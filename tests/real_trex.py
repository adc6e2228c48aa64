"""Starts a real T-Rex for tests, beside a real VPP whose two ports it is connected to, and removes every trace of it.

TREX_DIR names the folder with t-rex-64: a release, or `scripts` of trex-core after its build. T-Rex runs in the network
namespace of the VPP, on the other ends of its veth pairs, in software: no NIC and no hugepages are needed.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.real_vpp import RealVpp
from tests.real_vpp import skip_reason as vpp_skip_reason
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.loadtest.document import read_result
from vppcfg.loadtest.result import Result

PORTS = ("veth0-peer", "veth1-peer")
MACS_OF_VPP = ("02:00:00:00:00:01", "02:00:00:00:00:02")
MACS_OF_TREX = ("02:00:00:00:01:01", "02:00:00:00:01:02")
_START_S = 60.0
_SCRIPT = (
    'mount -t sysfs sysfs /sys && cd "$0" && LD_PRELOAD="$1" && shift && export LD_PRELOAD && exec ./t-rex-64 "$@"'
)
"""A sysfs of its own shows T-Rex the interfaces of the namespace."""
_ALIGNED_SOURCE = Path(__file__).with_name("real_trex_aligned.c")
_OPTIONS = ("--no-scapy-server", "--iom", "0", "--no-watchdog")
"""The watchdog ends T-Rex when a thread gets no CPU for a second, as on a busy machine."""
_PORT = 4501


def folder() -> Path:
    return Path(os.environ.get("TREX_DIR", "/nonexistent"))


def skip_reason() -> str | None:
    if "TREX_DIR" not in os.environ:
        return "no real T-Rex: TREX_DIR names no folder"
    if not os.access(folder() / "t-rex-64", os.X_OK):
        return f"no real T-Rex: {folder() / 't-rex-64'} is no program"
    for tool, why in (("bash", "its script needs bash"), ("cc", "it is started with a library that cc makes")):
        if shutil.which(tool) is None:
            return f"no real T-Rex: {why}"
    return vpp_skip_reason()


@contextmanager
def router() -> Iterator[RealVpp]:
    """Start a VPP that has T-Rex's networks behind its two ports, west and east."""
    vpp = RealVpp()
    vpp.start(["west", "east"])
    try:
        for port, net, mac in (("west", 1, MACS_OF_TREX[0]), ("east", 5, MACS_OF_TREX[1])):
            run(vpp, f"set interface state {port} up")
            run(vpp, f"set interface ip address {port} 100.64.10.{net}/30")
            run(vpp, f"ip neighbor {port} 100.64.10.{net + 1} {mac} static")
        run(vpp, "ip route add 16.0.0.0/8 via 100.64.10.2")
        run(vpp, "ip route add 48.0.0.0/8 via 100.64.10.6")
        yield vpp
    finally:
        vpp.stop()


def run(vpp: RealVpp, line: str) -> str:
    """Carry out a line of VPP's CLI and return what it says."""
    code, text = vpp.cli(line)
    assert code == 0, text
    return text


def configuration(folder: Path, *options: str) -> Path:
    """Return a file that `trex-config` has made for the other ends of VPP's ports."""
    path = folder / "trex_cfg.yaml"
    macs = ["--src-macs", ",".join(MACS_OF_TREX), "--dest-macs", ",".join(MACS_OF_VPP)]
    command = ["loadtest", "trex-config", "-q", "--ports", ",".join(PORTS), *macs, *options, "-o", str(path)]
    assert main(command) == ExitCode.DONE
    return path


class RealTrex:
    """One T-Rex process; a context manager."""

    def __init__(self, vpp: RealVpp, configuration: Path, *options: str) -> None:
        self._vpp = vpp
        self._configuration = configuration
        self._options = options
        self._log = configuration.with_suffix(".log")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End T-Rex and everything that its script has started; safe to call twice."""
        if self._process is not None:
            with suppress(ProcessLookupError):  # it has ended by itself, and nothing of it is left
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def inside(self, *command: str) -> Sequence[str]:
        """Return a command that runs where T-Rex runs."""
        return ["nsenter", "--target", str(self._vpp.pid), "--net", *command]

    def loadtest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a load test where T-Rex runs."""
        command = self.inside(sys.executable, "-m", "vppcfg", "loadtest", *arguments)
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)

    def measured(self, file: Path, *arguments: str, code: ExitCode = ExitCode.DONE) -> Result:
        """Run a load test that ends with a code, and return its result."""
        finished = self.loadtest(*arguments, "-o", str(file))
        assert finished.returncode == code, finished.stdout + finished.stderr
        return read_result(file)

    def _start(self) -> None:
        self._vpp.ip("link", "set", "lo", "up")
        library = self._configuration.with_suffix(".so")
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(_ALIGNED_SOURCE)], check=True, capture_output=True
        )
        apart = self.inside(
            "setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "sh", "-c", _SCRIPT, str(folder()), str(library)
        )
        command = [*apart, "-i", "--cfg", str(self._configuration), *_OPTIONS, *self._options]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        self._wait(self._process)

    def _wait(self, process: subprocess.Popen[bytes]) -> None:
        probe = self.inside("bash", "-c", f"exec 3<>/dev/tcp/127.0.0.1/{_PORT}")
        deadline = time.monotonic() + _START_S
        while subprocess.run(probe, capture_output=True, check=False).returncode:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"T-Rex did not start: {self._log.read_text(errors='replace')[-1000:]}")
            time.sleep(0.2)
        time.sleep(2.0)  # it listens before its ports are ready
