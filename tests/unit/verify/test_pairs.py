"""The two sides of LCP pairs."""

from dataclasses import replace
from typing import Any

import pytest

from vppcfg.model.forwarding import LinuxForwarding, NeighborSeen, PairSide, VppForwarding, VppPair
from vppcfg.verify.mismatch import Comparison, Mismatch, MismatchKind, Subject
from vppcfg.verify.pairs import PairComparison, compare_pairs
from vppcfg.verify.report import report_of

SIDE = PairSide(
    mtu=1500,
    is_up=True,
    addresses=frozenset({"192.0.2.1/24"}),
    neighbors={"192.0.2.9": NeighborSeen(mac="02:00:00:00:00:09")},
)
PAIR = VppPair(interface="port0", host_name="e0", netns="", device_index=7, side=SIDE)
VPP = VppForwarding(pairs=(PAIR,), has_linux_cp=True, has_linux_nl=True)
LINUX = LinuxForwarding(sides={"port0": SIDE}, indexes={"port0": 7})


def compared(linux: LinuxForwarding = LINUX, vpp: VppForwarding = VPP, netns: str = "", **pair: Any) -> PairComparison:
    pairs = tuple(replace(each, netns=netns, **pair) for each in vpp.pairs)
    return compare_pairs(replace(vpp, pairs=pairs), {netns: linux})


def linux_with(**values: Any) -> LinuxForwarding:
    return replace(LINUX, sides={"port0": replace(SIDE, **values)})


def found(linux: LinuxForwarding = LINUX, **values: Any) -> set[Mismatch]:
    return set(compared(linux, **values).mismatches)


def test_mtu_and_state_are_told_of_both_sides() -> None:
    assert found(linux_with(mtu=1400, is_up=False)) == {
        Mismatch(MismatchKind.DIFFERENT, Subject.MTU, "port0", linux="1400", vpp="1500"),
        Mismatch(MismatchKind.DIFFERENT, Subject.STATE, "port0", linux="down", vpp="up"),
    }


def test_an_interface_without_an_mtu_takes_any() -> None:
    assert found(linux_with(mtu=1400), side=replace(SIDE, mtu=0)) == set()


def test_addresses_are_missing_or_stale() -> None:
    assert found(linux_with(addresses=frozenset({"192.0.2.2/24"}))) == {
        Mismatch(MismatchKind.MISSING, Subject.ADDRESS, "port0", "192.0.2.2/24"),
        Mismatch(MismatchKind.STALE, Subject.ADDRESS, "port0", "192.0.2.1/24"),
    }


def test_an_address_that_neither_has_and_the_last_change_set_is_lost() -> None:
    wanted = {"port0": frozenset({"192.0.2.1/24", "192.0.2.2/24"}), "port1": frozenset({"192.0.2.3/24"})}
    bare = replace(VPP, pairs=(replace(PAIR, side=replace(SIDE, addresses=frozenset())),))
    around = {"": linux_with(addresses=frozenset({"192.0.2.2/24"}))}
    assert {each for each in compare_pairs(bare, around, addresses=wanted).mismatches if each.name} == {
        Mismatch(MismatchKind.LOST, Subject.ADDRESS, "port0", "192.0.2.1/24"),
        Mismatch(MismatchKind.MISSING, Subject.ADDRESS, "port0", "192.0.2.2/24"),
    }


def test_the_same_address_with_another_length_is_another_one() -> None:
    assert len(found(linux_with(addresses=frozenset({"192.0.2.1/25"})))) == 2


def test_neighbors_are_missing_stale_or_different() -> None:
    others = {"192.0.2.9": NeighborSeen(mac="02:00:00:00:00:08"), "192.0.2.10": NeighborSeen(mac="02:00:00:00:00:0a")}
    assert found(linux_with(neighbors=others)) == {
        Mismatch(
            MismatchKind.DIFFERENT, Subject.NEIGHBOR, "port0", "192.0.2.9", "02:00:00:00:00:08", "02:00:00:00:00:09"
        ),
        Mismatch(MismatchKind.MISSING, Subject.NEIGHBOR, "port0", "192.0.2.10", linux="02:00:00:00:00:0a"),
    }


