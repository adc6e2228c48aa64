"""A process in network and mount namespaces of its own, as a VPP may be, and `ip` there for a second opinion."""

import os
import shutil
import signal
import subprocess
from types import TracebackType
from typing import Self

_TOOLS = ("ip", "nsenter", "setpriv", "unshare")
_APART = ("setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "sh", "-c")
_SCRIPT = "mkdir -p /run/netns && mount -t tmpfs none /run/netns && echo ready && exec sleep 600"


def skip_reason() -> str | None:
    """Return why no such process can be started here, None when one can."""
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    missing = [tool for tool in _TOOLS if shutil.which(tool) is None]
    if missing:
        return f"the program {missing[0]} is missing"
    probe = subprocess.run(("unshare", "--net", "--mount", "true"), capture_output=True, check=False)
    return "this kernel lets nobody make network namespaces" if probe.returncode else None


class Machine:
    """The process; all that is made in its namespaces goes away with it."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            (*_APART, _SCRIPT), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, start_new_session=True
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()

    @property
    def pid(self) -> int:
        """Return the id of the process that stands for VPP."""
        return self._process.pid

    def run(self, *command: str, stdin: str = "") -> str:
        """Run a command where the process is and return its output; raise CalledProcessError when it fails."""
        inside = ("nsenter", "--target", str(self.pid), "--net", "--mount", *command)
        return subprocess.run(inside, input=stdin, capture_output=True, text=True, check=True, timeout=60).stdout

    def ip(self, *words: str) -> str:
        """Run `ip` where the process is and return its output; raise CalledProcessError when it fails."""
        return self.run("ip", *words)
