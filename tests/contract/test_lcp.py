"""Contract: LCP pairs, their host interfaces, and what becomes of both."""

import re
import struct
from typing import Any

import pytest

from tests.contract.raw import Raw
from tests.contract.subject import ALL, PORTS, Flags, Subject

TWO_TAGS = Flags.TWO_TAGS | Flags.EXACT
TUN = 1


def shown(vpp: Subject) -> dict[int, tuple[str, str]]:
    """Return host name and namespace of every pair by the index of its interface."""
    return {phy: (row.host_if_name, row.netns) for phy, row in vpp.pairs().items()}


def second_pair(vpp: Subject) -> int:
    """Return VPP's code for a second pair: refused as such, or for the number of its TAP."""
    return -81 if vpp.since("24.02") else -71


def host_of(vpp: Subject, phy: int) -> Any:
    """Return what VPP shows of the host interface of a pair."""
    return vpp.details(vpp.pairs()[phy].host_sw_if_index)


def test_there_are_no_pairs_at_first(vpp: Subject) -> None:
    reply, rows = vpp.api.lcp_itf_pair_get(cursor=0)
    assert (reply.retval, rows) == (0, [])


def test_a_pair_makes_a_tap_that_is_up_and_has_the_packet_mtu(vpp: Subject, first: int) -> None:
    vpp.api.sw_interface_set_mtu(sw_if_index=first, mtu=[1500, 0, 0, 0])
    assert vpp.add_pair(first, "e1") == 0
    assert shown(vpp) == {first: ("e1", "")}
    row = host_of(vpp, first)
    assert (row.interface_name, row.interface_dev_type) == (vpp.host_name(first), vpp.tap_class)
    assert row.sup_sw_if_index == row.sw_if_index
    assert (int(row.flags), row.link_mtu, list(row.mtu)) == (3, 9000, [1500, 0, 0, 0])
    assert str(row.l2_address).startswith("02:fe:")


def test_a_tap_without_a_packet_mtu_to_copy_gets_9216(vpp: Subject, first: int) -> None:
    vpp.api.sw_interface_set_mtu(sw_if_index=first, mtu=[0, 0, 0, 0])
    assert vpp.add_pair(first, "e1") == 0
    assert list(host_of(vpp, first).mtu) == [9216, 0, 0, 0]


@pytest.mark.parametrize(("mtu", "retval"), [(67, -145), (68, 0), (65521, 0), (65522, -145)])
def test_linux_limits_the_mtu_of_a_tap(vpp: Subject, first: int, mtu: int, retval: int) -> None:
    vpp.api.sw_interface_set_mtu(sw_if_index=first, mtu=[mtu, 0, 0, 0])
    assert vpp.add_pair(first, "e1") == retval
    vpp.api.sw_interface_set_mtu(sw_if_index=first, mtu=[1500, 0, 0, 0])
    assert vpp.add_pair(first, "e1") == (0 if retval else second_pair(vpp))


def test_taps_are_numbered_from_4096_or_like_their_hardware_and_numbers_come_back(
    vpp: Subject, first: int, second: int
) -> None:
    vpp.add_pair(second, "e3")
    vpp.add_pair(first, "e1")
    names = [vpp.host_name(second), vpp.host_name(first, 4097)]
    assert [host_of(vpp, phy).interface_name for phy in (second, first)] == names
    vpp.delete_pair(second)
    vpp.add_pair(second, "e3")
    assert host_of(vpp, second).interface_name == names[0]


def test_an_interface_has_one_pair(vpp: Subject, first: int) -> None:
    vpp.add_pair(first, "e1")
    assert [vpp.add_pair(first, "e1"), vpp.add_pair(first, "other")] == [second_pair(vpp)] * 2
    assert shown(vpp) == {first: ("e1", "")}


def test_a_linux_name_is_used_once_per_namespace(vpp: Subject, first: int, second: int) -> None:
    """Up to 26.06 two pairs share the device of that name, which goes with the last one."""
    vpp.add_pair(first, "e1")
    if vpp.since("26.10"):
        assert vpp.add_pair(second, "e1") == -13
    else:
        assert (vpp.add_pair(second, "e1"), vpp.add_pair(vpp.index(PORTS[2]), "e1", host_type=TUN)) == (0, -13)
        assert vpp.pairs()[first].vif_index == vpp.pairs()[second].vif_index
        assert [vpp.delete_pair(index) for index in (first, second)] == [0, 0]
        assert vpp.add_pair(first, "e1", host_type=TUN) == 0
        assert (vpp.delete_pair(first), vpp.add_pair(first, "e1")) == (0, 0)
    assert vpp.add_pair(second, "lo") == -13
    assert vpp.add_pair(second, "e1", "dataplane") == 0
    assert shown(vpp) == {first: ("e1", ""), second: ("e1", "dataplane")}


