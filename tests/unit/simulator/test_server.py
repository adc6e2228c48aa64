"""The server survives what clients do, and serves many at once."""

from __future__ import annotations

import os
import random
import socket
import struct
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.laws.examples import examples
from tests.unit.simulator.wire import CONTEXT, HEADER, Wire
from vppcfg.errors import UsageError
from vppcfg.simulator.server import SimulatorServer, serve_stream
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.simulator.wire import Value

ALL = 0xFFFFFFFF


def is_alive(vpp: SimulatedVpp, server: SimulatorServer) -> bool:
    wire = Wire.to(vpp, server)
    answer = wire.call("control_ping")
    wire.close()
    return bool(answer[0] == 0)


@pytest.mark.parametrize("name", ["control_ping", "cli_inband", "sw_interface_dump", "sw_interface_tag_add_del"])
def test_a_message_that_is_cut_is_not_answered(wire: Wire, name: str) -> None:
    message = wire.codec.pack(name, wire.codec.zeros(name))
    for length in range(len(message)):
        wire.send_raw(message[:length])
    assert wire.call("control_ping")[0] == 0


def test_unknown_ids_and_strings_beyond_the_end_are_not_answered(wire: Wire) -> None:
    for message in (b"", b"\0", struct.pack(">HII", 60000, 0, 0), struct.pack(">HII", 0, 0, 0)):
        wire.send_raw(message)
    cli = wire.packed("cli_inband", wire.handle, CONTEXT, b"")
    wire.send_raw(cli[:-4] + struct.pack(">I", ALL))
    assert wire.call("control_ping")[0] == 0


def test_a_reply_sent_as_a_request_is_not_answered(wire: Wire) -> None:
    wire.send("control_ping_reply", [CONTEXT, 0, 0, 0])
    assert wire.call("control_ping")[0] == 0


def test_a_length_beyond_reason_drops_the_client_and_nobody_else(
    vpp: SimulatedVpp, server: SimulatorServer, wire: Wire
) -> None:
    wire.sock.sendall(HEADER.pack(0, ALL, 0) + b"x" * 100)
    with pytest.raises((EOFError, ConnectionResetError)):
        wire.receive()
    assert is_alive(vpp, server)


def test_a_client_that_vanishes_in_the_middle_hurts_nobody(
    vpp: SimulatedVpp, server: SimulatorServer, wire: Wire
) -> None:
    wire.sock.sendall(HEADER.pack(0, 1000, 0) + b"x" * 10)
    wire.close()
    assert is_alive(vpp, server)


def test_a_client_that_does_not_read_gets_everything_later(wire: Wire) -> None:
    rows = 3
    for _ in range(5000):
        wire.send("sw_interface_dump", [wire.handle, CONTEXT, ALL, False, b""])
    wire.send("control_ping", [wire.handle, CONTEXT])
    names = [wire.receive()[0] for _ in range(5000 * rows + 1)]
    assert (names.count("sw_interface_details"), names[-1]) == (5000 * rows, "control_ping_reply")


