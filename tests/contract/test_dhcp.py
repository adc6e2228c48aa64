"""Contract: DHCPv4 clients: one per interface, never changed, and still there when the interface has gone."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.contract.subject import PORTS, Subject


def ask(vpp: Subject, index: int, hostname: str = "", *, is_add: bool = True, **others: Any) -> int:
    client = {"sw_if_index": index, "hostname": hostname, **others}
    return int(vpp.api.dhcp_client_config(is_add=is_add, client=client).retval)


def clients(vpp: Subject) -> list[tuple[int, str, bool, int]]:
    return sorted(
        (row.client.sw_if_index, row.client.hostname, row.client.set_broadcast_flag, int(row.client.dscp))
        for row in vpp.api.dhcp_client_dump()
    )


@pytest.fixture
def clean(vpp: Subject) -> Iterator[Subject]:
    """Return the VPP, and take the clients out in the end."""
    yield vpp
    for index, *_ in clients(vpp):
        ask(vpp, index, is_add=False)


def test_an_interface_has_one_client_that_nothing_changes(clean: Subject, first: int) -> None:
    sub = clean.sub(first, 100)
    assert (ask(clean, first, "r1", set_broadcast_flag=True), ask(clean, sub, dscp=46)) == (0, 0)
    assert clients(clean) == [(first, "r1", True, 0), (sub, "", False, 46)]
    assert (ask(clean, first, "r2"), ask(clean, 4711)) == (-7, -2)
    assert ask(clean, first, is_add=False) == 0
    assert (ask(clean, first, is_add=False), clients(clean)) == (-7, [(sub, "", False, 46)])


def test_a_new_client_takes_the_place_of_one_that_has_gone(clean: Subject, first: int) -> None:
    other, new = (clean.sub(first, number) for number in (100, 200))
    assert (ask(clean, first), ask(clean, other)) == (0, 0)
    before = [row.client.sw_if_index for row in clean.api.dhcp_client_dump()]
    assert (ask(clean, first, is_add=False), ask(clean, new)) == (0, 0)
    after = [row.client.sw_if_index for row in clean.api.dhcp_client_dump()]
    assert after == [new if index == first else index for index in before]


def test_a_client_outlives_its_interface(clean: Subject, first: int) -> None:
    sub = clean.sub(first, 100)
    assert ask(clean, sub, "r1") == clean.api.delete_subif(sw_if_index=sub).retval == 0
    assert clients(clean) == [(sub, "r1", False, 0)]
    assert clean.sub(first, 200) == sub
    assert (ask(clean, sub, "r2"), ask(clean, sub, is_add=False), clients(clean)) == (-7, 0, [])


def test_it_is_typed(clean: Subject, first: int) -> None:
    assert clean.cli(f"set dhcp client intfc {PORTS[0]} hostname r1") == (0, "")
    assert clients(clean) == [(first, "r1", True, 0)]
    assert clean.cli(f"set dhcp client intfc {PORTS[0]} hostname r2")[0] != 0
    assert clean.cli(f"set dhcp client del intfc {PORTS[0]}") == (0, "")
    assert (clients(clean), clean.cli(f"set dhcp client del intfc {PORTS[0]}")[0] != 0) == ([], True)
    assert clean.cli("set dhcp client hostname r1")[0] != 0
    assert clean.cli(f"set dhcp client intfc {PORTS[0]}") == (0, "")
    assert clients(clean) == [(first, "", True, 0)]


def test_a_client_that_is_typed_sends_the_mac_address_as_text_from_25_02_on_and_one_by_the_api_what_it_is_given(
    clean: Subject, first: int
) -> None:
    mac = str(next(row.l2_address for row in clean.api.sw_interface_dump(sw_if_index=first)))
    sub = clean.sub(first, 100)
    assert clean.cli(f"set dhcp client intfc {PORTS[0]}.100") == (0, "")
    assert ask(clean, first, id=mac.encode()) == 0
    sent = {row.client.sw_if_index: bytes(row.client.id).rstrip(b"\0") for row in clean.api.dhcp_client_dump()}
    assert sent == {first: mac.encode(), sub: mac.encode() if clean.since("25.02") else b"vpp 1.1"}
