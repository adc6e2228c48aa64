"""Identifies the run of a VPP that a connection leads to: by its process and start time, or by its stats segment.

A VPP that was restarted has lost its configuration; nothing that was planned for the one before may reach it.
"""

from __future__ import annotations

from pathlib import Path

from vppcfg.errors import DataplaneError
from vppcfg.vpp.connection import Connection

_START_TIME = 22 - 3
"""Place of `starttime` among the fields of /proc/PID/stat behind the command's name (proc_pid_stat(5))."""


def read_boot_id(connection: Connection, peer: int | None, stats_socket: str, proc: Path = Path("/proc")) -> str:
    """Return a text that is the same for one process of VPP and another for every other (`dataplane.is_restarted`).

    `peer` is the process at the other end of the socket as it is known here, None when it cannot be seen; then
    `stats_socket` is asked, so users who see less get another text. Raise DataplaneError.
    """
    pid = _pid(connection)
    since = (_began(peer, proc) if peer else "") or _boot_time(stats_socket)
    return f"process {pid} since {since}" if since else f"process {pid}"


def _pid(connection: Connection) -> int:
    """Return the process id that VPP knows itself by, in its own PID namespace (control_ping_reply, vpe_pid)."""
    replies = connection.ask([connection.request("control_ping")[1]])
    for (pid,) in connection.rows(replies, "control_ping_reply", "vpe_pid"):
        return int(pid)
    raise DataplaneError("VPP does not report its process id", "is it the API socket of a VPP?")


def _began(pid: int, proc: Path) -> str:
    """Return when a process began, in clock ticks since the machine's boot and with that boot's id; '' when unseen."""
    try:
        fields = (proc / str(pid) / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        machine = (proc / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{fields[_START_TIME]}/{machine}"
    except (OSError, ValueError, IndexError):
        return ""


def _boot_time(stats_socket: str) -> str:
    """Return VPP's own idea of when it began, for a VPP behind a PID namespace; '' without a stats segment."""
    from vppcfg.vpp.stats import StatsSegment

    try:
        with StatsSegment(stats_socket) as stats:
            return f"{stats.boot_time_s:.0f}"
    except DataplaneError:
        return ""
