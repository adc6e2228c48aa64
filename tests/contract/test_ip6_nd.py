"""Contract: router advertisements and the link-local address are there while IPv6 is on, and of one interface alone."""

import ipaddress
from typing import Any

import pytest

from tests.contract.subject import SETTLED_MTU, Subject

OK, NOT_ON, ALREADY_ON, INVALID, INVALID_2 = 0, -62, -81, -7, -8
FOREVER = 0xFFFFFFFF
ADDRESS = "2001:db8:1::1/64"


def configure(vpp: Subject, index: int, **wish: Any) -> int:
    return int(vpp.api.sw_interface_ip6nd_ra_config(sw_if_index=index, **wish).retval)


def set_prefix(vpp: Subject, index: int, prefix: str, **wish: Any) -> int:
    return int(vpp.api.sw_interface_ip6nd_ra_prefix(sw_if_index=index, prefix=prefix, **wish).retval)


def settings(vpp: Subject, index: int) -> tuple[Any, ...] | None:
    """Return whether it sends, the flags, and the times; None where IPv6 is off."""
    rows = {row.sw_if_index: row for row in vpp.api.sw_interface_ip6nd_ra_dump(sw_if_index=FOREVER)}
    row = rows.get(index)
    if row is None:
        return None
    flags = (row.adv_managed_flag, row.adv_other_flag, row.adv_link_layer_address, row.send_unicast, row.cease_radv)
    times = (row.adv_router_lifetime, row.max_radv_interval, row.min_radv_interval)
    return row.send_radv, flags, times, (row.initial_adverts_count, row.initial_adverts_interval)


def prefixes(vpp: Subject, index: int) -> list[tuple[Any, ...]]:
    (row,) = vpp.api.sw_interface_ip6nd_ra_dump(sw_if_index=index)
    return sorted(
        (
            str(each.prefix),
            each.onlink_flag,
            each.autonomous_flag,
            each.val_lifetime,
            each.pref_lifetime,
            each.no_advertise,
        )
        for each in row.prefixes
    )


def link_local(vpp: Subject, index: int) -> str | int:
    answer = vpp.api.sw_interface_ip6_get_link_local_address(sw_if_index=index)
    return int(answer.retval) or str(answer.ip)


NO_FLAGS = (False, False, True, False, False)
DEFAULT = (False, NO_FLAGS, (600, 200.0, 150.0), (3, 16.0))


@pytest.fixture
def sub(vpp: Subject, first: int) -> int:
    """Return a sub-interface with IPv6 on."""
    index = vpp.sub(first, 100)
    assert settings(vpp, index) is None
    assert vpp.add_address(index, ADDRESS) == 0
    return index


def test_without_ipv6_nothing_is_advertised(vpp: Subject, first: int) -> None:
    assert settings(vpp, first) is None
    assert configure(vpp, first, managed=1) == NOT_ON
    assert set_prefix(vpp, first, "2001:db8::/64", use_default=True) == NOT_ON
    assert link_local(vpp, first) == NOT_ON


def test_a_message_turns_on_what_it_names_and_begins_to_send(vpp: Subject, sub: int) -> None:
    assert settings(vpp, sub) == DEFAULT
    assert configure(vpp, sub, managed=1, default_router=1, lifetime=0) == OK
    assert settings(vpp, sub) == (True, (True, *NO_FLAGS[1:]), (0, 200.0, 150.0), (3, 16.0))
    assert configure(vpp, sub, other=1, send_unicast=1, ll_option=1, max_interval=61, initial_count=2) == OK
    assert settings(vpp, sub) == (True, (True, True, False, True, False), (0, 61.0, 45.0), (2, 16.0))
    assert configure(vpp, sub, suppress=1) == OK
    assert settings(vpp, sub) == (False, (True, True, False, True, False), (0, 61.0, 45.0), (2, 16.0))


def test_a_message_takes_what_it_names_back_and_begins_to_send(vpp: Subject, sub: int) -> None:
    everything = ("managed", "other", "ll_option", "send_unicast", "cease", "default_router")
    numbers = ("lifetime", "max_interval", "min_interval", "initial_count", "initial_interval")
    wish = {"default_router": 1, "lifetime": 0, "max_interval": 61, "min_interval": 20, "initial_interval": 5}
    assert configure(vpp, sub, managed=1, other=1, send_unicast=1, cease=1, **wish) == OK
    assert configure(vpp, sub, is_no=True, **dict.fromkeys((*everything, *numbers), 1)) == OK
    assert settings(vpp, sub) == (True, *DEFAULT[1:])
    assert configure(vpp, sub, suppress=1) == OK
    assert settings(vpp, sub) == DEFAULT


