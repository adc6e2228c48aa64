"""Contract: policies of ABF: what VPP refuses, what it reads back, and which paths it takes for the same."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import ALL, PORTS, Subject
from vppcfg.kinds.policy_route import UNATTACHED_POLICIES
from vppcfg.kinds.policy_route_operations import CreatePolicy
from vppcfg.model.policy_route import UnattachedPolicy
from vppcfg.vpp.live import LiveDataplane, connect

POLICY = 0x76700005
HOPS = ("192.0.2.2", "192.0.2.3", "192.0.2.4")


@pytest.fixture(name="eth", scope="function")
def ethernet(vpp: Subject) -> int:
    index = int(vpp.index(PORTS[0]))
    vpp.api.sw_interface_add_del_address(is_add=True, sw_if_index=index, prefix="192.0.2.1/24")
    return index


@pytest.fixture
def plane(vpp: Subject) -> Iterator[LiveDataplane]:
    with connect(vpp.client.server_address, json_dir=str(vpp.client.apidir)) as connected:
        yield connected


def path(gateway: str = "", **values: Any) -> dict[str, Any]:
    is_ipv6 = ":" in gateway
    nh = {"address": {"ip6": gateway} if is_ipv6 else {"ip4": gateway or "0.0.0.0"}}
    common = {"sw_if_index": ALL, "nh": nh, "n_labels": 0, "label_stack": [{}] * 16, "weight": 1, "proto": int(is_ipv6)}
    return {**common, **values}


def acl(vpp: Subject, tag: str = "t") -> int:
    rule = {"is_permit": 1, "src_prefix": "0.0.0.0/0", "dst_prefix": "0.0.0.0/0"}
    return int(vpp.api.acl_add_replace(acl_index=ALL, tag=tag, count=1, r=[rule]).acl_index)


def policy(vpp: Subject, acl_index: int, *paths: dict[str, Any], add: bool = True, number: int = POLICY) -> int:
    values = {"policy_id": number, "acl_index": acl_index, "n_paths": len(paths), "paths": list(paths)}
    return int(vpp.api.abf_policy_add_del(is_add=add, policy=values).retval)


def attach(vpp: Subject, index: int, *, add: bool = True, is_ipv6: bool = False, number: int = POLICY) -> int:
    values = {"policy_id": number, "sw_if_index": index, "priority": 10, "is_ipv6": is_ipv6}
    return int(vpp.api.abf_itf_attach_add_del(is_add=add, attach=values).retval)


def shown(vpp: Subject) -> list[tuple[Any, ...]]:
    """Return the paths of the only policy, in VPP's order."""
    (details,) = vpp.api.abf_policy_dump()
    return [
        (str(each.nh.address.ip4), each.sw_if_index, each.table_id, each.weight, each.preference, each.type, each.proto)
        for each in details.policy.paths
    ]


def test_all_that_a_path_can_be_is_read_back(vpp: Subject, eth: int) -> None:
    vpp.api.ip_table_add_del(is_add=True, table={"table_id": 10, "is_ip6": False, "name": "red"})
    paths = (
        path(HOPS[0], weight=3),
        path(HOPS[1], sw_if_index=eth, preference=2),
        path(HOPS[2], table_id=10),
        path(table_id=10),
        path(sw_if_index=eth),
    )
    assert policy(vpp, acl(vpp), *paths) == 0
    assert sorted(shown(vpp)) == sorted(
        [
            (HOPS[0], ALL, 0, 3, 0, 0, 0),
            (HOPS[1], eth, 0, 1, 2, 0, 0),
            (HOPS[2], ALL, 10, 1, 0, 0, 0),
            ("0.0.0.0", ALL, 10, 1, 0, 0, 0),
            ("0.0.0.0", eth, 0, 1, 0, 0, 0),
        ]
    )
    assert policy(vpp, ALL, *paths, add=False) == 0
    assert list(vpp.api.abf_policy_dump()) == []


@pytest.mark.parametrize("kind", [2, 5, 6])
def test_a_policy_can_drop(vpp: Subject, eth: int, kind: int) -> None:
    assert policy(vpp, acl(vpp), path(type=kind)) == 0
    assert [each[5] for each in shown(vpp)] == [kind]
    assert policy(vpp, ALL, path(type=kind), add=False) == 0
    assert list(vpp.api.abf_policy_dump()) == []


def test_a_policy_that_drops_and_forwards_is_none_of_a_file(vpp: Subject, plane: LiveDataplane) -> None:
    assert policy(vpp, acl(vpp), path(type=2), path(HOPS[0])) == 0
    assert sorted(each[5] for each in shown(vpp)) == [0, 2]
    assert not plane.observe().of(UnattachedPolicy)
    assert policy(vpp, ALL, path(type=2), path(HOPS[0]), add=False) == 0


