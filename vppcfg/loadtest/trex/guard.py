"""A process of its own that gives a test's ports back when the test dies without doing so itself.

The test writes the handlers of its ports to the guard's standard input, one JSON object a line, and in the end `null`.
When the input ends without that, the test was killed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress

from vppcfg.errors import EngineError
from vppcfg.loadtest.clock import SystemClock
from vppcfg.loadtest.trex.channel import Channel, host_and_port
from vppcfg.loadtest.trex.rpc import Rpc

_PATIENCE_S = 5.0


class Guard:
    """The guard as the test sees it. Without one a test runs all the same."""

    def __init__(self, server: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "vppcfg.loadtest.trex.guard", server],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the test alone
            text=True,
        )

    def watch(self, handlers: Mapping[str, str]) -> None:
        """Tell the guard which ports are ours, by name with their handlers."""
        self._write(json.dumps(dict(handlers)))

    def dismiss(self) -> None:
        """Tell the guard that it is not needed any more."""
        self._write("null")
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # the guard is gone; the test is not in danger by that
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()


def left_behind(lines: Iterable[str]) -> Mapping[str, str]:
    """Return the ports that a test still had when its lines ended."""
    handlers: Mapping[str, str] = {}
    for line in lines:
        handlers = json.loads(line) or {}
    return handlers


def give_back(server: str, handlers: Mapping[str, str]) -> None:
    """Stop the traffic of ports and release them. Raise EngineError when the server is not there."""
    channel = Channel(*host_and_port(server))
    rpc = Rpc(channel, SystemClock())
    try:
        rpc.connect()
        for port, handler in handlers.items():
            for method in ("stop_traffic", "remove_all_streams", "release"):
                with suppress(EngineError):
                    rpc.call(method, port_id=int(port), handler=handler)
    finally:
        channel.close()


def main(arguments: list[str]) -> int:
    """Wait until the test ends, and tidy up behind it when it was killed."""
    handlers = left_behind(sys.stdin)
    if handlers:
        give_back(arguments[0], handlers)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
