"""Messages are packed as their definitions say."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vppcfg.simulator.api import documents, message_ids
from vppcfg.simulator.codec import Codec, MalformedMessageError
from vppcfg.simulator.releases import NEWEST, release_named

DOCUMENTS = documents(release_named(NEWEST), ["linux_cp"])
IDS = message_ids(DOCUMENTS)
CODEC = Codec(DOCUMENTS, IDS)


def test_a_message_starts_with_its_id() -> None:
    values = {"client_index": 7, "context": 9}
    message = CODEC.pack("control_ping", values)
    assert message == struct.pack(">HII", IDS["control_ping"], 7, 9)
    assert (CODEC.name_of(message), CODEC.unpack("control_ping", message)) == ("control_ping", values)


@given(command=st.binary(max_size=300))
def test_a_string_of_any_length_comes_back(command: bytes) -> None:
    values = {"client_index": 1, "context": 2, "cmd": command}
    message = CODEC.pack("cli_inband", values)
    assert CODEC.unpack("cli_inband", message) == values


def test_rows_follow_their_count() -> None:
    values = {"context": 1, "index": 2, "message_table": [(3, b"a"), (4, b"bc")]}
    message = CODEC.pack("sockclnt_create_reply", values)
    assert message[2:] == struct.pack(">IIiIHH64sH64s", 0, 1, 0, 2, 2, 3, b"a", 4, b"bc")


@pytest.mark.parametrize("length", range(0, 20, 3))
def test_a_message_that_is_too_short_is_malformed(length: int) -> None:
    message = CODEC.pack("create_subif", {"client_index": 1, "context": 2, "sub_id": 4})[: 2 + length]
    with pytest.raises(MalformedMessageError):
        CODEC.unpack("create_subif", message)


def test_a_string_beyond_the_end_is_malformed() -> None:
    message = struct.pack(">HIII", IDS["cli_inband"], 1, 2, 100) + b"show version"
    with pytest.raises(MalformedMessageError, match="100 bytes"):
        CODEC.unpack("cli_inband", message)


@pytest.mark.parametrize("message", [b"", b"\0", b"\xff\xff rest"])
def test_an_unknown_id_has_no_name(message: bytes) -> None:
    assert CODEC.name_of(message) is None


def test_every_message_has_zeros_that_can_be_packed() -> None:
    for name in IDS:
        assert CODEC.name_of(CODEC.pack(name, CODEC.zeros(name))) == name


def test_a_field_that_no_message_has_is_an_error() -> None:
    with pytest.raises(KeyError, match="reval"):
        CODEC.pack("control_ping_reply", {"reval": 1})


def test_a_value_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(ValueError, match="control_ping_reply cannot hold"):
        CODEC.pack("control_ping_reply", {"vpe_pid": -1})
