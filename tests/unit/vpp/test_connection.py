"""A session with a VPP: how it begins and ends, and what becomes of a VPP that does not behave."""

import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.unit.vpp.stub_vpp import HANG_UP, StubVpp, connected, frame
from vppcfg.errors import DataplaneError
from vppcfg.simulator.api import write_api_dir
from vppcfg.vpp.live import LiveDataplane

SILENCE_S = 0.1


def error_of(stub: StubVpp, json_dir: str | None = None, timeout_s: float = SILENCE_S) -> DataplaneError:
    """Return the error that connecting to `stub` and reading its state ends in."""
    with pytest.raises(DataplaneError) as caught, connected(stub, json_dir, timeout_s) as plane:
        plane.observe()
    assert caught.value.hint
    return caught.value


def test_closing_twice_says_goodbye_once() -> None:
    stub = StubVpp()
    with connected(stub) as plane:
        plane.close()
        plane.close()
    assert stub.asked.count("sockclnt_delete") == 1


def test_goodbye_is_said_when_the_work_is_interrupted() -> None:
    stub = StubVpp()
    with pytest.raises(KeyboardInterrupt), connected(stub):
        raise KeyboardInterrupt
    assert stub.asked[-1] == "sockclnt_delete"


def test_goodbye_is_said_after_an_error_while_connecting() -> None:
    stub = StubVpp()
    stub.answers["show_version"] = lambda request: []
    assert "does not report its version" in error_of(stub).message
    assert stub.asked[-1] == "sockclnt_delete"


def test_a_goodbye_that_is_not_answered_is_not_awaited_for_long() -> None:
    stub = StubVpp()
    stub.answers["sockclnt_delete"] = lambda request: []
    start = time.monotonic()
    with connected(stub, timeout_s=SILENCE_S):
        pass
    assert time.monotonic() - start < 20


def test_a_vpp_that_hangs_up_on_goodbye_is_no_error() -> None:
    stub = StubVpp()
    stub.answers["sockclnt_delete"] = lambda request: [HANG_UP]
    with connected(stub):
        pass


def test_a_broken_off_question_leaves_whole_messages_behind() -> None:
    """Thousands of requests are queued and some have left, maybe in part, when an answer makes no sense."""
    stub = StubVpp()
    for index in range(1, 3000):
        stub.add_interface(index, f"port{index}")
    answered = threading.Event()

    def nonsense(request: object) -> list[bytes]:
        if answered.is_set():
            return []
        answered.set()
        return [frame(b"")]

    stub.answers["ip_address_dump"] = nonsense
    assert "does not speak VPP's binary API" in error_of(stub, timeout_s=10).message
    assert stub.asked[-1] == "sockclnt_delete"


STAGES = ("sockclnt_create", "get_api_json", "show_version", "sw_interface_dump", "ip_address_dump")


@pytest.mark.parametrize("stage", STAGES)
def test_a_vpp_that_closes_is_an_error(stage: str) -> None:
    stub = StubVpp()
    stub.add_interface(1, "port1")
    stub.answers[stage] = lambda request: [HANG_UP]
    assert "went away" in error_of(stub).message


@pytest.mark.parametrize("stage", STAGES)
def test_a_vpp_that_falls_silent_is_an_error_in_bounded_time(stage: str) -> None:
    stub = StubVpp()
    stub.add_interface(1, "port1")
    ping = stub.answers["control_ping"]
    stub.answers["control_ping"] = lambda request: [] if stage in stub.asked else ping(request)
    stub.answers[stage] = lambda request: []
    start = time.monotonic()
    assert f"has not answered for {SILENCE_S} seconds" in error_of(stub).message
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    "garbage",
    [b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", bytes(32), b"\xff" * 64, frame(b"\0\1")],
    ids=["text", "zeros", "ones", "short"],
)
def test_a_vpp_that_sends_garbage_is_an_error(stage: str, garbage: bytes) -> None:
    stub = StubVpp()
    stub.add_interface(1, "port1")
    stub.answers[stage] = lambda request: [garbage]
    assert "does not speak VPP's binary API" in error_of(stub).message


@pytest.mark.parametrize("stage", STAGES)
def test_half_a_message_is_an_error(stage: str) -> None:
    stub = StubVpp()
    stub.add_interface(1, "port1")
    stub.answers.setdefault("ip_address_dump", lambda request: [stub.say("ip_address_details", request)])
    whole = stub.answers[stage]
    stub.answers[stage] = lambda request: [whole(request)[0][:20], HANG_UP]
    assert "went away" in error_of(stub).message


@pytest.mark.parametrize(
    ("stage", "reply"),
    [
        ("sockclnt_create", "sockclnt_create_reply"),
        ("show_version", "show_version_reply"),
        ("sw_interface_dump", "sw_interface_details"),
        ("ip_address_dump", "ip_address_details"),
        ("bridge_domain_dump", "bridge_domain_details"),
        ("lcp_itf_pair_get", "lcp_itf_pair_details"),
        ("cli_inband", "cli_inband_reply"),
        ("get_api_json", "get_api_json_reply"),
    ],
)
def test_a_reply_shorter_than_its_definition_is_an_error(stage: str, reply: str) -> None:
    stub = StubVpp()
    stub.add_interface(1, "port1")
    stub.answers[stage] = lambda request: [frame(stub.say(reply, request)[16:26])]
    assert reply in error_of(stub).message