@pytest.mark.parametrize(
    ("name", "retval"),
    [
        ("a b", -73),
        ("a/b", -73),
        ("a$b", -73),
        ("a:b", -13),
        ("..", -13),
        ("a_b-c@d", 0),
        ("be0.100", 0),
        ("fifteen-letters", 0),
    ],
)
def test_names_are_checked_by_vpp_and_by_linux(vpp: Subject, first: int, name: str, retval: int) -> None:
    assert vpp.add_pair(first, name) == retval
    assert shown(vpp) == ({first: (name, "")} if retval == 0 else {})


def test_a_namespace_must_exist(vpp: Subject, first: int) -> None:
    assert vpp.add_pair(first, "e1", "nowhere") == -12
    assert shown(vpp) == {}


def test_the_default_namespace_is_taken_when_none_is_named(vpp: Subject, first: int, second: int) -> None:
    """The message that asks for it is not asked while there is none: VPP leaves its answer as the memory was."""
    assert "lcp default netns '<unset>'" in vpp.cli("show lcp")[1]
    assert vpp.api.lcp_default_ns_set(netns="dataplane").retval == 0
    assert vpp.api.lcp_default_ns_get().netns == "dataplane"
    assert "lcp default netns 'dataplane'" in vpp.cli("show lcp")[1]
    assert vpp.add_pair(first, "e1") == 0
    assert vpp.api.lcp_default_ns_set(netns="").retval == 0
    assert vpp.add_pair(second, "e1") == 0
    assert shown(vpp) == {first: ("e1", "dataplane"), second: ("e1", "")}


def test_local0_takes_no_tap(vpp: Subject) -> None:
    assert vpp.add_pair(0, "e1") == -73


def test_a_tun_is_a_tun(vpp: Subject, first: int) -> None:
    assert vpp.add_pair(first, "e1", host_type=TUN) == 0
    pair = vpp.pairs()[first]
    name = vpp.host_name(first).replace("tap", "tun")
    assert (int(pair.host_if_type), host_of(vpp, first).interface_name) == (TUN, name)
    assert vpp.delete_pair(first) == 0
    assert name not in vpp.interfaces()


def test_deleting_a_pair_deletes_its_tap(vpp: Subject, first: int) -> None:
    before = set(vpp.interfaces())
    vpp.add_pair(first, "e1")
    assert vpp.delete_pair(first) == 0
    assert (set(vpp.interfaces()), shown(vpp)) == (before, {})
    assert vpp.delete_pair(first) == -2
    assert vpp.add_pair(first, "e1") == 0


def test_a_sub_interface_needs_a_pair_on_its_parent(vpp: Subject, first: int) -> None:
    sub = vpp.sub(first, 100)
    assert vpp.add_pair(sub, "e1.100") == -2
    vpp.add_pair(first, "e1")
    assert vpp.add_pair(sub, "e1.100") == 0
    assert shown(vpp) == {first: ("e1", ""), sub: ("e1.100", "")}


@pytest.mark.parametrize("flags", [Flags.ONE_TAG, Flags.ONE_TAG | Flags.DOT1AD, Flags.TWO_TAGS])
def test_a_sub_interface_needs_an_exact_match(vpp: Subject, first: int, flags: int) -> None:
    vpp.add_pair(first, "e1")
    sub = vpp.sub(first, 100, flags, inner_vlan_id=7 if flags & Flags.TWO_TAGS else 0)
    assert vpp.add_pair(sub, "e1.100") == -73


