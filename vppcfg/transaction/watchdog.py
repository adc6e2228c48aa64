"""Rolls back an unconfirmed change: a timer outside the login, armed before the first change.

Where systemd runs and the user is root it is a transient timer of systemd, else a process of its own session. Both run
`vppcfg rollback --unless-confirmed N`. Commands are lists of words; no shell sees them.
"""

from __future__ import annotations

import hashlib
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from vppcfg.errors import StorageError, UntrustedFileError
from vppcfg.record import record
from vppcfg.transaction.directory import Directory
from vppcfg.transaction.entry import Timer
from vppcfg.transaction.process import machine_run
from vppcfg.transaction.signed_document import MODE

READY = b"armed\n"
READY_OPTION = "--ready-fd"
_PATIENCE_S = 20.0
"""How long systemd may take to start a unit, and a process of its own to report that it runs."""
_NOWHERE = Path(os.devnull)
_SYSTEMD = Path("/run/systemd/system")
"""Is there when systemd is the machine's init (sd_booted(3))."""
_PASSED_ON = ("VPPCFG_RUN_DIR", "VPP_API_DIR", "PYTHONPATH")
"""The variables of the environment that the unit of systemd gets."""

_CONFINEMENT = (
    "ProtectSystem=strict",
    "RestrictAddressFamilies=AF_UNIX AF_NETLINK",
    "PrivateNetwork=yes",
    "IPAddressDeny=any",
    "CapabilityBoundingSet=CAP_NET_ADMIN CAP_SYS_ADMIN CAP_SYS_CHROOT CAP_SYS_PTRACE "
    "CAP_DAC_OVERRIDE CAP_FOWNER CAP_CHOWN",
    "RestrictNamespaces=net mnt",
    "SystemCallFilter=@system-service @mount setns unshare",
    "SystemCallFilter=~@resources",
    "SystemCallErrorNumber=EPERM",
    "SystemCallArchitectures=native",
    "NoNewPrivileges=yes",
    "LockPersonality=yes",
    "MemoryDenyWriteExecute=yes",
    "PrivateDevices=yes",
    "PrivateMounts=yes",
    "ProtectClock=yes",
    "ProtectControlGroups=yes",
    "ProtectHome=read-only",
    "ProtectHostname=yes",
    "ProtectKernelLogs=yes",
    "ProtectKernelModules=yes",
    "ProtectKernelTunables=yes",
    "ProtectProc=invisible",
    "RestrictRealtime=yes",
)
"""What the unit that rolls back may not do: as vppcfg.service of the Debian package, which gives the reasons. It sees
the /tmp of others, where the socket, the journal or vppcfg itself may lie."""

_started: list[subprocess.Popen[bytes]] = []
"""Timers that this process started and that are to outlive it: none of them is a child that was forgotten."""


@record
class TimerWatch:
    """What is done without a confirmation."""

    command: Sequence[str]
    """The words of `vppcfg rollback --unless-confirmed N ...`, without the moment."""
    name: str
    """What distinguishes it from every other one on this machine."""
    after_s: float
    deadline: str
    """ISO 8601, for people."""
    log: Path
    """The output of a process of its own."""
    group: int | None = None
    """The group whose members may write the folder of the log."""
    folders: Sequence[Path] = ()
    """Where the command writes, and must be allowed to."""


def uses_systemd(environment: Mapping[str, str] = os.environ) -> bool:
    """Return whether the timer will be one of systemd."""
    return (
        _SYSTEMD.is_dir()
        and os.geteuid() == 0
        and shutil.which("systemd-run", path=environment.get("PATH")) is not None
    )


def arm(watch: TimerWatch) -> Timer:
    """Start the timer, and return once it runs. Raise StorageError when it does not."""
    return _arm_systemd(watch) if uses_systemd() else _arm_process(watch)


def rearm(watch: TimerWatch) -> Timer:
    """Start a timer in the place of one that is gone, in any way there is. Raise StorageError when there is none."""
    try:
        return arm(watch)
    except StorageError:
        return _arm_process(replace(watch, log=_NOWHERE))


def remaining_s(timer: Timer, now: datetime) -> float:
    """Return how many seconds are left until the deadline, below 0 when it is past; `now` has a zone.

    Setting the clock changes nothing, unless the timer is of another run of the machine.
    """
    if timer.machine_run and timer.machine_run == machine_run():
        return timer.moment_s - seconds_since_boot()
    try:
        return (datetime.fromisoformat(timer.deadline) - now).total_seconds()
    except (ValueError, TypeError):
        return 0.0


