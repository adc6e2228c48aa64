"""Contract: hello, goodbye, ping, versions and events."""

import json
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.contract.conftest import SIMULATED
from tests.contract.raw import Raw
from tests.contract.subject import ALL, Subject
from tests.real_vpp import prefix, skip_reason
from vppcfg.simulator.api import documents
from vppcfg.simulator.releases import release_named
from vppcfg.vpp.definitions import parse

SOCKCLNT_DELETE, CONTROL_PING = 17, 23
SOCKET_CLIENT = 0x80000000


def test_a_ping_is_answered(vpp: Subject) -> None:
    reply = vpp.api.control_ping()
    assert (reply.retval, reply.vpe_pid > 0) == (0, True)


def test_a_version_is_shown(vpp: Subject) -> None:
    reply = vpp.api.show_version()
    assert (reply.retval, reply.program) == (0, "vpe")
    assert reply.version[:3].rstrip(".").isdigit()


def test_the_list_of_api_versions_is_empty(vpp: Subject) -> None:
    reply = vpp.api.api_versions()
    assert (reply.retval, reply.count) == (0, 0)


def test_the_clock_is_the_wall_clock(vpp: Subject) -> None:
    reply = vpp.api.show_vpe_system_time()
    assert abs(reply.vpe_system_time.timestamp() - time.time()) < 60


@pytest.mark.filterwarnings("ignore:open_text is deprecated:DeprecationWarning")
def test_a_client_connects_without_definition_files(vpp: Subject) -> None:
    from vpp_papi import VPPApiClient

    assert vpp.api.get_api_json().retval == 0
    client = VPPApiClient(server_address=vpp.client.transport.server_address, use_socket=True, bootstrapapi=True)
    with ExitStack() as stack:
        client.connect("bootstrap")
        stack.callback(client.disconnect)
        names = {str(row.interface_name) for row in client.api.sw_interface_dump(sw_if_index=ALL)}
    assert names == set(vpp.interfaces())


def test_simulator_and_vpp_define_messages_alike() -> None:
    reason = skip_reason()
    if reason is not None:
        pytest.skip(reason)
    files = sorted((prefix() / "share/vpp/api").rglob("*.api.json"))  # those too that vppcfg has no use for
    real = parse(json.loads(path.read_bytes()) for path in files)
    told = parse(documents(release_named(SIMULATED)))
    assert [each for each in told.messages.values() if real.messages.get(each.name) != each] == []
    used = real.structs.keys() & told.structs.keys()
    assert [name for name in sorted(used) if real.structs[name] != told.structs[name]] == []


def test_goodbye_to_somebody_unknown_is_refused(vpp: Subject) -> None:
    assert vpp.api.sockclnt_delete(index=12345).response == -1


def test_events_are_told_to_those_who_asked(vpp: Subject, first: int) -> None:
    seen: list[tuple[str, int, int, bool]] = []

    def note(_name: str, message: Any) -> None:
        if hasattr(message, "deleted"):
            seen.append((type(message).__name__, message.sw_if_index, int(message.flags) & 1, bool(message.deleted)))

    vpp.client.register_event_callback(note)
    assert vpp.api.want_interface_events(enable_disable=1, pid=7).retval == 0
    vpp.up(first)
    sub = vpp.sub(first, 100)
    assert vpp.api.delete_subif(sw_if_index=sub).retval == 0
    _wait_for(lambda: any(event[3] for event in seen))
    assert ("sw_interface_event", first, 1, False) in seen
    assert any(event[1:] == (sub, 0, True) for event in seen)


def test_asking_twice_for_events_is_refused(vpp: Subject) -> None:
    answers = [vpp.api.want_interface_events(enable_disable=wanted, pid=7).retval for wanted in (0, 1, 1, 0, 0)]
    assert answers == [-31, 0, -31, 0, -31]


@pytest.fixture
def raw(vpp: Subject) -> Iterator[Raw]:
    client = Raw(vpp.client.transport.server_address)
    yield client
    client.close()


def test_the_hello_tells_the_handle_under_which_answers_come(vpp: Subject, raw: Raw) -> None:
    told = raw.handle if vpp.since("26.10") else 0
    assert raw.handle & SOCKET_CLIENT
    raw.send(struct.pack(">HII", CONTROL_PING, raw.handle, 7))
    assert struct.unpack_from(">HIiI", raw.receive()) == (CONTROL_PING + 1, 7, 0, told)


@pytest.mark.parametrize("handle", [0, 1, SOCKET_CLIENT | 4711])
def test_a_message_under_an_unknown_handle_is_carried_out_without_an_answer(raw: Raw, handle: int) -> None:
    raw.send(struct.pack(">HII", CONTROL_PING, handle, 7))
    assert raw.is_silent()


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"\0",
        struct.pack(">H", CONTROL_PING),
        struct.pack(">HIH", CONTROL_PING, 0, 0),
        struct.pack(">HII", 60000, 0, 0),
        struct.pack(">HII", CONTROL_PING + 1, 0, 0),
    ],
)
def test_what_is_no_message_is_passed_over(raw: Raw, message: bytes) -> None:
    raw.send(message)
    assert raw.is_silent()
    raw.send(struct.pack(">HII", CONTROL_PING, raw.handle, 7))
    assert raw.receive()[:2] == struct.pack(">H", CONTROL_PING + 1)


def test_more_than_the_message_is_no_harm(raw: Raw) -> None:
    raw.send(struct.pack(">HIIQ", CONTROL_PING, raw.handle, 7, 1))
    assert raw.receive()[:6] == struct.pack(">HI", CONTROL_PING + 1, 7)


def test_goodbye_is_answered_and_then_the_connection_ends(raw: Raw) -> None:
    raw.send(struct.pack(">HIII", SOCKCLNT_DELETE, raw.handle, 7, raw.handle))
    assert raw.receive() == struct.pack(">HIi", SOCKCLNT_DELETE + 1, 7, 1)
    assert raw.receive() == b""


def _wait_for(condition: Any) -> None:
    deadline = time.monotonic() + 5
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
