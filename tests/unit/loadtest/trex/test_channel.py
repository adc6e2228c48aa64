"""Messages to a server and back: framing, silence, nonsense."""

from __future__ import annotations

import json
import struct
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import zmq
from hypothesis import given
from hypothesis import strategies as st

from tests.trex_server import StandInTrex
from tests.unit.loadtest.samples import CHECKS
from vppcfg.errors import EngineError
from vppcfg.loadtest.trex.channel import TrexChannel, compressed, expanded, host_and_port


@contextmanager
def parrot(answer: bytes) -> Iterator[int]:
    """Answer everything alike; yield the port."""
    context: Any = zmq.Context()
    socket = context.socket(zmq.REP)
    port: int = socket.bind_to_random_port("tcp://127.0.0.1")
    is_over = threading.Event()

    def serve() -> None:
        while not is_over.is_set():
            if socket.poll(10):
                socket.recv()
                socket.send(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield port
    finally:
        is_over.set()
        thread.join()
        socket.close(linger=0)
        context.term()


@CHECKS
@given(message=st.binary())
def test_compression_is_undone(message: bytes) -> None:
    assert expanded(compressed(message)) == message


def test_the_frame_is_that_of_t_rex() -> None:
    assert compressed(b"{}")[:8] == bytes.fromhex("abe85cea00000002")


@pytest.mark.parametrize("length", [1, 3, 1 << 31])
def test_a_frame_whose_length_is_wrong_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="a message of"):
        expanded(struct.pack("!II", 0xABE85CEA, length) + zlib.compress(b"{}"))


def test_a_compressed_answer_is_read() -> None:
    with parrot(compressed(json.dumps({"result": 1}).encode())) as port:
        channel = TrexChannel("127.0.0.1", port)
        assert channel.request({}) == {"result": 1}
        channel.close()


@pytest.mark.parametrize("answer", [b"hello", b"\xab\xe8\x5c\xea\x00\x00\x00\x02xx", b"\xff", b"[" * 100_000])
def test_an_answer_that_is_no_json_is_an_error(answer: bytes) -> None:
    with parrot(answer) as port:
        channel = TrexChannel("127.0.0.1", port)
        with pytest.raises(EngineError, match="answers what no T-Rex server does"):
            channel.request({})
        channel.close()


def test_a_server_that_is_silent_is_an_error_and_may_answer_later(server: StandInTrex) -> None:
    channel = TrexChannel("127.0.0.1", server.port, timeout_s=0.2)
    request = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}
    server.is_mute = True
    with pytest.raises(EngineError, match=r"cannot be reached: no answer within 0\.2 s"):
        channel.request(request)
    server.is_mute = False
    time.sleep(0.1)
    assert "result" in channel.request(request)
    channel.close()


def test_a_host_that_is_none_is_an_error() -> None:
    channel = TrexChannel("no such host", timeout_s=0.2)
    with pytest.raises(EngineError, match="T-Rex at no such host:4501 cannot be reached"):
        channel.request({})
    channel.close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("trex", ("trex", 4501)),
        ("trex:4600", ("trex", 4600)),
        ("::1", ("::1", 4501)),
        ("[::1]", ("::1", 4501)),
        ("[::1]:4600", ("::1", 4600)),
    ],
)
def test_a_server_is_named_by_host_and_port(text: str, expected: tuple[str, int]) -> None:
    assert host_and_port(text) == expected


@pytest.mark.parametrize("text", ["", ":4501", "trex:", "trex:x", "trex:0", "trex:70000"])
def test_what_names_no_server_is_refused(text: str) -> None:
    with pytest.raises(EngineError, match="names no server"):
        host_and_port(text)
