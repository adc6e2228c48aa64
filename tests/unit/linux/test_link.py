"""The kernel's answers, whole and broken."""

import errno
import socket
import struct
from collections.abc import Iterator

import pytest

from vppcfg.linux.host import LinuxHost
from vppcfg.linux.link import RTM_NEWLINK, attributes_of, find_link, find_link_at, read_links, receive

DONE, ERROR, NEW_LINK, OTHER = 3, 2, 16, 20


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The kernel's end and ours; a message stays a message."""
    kernel, ours = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with kernel, ours:
        ours.settimeout(0.1)
        yield kernel, ours


def message(kind: int, body: bytes, flags: int = 0) -> bytes:
    return struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body.ljust(len(body) + 3 & ~3, b"\0")


def bodies(sock: socket.socket) -> list[tuple[bytes, int]]:
    return [(data[slice(*span)], flags) for data, span, flags in receive(sock, RTM_NEWLINK)]


def test_an_answer_ends_where_the_kernel_says_so(ends: tuple[socket.socket, socket.socket]) -> None:
    kernel, ours = ends
    kernel.send(message(NEW_LINK, b"first") + message(OTHER, b"x") + message(NEW_LINK, b"second", 0x10))
    kernel.send(message(NEW_LINK, b"third") + message(DONE, bytes(4)) + message(NEW_LINK, b"late"))
    assert bodies(ours) == [(b"first", 0), (b"second", 0x10), (b"third", 0)]


def test_an_answer_without_an_end_is_not_waited_for(ends: tuple[socket.socket, socket.socket]) -> None:
    kernel, ours = ends
    kernel.send(message(NEW_LINK, b"first"))
    with pytest.raises(TimeoutError):
        bodies(ours)


def test_a_message_without_a_length_is_an_error(ends: tuple[socket.socket, socket.socket]) -> None:
    kernel, ours = ends
    kernel.send(struct.pack("=IHHII", 0, NEW_LINK, 0, 1, 0))
    with pytest.raises(OSError) as caught:
        bodies(ours)
    assert caught.value.errno == errno.EBADMSG


def test_an_attribute_without_a_length_is_an_error() -> None:
    with pytest.raises(OSError) as caught:
        list(attributes_of(bytes(8), (0, 8)))
    assert caught.value.errno == errno.EBADMSG


def test_one_device_is_the_same_by_name_by_index_and_among_all() -> None:
    loopback = find_link("lo")
    assert loopback is not None
    assert (loopback.name, loopback.mtu, loopback.is_bridge) == ("lo", 65536, False)
    assert find_link_at(loopback.index) == loopback
    assert loopback in read_links()


def test_a_device_that_is_not_there_is_none() -> None:
    assert find_link("nope") is None
    assert find_link_at(2**31 - 1) is None


def test_devices_of_this_process_are_seen_without_being_root() -> None:
    assert LinuxHost().observe([("", "lo")]).devices["", "lo"].mtu == 65536
