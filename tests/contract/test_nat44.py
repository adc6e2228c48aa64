"""Contract: NAT44 goes off with an interface; what is named by an interface stays, for the next one with the index."""

from collections.abc import Iterator

import pytest

from tests.contract.subject import ALL, PORTS, Subject

INSIDE, OUTSIDE = 0x20, 0x10
ADDRESS, OTHER = "192.0.2.1/24", "203.0.113.5/24"


def enable(vpp: Subject, *, is_on: bool = True) -> int:
    reply = vpp.api.nat44_ed_plugin_enable_disable(inside_vrf=0, outside_vrf=0, sessions=0, enable=is_on)
    return int(reply.retval)


def side(vpp: Subject, index: int, flags: int, *, add: bool = True) -> int:
    return int(vpp.api.nat44_interface_add_del_feature(is_add=add, flags=flags, sw_if_index=index).retval)


def sides(vpp: Subject) -> dict[int, int]:
    return {row.sw_if_index: int(row.flags) for row in vpp.api.nat44_interface_dump()}


def output(vpp: Subject, index: int, *, add: bool = True) -> int:
    return int(vpp.api.nat44_ed_add_del_output_interface(is_add=add, sw_if_index=index).retval)


def outputs(vpp: Subject) -> list[int]:
    return [row.sw_if_index for row in vpp.pages("nat44_ed_output_interface_get")]


def follow(vpp: Subject, index: int, *, add: bool = True) -> int:
    return int(vpp.api.nat44_add_del_interface_addr(is_add=add, sw_if_index=index).retval)


def pool(vpp: Subject) -> list[str]:
    return sorted(str(row.ip_address) for row in vpp.api.nat44_address_dump())


def borrow(vpp: Subject, lender: int, borrower: int, *, is_add: bool = True) -> int:
    ends = {"sw_if_index": lender, "unnumbered_sw_if_index": borrower}
    return int(vpp.api.sw_interface_set_unnumbered(**ends, is_add=is_add).retval)


def addresses(vpp: Subject, first: str, last: str, *, add: bool = True) -> int:
    ends = {"first_ip_address": first, "last_ip_address": last}
    return int(vpp.api.nat44_add_del_address_range(**ends, vrf_id=ALL, is_add=add).retval)


def mapping(vpp: Subject, external: str, index: int = ALL, *, port: int = 80, add: bool = True) -> int:
    ends = {"local_ip_address": "10.0.0.9", "local_port": port, "external_ip_address": external, "external_port": port}
    reply = vpp.api.nat44_add_del_static_mapping_v2(
        is_add=add, protocol=6, external_sw_if_index=index, vrf_id=0, tag="web", **ends
    )
    return int(reply.retval)


def mappings(vpp: Subject) -> list[tuple[str, int, int, str]]:
    rows = vpp.api.nat44_static_mapping_dump()
    return sorted((str(row.external_ip_address), row.external_sw_if_index, row.local_port, row.tag) for row in rows)


def features(vpp: Subject, name: str) -> list[str]:
    lines = vpp.cli(f"show interface features {name}")[1].splitlines()
    return [line.strip() for line in lines if "nat" in line or "sv-reass" in line]


@pytest.fixture
def sub(vpp: Subject, first: int) -> Iterator[int]:
    """Return a sub-interface with an address, where NAT is enabled."""
    assert enable(vpp) == 0
    index = vpp.sub(first, 100)
    assert vpp.add_address(index, ADDRESS) == 0
    yield index
    enable(vpp, is_on=False)


def test_nothing_works_while_it_is_not_enabled(vpp: Subject, first: int) -> None:
    assert vpp.api.nat44_show_running_config().sessions == 0
    assert side(vpp, first, INSIDE) == output(vpp, first) == follow(vpp, first) == -126
    assert addresses(vpp, "198.51.100.1", "198.51.100.1") == -126
    assert (enable(vpp), enable(vpp)) == (0, -170)
    assert vpp.api.nat44_show_running_config().sessions == 64512
    assert (side(vpp, first, INSIDE), side(vpp, 4711, INSIDE)) == (0, -2)
    assert (enable(vpp, is_on=False), enable(vpp, is_on=False)) == (0, -169)
    assert (sides(vpp), features(vpp, PORTS[0])) == ({}, [])