@pytest.mark.parametrize(
    "wish",
    [
        {"max_interval": 600},
        {"default_router": 1, "lifetime": 200},
        {"max_interval": 100, "min_interval": 76},
        {"max_interval": 4, "min_interval": 2},
        {"initial_count": 4},
        {"initial_interval": 17},
    ],
)
def test_times_that_do_not_fit_are_refused_although_it_begins_to_send(
    vpp: Subject, sub: int, wish: dict[str, int]
) -> None:
    assert configure(vpp, sub, **wish) == INVALID
    assert settings(vpp, sub) == (True, *DEFAULT[1:])


def test_prefixes_are_known_by_all_bits_of_their_address(vpp: Subject, sub: int) -> None:
    lasting = {"val_lifetime": FOREVER, "pref_lifetime": FOREVER}
    assert set_prefix(vpp, sub, "2001:db8:1::/64", use_default=True) == OK
    assert set_prefix(vpp, sub, "2001:db8:2::/56", no_onlink=True, no_autoconfig=True, **lasting) == OK
    assert set_prefix(vpp, sub, "2001:db8:2::/64", **lasting) == INVALID_2
    assert set_prefix(vpp, sub, "2001:db8:3::/64", no_advertise=True, val_lifetime=FOREVER, pref_lifetime=5) == OK
    assert prefixes(vpp, sub) == [
        ("2001:db8:1::/64", True, True, 2592000, 604800, False),
        ("2001:db8:2::/56", False, False, FOREVER, FOREVER, False),
        ("2001:db8:3::/64", True, True, FOREVER, FOREVER, True),
    ]
    assert settings(vpp, sub) == DEFAULT
    assert set_prefix(vpp, sub, "2001:db8:2::/64", is_no=True) == INVALID_2
    assert set_prefix(vpp, sub, "2001:db8:9::/64", is_no=True) == INVALID
    for prefix in ("2001:db8:2::/56", "2001:db8:3::/64", "2001:db8:1::/64"):
        assert set_prefix(vpp, sub, prefix, is_no=True) == OK
    assert prefixes(vpp, sub) == []


def test_all_of_it_goes_with_the_last_address(vpp: Subject, sub: int) -> None:
    assert vpp.add_address(sub, "2001:db8:2::1/64") == 0
    assert vpp.api.sw_interface_ip6_set_link_local_address(sw_if_index=sub, ip="fe80::1").retval == 0
    assert configure(vpp, sub, managed=1) == set_prefix(vpp, sub, "2001:db8:1::/64", use_default=True) == 0
    assert vpp.remove_address(sub, ADDRESS) == 0
    assert link_local(vpp, sub) == "fe80::1"
    assert len(prefixes(vpp, sub)) == 1
    assert vpp.remove_address(sub, "2001:db8:2::1/64") == 0
    assert (settings(vpp, sub), link_local(vpp, sub)) == (None, NOT_ON)
    assert vpp.add_address(sub, ADDRESS) == 0
    assert (settings(vpp, sub), prefixes(vpp, sub), link_local(vpp, sub)) == (DEFAULT, [], _of_mac(vpp, sub))


def test_nothing_of_it_lands_on_the_next_interface(vpp: Subject, first: int, sub: int) -> None:
    assert vpp.api.sw_interface_ip6_set_link_local_address(sw_if_index=sub, ip="fe80::1").retval == 0
    assert configure(vpp, sub, managed=1) == set_prefix(vpp, sub, "2001:db8:1::/64", use_default=True) == 0
    assert vpp.api.delete_subif(sw_if_index=sub).retval == 0
    assert vpp.sub(first, 200) == sub
    assert settings(vpp, sub) is None
    assert vpp.add_address(sub, ADDRESS) == 0
    assert (settings(vpp, sub), prefixes(vpp, sub), link_local(vpp, sub)) == (DEFAULT, [], _of_mac(vpp, sub))


def test_a_link_local_address_is_taken_in_place_of_the_one_of_the_mac_address(vpp: Subject, sub: int) -> None:
    assert link_local(vpp, sub) == _of_mac(vpp, sub)
    assert vpp.add_address(sub, "fe80::1/64") == -59
    assert vpp.add_address(sub, "fe80::2/128") == 0
    assert link_local(vpp, sub) == "fe80::2"
    assert vpp.addresses(sub) == [ADDRESS]
    assert vpp.remove_address(sub, "fe80::2/128") == -61
    assert vpp.remove_address(sub, "fe80::1/128") == -60
    assert vpp.api.sw_interface_ip6_set_link_local_address(sw_if_index=sub, ip="2001:db8::9").retval == 0
    assert link_local(vpp, sub) == "2001:db8::9"


def test_a_link_local_address_turns_ipv6_on_where_it_is_off(vpp: Subject, first: int) -> None:
    index = vpp.sub(first, 100)
    assert vpp.api.sw_interface_ip6_set_link_local_address(sw_if_index=index, ip="fe80::1").retval == 0
    assert vpp.add_address(index, ADDRESS) == vpp.remove_address(index, ADDRESS) == 0
    assert link_local(vpp, index) == "fe80::1"
    assert vpp.api.sw_interface_ip6_enable_disable(sw_if_index=index, enable=False).retval == 0
    assert link_local(vpp, index) == NOT_ON
    assert vpp.api.sw_interface_ip6_enable_disable(sw_if_index=index, enable=False).retval == NOT_ON