def test_a_client_that_never_reads_is_dropped(
    vpp: SimulatedVpp, server: SimulatorServer, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.simulator.sockets._MAX_UNREAD_BYTES", 1 << 20)
    with pytest.raises(OSError):
        for _ in range(20000):
            wire.send("sw_interface_dump", [wire.handle, CONTEXT, ALL, False, b""])
    assert is_alive(vpp, server)


def test_answers_go_to_whom_the_message_names(vpp: SimulatedVpp, server: SimulatorServer, wire: Wire) -> None:
    other = Wire.to(vpp, server)
    other.send("control_ping", [wire.handle, CONTEXT])
    assert wire.receive()[0] == "control_ping_reply"
    other.send("control_ping", [12345, CONTEXT])
    assert other.call("control_ping")[0] == 0
    other.close()


@examples(80)
@given(data=st.data())
def test_no_message_with_random_values_ends_the_server(vpp: SimulatedVpp, data: st.DataObject) -> None:
    """Every message, with random bytes in its body, straight into the message layer."""
    near, far = socket.socketpair()
    server = SimulatorServer(vpp)
    server.add_client(far)
    name = data.draw(st.sampled_from(sorted(name.decode().rpartition("_")[0] for _, name in vpp.message_table)))
    size = len(vpp.codec.pack(name, vpp.codec.zeros(name)))
    body = data.draw(st.binary(min_size=0, max_size=size + 20))
    message = vpp.codec.pack(name, vpp.codec.zeros(name))[:2] + body
    near.sendall(HEADER.pack(0, len(message), 0) + message)
    near.close()
    server.run_until_idle()


@pytest.mark.parametrize("seed", range(3))
def test_random_indexes_and_numbers_do_not_end_the_server(vpp: SimulatedVpp, seed: int) -> None:
    source = random.Random(seed)
    near, far = socket.socketpair()
    thread = threading.Thread(target=serve_stream, args=(vpp, far))
    thread.start()
    wire = Wire(vpp, near)
    # VPP does not survive the attachment of a policy that it does not know, some maps of DET44, what is left of path
    # MTUs in tables that go, another path for what has one over a deleted interface, and a BVI, a member of a bond or a
    # DHCP client without a MAC address; nor neighbours of tunnels in a VRF, and gratuitous ARP without Ethernet.
    fatal = {"sockclnt_create", "sockclnt_delete", "abf_itf_attach_add_del", "det44_add_del_map", "ip_path_mtu_update"}
    fatal |= {
        "sw_interface_set_l2_bridge",
        "bond_add_member",
        "bond_enslave",
        "dhcp_client_config",
        "ip6nd_proxy_add_del",
        "teib_entry_add_del",
        "arping",
        "arping_acd",
    }
    names = {name.decode().rpartition("_")[0] for _, name in vpp.message_table} - fatal
    requests = sorted(name for name in names if not name.endswith(("_reply", "_details", "_event")))
    for _ in range(3000):
        name = source.choice(requests)
        zeros = list(wire.codec.zeros(name).values())[2:]
        values = [_anything(source, zero) for zero in zeros]
        wire.send(name, [wire.handle, CONTEXT, *values])
    assert wire.dump("sw_interface_dump", ALL, False, b"")
    wire.close()
    thread.join(10)
    assert not thread.is_alive()


def _anything(source: random.Random, zero: object) -> Value:
    if isinstance(zero, tuple):
        return ()
    if isinstance(zero, bool):
        return source.random() < 0.7
    if isinstance(zero, bytes):
        names = [b"set interface state eth0 up", b"lcp create eth0 host-if x", b"\xff\xfe", b"a" * 64]
        return source.choice([source.randbytes(len(zero)), source.choice(names)])
    return source.choice([0, 1, 1, 2, 3, 4, 16, 18, 255])


def test_a_socketpair_is_served_until_its_other_end_closes(vpp: SimulatedVpp) -> None:
    near, far = socket.socketpair()
    thread = threading.Thread(target=serve_stream, args=(vpp, far))
    thread.start()
    wire = Wire(vpp, near)
    assert wire.call("control_ping")[0] == 0
    wire.close()
    thread.join(5)
    assert not thread.is_alive()


def test_run_serves_until_stop(vpp: SimulatedVpp, tmp_path: Path) -> None:
    server = SimulatorServer(vpp, tmp_path / "api.sock")
    server.listen()
    thread = threading.Thread(target=server.run)
    thread.start()
    assert is_alive(vpp, server)
    server.stop()
    thread.join(5)
    assert (thread.is_alive(), (tmp_path / "api.sock").exists()) == (False, False)


def test_a_socket_that_nobody_listens_on_is_replaced(vpp: SimulatedVpp, tmp_path: Path) -> None:
    path = tmp_path / "api.sock"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    with SimulatorServer(vpp, path) as server:
        assert is_alive(vpp, server)


def test_a_socket_in_use_is_left_alone(vpp: SimulatedVpp, tmp_path: Path) -> None:
    path = tmp_path / "api.sock"
    with SimulatorServer(vpp, path) as server:
        second = SimulatorServer(SimulatedVpp(), path)
        with pytest.raises(UsageError, match="a VPP answers"):
            second.listen()
        second.stop()
        assert is_alive(vpp, server)


@pytest.mark.parametrize("kind", ["file", "missing folder", "long"])
def test_a_path_that_cannot_be_a_socket_is_an_error(vpp: SimulatedVpp, tmp_path: Path, kind: str) -> None:
    paths = {"file": tmp_path / "file", "missing folder": tmp_path / "a/b", "long": tmp_path / ("x" * 120)}
    (tmp_path / "file").write_text("precious")
    server = SimulatorServer(vpp, paths[kind])
    with pytest.raises(UsageError):
        server.listen()
    server.stop()
    assert (tmp_path / "file").read_text() == "precious"


def test_stopping_twice_is_no_error_and_leaves_no_descriptor(vpp: SimulatedVpp, tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    server = SimulatorServer(vpp, tmp_path / "api.sock")
    server.start()
    server.stop()
    server.stop()
    assert len(os.listdir("/proc/self/fd")) == before