def disarm(timer: Timer) -> None:
    """Stop a timer that has not acted; one that is gone is none."""
    if timer.unit:
        subprocess.run(["systemctl", "stop", f"{timer.unit}.timer"], check=False, capture_output=True)
    elif timer.pid != os.getpid() and is_alive(timer):
        os.kill(timer.pid, signal.SIGTERM)
    for process in _started:
        process.poll()


def is_alive(timer: Timer) -> bool:
    """Return whether a timer still runs."""
    if timer.unit:
        answer = subprocess.run(
            ["systemctl", "is-active", f"{timer.unit}.timer", f"{timer.unit}.service"],
            check=False,
            capture_output=True,
            text=True,
        )
        return not {"active", "activating"}.isdisjoint(answer.stdout.split())
    try:
        return b"--unless-confirmed" in Path(f"/proc/{timer.pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def seconds_since_boot() -> float:
    """Return a clock that cannot be set and that runs on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def unit_name(socket_path: str, number: int) -> str:
    """Return the name of the systemd unit for a change, the same whoever asks."""
    return f"vppcfg-confirm-{hashlib.sha256(socket_path.encode()).hexdigest()[:8]}-{number}"


def _arm_systemd(watch: TimerWatch) -> Timer:
    """Start a timer of systemd, whose unit is confined where such a unit can run: the rollback is worth more.

    An old systemd does not know some of the settings, and in some containers a unit with them does not start.
    """
    properties = [*_CONFINEMENT, *(f"ReadWritePaths=-{folder}" for folder in watch.folders)]
    probe = _systemd_run(f"{watch.name}-probe", properties, ["--wait"], ["true"])
    moment = seconds_since_boot() + watch.after_s
    timing = [f"--on-active={watch.after_s:.3f}s", "--timer-property=AccuracySec=100ms"]
    answer = _systemd_run(watch.name, [] if probe.returncode else properties, timing, watch.command)
    if answer.returncode:
        raise StorageError(f"systemd does not start the timer: {answer.stderr.strip()}", "nothing was changed")
    return Timer(deadline=watch.deadline, unit=watch.name, moment_s=moment, machine_run=machine_run())


def _systemd_run(
    name: str, properties: Sequence[str], options: Sequence[str], words: Sequence[str]
) -> subprocess.CompletedProcess[str]:
    settings = [f"--setenv={name}={os.environ[name]}" for name in _PASSED_ON if name in os.environ]
    command = [
        "systemd-run",
        "--quiet",
        "--collect",
        f"--unit={name}",
        "--description=vppcfg rolls back unless the change is confirmed",
        *options,
        *(f"--property={text}" for text in properties),
        *settings,
        "--",
        *words,
    ]
    try:
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=_PATIENCE_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StorageError(f"systemd does not start the timer: {error}", "nothing was changed") from error


def _arm_process(watch: TimerWatch) -> Timer:
    ready, write_end = os.pipe()
    moment = seconds_since_boot() + watch.after_s
    command = [*watch.command, "--deadline", f"{moment:.3f}", READY_OPTION, str(write_end)]
    try:
        with open(_opened(watch.log, watch.group), "ab") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[write_end],
                start_new_session=True,
                cwd="/",
            )
    except (OSError, UntrustedFileError) as error:
        os.close(ready)
        reason = error.strerror if isinstance(error, OSError) else error.message
        raise StorageError(f"cannot start the timer: {reason}", "nothing was changed") from error
    finally:
        os.close(write_end)
    _started.append(process)
    _await_ready(ready, process, watch.log)
    return Timer(deadline=watch.deadline, pid=process.pid, moment_s=moment, machine_run=machine_run())


def _opened(log: Path, group: int | None) -> int:
    if log == _NOWHERE:
        return os.open(log, os.O_WRONLY)
    # A member of the group may put a link to any folder in the place of the entry.
    with Directory.trusted(log.parent.parent, group) as journal, journal.below(log.parent.name) as folder:
        return folder.open(log.name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, MODE)


def _await_ready(ready: int, process: subprocess.Popen[bytes], log: Path) -> None:
    try:
        is_ready = select.select([ready], [], [], _PATIENCE_S)[0] and os.read(ready, len(READY)) == READY
    finally:
        os.close(ready)
    if not is_ready:
        process.kill()
        process.wait()
        raise StorageError(f"the timer does not start; {log} has the reason", "nothing was changed")


def await_deadline(
    moment: float,
    is_over: Callable[[], bool],
    clock: Callable[[], float] = seconds_since_boot,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Return when the moment has come, or as soon as `is_over` returns True."""
    while (left := moment - clock()) > 0 and not is_over():
        sleep(min(left, 0.25))