def test_paths_come_and_go_while_the_policy_is_attached(vpp: Subject, eth: int) -> None:
    number = acl(vpp)
    assert (policy(vpp, number, path(HOPS[0])), attach(vpp, eth)) == (0, 0)
    assert policy(vpp, number, path(HOPS[1]), path(HOPS[2], weight=2)) == 0
    assert [each[0] for each in shown(vpp)] == list(HOPS)
    assert policy(vpp, ALL, path(HOPS[0]), path(HOPS[2], weight=7), add=False) == 0, "weights do not count"
    assert [each[0] for each in shown(vpp)] == [HOPS[1]]
    assert policy(vpp, number, path(HOPS[2], weight=4)) == 0
    assert [(each[0], each[3]) for each in shown(vpp)] == [(HOPS[1], 1), (HOPS[2], 4)]
    assert attach(vpp, eth, add=False) == 0
    assert policy(vpp, ALL, path(HOPS[1]), path(HOPS[2]), add=False) == 0
    assert list(vpp.api.abf_policy_dump()) == []


def test_a_policy_keeps_its_access_list(vpp: Subject, eth: int) -> None:
    first, second = acl(vpp), acl(vpp, "u")
    assert (policy(vpp, first, path(HOPS[0])), attach(vpp, eth)) == (0, 0)
    assert policy(vpp, second, path(HOPS[1])) == -7
    assert (vpp.api.acl_del(acl_index=first).retval, vpp.api.acl_del(acl_index=second).retval) == (-149, 0)
    assert attach(vpp, eth, add=False) == 0
    assert vpp.api.acl_del(acl_index=first).retval == 0
    assert policy(vpp, ALL, path(HOPS[0]), add=False) == 0


def test_a_policy_may_name_a_list_that_is_not_there(vpp: Subject, eth: int, plane: LiveDataplane) -> None:
    assert policy(vpp, 77, path(HOPS[0])) == 0
    (found,) = plane.observe().of(UnattachedPolicy).values()
    for operation in (*UNATTACHED_POLICIES.removal(found, with_table=False), UNATTACHED_POLICIES.set(found)):
        assert plane.perform([operation]).refusals == ()
        assert bool(plane.observe().of(UnattachedPolicy)) is isinstance(operation, CreatePolicy)
    assert [row.policy.acl_index for row in vpp.rows("abf_policy_dump")] == [77]
    assert list(plane.observe().of(UnattachedPolicy).values()) == [found]
    assert policy(vpp, ALL, path(HOPS[0]), add=False) == 0


def test_an_interface_takes_a_policy_once_whatever_the_family(vpp: Subject, eth: int) -> None:
    assert (policy(vpp, acl(vpp), path(HOPS[0])), attach(vpp, eth)) == (0, 0)
    assert attach(vpp, eth, is_ipv6=True) == -116
    assert (attach(vpp, eth, add=False), policy(vpp, ALL, path(HOPS[0]), add=False)) == (0, 0)


def test_a_table_that_is_not_there_and_no_path_are_refused(vpp: Subject, eth: int) -> None:
    number = acl(vpp)
    assert policy(vpp, number, path(HOPS[0], table_id=99)) == -3
    assert policy(vpp, number, path(HOPS[0], sw_if_index=999)) == -54
    assert policy(vpp, number) == -7
    assert list(vpp.api.abf_policy_dump()) == []


@pytest.mark.parametrize("is_typed", [False, True])
def test_a_policy_into_another_table_goes_whoever_has_made_it(
    is_typed: bool, vpp: Subject, plane: LiveDataplane
) -> None:
    """The API does not find a path that the prompt has made, and the prompt none of the API (fib_path_cmp_i)."""
    table = {"table_id": 10, "is_ip6": False}
    assert vpp.api.ip_table_add_del(is_add=True, table={**table, "name": "red"}).retval == 0
    number, line = acl(vpp), "abf policy {} via ip4-lookup-in-table 10"
    if is_typed:
        assert vpp.cli(line.format(f"add id 7 acl {number}"))[0] == 0
    else:
        assert policy(vpp, number, path(table_id=10), number=7) == 0
    (found,) = plane.observe().of(UnattachedPolicy).values()
    if is_typed:
        assert policy(vpp, ALL, path(table_id=10), add=False, number=7) == 0
    else:
        assert vpp.cli(line.format("del id 7"))[0] == 0
    assert list(plane.observe().of(UnattachedPolicy).values()) == [found]
    assert plane.perform(UNATTACHED_POLICIES.removal(found, with_table=True)).refusals == ()
    assert not plane.observe().of(UnattachedPolicy)
    assert vpp.api.ip_table_add_del(is_add=False, table=table).retval == 0
    assert [row.table.table_id for row in vpp.rows("ip_table_dump") if row.table.table_id == 10] == []