def test_the_prompt_says_the_same(vpp: Subject, first: int, sub: int) -> None:
    name = vpp.details(sub).interface_name
    words = "ra-managed-config-flag ra-other-config-flag ra-send-unicast ra-cease"
    assert vpp.cli(f"ip6 nd {name} {words} ra-interval 61 20 ra-lifetime 0 ra-initial 2 5") == (0, "")
    assert settings(vpp, sub) == (True, (True, True, True, True, True), (0, 61.0, 20.0), (2, 5.0))
    assert vpp.cli(f"ip6 nd {name} no {words} ra-interval 200 150 ra-lifetime 600 ra-initial 3 16") == (0, "")
    assert settings(vpp, sub) == (True, *DEFAULT[1:])
    assert vpp.cli(f"ip6 nd {name} ra-suppress-link-layer ra-managed-config-flag") == (0, "")
    assert settings(vpp, sub) == DEFAULT
    assert vpp.cli(f"ip6 nd {name} prefix 2001:db8:5::/64 infinite no-autoconfig no-onlink") == (0, "")
    assert vpp.cli(f"ip6 nd {name} prefix 2001:db8:6::/64 3600 1800 no-advertise") == (0, "")
    assert vpp.cli(f"ip6 nd {name} prefix 2001:db8:7::/64 default") == (0, "")
    assert prefixes(vpp, sub) == [
        ("2001:db8:5::/64", False, False, FOREVER, FOREVER, False),
        ("2001:db8:6::/64", True, True, 3600, 1800, True),
        ("2001:db8:7::/64", True, True, 2592000, 604800, False),
    ]
    for number in (5, 6, 7):
        assert vpp.cli(f"ip6 nd {name} no prefix 2001:db8:{number}::/64") == (0, "")
    assert prefixes(vpp, sub) == []
    assert vpp.cli(f"set interface ip address {name} fe80::5/128") == (0, "")
    assert link_local(vpp, sub) == "fe80::5"
    retval, text = vpp.cli(f"ip6 nd {vpp.details(first).interface_name} ra-suppress")
    assert (retval, "nt enabler" in text) == (-1, True)


def _of_mac(vpp: Subject, index: int) -> str:
    """Return the link-local address that VPP makes of the MAC address of the port."""
    mac = bytes.fromhex(str(vpp.details(int(vpp.details(index).sup_sw_if_index)).l2_address).replace(":", ""))
    tail = bytes([mac[0] ^ 2]) + mac[1:3] + b"\xff\xfe" + mac[3:]
    return str(ipaddress.IPv6Address(b"\xfe\x80" + bytes(6) + tail))


def advertised_mtu(vpp: Subject, index: int) -> int:
    (row,) = vpp.api.sw_interface_ip6nd_ra_dump(sw_if_index=index)
    return int(row.adv_link_mtu)


def switch(vpp: Subject, index: int, *, enable: bool) -> int:
    return int(vpp.api.sw_interface_ip6_enable_disable(sw_if_index=index, enable=enable).retval)


def test_the_mtu_that_is_advertised_is_that_of_when_ipv6_came_up(vpp: Subject, sub: int) -> None:
    assert advertised_mtu(vpp, sub) == SETTLED_MTU
    vpp.api.sw_interface_set_mtu(sw_if_index=sub, mtu=[1500, 0, 0, 0])
    assert (configure(vpp, sub, managed=1), advertised_mtu(vpp, sub)) == (OK, SETTLED_MTU)
    assert vpp.add_address(sub, "2001:db8:2::1/64") == OK
    assert (switch(vpp, sub, enable=False), advertised_mtu(vpp, sub)) == (OK, SETTLED_MTU)
    assert (switch(vpp, sub, enable=False), switch(vpp, sub, enable=False)) == (OK, NOT_ON)
    assert (switch(vpp, sub, enable=True), switch(vpp, sub, enable=True)) == (OK, ALREADY_ON)
    assert (advertised_mtu(vpp, sub), settings(vpp, sub)) == (1500, DEFAULT)
    assert vpp.addresses(sub) == [ADDRESS, "2001:db8:2::1/64"]
    assert (vpp.remove_address(sub, ADDRESS), settings(vpp, sub)) == (OK, DEFAULT)
    assert (vpp.remove_address(sub, "2001:db8:2::1/64"), settings(vpp, sub)) == (OK, None)


def test_the_ipv6_mtu_of_an_interface_is_advertised_before_that_of_all_packets(vpp: Subject, first: int) -> None:
    vpp.api.sw_interface_set_mtu(sw_if_index=first, mtu=[1500, 0, 1400, 0])
    assert (vpp.add_address(first, ADDRESS), advertised_mtu(vpp, first)) == (OK, 1400)