def test_another_message_in_place_of_the_greeting_is_an_error() -> None:
    stub = StubVpp()
    stub.answers["sockclnt_create"] = lambda request: [stub.say("show_version_reply", request)]
    assert "sockclnt_create_reply does not match its definition" in error_of(stub).message


def test_a_vpp_that_takes_no_clients_is_an_error() -> None:
    stub = StubVpp()
    stub.answers["sockclnt_create"] = lambda request: [
        stub.say("sockclnt_create_reply", request, {"response": -1, "index": 1})
    ]
    assert "does not take more API clients" in error_of(stub).message


def test_messages_come_in_pieces_of_any_size() -> None:
    stub = StubVpp()
    stub.add_interface(1, "port1")
    for name in ("sockclnt_create", "show_version", "sw_interface_dump"):
        stub.answers[name] = in_pieces(stub.answers[name])
    with connected(stub) as plane:
        assert list(plane.observe().interfaces) == ["port1"]


def in_pieces(answer: Callable[..., list[bytes]]) -> Callable[..., list[bytes]]:
    """Return `answer` with every message cut into pieces."""
    return lambda request: [data[at : at + 7] for data in answer(request) for at in range(0, len(data), 7)]


def test_messages_that_nobody_asked_for_are_passed_over() -> None:
    stub = StubVpp()
    stub.add_interface(1, "port1")
    dump = stub.answers["sw_interface_dump"]
    stub.answers["sw_interface_dump"] = lambda request: [frame(b"\xff\xff\0\0\0\0keepalive"), *dump(request)]
    with connected(stub) as plane:
        assert list(plane.observe().interfaces) == ["port1"]


def test_thousands_of_requests_do_not_fill_both_sockets_up() -> None:
    """A VPP that answers each message before it reads the next, over buffers of the smallest size."""
    stub = StubVpp()
    for index in range(1, 4001):
        stub.add_interface(index, f"port{index}")
    padding = {"prefix.address.un": b"\x0a\1\1\1", "prefix.len": 32}
    stub.answers["ip_address_dump"] = lambda request: [
        stub.say("ip_address_details", request, {"sw_if_index": request.value("sw_if_index")} | padding)
    ]
    with connected(stub, timeout_s=5) as plane:
        state = plane.observe()
    assert all(interface.addresses == {"10.1.1.1/32"} for interface in state.interfaces.values())
    assert len(state.interfaces) == 4000


def test_a_vpp_that_serves_no_definitions_needs_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VPP_API_DIR", str(tmp_path / "nowhere"))
    stub = StubVpp("23.06")
    assert "nowhere is not a directory" in error_of(stub).message
    write_api_dir(tmp_path, "23.06")
    stub.drop("bridge_domain_dump", "ip_table_dump")
    with connected(stub, str(tmp_path)) as plane:
        assert plane.version == "23.06-release"


def test_a_vpp_that_serves_nothing_when_asked_needs_a_directory(tmp_path: Path) -> None:
    write_api_dir(tmp_path, "26.10")
    stub = StubVpp(serves=False)
    with connected(stub, str(tmp_path)) as plane:
        assert plane.version == "26.10-release"


def test_definitions_of_another_vpp_are_an_error_that_says_so() -> None:
    stub = StubVpp()
    stub.table = [(index, key.replace("sw_interface_dump_", "sw_interface_dump_f")) for index, key in stub.table]
    error = error_of(stub)
    assert error.message == "the API definitions of sw_interface_dump are not those of the running VPP"
    assert "--vpp-json-dir" in error.hint


def test_a_message_that_vpp_lacks_is_an_error_that_names_it() -> None:
    stub = StubVpp()
    stub.drop("sw_interface_dump")
    assert error_of(stub).message == "the running VPP has no message sw_interface_dump"


def test_two_vpps_of_different_releases_do_not_mix_in_one_process() -> None:
    """Their messages have other ids, and one has a field more in front of the others."""
    old, new = StubVpp("24.10"), StubVpp("26.10")
    for item in new.documents:
        for message in item["messages"]:
            if message[0] == "sw_interface_details":
                message.insert(3, ["u64", "something_new"])
                message[-1] = {"crc": "0x0badcafe"}
    new.build()
    old.add_interface(1, "old1")
    new.add_interface(2, "new2", tag="theirs")
    with connected(old) as first, connected(new) as second:
        assert list(first.observe().interfaces) == ["old1"]
        assert second.observe().interfaces["new2"].tag == "theirs"
        assert list(first.observe().interfaces) == ["old1"]


def test_a_closed_connection_is_an_error_not_a_wait() -> None:
    with connected(StubVpp()) as plane:
        plane.close()
        with pytest.raises(DataplaneError, match="went away"):
            plane.observe()


def test_the_other_side_is_named_in_errors() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    with pytest.raises(DataplaneError, match=r"^VPP at here went away"):
        LiveDataplane.over(ours, peer="VPP at here")


@pytest.mark.parametrize("crc", ["", "0xdeadbeef"])
def test_a_vpp_is_asked_for_its_definitions_only_where_the_files_are_of_another_one(tmp_path: Path, crc: str) -> None:
    stub = StubVpp()
    for number, document in enumerate(stub.documents):
        copy = json.loads(json.dumps(document))
        for message in copy["messages"] if crc else ():
            message[-1]["crc"] = crc
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "interface.api.json").write_text(json.dumps(copy))
    with connected(stub, str(tmp_path)) as plane:
        assert plane.observe().facts.version == stub.version
    assert ("get_api_json" in stub.asked) == bool(crc)
