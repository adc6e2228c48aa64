"""Runs one trafgen, and measures its CPU time. It ends with vppcfg, and by itself after a time."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from vppcfg.errors import EngineError
from vppcfg.linux.inside import command_inside
from vppcfg.loadtest.linux_port import LinuxPort

PROGRAM = "trafgen"
_WAIT_S = 5.0
_NICE = "-10"
"""A generator that comes late sends in bursts, or less than it should."""
_GUARD = """\
trap true TERM
"$@" &
wait $!
trap '' TERM
kill 0
tc qdisc delete dev "$0" root
"""
"""All of it is one process group: trafgen's main process does not end its children."""
_TOOLS = ("timeout", "setpriv", "ip", "tc")


def require_trafgen() -> str:
    """Return trafgen's version. Raise EngineError when it, or what runs it, is missing."""
    if shutil.which(PROGRAM) is None:
        raise EngineError("there is no program trafgen", "Debian has it in the package netsniff-ng")
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        raise EngineError(f"there is no program {missing[0]}", "Debian has it in coreutils, util-linux or iproute2")
    if os.geteuid() != 0:
        raise EngineError("only root may send frames with trafgen", "run vppcfg as root")
    shown = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"trafgen ([0-9.]+\w*)", shown.stdout)
    return found[1] if found else ""


class Trafgen:
    """A running trafgen, which sends the frames of a file as fast as the kernel takes them."""

    def __init__(self, port: LinuxPort, frames: Path, limit_s: float) -> None:
        """Start it. When this process dies, or `limit_s` is over, a shell ends it and takes its rate from the port."""
        # With -t 0 trafgen waits for the kernel to take each frame, and with --qdisc-path the kernel paces it. Its own
        # --rate sends the frames of a whole second at once and is idle for the rest of it (0.6.8, measured).
        send = [PROGRAM, "--in", str(frames), "--out", port.device, "--cpus", "1", "--gap", "0ns", "--qdisc-path"]
        quiet = ["--no-sock-mem", "--notouch-irq", "--no-cpu-stats"]
        bounds = ["timeout", "--foreground", "--kill-after", "1", f"{limit_s:.3f}"]
        guarded = ["sh", "-c", _GUARD, port.device, *bounds, *send, *quiet]
        self._log = frames.with_suffix(".log")
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", "nice", "-n", _NICE, *command_inside(port.netns, guarded)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    @property
    def has_ended(self) -> bool:
        """Return whether it runs no more."""
        return self._process.poll() is not None

    def complaint(self) -> str:
        """Return the last line that it wrote, to be shown when it fails."""
        lines = self._log.read_text(errors="replace").strip().splitlines()
        return lines[-1] if lines else "no output"

    def cpu_s(self) -> float:
        """Return the CPU time that it has taken, in seconds."""
        ticks = sum(_cpu_ticks(pid, self._process.pid) for pid in filter(str.isdecimal, os.listdir("/proc")))
        return ticks / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """End trafgen at once."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(_WAIT_S)


def _cpu_ticks(pid: str, group: int) -> int:
    """Return the CPU time of a process of a group, 0 for any other (proc(5): pgrp is field 5, utime 14, stime 15)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12]) if int(fields[2]) == group else 0