def test_an_interface_is_inside_or_outside(vpp: Subject, sub: int) -> None:
    name = f"{PORTS[0]}.100"
    assert (side(vpp, sub, INSIDE), side(vpp, sub, INSIDE)) == (0, 0)
    assert (sides(vpp), features(vpp, name)) == ({sub: INSIDE}, ["ip4-sv-reassembly-feature", "nat-pre-in2out"])
    assert side(vpp, sub, OUTSIDE) == 0
    assert sides(vpp) == {sub: INSIDE | OUTSIDE}
    assert features(vpp, name) == ["ip4-sv-reassembly-feature", "nat44-ed-classify"]
    assert output(vpp, sub) == -81
    assert side(vpp, sub, INSIDE, add=False) == 0
    assert (sides(vpp), features(vpp, name)) == ({sub: OUTSIDE}, ["ip4-sv-reassembly-feature", "nat-pre-out2in"])
    assert (side(vpp, sub, OUTSIDE, add=False), side(vpp, sub, OUTSIDE, add=False)) == (0, -6)
    assert (sides(vpp), features(vpp, name)) == ({}, [])


def test_the_other_side_deleted_leaves_a_feature_behind(vpp: Subject, sub: int) -> None:
    name = f"{PORTS[0]}.100"
    assert (side(vpp, sub, INSIDE), side(vpp, sub, OUTSIDE, add=False)) == (0, 0)
    assert (sides(vpp), features(vpp, name)) == ({}, ["nat-pre-in2out"])


def test_what_leaves_an_interface_is_translated(vpp: Subject, sub: int) -> None:
    assert (output(vpp, sub), output(vpp, sub), side(vpp, sub, INSIDE)) == (0, -81, -81)
    assert outputs(vpp) == [sub]
    assert sorted(set(features(vpp, f"{PORTS[0]}.100"))) == [
        *("ip4-sv-reassembly-feature", "ip4-sv-reassembly-output-feature"),
        *("nat-pre-in2out-output", "nat-pre-out2in"),
    ]
    assert (output(vpp, sub, add=False), output(vpp, sub, add=False)) == (0, -6)
    assert (outputs(vpp), features(vpp, f"{PORTS[0]}.100")) == ([], [])


def test_it_goes_off_with_the_interface(vpp: Subject, first: int, sub: int) -> None:
    assert side(vpp, sub, INSIDE) == 0
    vpp.api.delete_subif(sw_if_index=sub)
    assert sides(vpp) == {}
    assert vpp.sub(first, 200) == sub
    assert features(vpp, f"{PORTS[0]}.200") == []
    assert output(vpp, sub) == 0
    vpp.api.delete_subif(sw_if_index=sub)
    assert outputs(vpp) == []


def test_the_pool_follows_one_address_and_takes_no_other_for_it(vpp: Subject, sub: int) -> None:
    assert (follow(vpp, sub), follow(vpp, sub)) == (0, -81)
    assert pool(vpp) == ["192.0.2.1"]
    assert vpp.add_address(sub, OTHER) == 0
    assert pool(vpp) == ["192.0.2.1"]
    assert vpp.remove_address(sub, ADDRESS) == 0
    assert pool(vpp) == []
    assert vpp.remove_address(sub, OTHER) == vpp.add_address(sub, ADDRESS) == 0
    assert pool(vpp) == ["192.0.2.1"]
    assert vpp.remove_address(sub, ADDRESS) == vpp.add_address(sub, OTHER) == 0
    assert pool(vpp) == ["203.0.113.5"]
    assert (follow(vpp, sub, add=False), follow(vpp, sub, add=False)) == (0, -6)
    assert pool(vpp) == []


def test_what_an_interface_borrows_is_taken_once_and_followed_no_further(vpp: Subject, first: int, sub: int) -> None:
    borrower = vpp.sub(first, 200)
    assert follow(vpp, borrower) == 0
    assert borrow(vpp, sub, borrower) == 0
    assert pool(vpp) == []
    assert (follow(vpp, borrower, add=False), follow(vpp, borrower), mapping(vpp, "0.0.0.0", borrower)) == (-6, 0, 0)
    there = ["192.0.2.1"], [("0.0.0.0", borrower, 80, "web"), ("192.0.2.1", ALL, 80, "web")]
    assert (pool(vpp), mappings(vpp)) == there
    assert borrow(vpp, sub, borrower, is_add=False) == vpp.remove_address(sub, ADDRESS) == 0
    assert (pool(vpp), mappings(vpp)) == there