def test_the_host_side_of_a_sub_interface_is_one_on_its_parents_tap(vpp: Subject, first: int) -> None:
    vpp.add_pair(first, "e1")
    sub = vpp.sub(first, 7, TWO_TAGS | Flags.DOT1AD, outer_vlan_id=100, inner_vlan_id=7)
    vpp.api.sw_interface_set_mtu(sw_if_index=sub, mtu=[1400, 0, 0, 0])
    assert vpp.add_pair(sub, "e1.100.7") == 0
    row, tap = host_of(vpp, sub), host_of(vpp, first)
    assert (row.interface_name, row.sup_sw_if_index) == (f"{vpp.host_name(first)}.7", tap.sw_if_index)
    assert (row.sub_outer_vlan_id, row.sub_inner_vlan_id, int(row.sub_if_flags)) == (100, 7, 0x1C)
    assert (int(row.flags) & 1, list(row.mtu)) == (1, [0, 0, 0, 0])


def test_a_sub_interface_takes_a_linux_device_that_is_there_and_takes_it_away(vpp: Subject, first: int) -> None:
    subs = [vpp.sub(first, number) for number in (100, 200)]
    vpp.add_pair(first, "e1")
    assert [vpp.add_pair(sub, "e1.100") for sub in subs] == [0, 0]
    indexes = {vpp.pairs()[sub].vif_index for sub in subs}
    assert len(indexes) == 1
    assert [vpp.delete_pair(sub) for sub in subs] == [0, 0]


def test_deleting_a_sub_interface_deletes_its_pair(vpp: Subject, first: int) -> None:
    vpp.add_pair(first, "e1")
    sub = vpp.sub(first, 100)
    vpp.add_pair(sub, "e1.100")
    assert vpp.api.delete_subif(sw_if_index=sub).retval == 0
    assert shown(vpp) == {first: ("e1", "")}
    assert set(vpp.interfaces()) == {"local0", *PORTS, vpp.host_name(first)}


def test_deleting_a_parents_pair_orphans_those_of_its_sub_interfaces(vpp: Subject, first: int) -> None:
    vpp.add_pair(first, "e1")
    sub = vpp.sub(first, 100)
    vpp.add_pair(sub, "e1.100")
    assert vpp.delete_pair(first) == 0
    assert shown(vpp) == {sub: ("e1.100", "")}
    assert set(vpp.interfaces()) == {"local0", *PORTS, f"{PORTS[0]}.100"}
    assert "<no-host-if> e1.100" in vpp.cli("show lcp")[1]
    assert vpp.add_pair(sub, "e1.100") == (-81 if vpp.since("24.02") else -2)
    assert vpp.delete_pair(sub) == 0
    assert shown(vpp) == {}


def test_deleting_an_orphan_deletes_what_has_its_hosts_index_by_then(vpp: Subject, first: int) -> None:
    vpp.add_pair(first, "e1")
    sub = vpp.sub(first, 100)
    vpp.add_pair(sub, "e1.100")
    orphaned = vpp.pairs()[sub].host_sw_if_index
    vpp.delete_pair(first)
    made = {}
    for number in (201, 202, 203):
        made[vpp.sub(first, number)] = f"{PORTS[0]}.{number}"
    assert orphaned in made
    assert vpp.delete_pair(sub) == 0
    assert made[orphaned] not in vpp.interfaces()


def test_deleting_an_orphan_deletes_even_the_tap_of_another_pair(vpp: Subject, first: int, second: int) -> None:
    third = vpp.index(PORTS[2])
    vpp.add_pair(first, "e1")
    sub = vpp.sub(first, 100)
    vpp.add_pair(sub, "e1.100")
    orphaned = vpp.pairs()[sub].host_sw_if_index
    vpp.delete_pair(first)
    assert [vpp.add_pair(second, "e3"), vpp.add_pair(third, "e5")] == [0, 0]
    (victim,) = (phy for phy in (second, third) if vpp.pairs()[phy].host_sw_if_index == orphaned)
    assert vpp.delete_pair(sub) == 0
    assert orphaned not in {row.sw_if_index for row in vpp.interfaces().values()}
    assert set(shown(vpp)) == {second, third}
    assert [vpp.delete_pair(victim), vpp.add_pair(victim, "again")] == [0, 0]


def test_a_host_sub_interface_can_be_deleted_under_its_pair(vpp: Subject, first: int) -> None:
    vpp.add_pair(first, "e1")
    sub = vpp.sub(first, 100)
    vpp.add_pair(sub, "e1.100")
    host = vpp.pairs()[sub].host_sw_if_index
    assert vpp.api.delete_subif(sw_if_index=host).retval == 0
    assert sub in shown(vpp)
    assert vpp.delete_pair(sub) == 0


