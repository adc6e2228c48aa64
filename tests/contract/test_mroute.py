"""Contract: multicast routes keep the index of an interface that goes, and work for the next one that has it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject

ACCEPT, FORWARD = 2, 4
OWN = {("0.0.0.0", "0.0.0.0", 0), ("0.0.0.0", "224.0.0.1", 32), ("0.0.0.0", "224.0.0.2", 32)}
Path = tuple[int, int]


def change(
    vpp: Subject, group: str, *paths: Path, add: bool = True, source: str = "0.0.0.0", length: int = 32, table: int = 0
) -> int:
    """Add or delete paths, each an interface and its flags; return VPP's code."""
    rows = [{"itf_flags": flags, "path": _path(index)} for index, flags in paths]
    group_of = {"ip4": group}
    prefix = {"af": 0, "grp_address_length": length, "grp_address": group_of, "src_address": {"ip4": source}}
    route = {"table_id": table, "prefix": prefix, "n_paths": len(rows), "paths": rows}
    return int(vpp.api.ip_mroute_add_del(is_add=add, is_multipath=True, route=route).retval)


def _path(index: int) -> dict[str, Any]:
    nh = {"address": {"ip4": "0.0.0.0"}}
    return {"sw_if_index": index, "nh": nh, "n_labels": 0, "label_stack": [{}] * 16, "weight": 1, "type": 0, "proto": 0}


def shown(vpp: Subject, is_ip6: bool = False) -> dict[tuple[str, str, int], list[Path]]:
    """Return the interfaces and flags of each route, by source, group and length."""
    found = {}
    for row in vpp.api.ip_mroute_dump(table={"table_id": 0, "is_ip6": is_ip6}):
        prefix, family = row.route.prefix, "ip6" if is_ip6 else "ip4"
        key = str(getattr(prefix.src_address, family)), str(getattr(prefix.grp_address, family))
        paths = [(each.path.sw_if_index, int(each.itf_flags)) for each in row.route.paths]
        found[(*key, prefix.grp_address_length)] = sorted(paths)
    return found


def others(vpp: Subject) -> dict[tuple[str, str, int], list[Path]]:
    return {key: paths for key, paths in shown(vpp).items() if key not in OWN}


@pytest.fixture(autouse=True)
def none_left(vpp: Subject) -> Iterator[None]:
    yield
    for (source, group, length), paths in others(vpp).items():
        assert change(vpp, group, *paths, add=False, source=source, length=length) == 0
        vpp.cli(f"ip mroute del {f'{source} {group}' if length > 32 else f'{group}/{length}'}")


def test_paths_are_added_and_deleted_one_by_one(vpp: Subject, first: int, second: int) -> None:
    key = ("0.0.0.0", "232.1.1.1", 32)
    assert change(vpp, "232.1.1.1", (first, ACCEPT), (second, FORWARD)) == 0
    assert others(vpp) == {key: [(first, ACCEPT), (second, FORWARD)]}
    assert change(vpp, "232.1.1.1", (first, FORWARD)) == 0
    assert others(vpp)[key] == [(first, FORWARD), (second, FORWARD)]
    assert change(vpp, "232.1.1.1", (first, 0), add=False) == change(vpp, "232.1.1.1", (first, 0), add=False) == 0
    assert others(vpp)[key] == [(second, FORWARD)]
    assert change(vpp, "232.1.1.1", (second, 0), add=False) == 0
    assert others(vpp) == {}
    assert change(vpp, "232.1.1.1", (4711, FORWARD)) == -54
    assert change(vpp, "232.1.1.1", (first, FORWARD), table=99) == -3


def test_both_flags_of_a_path_are_not_told(vpp: Subject, first: int) -> None:
    assert change(vpp, "232.1.1.1", (first, ACCEPT | FORWARD)) == 0
    assert others(vpp) == {("0.0.0.0", "232.1.1.1", 32): [(first, 0)]}


def test_a_route_may_name_a_source_or_a_range(vpp: Subject, first: int) -> None:
    assert change(vpp, "232.1.1.9", (first, FORWARD), source="10.1.1.1", length=64) == 0
    assert change(vpp, "232.2.0.0", (first, FORWARD), length=16) == 0
    expected = [("10.1.1.1", "232.1.1.9", 64), ("0.0.0.0", "232.2.0.0", 16)]
    assert list(others(vpp)) == expected