def test_the_next_interface_with_the_index_fills_the_pool_and_the_mapping(vpp: Subject, first: int, sub: int) -> None:
    assert follow(vpp, sub) == mapping(vpp, "0.0.0.0", sub) == 0
    assert mappings(vpp) == [("0.0.0.0", sub, 80, "web"), ("192.0.2.1", ALL, 80, "web")]
    vpp.api.delete_subif(sw_if_index=sub)
    assert (pool(vpp), mappings(vpp)) == ([], [("0.0.0.0", sub, 80, "web")])
    assert [row.sw_if_index for row in vpp.api.nat44_interface_addr_dump()] == [sub]
    assert vpp.sub(first, 200) == sub
    assert vpp.add_address(sub, OTHER) == 0
    assert pool(vpp) == ["203.0.113.5"]
    assert mappings(vpp) == [("0.0.0.0", sub, 80, "web"), ("203.0.113.5", ALL, 80, "web")]
    assert mapping(vpp, "0.0.0.0", sub, add=False) == follow(vpp, sub, add=False) == 0
    assert (mappings(vpp), pool(vpp)) == ([], [])


def test_a_range_ends_at_the_first_address_that_cannot_be(vpp: Subject, sub: int) -> None:
    assert addresses(vpp, "198.51.100.2", "198.51.100.3") == 0
    assert addresses(vpp, "198.51.100.1", "198.51.100.4") == -81
    assert pool(vpp) == ["198.51.100.1", "198.51.100.2", "198.51.100.3"]
    assert addresses(vpp, "198.51.100.1", "198.51.100.3", add=False) == 0
    assert addresses(vpp, "198.51.100.1", "198.51.100.1", add=False) == -6
    assert (mapping(vpp, "198.51.100.9"), mapping(vpp, "198.51.100.9")) == (0, -81)
    assert mappings(vpp) == [("198.51.100.9", ALL, 80, "web")]
    assert (mapping(vpp, "198.51.100.9", add=False), mapping(vpp, "198.51.100.9", add=False)) == (0, -6)


def by_address(vpp: Subject, **others: object) -> int:
    """Set or delete a mapping as the keywords say; the reply's number."""
    values: dict[str, object] = {
        **{"is_add": True, "protocol": 6, "vrf_id": 0, "tag": "web", "external_sw_if_index": ALL},
        **{
            "local_ip_address": "10.0.0.9",
            "local_port": 80,
            "external_ip_address": "198.51.100.9",
            "external_port": 80,
        },
    }
    return int(vpp.api.nat44_add_del_static_mapping_v2(**{**values, **others}).retval)


def exempt(vpp: Subject, address: str, table: int, *, add: bool = True) -> int:
    reply = vpp.api.nat44_add_del_identity_mapping(
        is_add=add, flags=0x08, ip_address=address, sw_if_index=ALL, vrf_id=table, tag="own"
    )
    return int(reply.retval)


def test_an_address_can_leave_the_pool_under_a_mapping(vpp: Subject, sub: int) -> None:
    """The mapping stays: whoever takes the address out must know."""
    assert addresses(vpp, "198.51.100.9", "198.51.100.9") == mapping(vpp, "198.51.100.9") == 0
    assert addresses(vpp, "198.51.100.9", "198.51.100.9", add=False) == 0
    assert (pool(vpp), mappings(vpp)) == ([], [("198.51.100.9", ALL, 80, "web")])


def test_what_followed_loses_its_flags_where_it_is_listed(vpp: Subject, sub: int) -> None:
    """By the interface VPP names neither one-sided nor twice-NAT; by the address it does."""
    assert by_address(vpp, external_ip_address="0.0.0.0", external_sw_if_index=sub, flags=0x04) == 0
    rows = {str(row.external_ip_address): int(row.flags) & 0x07 for row in vpp.api.nat44_static_mapping_dump()}
    assert rows == {"0.0.0.0": 0, "192.0.2.1": 0x04}


