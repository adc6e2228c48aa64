"""A VPP that never comes to an end: however it sends, and whatever it says of its messages, a command does."""

import json
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, cast

import pytest

from tests.unit.vpp.stub_vpp import Answer, Request, StubVpp, connected, frame
from vppcfg.errors import DataplaneError
from vppcfg.kinds.interface import SetAdminState
from vppcfg.kinds.loopback import CreateLoopback
from vppcfg.operations.request import Value
from vppcfg.vpp import connection as one_round

SILENCE_S = 0.3
NEVER_S = 60.0
"""For ever, in a test that must end when it fails, on a busy machine too."""


def endless(say: Callable[[Request], bytes], pause_s: float = SILENCE_S / 6) -> Answer:
    """Return an answer that goes on and on, each piece soon after the one before it."""

    def pieces(request: Request) -> Iterator[bytes]:
        end = time.monotonic() + NEVER_S
        while time.monotonic() < end:
            yield say(request)
            time.sleep(pause_s)

    return cast(Answer, pieces)


def error_of(
    stub: StubVpp, work: Callable[[Any], object] = lambda plane: plane.observe(), silence_s: float = SILENCE_S
) -> str:
    """Return the error that some work with `stub` ends in, before endless answers end."""
    start = time.monotonic()
    with pytest.raises(DataplaneError) as caught, connected(stub, timeout_s=silence_s) as plane:
        work(plane)
    assert caught.value.hint
    assert time.monotonic() - start < NEVER_S
    return caught.value.message


@pytest.fixture
def stub() -> StubVpp:
    stub = StubVpp(plugins=("linux_cp", "gre"))
    stub.add_interface(1, "port1")
    return stub


@pytest.mark.parametrize("stage", ["sockclnt_create", "get_api_json", "show_version", "sw_interface_dump"])
def test_a_byte_now_and_then_is_no_answer(stub: StubVpp, stage: str) -> None:
    first = [b"\xab" * 8 + (10_000).to_bytes(4) + bytes(4)]
    stub.answers[stage] = endless(lambda request: first.pop() if first else b"\0")
    assert "sent no whole message in 1.8 seconds" in error_of(stub)


@pytest.mark.parametrize("stage", ["get_api_json", "show_version", "sw_interface_dump", "ip_address_dump"])
def test_a_message_now_and_then_ends_no_answer(stub: StubVpp, stage: str) -> None:
    row: dict[str, Value] = {"sw_if_index": 1, "interface_name": "port1"}
    stub.answers[stage] = endless(lambda request: stub.say("sw_interface_details", request, row))
    assert "sends answers without end" in error_of(stub)


def test_an_event_now_and_then_is_no_answer_to_a_question(stub: StubVpp) -> None:
    stub.answers["want_interface_events"] = lambda request: [stub.say("want_interface_events_reply", request)]
    stub.answers["ip_address_dump"] = endless(lambda request: stub.say("sw_interface_event", request))

    def follow(plane: Any) -> None:
        plane.follow()
        plane.observe()

    assert "sends answers without end" in error_of(stub, follow)


def test_an_event_now_and_then_is_no_answer_to_a_step(stub: StubVpp) -> None:
    stub.answers["sw_interface_set_flags"] = endless(lambda request: stub.say("sw_interface_event", request))
    said = error_of(stub, lambda plane: plane.perform([SetAdminState(interface="port1", is_up=True)]))
    assert said == "VPP has not answered for 1.8 seconds; 0 of 1 operations were answered"


def test_answers_to_steps_may_take_long_together(stub: StubVpp) -> None:
    """Each of twelve takes less than the silence, all together take longer than one answer may."""

    def slowly(request: Request) -> list[bytes]:
        time.sleep(0.6 * SILENCE_S)
        return [stub.say("sw_interface_set_flags_reply", request)]

    stub.answers["sw_interface_set_flags"] = slowly
    steps = [SetAdminState(interface="port1", is_up=True)] * 12
    with connected(stub, timeout_s=SILENCE_S) as plane:
        assert len(plane.perform(steps).done) == 12


def test_of_endless_messages_only_so_many_are_kept(stub: StubVpp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_round, "_MOST_BYTES", 4 << 20)
    many: list[bytes] = []

    def flood(request: Request) -> bytes:
        many[:] = many or [1000 * stub.say("sw_interface_event", request)]
        return many[0]

    stub.answers["ip_address_dump"] = endless(flood, pause_s=0)
    assert "sends more than 4 MB in answer to one round of questions" in error_of(stub)