@pytest.mark.parametrize(
    ("failed", "kind"),
    [
        ({}, MismatchKind.VPP_ONLY),
        ({"192.0.2.9": 5.0}, MismatchKind.STALE),
        ({"192.0.2.9": 90.0}, MismatchKind.VPP_ONLY),
        ({"192.0.2.9": 60.0}, MismatchKind.VPP_ONLY),
        ({"192.0.2.8": 5.0}, MismatchKind.VPP_ONLY),
    ],
)
def test_a_learnt_neighbor_of_vpp_alone_is_stale_when_linux_has_asked_in_vain_since(
    failed: dict[str, float], kind: MismatchKind
) -> None:
    learnt = replace(SIDE, neighbors={"192.0.2.9": NeighborSeen(mac="02:00:00:00:00:09", age_s=60.0)})
    assert found(linux_with(neighbors={}, failed=failed), side=learnt) == {
        Mismatch(kind, Subject.NEIGHBOR, "port0", "192.0.2.9", vpp="02:00:00:00:00:09")
    }


def test_what_vpp_alone_has_and_may_have_does_not_count() -> None:
    alone = Comparison(mismatches=frozenset({Mismatch(MismatchKind.VPP_ONLY, Subject.NEIGHBOR, "port0", "192.0.2.9")}))
    assert (alone.count(), report_of(alone).count, len(report_of(alone).groups)) == (0, 0, 1)


@pytest.mark.parametrize(
    ("linux", "values", "kind", "vpp"),
    [
        (LinuxForwarding(), {}, MismatchKind.STALE, ""),
        (LINUX, {"side": None}, MismatchKind.DIFFERENT, "its interface is gone"),
        (LINUX, {"has_host": False}, MismatchKind.DIFFERENT, "its end of the device is gone"),
        (LINUX, {"device_index": 9}, MismatchKind.DIFFERENT, "device 9"),
    ],
)
def test_a_pair_that_is_not_whole_is_told(
    linux: LinuxForwarding, values: dict[str, Any], kind: MismatchKind, vpp: str
) -> None:
    (mismatch,) = found(linux, **values)
    assert (mismatch.subject, mismatch.kind, mismatch.name, mismatch.vpp) == (Subject.PAIR, kind, "e0", vpp)


def test_a_pair_whose_device_vpp_does_not_know_by_its_index_is_as_good() -> None:
    assert found(device_index=0) == set()


def test_pairs_in_a_namespace_that_cannot_be_read_are_counted() -> None:
    outcome = compare_pairs(replace(VPP, pairs=(PAIR, replace(PAIR, netns="x"), replace(PAIR, netns="x"))), {"": LINUX})
    assert outcome.limits == {"LCP pairs in a namespace that cannot be read": 2}
    assert outcome.compared[Subject.PAIR] == 1


@pytest.mark.parametrize(("vpp", "netns"), [(VPP, "elsewhere"), (replace(VPP, has_linux_nl=False), "")])
def test_where_nobody_copies_addresses_linux_is_to_have_those_of_vpp(vpp: VppForwarding, netns: str) -> None:
    other = linux_with(neighbors={}, addresses=frozenset({"192.0.2.7/24", "192.0.2.1/32"}))
    outcome = compared(other, vpp, netns)
    assert (outcome.mismatches, outcome.compared[Subject.ADDRESS]) == (frozenset(), 1)
    assert outcome.limits == {"addresses of Linux alone, which neither linux-nl nor lcp-sync copies": 1}
    lost = linux_with(neighbors={}, addresses=frozenset())
    assert found(lost, vpp=vpp, netns=netns) == {Mismatch(MismatchKind.STALE, Subject.ADDRESS, "port0", "192.0.2.1/24")}
    assert found(lost, vpp=vpp, netns=netns, virtual=frozenset({"192.0.2.1/24"})) == set()
    assert {each.subject for each in found(other, vpp=replace(vpp, is_sync=True), netns=netns)} == {Subject.ADDRESS}


def test_the_default_namespace_of_linux_nl_may_have_a_name() -> None:
    vpp = replace(VPP, default_netns="dataplane")
    assert compared(vpp=vpp, netns="dataplane").compared[Subject.NEIGHBOR] == 1
    assert compared(vpp=vpp).compared[Subject.NEIGHBOR] == 0


def test_linux_may_have_what_is_borrowed_and_nothing_else_on_the_device() -> None:
    for addresses in (frozenset[str](), frozenset({"192.0.2.1/32"})):
        assert found(linux_with(addresses=addresses), is_unnumbered=True) == set()
    other = linux_with(addresses=frozenset({"192.0.2.1/32", "192.0.2.7/32"}))
    assert found(other, is_unnumbered=True) == {
        Mismatch(MismatchKind.MISSING, Subject.ADDRESS, "port0", "192.0.2.7/32")
    }
