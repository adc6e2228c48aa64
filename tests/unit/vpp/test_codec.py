"""Layouts and codecs: what is packed and read, against bytes written by hand."""

import struct
from typing import Any

import pytest

from vppcfg.errors import DataplaneError
from vppcfg.vpp.definitions import parse
from vppcfg.vpp.layout import compile_message
from vppcfg.wire.codec import Message

HEADER = [["u16", "_vl_msg_id"], ["u32", "client_index"], ["u32", "context"]]
TYPES: dict[str, Any] = {
    "types": [["address", ["vl_api_family_t", "af"], ["vl_api_union_t", "un"]], ["entry", ["u16", "id"], ["u8", "x"]]],
    "unions": [["union", ["vl_api_ip4_t", "ip4"], ["vl_api_ip6_t", "ip6"]]],
    "enums": [["family", ["IP4", 0], {"enumtype": "u8"}]],
    "aliases": {
        "ip4": {"type": "u8", "length": 4},
        "ip6": {"type": "u8", "length": 16},
        "with_prefix": {"type": "vl_api_address_t"},
        "loop": {"type": "vl_api_loop_t"},
    },
}


def message(*fields: list[Any]) -> Message:
    """Return the message number 7 with `fields` behind the usual three."""
    found = parse([TYPES | {"messages": [["m", *HEADER, *fields, {"crc": "0x1"}]]}])
    return compile_message(found, found.messages["m"], 7)


def framed(body: bytes) -> bytes:
    """Return what is expected on the socket for a message of client 1, context 2."""
    data = struct.pack(">HII", 7, 1, 2) + body
    return struct.pack(">QII", 0, len(data), 0) + data


def test_a_string_of_fixed_size_keeps_room_for_its_nul() -> None:
    m = message(["string", "name", 4])
    assert m.pack(1, 2, {"name": "abc"}) == framed(b"abc\0")
    with pytest.raises(ValueError, match="'abcd' is longer than the 3 bytes"):
        m.pack(1, 2, {"name": "abcd"})


def test_bytes_longer_than_their_field_are_refused() -> None:
    with pytest.raises(ValueError, match="longer than the 4 bytes"):
        message(["vl_api_ip4_t", "ip"]).pack(1, 2, {"ip": b"12345"})


def test_a_number_too_large_for_its_field_is_refused() -> None:
    with pytest.raises(ValueError, match="does not fit VPP's message m"):
        message(["u16", "mtu"]).pack(1, 2, {"mtu": 65536})


def test_a_list_longer_than_its_count_can_say_is_refused() -> None:
    m = message(["u8", "n"], ["u32", "numbers", 0, "n"])
    with pytest.raises(ValueError, match="does not fit VPP's message m"):
        m.pack(1, 2, {}, elements=[{"": 5}] * 256)


def test_a_message_shorter_than_its_definition_cannot_be_read() -> None:
    with pytest.raises(struct.error):
        message(["u32", "a"]).reader("a")(b"\0" * 10)


def test_a_field_that_vpp_lacks_is_an_error_that_names_it() -> None:
    m = message(["u8", "a"])
    for use in (lambda: m.reader("b"), lambda: m.pack(1, 2, {"b": 1})):
        with pytest.raises(DataplaneError, match="VPP's message m has no field b"):
            use()


def test_a_message_without_a_tail_has_neither_text_nor_list() -> None:
    m = message(["u8", "a"])
    with pytest.raises(DataplaneError, match="does not end in a string"):
        m.text(b"")
    with pytest.raises(DataplaneError, match="does not end in a list"):
        m.items(b"", "a")


@pytest.mark.parametrize(
    ("field", "text"),
    [(["vl_api_unknown_t", "a"], "lack the type vl_api_unknown_t"), (["vl_api_loop_t", "a"], "without end")],
)
def test_definitions_that_lead_nowhere_are_an_error(field: list[Any], text: str) -> None:
    with pytest.raises(DataplaneError, match=text):
        message(field)


def test_a_variable_field_must_be_the_last() -> None:
    with pytest.raises(DataplaneError, match="in its middle"):
        message(["string", "a", 0], ["u8", "b"])