def with_definitions(change: Callable[[list[dict[str, Any]]], object]) -> StubVpp:
    """Return a VPP that behaves, but for the definitions that it serves."""
    stub = StubVpp(plugins=("linux_cp", "gre"))
    stub.add_interface(1, "port1")
    documents = json.loads(json.dumps(stub.documents))
    change(documents)
    text = json.dumps(documents)
    stub.answers["get_api_json"] = lambda request: [stub.say("get_api_json_reply", request, text=text)]
    return stub


def changing(message: str, field: str, **changes: Any) -> Callable[[list[dict[str, Any]]], None]:
    def change(documents: list[dict[str, Any]]) -> None:
        fields = [
            item
            for document in documents
            for found in document["messages"]
            if found[0] == message
            for item in found[1:-1]
            if item[1] == field
        ]
        assert fields
        for item in fields:
            item[0] = changes.get("type", item[0])
            item[2:] = [changes["length"]] if "length" in changes else item[2:]

    return change


def nested(documents: list[dict[str, Any]]) -> None:
    """Let a field be of types that are nested and many, and come down to nothing."""
    names = [f"nest{depth}" for depth in range(12)]
    documents[0]["types"] += [
        [name, *([f"vl_api_{inner}_t", f"part{number}"] for number in range(20))] for name, inner in pairwise(names)
    ]
    documents[0]["types"].append([names[-1]])
    changing("sw_interface_details", "link_speed", type="vl_api_nest0_t")(documents)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (changing("sw_interface_details", "link_speed", length=900_000_000), "the length of an array should"),
        (changing("sw_interface_details", "link_speed", length=-1), "the length of an array should"),
        (changing("sw_interface_details", "link_speed", length=60_000), "sw_interface_details has no end in sight"),
        (nested, "sw_interface_details has no end in sight"),
        (changing("sw_interface_details", "link_mtu", type="f64"), "another kind of field link_mtu"),
        (changing("sw_interface_details", "sw_if_index", type="u8", length=4), "another kind of field sw_if_index"),
        (changing("sw_interface_details", "tag", type="u32"), "has no field tag"),
        (changing("ip_address_dump", "sw_if_index", type="string", length=2), "does not fit"),
        (changing("ip_address_details", "prefix", type=["u8"]), "a name should"),
        (changing("cli_inband_reply", "reply", type="u8", length=4), "does not end in a string"),
    ],
)
def test_definitions_that_no_vpp_has_are_an_error(change: Callable[..., object], said: str) -> None:
    assert said in error_of(with_definitions(change))


def test_a_list_of_nothing_has_no_elements_to_read() -> None:
    def change(documents: list[dict[str, Any]]) -> None:
        documents[0]["types"].append(["nothing"])
        changing("bridge_domain_details", "sw_if_details", type="vl_api_nothing_t")(documents)

    stub = with_definitions(change)
    values = {"bd_id": 1, "n_sw_ifs": 0xFFFFFFFF}
    stub.answers["bridge_domain_dump"] = lambda request: [stub.say("bridge_domain_details", request, values)]
    error_of(stub)


def test_definitions_beyond_measure_are_not_read(stub: StubVpp) -> None:
    stub.answers["get_api_json"] = lambda request: [stub.say("get_api_json_reply", request, text=" " * (7 << 20))]
    assert "VPP's own API definitions cannot be read (they are 7 MB long)" in error_of(
        stub, silence_s=2.0
    )  # making them may take a while


def test_a_message_beyond_measure_is_none(stub: StubVpp) -> None:
    stub.answers["show_version"] = lambda request: [frame(b"")[:8] + (33 << 20).to_bytes(4) + bytes(40)]
    assert "does not speak VPP's binary API" in error_of(stub)


def test_a_gre_tunnel_of_an_unknown_kind_is_an_error(stub: StubVpp) -> None:
    row = {"tunnel.sw_if_index": 1, "tunnel.type": 3}
    stub.tell("gre_tunnel_v2_dump", "gre_tunnel_v2_details", row)
    assert "gre_tunnel_v2_details does not match its definition" in error_of(stub)


def test_a_creation_that_tells_no_index_is_an_error() -> None:
    def change(documents: list[dict[str, Any]]) -> None:
        for document in documents:
            for found in document["messages"]:
                if found[0] == "create_loopback_instance_reply":
                    found[:] = [item for item in found if "sw_if_index" not in item]

    stub = with_definitions(change)
    stub.answers["create_loopback_instance"] = lambda request: [stub.say("create_loopback_instance_reply", request)]
    steps = [CreateLoopback(interface="loop0", instance=0, mac="02:00:00:00:00:01")]
    assert error_of(stub, lambda plane: plane.perform(steps)).startswith(
        "VPP does not report the index of what it created"
    )
