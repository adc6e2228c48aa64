"""Serves a simulated VPP over stream sockets: frames, several clients at once, partial reads and writes.

Nothing that a client sends can end the server. What VPP answers is decided in vppcfg.simulator.vpp.
"""

from __future__ import annotations

import contextlib
import logging
import selectors
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from vppcfg.errors import UsageError
from vppcfg.simulator.retval import DiedError
from vppcfg.simulator.sockets import Connection, LateAnswers, listen_on
from vppcfg.simulator.stats import StatsListener
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.simulator.wire import Client

_SOCKET_HANDLE = 1 << 31
"""VPP marks handles of socket clients by this bit (vlibmemory/socket_api.h)."""

_SLICE_S = 0.02
"""A pause is made of pieces of this length, between which it may be stopped."""

_log = logging.getLogger(__name__)


class _StoppedError(Exception):
    """Serving has ended."""


class SimulatorServer:
    """An event loop around one simulated VPP; in the foreground with `run`, in a thread with `start`."""

    def __init__(
        self,
        vpp: SimulatedVpp,
        socket_path: str | Path | None = None,
        *,
        stats_path: str | Path | None = None,
        on_death: Callable[[], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Listen on `socket_path` once started; without one, clients come through `add_client` only.

        The stats segment is to be had at `stats_path`, when there is one. `on_death` is called when the faults let
        VPP die; by then every connection is closed.
        """
        self._vpp = vpp
        self._path = Path(socket_path) if socket_path is not None else None
        self._stats_path = Path(stats_path) if stats_path is not None else None
        self._on_death = on_death
        self._sleep = sleep
        self._clock = clock
        self._selector = selectors.DefaultSelector()
        self._wake_read, self._wake_write = socket.socketpair()
        self._wake_read.setblocking(False)
        self._selector.register(self._wake_read, selectors.EVENT_READ)
        self._listener: socket.socket | None = None
        self._stats: StatsListener | None = None
        self._late = LateAnswers()
        self._newcomers: list[socket.socket] = []
        self._connections: dict[int, Connection] = {}
        self._clients: dict[int, Client] = {}
        self._next_handle = _SOCKET_HANDLE + 1
        self._is_stopping = False
        self._is_serving = False
        self._thread: threading.Thread | None = None

    def listen(self) -> None:
        """Bind the sockets; raise UsageError when a path cannot be used or is in use."""
        try:
            if self._path is not None and self._listener is None:
                self._listener = listen_on(self._path)
                self._selector.register(self._listener, selectors.EVENT_READ)
            if self._stats_path is not None and self._stats is None:
                self._stats = StatsListener(self._stats_path)
                self._selector.register(self._stats.sock, selectors.EVENT_READ)
        except UsageError:
            self._close()
            raise

    def start(self) -> None:
        """Listen, and serve in a thread until `stop`."""
        self.listen()
        self._is_serving = True
        self._thread = threading.Thread(target=self._serve, name="simulated-vpp", daemon=True)
        self._thread.start()

    def run(self) -> None:
        """Listen, and serve in this thread until `stop` is called from another one or from a signal handler."""
        self.listen()
        self._serve()

    def stop(self) -> None:
        """End serving, close every connection and remove the socket; safe to call twice."""
        self._is_stopping = True
        self._wake()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
            self._thread = None
        if not self._is_serving:
            self._close()

    def add_client(self, sock: socket.socket) -> None:
        """Serve a connected stream socket, such as one end of a socketpair."""
        self._newcomers.append(sock)
        self._wake()

    def __enter__(self) -> SimulatorServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):
            self._wake_write.send(b"\0")

    def run_until_idle(self) -> None:
        """Serve the clients that were added, until the last one is gone."""
        self._serve(is_bound_to_clients=True)

    def _serve(self, is_bound_to_clients: bool = False) -> None:
        self._is_serving = True
        try:
            while not self._is_stopping:
                try:
                    self._turn()
                except DiedError:
                    self._die()
                if is_bound_to_clients and not self._connections:
                    return
        except _StoppedError:
            pass
        finally:
            self._close()
            self._is_serving = False

    def _die(self) -> None:
        """Close every connection; then be an unconfigured VPP, or raise _StoppedError where none is to follow."""
        self._let_go()
        if self._on_death is not None:
            self._on_death()
        after_s = self._vpp.faults.faults.restart_s
        if after_s is None:
            raise _StoppedError
        self._pause(after_s)
        self._vpp.restart()
        self.listen()

    def _turn(self) -> None:
        """Wait for sockets; serve those that are ready, and send the late answers that are due."""
        for key, events in self._selector.select(self._late.wait_s(self._clock())):
            if key.fileobj is self._wake_read:
                self._wake_read.recv(4096)
            elif key.fileobj is self._listener:
                self._accept()
            elif self._stats is not None and key.fileobj is self._stats.sock:
                self._stats.attend(self._vpp)
            else:
                self._attend(key.data, events)
        while self._newcomers:
            self._connect(self._newcomers.pop(0))
        self._send_late()

    def _send_late(self) -> None:
        for handle, answer in self._late.take_due(self._clock()):
            if handle in self._connections:
                self._connections[handle].queue(answer)
                self._write(self._connections[handle])

    def _pause(self, seconds: float) -> None:
        """Wait until what is written has left, then stand still; raise _StoppedError on `stop` meanwhile."""
        for connection in list(self._connections.values()):
            self._write(connection)
        end = self._clock() + seconds
        while not self._is_stopping and (left := end - self._clock()) > 0:
            self._sleep(min(left, _SLICE_S))
        if self._is_stopping:
            raise _StoppedError

    def _accept(self) -> None:
        if self._listener is None:
            return
        try:
            sock, _ = self._listener.accept()
        except OSError as problem:
            _log.warning("cannot accept a client: %s", problem)
            return
        self._connect(sock)

    def _connect(self, sock: socket.socket) -> None:
        client = Client(handle=self._next_handle)
        self._next_handle += 1
        connection = Connection(sock, client)
        self._connections[client.handle] = connection
        self._clients[client.handle] = client
        self._selector.register(sock, selectors.EVENT_READ, connection)

    def _attend(self, connection: Connection, events: int) -> None:
        if connection.client.handle not in self._connections:
            return
        touched = {connection.client.handle: connection}
        try:
            if events & selectors.EVENT_READ:
                self._read(connection, touched)
        except OSError as problem:
            _log.debug("client %#x is gone: %s", connection.client.handle, problem)
            self._drop(connection)
        for receiver in touched.values():
            self._write(receiver)

    def _read(self, connection: Connection, touched: dict[int, Connection]) -> None:
        """Read what has come and carry out every whole message; add the clients that get answers to `touched`."""
        try:
            for message in connection.receive():
                self._carry_out(message, connection.client, touched)
        except EOFError:
            self._drop(connection)
            return
        touched.update({handle: other for handle, other in self._connections.items() if other.client.is_leaving})

    def _carry_out(self, message: bytes, client: Client, touched: dict[int, Connection]) -> None:
        answers = self._vpp.handle(message, client, self._clients, self._pause)
        faults = self._vpp.faults.faults
        if answers and faults.delay_s:
            self._pause(faults.delay_s)
        for handle, answer in self._vpp.take_late():
            self._late.hold(self._clock() + faults.late_s, handle, answer)
        for handle, answer in answers:
            receiver = self._connections.get(handle)
            if receiver is not None:
                receiver.queue(answer)
                touched[handle] = receiver

    def _write(self, connection: Connection) -> None:
        """Send what the client takes; close its connection when it has ended the session or is gone."""
        if connection.client.handle not in self._connections:
            return
        if not connection.send():
            self._drop(connection)
        elif connection.wanted_events != connection.events:
            connection.events = connection.wanted_events
            self._selector.modify(connection.sock, connection.events, connection)

    def _drop(self, connection: Connection) -> None:
        if self._connections.pop(connection.client.handle, None) is None:
            return
        del self._clients[connection.client.handle]
        self._selector.unregister(connection.sock)
        connection.sock.close()

    def _let_go(self) -> None:
        """Close every connection, and every socket that a client could connect to."""
        for connection in list(self._connections.values()):
            self._drop(connection)
        self._late.clear()
        if self._listener is not None and self._path is not None:
            self._selector.unregister(self._listener)
            self._listener.close()
            self._listener = None
            self._path.unlink(missing_ok=True)
        if self._stats is not None:
            self._selector.unregister(self._stats.sock)
            self._stats.close()
            self._stats = None

    def _close(self) -> None:
        self._let_go()
        for sock in self._newcomers:
            sock.close()
        self._newcomers.clear()
        if self._wake_read.fileno() >= 0:
            self._selector.unregister(self._wake_read)
            self._wake_read.close()
            self._wake_write.close()
            self._selector.close()


def serve_stream(vpp: SimulatedVpp, sock: socket.socket) -> None:
    """Serve one connected socket until its other end closes."""
    server = SimulatorServer(vpp)
    server.add_client(sock)
    server.run_until_idle()
