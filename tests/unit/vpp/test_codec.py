"""Layouts and codecs: what is packed and read, against bytes written by hand."""

import struct
from typing import Any

import pytest

from vppcfg.errors import DataplaneError
from vppcfg.vpp.codec import Message
from vppcfg.vpp.definitions import parse
from vppcfg.vpp.layout import compile_message

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


def test_numbers_are_packed_in_network_order_wherever_they_stand() -> None:
    m = message(["u32", "a"], ["u16", "b"], ["bool", "c"], ["i32", "d"])
    assert m.pack(1, 2, {"d": -2, "b": 0x102, "c": True}) == framed(b"\0\0\0\0\x01\x02\x01\xff\xff\xff\xfe")


def test_values_not_given_are_zero() -> None:
    m = message(["u32", "mtu", 4], ["vl_api_with_prefix_t", "p"])
    assert m.pack(1, 2, {"mtu.0": 1500}) == framed(b"\0\0\x05\xdc" + bytes(12 + 17))


def test_nested_types_have_paths_and_unions_are_as_long_as_their_longest_member() -> None:
    m = message(["vl_api_with_prefix_t", "p"], ["u8", "len"])
    data = m.pack(1, 2, {"p.af": 1, "p.un": b"\x0a\0\0\1", "len": 24})
    assert data == framed(b"\x01\x0a\0\0\1" + bytes(12) + b"\x18")
    assert m.reader("p.af", "p.un", "len")(data[16:]) == (1, b"\x0a\0\0\1" + bytes(12), 24)


def test_a_reader_gives_values_in_the_order_asked_for() -> None:
    m = message(["u8", "a"], ["u8", "b"], ["u8", "c"])
    data = m.pack(1, 2, {"a": 1, "b": 2, "c": 3})[16:]
    assert m.reader("c", "a")(data) == (3, 1)
    assert m.reader("a", "c")(data) == (1, 3)


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


def test_a_string_at_the_end_carries_its_length() -> None:
    m = message(["u8", "a"], ["string", "text", 0])
    data = m.pack(1, 2, {"a": 5}, text="né")
    assert data == framed(b"\x05\0\0\0\x03n\xc3\xa9")
    assert m.text(data[16:]) == "né".encode()


def test_a_list_at_the_end_is_as_long_as_its_count_says() -> None:
    m = message(["u8", "n"], ["vl_api_entry_t", "entries", 0, "n"])
    data = m.pack(1, 2, {"n": 2})[16:] + b"\0\1\xff\0\2\xfe\0\3\xfd"
    assert list(m.items(data, "id")) == [(1,), (2,)]
    assert list(m.items(data, "x", "id")) == [(255, 1), (254, 2)]


def test_a_list_at_the_end_is_packed_and_counted() -> None:
    m = message(["u8", "n"], ["u8", "a"], ["vl_api_entry_t", "entries", 0, "n"])
    assert m.pack(1, 2, {"a": 7}, elements=[{"x": 255, "id": 1}, {"x": 254, "id": 2}]) == framed(
        b"\2\7\0\1\xff\0\2\xfe"
    )
    assert m.pack(1, 2, {"a": 7}) == framed(b"\0\7")


def test_a_list_of_numbers_has_elements_without_a_path() -> None:
    m = message(["u8", "n"], ["u32", "numbers", 0, "n"])
    data = m.pack(1, 2, {}, elements=[{"": 5}, {"": 6}])
    assert data == framed(b"\2\0\0\0\5\0\0\0\6")
    assert list(m.items(data[16:], "")) == [(5,), (6,)]


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
