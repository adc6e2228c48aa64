"""Contract: ND proxies, which VPP shows as entries of its FIB alone."""

from collections.abc import Iterator

import pytest

from tests.contract.subject import PORTS, Subject

SOURCE = 13
HOST, OTHER = "2001:db8::5", "2001:db8::6"
MAC = "02:00:00:00:00:05"


@pytest.fixture
def own(vpp: Subject, first: int) -> Iterator[int]:
    """Return a port with an IPv6 address, whose proxies are gone in the end."""
    assert vpp.cli(f"set interface ip address {PORTS[0]} 2001:db8::1/64")[0] == 0
    yield first
    for host in (HOST, OTHER):
        proxy(vpp, first, host, is_add=False)
    vpp.cli(f"set interface ip address del {PORTS[0]} 2001:db8::1/64")


def proxy(vpp: Subject, index: int, host: str, *, is_add: bool = True) -> int:
    return int(vpp.api.ip6nd_proxy_add_del(sw_if_index=index, is_add=is_add, ip=host).retval)


def proxies(vpp: Subject, table: int = 0) -> list[tuple[str, list[int]]]:
    rows = vpp.api.ip_route_v2_dump(src=SOURCE, table={"table_id": table, "is_ip6": True})
    return sorted((str(row.route.prefix), [path.sw_if_index for path in row.route.paths]) for row in rows)


def neighbors(vpp: Subject, index: int) -> list[str]:
    return [str(row.neighbor.ip_address) for row in vpp.api.ip_neighbor_dump(sw_if_index=index, af=1)]


def test_a_proxy_is_an_entry_of_a_host_in_the_fib_and_is_there_once(vpp: Subject, own: int) -> None:
    assert proxies(vpp) == []
    assert (proxy(vpp, own, HOST), proxy(vpp, own, HOST), proxy(vpp, own, OTHER)) == (0, 0, 0)
    assert proxies(vpp) == [(f"{HOST}/128", [own]), (f"{OTHER}/128", [own])]
    assert (proxy(vpp, own, HOST, is_add=False), proxy(vpp, own, HOST, is_add=False)) == (0, 0)
    assert proxies(vpp) == [(f"{OTHER}/128", [own])]


def test_a_host_on_two_interfaces_has_two_paths(vpp: Subject, own: int) -> None:
    second = vpp.index(PORTS[1])
    assert (proxy(vpp, own, HOST), proxy(vpp, second, HOST)) == (0, 0)
    assert proxies(vpp) == [(f"{HOST}/128", [own, second])]
    assert proxy(vpp, second, HOST, is_add=False) == 0
    assert proxies(vpp) == [(f"{HOST}/128", [own])]


def test_a_proxy_below_a_better_route_is_printed_and_not_listed(vpp: Subject, own: int) -> None:
    assert proxy(vpp, own, HOST) == 0
    route = f"{HOST}/128 via 2001:db8::9 {PORTS[0]}"
    assert vpp.cli(f"ip route add {route}")[0] == 0
    assert proxies(vpp) == []
    text = vpp.cli(f"show ip6 fib table 0 {HOST}/128")[1]
    assert text.index("  CLI refs:1") < text.index("  IPv6-proxy-nd refs:1")
    assert vpp.cli(f"ip route del {route}")[0] == 0
    assert proxies(vpp) == [(f"{HOST}/128", [own])]


def test_the_removal_of_a_proxy_forgets_a_static_neighbor(vpp: Subject, own: int) -> None:
    entry = {"sw_if_index": own, "flags": 1, "mac_address": MAC, "ip_address": HOST}
    assert vpp.api.ip_neighbor_add_del(is_add=True, neighbor=entry).retval == 0
    assert proxy(vpp, own, HOST) == 0
    assert neighbors(vpp, own) == [HOST]
    assert proxy(vpp, own, HOST, is_add=False) == 0
    assert neighbors(vpp, own) == []


def test_the_prompt_sets_the_same(vpp: Subject, own: int) -> None:
    assert vpp.cli(f"set ip6 nd proxy {PORTS[0]} {HOST}") == (0, "")
    assert vpp.cli(f"set ip6 nd proxy no-such {OTHER}")[0] != 0
    assert proxies(vpp) == [(f"{HOST}/128", [own])]
    assert vpp.cli(f"set ip6 nd proxy {PORTS[0]} del {HOST}") == (0, "")
    assert proxies(vpp) == []


def test_a_proxy_stays_in_the_table_that_its_interface_was_in(vpp: Subject) -> None:
    index = vpp.api.create_loopback().sw_if_index
    assert vpp.api.ip_table_add_del(table={"table_id": 77, "is_ip6": True}, is_add=True).retval == 0
    assert proxy(vpp, index, HOST) == 0
    assert vpp.api.sw_interface_set_table(sw_if_index=index, is_ipv6=True, vrf_id=77).retval == 0
    assert proxy(vpp, index, HOST, is_add=False) == 0
    assert (proxies(vpp), proxies(vpp, 77)) == ([(f"{HOST}/128", [index])], [])
    assert vpp.api.sw_interface_set_table(sw_if_index=index, is_ipv6=True, vrf_id=0).retval == 0
    assert proxy(vpp, index, HOST, is_add=False) == 0
    assert vpp.api.delete_loopback(sw_if_index=index).retval == 0
    assert vpp.api.ip_table_add_del(table={"table_id": 77, "is_ip6": True}, is_add=False).retval == 0
