"""Starts a VPP for a rehearsal or `probe`, in namespaces of its own, which end with it; its ports lead nowhere."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from vppcfg.common.numbers import rounded_size
from vppcfg.errors import DataplaneError, LinuxError, UsageError
from vppcfg.record import record

_TOOLS = ("ip", "nice", "nsenter", "setpriv", "unshare")
_START_S = 60.0
_STOP_S = 5.0
_PORT_MTU = 9216
_BESIDE_HEAP_BYTES = 512 << 20
"""Counters, buffers, programs and stacks."""
_SOCKET = "api.sock"
FOLDER = Path("/run/vppcfg-rehearsal")
"""Where its sockets are, as it sees them."""
_OWN_FOLDERS = (
    f"for own in /run /dev/shm; do mount -t tmpfs none $own || exit; done && mkdir /run/netns /run/vpp {FOLDER}"
)
"""Names of namespaces, shared memory, and where sockets are, are its own: they end with it, whoever ends it."""
_SOCKETS = "/run"
_SEAL = (
    'while read -r _ _ _ _ at _; do at=$(printf %b "$at"); '
    "case $at in /proc|/proc/*|/dev/shm|/run|/run/netns|/run/netns/*) continue;; esac; "
    'mount -o remount,bind,ro "$at" 2>&- || ! mountpoint -q "$at" || '
    '{ echo "$at cannot be made read-only"; exit 1; }; done < /proc/self/mountinfo'
)
"""Makes read-only whatever is mounted, but for what is its own, and what other mounts hide; devices may be used.

VPP removes what is in the place of a socket that it makes, by a startup.conf or a script (punt.c, vhost_user.c).
"""
_APART = (
    *("nice", "setpriv", "--pdeathsig", "KILL"),
    *("unshare", "--net", "--mount", "--pid", "--kill-child", "--mount-proc", "sh", "-c"),
)
"""What starts a shell in namespaces of its own, behind other programs, and ends it when this process ends.

It sees no process of others: by /proc/PID/ns/net, which VPP takes as `pid:PID` too, it would get into their network.
"""
_STARTUP = """\
unix {{ nodaemon nosyslog log {folder}/vpp.log cli-listen {folder}/cli.sock runtime-dir {folder} poll-sleep-usec 100 }}
socksvr {{ socket-name {folder}/api.sock }}
statseg {{ socket-name {folder}/stats.sock size 64M }}
memory {{ main-heap-size {heap} main-heap-page-size 4k }}
buffers {{ buffers-per-numa 8192 page-size 4k }}
plugins {{ {path} plugin dpdk_plugin.so {{ disable }} plugin af_packet_plugin.so {{ enable }} }}
"""
WITH_SFLOW = "plugins { plugin sflow_plugin.so { enable } }\n"
WITH_LINUX_CP = "plugins { plugin linux_cp_plugin.so { enable } }\n"


@record
class VppEnvironment:
    """What a VPP finds when it starts, beside sockets, memory and a folder of its own."""

    stanzas: str = WITH_SFLOW
    """What else startup.conf has. VPP puts stanzas of one name together."""
    namespaces: tuple[str, ...] = ()
    """Names of the network namespaces that are there."""
    bridges: tuple[tuple[str, str], ...] = ()
    """The Linux bridges that are there, each by namespace ('' is that of VPP) and name."""
    hidden: tuple[Path, ...] = ()
    """Folders in whose place it sees an empty one, for others may have sockets there; those in /run need not
    be there."""
    heap_bytes: int = 1 << 30
    """How large its main heap is; what it does not use of that is not taken."""


@record
class PrivateVpp:
    """A VPP that runs, and where its sockets are."""

    pid: int
    """Its process, as others see it."""
    prefix: Path
    """Where its bin/vpp is."""

    @property
    def json_dir(self) -> str | None:
        """Return where the definitions of its API are, None where it must serve them: older releases do not."""
        folder = self.prefix / "share/vpp/api"
        return str(folder) if folder.is_dir() else None

    @property
    def folder(self) -> Path:
        """Return its own folder, as other programs reach it."""
        return _seen_from_outside(self.pid)

    @property
    def api_socket(self) -> str:
        """Return the path of its API socket."""
        return str(self.folder / _SOCKET)

    def cpu_ms(self) -> float:
        """Return for how long its main thread has run, in milliseconds (sched-stats of Linux); 0 where it ended."""
        try:
            text = Path(f"/proc/{self.pid}/task/{self.pid}/schedstat").read_text()
        except OSError:
            return 0.0
        return int(text.split()[0]) / 1e6

    @property
    def peak_bytes(self) -> int:
        """Return how much memory it had at most so far, in bytes; 0 where it has ended."""
        try:
            status = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return 0
        found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
        return int(found[1]) * 1024 if found else 0

    def add_device(self, name: str) -> None:
        """Make a Linux device with an unused peer. Raise LinuxError."""
        mtu = str(_PORT_MTU)
        self._ip("link", "add", name, "mtu", mtu, "type", "veth", "peer", "name", f"{name[:11]}-far", "mtu", mtu)
        for end in (name, f"{name[:11]}-far"):
            self._ip("link", "set", end, "up")

    def try_vlan_device(self, device: str) -> None:
        """Make a VLAN device, and delete it. Raise LinuxError where Linux knows none."""
        self._ip("link", "add", "link", device, "name", f"{device}.1", "type", "vlan", "id", "1")
        self._ip("link", "delete", f"{device}.1")

    def add_bridge(self, netns: str, name: str) -> None:
        """Make a Linux bridge. Raise LinuxError."""
        self._ip(*(("-n", netns) if netns else ()), "link", "add", name, "type", "bridge")

    def _ip(self, *words: str) -> None:
        command = ["nsenter", "--target", str(self.pid), "--net", "--mount", "ip", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LinuxError(f"Linux refuses `ip {' '.join(words)}`: {done.stderr.strip()}")


@contextmanager
def private_vpp(prefix: Path, around: VppEnvironment | None = None) -> Iterator[PrivateVpp]:
    """Start the VPP that is installed below `prefix`, and end it, with all that was made for it.

    It ends with this process, too. Raise UsageError when there is none, LinuxError without the rights, DataplaneError
    when it does not start.
    """
    around = around or VppEnvironment()
    require_startable(prefix)
    _require_memory(around.heap_bytes + _BESIDE_HEAP_BYTES)
    with _running(prefix, around) as pid:
        vpp = PrivateVpp(pid=pid, prefix=prefix)
        for netns, bridge in around.bridges:
            vpp.add_bridge(netns, bridge)
        yield vpp


def _seen_from_outside(pid: int) -> Path:
    return Path(f"/proc/{pid}/root{FOLDER}")


def require_startable(prefix: Path) -> None:
    """Raise UsageError when there is no VPP below `prefix`, LinuxError when it may not be started here."""
    if not os.access(prefix / "bin/vpp", os.X_OK):
        raise UsageError(
            f"there is no program {prefix / 'bin/vpp'}",
            "--rehearse names the folder with VPP's bin/vpp: /usr for a package",
        )
    if os.geteuid() != 0:
        raise LinuxError("only root may start a VPP", "run it as root, on any machine with that VPP")
    for tool in _TOOLS:
        if shutil.which(tool) is None:
            raise LinuxError(f"the program {tool} is missing", "it is in iproute2, util-linux or coreutils")


def _require_memory(needed_bytes: int) -> None:
    """Raise LinuxError where a VPP may need more memory than Linux can give: it would end others for it."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    available_bytes = int(found[1]) * 1024 if found is not None else needed_bytes
    if available_bytes < needed_bytes:
        needed, available = rounded_size(needed_bytes), rounded_size(available_bytes)
        raise LinuxError(f"the VPP may need {needed} of memory, and Linux has {available}", "use another machine")