def test_a_mapping_of_a_whole_address_has_no_twice_nat(vpp: Subject, sub: int) -> None:
    whole = {"local_port": 0, "external_port": 0, "protocol": 0}
    assert by_address(vpp, flags=0x08 | 0x01, **whole) != 0
    assert by_address(vpp, flags=0x08, **whole) == 0


def test_what_followed_goes_with_a_refusal_where_its_entry_is_gone(vpp: Subject, first: int, sub: int) -> None:
    """VPP has forgotten it all the same, and answers that there was no entry (nat44_ed_del_static_mapping)."""
    bare = vpp.sub(first, 300)
    assert mapping(vpp, "0.0.0.0", bare) == mapping(vpp, "0.0.0.0", bare, add=False) == 0
    assert mapping(vpp, "0.0.0.0", sub) == mapping(vpp, "192.0.2.1", add=False) == 0
    assert mappings(vpp) == [("0.0.0.0", sub, 80, "web")]
    assert mapping(vpp, "0.0.0.0", sub, add=False) == -6
    assert mappings(vpp) == []


def test_a_new_beginning_forgets_what_was_set(vpp: Subject, sub: int) -> None:
    assert int(vpp.api.nat_set_timeouts(udp=30, tcp_established=7440, tcp_transitory=240, icmp=60).retval) == 0
    assert int(vpp.api.nat_set_mss_clamping(mss_value=1412, enable=True).retval) == 0
    assert int(vpp.api.nat44_forwarding_enable_disable(enable=True).retval) == 0
    assert (enable(vpp, is_on=False), enable(vpp)) == (0, 0)
    running = vpp.api.nat44_show_running_config()
    clamping = vpp.api.nat_get_mss_clamping()
    assert (running.timeouts.udp, bool(running.forwarding_enabled)) == (300, False)
    assert (clamping.enable, clamping.mss_value) == (False, 0)


def test_an_exemption_in_another_table_is_in_the_way_of_disabling(vpp: Subject, sub: int) -> None:
    """VPP disables all the same; what it answers is VNET_API_ERROR_BUG."""
    vpp.api.ip_table_add_del(is_add=1, table={"table_id": 77, "is_ip6": 0, "name": "x"})
    assert exempt(vpp, "198.51.100.20", 77) == 0
    assert enable(vpp, is_on=False) == -168
    assert enable(vpp) in (0, -170)
    vpp.api.ip_table_add_del(is_add=0, table={"table_id": 77, "is_ip6": 0, "name": "x"})


def test_a_leak_is_dumped_by_the_first_version_of_its_details(vpp: Subject, sub: int) -> None:
    for table in (77, 78):
        vpp.api.ip_table_add_del(is_add=1, table={"table_id": table, "is_ip6": 0, "name": "x"})
    assert int(vpp.api.nat44_ed_add_del_vrf_table(table_vrf_id=77, is_add=True).retval) == 0
    assert int(vpp.api.nat44_ed_add_del_vrf_route(table_vrf_id=77, vrf_id=78, is_add=True).retval) == 0
    rows = vpp.api.nat44_ed_vrf_tables_v2_dump()
    assert [(type(row).__name__, row.table_vrf_id, list(row.vrf_ids)) for row in rows] == [
        ("nat44_ed_vrf_tables_details", 77, [78])
    ]
    assert [(row.table_vrf_id, list(row.vrf_ids)) for row in vpp.api.nat44_ed_vrf_tables_dump()] == [(0, [78 << 24])]
    assert int(vpp.api.nat44_ed_add_del_vrf_table(table_vrf_id=77, is_add=False).retval) == 0
    for table in (77, 78):
        vpp.api.ip_table_add_del(is_add=0, table={"table_id": table, "is_ip6": 0, "name": "x"})


VRF = 10


def _in_pool(vpp: Subject, *, add: bool) -> int:
    ends = {"first_ip_address": "203.0.113.7", "last_ip_address": "203.0.113.8"}
    return int(vpp.api.nat44_add_del_address_range(**ends, vrf_id=VRF, is_add=add).retval)


def _for_twice(vpp: Subject, *, add: bool) -> int:
    ends = {"first_ip_address": "203.0.113.7", "last_ip_address": "203.0.113.7"}
    return int(vpp.api.nat44_add_del_address_range(**ends, vrf_id=VRF, flags=1, is_add=add).retval)


