"""A listening UNIX socket: made, and a stale one replaced, but nothing else that is there."""

from __future__ import annotations

import socket
from pathlib import Path

from vppcfg.errors import UsageError

_HINT = "name another path with --socket or --stats-socket"
_BACKLOG = 64


def listen_on(path: Path, kind: socket.SocketKind = socket.SOCK_STREAM) -> socket.socket:
    """Return a socket that listens on `path`; raise UsageError when that cannot be, or somebody answers there."""
    _remove_stale(path, kind)
    listener = socket.socket(socket.AF_UNIX, kind)
    try:
        listener.bind(str(path))
        listener.listen(_BACKLOG)
    except OSError as problem:
        listener.close()
        raise UsageError(f"cannot listen on {path}: {problem.strerror or problem}", _HINT) from problem
    listener.setblocking(False)
    return listener


def is_answered(path: Path, kind: socket.SocketKind) -> bool:
    """Return whether somebody listens on `path`; raise OSError when that cannot be told."""
    with socket.socket(socket.AF_UNIX, kind) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except (ConnectionRefusedError, FileNotFoundError):
            return False
    return True


def _remove_stale(path: Path, kind: socket.SocketKind) -> None:
    """Remove a socket that nobody listens on; raise UsageError when somebody does or it is something else."""
    try:
        if not path.exists():
            return
        if not path.is_socket():
            raise UsageError(f"{path} exists and is no socket", _HINT)
        if is_answered(path, kind):
            raise UsageError(f"a VPP answers at {path} already", f"stop it, or {_HINT}")
        path.unlink(missing_ok=True)
    except OSError as problem:
        raise UsageError(f"cannot use {path}: {problem.strerror or problem}", _HINT) from problem
