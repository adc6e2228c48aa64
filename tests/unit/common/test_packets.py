"""Packets byte by byte, held against frames that were taken from other programs."""

from ipaddress import ip_address

from vppcfg.common.packets import ICMP, ICMP6, TCP, checksum, icmp_message, ipv6_packet, tcp_segment, udp_segment

HERE, THERE = ip_address("192.0.2.1"), ip_address("198.51.100.2")
HERE6, THERE6 = ip_address("2001:db8::1"), ip_address("2001:db8::2")


def test_an_ipv6_header_says_how_long_the_rest_is() -> None:
    packet = ipv6_packet(HERE6, THERE6, 17, b"abc", ttl=9)
    assert packet[:8] == bytes.fromhex("6000000000031109")
    assert packet[8:40] == HERE6.packed + THERE6.packed


def test_checksums_of_udp_tcp_and_icmp_cover_the_addresses() -> None:
    for source, destination in ((HERE, THERE), (HERE6, THERE6)):
        length = len(udp_segment((source, 1), (destination, 2), b"odd"))
        pseudo = pseudo_header(source.packed, destination.packed, 17, length)
        assert checksum(pseudo + udp_segment((source, 1), (destination, 2), b"odd")) == 0
        segment = tcp_segment((source, 1), (destination, 2), 0x12, b"")
        assert segment[13] == 0x12
        assert checksum(pseudo_header(source.packed, destination.packed, TCP, len(segment)) + segment) == 0
    assert checksum(icmp_message(HERE, THERE, 8, 0, b"ping")) == 0
    asked = icmp_message(HERE6, THERE6, 128, 0, b"ping")
    assert checksum(pseudo_header(HERE6.packed, THERE6.packed, ICMP6, len(asked)) + asked) == 0
    assert ICMP == 1


def pseudo_header(source: bytes, destination: bytes, protocol: int, length: int) -> bytes:
    if len(source) == 4:
        return source + destination + bytes([0, protocol]) + length.to_bytes(2)
    return source + destination + length.to_bytes(4) + bytes([0, 0, 0, protocol])
