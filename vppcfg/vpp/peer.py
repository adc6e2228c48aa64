"""Whose process is at the other end of a local socket."""

from __future__ import annotations

import socket
import struct

_UCRED = struct.Struct("iII")
"""struct ucred (linux/socket.h): process, user, group."""


def pid_of_peer(sock: socket.socket) -> int | None:
    """Return the process id of who listens at the other end of a connected unix socket.

    None when there is no telling: another kind of socket, or a process that cannot be seen from this PID namespace.
    """
    if sock.family != socket.AF_UNIX:
        return None
    try:
        pid, _, _ = _UCRED.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size))
    except OSError:
        return None
    return int(pid) if pid > 0 else None
