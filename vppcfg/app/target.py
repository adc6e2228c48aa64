"""The VPP that is worked on: its socket, how long it may take to answer, and where its journal and its lock lie."""

from __future__ import annotations

import getpass
import os
import sys
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from vppcfg.app import default_paths
from vppcfg.common.bounded_command import PLAIN_ENVIRONMENT
from vppcfg.common.clock import local_time
from vppcfg.errors import DataplaneError
from vppcfg.record import record
from vppcfg.transaction.folders import create_folder, folder_name, is_usable
from vppcfg.transaction.journal import Journal
from vppcfg.transaction.lock import Holder, Lock, holder_of
from vppcfg.transaction.process import identity_of, is_running

if TYPE_CHECKING:
    from vppcfg.app.vpp_with_linux import Router
    from vppcfg.dataplane import Follower
    from vppcfg.linux.host import LinuxHost
    from vppcfg.vpp.live import LiveDataplane

_NAMES_OF_VPP = ("vpp_main", "vpp")


@record
class Target:
    """One VPP and what vppcfg keeps about it. Two that are equal are the same VPP."""

    api_socket: str = default_paths.SOCKET
    json_dir: str | None = None
    """API definitions (`*.api.json`) of a VPP that does not serve them itself; None for the usual places."""
    state_dir: str = field(default_factory=default_paths.state_dir)
    run_dir: str = field(default_factory=default_paths.run_dir)
    timeout_s: float = default_paths.TIMEOUT_S
    """How long VPP may be silent."""
    reads_all: bool = False
    """Whether VPP's tables are read however large they are, while its workers stand still."""

    def connect(self) -> Router:
        """Return the VPP with the Linux around it. Raise DataplaneError when there is none."""
        return self.connect_following()[0]

    def connect_following(self) -> tuple[Router, Follower]:
        """Return what `connect` does, and what shows when something happens to the interfaces of that VPP."""
        from vppcfg.app.vpp_with_linux import Router

        vpp, linux = self.connect_apart()
        return Router(vpp, linux), vpp

    def connect_apart(self) -> tuple[LiveDataplane, LinuxHost | None]:
        """Return the VPP, and the Linux around it; None for a VPP that has none here. Raise DataplaneError."""
        from vppcfg.app.journaled_states import JournaledStates
        from vppcfg.vpp.live import LiveDataplane
        from vppcfg.vpp.unixsocket import open_socket, pid_of_peer

        sock = open_socket(self.api_socket, self.timeout_s)
        linux = _linux_around(pid_of_peer(sock))
        vpp = LiveDataplane.over(
            sock,
            json_dir=self.json_dir,
            timeout_s=self.timeout_s,
            peer=f"VPP at {self.api_socket}",
            formerly=JournaledStates(self.journal()),
            reads_all=self.reads_all,
        )
        return vpp, linux

    def has_listener(self) -> bool:
        """Return whether somebody listens at the socket, which is asked nothing."""
        from vppcfg.vpp.unixsocket import open_socket

        try:
            open_socket(self.api_socket, 0.0).close()
        except DataplaneError:
            return False
        return True

    def journal(self) -> Journal:
        """Return the journal, to read; only who holds the lock may write."""
        return Journal(Path(self.state_dir) / folder_name(self.api_socket))

    def lock(self, command: str) -> Lock:
        """Return the lock, not yet taken. `command` names the holder to others."""
        pid = os.getpid()
        return Lock(self.lock_path(), Holder(pid=pid, command=command, since=now(), process=identity_of(pid)))

    def lock_path(self) -> Path:
        """Return the file of the lock; who may not use the common folder for locks has it beside the journal."""
        common = Path(self.run_dir)
        folder = common if is_usable(common) else create_folder(Path(self.state_dir))
        return folder / f"{folder_name(self.api_socket)}.lock"

    def who_is_at_work(self) -> Holder | None:
        """Return which vppcfg holds the lock, as far as that may be read; the lock is not touched."""
        name = f"{folder_name(self.api_socket)}.lock"
        holders = (holder_of(Path(folder) / name) for folder in (self.run_dir, self.state_dir))
        return next(
            (holder for holder in holders if holder is not None and is_running(holder.pid, holder.process)), None
        )

    def is_another_at_work(self) -> bool:
        """Return whether another process than this one holds the lock."""
        holder = self.who_is_at_work()
        return holder is not None and holder.pid != os.getpid()

    def options(self) -> list[str]:
        """Return the words of a command line that name this VPP, wherever that is run."""
        words = ["--api-socket", os.path.realpath(self.api_socket), "--state-dir", os.path.realpath(self.state_dir)]
        return [*words, "--vpp-json-dir", os.path.realpath(self.json_dir)] if self.json_dir else words

    def environment(self) -> dict[str, str]:
        """Return the environment of what a change runs: a vppcfg in it finds the same journal and lock."""
        return {
            **PLAIN_ENVIRONMENT,
            "VPPCFG_API_SOCKET": os.path.realpath(self.api_socket),
            "VPPCFG_STATE_DIR": os.path.realpath(self.state_dir),
            "VPPCFG_RUN_DIR": os.path.realpath(self.run_dir),
        }


def _linux_around(pid: int | None) -> LinuxHost | None:
    """Return the Linux around a VPP process on this machine; None for a simulated one, which has none."""
    from vppcfg.linux.host import LinuxHost

    try:
        name = Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return LinuxHost(pid) if name in _NAMES_OF_VPP else None


def now() -> str:
    """Return the time of day, ISO 8601 with the zone."""
    return local_time().isoformat(timespec="seconds")


def who() -> str:
    """Return who gave the command, as far as that is known."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = f"user id {os.getuid()}"
    behind = os.environ.get("SUDO_USER")
    return f"{user} (sudo by {behind})" if behind and behind != user else user


def own_command() -> list[str]:
    """Return the words that start vppcfg: this very program, or another one's module.

    Without -P, Python would look for modules in the current folder first, which may be anybody's.
    """
    program = Path(sys.argv[0])
    if program.name == "vppcfg" and program.is_file():
        return [sys.executable, str(program.resolve())]
    return [sys.executable, "-P", "-m", "vppcfg"]
