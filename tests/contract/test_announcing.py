"""Contract: gratuitous ARP and neighbour advertisements, which VPP sends for any address, and on any Ethernet port."""

from tests.contract.subject import Subject


def announce(vpp: Subject, index: int, address: str) -> int:
    return int(vpp.api.arping(address=address, sw_if_index=index, is_garp=True, repeat=1, interval=0.0).retval)


def test_an_address_is_announced_wherever_it_is(vpp: Subject, first: int) -> None:
    for flags in (0, 1):
        vpp.api.sw_interface_set_flags(sw_if_index=first, flags=flags)
        assert [announce(vpp, first, address) for address in ("192.0.2.1", "2001:db8::1", "fe80::1")] == [0, 0, 0]
    vpp.api.sw_interface_set_flags(sw_if_index=first, flags=0)


def test_nothing_is_announced_on_an_interface_that_is_not_there(vpp: Subject, first: int) -> None:
    assert [announce(vpp, 4711, address) for address in ("192.0.2.1", "2001:db8::1")] == [-2, -2]
