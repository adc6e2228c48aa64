"""Starts a real T-Rex for tests, beside a real VPP whose two ports it is connected to, and removes every trace of it.

TREX_DIR names the folder with t-rex-64: a release, or `scripts` of trex-core after its build. T-Rex runs in the network
namespace of the VPP, on the other ends of its veth pairs, in software: no NIC and no hugepages are needed.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.real_vpp import RealVpp
from tests.real_vpp import skip_reason as vpp_skip_reason

_START_S = 60.0
_SCRIPT = 'mount -t sysfs sysfs /sys && cd "$0" && exec ./t-rex-64 "$@"'
"""A sysfs of its own shows T-Rex the interfaces of the namespace."""
_OPTIONS = ("--no-scapy-server", "--iom", "0", "--no-watchdog")
"""The watchdog ends T-Rex when a thread gets no CPU for a second, as on a busy machine."""
_PORT = 4501


def folder() -> Path:
    """Return the folder that TREX_DIR names."""
    return Path(os.environ.get("TREX_DIR", "/nonexistent"))


def skip_reason() -> str | None:
    """Return why no real T-Rex can be started here, None when one can."""
    if "TREX_DIR" not in os.environ:
        return "no real T-Rex: TREX_DIR names no folder"
    if not os.access(folder() / "t-rex-64", os.X_OK):
        return f"no real T-Rex: {folder() / 't-rex-64'} is no program"
    if shutil.which("bash") is None:
        return "no real T-Rex: its script needs bash"
    return vpp_skip_reason()


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
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def inside(self, *command: str) -> Sequence[str]:
        """Return a command that runs where T-Rex runs."""
        return ["nsenter", "--target", str(self._vpp.pid), "--net", *command]

    def _start(self) -> None:
        self._vpp.ip("link", "set", "lo", "up")
        apart = self.inside("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "sh", "-c", _SCRIPT, str(folder()))
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
