"""A process that releases a test's ports on a T-Rex server when the test dies, or the server is away when it ends.

The test writes the handlers of its ports to the guard's standard input, one JSON object a line, and in the end `null`.
When the input ends without that, the ports are still taken. In stateful mode one handler stands for the whole server.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress

from vppcfg.common.clock import Clock, SystemClock
from vppcfg.common.documents import parse_json
from vppcfg.errors import EngineError
from vppcfg.loadtest.trex.channel import TrexChannel, UnreachableError, host_and_port
from vppcfg.loadtest.trex.profile_state import clear
from vppcfg.loadtest.trex.rpc import STATEFUL, STATELESS, Rpc

CONTEXT = "context"
"""In place of the name of a port: the whole of a server in stateful mode."""
_PATIENCE_S = 5.0
_ATTEMPTS = 12
_PAUSE_S = 5.0
_MOST_BYTES = 1 << 20
"""Of a line: some bytes for each port."""


class Guard:
    """The guard as the test sees it. A test whose guard is gone runs all the same."""

    def __init__(self, server: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "vppcfg.loadtest.trex.guard", server],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the test alone
            text=True,
        )

    def watch(self, handlers: Mapping[str, str]) -> None:
        """Report to the guard which ports are ours, by name with their handlers."""
        self._write(json.dumps(dict(handlers)))

    def take_over(self) -> None:
        """Leave the ports to the guard, which tries for a minute in the background."""
        self._close()
        self._process.returncode = 0  # it outlives this process

    def dismiss(self) -> None:
        """End the guard, which is not needed any more."""
        self._write("null")
        self._close()
        try:
            self._process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def _close(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()


def unreleased_ports(lines: Iterable[str]) -> Mapping[str, str]:
    """Return the ports that a test still had when its lines ended; one that was cut off with the test has none."""
    handlers: Mapping[str, str] = {}
    for line in lines:
        with suppress(ValueError):
            received = parse_json(line, "the line", _MOST_BYTES)
            if received is None or _are_handlers(received):
                handlers = received or {}
    return handlers


def _are_handlers(received: object) -> bool:
    """Return whether plain data are handlers by the numbers of ports, or the one of a server in stateful mode."""
    return isinstance(received, dict) and all(
        isinstance(handler, str) and (port == CONTEXT or (port.isascii() and port.isdecimal()))
        for port, handler in received.items()
    )


def release_ports(server: str, handlers: Mapping[str, str], clock: Clock) -> None:
    """Stop the traffic of ports and release them; try again for a while when the server is not there."""
    for attempt in range(_ATTEMPTS):
        if attempt:
            clock.sleep(_PAUSE_S)
        channel = TrexChannel(*host_and_port(server))
        try:
            if CONTEXT in handlers:
                _release_server(Rpc(channel, clock, STATEFUL), handlers[CONTEXT], clock)
            else:
                _release_ports(Rpc(channel, clock, STATELESS), handlers)
        except UnreachableError:
            continue
        finally:
            channel.close()
        return


def _release_ports(rpc: Rpc, handlers: Mapping[str, str]) -> None:
    """Raise UnreachableError when the server is not there; what it refuses is not ours any more."""
    rpc.connect()
    for port, handler in handlers.items():
        for method in ("stop_traffic", "remove_all_streams", "release"):
            try:
                rpc.call(method, port_id=int(port), handler=handler)
            except UnreachableError:
                raise
            except EngineError:
                continue


def _release_server(rpc: Rpc, handler: str, clock: Clock) -> None:
    """Raise UnreachableError when the server is not there; what it refuses is not ours any more."""
    try:
        rpc.connect()
        try:
            clear(rpc, handler, clock)
        finally:
            rpc.call("release", handler=handler)
    except UnreachableError:
        raise
    except EngineError:
        return


def main(arguments: list[str]) -> int:
    """Wait until the test ends, and tidy up behind it when it has not done so."""
    handlers = unreleased_ports(sys.stdin)
    if handlers:
        release_ports(arguments[0], handlers, SystemClock())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
