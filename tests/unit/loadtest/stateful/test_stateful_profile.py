"""What connections carry: requests and answers byte by byte, and what is no profile."""

import struct

import pytest

from vppcfg.errors import UsageError
from vppcfg.loadtest.stateful.profile import PROFILE_NAMES, Transport, stateful_profile_of


def test_a_page_is_asked_for_and_answered_with_as_many_bytes_as_it_says() -> None:
    (page,) = stateful_profile_of("http", answer_bytes=5000).applications
    assert (page.transport, page.port) == (Transport.TCP, 80)
    assert page.request.head.startswith(b"GET / HTTP/1.1\r\nHost: www.example.com\r\n")
    assert page.request.head.endswith(b"\r\n\r\n")
    assert page.request.size_bytes == len(page.request.head)
    head, _, rest = page.answer.head.partition(b"\r\n\r\n")
    (length,) = [int(line.split()[1]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length")]
    assert (rest, page.answer.size_bytes) == (b"", 5000)
    assert len(page.answer.head) + length == 5000


def test_a_name_is_asked_for_and_answered_with_an_address_for_documentation() -> None:
    (lookup,) = stateful_profile_of("dns").applications
    assert (lookup.transport, lookup.port) == (Transport.UDP, 53)
    asked, answered = lookup.request.head, lookup.answer.head
    name = b"\x03www\x07example\x03com\x00"
    assert asked[12:] == name + struct.pack("!HH", 1, 1)
    assert asked[:2] == answered[:2]
    assert struct.unpack("!HHHHH", asked[2:12]) == (0x0100, 1, 0, 0, 0)
    assert struct.unpack("!HHHHH", answered[2:12]) == (0x8180, 1, 1, 0, 0)
    assert answered[len(asked) :] == bytes.fromhex("c00c00010001" + "0000012c" + "0004c0000201")
    assert [message.size_bytes for message in (lookup.request, lookup.answer)] == [len(asked), len(answered)]


def test_a_mix_has_five_names_for_four_pages_and_a_download() -> None:
    profile = stateful_profile_of("mix", answer_bytes=1000, open_s=2.0)
    found = [(each.name, each.port, each.weight, each.answer.size_bytes, each.open_s) for each in profile.applications]
    assert found[1:] == [("http", 80, 4, 1000, 2.0), ("download", 8080, 1, 16_000, 2.0)]
    assert (found[0][:3], found[0][4]) == (("dns", 53, 5), 0.0)
    assert (profile.weight, profile.open_s) == (10, 2.0)


def test_a_download_is_never_longer_than_an_answer_may_be() -> None:
    assert stateful_profile_of("mix", answer_bytes=1_000_000).applications[2].answer.size_bytes == 1_000_000


def test_addresses_are_as_many_as_there_are_hosts() -> None:
    profile = stateful_profile_of("http", clients=254, servers=1, offset=7)
    assert [str(end) for end in profile.client_addresses] == ["16.0.7.1", "16.0.7.254"]
    assert [str(end) for end in profile.server_addresses] == ["48.0.7.1", "48.0.7.1"]


@pytest.mark.parametrize("name", PROFILE_NAMES)
def test_no_two_applications_listen_on_one_port(name: str) -> None:
    ports = [each.port for each in stateful_profile_of(name).applications]
    assert len(set(ports)) == len(ports)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"name": "imix"}, "there is no profile imix of connections"),
        ({"name": "http", "clients": 0}, "0 clients are no number from 1 to 254"),
        ({"name": "http", "servers": 255}, "255 servers are no number from 1 to 254"),
        ({"name": "http", "offset": 256}, "an offset of 256 is none from 0 to 255"),
        ({"name": "http", "answer_bytes": 20}, "an answer of 20 bytes is none from"),
        ({"name": "http", "answer_bytes": 1_000_001}, "an answer of 1000001 bytes is none from"),
        ({"name": "http", "open_s": -1.0}, "connections stay open for 0 to 600 s"),
        ({"name": "http", "open_s": float("nan")}, "connections stay open for 0 to 600 s"),
    ],
)
def test_what_cannot_be_a_profile_is_refused(options: dict[str, object], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        stateful_profile_of(**options)  # type: ignore[arg-type]
