"""What can go wrong with a change, each in its own words; and answers of the kernel to many changes, as bytes."""

import errno
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from vppcfg.errors import ExitCode, LinuxError
from vppcfg.linux.device import answers_in, change_link

pyroute2 = pytest.importorskip("pyroute2")
ERROR, LINK = 2, 16
TLVS = 0x200


class Route:
    """Stands for pyroute2's IPRoute, and fails as told."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def link(self, command: str, **attributes: object) -> None:
        raise self._error


def error_after(error: Exception, monkeypatch: pytest.MonkeyPatch) -> LinuxError:
    """Return the error of a change during which pyroute2 raises `error`."""

    @contextmanager
    def open_route(*, ext_ack: bool) -> Iterator[Route]:
        yield Route(error)

    monkeypatch.setattr(pyroute2, "IPRoute", open_route)
    with pytest.raises(LinuxError) as caught:
        change_link("set the device e0 up", "set", index=7, state="up")
    return caught.value


@pytest.mark.parametrize("code", [errno.EPERM, errno.EACCES])
def test_a_lack_of_permission_says_what_is_needed(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    error = error_after(pyroute2.NetlinkError(code), monkeypatch)
    assert error.message == "no permission to set the device e0 up"
    assert "root" in error.hint and "CAP_NET_ADMIN" in error.hint
    assert error.exit_code == ExitCode.DATAPLANE


def test_a_refusal_has_the_words_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    error = error_after(pyroute2.NetlinkError(errno.EINVAL, "mtu less than device minimum"), monkeypatch)
    assert error.message == "Linux refuses to set the device e0 up: mtu less than device minimum"


def test_a_socket_that_fails_is_an_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    error = error_after(OSError(errno.ENOBUFS, "No buffer space available"), monkeypatch)
    assert error.message == "Linux refuses to set the device e0 up: No buffer space available"


def test_an_error_without_a_code_keeps_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    error = error_after(TimeoutError("timed out"), monkeypatch)
    assert error.message == "Linux refuses to set the device e0 up: timed out"


def test_a_missing_pyroute2_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyroute2", None)
    with pytest.raises(LinuxError, match="pyroute2 is missing, and is needed to set the device e0 up") as caught:
        change_link("set the device e0 up", "set", index=7, state="up")
    assert "python3-pyroute2" in caught.value.hint


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
