"""Connects to a Unix socket of VPP, reports why that fails, and finds whose process answers."""

from __future__ import annotations

import grp
import os
import socket
import stat
import struct
import time

from vppcfg.errors import DataplaneError

_UCRED = struct.Struct("iII")
"""struct ucred (linux/socket.h): process, user, group."""
_PAUSE_S = 0.05
_WHERE = "is VPP running? socksvr { default } in startup.conf opens the socket; -a names another path"


def open_socket(path: str, timeout_s: float) -> socket.socket:
    """Return a stream socket connected to `path`, waiting at most `timeout_s` while VPP is too busy to accept.

    Raise DataplaneError when that cannot be had.
    """
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.setblocking(False)
    try:
        _connect(sock, path, time.monotonic() + timeout_s)
    except (OSError, ValueError) as error:
        sock.close()
        raise _explain(path, error) from error
    except BaseException:
        sock.close()
        raise
    return sock


def _connect(sock: socket.socket, path: str, deadline: float) -> None:
    while True:
        try:
            sock.connect(path)
            return
        except BlockingIOError:  # as many clients wait as the socket lets wait
            if time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_S)


def _explain(path: str, error: OSError | ValueError) -> DataplaneError:
    """Return what an operator can do about `error`."""
    if isinstance(error, BlockingIOError):
        return DataplaneError(f"VPP at {path} does not accept clients", "is VPP hung? see `vppctl show api clients`")
    if isinstance(error, PermissionError):
        return DataplaneError(f"no permission to use {path}", _permission_hint(path))
    if isinstance(error, FileNotFoundError):
        return DataplaneError(f"there is no VPP API socket at {path}", _WHERE)
    if not _is_socket(path):
        return DataplaneError(f"{path} is not a socket", _WHERE)
    if isinstance(error, ConnectionRefusedError):
        return DataplaneError(f"nothing listens at {path}", "VPP has stopped and left the socket behind: start VPP")
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return DataplaneError(f"cannot connect to {path}: {reason}", _WHERE)


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.stat(path).st_mode)
    except (OSError, ValueError):
        return True  # what is wrong is the path itself, and the error names it


def _permission_hint(path: str) -> str:
    try:
        group = grp.getgrgid(os.stat(path).st_gid).gr_name
    except (OSError, KeyError):
        return "run vppcfg as root, or as a user who may enter the socket's directory"
    if group == "root":
        return "run vppcfg as root, to whom the socket belongs"
    return f"the socket belongs to group {group}: `usermod -aG {group} USER` and log in again, or run vppcfg as root"


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