def test_a_sub_interface_without_linux_device_gets_a_vlan_device(vpp: Subject, first: int) -> None:
    if not vpp.knows_vlan_devices:
        pytest.skip("the kernel has no 802.1Q")
    vpp.add_pair(first, "e1")
    outer, inner = vpp.sub(first, 1, outer_vlan_id=10), vpp.sub(first, 2, TWO_TAGS, outer_vlan_id=10, inner_vlan_id=20)
    assert vpp.add_pair(inner, "v1.10.20") == -73
    assert [vpp.add_pair(outer, "v1.10"), vpp.add_pair(inner, "v1.10.20")] == [0, 0]
    again = vpp.sub(first, 3, Flags.ONE_TAG | Flags.DOT1AD | Flags.EXACT, outer_vlan_id=10)
    assert [vpp.add_pair(again, "v1.10"), vpp.add_pair(vpp.sub(first, 4095), "v1.4095")] == [0, -73]


def test_version_2_names_the_host_interface(vpp: Subject, first: int) -> None:
    reply = vpp.api.lcp_itf_pair_add_del_v2(is_add=True, sw_if_index=first, host_if_name="e1")
    assert (reply.retval, reply.host_sw_if_index) == (0, vpp.index(vpp.host_name(first)))
    again = vpp.api.lcp_itf_pair_add_del_v2(is_add=True, sw_if_index=first, host_if_name="e1")
    assert (again.retval, again.host_sw_if_index) == (second_pair(vpp), ALL)
    gone = vpp.api.lcp_itf_pair_add_del_v2(is_add=False, sw_if_index=first)
    assert (gone.retval, gone.host_sw_if_index) == (0, ALL)


def test_version_3_names_the_linux_index_too(vpp: Subject, first: int) -> None:
    reply = vpp.api.lcp_itf_pair_add_del_v3(is_add=True, sw_if_index=first, host_if_name="e1")
    pair = vpp.pairs()[first]
    assert (reply.retval, reply.host_sw_if_index, reply.vif_index) == (0, pair.host_sw_if_index, pair.vif_index)
    gone = vpp.api.lcp_itf_pair_add_del_v3(is_add=False, sw_if_index=4711)
    assert (gone.retval, gone.host_sw_if_index, gone.vif_index) == (-2, ALL, ALL)


def test_one_pair_can_be_asked_for(vpp: Subject, first: int, second: int) -> None:
    vpp.add_pair(first, "e1")
    vpp.add_pair(second, "e3")
    reply, rows = vpp.api.lcp_itf_pair_get_v2(cursor=0, sw_if_index=second)
    assert (reply.retval, reply.cursor, [row.host_if_name for row in rows]) == (0, ALL, ["e3"])


def test_all_pairs_of_version_2_end_with_version_1s_reply(vpp: Subject, first: int) -> None:
    """So vpp_papi waits for the other one until it gives up (plugins/linux-cp/lcp_api.c)."""
    assert vpp.api.lcp_itf_pair_get_v2(cursor=0, sw_if_index=first)[0].retval == -2
    vpp.add_pair(first, "e1")
    raw = Raw(vpp.client.transport.server_address)
    raw.send(struct.pack(">HIIII", raw.ids["lcp_itf_pair_get_v2"], raw.handle, 7, 0, ALL))
    numbers = [struct.unpack_from(">HI", raw.receive()) for _ in range(2)]
    raw.close()
    assert numbers == [(raw.ids["lcp_itf_pair_details"], 7), (raw.ids["lcp_itf_pair_get_reply"], 7)]


@pytest.mark.parametrize("index", [0, 4711])
def test_an_interface_without_pair_is_refused(vpp: Subject, first: int, index: int) -> None:
    vpp.add_pair(first, "e1")
    reply, rows = vpp.api.lcp_itf_pair_get_v2(cursor=0, sw_if_index=index)
    assert (reply.retval, reply.cursor, rows) == (-2, ALL, [])


def test_a_cursor_is_the_index_of_a_pair_and_may_lie_beyond_the_last(vpp: Subject, first: int, second: int) -> None:
    vpp.add_pair(first, "e1")
    vpp.add_pair(second, "e3")
    indexes = sorted(map(int, re.findall(r"itf-pair: \[(\d+)]", vpp.cli("show lcp")[1])))
    answers = [vpp.api.lcp_itf_pair_get(cursor=cursor) for cursor in (indexes[0], indexes[1], indexes[1] + 1)]
    assert [(reply.retval, reply.cursor, len(rows)) for reply, rows in answers] == [
        (0, ALL, 2),
        (0, ALL, 1),
        (-7, ALL, 0),
    ]


