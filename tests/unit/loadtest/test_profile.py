"""Traffic profiles: the frames of T-Rex's own, byte by byte, and what they take on the wire."""

import base64

import pytest

from vppcfg.errors import UsageError
from vppcfg.loadtest.load import path_rate_pps
from vppcfg.loadtest.profile import Variable, profile_of

BENCH_HEADER = "00000001000000000002000008004500002e0001000040113ab710000004300000040401000c001a0000"
UDP_1PKT = "AAAAAQAAAAAAAgAACABFAAAmAAEAAEAROsUQAAABMAAAAQQBAAwAEmFheHh4eHh4eHh4eA=="
"""Recorded from T-Rex's own client."""


def test_a_bench_frame_is_the_one_of_the_official_client() -> None:
    (stream,) = profile_of("bench", "64", "var2").there
    assert stream.frame == bytes.fromhex(BENCH_HEADER) + b"x" * 18
    assert stream.variables == (
        Variable(name="src", offset=26, size_bytes=4, first=268435460, last=268435710),
        Variable(name="dst", offset=30, size_bytes=4, first=805306372, last=805306622),
    )


def test_the_way_back_swaps_the_addresses() -> None:
    (stream,) = profile_of("bench", "64", "var2").back
    assert [variable.first for variable in stream.variables] == [805306372, 268435460]
    assert stream.frame[26:34] == bytes([48, 0, 0, 4, 16, 0, 0, 4])


def test_a_single_packet_is_the_one_of_the_official_client() -> None:
    (stream,) = profile_of("stl/udp_1pkt_simple_bdir.py").there
    assert stream.frame == base64.b64decode(UDP_1PKT)
    assert (stream.frame_bytes, stream.variables) == (64, ())


def test_a_bench_of_1514_has_1510_bytes_to_send() -> None:
    assert [len(stream.frame) for stream in profile_of("bench", "1514").there] == [1510]


@pytest.mark.parametrize(("variation", "names"), [("none", []), ("var1", ["src"]), ("var2", ["src", "dst"])])
def test_variations_of_bench_change_addresses(variation: str, names: list[str]) -> None:
    for stream in profile_of("bench", "imix", variation).there:
        assert [variable.name for variable in stream.variables] == names


def test_an_offset_is_the_third_octet() -> None:
    (stream,) = profile_of("bench", "64", "var1", offset=10).there
    assert stream.frame[26:34] == bytes([16, 0, 10, 4, 48, 0, 10, 4])
    assert stream.variables[0].last == int.from_bytes(bytes([16, 0, 10, 254]))


@pytest.mark.parametrize(
    ("name", "size", "link_bps", "tags", "crossings", "pps"),
    [
        ("bench", "64", 10**9, 0, 1, 1488095.2),
        ("bench", "64", 10**9, 1, 1, 1420454.5),
        ("bench", "64", 10**9, 2, 1, 1358695.7),
        ("bench", "64", 10**9, 1, 2, 710227.3),
        ("bench", "1514", 10**9, 0, 1, 81486.3),
        ("bench", "9000", 10**10, 0, 1, 138580.9),
        ("imix", "64", 10**9, 0, 1, 327367.96),
        ("bench", "imix", 10**9, 0, 1, 326797.4),
        ("udp_1pkt", "64", 10**10, 0, 1, 14880952.4),
    ],
)
def test_a_path_carries_the_theoretical_rate(
    name: str, size: str, link_bps: int, tags: int, crossings: int, pps: float
) -> None:
    wire_bits = profile_of(name, size).mean_wire_bits
    assert path_rate_pps(link_bps, wire_bits, tags, crossings) == pytest.approx(pps, abs=0.05)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("http",), "there is no traffic profile http"),
        (("bench", "63"), "'63' is no frame size"),
        (("bench", "10000"), "'10000' is no frame size"),
        (("bench", "6٤"), "is no frame size"),
        (("bench", "64", "var3"), "there is no variation var3"),
        (("bench", "64", "none", 256), "an offset of 256 is none from 0 to 255"),
    ],
)
def test_what_is_no_profile_is_refused(arguments: tuple[str, str, str, int], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        profile_of(*arguments)
