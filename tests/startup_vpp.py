"""Starts a real VPP with a startup.conf of a test, on a machine that a test made up, and removes every trace of it.

VPP runs in mount and network namespaces of its own: what it sees of CPUs and NUMA nodes is a grown tree (tests/hosts),
and its sockets and logs stand in file systems that go away with it. Pinning to CPUs that the real machine lacks is
made to succeed by startup_vpp.c. VPP_PREFIX names the installation.
"""

import atexit
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.real_vpp import prefix, skip_reason

_SOURCE = Path(__file__).with_name("startup_vpp.c")
_START_S = 60.0
_APART = """\
mount -t tmpfs none /run && mkdir -p /run/vpp /run/apart
mount -t tmpfs none /var/log && mkdir -p /var/log/vpp
mount -t tmpfs none /dev/shm
[ -z "$TREE" ] || mount --bind "$TREE/sys/devices/system" /sys/devices/system
[ ! -e "$TREE/etc/group" ] || mount --bind "$TREE/etc/group" /etc/group
exec "$@"
"""
_SMALL_PAGES = """
buffers { page-size 4k }
memory { main-heap-page-size 4k }
statseg { page-size 4k }
"""
"""The real machine need not have hugepages."""


def unsupported_reason() -> str | None:
    """Return why no VPP can be started here, None when one can."""
    reason = skip_reason()
    return reason if reason or shutil.which("cc") else "no real VPP: the program cc is missing"


class StartupVpp:
    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self._process = process
        self._folder = folder

    @property
    def socket_path(self) -> Path:
        """Return the API socket, as seen from outside."""
        return Path(f"/proc/{self._process.pid}/root/run/vpp/api.sock")

    @property
    def output(self) -> str:
        """Return what VPP wrote to its terminal and its log."""
        return (self._folder / "output").read_text(errors="replace")

    @property
    def listens(self) -> bool:
        """Return whether VPP has opened the socket that it opens last, those of the API or of the statistics."""
        return self._has("api.sock") and self._has("stats.sock")

    def _has(self, socket: str) -> bool:
        """Return whether there is a socket of its own: until it is apart, it sees those of the machine."""
        run = Path(f"/proc/{self._process.pid}/root/run")
        return (run / "apart").exists() and (run / "vpp" / socket).exists()

    @property
    def is_running(self) -> bool:
        """Return whether VPP has not ended."""
        return self._process.poll() is None

    def wait(self) -> None:
        """Wait until VPP listens or has ended."""
        deadline = time.monotonic() + _START_S
        while self.is_running and not self._has("api.sock"):
            if time.monotonic() > deadline:
                raise RuntimeError(f"VPP does not listen: {self.output[-2000:]}")
            time.sleep(0.05)


@contextmanager
def starting(conf: str, tree: Path | None = None, *, has_small_pages: bool = True) -> Iterator[StartupVpp]:
    """Start VPP with a startup.conf on the machine of `tree`, wait until it listens or ends, and end it.

    With `has_small_pages` it needs no hugepages, whatever the file says.
    """
    with launched(_at_prefix(conf + (_SMALL_PAGES if has_small_pages else "")), tree) as vpp:
        vpp.wait()
        yield vpp


@contextmanager
def launched(conf: str, tree: Path | None = None) -> Iterator[StartupVpp]:
    """Start VPP with the very text of a startup.conf on the machine of `tree`, wait for nothing, and end it."""
    folder = Path(tempfile.mkdtemp(prefix="vppcfg-startup-"))
    try:
        process = _process(conf, tree, folder)
        try:
            yield StartupVpp(process, folder)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@cache
def _stand_in() -> Path:
    """Return the library that stands in for a larger machine, compiled once."""
    library = Path(tempfile.mkdtemp(prefix="vppcfg-startup-")) / "elsewhere.so"
    atexit.register(shutil.rmtree, library.parent, ignore_errors=True)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(_SOURCE), "-ldl"], check=True)
    return library


def _process(conf: str, tree: Path | None, folder: Path) -> subprocess.Popen[bytes]:
    library = _stand_in()
    file = folder / "startup.conf"
    file.write_text(conf)
    apart = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "sh", "-e", "-c", _APART, "sh"]
    command = [*apart, "env", f"LD_PRELOAD={library}", str(prefix() / "bin/vpp"), "-c", str(file)]
    with (folder / "output").open("wb") as output:
        return subprocess.Popen(
            command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, env={**os.environ, "TREE": str(tree or "")}
        )


def _at_prefix(conf: str) -> str:
    """Return a file with the plugins of the installation that is tested."""
    plugins = next((prefix() / "lib").glob("**/vpp_plugins"), None)
    return (
        conf if plugins is None else re.sub(r"^plugins \{", f"plugins {{\n  path {plugins}", conf, flags=re.MULTILINE)
    )