@contextmanager
def _running(prefix: Path, around: VppEnvironment) -> Iterator[int]:
    """Start a VPP that listens in its folder, yield its process id, and end it. Raise DataplaneError without one."""
    path = next(_plugin_folders(prefix), None)
    startup = (
        _STARTUP.format(folder=FOLDER, heap=around.heap_bytes, path=f"path {path}" if path else "") + around.stanzas
    )
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as config:
        config.write(startup.encode("utf-8", "surrogateescape"))
        config.seek(0)
        process = subprocess.Popen(
            [*isolation_command(around), str(prefix / "bin/vpp"), "-c", "/dev/stdin"],
            stdin=config,
            stdout=output,
            stderr=output,
        )
        pid = None
        try:
            deadline = time.monotonic() + _START_S
            while not _listens(_seen_from_outside(process.pid) / _SOCKET):
                if process.poll() is not None or time.monotonic() > deadline:
                    output.seek(0)
                    text = output.read().decode(errors="replace").strip()
                    raise DataplaneError(f"VPP does not start: {text[-1000:] or 'no output'}")
                time.sleep(0.05)
            pid = _only_child(process.pid)
            yield pid
        finally:
            _end(process, pid)


def isolation_command(around: VppEnvironment) -> tuple[str, ...]:
    """Return the command that runs another one in namespaces of its own, which end with this process."""
    is_below = {folder: folder.is_relative_to(_SOCKETS) for folder in around.hidden}
    script = [_OWN_FOLDERS, _SEAL]
    script += [f"mount -t tmpfs none {shlex.quote(str(folder))}" for folder, below in is_below.items() if not below]
    script += [f"mkdir -p {shlex.quote(str(folder))}" for folder, below in is_below.items() if below]
    script += [f"ip netns add {shlex.quote(name)}" for name in around.namespaces]
    return (*_APART, " && ".join([*script, 'exec "$0" "$@"']))


def folders_of_sockets(sockets: Iterable[str | None]) -> tuple[Path, ...]:
    """Return the folders of sockets that interfaces have, to be hidden; those not in /run only if they exist."""
    folders = {Path(path).resolve().parent for path in sockets if path}
    return tuple(sorted(folder for folder in folders if folder.is_dir() or folder.is_relative_to(_SOCKETS)))


def _listens(path: Path) -> bool:
    """Return whether a program accepts connections on a socket."""
    with socket.socket(socket.AF_UNIX) as sock:
        return sock.connect_ex(str(path)) == 0


def _only_child(pid: int) -> int:
    """Return the process that `unshare` has started and waits for. Raise DataplaneError when it has ended."""
    try:
        return int(Path(f"/proc/{pid}/task/{pid}/children").read_text())
    except (OSError, ValueError) as error:
        raise DataplaneError("VPP has ended") from error


def _plugin_folders(prefix: Path) -> Iterator[Path]:
    folders: Iterable[Path] = (prefix / "lib").glob("**/vpp_plugins")
    yield from folders


def _end(process: subprocess.Popen[bytes], pid: int | None) -> None:
    """End a VPP that listens by itself, and then what has started it, with all that it has started."""
    if pid is not None:
        with suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.kill(pid, signal.SIGTERM)
            process.wait(_STOP_S)
    process.kill()
    process.wait()
