"""Whose process listens at the other end of a socket."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from vppcfg.vpp.peer import pid_of_peer

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