def test_the_next_interface_with_the_index_takes_part(vpp: Subject, first: int) -> None:
    index = vpp.sub(first, 100)
    key = ("0.0.0.0", "232.1.1.1", 32)
    assert change(vpp, "232.1.1.1", (index, ACCEPT), (first, FORWARD)) == 0
    vpp.api.delete_subif(sw_if_index=index)
    assert others(vpp) == {key: [(first, FORWARD), (index, ACCEPT)]}
    assert change(vpp, "232.1.1.2", (index, ACCEPT)) == -54
    assert vpp.sub(first, 200) == index
    assert others(vpp) == {key: [(first, FORWARD), (index, ACCEPT)]}


def test_those_of_vpp_follow_the_addresses(vpp: Subject, first: int) -> None:
    index = vpp.sub(first, 100)
    assert shown(vpp)["0.0.0.0", "224.0.0.1", 32] == [(ALL, 0)]
    assert vpp.add_address(index, "192.0.2.1/24") == 0
    assert shown(vpp)["0.0.0.0", "224.0.0.2", 32] == [(index, ACCEPT), (ALL, 0)]
    assert vpp.api.sw_interface_ip6_enable_disable(sw_if_index=index, enable=True).retval == 0
    assert {group for _, group, _ in shown(vpp, is_ip6=True)} == {
        "::",
        "ff02::1",
        "ff02::2",
        "ff02::16",
        "ff02::1:ff00:0",
    }
    assert shown(vpp, is_ip6=True)["::", "ff02::1", 128] == [(index, ACCEPT), (ALL, 0)]
    vpp.api.delete_subif(sw_if_index=index)
    assert shown(vpp)["0.0.0.0", "224.0.0.1", 32] == [(ALL, 0)]


def test_they_are_typed(vpp: Subject, first: int) -> None:
    assert vpp.cli(f"ip mroute add 232.5.5.5 via {PORTS[0]} Accept") == (0, "")
    assert vpp.cli(f"ip mroute add 232.5.5.5 via {PORTS[1]} Forward") == (0, "")
    assert vpp.cli(f"ip mroute add 10.0.0.1 232.5.5.5 via {PORTS[0]} Forward") == (0, "")
    assert others(vpp) == {
        ("0.0.0.0", "232.5.5.5", 32): [(first, ACCEPT), (vpp.index(PORTS[1]), FORWARD)],
        ("10.0.0.1", "232.5.5.5", 64): [(first, FORWARD)],
    }
    assert change(vpp, "232.5.5.5", (first, 0), add=False) == 0
    assert len(others(vpp)["0.0.0.0", "232.5.5.5", 32]) == 2
    assert vpp.cli(f"ip mroute del 232.5.5.5 via {PORTS[0]} Accept") == (0, "")
    assert vpp.cli("ip mroute del 10.0.0.1 232.5.5.5") == (0, "")
    assert others(vpp) == {("0.0.0.0", "232.5.5.5", 32): [(vpp.index(PORTS[1]), FORWARD)]}
    assert vpp.cli(f"ip mroute add 232.5.5.5 table 99 via {PORTS[0]} Accept")[0] != 0


@pytest.mark.parametrize("words", ["232.5.0.0/16", "10.0.0.1 232.5.5.5"])
def test_paths_are_shown_by_source(words: str, vpp: Subject, first: int) -> None:
    assert vpp.cli(f"ip mroute add {words} via {PORTS[0]} Accept") == (0, "")
    source, group = ("10.0.0.1", "232.5.5.5/32") if " " in words else ("*", "232.5.0.0/16")
    head = f"({source}, {group}): "
    assert f"\n{head}\n  Interfaces:\n   {PORTS[0]}: Accept," in "\n" + vpp.cli("show ip mfib table 0")[1]
    shown = vpp.cli(f"show ip mfib table 0 {words}")[1]
    assert re.search(rf"^{re.escape(head)}(\n .*)*\n  src:CLI flags:none", shown, re.MULTILINE)
    path = re.search(rf"^ +path:\[(\d+)\] .* weight=1 pref=0 attached: \n +{PORTS[0]}\n", shown, re.MULTILINE)
    assert path is not None
    assert f"\n    Extensions:\n     path:{path[1]} flags:Accept,\n" in shown
    assert vpp.cli("show ip mfib table 99") == (0, "")
