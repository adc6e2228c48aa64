"""Answers of the kernel to changes of devices, as bytes."""

from __future__ import annotations

import errno
import struct

from vppcfg.linux.link_change import answers_in

ERROR, LINK = 2, 16
TLVS = 0x200


def answer(number: int, code: int, words: str = "", *, kind: int = ERROR) -> bytes:
    text = words.encode() + b"\0"
    extra = struct.pack("=HH", 4 + len(text), 1) + text.ljust(len(text) + 3 & ~3, b"\0") if words else b""
    body = struct.pack("=i", -code) + bytes(16) + extra
    return struct.pack("=IHHII", 16 + len(body), kind, TLVS if words else 0, number, 0) + body


def test_each_answer_belongs_to_the_message_with_its_number() -> None:
    data = answer(0, 0) + answer(7, errno.EINVAL, "mtu less than device minimum") + answer(9, errno.EPERM)
    assert answers_in(data) == {0: (0, ""), 7: (errno.EINVAL, "mtu less than device minimum"), 9: (errno.EPERM, "")}


def test_what_is_no_answer_is_passed_over() -> None:
    assert answers_in(answer(1, 0, kind=LINK) + answer(2, 0)) == {2: (0, "")}


def test_an_answer_without_a_length_ends_the_reading() -> None:
    assert answers_in(answer(1, 0) + bytes(16) + answer(2, 0)) == {1: (0, "")}
