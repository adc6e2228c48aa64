"""The way to the socket: every thing that can stand in it has its own words."""

import errno
import grp
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from vppcfg.errors import DataplaneError
from vppcfg.vpp.live import connect
from vppcfg.vpp.unixsocket import open_socket, pid_of_peer


def error_of(path: str) -> DataplaneError:
    """Return the error that opening `path` ends in."""
    with pytest.raises(DataplaneError) as caught:
        open_socket(path, 0.1)
    return caught.value


def test_a_missing_socket_is_an_error_that_asks_whether_vpp_runs(tmp_path: Path) -> None:
    error = error_of(str(tmp_path / "api.sock"))
    assert "there is no VPP API socket" in error.message
    assert "is VPP running?" in error.hint


@pytest.mark.parametrize("kind", ["file", "directory", "fifo"])
def test_what_is_no_socket_is_an_error(tmp_path: Path, kind: str) -> None:
    path = tmp_path / kind
    if kind == "file":
        path.touch()
    elif kind == "directory":
        path.mkdir()
    else:
        os.mkfifo(path)
    assert error_of(str(path)).message == f"{path} is not a socket"


def test_a_socket_that_vpp_left_behind_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "api.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    assert error_of(str(path)).message == f"nothing listens at {path}"


def test_a_datagram_socket_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "api.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(path))
        assert error_of(str(path)).message.startswith(f"cannot connect to {path}: ")


@pytest.mark.parametrize("path", ["/" + "long/" * 40, ""])
def test_a_path_that_can_be_none_is_an_error(path: str) -> None:
    assert error_of(path).message.startswith(f"cannot connect to {path}: ")


def test_a_path_with_a_nul_is_an_error() -> None:
    assert "no VPP API socket" in error_of("nul\0nul").message


@pytest.mark.parametrize("group", ["root", "daemon"])
def test_no_permission_is_an_error_that_names_the_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: str
) -> None:
    def refuse(self: socket.socket, path: str) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    class ForbiddenSocket(socket.socket):
        connect = refuse  # type: ignore[assignment]

    path = tmp_path / "api.sock"
    path.touch()
    monkeypatch.setattr(socket, "socket", ForbiddenSocket)
    monkeypatch.setattr(grp, "getgrgid", lambda _: grp.getgrnam(group))
    error = error_of(str(path))
    assert error.message == f"no permission to use {path}"
    assert (f"`usermod -aG {group} USER`" in error.hint) == (group != "root") and "vppcfg as root" in error.hint


def test_a_vpp_too_busy_to_accept_is_an_error_in_bounded_time(tmp_path: Path) -> None:
    path = str(tmp_path / "api.sock")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as first:
        listener.bind(path)
        listener.listen(0)
        first.connect(path)
        assert error_of(path).message == f"VPP at {path} does not accept clients"


def test_a_socket_behind_which_nobody_speaks_is_an_error(tmp_path: Path) -> None:
    path = str(tmp_path / "api.sock")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        with pytest.raises(DataplaneError, match=rf"^VPP at {path} has not answered for 0\.1 seconds"):
            connect(path, timeout_s=0.1)


LISTENER = """
import socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
    listener.bind(sys.argv[1])
    listener.listen()
    print("listening", flush=True)
    sys.stdin.read()
"""


def test_the_peer_of_a_socket_is_the_process_that_listens(tmp_path: Path) -> None:
    path = str(tmp_path / "api.sock")
    command = (sys.executable, "-c", LISTENER, path)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as listener:
        assert listener.stdout is not None and listener.stdin is not None
        assert listener.stdout.readline() == b"listening\n"
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.connect(path)
            assert pid_of_peer(sock) == listener.pid
        listener.stdin.close()


def test_a_pair_of_sockets_has_this_process_at_both_ends() -> None:
    one, other = socket.socketpair()
    with one, other:
        assert pid_of_peer(one) == os.getpid()


def test_what_has_no_peer_has_no_process() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        assert pid_of_peer(sock) is None
    assert pid_of_peer(sock) is None
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        assert pid_of_peer(sock) is None
