"""A VPP of one's own: started in namespaces that go away with it, with ports that lead nowhere."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from vppcfg.errors import DataplaneError, LinuxError, UsageError
from vppcfg.record import record

_TOOLS = ("ip", "nsenter", "setpriv", "unshare")
_START_S = 30.0
_STOP_S = 5.0
_PORT_MTU = 9216
_SOCKET = "api.sock"
_LONGEST_SOCKET = 107
"""Bytes of a path at which Linux can listen (unix(7))."""
_OWN_FOLDERS = (
    'for own in netns vpp; do mkdir -p /run/$own && mount -t tmpfs none /run/$own || exit; done; exec "$0" "$@"'
)
"""Names of namespaces, and where sockets are by default, are its own."""
APART = ("setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "sh", "-c", _OWN_FOLDERS)
"""What starts a program in namespaces of its own, and ends it when this process ends."""
_STARTUP = """\
unix {{ nodaemon nosyslog log {folder}/vpp.log cli-listen {folder}/cli.sock runtime-dir {folder} poll-sleep-usec 100 }}
api-segment {{ prefix {name} }}
socksvr {{ socket-name {folder}/api.sock }}
statseg {{ socket-name {folder}/stats.sock size 64M }}
memory {{ main-heap-size 1G main-heap-page-size 4k }}
buffers {{ buffers-per-numa 8192 page-size 4k }}
plugins {{ {path} plugin dpdk_plugin.so {{ disable }} plugin sflow_plugin.so {{ enable }} }}
"""


@record
class PrivateVpp:
    """A VPP that runs, and where its sockets are."""

    folder: Path
    pid: int

    @property
    def api_socket(self) -> str:
        """Return the path of its API socket."""
        return str(self.folder / _SOCKET)

    def add_device(self, name: str) -> None:
        """Make a Linux device with another end that nobody is at. Raise LinuxError."""
        mtu = str(_PORT_MTU)
        self._ip("link", "add", name, "mtu", mtu, "type", "veth", "peer", "name", f"{name[:11]}-far", "mtu", mtu)
        for end in (name, f"{name[:11]}-far"):
            self._ip("link", "set", end, "up")

    def _ip(self, *words: str) -> None:
        command = ["nsenter", "--target", str(self.pid), "--net", "--mount", "ip", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise LinuxError(f"Linux refuses `ip {' '.join(words)}`: {done.stderr.strip()}")


@contextmanager
def private_vpp(prefix: Path) -> Iterator[PrivateVpp]:
    """Start the VPP that is installed below `prefix`, and end it, with all that was made for it.

    It ends with this process, too. Raise UsageError when there is none, LinuxError without the rights, DataplaneError
    when it does not start.
    """
    _require(prefix)
    folder = Path(tempfile.mkdtemp(prefix="vppcfg-rehearsal-"))
    try:
        _require_room(folder)
        with _running(prefix, folder) as process:
            yield PrivateVpp(folder=folder, pid=process.pid)
    finally:
        for left in Path("/dev/shm").glob(f"{folder.name}-*"):
            left.unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def _require(prefix: Path) -> None:
    if not os.access(prefix / "bin/vpp", os.X_OK):
        raise UsageError(
            f"there is no program {prefix / 'bin/vpp'}",
            "--rehearse names the folder with VPP's bin/vpp: /usr for a package",
        )
    if os.geteuid() != 0:
        raise LinuxError("only root may start a VPP", "run it as root, on any machine with that VPP")
    for tool in _TOOLS:
        if shutil.which(tool) is None:
            raise LinuxError(f"the program {tool} is missing", "it is in iproute2 or util-linux")


def _require_room(folder: Path) -> None:
    """Raise LinuxError where the folder has a name that leaves no room for that of a socket."""
    if len(os.fsencode(folder / _SOCKET)) > _LONGEST_SOCKET:
        raise LinuxError(
            f"{folder} is too long a name for a socket in it", "let TMPDIR name a folder with a shorter one"
        )


@contextmanager
def _running(prefix: Path, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a VPP that listens in a folder, and end it. Raise DataplaneError when it does not start."""
    path = next(_plugin_folders(prefix), None)
    startup = folder / "startup.conf"
    startup.write_text(_STARTUP.format(folder=folder, name=folder.name, path=f"path {path}" if path else ""))
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            [*APART, str(prefix / "bin/vpp"), "-c", str(startup)],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
    try:
        deadline = time.monotonic() + _START_S
        while not _listens(folder / _SOCKET):
            if process.poll() is not None or time.monotonic() > deadline:
                text = (folder / "output").read_text(errors="replace").strip()
                raise DataplaneError(f"VPP does not start: {text[-1000:] or 'it says nothing'}")
            time.sleep(0.02)
        yield process
    finally:
        _end(process)


def _listens(path: Path) -> bool:
    """Return whether somebody takes connections at a socket."""
    with socket.socket(socket.AF_UNIX) as sock:
        return sock.connect_ex(str(path)) == 0


def _plugin_folders(prefix: Path) -> Iterator[Path]:
    folders: Iterable[Path] = (prefix / "lib").glob("**/vpp_plugins")
    yield from folders


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
