"""Metrics over HTTP: what is answered, to how many, and what a client that misbehaves can do."""

import http.client
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from vppcfg.app.monitoring import exporter as module
from vppcfg.app.monitoring.exporter import CONTENT_TYPE, Exporter, parse_address, passed_socket
from vppcfg.errors import UsageError


@pytest.fixture
def exporter() -> Iterator[Exporter]:
    with Exporter(lambda: "vpp_up 1\n", address="127.0.0.1:0") as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        yield found
        found.shutdown()
        thread.join()


def place(exporter: Exporter) -> tuple[str, int]:
    return "127.0.0.1", exporter.server_address[1]


def get(exporter: Exporter, path: str = "/metrics", method: str = "GET") -> tuple[int, str, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", exporter.server_address[1], timeout=5)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.headers["Content-Type"], answer.read()
    finally:
        connection.close()


def test_metrics_are_answered_as_prometheus_wants_them(exporter: Exporter) -> None:
    assert get(exporter) == (200, CONTENT_TYPE, b"vpp_up 1\n")
    assert get(exporter, method="HEAD") == (200, CONTENT_TYPE, b"")
    assert get(exporter, "/metrics?x=1")[0] == 200


def test_the_first_page_leads_to_the_metrics_and_nothing_else_is_there(exporter: Exporter) -> None:
    status, content_type, page = get(exporter, "/")
    assert (status, content_type) == (200, "text/html; charset=utf-8")
    assert b'href="/metrics"' in page
    assert get(exporter, "/../etc/passwd")[0] == 404
    assert get(exporter, method="POST")[0] == 501


def test_clients_that_say_nothing_keep_nobody_else_waiting(exporter: Exporter) -> None:
    silent = [socket.create_connection(place(exporter)) for _ in range(module._MOST_CLIENTS - 1)]
    assert get(exporter)[0] == 200
    for each in silent:
        each.close()


def test_there_are_no_more_clients_than_there_may_be(exporter: Exporter) -> None:
    silent = [socket.create_connection(place(exporter)) for _ in range(module._MOST_CLIENTS)]
    with socket.create_connection(place(exporter), timeout=5) as one_more:
        assert one_more.recv(1) == b"", "hung up on"
    for each in silent:
        each.close()
    deadline = time.monotonic() + 5
    while exporter._clients and time.monotonic() < deadline:
        time.sleep(0.01)
    assert get(exporter)[0] == 200


def test_clients_that_send_a_byte_now_and_then_are_hung_up_on(
    exporter: Exporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LONGEST_S", 0.5)
    trickling = [socket.create_connection(place(exporter)) for _ in range(module._MOST_CLIENTS)]
    closed: set[socket.socket] = set()
    deadline = time.monotonic() + 10
    while len(closed) < len(trickling) and time.monotonic() < deadline:
        for each in trickling:
            try:
                each.send(b"G")
            except OSError:
                closed.add(each)
        time.sleep(0.05)
    assert len(closed) == len(trickling)
    for each in trickling:
        each.close()
    assert get(exporter)[0] == 200


def test_of_a_request_only_so_much_is_read(exporter: Exporter) -> None:
    with socket.create_connection(place(exporter), timeout=5) as client:
        client.sendall(b"GET /metrics HTTP/1.1\r\n")
        sent, header = 0, b"A: " + 60_000 * b"a" + b"\r\n"
        with pytest.raises(OSError):
            while sent < 90:
                sent += 1
                client.sendall(header)
                time.sleep(0.01)
    assert sent < 90
    assert get(exporter)[0] == 200


def test_a_client_for_whom_there_is_no_thread_keeps_no_place(
    exporter: Exporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as broken:
        broken.setattr(threading.Thread, "start", start)
        for _ in range(2 * module._MOST_CLIENTS):
            with socket.create_connection(place(exporter), timeout=5) as client:
                assert client.recv(1) == b""
    assert get(exporter)[0] == 200


def test_one_request_reads_vpp_at_a_time() -> None:
    inside, most = [0], [0]

    def text() -> str:
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.02)
        inside[0] -= 1
        return ""

    with Exporter(text, address="127.0.0.1:0") as exporter:
        threads = [threading.Thread(target=exporter.metrics) for _ in range(5)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert most == [1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("127.0.0.1:9482", ("127.0.0.1", 9482)), ("[::1]:80", ("::1", 80)), ("router:1", ("router", 1))],
)
def test_addresses_are_host_and_port(text: str, expected: tuple[str, int]) -> None:
    assert parse_address(text) == expected


@pytest.mark.parametrize("text", ["9482", ":9482", "127.0.0.1", "127.0.0.1:", "127.0.0.1:http", "127.0.0.1:65536", ""])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not an address to listen on"):
        parse_address(text)


def test_an_address_that_is_taken_or_not_ours_is_refused(exporter: Exporter) -> None:
    taken = f"127.0.0.1:{exporter.server_address[1]}"
    for address in (taken, "192.0.2.1:9482", "no.such.host.invalid:1"):
        with pytest.raises(UsageError, match="cannot listen on"):
            Exporter(lambda: "", address=address)


def test_a_socket_that_systemd_passes_is_served(tmp_path: Path) -> None:
    """The descriptor has to be number 3 and the process that of LISTEN_PID, so a process of its own serves it."""
    program = (
        "import os, sys\n"
        "os.environ['LISTEN_PID'] = str(os.getpid())\n"
        "from vppcfg.app.monitoring.exporter import Exporter, passed_socket\n"
        "exporter = Exporter(lambda: 'vpp_up 1\\n', passed=passed_socket())\n"
        "exporter.handle_request()\n"
        "import time; time.sleep(0.5)\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1]
        child = subprocess.Popen(
            [sys.executable, "-c", program],
            env={**os.environ, "LISTEN_FDS": "1"},
            preexec_fn=lambda: os.dup2(server.fileno(), 3, inheritable=True),
            close_fds=False,
        )
    connection = http.client.HTTPConnection("127.0.0.1", number, timeout=10)
    connection.request("GET", "/metrics")
    assert connection.getresponse().read() == b"vpp_up 1\n"
    connection.close()
    assert child.wait(10) == 0


def test_sockets_of_another_process_are_left_alone() -> None:
    assert passed_socket({}) is None
    assert passed_socket({"LISTEN_PID": "1", "LISTEN_FDS": "1"}) is None
    with pytest.raises(UsageError, match="one socket is expected"):
        passed_socket({"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "2"})