class TestSync:
    """lcp-sync brings VPP's own MTUs in line with what Linux can take."""

    def test_a_sub_interface_gets_its_parents_mtu_when_it_has_none(self, vpp: Subject, first: int) -> None:
        sub = self._paired_sub(vpp, first)
        vpp.cli("lcp lcp-sync on")
        assert (vpp.mtus(sub)[0], host_of(vpp, sub).mtu[0]) == (9000, 9000)

    def test_a_larger_mtu_than_the_parents_is_cut(self, vpp: Subject, first: int) -> None:
        sub = self._paired_sub(vpp, first)
        vpp.cli("lcp lcp-sync on")
        vpp.api.sw_interface_set_mtu(sw_if_index=first, mtu=[1500, 0, 0, 0])
        assert [vpp.mtus(index)[0] for index in (first, sub)] == [1500, 1500]
        assert vpp.api.sw_interface_set_mtu(sw_if_index=sub, mtu=[2000, 0, 0, 0]).retval == 0
        assert vpp.mtus(sub)[0] == 1500
        assert vpp.api.sw_interface_set_mtu(sw_if_index=sub, mtu=[1400, 0, 0, 0]).retval == 0
        assert (vpp.mtus(sub)[0], host_of(vpp, sub).mtu[0]) == (1400, 1400)

    def test_nothing_is_cut_without_a_pair_or_without_sync(self, vpp: Subject, first: int) -> None:
        vpp.cli("lcp lcp-sync on")
        sub = vpp.sub(first, 100)
        vpp.api.sw_interface_set_mtu(sw_if_index=sub, mtu=[9100, 0, 0, 0])
        assert vpp.mtus(sub)[0] == 9100
        vpp.cli("lcp lcp-sync off")
        vpp.add_pair(first, "e1")
        vpp.api.sw_interface_set_mtu(sw_if_index=first, mtu=[1500, 0, 0, 0])
        assert host_of(vpp, first).mtu[0] == 9000

    def test_a_change_of_state_brings_mtus_in_line_too(self, vpp: Subject, first: int) -> None:
        sub = self._paired_sub(vpp, first)
        vpp.api.sw_interface_set_mtu(sw_if_index=sub, mtu=[9100, 0, 0, 0])
        vpp.cli("lcp lcp-sync on")
        vpp.cli("lcp lcp-sync off")
        assert vpp.mtus(sub)[0] == 9000
        vpp.api.sw_interface_set_mtu(sw_if_index=sub, mtu=[9100, 0, 0, 0])
        vpp.cli("lcp lcp-sync on")
        vpp.up(first)
        assert vpp.mtus(sub)[0] == 9000

    def _paired_sub(self, vpp: Subject, first: int) -> int:
        vpp.add_pair(first, "e1")
        sub = vpp.sub(first, 100)
        assert vpp.add_pair(sub, "e1.100") == 0
        return sub


class TestAutoSubint:
    def test_a_new_sub_interface_is_paired(self, vpp: Subject, first: int) -> None:
        vpp.add_pair(first, "e1")
        vpp.cli("lcp lcp-auto-subint on")
        sub = vpp.sub(first, 100)
        assert shown(vpp) == {first: ("e1", ""), sub: ("e1.100", "")}
        assert vpp.add_pair(sub, "e1.100") == (-81 if vpp.since("24.02") else -73)
        vpp.api.delete_subif(sw_if_index=sub)
        assert shown(vpp) == {first: ("e1", "")}

    def test_one_that_cannot_be_paired_is_made_all_the_same(self, vpp: Subject, first: int) -> None:
        vpp.add_pair(first, "e1")
        vpp.cli("lcp lcp-auto-subint on")
        sub = vpp.sub(first, 100, Flags.ONE_TAG)
        assert shown(vpp) == {first: ("e1", "")}
        assert vpp.details(sub).sub_id == 100

    def test_without_a_pair_on_the_parent_nothing_happens(self, vpp: Subject, first: int) -> None:
        vpp.cli("lcp lcp-auto-subint on")
        vpp.sub(first, 100)
        assert shown(vpp) == {}
