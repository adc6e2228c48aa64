"""What VPP reports of lb and cnat, in the forms of its releases, is named in plain words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import pytest

from vppcfg.model.attachment import Attachment
from vppcfg.model.state import State
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged import load_balancing
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.wire.reading import Replies

NONE = 0xFFFFFFFF
SCOPE = ReadScope(names={1: "eth0", 2: "eth1"}, holders=frozenset({"eth0"}), tables=(), state=State())


class Answers:
    """A connection whose VPP has answered: the values of each message by its name."""

    def __init__(self, **answers: Sequence[tuple[Any, ...]]) -> None:
        self._answers: Mapping[str, Sequence[tuple[Any, ...]]] = answers

    def offers(self, name: str) -> bool:
        return name in self._answers

    def rows(self, replies: Replies, name: str, *paths: str) -> Sequence[tuple[Any, ...]]:
        return [row[: len(paths)] for row in self._answers.get(name, ())]

    def lists(self, replies: Replies, name: str, heads: Sequence[str], *paths: str) -> Sequence[tuple[Any, ...]]:
        return self._answers.get(name, ())


def found(readers: Iterable[Reader], **answers: Sequence[tuple[Any, ...]]) -> list[Attachment]:
    connection = cast(Connection, Answers(**answers))
    return [each for reader in readers for each in reader.read(connection, {}, SCOPE)]


def ip4(text: str) -> bytes:
    return bytes(map(int, text.split("."))) + bytes(12)


IPV6 = bytes.fromhex("20010db8" + "00" * 12)


@pytest.mark.parametrize(
    ("vip", "name"),
    [
        ((0, ip4("90.0.0.0"), 8, 255, 0), "90.0.0.0/8 with 1 server"),
        ((0, ip4("90.0.0.0"), 104, 0, 0), "90.0.0.0/8 with 1 server"),
        ((0, ip4("90.1.2.1"), 32, 17, 53), "90.1.2.1/32 udp 53 with 1 server"),
        ((0, ip4("90.1.2.1"), 128, 0, 53), "90.1.2.1/32 port 53 with 1 server"),
        ((1, IPV6, 64, 6, 80), "2001:db8::/64 tcp 80 with 1 server"),
    ],
)
def test_a_vip_has_its_prefix_and_the_servers_in_use(vip: tuple[Any, ...], name: str) -> None:
    answers = {"lb_vip_details": [vip], "lb_as_details": [(*vip, 1), (*vip, 0)]}
    assert [each.label for each in found(load_balancing.STANDALONE, **answers)] == [f"LB VIP {name}"]


def translation(number: int, vip: int, *targets: tuple[int, int]) -> tuple[Any, ...]:
    return (number, 6, vip, 0, 0, ip4("10.9.9.9"), 80), list(targets)


@pytest.mark.parametrize(
    ("details", "holders"),
    [
        (translation(7, NONE, (NONE, NONE)), [""]),
        (translation(7, 1, (NONE, NONE)), ["eth0"]),
        (translation(7, NONE, (NONE, 1), (1, NONE)), ["eth0"]),
        (translation(7, 2, (NONE, NONE)), []),
        (translation(7, 2, (NONE, 1)), ["eth0"]),
    ],
)
def test_a_translation_is_with_the_interfaces_whose_address_it_follows(
    details: tuple[Any, ...], holders: list[str]
) -> None:
    of_interfaces = found(load_balancing.READERS, cnat_translation_details=[details])
    alone = found(load_balancing.STANDALONE, cnat_translation_details=[details])
    assert [each.holder for each in (*of_interfaces, *alone)] == holders
    for each in (*of_interfaces, *alone):
        assert each.kind == "CNAT translation"
        assert each.removal == "cnat translation del 7"
        assert not each.is_restorable


def test_a_translation_that_follows_two_interfaces_is_removed_once() -> None:
    both = SCOPE._replace(holders=frozenset({"eth0", "eth1"}))
    connection = cast(Connection, Answers(cnat_translation_details=[translation(7, 2, (NONE, 1))]))
    assert [each.holder for reader in load_balancing.READERS for each in reader.read(connection, {}, both)] == ["eth0"]


@pytest.mark.parametrize(
    ("reply", "label", "lines"),
    [
        ((1, ip4("192.0.2.1")[:4], bytes(16)), "CNAT source address", ("set cnat snat-policy addr eth0",)),
        (
            (NONE, ip4("192.0.2.1")[:4], bytes(16)),
            "CNAT source address 192.0.2.1",
            ("set cnat snat-policy addr 192.0.2.1",),
        ),
        ((NONE, bytes(4), bytes(16)), "", ()),
        ((2, ip4("192.0.2.1")[:4], bytes(16)), "", ()),
    ],
)
def test_a_source_address_is_that_of_an_interface_or_its_own(
    reply: tuple[Any, ...], label: str, lines: tuple[str, ...]
) -> None:
    readers = (*load_balancing.READERS, *load_balancing.STANDALONE)
    all_found = found(readers, cnat_get_snat_addresses_reply=[reply])
    assert [(each.label, each.lines) for each in all_found] == ([(label, lines)] if label else [])


@pytest.mark.parametrize("by_table", [False, True])
def test_a_source_address_comes_back_where_there_is_one_for_all_tables(*, by_table: bool) -> None:
    reply = {"cnat_get_snat_addresses_reply": [(1, bytes(4), bytes(16))]}
    answers = {**reply, **({"cnat_set_snat_addresses_v2": []} if by_table else {})}
    (source,) = found(load_balancing.READERS, **answers)
    assert source.is_restorable != by_table