def _mapped(vpp: Subject, *, add: bool) -> int:
    ends = {"local_ip_address": "10.0.0.9", "local_port": 80, "external_ip_address": "203.0.113.9", "external_port": 80}
    more = {"protocol": 6, "external_sw_if_index": ALL, "vrf_id": VRF}
    return int(vpp.api.nat44_add_del_static_mapping_v2(is_add=add, **more, **ends).retval)


def _exempt(vpp: Subject, *, add: bool) -> int:
    more = {"ip_address": "203.0.113.9", "protocol": 6, "port": 80, "sw_if_index": ALL, "vrf_id": VRF}
    return int(vpp.api.nat44_add_del_identity_mapping(is_add=add, **more).retval)


def _list(vpp: Subject, *, add: bool) -> int:
    return int(vpp.api.nat44_ed_add_del_vrf_table(table_vrf_id=VRF, is_add=add).retval)


def _leak(vpp: Subject, *, add: bool) -> int:
    if add:
        vpp.api.nat44_ed_add_del_vrf_table(table_vrf_id=0, is_add=True)
        return int(vpp.api.nat44_ed_add_del_vrf_route(table_vrf_id=0, vrf_id=VRF, is_add=True).retval)
    return int(vpp.api.nat44_ed_add_del_vrf_table(table_vrf_id=0, is_add=False).retval)


def _balanced(vpp: Subject, *, add: bool) -> int:
    addresses(vpp, "203.0.113.9", "203.0.113.9", add=add)
    hosts = [{"addr": f"10.0.0.{n}", "port": 80, "probability": 50, "vrf_id": VRF} for n in (1, 2)]
    more = {"external_addr": "203.0.113.9", "external_port": 80, "protocol": 6, "local_num": 2, "locals": hosts}
    return int(vpp.api.nat44_add_del_lb_static_mapping(is_add=add, **more).retval)


HOLDERS = {each.__name__[1:]: each for each in (_in_pool, _for_twice, _mapped, _exempt, _list, _leak, _balanced)}


def has_vrf(vpp: Subject) -> bool:
    return VRF in {row.table.table_id for row in vpp.api.ip_table_dump() if not row.table.is_ip6}


def set_vrf(vpp: Subject, *, add: bool) -> None:
    vpp.api.ip_table_add_del(is_add=add, table={"table_id": VRF, "is_ip6": False, "name": "red" if add else ""})


@pytest.mark.parametrize("holder", HOLDERS)
def test_a_table_stays_as_long_as_nat_has_something_in_it(vpp: Subject, sub: int, holder: str) -> None:
    if holder == "balanced" and not vpp.since("23.10"):
        pytest.skip("VPP cannot remove a balanced mapping (d7c94ce18e8)")
    change = HOLDERS[holder]
    set_vrf(vpp, add=True)
    assert (change(vpp, add=True), has_vrf(vpp)) == (0, True)
    set_vrf(vpp, add=False)
    assert has_vrf(vpp), "the API has let go of it, and NAT has not"
    assert (change(vpp, add=False), has_vrf(vpp)) == (0, False)
    assert (change(vpp, add=True), has_vrf(vpp)) == (0, True), "NAT makes a table that is missing"
    assert (change(vpp, add=False), has_vrf(vpp)) == (0, False)


@pytest.mark.parametrize("holder", [each for each in HOLDERS if each not in {"exempt", "balanced"}])
def test_a_table_goes_when_nat_is_disabled(vpp: Subject, sub: int, holder: str) -> None:
    assert (HOLDERS[holder](vpp, add=True), has_vrf(vpp)) == (0, True)
    assert (enable(vpp, is_on=False), has_vrf(vpp)) == (0, False)


def test_an_exemption_holds_its_table_for_ever_when_nat_is_disabled_before(vpp: Subject, sub: int) -> None:
    more = {"ip_address": "203.0.113.9", "protocol": 6, "port": 80, "sw_if_index": ALL, "vrf_id": 11}
    assert vpp.api.nat44_add_del_identity_mapping(is_add=True, **more).retval == 0
    assert enable(vpp, is_on=False) == -168
    assert 11 in {row.table.table_id for row in vpp.api.ip_table_dump()}
