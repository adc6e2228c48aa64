"""Serves a simulated VPP over stream sockets: frames, several clients at once, partial reads and writes.

Nothing that a client sends can end it; what VPP would answer is the business of vppcfg.simulator.vpp.
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
from vppcfg.simulator.frames import framed, take_messages
from vppcfg.simulator.handlers.call import Client
from vppcfg.simulator.listener import listen_on
from vppcfg.simulator.vpp import DiedError, SimulatedVpp

_READ_BYTES = 1 << 18
_MAX_UNREAD_BYTES = 1 << 28
"""A client that lets more answers pile up than this is dropped."""
_SOCKET_HANDLE = 1 << 31
"""VPP marks handles of socket clients by this bit (vlibmemory/socket_api.h)."""

_log = logging.getLogger(__name__)


class _Connection:
    """One client's socket with what is read but not whole, and what is to be written."""

    def __init__(self, sock: socket.socket, client: Client) -> None:
        self.sock = sock
        self.client = client
        self.unread = bytearray()
        self.unsent = bytearray()
        self.events = selectors.EVENT_READ


class SimulatorServer:
    """An event loop around one simulated VPP; in the foreground with `run`, in a thread with `start`."""

    def __init__(
        self,
        vpp: SimulatedVpp,
        socket_path: str | Path | None = None,
        *,
        on_death: Callable[[], None] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Listen on `socket_path` once started; without one, clients come through `add_client` only.

        `on_death` is called when the faults let VPP die; by then every connection is closed.
        """
        self._vpp = vpp
        self._path = Path(socket_path) if socket_path is not None else None
        self._on_death = on_death
        self._sleep = sleep
        self._selector = selectors.DefaultSelector()
        self._wake_read, self._wake_write = socket.socketpair()
        self._wake_read.setblocking(False)
        self._selector.register(self._wake_read, selectors.EVENT_READ)
        self._listener: socket.socket | None = None
        self._newcomers: list[socket.socket] = []
        self._connections: dict[int, _Connection] = {}
        self._clients: dict[int, Client] = {}
        self._next_handle = _SOCKET_HANDLE + 1
        self._is_stopping = False
        self._is_serving = False
        self._thread: threading.Thread | None = None

    def listen(self) -> None:
        """Bind the socket; raise UsageError when the path cannot be used or somebody answers there."""
        if self._path is None or self._listener is not None:
            return
        try:
            self._listener = listen_on(self._path)
        except UsageError:
            self._close()
            raise
        self._selector.register(self._listener, selectors.EVENT_READ)

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
                self._turn()
                if is_bound_to_clients and not self._connections:
                    return
        except DiedError:
            self._close()
            if self._on_death is not None:
                self._on_death()
        finally:
            self._close()
            self._is_serving = False

    def _turn(self) -> None:
        """Wait for sockets and serve each that is ready."""
        for key, events in self._selector.select():
            if key.fileobj is self._wake_read:
                self._wake_read.recv(4096)
            elif key.fileobj is self._listener:
                self._accept()
            else:
                self._attend(key.data, events)
        while self._newcomers:
            self._connect(self._newcomers.pop(0))

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
        sock.setblocking(False)
        client = Client(handle=self._next_handle)
        self._next_handle += 1
        connection = _Connection(sock, client)
        self._connections[client.handle] = connection
        self._clients[client.handle] = client
        self._selector.register(sock, selectors.EVENT_READ, connection)

    def _attend(self, connection: _Connection, events: int) -> None:
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

    def _read(self, connection: _Connection, touched: dict[int, _Connection]) -> None:
        """Read what is there and carry out every whole message; `touched` gets whoever has something to write."""
        try:
            data = connection.sock.recv(_READ_BYTES)
        except BlockingIOError:
            return
        if not data:
            self._drop(connection)
            return
        connection.unread += data
        for message in take_messages(connection.unread):
            answers = self._vpp.handle(message, connection.client, self._clients)
            if answers and self._vpp.faults.faults.delay_s:
                self._sleep(self._vpp.faults.faults.delay_s)
            for handle, answer in answers:
                receiver = self._connections.get(handle)
                if receiver is not None:
                    receiver.unsent += framed(answer)
                    touched[handle] = receiver
        touched.update({handle: other for handle, other in self._connections.items() if other.client.is_leaving})

    def _write(self, connection: _Connection) -> None:
        """Send what the client takes; drop it when it said goodbye, is gone, or does not read."""
        if connection.client.handle not in self._connections:
            return
        try:
            if connection.unsent:
                del connection.unsent[: connection.sock.send(connection.unsent)]
        except BlockingIOError:
            pass
        except OSError:
            connection.unsent.clear()
            connection.client.is_leaving = True
        is_done = connection.client.is_leaving and not connection.unsent
        if is_done or len(connection.unsent) > _MAX_UNREAD_BYTES:
            self._drop(connection)
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.unsent else 0)
        if events != connection.events:
            connection.events = events
            self._selector.modify(connection.sock, events, connection)

    def _drop(self, connection: _Connection) -> None:
        if self._connections.pop(connection.client.handle, None) is None:
            return
        del self._clients[connection.client.handle]
        self._selector.unregister(connection.sock)
        connection.sock.close()

    def _close(self) -> None:
        for connection in list(self._connections.values()):
            self._drop(connection)
        for sock in self._newcomers:
            sock.close()
        self._newcomers.clear()
        if self._listener is not None and self._path is not None:
            self._selector.unregister(self._listener)
            self._listener.close()
            self._listener = None
            self._path.unlink(missing_ok=True)
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
