"""Contract: how VPP learns that packets have come to a port."""

from collections.abc import Iterator

import pytest

from tests.contract.subject import ALL, PORTS, Subject

POLLING, INTERRUPT, ADAPTIVE, DEFAULT = 1, 2, 3, 4


def set_mode(vpp: Subject, index: int, mode: int, queue: int | None = None) -> int:
    arguments = {"queue_id_valid": queue is not None, "queue_id": queue or 0, "mode": mode}
    return int(vpp.api.sw_interface_set_rx_mode(sw_if_index=index, **arguments).retval)


def modes(vpp: Subject, index: int = ALL) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for row in vpp.api.sw_interface_rx_placement_dump(sw_if_index=index):
        found.setdefault(row.sw_if_index, set()).add(int(row.mode))
    return found


@pytest.fixture
def port(vpp: Subject, first: int) -> Iterator[int]:
    """Return a port that is looked after as it was made in the end."""
    (before,) = modes(vpp, first)[first]
    yield first
    set_mode(vpp, first, before)


def test_all_queues_of_a_port_have_the_mode_that_is_set(vpp: Subject, port: int) -> None:
    others = {index: mode for index, mode in modes(vpp).items() if index != port}
    for mode in (POLLING, INTERRUPT):
        assert set_mode(vpp, port, mode) == 0
        assert modes(vpp, port) == {port: {mode}}
    assert {index: mode for index, mode in modes(vpp).items() if index != port} == others
    assert set_mode(vpp, port, POLLING, queue=0) == 0
    assert modes(vpp)[port] == {POLLING}


def test_what_it_refuses(vpp: Subject, port: int) -> None:
    assert (set_mode(vpp, vpp.sub(port, 100), POLLING), set_mode(vpp, ALL, POLLING)) == (-7, -2)
    assert (set_mode(vpp, port, POLLING, queue=77), set_mode(vpp, port, ADAPTIVE)) == (-9, -9)


def test_the_default_of_a_driver_is_not_how_it_makes_its_ports(vpp: Subject, port: int) -> None:
    assert modes(vpp, port) == {port: {INTERRUPT}}
    assert set_mode(vpp, port, DEFAULT) == 0
    assert modes(vpp, port) == {port: {POLLING}}


def test_it_is_typed(vpp: Subject, port: int) -> None:
    for word, mode in (("polling", POLLING), ("interrupt", INTERRUPT)):
        assert vpp.cli(f"set interface rx-mode {PORTS[0]} {word}") == (0, "")
        assert modes(vpp)[port] == {mode}
    refusal = (-1, "set interface rx-mode: parse error: 'sometimes'\n")
    assert vpp.cli(f"set interface rx-mode {PORTS[0]} sometimes") == refusal
    for words, queue in (("adaptive", ALL), ("queue 0 adaptive", 0)):
        text = f"set interface rx-mode: unable to set rx-mode on interface {PORTS[0]} queue-id {queue}.\n"
        assert vpp.cli(f"set interface rx-mode {PORTS[0]} {words}") == (-1, text)
    for words in ("polling", PORTS[0], f"{PORTS[0]} sometimes", f"{PORTS[0]} adaptive"):
        assert vpp.cli(f"set interface rx-mode {words}")[0] != 0
